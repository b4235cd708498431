// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const capturedDir = "../../../../testdata/captured"

func TestTheReleaseIsInTheNameOfTheFile(t *testing.T) {
	for name, want := range map[string]release{
		"vllm-0.32.0-v1-chat.otlp.json":                       {emitter: "vllm", version: "0.32.0"},
		"vllm-0.8.5-v0-chat-n3-stream.otlp.json":              {emitter: "vllm", version: "0.8.5"},
		"vllm-0.32.0-lora-mfu-kvmetrics-live.otlp.json":       {emitter: "vllm", version: "0.32.0"},
		"vllm-0.15.1.prom":                                    {emitter: "vllm", version: "0.15.1"},
		"sglang-0.5.23-openmetrics-underscores.otlp.json":     {emitter: "sglang", version: "0.5.23"},
		"sglang-0.3.5.post1.prom":                             {emitter: "sglang", version: "0.3.5.post1", driven: true},
		"sglang-0.3.5.post1.otlp.json":                        {emitter: "sglang", version: "0.3.5.post1", driven: true},
		"sglang-0.4.6.otlp.json":                              {emitter: "sglang", version: "0.4.6", driven: true},
		"sglang-0.4.60.otlp.json":                             {emitter: "sglang", version: "0.4.60"},
		"sglang-router-0.3.2-engine_metrics.prom":             {emitter: "sglang-router", version: "0.3.2"},
		"some/folder/smg-1.13.0-chat-stream-traceparent.prom": {emitter: "smg", version: "1.13.0"},
	} {
		got, err := releaseOf(name)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
	for _, name := range []string{"", "vllm.prom", "vllm-latest-chat.otlp.json", "0.32.0.prom", "kite-1.0.prom", "vllm-0.32.0chat.prom"} {
		_, err := releaseOf(name)
		require.ErrorIs(t, err, errNoRelease, name)
	}
}

func TestTheReadmeOfTheCapturedFilesSaysTheSame(t *testing.T) {
	data, err := os.ReadFile(capturedDir + "/README.md")
	require.NoError(t, err)
	readme := string(data)
	files, err := capturedFiles(capturedDir)
	require.NoError(t, err)
	var driven []string
	for _, file := range files {
		r, err := releaseOf(file)
		require.NoError(t, err)
		assert.Contains(t, readme, r.emitter, file)
		assert.Contains(t, readme, r.version, file)
		if name := r.emitter + "-" + r.version; r.driven && !slices.Contains(driven, name) {
			driven = append(driven, name)
		}
		if strings.Contains(file, "promexporter") || strings.Contains(file, "-driven") {
			assert.False(t, isReal(file), file)
		}
	}
	m := regexp.MustCompile("(?m)^\\| (`.*`) \\| \\*\\*no server run\\*\\*").FindStringSubmatch(readme)
	require.NotNil(t, m)
	assert.Equal(t, m[1], join(driven, code))
}

func TestReleasesAreInOrder(t *testing.T) {
	var texts []string
	releases := []release{
		{emitter: "smg", version: "1.13.0"},
		{emitter: "sglang-router", version: "0.3.2"},
		{emitter: "sglang", version: "0.5.10"},
		{emitter: "sglang", version: "0.3.5.post1", driven: true},
		{emitter: "sglang", version: "0.5.9"},
	}
	slices.SortFunc(releases, compareReleases)
	for _, r := range releases {
		texts = append(texts, r.String())
	}
	assert.Equal(t, []string{"0.3.5.post1 (no server)", "0.5.9", "0.5.10", "sglang-router 0.3.2", "smg 1.13.0"}, texts)
}
