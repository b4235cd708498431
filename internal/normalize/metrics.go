// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"cmp"
	"context"
	"slices"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// Metrics normalises metrics in place.
func (n *Normalizer) Metrics(ctx context.Context, md pmetric.Metrics, r Reporter) {
	w := n.metricWalkers.Get().(*metricWalker)
	removed := false
	for _, rm := range md.ResourceMetrics().All() {
		removed = w.resourceMetrics(rm) || removed
	}
	if removed {
		removeEmpty(md)
	}
	for _, s := range w.strangers {
		r.Unmapped(ctx, s.dialect, s.name)
	}
	w.tally.report(ctx, n.rules.Dialects(), r)
	w.release()
}

// removeEmpty removes scopes and resources that nothing is left of.
func removeEmpty(md pmetric.Metrics) {
	md.ResourceMetrics().RemoveIf(func(rm pmetric.ResourceMetrics) bool {
		rm.ScopeMetrics().RemoveIf(func(sm pmetric.ScopeMetrics) bool { return sm.Metrics().Len() == 0 })
		return rm.ScopeMetrics().Len() == 0
	})
}

// metricWalker holds what is needed to normalise one scope after the other. Its memory is used again.
type metricWalker struct {
	*Normalizer
	tally     tally
	provider  resourceProvider
	strangers []stranger

	// scope is the current scope, metrics those of its metrics that rules or targets are about.
	scope   pmetric.ScopeMetrics
	metrics []scopeMetric
	// picks are the rules of points, metric by metric.
	picks []*mapping.MetricRule
	// slots holds by slot which source fills it, targets by target the metrics in the scope that are it.
	slots   []slotState
	targets [][]pmetric.Metric
	proofs  []proof
	fitness []fitness
	removed removal
}

// scopeMetric is a metric of the current scope of which something is known.
type scopeMetric struct {
	metric     pmetric.Metric
	known      *mapping.Metric
	name       string
	instrument mapping.Instrument
	index      int
	// first and end are where the picks of the points are.
	first, end int
	spelling   int
	dialect    *mapping.DialectRules
	mismatch   bool
	unfit      bool
}

// stranger is a name in an engine's namespace that no row is about.
type stranger struct {
	dialect *mapping.DialectRules
	name    string
}

// slotState says which source fills a slot of the current scope.
type slotState struct {
	winner  *scopeMetric
	order   int
	touched bool
	// taken tells that the target is there already.
	taken bool
}

func newMetricWalker(n *Normalizer) *metricWalker {
	return &metricWalker{
		Normalizer: n,
		tally:      make(tally, len(n.rules.Dialects())),
		slots:      make([]slotState, n.rules.MetricSlots()),
		targets:    make([][]pmetric.Metric, n.rules.MetricTargets()),
	}
}

// release gives the walker back without references into the batch.
func (w *metricWalker) release() {
	w.scope = pmetric.ScopeMetrics{}
	w.removed = removal{}
	if cap(w.metrics) > maxPooledMetrics || cap(w.picks) > maxPooledPoints {
		return
	}
	clear(w.metrics[:cap(w.metrics)])
	clear(w.proofs[:cap(w.proofs)])
	clear(w.strangers)
	w.strangers = w.strangers[:0]
	w.metricWalkers.Put(w)
}

// Pooled memory is kept up to these numbers of entries. A larger scope is rare, and must not be paid for ever after.
const (
	maxPooledMetrics = 1024
	maxPooledPoints  = 8192
)

// resourceMetrics normalises the scopes of a resource and tells whether metrics were removed.
func (w *metricWalker) resourceMetrics(rm pmetric.ResourceMetrics) (removed bool) {
	w.provider = resourceProvider{}
	for _, sm := range rm.ScopeMetrics().All() {
		removed = w.scopeMetrics(sm) || removed
	}
	if w.opts.ServiceName == FillServiceName {
		w.provider.fillServiceName(rm.Resource().Attributes())
	}
	return removed
}

// scopeMetrics normalises a scope and tells whether metrics were removed.
func (w *metricWalker) scopeMetrics(sm pmetric.ScopeMetrics) bool {
	w.scope = sm
	w.forget()
	items := w.lookUp()
	if len(w.metrics) == 0 {
		return false
	}
	w.removed = removal{}
	if w.opts.CreatedSeries == DropCreatedSeries {
		w.dropCreated()
	}
	for i := range w.metrics {
		w.examine(&w.metrics[i])
	}
	w.compete()
	for i := range w.metrics {
		if s := &w.metrics[i]; s.end > s.first {
			items = w.place(s) || items
		}
	}
	if items {
		w.setSchemaURL()
	}
	return w.removed.apply(sm.Metrics())
}

// forget ends the work on a scope.
func (w *metricWalker) forget() {
	w.metrics, w.picks, w.proofs = w.metrics[:0], w.picks[:0], w.proofs[:0]
	clear(w.slots)
	for i := range w.targets {
		clear(w.targets[i])
		w.targets[i] = w.targets[i][:0]
	}
}

// lookUp finds what is known of the scope's metrics, and tells whether some are normalised already.
func (w *metricWalker) lookUp() (items bool) {
	for i, m := range w.scope.Metrics().All() {
		name := m.Name()
		known := w.rules.Metric(name)
		if known == nil {
			if n := w.rules.Namespace(name); n != nil {
				w.unmapped(m, n)
			}
			continue
		}
		w.metrics = append(w.metrics, scopeMetric{metric: m, known: known, name: name, index: i})
		if known.Kind == mapping.KindTarget {
			w.targets[known.Target.Index] = append(w.targets[known.Target.Index], m)
			items = w.countNormalised(m, known.Target) || items
		}
	}
	return items
}

