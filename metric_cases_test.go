// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/pmetrictest"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatautil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// runMetricsCase is what [runCase] is for metrics.
func runMetricsCase(t *testing.T, dir, input, config string) {
	t.Helper()
	in := readMetrics(t, input)
	h := newHarness(t, config)
	out := h.normalizeMetrics(t, in)
	got := h.report(t)

	wantFile := filepath.Join(dir, outputFile)
	if *update {
		require.NoError(t, golden.WriteMetricsToFile(wantFile, clone(out), golden.SkipMetricTimestampNormalization()))
	}
	requireTelemetry(t, dir, got)
	// Whatever the golden file has in another order is equal.
	assert.NoError(t, pmetrictest.CompareMetrics(readMetrics(t, wantFile), out,
		pmetrictest.IgnoreResourceMetricsOrder(), pmetrictest.IgnoreScopeMetricsOrder(), pmetrictest.IgnoreMetricsOrder(),
		pmetrictest.IgnoreMetricDataPointsOrder()))

	requireConformantMetrics(t, h.config, in, out)
	requireSeries(t, h.config, in, out)
	requireStableMetrics(t, newHarness(t, config), out, got)
}

func readMetrics(t testing.TB, path string) pmetric.Metrics {
	t.Helper()
	md, err := golden.ReadMetrics(path)
	require.NoError(t, err, path)
	return md
}

// clone is a copy that a golden file may be sorted in.
func clone(md pmetric.Metrics) pmetric.Metrics {
	c := pmetric.NewMetrics()
	md.CopyTo(c)
	return c
}

// requireStableMetrics runs an output through the processor again: neither data nor self-telemetry may change.
func requireStableMetrics(t testing.TB, h *harness, out pmetric.Metrics, first report) {
	t.Helper()
	again := h.normalizeMetrics(t, out)
	require.Equal(t, canonicalMetrics(t, out), canonicalMetrics(t, again), "a second pass changed the data")
	require.Equal(t, first, h.report(t), "a second pass changed the self-telemetry")
}

// requireConformantMetrics checks what has a standard name, or one of the extensions, against the registries: the
// instrument, the unit, and labels that are the standard's or were there before.
func requireConformantMetrics(t testing.TB, config *Config, in, out pmetric.Metrics) {
	t.Helper()
	registry, err := semconv.Load(config.Semconv)
	require.NoError(t, err)
	extensions, err := semconv.Extensions()
	require.NoError(t, err)
	before := map[string]bool{} // names and labels
	for _, m := range metricsOf(in) {
		before[m.Name()] = true
		for _, labels := range labelsOf(m) {
			for label := range labels.All() {
				before[label] = true
			}
		}
	}
	for _, m := range metricsOf(out) {
		if before[m.Name()] {
			continue
		}
		definition, ok := registry.Metric(m.Name())
		if !ok {
			definition, ok = extensions.Metric(m.Name())
		}
		if !assert.True(t, ok, "%s is no metric of the %s registry, nor an extension", m.Name(), config.Semconv) {
			continue
		}
		assert.Equal(t, definition.Unit, m.Unit(), m.Name())
		assert.Equal(t, definition.Brief, m.Description(), m.Name())
		assert.Equal(t, definition.Instrument.String(), instrumentOf(m), m.Name())
		for _, labels := range labelsOf(m) {
			for label, v := range labels.All() {
				standard := false
				for _, a := range definition.Attributes {
					standard = standard || a.Name == label
				}
				assert.True(t, standard || before[label], "%s: label %s is new and not in the registry", m.Name(), label)
				if standard {
					assert.Equal(t, pcommon.ValueTypeStr, v.Type(), "%s: %s", m.Name(), label)
				}
			}
		}
	}
}

func instrumentOf(m pmetric.Metric) string {
	switch {
	case m.Type() == pmetric.MetricTypeSum && !m.Sum().IsMonotonic():
		return "updowncounter"
	case m.Type() == pmetric.MetricTypeExponentialHistogram:
		return "histogram"
	default:
		return strings.ToLower(m.Type().String())
	}
}

// requireSeries checks that no two series of a scope have one identity that had two before, and that no point is
// lost or made, except as the options say.
func requireSeries(t testing.TB, config *Config, in, out pmetric.Metrics) {
	t.Helper()
	assert.LessOrEqual(t, duplicates(out), duplicates(in), "series were merged")
	switch {
	case config.CreatedSeries == normalize.DropCreatedSeries:
		assert.LessOrEqual(t, out.DataPointCount(), in.DataPointCount())
	case config.Originals == normalize.KeepOriginals:
		assert.GreaterOrEqual(t, out.DataPointCount(), in.DataPointCount())
	default:
		assert.Equal(t, in.DataPointCount(), out.DataPointCount(), "data points")
	}
}

// duplicates counts the points whose identity another point of the same scope has.
func duplicates(md pmetric.Metrics) (n int) {
	type series struct {
		name   string
		labels [16]byte
	}
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			seen := map[series]bool{}
			for _, m := range sm.Metrics().All() {
				for _, labels := range labelsOf(m) {
					s := series{m.Name(), pdatautil.MapHash(labels)}
					if seen[s] {
						n++
					}
					seen[s] = true
				}
			}
		}
	}
	return n
}

// metricsOf lists the metrics of a batch in order.
func metricsOf(md pmetric.Metrics) []pmetric.Metric {
	var metrics []pmetric.Metric
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				metrics = append(metrics, m)
			}
		}
	}
	return metrics
}

// labelsOf lists the labels of a metric's points in order.
func labelsOf(m pmetric.Metric) []pcommon.Map {
	var labels []pcommon.Map
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		for _, p := range m.Gauge().DataPoints().All() {
			labels = append(labels, p.Attributes())
		}
	case pmetric.MetricTypeSum:
		for _, p := range m.Sum().DataPoints().All() {
			labels = append(labels, p.Attributes())
		}
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			labels = append(labels, p.Attributes())
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, p := range m.ExponentialHistogram().DataPoints().All() {
			labels = append(labels, p.Attributes())
		}
	case pmetric.MetricTypeSummary:
		for _, p := range m.Summary().DataPoints().All() {
			labels = append(labels, p.Attributes())
		}
	}
	return labels
}
