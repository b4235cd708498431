// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// BenchmarkGrowth makes one thing ten times as large as before. The time may grow by a factor of about ten, not of a
// hundred: data that nobody expects must not stop a collector.
func BenchmarkGrowth(b *testing.B) {
	growth(b, "known and foreign attributes", manyAttributes)
	growth(b, "duplicates of a key beside a long list", duplicatesBesideAList)
	growth(b, "duplicates of a key beside a long text", duplicatesBesideAText)
	growth(b, "points", manyPoints)
	growth(b, "labels of a point", manyLabels)
	growth(b, "metrics in a scope", manyMetrics)
	growth(b, "sources beside targets of another temporality", sourcesBesideTargets)
	growth(b, "scopes in a resource", manyScopes)
	growth(b, "scopes behind one with many providers", scopesBehindProviders)
	growth(b, "resources", manyResources)
}

func growth[T any](b *testing.B, name string, of func(size int) (kind[T], T)) {
	b.Helper()
	for _, size := range []int{1000, 10_000} {
		b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
			k, in := of(size)
			n := newMetricNormalizer(b, Options{}, mapping.Options{})
			for b.Loop() {
				b.StopTimer()
				data := k.clone(in)
				b.StartTimer()
				k.run(n, data)
			}
		})
	}
}

func manyAttributes(size int) (kind[ptrace.Traces], ptrace.Traces) {
	td, s := oneSpan("llm_request", "vllm.tracing.otel", 1)
	for i := range size {
		s.Attributes().PutInt(fmt.Sprintf("gen_ai.latency.phase_%d", i), int64(i))
		s.Attributes().PutInt(fmt.Sprintf("http.%d", i), int64(i))
	}
	s.Attributes().PutDouble("gen_ai.latency.time_in_model_decode", 1)
	s.Attributes().PutInt("gen_ai.usage.prompt_tokens", 1)
	return spanKind, td
}

// duplicatesOf returns a span with a key that rules rename, many times, and a value that is as long as they are many.
func duplicatesOf(key, long string, size int) (kind[ptrace.Traces], ptrace.Traces) {
	td := ptrace.NewTraces()
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetName("kestrel.run/1")
	s.Attributes().PutInt("kestrel.tokens.in", 1)
	s.Attributes().PutStr(key, long)
	for i := range size {
		s.Attributes().PutStr(placeholderKey(len(key), i), "stop")
	}
	// No method of pdata puts a key twice, but it decodes what comes.
	data, err := new(ptrace.ProtoMarshaler).MarshalTraces(td)
	if err != nil {
		panic(err)
	}
	for i := range size {
		data = bytes.Replace(data, []byte(placeholderKey(len(key), i)), []byte(key), 1)
	}
	td, err = new(ptrace.ProtoUnmarshaler).UnmarshalTraces(data)
	if err != nil {
		panic(err)
	}
	return spanKind, td
}

func placeholderKey(length, i int) string { return fmt.Sprintf("%0*d", length, i) }

func duplicatesBesideAList(size int) (kind[ptrace.Traces], ptrace.Traces) {
	return duplicatesOf("kestrel.end", `["`+strings.Repeat(`stop","`, 10*size)+`"]`, size)
}

func duplicatesBesideAText(size int) (kind[ptrace.Traces], ptrace.Traces) {
	return duplicatesOf("kestrel.model", strings.Repeat("stop", 100*size), size)
}

func histogram(metrics pmetric.MetricSlice, name string, t pmetric.AggregationTemporality) pmetric.HistogramDataPointSlice {
	m := metrics.AppendEmpty()
	m.SetName(name)
	h := m.SetEmptyHistogram()
	h.SetAggregationTemporality(t)
	return h.DataPoints()
}

const (
	cumulative = pmetric.AggregationTemporalityCumulative
	delta      = pmetric.AggregationTemporalityDelta
)

func scopeOfMetrics() (pmetric.Metrics, pmetric.MetricSlice) {
	md := pmetric.NewMetrics()
	return md, md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
}

func manyPoints(size int) (kind[pmetric.Metrics], pmetric.Metrics) {
	md, metrics := scopeOfMetrics()
	points := histogram(metrics, "vllm:e2e_request_latency_seconds", cumulative)
	for i := range size {
		p := points.AppendEmpty()
		p.Attributes().PutStr("model_name", strconv.Itoa(i))
		if i%2 == 0 {
			p.Attributes().PutStr("model", "m") // Another shape.
		}
	}
	return metricKind, md
}

func manyLabels(size int) (kind[pmetric.Metrics], pmetric.Metrics) {
	md, metrics := scopeOfMetrics()
	p := histogram(metrics, "vllm:e2e_request_latency_seconds", cumulative).AppendEmpty()
	p.Attributes().EnsureCapacity(size + 1)
	for i := range size {
		p.Attributes().PutStr(strconv.Itoa(i), "v")
	}
	p.Attributes().PutStr("model_name", "m")
	return metricKind, md
}

func manyMetrics(size int) (kind[pmetric.Metrics], pmetric.Metrics) {
	md, metrics := scopeOfMetrics()
	for i := range size {
		histogram(metrics, "vllm:e2e_request_latency_seconds", cumulative).AppendEmpty().Attributes().PutStr("model_name", strconv.Itoa(i))
		histogram(metrics, fmt.Sprintf("vllm:new_%d", i), cumulative).AppendEmpty()
		histogram(metrics, fmt.Sprintf("http_%d", i), cumulative).AppendEmpty()
	}
	return metricKind, md
}

func sourcesBesideTargets(size int) (kind[pmetric.Metrics], pmetric.Metrics) {
	md, metrics := scopeOfMetrics()
	for i := range size {
		histogram(metrics, "gen_ai.server.request.duration", delta).AppendEmpty().Attributes().PutStr("gen_ai.provider.name", "other")
		histogram(metrics, "vllm:e2e_request_latency_seconds", cumulative).AppendEmpty().Attributes().PutStr("model_name", strconv.Itoa(i))
	}
	return metricKind, md
}

func manyScopes(size int) (kind[pmetric.Metrics], pmetric.Metrics) {
	md, _ := scopeOfMetrics()
	for range size {
		metrics := md.ResourceMetrics().At(0).ScopeMetrics().AppendEmpty().Metrics()
		histogram(metrics, "vllm:e2e_request_latency_seconds", cumulative).AppendEmpty().Attributes().PutStr("model_name", "m")
	}
	return metricKind, md
}

func scopesBehindProviders(size int) (kind[pmetric.Metrics], pmetric.Metrics) {
	md, metrics := scopeOfMetrics()
	points := histogram(metrics, "vllm:e2e_request_latency_seconds", cumulative)
	for i := range size {
		points.AppendEmpty().Attributes().PutStr("gen_ai.provider.name", strconv.Itoa(i))
		md.ResourceMetrics().At(0).ScopeMetrics().AppendEmpty()
	}
	return metricKind, md
}

func manyResources(size int) (kind[pmetric.Metrics], pmetric.Metrics) {
	md := pmetric.NewMetrics()
	for i := range size {
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("vllm.version", fmt.Sprintf("0.%d.%d", i%100, i/100))
		histogram(rm.ScopeMetrics().AppendEmpty().Metrics(), "vllm:e2e_request_latency_seconds", cumulative).AppendEmpty().Attributes().PutStr("model_name", "m")
	}
	return metricKind, md
}
