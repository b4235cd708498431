// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// capturedMetrics returns the captured scrapes by name: live, stale, of gateways, and texts that the receiver read.
func capturedMetrics(t testing.TB) map[string]pmetric.Metrics {
	t.Helper()
	paths, err := filepath.Glob("testdata/captured/*/metrics/*.otlp.json")
	require.NoError(t, err)
	require.Greater(t, len(paths), 25)
	files := map[string]pmetric.Metrics{}
	for _, path := range paths {
		files[strings.TrimSuffix(filepath.Base(path), ".otlp.json")] = readMetrics(t, path)
	}
	return files
}

// point is a data point: where it is, what its labels are, and everything else of it.
type point struct {
	metric, unit, description string
	labels                    string
	rest                      string
}

// expect says by hand what becomes of a point without any option. It knows nothing of the tables.
func expect(m pmetric.Metric, labels map[string]any, isSGLang0522 bool) (target string) {
	name, isVLLM := strings.CutPrefix(m.Name(), "vllm:")
	if !isVLLM {
		var ok bool
		if name, ok = strings.CutPrefix(m.Name(), "sglang:"); !ok {
			name, ok = strings.CutPrefix(m.Name(), "sglang_")
			if !ok {
				return ""
			}
		}
	}
	if m.Type() != pmetric.MetricTypeHistogram {
		return "" // What lost its type stays.
	}
	isPrefill := labels["engine_type"] == "prefill"
	isWholeRequest := labels["engine_type"] == "decode" && labels["is_streaming"] == "false"
	switch name {
	case "e2e_request_latency_seconds":
		if isVLLM || !isPrefill {
			return "gen_ai.server.request.duration"
		}
	case "time_to_first_token_seconds":
		if isVLLM || !isWholeRequest && (isSGLang0522 || labels["is_streaming"] == "true") {
			return "gen_ai.server.time_to_first_token"
		}
	case "request_time_per_output_token_seconds":
		return "gen_ai.server.time_per_output_token"
	}
	return ""
}

var descriptions = map[string]string{
	"gen_ai.server.request.duration":      "How long the model server took for a request, up to its last byte or output token.",
	"gen_ai.server.time_to_first_token":   "How long the model server took to produce the first token, queueing and prefill included; one value per successful request.",
	"gen_ai.server.time_per_output_token": "The mean time per output token after the first, (request duration - time to first token) / (output tokens - 1); one value per successful request.",
}

// TestEveryCapturedScrape compares every point of every captured scrape with what is expected of it: three metrics get
// new names, units, descriptions and two labels, and nothing else changes, not a byte.
func TestEveryCapturedScrape(t *testing.T) {
	for name, in := range capturedMetrics(t) {
		t.Run(name, func(t *testing.T) {
			out := newHarness(t, "").normalizeMetrics(t, in)
			isSGLang0522 := strings.Contains(name, "0.5.23") || strings.Contains(name, "engine_metrics")
			var want []point
			moved := 0
			for _, p := range pointsOf(t, in) {
				target := expect(p.metric, p.labels.AsRaw(), isSGLang0522)
				if target == "" {
					want = append(want, p.point(t, p.labels))
					continue
				}
				moved++
				labels := pcommon.NewMap()
				p.labels.CopyTo(labels)
				model, ok := labels.Get("model_name")
				require.True(t, ok)
				labels.PutStr("gen_ai.request.model", model.Str())
				labels.Remove("model_name")
				provider, _, _ := strings.Cut(strings.ReplaceAll(p.metric.Name(), "_", ":"), ":")
				labels.PutStr("gen_ai.provider.name", provider)
				expected := p.point(t, labels)
				expected.metric, expected.unit, expected.description = target, "s", descriptions[target]
				want = append(want, expected)
			}
			var got []point
			for _, p := range pointsOf(t, out) {
				got = append(got, p.point(t, p.labels))
			}
			assert.ElementsMatch(t, want, got)
			assert.Equal(t, movedPoints[name], moved, "points that move")
			requireSameContext(t, in, out)
		})
	}
}

// movedPoints were counted by hand in the captured texts.
var movedPoints = map[string]int{
	"sglang-0.3.5.post1": 1, "sglang-0.4.6": 1, "sglang-0.5.3": 1, "sglang-0.5.9": 1, "sglang-0.5.10": 1, "sglang-0.5.12": 1,
	"sglang-0.5.19": 3, "sglang-0.5.23": 6, "sglang-0.5.23-live": 6, "sglang-0.5.23-openmetrics-allow-utf-8": 6,
	"sglang-0.5.23-pd-decode": 1, "sglang-router-0.3.2-engine_metrics": 6, "smg-1.13.0-engine_metrics": 6,
	"vllm-0.8.5-v0-live": 2, "vllm-0.8.5-v0-stale": 2, "vllm-0.8.5-v0-hidden-metrics-live": 2,
	"vllm-0.10.2-live": 2, "vllm-0.10.2-stale": 2, "vllm-0.15.1-live": 3, "vllm-0.31.0-live": 3, "vllm-0.31.0-stale": 3,
	"vllm-0.32.0-live": 3, "vllm-0.32.0-lora-mfu-kvmetrics-live": 3, "vllm-0.32.0-pooling-live": 3,
	"vllm-0.32.0-rust-frontend-live": 3, "vllm-0.32.0-rust-frontend-stale": 3, "vllm-0.32.0-spec-live": 3, "vllm-0.32.0-spec-stale": 3,
}

// locatedPoint is a data point in its metric.
type locatedPoint struct {
	metric pmetric.Metric
	index  int
	labels pcommon.Map
}

