// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// silent is a reporter that costs nothing.
type silent struct{}

func (silent) Items(context.Context, *mapping.DialectRules, int64)            {}
func (silent) Outcomes(context.Context, *mapping.DialectRules, Reason, int64) {}
func (silent) Unmapped(context.Context, *mapping.DialectRules, string)        {}

// batchOf returns a batch of batchSize copies of the first captured span with a name.
func batchOf(t testing.TB, file, name string) ptrace.Traces {
	t.Helper()
	data, err := os.ReadFile("../../testdata/captured/vllm/" + file)
	require.NoError(t, err)
	td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(data)
	require.NoError(t, err)
	batch := ptrace.NewTraces()
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				if s.Name() != name || batch.SpanCount() > 0 {
					continue
				}
				dest := batch.ResourceSpans().AppendEmpty()
				rs.Resource().CopyTo(dest.Resource())
				scope := dest.ScopeSpans().AppendEmpty()
				ss.Scope().CopyTo(scope.Scope())
				for range batchSize {
					s.CopyTo(scope.Spans().AppendEmpty())
				}
			}
		}
	}
	require.Equal(t, batchSize, batch.SpanCount())
	return batch
}

const (
	matchedFile, matchedName = "vllm-0.32.0-v1-completion.otlp.json", "llm_request"
	foreignFile, foreignName = "vllm-0.32.0-v1-otelinstr-completion.otlp.json", "POST /v1/completions"
	batchSize                = 100
)

// TestAllocations states the price: nothing for a foreign span, and for a V1 span the four values that are written
// (two counts, provider, operation) at most one more.
func TestAllocations(t *testing.T) {
	n := newNormalizer(t, Options{})
	foreign := batchOf(t, foreignFile, foreignName)
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = n.Traces(t.Context(), foreign, silent{}) }))
	foreign.ResourceSpans().At(0).Resource().Attributes().PutStr("sglang.version", "0.5.23")
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = n.Traces(t.Context(), foreign, silent{}) }), "a resource that states a version")

	const runs = 20
	batches := make([]ptrace.Traces, runs+1)
	for i := range batches {
		batches[i] = batchOf(t, matchedFile, matchedName)
	}
	i := -1
	perBatch := testing.AllocsPerRun(runs, func() {
		i++
		_ = n.Traces(t.Context(), batches[i], silent{})
	})
	assert.LessOrEqual(t, perBatch/batchSize, 5.0)
	assert.Positive(t, perBatch)
}

func BenchmarkForeignSpan(b *testing.B) {
	n := newNormalizer(b, Options{})
	td := batchOf(b, foreignFile, foreignName)
	b.Run("walk the keys once", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			walkKeys(td)
		}
		perSpan(b)
	})
	b.Run("normalize", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = n.Traces(b.Context(), td, silent{})
		}
		perSpan(b)
	})
}

// walkKeys is the least that a processor has to do to see what a span is.
func walkKeys(td ptrace.Traces) (total int) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				for key := range s.Attributes().All() {
					total += len(key)
				}
			}
		}
	}
	return total
}

// BenchmarkMatchedSpan compares the work with decoding the same batch, which every span in a collector has behind it.
func BenchmarkMatchedSpan(b *testing.B) {
	n := newNormalizer(b, Options{})
	data := proto(b, batchOf(b, matchedFile, matchedName))
	decode := func() ptrace.Traces {
		td, err := new(ptrace.ProtoUnmarshaler).UnmarshalTraces(data)
		require.NoError(b, err)
		return td
	}
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			decode()
		}
		perSpan(b)
	})
	// The difference is the price: stopping the timer around each batch would cost more than a batch.
	b.Run("decode and normalize", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = n.Traces(b.Context(), decode(), silent{})
		}
		perSpan(b)
	})
}

func perSpan(b *testing.B) {
	b.Helper()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batchSize, "ns/span")
}
