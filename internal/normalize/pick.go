// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatautil"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// selects tells whether a rule is about a point with these labels.
func selects(rule *mapping.MetricRule, labels pcommon.Map) bool {
	return (len(rule.Only) == 0 || matchesAny(rule.Only, labels)) && !matchesAny(rule.Never, labels)
}

func matchesAny(selectors []mapping.Selector, labels pcommon.Map) bool {
	for _, s := range selectors {
		if matches(s, labels) {
			return true
		}
	}
	return false
}

// matches tells whether all tests hold. An empty label is none, as in Prometheus.
func matches(s mapping.Selector, labels pcommon.Map) bool {
	for i := range s {
		test := &s[i]
		v, ok := labels.Get(test.Label)
		value := ""
		if ok {
			value = asText(v)
		}
		switch {
		case test.Absent:
			if value != "" {
				return false
			}
		case value == "":
			return false
		case test.Values != nil:
			if _, ok := test.Values[value]; !ok {
				return false
			}
		}
	}
	return true
}

// pick finds the rule for each point of a metric: of the first table and row that are about it.
func (w *metricWalker) pick(s *scopeMetric) {
	s.first = len(w.picks)
	for i := range countPoints(s.metric) {
		var p pick
		w.trail = trail{}
		selected := w.selection.has(s.index, i)
		if selected {
			p.rule = w.ruleFor(s, labelsOf(s.metric, i))
		}
		w.picks = append(w.picks, p)
		if p.rule == nil {
			w.observeStay(s, selected)
		}
	}
	s.end = len(w.picks)
	picks := w.picksOf(s)
	w.dropUnfit(s, picks)
}

// picksOf returns what becomes of each point of a metric.
func (w *metricWalker) picksOf(s *scopeMetric) []pick { return w.picks[s.first:s.end] }

func (w *metricWalker) ruleFor(s *scopeMetric, labels pcommon.Map) *mapping.MetricRule {
	for _, source := range s.known.Sources {
		if matchesAny(source.ForeignPoints, labels) {
			w.trail.foreign = true
			continue
		}
		for _, rule := range source.Rules {
			if skip := w.skip(s, rule, labels); skip != noSkip {
				if w.observer != nil {
					w.trail.skipped = append(w.trail.skipped, SkippedRule{rule, skip})
				}
				continue
			}
			if rule.StandardMismatch {
				s.mismatch = rule
			}
			s.spelling = source.Spelling
			w.trail.rule = rule
			if rule.Target == nil {
				return nil
			}
			return rule
		}
	}
	return nil
}

// skip tells why a rule does not decide about a point.
func (w *metricWalker) skip(s *scopeMetric, rule *mapping.MetricRule, labels pcommon.Map) Skip {
	switch {
	case rule.Off:
		return SkipIdle
	case !rule.Instruments.Has(s.instrument):
		return SkipInstrument
	case !selects(rule, labels):
		return SkipLabels
	case rule.Proof != nil && !w.isProven(rule.Proof, labels):
		return SkipUnproven
	case rule.Disproof != nil && w.isProven(rule.Disproof, labels):
		return SkipDisproven
	default:
		return noSkip
	}
}

// proof is what was found in a scope of what proves something.
type proof struct {
	of     *mapping.MetricProof
	found  bool
	values map[string]struct{} // of the label that must agree
}

// isProven tells whether the scope holds a proof for a point with these labels.
func (w *metricWalker) isProven(of *mapping.MetricProof, labels pcommon.Map) bool {
	i := slices.IndexFunc(w.proofs, func(p proof) bool { return p.of == of })
	if i < 0 {
		i = len(w.proofs)
		w.proofs = append(w.proofs, w.findProof(of))
	}
	p := &w.proofs[i]
	if value := labelText(labels, of.SameLabel); value != "" {
		_, ok := p.values[value]
		return ok
	}
	return p.found
}

