// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor"
)

// rowsOfVLLM is about how many rows the built-in table of vLLM has.
const rowsOfVLLM = 160

// BenchmarkRows measures whether an item gets slower with the rows that are not about it: those of vLLM's table once,
// ten times and a hundred times.
func BenchmarkRows(b *testing.B) {
	nop := consumertest.NewNop()
	spans := traffic{name: "vllm-v1", spans: []source{vllm}}.payload(b)
	metrics := scrapes()[0].payload(b)
	for _, times := range []int{1, 10, 100} {
		factory := genainormalizeprocessor.NewFactory()
		cfg := configureFrom(b, factory, nil)
		if times > 1 {
			cfg = configureFrom(b, factory, map[string]any{"tables": []any{tableOf(b, rowsOfVLLM*(times-1))}})
		}
		b.Run(fmt.Sprintf("payload=vllm-v1/rows=%d", times), func(b *testing.B) {
			spans.benchmark(b, contender[ptrace.Traces]{"genainormalize", newTraces(b, factory, cfg, nop).ConsumeTraces})
		})
		b.Run(fmt.Sprintf("payload=vllm-scrape/rows=%d", times), func(b *testing.B) {
			metrics.benchmark(b, contender[pmetric.Metrics]{"genainormalize", newMetrics(b, factory, cfg, nop).ConsumeMetrics})
		})
	}
}

// tableOf writes a table that adds so many rows to vLLM's, half of them for attributes, and returns its path.
func tableOf(tb testing.TB, rows int) string {
	tb.Helper()
	const (
		attribute = "  - {id: bench.attribute_%[1]d, keep: gen_ai.bench.attribute_%[1]d, why: no target}\n"
		metric    = "  - {id: bench.metric_%[1]d, keep: bench_metric_%[1]d_seconds, instrument: histogram, unit: s, why: no target, " +
			"evidence: \"https://example.com\"}\n"
	)
	var table strings.Builder
	table.WriteString("engine: vllm\nextends: vllm\n")
	table.WriteString("attributes:\n")
	for i := range rows / 2 {
		fmt.Fprintf(&table, attribute, i)
	}
	table.WriteString("metrics:\n")
	for i := range rows / 2 {
		fmt.Fprintf(&table, metric, i)
	}
	path := filepath.Join(tb.TempDir(), "table.yaml")
	require.NoError(tb, os.WriteFile(path, []byte(table.String()), 0o600))
	return path
}

// BenchmarkAttributes measures a request span of vLLM among whose attributes are more and more of somebody else.
func BenchmarkAttributes(b *testing.B) {
	process := normalizeTraces(b, consumertest.NewNop())
	for _, attributes := range []int{20, 200, 2000} {
		batch := vllm.read(b, 10)
		for _, span := range batch.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			for i := span.Attributes().Len(); i < attributes; i++ {
				span.Attributes().PutStr(fmt.Sprintf("app.request.label_%d", i), "something")
			}
		}
		b.Run(fmt.Sprintf("attributes=%d", attributes), func(b *testing.B) {
			tracesPayload(b, "", batch).benchmark(b, contender[ptrace.Traces]{"genainormalize", process.ConsumeTraces})
		})
	}
}

// BenchmarkPoints measures a histogram of vLLM with more and more points.
func BenchmarkPoints(b *testing.B) {
	process := normalizeMetrics(b, consumertest.NewNop(), nil)
	for _, points := range []int{10, 100, 1000} {
		batch := pmetric.NewMetrics()
		m := batch.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
		m.SetName("vllm:e2e_request_latency_seconds")
		m.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		for i := range points {
			p := m.Histogram().DataPoints().AppendEmpty()
			p.Attributes().PutStr("model_name", "tiny-llama")
			p.Attributes().PutStr("engine", strconv.Itoa(i))
			p.ExplicitBounds().FromRaw([]float64{0.1, 1, 10})
			p.BucketCounts().FromRaw([]uint64{1, 2, 3, 4})
		}
		b.Run(fmt.Sprintf("points=%d", points), func(b *testing.B) {
			metricsPayload(b, "", batch).benchmark(b, contender[pmetric.Metrics]{"genainormalize", process.ConsumeMetrics})
		})
	}
}
