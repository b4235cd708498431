// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// dataPoint is what the data points of all instruments have in common.
type dataPoint[P any] interface {
	Attributes() pcommon.Map
	MoveTo(P)
	CopyTo(P)
}

// dataPoints are the points of a metric of some instrument.
type dataPoints[P any] interface {
	Len() int
	At(int) P
	AppendEmpty() P
	RemoveIf(func(P) bool)
}

// instrumentOf returns what a metric is in the terms of a table.
func instrumentOf(m pmetric.Metric) mapping.Instrument {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return mapping.InstrumentGauge
	case pmetric.MetricTypeSum:
		if m.Sum().IsMonotonic() {
			return mapping.InstrumentSum
		}
		return mapping.InstrumentUpDownCounter
	case pmetric.MetricTypeHistogram, pmetric.MetricTypeExponentialHistogram:
		return mapping.InstrumentHistogram
	case pmetric.MetricTypeSummary:
		return mapping.InstrumentSummary
	default:
		return ""
	}
}

// countPoints returns how many points a metric has.
func countPoints(m pmetric.Metric) int {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return m.Gauge().DataPoints().Len()
	case pmetric.MetricTypeSum:
		return m.Sum().DataPoints().Len()
	case pmetric.MetricTypeHistogram:
		return m.Histogram().DataPoints().Len()
	case pmetric.MetricTypeExponentialHistogram:
		return m.ExponentialHistogram().DataPoints().Len()
	case pmetric.MetricTypeSummary:
		return m.Summary().DataPoints().Len()
	default:
		return 0
	}
}

// labelsOf returns the attributes of a metric's i-th point.
func labelsOf(m pmetric.Metric, i int) pcommon.Map {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return m.Gauge().DataPoints().At(i).Attributes()
	case pmetric.MetricTypeSum:
		return m.Sum().DataPoints().At(i).Attributes()
	case pmetric.MetricTypeHistogram:
		return m.Histogram().DataPoints().At(i).Attributes()
	case pmetric.MetricTypeExponentialHistogram:
		return m.ExponentialHistogram().DataPoints().At(i).Attributes()
	default:
		return m.Summary().DataPoints().At(i).Attributes()
	}
}

// pointOf returns a metric's i-th point, of the type that package pmetric has for it.
func pointOf(m pmetric.Metric, i int) any {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return m.Gauge().DataPoints().At(i)
	case pmetric.MetricTypeSum:
		return m.Sum().DataPoints().At(i)
	case pmetric.MetricTypeHistogram:
		return m.Histogram().DataPoints().At(i)
	case pmetric.MetricTypeExponentialHistogram:
		return m.ExponentialHistogram().DataPoints().At(i)
	default:
		return m.Summary().DataPoints().At(i)
	}
}

// isLike tells whether the points of a metric can be put to those of another without changing what they mean.
func isLike(a, b pmetric.Metric) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a.Type() {
	case pmetric.MetricTypeSum:
		return a.Sum().IsMonotonic() == b.Sum().IsMonotonic() &&
			a.Sum().AggregationTemporality() == b.Sum().AggregationTemporality()
	case pmetric.MetricTypeHistogram:
		return a.Histogram().AggregationTemporality() == b.Histogram().AggregationTemporality()
	case pmetric.MetricTypeExponentialHistogram:
		return a.ExponentialHistogram().AggregationTemporality() == b.ExponentialHistogram().AggregationTemporality()
	default:
		return true
	}
}

// temporalityOf returns the temporality of a metric that has one.
func temporalityOf(m pmetric.Metric) pmetric.AggregationTemporality {
	switch m.Type() {
	case pmetric.MetricTypeSum:
		return m.Sum().AggregationTemporality()
	case pmetric.MetricTypeHistogram:
		return m.Histogram().AggregationTemporality()
	case pmetric.MetricTypeExponentialHistogram:
		return m.ExponentialHistogram().AggregationTemporality()
	default:
		return pmetric.AggregationTemporalityUnspecified
	}
}

// makeLike makes an empty metric one that can take the points of another.
func makeLike(m, other pmetric.Metric) {
	other.Metadata().CopyTo(m.Metadata())
	switch other.Type() {
	case pmetric.MetricTypeGauge:
		m.SetEmptyGauge()
	case pmetric.MetricTypeSum:
		sum := m.SetEmptySum()
		sum.SetIsMonotonic(other.Sum().IsMonotonic())
		sum.SetAggregationTemporality(other.Sum().AggregationTemporality())
	case pmetric.MetricTypeHistogram:
		m.SetEmptyHistogram().SetAggregationTemporality(other.Histogram().AggregationTemporality())
	case pmetric.MetricTypeExponentialHistogram:
		m.SetEmptyExponentialHistogram().SetAggregationTemporality(other.ExponentialHistogram().AggregationTemporality())
	case pmetric.MetricTypeSummary:
		m.SetEmptySummary()
	}
}

// copyPoint adds a copy of a metric's i-th point to another that is like it.
func copyPoint(from, to pmetric.Metric, i int) {
	switch from.Type() {
	case pmetric.MetricTypeGauge:
		from.Gauge().DataPoints().At(i).CopyTo(to.Gauge().DataPoints().AppendEmpty())
	case pmetric.MetricTypeSum:
		from.Sum().DataPoints().At(i).CopyTo(to.Sum().DataPoints().AppendEmpty())
	case pmetric.MetricTypeHistogram:
		from.Histogram().DataPoints().At(i).CopyTo(to.Histogram().DataPoints().AppendEmpty())
	case pmetric.MetricTypeExponentialHistogram:
		from.ExponentialHistogram().DataPoints().At(i).CopyTo(to.ExponentialHistogram().DataPoints().AppendEmpty())
	case pmetric.MetricTypeSummary:
		from.Summary().DataPoints().At(i).CopyTo(to.Summary().DataPoints().AppendEmpty())
	}
}

// transfer brings the wanted points of a metric to another that is like it. Moved points are gone from the source.
func transfer(from, to pmetric.Metric, wanted func(i int) bool, originals Originals) {
	switch from.Type() {
	case pmetric.MetricTypeGauge:
		transferPoints(from.Gauge().DataPoints(), to.Gauge().DataPoints(), wanted, originals)
	case pmetric.MetricTypeSum:
		transferPoints(from.Sum().DataPoints(), to.Sum().DataPoints(), wanted, originals)
	case pmetric.MetricTypeHistogram:
		transferPoints(from.Histogram().DataPoints(), to.Histogram().DataPoints(), wanted, originals)
	case pmetric.MetricTypeExponentialHistogram:
		transferPoints(from.ExponentialHistogram().DataPoints(), to.ExponentialHistogram().DataPoints(), wanted, originals)
	case pmetric.MetricTypeSummary:
		transferPoints(from.Summary().DataPoints(), to.Summary().DataPoints(), wanted, originals)
	}
}

func transferPoints[P dataPoint[P], S dataPoints[P]](from, to S, wanted func(i int) bool, originals Originals) {
	for i := range from.Len() {
		if !wanted(i) {
			continue
		}
		if originals == KeepOriginals {
			from.At(i).CopyTo(to.AppendEmpty())
		} else {
			from.At(i).MoveTo(to.AppendEmpty())
		}
	}
	if originals == KeepOriginals {
		return
	}
	i := -1
	from.RemoveIf(func(P) bool {
		i++
		return wanted(i)
	})
}
