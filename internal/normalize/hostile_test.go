// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// The stack of a goroutine is bounded, and beyond it the collector ends. The decoder takes values that are nested a million
// times, in requests of 10 MB, before it fills the stack. What it takes must be normalised within the same stack. Here are
// both divided by 256.
const (
	smallStack = 4_000_000
	nesting    = 3800
)

func nest(v pcommon.Value) {
	for range nesting {
		v = v.SetEmptySlice().AppendEmpty()
	}
}

// TestValuesNestedAsDeepAsTheDecoderTakes puts such a value under each name that tables look at.
func TestValuesNestedAsDeepAsTheDecoderTakes(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(smallStack))
	normalizers := everyOption(t)
	t.Run("attributes of spans", func(t *testing.T) {
		for _, key := range knownKeys(t) {
			td, s := oneSpan("llm_request", "vllm.tracing.otel", 1)
			s.Attributes().PutDouble("gen_ai.latency.time_in_model_decode", 1)
			nest(s.Attributes().PutEmpty(key))
			for _, n := range normalizers {
				assert.NotEmpty(t, n.run(clone(td)), key)
			}
		}
	})
	t.Run("attributes of log records", func(t *testing.T) {
		for _, key := range knownKeys(t) {
			ld := plog.NewLogs()
			record := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
			record.SetEventName("gen_ai.client.inference.operation.details")
			nest(record.Body())
			nest(record.Attributes().PutEmpty(key))
			for _, n := range normalizers {
				assert.NotEmpty(t, n.runLogs(cloneLogs(ld)), key)
			}
		}
	})
	t.Run("labels of metrics", func(t *testing.T) {
		for _, label := range knownLabels() {
			md := pmetric.NewMetrics()
			metrics := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
			for _, name := range []string{"sglang:e2e_request_latency_seconds", "sglang:num_running_reqs", "vllm:prompt_tokens_total"} {
				m := metrics.AppendEmpty()
				m.SetName(name)
				points := m.SetEmptyHistogram().DataPoints()
				nest(points.AppendEmpty().Attributes().PutEmpty(label))
				points.AppendEmpty().Attributes().PutStr("model_name", "m")
			}
			for _, n := range normalizers {
				assert.NotEmpty(t, n.runMetrics(cloneMetrics(md)), label)
			}
		}
	})
}

// TestAllocationsForDuplicatesOfAKey has a key many times whose target is a long list, which took minutes when the target
// was read again for each.
func TestAllocationsForDuplicatesOfAKey(t *testing.T) {
	const duplicates, elements = 100, 1000
	_, in := duplicatesOf("kestrel.end", `["`+strings.Repeat(`stop","`, elements)+`"]`, duplicates)
	n := newMetricNormalizer(t, Options{}, mapping.Options{})
	perRun := testing.AllocsPerRun(5, func() { n.run(clone(in)) })
	assert.Less(t, perRun, float64(20*(duplicates+elements)))
	assert.Equal(t, counts{"kestrel/native": 1, "kestrel/native conflict": duplicates}, n.run(clone(in)))
}

