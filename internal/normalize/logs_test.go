// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

func (n *Normalizer) runLogs(t testing.TB, ld plog.Logs) {
	t.Helper()
	require.NoError(t, n.Logs(context.Background(), ld, silent{}))
}

func cloneLogs(ld plog.Logs) plog.Logs {
	c := plog.NewLogs()
	ld.CopyTo(c)
	return c
}

func protoLogs(t testing.TB, ld plog.Logs) []byte {
	t.Helper()
	data, err := new(plog.ProtoMarshaler).MarshalLogs(ld)
	require.NoError(t, err)
	return data
}

// withoutAttributes are log records without what may change.
func withoutAttributes(ld plog.Logs) plog.Logs {
	bare := cloneLogs(ld)
	for _, rl := range bare.ResourceLogs().All() {
		rl.Resource().Attributes().Clear()
		for _, sl := range rl.ScopeLogs().All() {
			sl.SetSchemaUrl("")
			for _, record := range sl.LogRecords().All() {
				record.Attributes().Clear()
				record.SetEventName("")
			}
		}
	}
	return bare
}

// FuzzLogs feeds anything that is OTLP to normalizers of several options: none panics, changes a body, a time or an
// id, or changes anything in a second pass.
func FuzzLogs(f *testing.F) {
	files, err := filepath.Glob("../../testdata/cases/*/input.json")
	require.NoError(f, err)
	seeds := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		if ld, err := new(plog.JSONUnmarshaler).UnmarshalLogs(data); err == nil && ld.LogRecordCount() > 0 {
			f.Add(protoLogs(f, ld))
			seeds++
		}
	}
	require.Positive(f, seeds)
	otel := map[string]mapping.EngineOptions{"otel": {Enabled: new(true)}}
	normalizers := map[string]*Normalizer{
		"default":     newMetricNormalizer(f, Options{}, mapping.Options{}),
		"all options": newMetricNormalizer(f, Options{SchemaURL: AlwaysSchemaURL, ServiceName: FillServiceName, Annotate: true, EntryProvider: "vllm"}, mapping.Options{Approximate: true, Engines: otel}),
		"keep":        newMetricNormalizer(f, Options{Originals: KeepOriginals}, mapping.Options{Target: "0.1.0", Engines: otel}),
		"drop":        newMetricNormalizer(f, Options{EngineUsage: DropEngineUsage}, mapping.Options{Target: "0.1.0", Engines: otel}),
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ld, err := new(plog.ProtoUnmarshaler).UnmarshalLogs(data)
		if err != nil {
			return
		}
		for name, n := range normalizers {
			once := cloneLogs(ld)
			n.runLogs(t, once)
			require.True(t, bytes.Equal(protoLogs(t, withoutAttributes(ld)), protoLogs(t, withoutAttributes(once))), name)
			twice := cloneLogs(once)
			n.runLogs(t, twice)
			require.True(t, bytes.Equal(protoLogs(t, once), protoLogs(t, twice)), name)
		}
	})
}

// TestLogAllocations states the price of foreign log records: nothing.
func TestLogAllocations(t *testing.T) {
	n := newMetricNormalizer(t, Options{}, mapping.Options{})
	ld := plog.NewLogs()
	records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for range 100 {
		record := records.AppendEmpty()
		record.Body().SetStr("GET /items")
		record.Attributes().PutStr("http.route", "/items")
		record.SetEventName("http.request")
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = n.Logs(t.Context(), ld, silent{}) }))
}
