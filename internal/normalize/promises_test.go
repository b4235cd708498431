// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// everyOption are configurations that cover each option, of a table in which every verb for metrics occurs as well.
func everyOption(t testing.TB) map[string]*Normalizer {
	t.Helper()
	otel := mapping.EngineOptions{Enabled: new(true)}
	return map[string]*Normalizer{
		"defaults": newMetricNormalizer(t, Options{}, mapping.Options{}),
		"keep": newMetricNormalizer(t, Options{Originals: KeepOriginals, Annotate: true}, mapping.Options{
			Approximate: true, Extensions: true,
		}),
		"superseded names": newMetricNormalizer(t, Options{EntryProvider: "vllm", ServiceName: FillServiceName}, mapping.Options{
			Extensions: true, Engines: map[string]mapping.EngineOptions{"otel": otel},
		}),
		"superseded names kept": newMetricNormalizer(t, Options{Originals: KeepOriginals, SchemaURL: SchemaURLWhenEmpty}, mapping.Options{
			Target: "0.1.0", Approximate: true, Engines: map[string]mapping.EngineOptions{"otel": otel},
		}),
		"change": newMetricNormalizer(t, Options{
			SpanName: SemconvSpanName, SchemaURL: AlwaysSchemaURL, EngineUsage: DropEngineUsage, ServiceName: FillServiceName,
			CreatedSeries: DropCreatedSeries, Annotate: true,
		}, mapping.Options{
			Target:  "0.1.0",
			Exclude: []string{"vllm.input_tokens", "gen_ai.latency.e2e", "gen_ai.operation.name"},
			Engines: map[string]mapping.EngineOptions{"vllm": {DefaultOperation: "chat"}, "sglang": {DefaultOperation: "chat"}},
		}),
	}
}

// kind is what the promises ask of telemetry of a signal.
type kind[T any] struct {
	clone func(T) T
	wire  func(testing.TB, T) []byte
	json  func(T) ([]byte, error)
	run   func(*Normalizer, T) counts
	// arrange gives all attributes another order. Those of one key stay in theirs, which says which goes first.
	arrange func(T, func(pcommon.Map))
	// rest removes all that the normalizer may change.
	rest func(*Normalizer, T)
}

var (
	spanKind   = kind[ptrace.Traces]{clone, proto, new(ptrace.JSONMarshaler).MarshalTraces, (*Normalizer).run, arrangeSpans, restOfSpans}
	metricKind = kind[pmetric.Metrics]{cloneMetrics, protoMetrics, new(pmetric.JSONMarshaler).MarshalMetrics, (*Normalizer).runMetrics, arrangePoints, restOfMetrics}
	recordKind = kind[plog.Logs]{cloneLogs, protoLogs, new(plog.JSONMarshaler).MarshalLogs, (*Normalizer).runLogs, arrangeRecords, restOfRecords}
)

// requirePromises holds whatever telemetry to what is promised for all: a second pass changes nothing and counts the same,
// the order of attributes decides nothing, and only that changes which tables name. It returns what came out.
func requirePromises[T any](t testing.TB, k kind[T], n *Normalizer, in T) T {
	t.Helper()
	out := k.clone(in)
	first := k.run(n, out)
	again := k.clone(out)
	second := k.run(n, again)
	k.requireSame(t, out, again, "a second pass changed the data")
	k.requireSameCounts(t, first, second, in, "a second pass counted something else")

	arranged := k.clone(in)
	k.arrange(arranged, descend)
	k.requireSameCounts(t, first, k.run(n, arranged), in, "the order of attributes changed what is counted")
	sorted := k.clone(out)
	k.arrange(sorted, ascend)
	k.arrange(arranged, ascend)
	k.requireSame(t, sorted, arranged, "the order of attributes decided")

	before, after := k.clone(in), k.clone(out)
	k.rest(n, before)
	k.rest(n, after)
	k.requireSame(t, before, after, "something changed that no table names")
	return out
}

