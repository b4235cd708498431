// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

func TestAnIntegerOfMillisecondsBecomesAFraction(t *testing.T) {
	m := pmetric.NewMetric()
	p := m.SetEmptyGauge().DataPoints().AppendEmpty()
	p.SetIntValue(1500)
	p.Exemplars().AppendEmpty().SetIntValue(250)
	scale(m, 1e3)
	assert.Equal(t, pmetric.NumberDataPointValueTypeDouble, p.ValueType())
	assert.Equal(t, 1.5, p.DoubleValue())
	assert.Equal(t, 0.25, p.Exemplars().At(0).DoubleValue())
}

func TestASummaryIsScaledWithItsQuantiles(t *testing.T) {
	m := pmetric.NewMetric()
	p := m.SetEmptySummary().DataPoints().AppendEmpty()
	p.SetCount(3)
	p.SetSum(1500)
	q := p.QuantileValues().AppendEmpty()
	q.SetQuantile(0.99)
	q.SetValue(250)
	scale(m, 1e3)
	assert.Equal(t, 1.5, p.Sum())
	assert.Equal(t, 0.25, q.Value())
	assert.Equal(t, 0.99, q.Quantile())
	assert.Equal(t, uint64(3), p.Count())
}

// TestScalingThereAndBack is the property test of histograms: counts stay, bounds still ascend, and what is scaled
// by the inverse is what it was, but for the last bit.
func TestScalingThereAndBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		m := randomHistogram(random)
		divisor := []float64{1e3, 1e6, 1e9, 100, 2, math.Exp(random.NormFloat64())}[random.IntN(6)]
		before := pmetric.NewMetric()
		m.CopyTo(before)
		if !canScale(m, divisor) {
			continue
		}
		scale(m, divisor)
		p, old := m.Histogram().DataPoints().At(0), before.Histogram().DataPoints().At(0)
		require.Equal(t, old.Count(), p.Count())
		require.Equal(t, old.BucketCounts().AsRaw(), p.BucketCounts().AsRaw())
		bounds := p.ExplicitBounds().AsRaw()
		require.True(t, slices.IsSorted(bounds))
		require.Len(t, slices.Compact(slices.Clone(bounds)), len(bounds))
		require.Equal(t, old.HasMin(), p.HasMin())
		require.Equal(t, old.Sum()/divisor, p.Sum())
		require.Equal(t, old.Max()/divisor, p.Max())

		scale(m, 1/divisor)
		for i, bound := range p.ExplicitBounds().All() {
			requireWithinUlps(t, old.ExplicitBounds().At(i), bound)
		}
		requireWithinUlps(t, old.Sum(), p.Sum())
		requireWithinUlps(t, old.Exemplars().At(0).DoubleValue(), p.Exemplars().At(0).DoubleValue())
	}
}

// requireWithinUlps allows the last bit to differ, once for each of the two divisions and once for the inverse.
func requireWithinUlps(t *testing.T, want, got float64) {
	t.Helper()
	ulp := math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want)
	require.InDelta(t, want, got, 2*ulp)
}

func randomHistogram(random *rand.Rand) pmetric.Metric {
	m := pmetric.NewMetric()
	p := m.SetEmptyHistogram().DataPoints().AppendEmpty()
	bound := random.NormFloat64()
	for range random.IntN(20) {
		bound += random.ExpFloat64() * math.Pow(10, float64(random.IntN(7)-3))
		p.ExplicitBounds().Append(bound)
		p.BucketCounts().Append(random.Uint64N(100))
	}
	p.BucketCounts().Append(random.Uint64N(100))
	for _, n := range p.BucketCounts().All() {
		p.SetCount(p.Count() + n)
	}
	p.SetSum(random.NormFloat64() * 1e6)
	p.SetMax(random.NormFloat64() * 1e6)
	if random.IntN(2) == 0 {
		p.SetMin(random.NormFloat64())
	}
	p.Exemplars().AppendEmpty().SetDoubleValue(random.NormFloat64())
	return m
}

func TestBoundsThatWouldFallTogetherAreNotScaled(t *testing.T) {
	m := pmetric.NewMetric()
	p := m.SetEmptyHistogram().DataPoints().AppendEmpty()
	p.ExplicitBounds().FromRaw([]float64{math.SmallestNonzeroFloat64, 2 * math.SmallestNonzeroFloat64})
	assert.False(t, canScale(m, 1e3))
	assert.True(t, canScale(m, 1))
}

// TestExponentialBucketsKeepTheirValues checks the bound that the documentation gives: a bucket's boundaries are off
// by a factor of at most the square root of the base, and not at all where the divisor is a power of the base.
func TestExponentialBucketsKeepTheirValues(t *testing.T) {
	for scaleOf := int32(-4); scaleOf <= 12; scaleOf++ {
		for _, divisor := range []float64{1e3, 1e6, 1e9, 100, 2, 1024, 1 << 20} {
			m := pmetric.NewMetric()
			p := m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty()
			p.SetScale(scaleOf)
			p.SetZeroThreshold(3)
			p.Positive().SetOffset(17)
			p.Positive().BucketCounts().FromRaw([]uint64{1, 2, 3})
			p.Negative().SetOffset(-5)
			p.Negative().BucketCounts().FromRaw([]uint64{4})
			require.True(t, canScale(m, divisor))
			scale(m, divisor)

			base := math.Exp2(math.Exp2(-float64(scaleOf)))
			for _, b := range []struct{ before, after int32 }{{17, p.Positive().Offset()}, {-5, p.Negative().Offset()}} {
				// The lower boundary of the first bucket is the base to the power of its index.
				want, got := math.Pow(base, float64(b.before))/divisor, math.Pow(base, float64(b.after))
				assert.LessOrEqual(t, math.Abs(math.Log(got/want)), math.Log(base)/2*1.0001, "scale %d, divisor %v", scaleOf, divisor)
				if exact := math.Log2(divisor) * math.Exp2(float64(scaleOf)); exact == math.Trunc(exact) {
					assert.InEpsilon(t, want, got, 1e-9, "scale %d, divisor %v", scaleOf, divisor)
				}
			}
			assert.Equal(t, []uint64{1, 2, 3}, p.Positive().BucketCounts().AsRaw())
			assert.Equal(t, []uint64{4}, p.Negative().BucketCounts().AsRaw())
			assert.Equal(t, 3/divisor, p.ZeroThreshold())
			assert.Equal(t, scaleOf, p.Scale())
		}
	}
}

func TestNoBucketIsShiftedBeyondTheProtocol(t *testing.T) {
	for _, c := range []struct {
		name          string
		scale, offset int32
		buckets       int
		divisor       float64
		can           bool
	}{
		{"the lowest index", 0, math.MinInt32, 1, 2, false},
		{"just above", 0, math.MinInt32 + 1, 1, 2, true},
		{"the highest index", 0, math.MaxInt32 - 1, 1, 0.5, false},
		{"a scale beyond all sense", math.MaxInt32, 0, 1, 1e3, false},
		{"a scale of nothing", math.MinInt32, 0, 1, 1e3, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := pmetric.NewMetric()
			p := m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty()
			p.SetScale(c.scale)
			p.Positive().SetOffset(c.offset)
			p.Positive().BucketCounts().FromRaw(make([]uint64, c.buckets))
			assert.Equal(t, c.can, canScale(m, c.divisor))
		})
	}
}