// unmapped notes a name in an engine's namespace that no row is about, unless all points are somebody else's.
func (w *metricWalker) unmapped(m pmetric.Metric, n *mapping.MetricNamespace) {
	foreign := countPoints(m) > 0
	for i := range countPoints(m) {
		foreign = foreign && matchesAny(n.ForeignPoints, labelsOf(m, i))
	}
	if !foreign {
		w.strangers = append(w.strangers, stranger{n.Dialect, m.Name()})
	}
}

// countNormalised counts the points that have a standard name and an engine's provider already. So a second
// processor counts what the first one did.
func (w *metricWalker) countNormalised(m pmetric.Metric, target *mapping.MetricTarget) (found bool) {
	for i := range countPoints(m) {
		labels := labelsOf(m, i)
		provider := labelText(labels, semconv.ProviderName)
		if d := w.rules.MetricDialect(provider); d != nil {
			w.tally.item(d)
			w.tally.outcomes(d, Conflict, conflicts(labels, w.rules.MetricLabels(d, target)))
			w.provider.add(provider)
			found = true
		}
	}
	return found
}

// examine finds the rules of a metric's points, and counts what keeps a known metric from being one of a row's.
func (w *metricWalker) examine(s *scopeMetric) {
	switch s.known.Kind {
	case mapping.KindPart:
		w.countPart(s)
	case mapping.KindSource:
		s.instrument = instrumentOf(s.metric)
		switch {
		case !s.known.Instruments.Has(s.instrument):
			if d := w.owner(s); d != nil {
				w.tally.outcome(d, TypeMismatch)
			}
		case !s.known.Inert:
			w.pick(s)
			if s.mismatch {
				w.tally.outcome(s.dialect, TypeMismatch)
			}
		}
	}
}

// countPart counts a histogram that arrived in parts, once for all its parts.
func (w *metricWalker) countPart(s *scopeMetric) {
	family := s.known.Sources[0]
	for i := range w.metrics {
		other := &w.metrics[i]
		if other == s {
			w.tally.outcome(family.Dialect, TypeMismatch)
			return
		}
		if other.known.Kind == mapping.KindPart && other.known.Sources[0].ID == family.ID {
			return
		}
	}
}

// owner returns the engine that wrote at least one point of a metric, or nil.
func (w *metricWalker) owner(s *scopeMetric) *mapping.DialectRules {
	for i := range countPoints(s.metric) {
		labels := labelsOf(s.metric, i)
		for _, source := range s.known.Sources {
			if !matchesAny(source.ForeignPoints, labels) && slices.ContainsFunc(source.Rules, func(r *mapping.MetricRule) bool {
				return selects(r, labels)
			}) {
				return source.Dialect
			}
		}
	}
	return nil
}

// compete finds the source that fills each slot.
func (w *metricWalker) compete() {
	for i := range w.metrics {
		s := &w.metrics[i]
		for _, rule := range w.picksOf(s) {
			if rule == nil {
				continue
			}
			slot := &w.slots[rule.Slot]
			if !slot.touched {
				slot.touched = true
				slot.taken = w.isTaken(rule)
			}
			if slot.winner == nil || cmp.Or(cmp.Compare(rule.Order, slot.order), cmp.Compare(s.spelling, slot.winner.spelling)) < 0 {
				slot.winner, slot.order = s, rule.Order
			}
		}
	}
}

// isTaken tells whether the scope has the target already, from the same provider or from nobody in particular.
func (w *metricWalker) isTaken(rule *mapping.MetricRule) bool {
	for _, m := range w.targets[rule.Target.Index] {
		for i := range countPoints(m) {
			if provider, ok := labelsOf(m, i).Get(semconv.ProviderName); !ok || provider.AsString() == rule.Provider {
				return true
			}
		}
	}
	return false
}

// place brings the points of a metric to where their rules say, and tells whether any were.
func (w *metricWalker) place(s *scopeMetric) (moved bool) {
	var last *mapping.MetricRule
	for i := s.first; i < s.end; i++ {
		rule := w.picks[i]
		if rule == nil || last != nil && rule.Slot == last.Slot {
			continue
		}
		if last != nil && slices.ContainsFunc(w.picks[s.first:i], func(r *mapping.MetricRule) bool { return r != nil && r.Slot == rule.Slot }) {
			continue // The slot had its turn.
		}
		last = rule
		wanted := func(point int) bool {
			r := w.picks[s.first+point]
			return r != nil && r.Slot == rule.Slot
		}
		moved = w.placeSlot(s, rule, wanted) || moved
	}
	return moved
}

func (w *metricWalker) placeSlot(s *scopeMetric, rule *mapping.MetricRule, wanted func(int) bool) bool {
	slot := &w.slots[rule.Slot]
	wins := slot.winner.name == s.name
	switch {
	case wins && !slot.taken:
		return w.move(s, rule, wanted)
	case wins && w.opts.Originals == KeepOriginals && w.isCopied(s, rule, wanted):
		return false // An earlier processor kept the original too.
	default:
		if !rule.Alias {
			w.tally.outcome(rule.Dialect, Collision)
		}
		return false
	}
}

// setSchemaURL names the conventions where that is asked for. Exporters of metrics make a label of it, so that doing
// so unasked would begin new series.
func (w *metricWalker) setSchemaURL() {
	if w.opts.SchemaURL == AlwaysSchemaURL || w.opts.SchemaURL == SchemaURLWhenEmpty && w.scope.SchemaUrl() == "" {
		w.scope.SetSchemaUrl(w.rules.Registry().SchemaURL)
	}
}
