// SPDX-License-Identifier: Apache-2.0

package exposition

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// FuzzParse says that a text is an error that names a line of it, or metrics that can be written and read again.
func FuzzParse(f *testing.F) {
	handMade, err := filepath.Glob("testdata/*.prom")
	require.NoError(f, err)
	for _, path := range append(texts(f), handMade...) {
		text := readText(f, path)
		f.Add(text[:min(len(text), 4096)])
		f.Add(text[max(0, len(text)-1024):])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		md, err := Parse(text, target)
		require.Equal(t, before, text)
		if err != nil {
			var where *Error
			require.ErrorAs(t, err, &where)
			assert.Positive(t, where.Line)
			assert.LessOrEqual(t, where.Line, bytes.Count(text, []byte{'\n'})+1)
			return
		}
		data, err := new(pmetric.ProtoMarshaler).MarshalMetrics(md)
		require.NoError(t, err)
		_, err = new(pmetric.ProtoUnmarshaler).UnmarshalMetrics(data)
		require.NoError(t, err)
		data, err = new(pmetric.JSONMarshaler).MarshalMetrics(md)
		require.NoError(t, err)
		again, err := new(pmetric.JSONUnmarshaler).UnmarshalMetrics(data)
		require.NoError(t, err)
		assert.Equal(t, md.DataPointCount(), again.DataPointCount())
	})
}
