// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"cmp"
	"context"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// Metrics normalises metrics in place. The error is as that of [Normalizer.Traces].
func (n *Normalizer) Metrics(ctx context.Context, md pmetric.Metrics, r Reporter) error {
	var empty removal
	err := eachResource(ctx, n, r, (*Normalizer).metricWalker, md.ResourceMetrics(), func(w *metricWalker, i int, rm pmetric.ResourceMetrics) error {
		emptied, err := w.resourceMetrics(ctx, rm)
		if emptied {
			empty.mark(i)
		}
		return err
	})
	removeMarked(empty, md.ResourceMetrics())
	return err
}

// metricWalker holds what is needed to normalise one scope after the other. Its memory is used again.
type metricWalker struct {
	batch
	strangers []stranger
	// lastKnown is what was known of names by the place that a metric had.
	lastKnown [128]*mapping.Metric
	// trail is what only an observer asks for.
	trail trail

	// scope is the current scope, metrics those of its metrics that rules or targets are about.
	scope   pmetric.ScopeMetrics
	metrics []scopeMetric
	// selection says which points are processed.
	selection selection
	// picks says what becomes of points, metric by metric.
	picks []pick
	// turns are the picks of a metric that stand for the others of their slot.
	turns []pick
	// slots says by its number which source fills a slot, otherSlots does so for points with a provider of their own.
	slots      []slotState
	otherSlots map[otherSlot]*slotState
	// targets holds by target what the scope has under its name.
	targets []targetState
	// families are the histograms of which a part was counted, and copies the points that others are copies of.
	families map[int]struct{}
	copies   map[copiesOf]byLabels
	rivals   []rivals
	// shared is what identifies the copies of each rival, in the order in which they are visited.
	shared [][16]byte
	// order is the order in which metrics are placed.
	order   []int
	proofs  []proof
	fitness []fitness
	removed removal
	// series are the names of the scope's metrics whose series have a beginning, nil as long as nobody asked.
	series map[string]struct{}
}

func (w *metricWalker) report(ctx context.Context, r Reporter) {
	for _, s := range w.strangers {
		r.Unmapped(ctx, s.dialect, s.name)
	}
	w.tally.report(ctx, w.rules.MetricDialects(), r)
}

// scopeMetric is a metric of the current scope of which something is known.
type scopeMetric struct {
	metric pmetric.Metric
	// known is what is known of the name that the metric came with.
	known      *mapping.Metric
	instrument mapping.Instrument
	index      int
	// first and end are where the picks of the points are.
	first, end int
	spelling   int
	// mismatch is a rule that keeps a name which an exporter also makes of a standard metric.
	mismatch *mapping.MetricRule
	unfit    bool
}

// stranger is a name in an engine's namespace that no row is about.
type stranger struct {
	dialect *mapping.DialectRules
	name    string
}

// pick is what becomes of a point: nothing if there is no rule.
type pick struct {
	rule *mapping.MetricRule
	slot *slotState
}

// slotState says which source fills a slot of the current scope.
type slotState struct {
	// winner is nil as long as no source was seen.
	winner *scopeMetric
	order  int
	// taken tells whose points are there already.
	taken owner
	// turn is the metric whose points of this slot were last noted.
	turn *scopeMetric
}

// otherSlot is a slot of points that name another provider than the rule does.
type otherSlot struct {
	slot     int
	provider string
}

func newMetricWalker(n *Normalizer) *metricWalker {
	return &metricWalker{
		batch:   batch{Normalizer: n, tally: make(tally, len(n.rules.MetricDialects()))},
		slots:   make([]slotState, n.rules.MetricSlots()),
		targets: make([]targetState, n.rules.MetricTargets()),
	}
}

// metricWalker returns one that tells the reporter if that wants to know.
func (n *Normalizer) metricWalker(r Reporter) *metricWalker {
	w := n.metricWalkers.Get().(*metricWalker)
	w.observer, _ = r.(Observer)
	return w
}

// release gives the walker back without references into the batch.
func (w *metricWalker) release() {
	w.batch.release()
	w.forget()
	w.scope = pmetric.ScopeMetrics{}
	w.removed, w.trail = nil, trail{}
	if w.isOutgrown() {
		return
	}
	clear(w.turns[:cap(w.turns)])
	clear(w.strangers)
	w.strangers = w.strangers[:0]
	w.metricWalkers.Put(w)
}

