// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

const (
	vllmScrape   = "vllm/metrics/vllm-0.31.0-live.otlp.json"
	sglangScrape = "sglang/metrics/sglang-0.5.23-live.otlp.json"
)

func scrape(t testing.TB, file string) pmetric.Metrics {
	t.Helper()
	data, err := os.ReadFile("../../testdata/captured/" + file)
	require.NoError(t, err)
	md, err := new(pmetric.JSONUnmarshaler).UnmarshalMetrics(data)
	require.NoError(t, err)
	return md
}

// foreignMetrics is what a service that is no engine writes.
func foreignMetrics() pmetric.Metrics {
	md := pmetric.NewMetrics()
	metrics := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
	for i := range 100 {
		m := metrics.AppendEmpty()
		m.SetName(fmt.Sprintf("http_server_something_%d_seconds", i))
		p := m.SetEmptyHistogram().DataPoints().AppendEmpty()
		p.Attributes().PutStr("method", "GET")
		p.Attributes().PutStr("route", "/items")
	}
	return md
}

// TestMetricAllocations states the price: nothing for foreign metrics, nor for those of an engine that stay.
func TestMetricAllocations(t *testing.T) {
	n := newMetricNormalizer(t, Options{}, mapping.Options{})
	foreign := foreignMetrics()
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = n.Metrics(t.Context(), foreign, silent{}) }))

	normalized := scrape(t, vllmScrape)
	_ = n.Metrics(t.Context(), normalized, silent{})
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = n.Metrics(t.Context(), normalized, silent{}) }))
}

// BenchmarkScrape compares the work with decoding the same scrape.
func BenchmarkScrape(b *testing.B) {
	for _, file := range []string{vllmScrape, sglangScrape} {
		data := protoMetrics(b, scrape(b, file))
		decode := func() pmetric.Metrics {
			md, err := new(pmetric.ProtoUnmarshaler).UnmarshalMetrics(data)
			require.NoError(b, err)
			return md
		}
		engine, _, _ := strings.Cut(file, "/")
		b.Run(engine+"/decode", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				decode()
			}
		})
		for _, extensions := range []bool{false, true} {
			n := newMetricNormalizer(b, Options{}, mapping.Options{Extensions: extensions})
			b.Run(fmt.Sprintf("%s/decode and normalize/extensions=%v", engine, extensions), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_ = n.Metrics(b.Context(), decode(), silent{})
				}
			})
		}
	}
}

func BenchmarkForeignMetrics(b *testing.B) {
	n := newMetricNormalizer(b, Options{}, mapping.Options{})
	md := foreignMetrics()
	b.ReportAllocs()
	for b.Loop() {
		_ = n.Metrics(b.Context(), md, silent{})
	}
}

// BenchmarkRowsOfMetrics shows that the time for a metric does not grow with the number of rows.
func BenchmarkRowsOfMetrics(b *testing.B) {
	for _, rows := range []int{10, 1000, 20_000} {
		var table strings.Builder
		table.WriteString("engine: merlin\nlayer: engine\nprovider: merlin\nmetric_prefixes: [\"merlin:\", merlin_]\nmetrics:\n")
		for i := range rows {
			fmt.Fprintf(&table, "  - {id: merlin.%d, keep: metric_%d_seconds, instrument: histogram, unit: s, why: no target, evidence: \"https://example.com\"}\n", i, i)
		}
		table.WriteString("  - {id: merlin.duration, from: duration_seconds, instrument: histogram, unit: s, to: gen_ai.server.request.duration, basis: exact, evidence: \"https://example.com\"}\n")
		parsed, err := mapping.ParseTable("merlin.yaml", []byte(table.String()))
		require.NoError(b, err)
		rules, err := mapping.Compile([]*mapping.Table{parsed}, mapping.Options{Target: "1.41"})
		require.NoError(b, err)
		n := New(rules, Options{})
		md := pmetric.NewMetrics()
		metrics := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
		for i := range 10 {
			m := metrics.AppendEmpty()
			m.SetName(fmt.Sprintf("merlin:metric_%d_seconds", i))
			m.SetEmptyHistogram().DataPoints().AppendEmpty()
		}
		moved := metrics.AppendEmpty()
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				moved.SetName("merlin:duration_seconds")
				moved.SetEmptyHistogram().DataPoints().AppendEmpty()
				_ = n.Metrics(b.Context(), md, silent{})
			}
		})
	}
}
