// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

func (n *Normalizer) runLogs(ld plog.Logs) counts {
	c := counts{}
	if err := n.Logs(context.Background(), ld, c); err != nil {
		panic(err) // There are no conditions.
	}
	return c
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

// randomRecord makes a log record of keys and values that rules look at.
func randomRecord(random *rand.Rand, keys []string) plog.Logs {
	td, s := randomSpan(random, keys)
	ld := plog.NewLogs()
	sl := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
	sl.Scope().SetName(td.ResourceSpans().At(0).ScopeSpans().At(0).Scope().Name())
	record := sl.LogRecords().AppendEmpty()
	s.Attributes().CopyTo(record.Attributes())
	record.SetTimestamp(s.StartTimestamp())
	record.Body().SetEmptyMap().PutStr("gen_ai.usage.prompt_tokens", "1") // Never touched, whatever it is called.
	names := []string{
		"", "gen_ai.client.inference.operation.details", "gen_ai.client.operation.exception", "gen_ai.client.inference.exception",
		"gen_ai.content.prompt", "http.request",
	}
	record.SetEventName(names[random.IntN(len(names))])
	if random.IntN(2) == 0 {
		record.Attributes().PutStr(eventNameKey, names[random.IntN(len(names))])
	}
	if random.IntN(2) == 0 {
		record.Attributes().PutStr("gen_ai.span.kind", "LLM")
	}
	return ld
}

// TestRandomLogRecords holds any log record to the promises, under every option.
func TestRandomLogRecords(t *testing.T) {
	keys := knownKeys(t)
	for name, n := range everyOption(t) {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(5, 6))
			recognised := 0
			for range 10_000 {
				in := randomRecord(random, keys)
				requireRecordPromises(t, n, in)
				if len(n.runLogs(in)) > 0 {
					recognised++
				}
			}
			require.Greater(t, recognised, 1000)
		})
	}
}

// requireRecordPromises holds log records to what is promised for all telemetry, and to keeping their bytes if foreign.
func requireRecordPromises(t testing.TB, n *Normalizer, in plog.Logs) {
	t.Helper()
	out := requirePromises(t, recordKind, n, in)
	if len(n.runLogs(cloneLogs(in))) == 0 {
		recordKind.requireSame(t, in, out, "something foreign changed")
	}
}

// FuzzLogs holds whatever the OTLP decoder accepts to the promises, under every option.
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
	random, keys := rand.New(rand.NewPCG(7, 8)), knownKeys(f)
	for range 100 {
		f.Add(protoLogs(f, randomRecord(random, keys)))
	}
	normalizers := everyOption(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		ld, err := new(plog.ProtoUnmarshaler).UnmarshalLogs(data)
		if err != nil {
			return
		}
		for _, n := range normalizers {
			requireRecordPromises(t, n, ld)
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