// maxStrangers bounds what is reported of one batch. A new release of an engine brings a few dozen names.
const maxStrangers = 4096

// Pooled memory is kept up to these numbers of entries. A larger scope is rare, and must not be paid for ever after.
const (
	maxPooledMetrics = 1024
	maxPooledPoints  = 8192
)

// isOutgrown tells whether the walker has more memory than is kept.
func (w *metricWalker) isOutgrown() bool {
	return max(cap(w.metrics), cap(w.selection.metrics)) > maxPooledMetrics || max(cap(w.picks), cap(w.selection.points)) > maxPooledPoints
}

// resourceMetrics normalises the scopes of a resource and tells whether nothing is left of it.
func (w *metricWalker) resourceMetrics(ctx context.Context, rm pmetric.ResourceMetrics) (emptied bool, err error) {
	w.provider = resourceProvider{}
	v, err := w.opts.MetricConditions.ofResource(ctx, rm)
	if v == skip {
		return false, err
	}
	var empty removal
	for i, sm := range rm.ScopeMetrics().All() {
		removed, err := w.scopeMetrics(ctx, rm, sm, v)
		if err != nil {
			return false, err
		}
		if removed && sm.Metrics().Len() == 0 {
			empty.mark(i)
		}
	}
	removeMarked(empty, rm.ScopeMetrics())
	w.fillServiceName(rm.Resource())
	return len(empty) > 0 && rm.ScopeMetrics().Len() == 0, nil
}

// scopeMetrics normalises a scope and tells whether metrics were removed.
func (w *metricWalker) scopeMetrics(ctx context.Context, rm pmetric.ResourceMetrics, sm pmetric.ScopeMetrics, above verdict) (removed bool, err error) {
	v, err := w.opts.MetricConditions.ofScope(ctx, above, InScope[pmetric.ResourceMetrics, pmetric.ScopeMetrics]{rm, sm})
	if v == skip {
		return false, err
	}
	w.scope = sm
	w.forget()
	if v == ask {
		if err := w.selectPoints(ctx, rm); err != nil {
			return false, err
		}
	}
	return w.normaliseScope(), nil
}

// normaliseScope normalises the selected points of the current scope and tells whether metrics were removed.
func (w *metricWalker) normaliseScope() (removed bool) {
	strangers := len(w.strangers)
	items := w.lookUp()
	isEngines := len(w.strangers) > strangers
	if len(w.metrics) == 0 && !isEngines {
		return false
	}
	w.removed = nil
	if w.opts.CreatedSeries == DropCreatedSeries || w.observer != nil {
		w.findCreated(isEngines || items)
	}
	for i := range w.metrics {
		w.examine(&w.metrics[i])
	}
	w.dropCopies()
	w.compete()
	for _, i := range w.inOrder() {
		items = w.place(&w.metrics[i]) || items
	}
	// Exporters of metrics make a label of the schema URL, so that setting it unasked would begin new series.
	if items && !w.opts.SchemaURL.isAuto() {
		setSchemaURL(&w.batch, w.scope)
	}
	return removeMarked(w.removed, w.scope.Metrics())
}

// forget ends the work on a scope.
func (w *metricWalker) forget() {
	clear(w.metrics)
	clear(w.proofs)
	w.metrics, w.picks, w.proofs = w.metrics[:0], w.picks[:0], w.proofs[:0]
	w.selection.clear()
	w.series = nil
	clear(w.slots)
	if len(w.otherSlots) > maxOtherSlots {
		w.otherSlots = nil // A map keeps its size, and to clear a large one again in each scope would take long.
	}
	clear(w.otherSlots)
	clear(w.families)
	clear(w.copies)
	for i := range w.targets {
		w.targets[i].forget()
	}
}