func (w *metricWalker) findProof(of *mapping.MetricProof) proof {
	p := proof{of: of}
	for i := range w.metrics {
		s := &w.metrics[i]
		if s.known.Kind != mapping.KindSource {
			continue
		}
		for _, source := range s.known.Sources {
			if slices.Contains(of.Sources, source.ID) && s.known.Instruments.Has(instrumentOf(s.metric)) {
				p.add(s.metric, func(labels pcommon.Map) bool { return !matchesAny(source.ForeignPoints, labels) })
			}
		}
	}
	return p
}

// add takes the points of a metric that are proof.
func (p *proof) add(m pmetric.Metric, isProof func(pcommon.Map) bool) {
	for i := range countPoints(m) {
		labels := labelsOf(m, i)
		if !isProof(labels) {
			continue
		}
		p.found = true
		if value := labelText(labels, p.of.SameLabel); value != "" {
			if p.values == nil {
				p.values = map[string]struct{}{}
			}
			p.values[value] = struct{}{}
		}
	}
}

// fitness tells whether the values and labels of a metric can become those of a rule's target: [Moved] if they can.
type fitness struct {
	rule *mapping.MetricRule
	fate Fate
}

// dropUnfit leaves points where they are whose values cannot become those of the target.
func (w *metricWalker) dropUnfit(s *scopeMetric, picks []pick) {
	w.fitness = w.fitness[:0]
	for i := range picks {
		rule := picks[i].rule
		if rule == nil {
			continue
		}
		at := slices.IndexFunc(w.fitness, func(f fitness) bool { return f.rule == rule })
		if at < 0 {
			at = len(w.fitness)
			w.fitness = append(w.fitness, fitness{rule, w.fit(s, rule, picks)})
		}
		if fate := w.fitness[at].fate; fate != Moved {
			picks[i].rule = nil
			w.observePoint(s, rule, fate)
		}
	}
}

// fit tells whether a metric's values and labels can become those of a rule's target, and counts where not.
func (w *metricWalker) fit(s *scopeMetric, rule *mapping.MetricRule, picks []pick) Fate {
	divisor, ok := rule.Divisor(s.metric.Unit())
	if !ok || divisor != 1 && !canScale(s.metric, divisor) {
		if !s.unfit {
			w.tally.outcome(rule.Dialect, NotConvertible)
			w.observeOutcome(s, rule, Unconvertible)
		}
		s.unfit = true
		return Unconvertible
	}
	for _, add := range rule.Add {
		for i := range picks {
			if picks[i].rule != rule {
				continue
			}
			if v, ok := labelsOf(s.metric, i).Get(add.Name); ok && asText(v) != add.Value {
				w.tally.outcome(rule.Dialect, Conflict)
				w.observeOutcome(s, rule, Differs)
				return Differs
			}
		}
	}
	return Moved
}

// dropCopies leaves all but one of the points where they are that are copies of one value. The one may be in another
// metric of the same name, or under the target's name already.
func (w *metricWalker) dropCopies() {
	w.rivals, w.shared = w.rivals[:0], w.shared[:0]
	w.eachCopy(func(s *scopeMetric, _ int, rule *mapping.MetricRule) { w.rivalsOf(s, rule).points++ })
	w.eachRival(func(s *scopeMetric, i int, rule *mapping.MetricRule) {
		shared := w.sharedLabels(s, i, rule)
		w.shared = append(w.shared, shared)
		w.copiesOf(s, rule).add(shared, labelsOf(s.metric, i), rule.OneOf)
	})
	visited := 0
	w.eachRival(func(s *scopeMetric, i int, rule *mapping.MetricRule) {
		best := w.copiesOf(s, rule)[w.shared[visited]]
		visited++
		if compareLabels(labelsOf(s.metric, i), best, rule.OneOf) > 0 {
			w.picks[s.first+i].rule = nil
			w.observePoint(s, rule, Yields)
		}
	})
}

