// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// scale divides the values of a metric by a positive number: values, sums, extremes, bounds, quantiles and exemplars,
// never counts. Integers become doubles, because 1500 ms are 1.5 s. [canScale] tells whether it can be done right.
//
// The buckets of an exponential histogram are powers of a base. They are moved by the whole number of buckets that
// is nearest to the divisor. That is exact where the divisor is a power of the base. Elsewhere each boundary is off
// by a factor of at most the square root of the base: 2.2 % at scale 4.
func scale(m pmetric.Metric, divisor float64) {
	if divisor == 1 {
		return
	}
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		scaleNumbers(m.Gauge().DataPoints(), divisor)
	case pmetric.MetricTypeSum:
		scaleNumbers(m.Sum().DataPoints(), divisor)
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			scaleExtremes(p, divisor)
			scaleFloats(p.ExplicitBounds(), divisor)
			scaleExemplars(p.Exemplars(), divisor)
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, p := range m.ExponentialHistogram().DataPoints().All() {
			scaleExtremes(p, divisor)
			p.SetZeroThreshold(p.ZeroThreshold() / divisor)
			shift, _ := bucketShift(p.Scale(), divisor)
			p.Positive().SetOffset(p.Positive().Offset() - shift)
			p.Negative().SetOffset(p.Negative().Offset() - shift)
			scaleExemplars(p.Exemplars(), divisor)
		}
	case pmetric.MetricTypeSummary:
		for _, p := range m.Summary().DataPoints().All() {
			p.SetSum(p.Sum() / divisor)
			for _, q := range p.QuantileValues().All() {
				q.SetValue(q.Value() / divisor)
			}
		}
	}
}

// canScale tells whether all points of a metric can be scaled: bounds still ascend, and buckets still have indexes.
func canScale(m pmetric.Metric, divisor float64) bool {
	switch m.Type() {
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			if !ascends(p.ExplicitBounds(), divisor) {
				return false
			}
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, p := range m.ExponentialHistogram().DataPoints().All() {
			shift, ok := bucketShift(p.Scale(), divisor)
			if !ok || !canShift(p.Positive(), shift) || !canShift(p.Negative(), shift) {
				return false
			}
		}
	}
	return true
}

// ascends tells whether bounds that ascend still do when they are divided. The smallest doubles would fall together.
func ascends(bounds pcommon.Float64Slice, divisor float64) bool {
	for i := 1; i < bounds.Len(); i++ {
		before, after := bounds.At(i-1), bounds.At(i)
		if before < after && before/divisor >= after/divisor {
			return false
		}
	}
	return true
}

// bucketShift returns by how many buckets of an exponential histogram values move down that are divided.
func bucketShift(scale int32, divisor float64) (int32, bool) {
	shift := math.RoundToEven(math.Ldexp(math.Log2(divisor), int(scale)))
	return int32(shift), math.Abs(shift) <= math.MaxInt32
}

// canShift tells whether the indexes of all buckets stay numbers that the protocol has.
func canShift(b pmetric.ExponentialHistogramDataPointBuckets, shift int32) bool {
	first := int64(b.Offset()) - int64(shift)
	last := first + int64(b.BucketCounts().Len())
	return first >= math.MinInt32 && last <= math.MaxInt32
}

func scaleNumbers(points pmetric.NumberDataPointSlice, divisor float64) {
	for _, p := range points.All() {
		switch p.ValueType() {
		case pmetric.NumberDataPointValueTypeInt:
			p.SetDoubleValue(float64(p.IntValue()) / divisor)
		case pmetric.NumberDataPointValueTypeDouble:
			p.SetDoubleValue(p.DoubleValue() / divisor)
		}
		scaleExemplars(p.Exemplars(), divisor)
	}
}

// extremes are what both kinds of histograms say beside their buckets.
type extremes interface {
	HasSum() bool
	Sum() float64
	SetSum(float64)
	HasMin() bool
	Min() float64
	SetMin(float64)
	HasMax() bool
	Max() float64
	SetMax(float64)
}

func scaleExtremes(p extremes, divisor float64) {
	if p.HasSum() {
		p.SetSum(p.Sum() / divisor)
	}
	if p.HasMin() {
		p.SetMin(p.Min() / divisor)
	}
	if p.HasMax() {
		p.SetMax(p.Max() / divisor)
	}
}

func scaleFloats(values pcommon.Float64Slice, divisor float64) {
	for i, v := range values.All() {
		values.SetAt(i, v/divisor)
	}
}

func scaleExemplars(exemplars pmetric.ExemplarSlice, divisor float64) {
	for _, e := range exemplars.All() {
		switch e.ValueType() {
		case pmetric.ExemplarValueTypeInt:
			e.SetDoubleValue(float64(e.IntValue()) / divisor)
		case pmetric.ExemplarValueTypeDouble:
			e.SetDoubleValue(e.DoubleValue() / divisor)
		}
	}
}