// TestHostileSpans has spans of sizes and values that nobody means. What can be carried over is, the rest stays and is
// counted, and all promises hold.
func TestHostileSpans(t *testing.T) {
	const million = 1 << 20
	invalid, long := "\xff\xfe", strings.Repeat("stop", 1024/4)
	tests := []struct {
		name   string
		span   map[string]any
		want   map[string]any
		counts counts
	}{
		{
			"a megabyte of finish reasons",
			map[string]any{"gen_ai.response.finish_reasons": `["` + strings.Repeat(long+`","`, million/1024) + `"]`},
			map[string]any{"gen_ai.response.finish_reasons": append(slices.Repeat([]any{long}, million/1024), "")},
			counts{"vllm/v1": 1},
		},
		{
			"a megabyte of brackets is a text, because JSON is not nested so deep",
			map[string]any{"gen_ai.response.finish_reasons": strings.Repeat("[", million/2) + strings.Repeat("]", million/2)},
			map[string]any{"gen_ai.response.finish_reasons": []any{strings.Repeat("[", million/2) + strings.Repeat("]", million/2)}},
			counts{"vllm/v1": 1},
		},
		{
			"a megabyte of digits",
			map[string]any{"gen_ai.usage.prompt_tokens": strings.Repeat("9", million)},
			map[string]any{"gen_ai.usage.prompt_tokens": strings.Repeat("9", million)},
			counts{"vllm/v1": 1, "vllm/v1 not_convertible": 1},
		},
		{
			"keys that are empty or no text",
			map[string]any{"": "empty", invalid: "invalid", "gen_ai.latency." + invalid: 2, "gen_ai.latency.": 2},
			map[string]any{"": "empty", invalid: "invalid", "gen_ai.latency." + invalid: 2.0, "gen_ai.latency.": int64(2)},
			counts{"vllm/v1": 1},
		},
		{
			"values that are no text",
			map[string]any{"gen_ai.response.finish_reasons": invalid, "gen_ai.request.id": invalid, "gen_ai.usage.completion_tokens": invalid},
			map[string]any{"gen_ai.response.finish_reasons": []any{invalid}, "gen_ai.request.id": invalid, "gen_ai.usage.completion_tokens": invalid},
			counts{"vllm/v1": 1, "vllm/v1 not_convertible": 1},
		},
		{
			"bytes, a map and a list where numbers are meant",
			map[string]any{"gen_ai.usage.prompt_tokens": []byte{7}, "gen_ai.usage.completion_tokens": map[string]any{"": 7}, "gen_ai.request.n": []any{7}},
			map[string]any{"gen_ai.usage.prompt_tokens": []byte{7}, "gen_ai.usage.completion_tokens": map[string]any{"": int64(7)}, "gen_ai.request.n": []any{int64(7)}},
			counts{"vllm/v1": 1, "vllm/v1 not_convertible": 3},
		},
		{
			"numbers at the edge",
			map[string]any{
				"gen_ai.usage.prompt_tokens": int64(math.MinInt64), "gen_ai.usage.completion_tokens": math.Inf(1),
				"gen_ai.latency.e2e": int64(math.MaxInt64), "gen_ai.latency.time_in_queue": math.Copysign(0, -1),
			},
			map[string]any{
				"gen_ai.usage.input_tokens": int64(math.MinInt64), "gen_ai.usage.completion_tokens": math.Inf(1),
				"gen_ai.latency.e2e": int64(math.MaxInt64), "gen_ai.latency.time_in_queue": math.Copysign(0, -1),
			},
			counts{"vllm/v1": 1, "vllm/v1 not_convertible": 2},
		},
	}
	normalizers := everyOption(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, end := range []pcommon.Timestamp{0, 1, math.MaxUint64} {
				td, s := oneSpan("llm_request", "vllm.tracing.otel", time.Second)
				require.NoError(t, s.Attributes().FromRaw(tt.span))
				s.Attributes().PutDouble("gen_ai.latency.time_in_model_decode", 0)
				s.SetEndTimestamp(end)
				in := clone(td)

				assert.Equal(t, tt.counts, newNormalizer(t, Options{}).run(td))
				s.Attributes().Remove("gen_ai.latency.time_in_model_decode")
				s.Attributes().Remove("gen_ai.provider.name")
				assert.Equal(t, tt.want, s.Attributes().AsRaw())
				for _, n := range normalizers {
					requireSpanPromises(t, n, in)
				}
			}
		})
	}
}