// lookUp finds what is known of the scope's metrics, and tells whether some are normalised already.
func (w *metricWalker) lookUp() (items bool) {
	metrics := w.scope.Metrics()
	for i := range metrics.Len() { // By index, which costs less than an iterator.
		m := metrics.At(i)
		name := m.Name()
		known := w.known(name, i)
		if known == nil {
			if n := w.rules.Namespace(name); n != nil {
				w.unmapped(m, i, n)
			}
			continue
		}
		w.metrics = append(w.metrics, scopeMetric{metric: m, known: known, index: i})
		if known.Kind == mapping.KindTarget {
			w.targets[known.Target.Index].metrics = append(w.targets[known.Target.Index].metrics, m)
			w.observeStandard(m, i, known.Target)
			items = w.countNormalised(m, known.Target, func(point int) bool { return w.selection.has(i, point) }) || items
		}
	}
	return items
}

// known returns what is known of a name, or nil. Scrapes of an engine have their metrics in one order mostly, so that the
// metric in the same place of the scope before is tried first, which costs less than a look-up.
func (w *metricWalker) known(name string, index int) *mapping.Metric {
	last := &w.lastKnown[index%len(w.lastKnown)]
	if *last == nil || (*last).Name != name {
		*last = w.rules.Metric(name)
	}
	return *last
}

// unmapped notes a name in an engine's namespace that no row is about, unless all points are somebody else's.
func (w *metricWalker) unmapped(m pmetric.Metric, index int, n *mapping.MetricNamespace) {
	if w.saysWhenASeriesBegan(m) {
		return // It comes with another name, which is reported.
	}
	foreign := countPoints(m) > 0
	for i := range countPoints(m) {
		foreign = foreign && (matchesAny(n.ForeignPoints, labelsOf(m, i)) || !w.selection.has(index, i))
	}
	if !foreign && w.selection.hasAny(index, countPoints(m)) && len(w.strangers) < maxStrangers {
		w.strangers = append(w.strangers, stranger{n.Dialect, m.Name()})
	}
}

// countNormalised counts the points that have a standard name and an engine's provider already. So a second
// processor counts what the first one did.
func (w *metricWalker) countNormalised(m pmetric.Metric, target *mapping.MetricTarget, selected func(int) bool) (found bool) {
	for i := range countPoints(m) {
		if !selected(i) {
			continue
		}
		labels := labelsOf(m, i)
		provider := labelText(labels, semconv.ProviderName)
		if d := w.rules.MetricDialect(provider); d != nil {
			w.tally.item(d)
			rules := w.rules.MetricLabels(d, target)
			w.tally.outcomes(d, Conflict, conflicts(labels, rules))
			w.observeConflicts(d, labels, rules)
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
			d := w.owner(s)
			if d != nil {
				w.tally.outcome(d, TypeMismatch)
			}
			w.observeInstrument(s, d)
		case !s.known.Inert || w.observer != nil:
			w.pick(s)
			if s.mismatch != nil {
				w.tally.outcome(s.mismatch.Dialect, TypeMismatch)
				w.observeOutcome(s, s.mismatch, Mismatched)
			}
		}
	}
}

// countPart counts a histogram that arrived in parts, once for all its parts.
func (w *metricWalker) countPart(s *scopeMetric) {
	family := s.known.Sources[0]
	if !w.selection.hasAny(s.index, countPoints(s.metric)) {
		return
	}
	if _, counted := w.families[family.ID]; counted {
		w.observePart(s, 0)
		return
	}
	if w.families == nil {
		w.families = map[int]struct{}{}
	}
	w.families[family.ID] = struct{}{}
	w.tally.outcome(family.Dialect, TypeMismatch)
	w.observePart(s, 1)
}

// owner returns the engine that wrote at least one point of a metric, or nil.
func (w *metricWalker) owner(s *scopeMetric) *mapping.DialectRules {
	for i := range countPoints(s.metric) {
		if !w.selection.has(s.index, i) {
			continue
		}
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
		picks := w.picksOf(s)
		for j := range picks {
			rule := picks[j].rule
			if rule == nil {
				continue
			}
			slot := w.slotFor(rule, labelsOf(s.metric, j))
			picks[j].slot = slot
			if slot.winner == nil || cmp.Or(cmp.Compare(rule.Order, slot.order), cmp.Compare(s.spelling, slot.winner.spelling)) < 0 {
				slot.winner, slot.order = s, rule.Order
			}
		}
	}
	if len(w.otherSlots) > maxOtherSlots {
		w.leaveOtherSlots()
	}
}

