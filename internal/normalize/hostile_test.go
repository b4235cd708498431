// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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

// knownLabels are the labels that tables look at.
func knownLabels() (names []string) {
	for _, label := range labelValues() {
		names = append(names, label.name)
	}
	return names
}