// TestHostileMetrics does the same with metrics of an engine that counts milliseconds.
func TestHostileMetrics(t *testing.T) {
	const source, target = "kestrel_request_milliseconds", "gen_ai.server.request.duration"
	moved, stays := counts{"kestrel/metrics": 1}, counts{"kestrel/metrics not_convertible": 1}
	tests := []struct {
		name   string
		make   func(pmetric.Metric)
		want   string
		counts counts
	}{
		{"no type", func(pmetric.Metric) {}, source, counts{}},
		{"no points", func(m pmetric.Metric) { m.SetEmptyHistogram() }, source, counts{}},
		{"ten thousand buckets", func(m pmetric.Metric) {
			p := ownPoint(m.SetEmptyHistogram().DataPoints().AppendEmpty())
			for i := range 10_000 {
				p.ExplicitBounds().Append(float64(i))
				p.BucketCounts().Append(uint64(i))
			}
		}, target, moved},
		{"fewer counts than bounds", func(m pmetric.Metric) {
			p := ownPoint(m.SetEmptyHistogram().DataPoints().AppendEmpty())
			p.ExplicitBounds().FromRaw([]float64{1, 2, 3})
			p.BucketCounts().FromRaw([]uint64{1})
		}, target, moved},
		{"bounds that are no numbers", func(m pmetric.Metric) {
			p := ownPoint(m.SetEmptyHistogram().DataPoints().AppendEmpty())
			p.ExplicitBounds().FromRaw([]float64{math.Inf(-1), math.Copysign(0, -1), math.NaN(), math.Inf(1)})
			p.SetSum(math.NaN())
			p.SetMin(math.Inf(-1))
			p.SetMax(math.MaxFloat64)
			p.SetCount(math.MaxUint64)
		}, target, moved},
		{"exponential buckets at the edge", func(m pmetric.Metric) {
			p := ownPoint(m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty())
			p.SetScale(math.MinInt32)
			p.Positive().SetOffset(math.MaxInt32)
			p.Negative().SetOffset(math.MinInt32)
		}, target, moved},
		{"exponential buckets that are too fine to be counted", func(m pmetric.Metric) {
			p := ownPoint(m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty())
			p.SetScale(math.MaxInt32)
		}, source, stays},
		{"exponential buckets that would leave the protocol's numbers", func(m pmetric.Metric) {
			p := ownPoint(m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty())
			p.SetScale(20)
			p.Positive().SetOffset(math.MinInt32)
			p.Positive().BucketCounts().FromRaw([]uint64{1})
		}, source, stays},
		{"ten thousand quantiles", func(m pmetric.Metric) {
			p := ownPoint(m.SetEmptySummary().DataPoints().AppendEmpty())
			for i := range 10_000 {
				p.QuantileValues().AppendEmpty().SetQuantile(float64(i))
			}
		}, source, counts{"kestrel/metrics type_mismatch": 1}},
		{"labels that are empty, no text or long", func(m pmetric.Metric) {
			p := ownPoint(m.SetEmptyHistogram().DataPoints().AppendEmpty())
			p.Attributes().PutStr("", "")
			p.Attributes().PutStr("\xff", "\xfe")
			p.Attributes().PutEmptyBytes("node").FromRaw([]byte{0})
			p.Attributes().PutStr("rank", strings.Repeat("1", 1<<20))
			p.Attributes().PutEmpty("op")
		}, target, moved},
	}
	normalizers := everyOption(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			md, metrics := scopeOfMetrics()
			m := metrics.AppendEmpty()
			m.SetName(source)
			tt.make(m)
			in := cloneMetrics(md)
			assert.Equal(t, tt.counts, newMetricNormalizer(t, Options{}, mapping.Options{}).runMetrics(md))
			assert.Equal(t, tt.want, m.Name())
			for _, n := range normalizers {
				requireMetricPromises(t, n, in)
			}
		})
	}
}

// ownPoint makes a point one of the engine's.
func ownPoint[P interface{ Attributes() pcommon.Map }](p P) P {
	p.Attributes().PutStr("model", "m")
	return p
}

// TestLabelsWithoutAValueAreNone fills in what such a label would say. A second pass used to count a collision.
func TestLabelsWithoutAValueAreNone(t *testing.T) {
	md, metrics := scopeOfMetrics()
	points := histogram(metrics, "kestrel_request_milliseconds", cumulative)
	ownPoint(points.AppendEmpty()).Attributes().PutEmpty("gen_ai.provider.name")
	ownPoint(points.AppendEmpty()).Attributes().PutStr("node", "a")
	for _, n := range everyOption(t) {
		out := requireMetricPromises(t, n, md)
		assert.Equal(t, counts{"kestrel/metrics": 2}, n.runMetrics(out))
	}
}

// TestNamesOfAMegabyte are remembered and compared as others.
func TestNamesOfAMegabyte(t *testing.T) {
	long := strings.Repeat("n", 1<<20)
	td, s := oneSpan("llm_request "+long, long, time.Second)
	s.Attributes().PutStr("http."+long, long)
	md, metrics := scopeOfMetrics()
	histogram(metrics, "vllm:"+long, cumulative).AppendEmpty()
	histogram(metrics, long, cumulative).AppendEmpty()
	for _, n := range everyOption(t) {
		requireSpanPromises(t, n, td)
		requireMetricPromises(t, n, md)
	}
	assert.Equal(t, counts{"vllm/metrics unmapped vllm:" + long: 1}, newMetricNormalizer(t, Options{}, mapping.Options{}).runMetrics(md))
}

// knownLabels are the labels that tables look at.
func knownLabels() (names []string) {
	for _, label := range labelValues() {
		names = append(names, label.name)
	}
	return names
}
