// SPDX-License-Identifier: Apache-2.0

package otlpjson // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	traces  = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"a"},{"name":"b"}]}]}]}`
	metrics = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[{"asInt":"1"}]}}]}]}]}`
	logs    = "{\n  \"resourceLogs\": [{\"scopeLogs\": [{\"logRecords\": [{\"body\": {\"stringValue\": \"x\"}}]}]}]\n}"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestReadFile(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"one document":                 {traces, "1 document: 2 spans"},
		"one document a line":          {traces + "\n" + metrics + "\n", "2 documents: 2 spans, 1 data point"},
		"pretty-printed ones in a row": {logs + traces + logs, "3 documents: 2 spans, 2 log records"},
		"a document without items":     {`{"resourceSpans":[]}`, "1 document: empty"},
	} {
		t.Run(name, func(t *testing.T) {
			documents, err := ReadFile(write(t, test.text))
			require.NoError(t, err)
			var count Count
			for _, document := range documents {
				count.Add(document)
			}
			assert.Equal(t, test.want, count.String())
		})
	}
}

func TestReadFileErrors(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"an empty file":           {"\n", "holds no OTLP/JSON document"},
		"no JSON":                 {"vllm:num_requests_running 1", "document 1: invalid character 'v'"},
		"JSON, but not an object": {traces + "\n3", "document 2: is no OTLP/JSON document"},
		"a document cut short":    {traces + traces[:20], "document 2: unexpected EOF"},
		"some other JSON":         {`{"spans":[]}`, `none of "resourceSpans"`},
		"two signals in one":      {`{"resourceSpans":[],"resourceLogs":[]}`, "more than one signal"},
		"a field of a wrong type": {`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"zz"}]}]}]}`, "document 1: "},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, test.text)
			_, err := ReadFile(path)
			require.ErrorContains(t, err, path+": ")
			assert.ErrorContains(t, err, test.want)
		})
	}
	_, err := ReadFile(filepath.Join(t.TempDir(), "none.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