// requireSame compares to the byte, and shows what can be read.
func (k kind[T]) requireSame(t testing.TB, want, got T, why string) {
	t.Helper()
	if !bytes.Equal(k.wire(t, want), k.wire(t, got)) {
		require.Equal(t, k.text(want), k.text(got), why)
		require.Fail(t, why)
	}
}

// requireSameCounts shows what was counted only where that is needed, because it takes longer than all else.
func (k kind[T]) requireSameCounts(t testing.TB, want, got counts, of T, why string) {
	t.Helper()
	if !maps.Equal(want, got) {
		require.Equal(t, want, got, "%s of %s", why, k.text(of))
	}
}

func (k kind[T]) text(v T) string {
	data, err := k.json(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func ascend(attrs pcommon.Map) { arrange(attrs, strings.Compare) }
func descend(attrs pcommon.Map) {
	arrange(attrs, func(a, b string) int { return strings.Compare(b, a) })
}

// arrange orders attributes by their keys. Where a key is there twice they stay as they are: the first one counts.
func arrange(attrs pcommon.Map, order func(a, b string) int) {
	var keys []string
	for key := range attrs.All() {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, order)
	if len(slices.Compact(slices.Clone(keys))) < len(keys) {
		return
	}
	arranged := pcommon.NewMap()
	arranged.EnsureCapacity(len(keys))
	for _, key := range keys {
		v, _ := attrs.Get(key)
		v.CopyTo(arranged.PutEmpty(key))
	}
	arranged.MoveTo(attrs)
}

func arrangeSpans(td ptrace.Traces, arrange func(pcommon.Map)) {
	for _, rs := range td.ResourceSpans().All() {
		arrange(rs.Resource().Attributes())
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				arrange(s.Attributes())
			}
		}
	}
}

func arrangeRecords(ld plog.Logs, arrange func(pcommon.Map)) {
	for _, rl := range ld.ResourceLogs().All() {
		arrange(rl.Resource().Attributes())
		for _, sl := range rl.ScopeLogs().All() {
			for _, record := range sl.LogRecords().All() {
				arrange(record.Attributes())
			}
		}
	}
}

func arrangePoints(md pmetric.Metrics, arrange func(pcommon.Map)) {
	for _, rm := range md.ResourceMetrics().All() {
		arrange(rm.Resource().Attributes())
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				for i := range countPoints(m) {
					arrange(labelsOf(m, i))
				}
			}
		}
	}
}

// restOfResource removes the name of a service where that may be filled in.
func (n *Normalizer) restOfResource(resource pcommon.Resource) {
	if n.opts.ServiceName == FillServiceName {
		resource.Attributes().Remove("service.name")
	}
}

// restOfAttributes removes the attributes that tables name, latencies among them.
func (n *Normalizer) restOfAttributes(attrs pcommon.Map) {
	attrs.RemoveIf(func(key string, _ pcommon.Value) bool {
		return n.rules.Key(key) != nil || n.rules.HasDurationPrefix(key) || n.opts.Annotate && key == mapping.DialectKey
	})
}

func restOfSpans(n *Normalizer, td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		n.restOfResource(rs.Resource())
		for _, ss := range rs.ScopeSpans().All() {
			ss.SetSchemaUrl("")
			for _, s := range ss.Spans().All() {
				n.restOfAttributes(s.Attributes())
				if n.opts.SpanName == SemconvSpanName {
					s.SetName("")
				}
			}
		}
	}
}

func restOfRecords(n *Normalizer, ld plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		n.restOfResource(rl.Resource())
		for _, sl := range rl.ScopeLogs().All() {
			sl.SetSchemaUrl("")
			for _, record := range sl.LogRecords().All() {
				n.restOfAttributes(record.Attributes())
				if strings.HasPrefix(record.EventName(), "gen_ai.") {
					record.SetEventName("")
				}
				if v, ok := eventNameAttribute(record); ok && strings.HasPrefix(v.Str(), "gen_ai.") {
					v.SetStr("")
				}
			}
		}
	}
}