func pointsOf(t testing.TB, md pmetric.Metrics) []locatedPoint {
	t.Helper()
	var points []locatedPoint
	for _, m := range metricsOf(md) {
		for i, labels := range labelsOf(m) {
			points = append(points, locatedPoint{m, i, labels})
		}
	}
	return points
}

// point returns the point with the given labels.
func (p locatedPoint) point(t testing.TB, labels pcommon.Map) point {
	t.Helper()
	hash := pcommon.NewMap()
	labels.CopyTo(hash)
	var sorted []string
	for name, v := range hash.All() {
		sorted = append(sorted, name+"="+v.AsString())
	}
	slices.Sort(sorted)

	md := pmetric.NewMetrics()
	one := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	p.metric.CopyTo(one)
	one.SetName("")
	one.SetUnit("")
	one.SetDescription("")
	keepPoint(one, p.index)
	data, err := new(pmetric.ProtoMarshaler).MarshalMetrics(md)
	require.NoError(t, err)
	return point{p.metric.Name(), p.metric.Unit(), p.metric.Description(), strings.Join(sorted, ","), string(data)}
}

// keepPoint removes all points of a metric but one, and the labels of that.
func keepPoint(m pmetric.Metric, index int) {
	labelsOf(m)[index].Clear()
	i := -1
	other := func() bool { i++; return i != index }
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		m.Gauge().DataPoints().RemoveIf(func(pmetric.NumberDataPoint) bool { return other() })
	case pmetric.MetricTypeSum:
		m.Sum().DataPoints().RemoveIf(func(pmetric.NumberDataPoint) bool { return other() })
	case pmetric.MetricTypeHistogram:
		m.Histogram().DataPoints().RemoveIf(func(pmetric.HistogramDataPoint) bool { return other() })
	case pmetric.MetricTypeExponentialHistogram:
		m.ExponentialHistogram().DataPoints().RemoveIf(func(pmetric.ExponentialHistogramDataPoint) bool { return other() })
	case pmetric.MetricTypeSummary:
		m.Summary().DataPoints().RemoveIf(func(pmetric.SummaryDataPoint) bool { return other() })
	}
}

// requireSameContext compares everything around the metrics.
func requireSameContext(t testing.TB, in, out pmetric.Metrics) {
	t.Helper()
	empty := func(md pmetric.Metrics) any {
		c := clone(md)
		for _, rm := range c.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				sm.Metrics().RemoveIf(func(pmetric.Metric) bool { return true })
			}
		}
		return canonicalMetrics(t, c)
	}
	require.Equal(t, empty(in), empty(out))
}

// TestEveryCapturedScrapeUnderEveryOption holds every captured scrape to the promises, whatever the options.
func TestEveryCapturedScrapeUnderEveryOption(t *testing.T) {
	for _, config := range []string{
		"", "approximate: true", "extensions: true", "approximate: true\nextensions: true", "originals: keep",
		"originals: keep\napproximate: true\nextensions: true", "semconv: \"0.1.0\"\napproximate: true\nextensions: true",
		"created_series: drop\nschema_url: always", "engines: {sglang: {version: \"0.5.19\"}, vllm: {version: \"0.10.2\"}}\napproximate: true",
	} {
		t.Run(config, func(t *testing.T) {
			h := newHarness(t, config)
			for name, in := range capturedMetrics(t) {
				out := h.normalizeMetrics(t, in)
				requireConformantMetrics(t, h.config, in, out)
				requireSeries(t, h.config, in, out)
				requireStableMetrics(t, h, out, h.report(t))
				assert.Nil(t, h.unmapped(), name)
			}
		})
	}
}

// TestCreatedSeriesOfACapturedScrape is the scrape that a measurement of vLLM counted: 93 metrics, of which 36 are
// _created gauges.
func TestCreatedSeriesOfACapturedScrape(t *testing.T) {
	in := capturedMetrics(t)["vllm-0.31.0-live"]
	require.Equal(t, 93, in.MetricCount())
	created := func(md pmetric.Metrics) (n int) {
		for _, m := range metricsOf(md) {
			if strings.HasSuffix(m.Name(), "_created") {
				n++
			}
		}
		return n
	}
	require.Equal(t, 36, created(in))
	kept := newHarness(t, "approximate: true\nextensions: true").normalizeMetrics(t, in)
	assert.Equal(t, 36, created(kept))
	dropped := newHarness(t, "created_series: drop").normalizeMetrics(t, in)
	assert.Zero(t, created(dropped))
	assert.Equal(t, 57, dropped.MetricCount())
}

// TestUnmappedNamesAreRememberedWithinLimits counts and logs each name once, up to a number of names and a length.
func TestUnmappedNamesAreRememberedWithinLimits(t *testing.T) {
	h := newHarness(t, "")
	md := pmetric.NewMetrics()
	metrics := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
	for i := range 2 * maxUnmapped {
		metrics.AppendEmpty().SetName("vllm:new_" + strconv.Itoa(i))
	}
	for _, end := range []string{"a", "b"} {
		metrics.AppendEmpty().SetName("sglang:" + strings.Repeat("long", maxNameLength) + end)
	}
	for range 2 {
		h.normalizeMetrics(t, md)
	}
	assert.Equal(t, map[string]int64{"vllm": maxUnmapped, "sglang": 1}, h.unmapped())
	logged := h.logs.FilterMessageSnippet("namespace of an engine").All()
	assert.Len(t, logged, maxUnmapped+1)
	for _, entry := range logged {
		assert.LessOrEqual(t, len(entry.ContextMap()["metric"].(string)), maxNameLength)
	}
}
