// SPDX-License-Identifier: Apache-2.0

package exposition // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/exposition"

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	prometheustranslator "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/exemplar"
	"github.com/prometheus/prometheus/model/labels"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// writeTo appends the metric, if any of its points is complete.
func (f *family) writeTo(to pmetric.MetricSlice) error {
	metric := pmetric.NewMetric()
	metric.SetName(f.name)
	metric.SetDescription(f.declared.help)
	metric.SetUnit(prometheustranslator.UnitWordToUCUM(f.declared.unit))
	metric.Metadata().PutStr("prometheus.type", string(f.declared.typ))

	write, length := f.writer(metric)
	for _, p := range f.order {
		if err := write(p); err != nil {
			return &Error{Line: p.line + 1, Err: fmt.Errorf("%s: %w", f.name, err)}
		}
	}
	if length() > 0 {
		metric.MoveTo(to.AppendEmpty())
	}
	return nil
}

// writer sets the type of the metric and returns what appends a point, and how many there are.
func (f *family) writer(metric pmetric.Metric) (write func(*point) error, length func() int) {
	switch f.typ {
	case pmetric.MetricTypeHistogram:
		histogram := metric.SetEmptyHistogram()
		histogram.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		points := histogram.DataPoints()
		return func(p *point) error { return f.appendHistogram(points, p) }, points.Len
	case pmetric.MetricTypeSummary:
		points := metric.SetEmptySummary().DataPoints()
		return func(p *point) error { return f.appendSummary(points, p) }, points.Len
	case pmetric.MetricTypeSum:
		sum := metric.SetEmptySum()
		sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		sum.SetIsMonotonic(f.declared.typ == model.MetricTypeCounter)
		points := sum.DataPoints()
		return func(p *point) error { return f.appendNumber(points, p) }, points.Len
	default:
		points := metric.SetEmptyGauge().DataPoints()
		return func(p *point) error { return f.appendNumber(points, p) }, points.Len
	}
}

// dataPoint is what the points of all types have.
type dataPoint interface {
	SetStartTimestamp(pcommon.Timestamp)
	SetTimestamp(pcommon.Timestamp)
	Attributes() pcommon.Map
}

func (f *family) describe(to dataPoint, p *point) error {
	start, err := startTime(p.created)
	if err != nil {
		return err
	}
	to.SetStartTimestamp(start)
	to.SetTimestamp(timestamp(p.at))
	p.labels.Range(func(l labels.Label) {
		if f.isAttribute(l.Name) {
			to.Attributes().PutStr(l.Name, l.Value)
		}
	})
	return nil
}

func (f *family) appendNumber(to pmetric.NumberDataPointSlice, p *point) error {
	if p.value == nil {
		return nil
	}
	dp := to.AppendEmpty()
	dp.SetDoubleValue(*p.value)
	writeExemplars(dp.Exemplars(), p.exemplars)
	return f.describe(dp, p)
}

func (f *family) appendSummary(to pmetric.SummaryDataPointSlice, p *point) error {
	if p.count == nil {
		return nil
	}
	dp := to.AppendEmpty()
	count, err := wholeNumber(*p.count)
	if err != nil {
		return err
	}
	dp.SetCount(count)
	if p.sum != nil {
		dp.SetSum(*p.sum)
	}
	for _, quantile := range p.sorted() {
		q := dp.QuantileValues().AppendEmpty()
		q.SetQuantile(quantile.bound)
		q.SetValue(quantile.value)
	}
	return f.describe(dp, p)
}

func (f *family) appendHistogram(to pmetric.HistogramDataPointSlice, p *point) error {
	if p.count == nil {
		return nil
	}
	dp := to.AppendEmpty()
	count, err := wholeNumber(*p.count)
	if err != nil {
		return err
	}
	dp.SetCount(count)
	if p.sum != nil {
		dp.SetSum(*p.sum)
	}
	// The last bucket has no bound, and what is in it follows from the count.
	buckets := p.sorted()
	if last := len(buckets) - 1; last >= 0 && math.IsInf(buckets[last].bound, 1) {
		buckets = buckets[:last]
	}
	cumulative := make([]float64, 0, len(buckets)+1)
	for _, bucket := range buckets {
		dp.ExplicitBounds().Append(bucket.bound)
		cumulative = append(cumulative, bucket.value)
	}
	below := 0.0
	for _, upTo := range append(cumulative, *p.count) {
		inBucket, err := wholeNumber(upTo - below)
		if err != nil {
			return fmt.Errorf("a bucket has %v less than the one below it, or more than the count: %w", upTo-below, err)
		}
		dp.BucketCounts().Append(inBucket)
		below = upTo
	}
	writeExemplars(dp.Exemplars(), p.exemplars)
	return f.describe(dp, p)
}

// sorted returns the buckets or quantiles from the lowest one on.
func (p *point) sorted() []part {
	slices.SortStableFunc(p.parts, func(a, b part) int { return cmp.Compare(a.bound, b.bound) })
	return p.parts
}

// wholeNumber returns the integer part of a count.
func wholeNumber(x float64) (uint64, error) {
	if !(x >= 0 && x < 1<<64) {
		return 0, fmt.Errorf("%v is no count", x)
	}
	return uint64(x), nil
}

// startTime returns the time that a _created sample tells, in seconds since 1970. Zero is none.
func startTime(seconds float64) (pcommon.Timestamp, error) {
	if !(seconds >= 0 && seconds < math.MaxInt64/1e9) {
		return 0, fmt.Errorf("%v is no time in seconds", seconds)
	}
	whole := int64(seconds)
	nanos := int64((seconds - float64(whole)) * 1e9)
	return pcommon.Timestamp(whole*int64(time.Second) + nanos), nil
}

func timestamp(milliseconds int64) pcommon.Timestamp {
	return pcommon.Timestamp(milliseconds * int64(time.Millisecond))
}

func writeExemplars(to pmetric.ExemplarSlice, exemplars []exemplar.Exemplar) {
	for _, e := range exemplars {
		dst := to.AppendEmpty()
		dst.SetTimestamp(timestamp(e.Ts))
		dst.SetDoubleValue(e.Value)
		e.Labels.Range(func(l labels.Label) {
			if !writeTraceContext(dst, l) {
				dst.FilteredAttributes().PutStr(l.Name, l.Value)
			}
		})
	}
}

// writeTraceContext takes a label that holds the id of a trace or a span. An empty one is taken too. What is no such
// id is not.
func writeTraceContext(to pmetric.Exemplar, l labels.Label) bool {
	switch strings.ToLower(l.Name) {
	case prometheustranslator.ExemplarTraceIDKey:
		var id pcommon.TraceID
		if l.Value == "" {
			return true
		}
		if !decodeID(id[:], l.Value) || id.IsEmpty() {
			return false
		}
		to.SetTraceID(id)
	case prometheustranslator.ExemplarSpanIDKey:
		var id pcommon.SpanID
		if l.Value == "" {
			return true
		}
		if !decodeID(id[:], l.Value) || id.IsEmpty() {
			return false
		}
		to.SetSpanID(id)
	default:
		return false
	}
	return true
}

func decodeID(to []byte, text string) bool {
	if len(text) != hex.EncodedLen(len(to)) {
		return false
	}
	_, err := hex.Decode(to, []byte(text))
	return err == nil
}