// maxOtherSlots bounds how many providers of their own the points of a scope may name. Each takes a walk of its own
// over the points.
const maxOtherSlots = 64

// leaveOtherSlots leaves points where they are that name a provider of their own.
func (w *metricWalker) leaveOtherSlots() {
	for i := range w.metrics {
		s := &w.metrics[i]
		var left *mapping.MetricRule
		for j, p := range w.picksOf(s) {
			if p.slot != nil && p.slot != &w.slots[p.rule.Slot] {
				left = p.rule
				w.picks[s.first+j] = pick{}
				w.observePoint(s, p.rule, Differs)
			}
		}
		if left != nil {
			w.tally.outcome(left.Dialect, Conflict)
			w.observeOutcome(s, left, Differs)
		}
	}
}

// slotFor returns the slot that a point competes for. A provider that a point names already makes it another one.
func (w *metricWalker) slotFor(rule *mapping.MetricRule, labels pcommon.Map) *slotState {
	provider := rule.Provider
	if !lacks(labels, semconv.ProviderName) {
		v, _ := labels.Get(semconv.ProviderName)
		provider = asText(v)
	}
	slot := &w.slots[rule.Slot]
	if provider != rule.Provider {
		key := otherSlot{rule.Slot, provider}
		if slot = w.otherSlots[key]; slot == nil {
			slot = new(slotState)
			if w.otherSlots == nil {
				w.otherSlots = map[otherSlot]*slotState{}
			}
			w.otherSlots[key] = slot
		}
	}
	if slot.winner == nil {
		slot.taken = w.targets[rule.Target.Index].ownerFor(provider)
	}
	return slot
}

// inOrder returns the numbers of the metrics that have picks, in an order that does not depend on that of the scope.
func (w *metricWalker) inOrder() []int {
	w.order = w.order[:0]
	for i := range w.metrics {
		if s := &w.metrics[i]; s.end > s.first {
			w.order = append(w.order, i)
		}
	}
	if len(w.order) > 1 {
		slices.SortStableFunc(w.order, func(a, b int) int {
			x, y := &w.metrics[a], &w.metrics[b]
			return cmp.Or(
				cmp.Compare(x.known.Sources[0].ID, y.known.Sources[0].ID), cmp.Compare(x.known.Name, y.known.Name),
				cmp.Compare(x.metric.Type(), y.metric.Type()), cmp.Compare(temporalityOf(x.metric), temporalityOf(y.metric)),
			)
		})
	}
	return w.order
}

// place brings the points of a metric to where their rules say, slot by slot, and tells whether any were.
func (w *metricWalker) place(s *scopeMetric) (moved bool) {
	w.turns = w.turns[:0]
	for _, p := range w.picksOf(s) {
		if p.slot != nil && p.slot.turn != s {
			p.slot.turn = s
			w.turns = append(w.turns, p)
		}
	}
	for _, turn := range w.turns {
		moved = w.placeSlot(s, turn) || moved
	}
	return moved
}

// placeSlot does so for the points of one slot.
func (w *metricWalker) placeSlot(s *scopeMetric, p pick) bool {
	wanted := func(point int) bool { return w.picks[s.first+point].slot == p.slot }
	wins := p.slot.winner.known == s.known
	fates := w.fatesIn(s, p.slot)
	var fate Fate
	switch {
	case wins && p.slot.taken == nobody:
		fate = w.move(s, p, wanted)
	case wins && w.opts.Originals == KeepOriginals && w.isCopied(s, p.rule, wanted):
		fate = Joined // An earlier processor kept the original too.
	default:
		fate = w.collide(s, p)
	}
	w.observePlaced(s, p, fate, fates)
	return fate == Moved
}

// collide counts that a source keeps its name, unless it is but another name of what the engine has under the target's.
func (w *metricWalker) collide(s *scopeMetric, p pick) Fate {
	if p.rule.Alias && (p.slot.winner.known != s.known || p.slot.taken != unnamed) {
		return Yields
	}
	w.tally.outcome(p.rule.Dialect, Collision)
	return Crowded
}