// restOfMetrics leaves of a metric that some row or target is about only its points: their times, flags, counts and the
// labels that no table names, in an order of their own. They are what identifies a point whatever its metric is called.
func restOfMetrics(n *Normalizer, md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		n.restOfResource(rm.Resource())
		for _, sm := range rm.ScopeMetrics().All() {
			sm.SetSchemaUrl("")
			n.restOfScope(sm)
		}
		if n.opts.CreatedSeries == DropCreatedSeries {
			rm.ScopeMetrics().RemoveIf(func(sm pmetric.ScopeMetrics) bool { return sm.Metrics().Len() == 0 })
		}
	}
	if n.opts.CreatedSeries == DropCreatedSeries {
		md.ResourceMetrics().RemoveIf(func(rm pmetric.ResourceMetrics) bool { return rm.ScopeMetrics().Len() == 0 })
	}
}

func (n *Normalizer) restOfScope(sm pmetric.ScopeMetrics) {
	var points []string
	sm.Metrics().RemoveIf(func(m pmetric.Metric) bool {
		if n.opts.CreatedSeries == DropCreatedSeries && strings.HasSuffix(m.Name(), createdSuffix) {
			return true
		}
		if n.rules.Metric(m.Name()) == nil {
			return false
		}
		for i := range countPoints(m) {
			points = append(points, restOfPoint(m, i))
		}
		return true
	})
	slices.Sort(points)
	if n.opts.Originals == KeepOriginals {
		points = slices.Compact(points)
	}
	for _, p := range points {
		sm.Metrics().AppendEmpty().SetDescription(p)
	}
}

// restOfPoint returns what no rule changes of a point.
func restOfPoint(m pmetric.Metric, i int) string {
	rest := pmetric.NewMetric()
	makeLike(rest, m)
	copyPoint(m, rest, i)
	ascend(labelsOf(rest, 0))
	labelsOf(rest, 0).RemoveIf(func(key string, _ pcommon.Value) bool { return mayChange(key) })
	switch rest.Type() {
	case pmetric.MetricTypeGauge:
		restOfNumber(rest.Gauge().DataPoints().At(0))
	case pmetric.MetricTypeSum:
		restOfNumber(rest.Sum().DataPoints().At(0))
	case pmetric.MetricTypeHistogram:
		p := rest.Histogram().DataPoints().At(0)
		restOfHistogram(p)
		for i := range p.ExplicitBounds().Len() {
			p.ExplicitBounds().SetAt(i, 0)
		}
	case pmetric.MetricTypeExponentialHistogram:
		p := rest.ExponentialHistogram().DataPoints().At(0)
		restOfHistogram(p)
		p.SetZeroThreshold(0)
		p.Positive().SetOffset(0)
		p.Negative().SetOffset(0)
	case pmetric.MetricTypeSummary:
		p := rest.Summary().DataPoints().At(0)
		p.SetSum(0)
		for _, q := range p.QuantileValues().All() {
			q.SetValue(0)
		}
	}
	return pointKey(rest, 0)
}

func restOfNumber(p pmetric.NumberDataPoint) {
	if p.ValueType() != pmetric.NumberDataPointValueTypeEmpty {
		p.SetDoubleValue(0)
	}
	restOfExemplars(p.Exemplars())
}

// histogramPoint is what the points of both kinds of histograms have.
type histogramPoint interface {
	extremes
	Exemplars() pmetric.ExemplarSlice
}

func restOfHistogram(p histogramPoint) {
	if p.HasSum() {
		p.SetSum(0)
	}
	if p.HasMin() {
		p.SetMin(0)
	}
	if p.HasMax() {
		p.SetMax(0)
	}
	restOfExemplars(p.Exemplars())
}

func restOfExemplars(exemplars pmetric.ExemplarSlice) {
	for _, e := range exemplars.All() {
		if e.ValueType() != pmetric.ExemplarValueTypeEmpty {
			e.SetDoubleValue(0)
		}
	}
}

// mayChange tells whether tables or the standard name a label.
func mayChange(label string) bool {
	return strings.HasPrefix(label, "gen_ai.") || slices.Contains([]string{"model_name", "model", "model_id", "modelName", "op", "operation"}, label)
}
