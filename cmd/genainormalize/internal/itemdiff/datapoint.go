// SPDX-License-Identifier: Apache-2.0

package itemdiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/itemdiff"

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"
)

func dataPoints(md pmetric.Metrics) (items []Item) {
	for _, resource := range md.ResourceMetrics().All() {
		for _, scope := range resource.ScopeMetrics().All() {
			shared := sharedFields(scope.Scope(), scope.SchemaUrl(), resource.Resource(), resource.SchemaUrl())
			for _, m := range scope.Metrics().All() {
				fields := slices.Concat(metricFields(m), shared)
				for _, p := range pointsOf(m) {
					items = append(items, p.item(m, scope.Scope().Name(), fields))
				}
			}
		}
	}
	return items
}

// FirstPoint returns the time of the first data point, and false if there is none.
func FirstPoint(documents []otlpjson.Document) (at time.Time, ok bool) {
	for _, document := range documents {
		md, isMetrics := document.(pmetric.Metrics)
		if !isMetrics {
			continue
		}
		for _, resource := range md.ResourceMetrics().All() {
			for _, scope := range resource.ScopeMetrics().All() {
				for _, m := range scope.Metrics().All() {
					if points := pointsOf(m); len(points) > 0 {
						return points[0].Timestamp().AsTime(), true
					}
				}
			}
		}
	}
	return time.Time{}, false
}

// metricFields lists what the points of a metric have in common.
func metricFields(m pmetric.Metric) []field {
	list := []field{
		{"metric: name", m.Name()},
		{"metric: type", m.Type().String()},
		{"metric: unit", m.Unit()},
		{"metric: description", m.Description()},
	}
	return appendMap(list, "metric: metadata ", m.Metadata())
}

// point is what the points of all instruments have.
type point interface {
	Attributes() pcommon.Map
	StartTimestamp() pcommon.Timestamp
	Timestamp() pcommon.Timestamp
	Flags() pmetric.DataPointFlags
}

// dataPoint is a point and what its instrument measures.
type dataPoint struct {
	point
	// counts have no unit. Values have that of the metric, or are bounds.
	counts []uint64
	values []float64
	value  string
}

func pointsOf(m pmetric.Metric) (points []dataPoint) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return numbersOf(m.Gauge().DataPoints())
	case pmetric.MetricTypeSum:
		return numbersOf(m.Sum().DataPoints())
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			counts := slices.Concat([]uint64{p.Count()}, p.BucketCounts().AsRaw())
			values := slices.Concat([]float64{p.Sum(), p.Min(), p.Max()}, p.ExplicitBounds().AsRaw())
			points = append(points, dataPoint{p, counts, values, fmt.Sprintf("count %d sum %g bounds %g", p.Count(), p.Sum(), p.ExplicitBounds().AsRaw())})
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, p := range m.ExponentialHistogram().DataPoints().All() {
			values := []float64{p.Sum(), p.Min(), p.Max()}
			points = append(points, dataPoint{p, []uint64{p.Count(), p.ZeroCount()}, values, fmt.Sprintf("count %d sum %g scale %d", p.Count(), p.Sum(), p.Scale())})
		}
	case pmetric.MetricTypeSummary:
		for _, p := range m.Summary().DataPoints().All() {
			values := []float64{p.Sum()}
			for _, q := range p.QuantileValues().All() {
				values = append(values, q.Value())
			}
			points = append(points, dataPoint{p, []uint64{p.Count()}, values, fmt.Sprintf("count %d sum and quantiles %g", p.Count(), values)})
		}
	}
	return points
}

func numbersOf(list pmetric.NumberDataPointSlice) (points []dataPoint) {
	for _, p := range list.All() {
		if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
			points = append(points, dataPoint{p, nil, []float64{float64(p.IntValue())}, strconv.FormatInt(p.IntValue(), 10)})
			continue
		}
		points = append(points, dataPoint{p, nil, []float64{p.DoubleValue()}, formatDouble(p.DoubleValue())})
	}
	return points
}

func (p dataPoint) item(m pmetric.Metric, scope string, fields []field) Item {
	own := []field{
		{"point: value", p.value},
		{"point: start", timestamp(p.StartTimestamp())},
		{"point: time", timestamp(p.Timestamp())},
		{"point: flags", fmt.Sprint(p.Flags())},
	}
	key := fmt.Sprint(m.Type(), p.StartTimestamp(), p.Timestamp(), p.Flags(), p.counts)
	return Item{
		Kind: DataPoint, Name: m.Name(), Where: "data point of a " + m.Type().String(), Scope: scope, Attributes: p.Attributes(),
		fields: slices.Concat(own, fields),
		// A point has no id: the series that it belongs to is the most telling, or else what nobody changes.
		keys:   [2]string{m.Name() + key + fmt.Sprintf("%#v", p.Attributes().AsRaw()), key},
		values: p.values,
	}
}