// eachCopy goes through the points of which there may be copies.
func (w *metricWalker) eachCopy(visit func(s *scopeMetric, i int, rule *mapping.MetricRule)) {
	for i := range w.metrics {
		s := &w.metrics[i]
		for j, p := range w.picksOf(s) {
			if p.rule != nil && len(p.rule.OneOf) > 0 {
				visit(s, j, p.rule)
			}
		}
	}
}

// eachRival goes through those that are not the only one, mostly none: telling copies apart is expensive.
func (w *metricWalker) eachRival(visit func(s *scopeMetric, i int, rule *mapping.MetricRule)) {
	if len(w.rivals) == 0 {
		return
	}
	w.eachCopy(func(s *scopeMetric, i int, rule *mapping.MetricRule) {
		if w.rivalsOf(s, rule).points > 1 || len(w.targets[rule.Target.Index].metrics) > 0 {
			visit(s, i, rule)
		}
	})
}

// rivals counts points among which there may be copies.
type rivals struct {
	copiesOf
	points int
}

func (w *metricWalker) rivalsOf(s *scopeMetric, rule *mapping.MetricRule) *rivals {
	key := copiesOf{rule, s.known}
	i := slices.IndexFunc(w.rivals, func(r rivals) bool { return r.copiesOf == key })
	if i < 0 {
		i = len(w.rivals)
		w.rivals = append(w.rivals, rivals{copiesOf: key})
	}
	return &w.rivals[i]
}

// byLabels are the labels of points by those that all copies of a value share.
type byLabels map[[16]byte]pcommon.Map

// add notes a point unless one that goes before it has the same labels.
func (b byLabels) add(shared [16]byte, labels pcommon.Map, names []string) {
	if best, ok := b[shared]; !ok || compareLabels(labels, best, names) < 0 {
		b[shared] = labels
	}
}

// copiesOf are points among which there may be copies: of one name, for one rule.
type copiesOf struct {
	rule *mapping.MetricRule
	name *mapping.Metric
}

// copiesOf returns the points that others are copies of, beginning with those that the target has.
func (w *metricWalker) copiesOf(s *scopeMetric, rule *mapping.MetricRule) byLabels {
	key := copiesOf{rule, s.known}
	if known := w.copies[key]; known != nil {
		return known
	}
	placed := byLabels{}
	labels := pcommon.NewMap()
	for _, m := range w.targets[rule.Target.Index].metrics {
		for i := range countPoints(m) {
			labelsOf(m, i).CopyTo(labels)
			removeLabels(labels, rule.OneOf)
			placed.add(pdatautil.MapHash(labels), labelsOf(m, i), rule.OneOf)
		}
	}
	if w.copies == nil {
		w.copies = map[copiesOf]byLabels{}
	}
	w.copies[key] = placed
	return placed
}

// sharedLabels identifies what the copies of a point will share: all labels but those that tell them apart.
func (w *metricWalker) sharedLabels(s *scopeMetric, i int, rule *mapping.MetricRule) [16]byte {
	labels := pcommon.NewMap()
	labelsOf(s.metric, i).CopyTo(labels)
	relabel(labels, rule)
	removeLabels(labels, rule.OneOf)
	return pdatautil.MapHash(labels)
}

func removeLabels(labels pcommon.Map, names []string) {
	labels.RemoveIf(func(key string, _ pcommon.Value) bool { return slices.Contains(names, key) })
}

// compareLabels orders points by some of their labels, which are numbers mostly. Numbers come before other words.
func compareLabels(a, b pcommon.Map, names []string) int {
	for _, name := range names {
		x, y := labelText(a, name), labelText(b, name)
		m, errM := strconv.Atoi(x)
		n, errN := strconv.Atoi(y)
		var order int
		switch {
		case errM == nil && errN == nil:
			order = cmp.Compare(m, n)
		case errM == nil:
			order = -1
		case errN == nil:
			order = 1
		default:
			order = cmp.Compare(x, y)
		}
		if order != 0 {
			return order
		}
	}
	return 0
}
