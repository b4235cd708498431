// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// scrapes are the answers to scrapes of some jobs, by job.
type scrapes map[string]pmetric.ResourceMetrics

// readScrapes reads the first complete scrape of each job from what a file exporter wrote. A last line that is not
// complete yet is left out.
func readScrapes(path string) (scrapes, error) {
	all, err := readAllScrapes(path)
	if err != nil {
		return nil, err
	}
	first := scrapes{}
	for _, rm := range all {
		job := jobOf(rm)
		if _, ok := first[job]; !ok && isUp(rm) {
			first[job] = rm
		}
	}
	return first, nil
}

// readAllScrapes reads all scrapes in their order.
func readAllScrapes(path string) ([]pmetric.ResourceMetrics, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []pmetric.ResourceMetrics
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		md, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(line)
		if err != nil {
			return nil, err
		}
		for _, rm := range md.ResourceMetrics().All() {
			all = append(all, rm)
		}
	}
	return all, nil
}

func jobOf(rm pmetric.ResourceMetrics) string {
	job, _ := rm.Resource().Attributes().Get("service.name")
	return job.AsString()
}

// isUp tells whether the receiver reached the server.
func isUp(rm pmetric.ResourceMetrics) bool {
	for _, m := range metricsOf(rm) {
		if m.Name() == "up" {
			return m.Gauge().DataPoints().At(0).DoubleValue() == 1
		}
	}
	return false
}

func metricsOf(rm pmetric.ResourceMetrics) []pmetric.Metric {
	var all []pmetric.Metric
	for _, sm := range rm.ScopeMetrics().All() {
		for _, m := range sm.Metrics().All() {
			all = append(all, m)
		}
	}
	return all
}

func metricNamed(t *testing.T, rm pmetric.ResourceMetrics, name string) pmetric.Metric {
	t.Helper()
	var found []pmetric.Metric
	for _, m := range metricsOf(rm) {
		if m.Name() == name {
			found = append(found, m)
		}
	}
	require.Len(t, found, 1, name)
	return found[0]
}

// point is a data point of any kind.
type point interface {
	Attributes() pcommon.Map
	Timestamp() pcommon.Timestamp
	SetTimestamp(pcommon.Timestamp)
	Flags() pmetric.DataPointFlags
}

// pointsOf returns the data points of a metric.
func pointsOf(m pmetric.Metric) (all []point) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		for _, p := range m.Gauge().DataPoints().All() {
			all = append(all, p)
		}
	case pmetric.MetricTypeSum:
		for _, p := range m.Sum().DataPoints().All() {
			all = append(all, p)
		}
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			all = append(all, p)
		}
	case pmetric.MetricTypeSummary:
		for _, p := range m.Summary().DataPoints().All() {
			all = append(all, p)
		}
	}
	return all
}

// metricText is everything that a metric says, as text.
func metricText(t *testing.T, m pmetric.Metric) string {
	t.Helper()
	md := pmetric.NewMetrics()
	m.CopyTo(md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty())
	return metricsText(t, md)
}

// scrapeText is everything that a scrape says, as text.
func scrapeText(t *testing.T, rm pmetric.ResourceMetrics) string {
	t.Helper()
	md := pmetric.NewMetrics()
	rm.CopyTo(md.ResourceMetrics().AppendEmpty())
	return metricsText(t, md)
}

func metricsText(t *testing.T, md pmetric.Metrics) string {
	t.Helper()
	out, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(md)
	require.NoError(t, err)
	return string(out)
}
