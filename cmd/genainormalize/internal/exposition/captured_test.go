// SPDX-License-Identifier: Apache-2.0

package exposition

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// captured holds texts and what a collector's receiver made of them.
const captured = "../../../../testdata/captured"

func texts(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(captured + "/*/metrics/*.prom")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	return paths
}

func readText(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return text
}

func readCaptured(t *testing.T, path string) pmetric.Metrics {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	md, err := new(pmetric.JSONUnmarshaler).UnmarshalMetrics(data)
	require.NoError(t, err)
	return md
}

// targetOf returns the target that was scraped, and when.
func targetOf(t *testing.T, md pmetric.Metrics) Target {
	t.Helper()
	rm := md.ResourceMetrics().At(0)
	job, _ := rm.Resource().Attributes().Get("service.name")
	instance, _ := rm.Resource().Attributes().Get("service.instance.id")
	for _, sm := range rm.ScopeMetrics().All() {
		for _, m := range sm.Metrics().All() {
			if m.Name() == "scrape_samples_scraped" {
				at := m.Gauge().DataPoints().At(0).Timestamp().AsTime()
				return Target{Job: job.Str(), Instance: instance.Str(), Time: at}
			}
		}
	}
	require.Fail(t, "no scrape_samples_scraped")
	return Target{}
}

func TestEveryCapturedTextIsParsed(t *testing.T) {
	samples, err := filepath.Glob(captured + "/../samples/*.prom")
	require.NoError(t, err)
	for _, path := range append(texts(t), samples...) {
		md, err := Parse(readText(t, path), target)
		require.NoError(t, err, path)
		assert.Greater(t, md.MetricCount(), 10, path)
	}
}

// TestParseEqualsTheReceiver compares with what the receiver made of the very text, captured or, in testdata, made by
// hand to be difficult: all of it.
func TestParseEqualsTheReceiver(t *testing.T) {
	compared := 0
	handMade, err := filepath.Glob("testdata/*.prom")
	require.NoError(t, err)
	for _, path := range append(texts(t), handMade...) {
		wantPath := strings.TrimSuffix(path, ".prom") + ".otlp.json"
		if _, err := os.Stat(wantPath); err != nil {
			continue
		}
		compared++
		t.Run(filepath.Base(path), func(t *testing.T) {
			want := readCaptured(t, wantPath)
			got, err := Parse(readText(t, path), targetOf(t, want))
			require.NoError(t, err)
			wantLines, gotLines := lines(t, want, nothing), lines(t, got, nothing)
			assert.Empty(t, without(wantLines, gotLines), "missing")
			assert.Empty(t, without(gotLines, wantLines), "made up")
		})
	}
	assert.GreaterOrEqual(t, compared, 16+len(handMade))
}

// TestParseHasTheShapeOfLiveScrapes compares with what the receiver made of a server of the same release at another
// moment: all of it but values and the values of labels. The text may have metrics that were not there yet.
func TestParseHasTheShapeOfLiveScrapes(t *testing.T) {
	paths, err := filepath.Glob(captured + "/*/metrics/*-live.otlp.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(paths), 10)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			want := readCaptured(t, path)
			text := strings.TrimSuffix(path, "-live.otlp.json") + ".prom"
			got, err := Parse(readText(t, text), targetOf(t, want))
			require.NoError(t, err)
			assert.Empty(t, without(lines(t, want, shape), lines(t, got, shape)))
		})
	}
}

// without returns the lines of a that are not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(line string) bool { return slices.Contains(b, line) })
}

// lines returns a JSON document for each data point, with its metric, scope and resource, but not for what is about
// the scrape. What must not be compared is taken away first.
func lines(t *testing.T, md pmetric.Metrics, takeAway func(anyPoint)) []string {
	t.Helper()
	var lines []string
	add := func(rm pmetric.ResourceMetrics, sm pmetric.ScopeMetrics, m pmetric.Metric) {
		one := pmetric.NewMetrics()
		to := one.ResourceMetrics().AppendEmpty()
		rm.Resource().CopyTo(to.Resource())
		scope := to.ScopeMetrics().AppendEmpty()
		sm.Scope().CopyTo(scope.Scope())
		if scope.Scope().Name() == receiverScope {
			scope.Scope().SetVersion("") // the collector's
		}
		scope.SetSchemaUrl(sm.SchemaUrl())
		m.CopyTo(scope.Metrics().AppendEmpty())
		data, err := new(pmetric.JSONMarshaler).MarshalMetrics(one)
		require.NoError(t, err)
		lines = append(lines, string(data))
	}
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				if _, aboutScrape := scrapeMetrics[m.Name()]; aboutScrape {
					continue
				}
				for _, point := range points(m) {
					takeAway(point)
					add(rm, sm, point.metric)
				}
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// anyPoint is a metric with one data point.
type anyPoint struct {
	dataPoint
	metric pmetric.Metric
}

// points returns a metric for each data point.
func points(m pmetric.Metric) []anyPoint {
	var all []anyPoint
	one := func(i int) (pmetric.Metric, func() bool) {
		c, index := pmetric.NewMetric(), -1
		m.CopyTo(c)
		return c, func() bool { index++; return index != i }
	}
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		for i := range m.Gauge().DataPoints().Len() {
			c, isOther := one(i)
			c.Gauge().DataPoints().RemoveIf(func(pmetric.NumberDataPoint) bool { return isOther() })
			all = append(all, anyPoint{c.Gauge().DataPoints().At(0), c})
		}
	case pmetric.MetricTypeSum:
		for i := range m.Sum().DataPoints().Len() {
			c, isOther := one(i)
			c.Sum().DataPoints().RemoveIf(func(pmetric.NumberDataPoint) bool { return isOther() })
			all = append(all, anyPoint{c.Sum().DataPoints().At(0), c})
		}
	case pmetric.MetricTypeHistogram:
		for i := range m.Histogram().DataPoints().Len() {
			c, isOther := one(i)
			c.Histogram().DataPoints().RemoveIf(func(pmetric.HistogramDataPoint) bool { return isOther() })
			all = append(all, anyPoint{c.Histogram().DataPoints().At(0), c})
		}
	case pmetric.MetricTypeSummary:
		for i := range m.Summary().DataPoints().Len() {
			c, isOther := one(i)
			c.Summary().DataPoints().RemoveIf(func(pmetric.SummaryDataPoint) bool { return isOther() })
			all = append(all, anyPoint{c.Summary().DataPoints().At(0), c})
		}
	}
	return all
}

func nothing(anyPoint) {}

// shape leaves the keys of attributes, the bounds of buckets, and whether there is a sum.
func shape(p anyPoint) {
	p.SetTimestamp(0)
	for key := range p.Attributes().All() {
		p.Attributes().PutStr(key, "")
	}
	switch dp := p.dataPoint.(type) {
	case pmetric.NumberDataPoint:
		dp.SetDoubleValue(0)
	case pmetric.HistogramDataPoint:
		dp.SetCount(0)
		dp.SetSum(0)
		dp.BucketCounts().FromRaw(make([]uint64, dp.BucketCounts().Len()))
	case pmetric.SummaryDataPoint:
		dp.SetCount(0)
		dp.SetSum(0)
	}
}
