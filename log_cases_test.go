// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/plogtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// runLogsCase is what [runCase] is for log records.
func runLogsCase(t *testing.T, dir, input, config string) {
	t.Helper()
	in := readLogs(t, input)
	h := newHarness(t, config)
	out := h.normalizeLogs(t, in)
	got := h.report(t)

	wantFile := filepath.Join(dir, outputFile)
	if *update {
		require.NoError(t, golden.WriteLogsToFile(wantFile, out))
	}
	requireTelemetry(t, dir, got)
	assert.NoError(t, plogtest.CompareLogs(readLogs(t, wantFile), out))

	requireConformantLogs(t, h.config, in, out)
	again := newHarness(t, config)
	require.Equal(t, canonicalLogs(t, out), canonicalLogs(t, again.normalizeLogs(t, out)), "a second pass changed the data")
	require.Equal(t, got, again.report(t), "a second pass changed the self-telemetry")
	requireCuttableLogs(t, config, in, out)
}

func readLogs(t testing.TB, path string) plog.Logs {
	t.Helper()
	ld, err := golden.ReadLogs(path)
	require.NoError(t, err, path)
	return ld
}

// recordsOf lists the records of a batch in order.
func recordsOf(ld plog.Logs) []plog.LogRecord {
	var records []plog.LogRecord
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, r := range sl.LogRecords().All() {
				records = append(records, r)
			}
		}
	}
	return records
}

// requireConformantLogs checks what changed: attributes and names of events are the registry's, and bodies, times,
// severities and ids are what they were.
func requireConformantLogs(t testing.TB, config *Config, in, out plog.Logs) {
	t.Helper()
	registry, err := semconv.Load(config.Semconv)
	require.NoError(t, err)
	before := recordsOf(in)
	for i, r := range recordsOf(out) {
		for key, v := range r.Attributes().All() {
			old, existed := before[i].Attributes().Get(key)
			if existed && old.Equal(v) || key == "genainormalize.dialect" || key == "event.name" {
				continue
			}
			attribute, ok := registry.Attribute(key)
			assert.True(t, ok && hasType(v, attribute.Type) || existed && strings.HasPrefix(key, "gen_ai.latency."), "record %d: %s", i, key)
		}
		if r.EventName() != before[i].EventName() {
			_, ok := registry.Event(r.EventName())
			assert.True(t, ok, "record %d: event %s", i, r.EventName())
		}
		rest, old := plog.NewLogRecord(), plog.NewLogRecord()
		r.CopyTo(rest)
		before[i].CopyTo(old)
		for _, record := range []plog.LogRecord{rest, old} {
			record.Attributes().Clear()
			record.SetEventName("")
		}
		assert.NoError(t, plogtest.CompareLogRecord(old, rest), "record %d", i)
	}
}

// requireCuttableLogs normalises each record alone: none may come out differently.
func requireCuttableLogs(t testing.TB, config string, in, out plog.Logs) {
	t.Helper()
	h := newHarness(t, config)
	want := recordsOf(out)
	i := 0
	for _, rl := range in.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, r := range sl.LogRecords().All() {
				one := plog.NewLogs()
				dest := one.ResourceLogs().AppendEmpty()
				rl.Resource().CopyTo(dest.Resource())
				scope := dest.ScopeLogs().AppendEmpty()
				sl.Scope().CopyTo(scope.Scope())
				r.CopyTo(scope.LogRecords().AppendEmpty())
				got := recordsOf(h.normalizeLogs(t, one))
				require.NoError(t, plogtest.CompareLogRecord(want[i], got[0]), "record %d", i)
				i++
			}
		}
	}
}
