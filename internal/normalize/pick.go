// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatautil"
	"go.opentelemetry.io/collector/pdata/pcommon"

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
			value = v.AsString()
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
	w.dropCopies(s, picks)
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
	case !w.isProven(rule, labels):
		return SkipUnproven
	default:
		return noSkip
	}
}

// proof is what was found in a scope for a rule that needs proof.
type proof struct {
	rule   *mapping.MetricRule
	found  bool
	values map[string]struct{} // of the label that must agree
}

// isProven tells whether the scope holds what the rule needs as proof.
func (w *metricWalker) isProven(rule *mapping.MetricRule, labels pcommon.Map) bool {
	if rule.Proof == nil {
		return true
	}
	i := slices.IndexFunc(w.proofs, func(p proof) bool { return p.rule == rule })
	if i < 0 {
		i = len(w.proofs)
		w.proofs = append(w.proofs, w.findProof(rule))
	}
	p := &w.proofs[i]
	if value := labelText(labels, rule.Proof.SameLabel); value != "" {
		_, ok := p.values[value]
		return ok
	}
	return p.found
}

func (w *metricWalker) findProof(rule *mapping.MetricRule) proof {
	p := proof{rule: rule}
	for i := range w.metrics {
		s := &w.metrics[i]
		if s.known.Kind != mapping.KindSource || !slices.ContainsFunc(s.known.Sources, func(source *mapping.MetricSource) bool {
			return slices.Contains(rule.Proof.Sources, source.ID)
		}) {
			continue
		}
		p.found = true
		if rule.Proof.SameLabel == "" {
			return p
		}
		for i := range countPoints(s.metric) {
			if value := labelText(labelsOf(s.metric, i), rule.Proof.SameLabel); value != "" {
				if p.values == nil {
					p.values = map[string]struct{}{}
				}
				p.values[value] = struct{}{}
			}
		}
	}
	return p
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
			if v, ok := labelsOf(s.metric, i).Get(add.Name); ok && v.AsString() != add.Value {
				w.tally.outcome(rule.Dialect, Conflict)
				w.observeOutcome(s, rule, Differs)
				return Differs
			}
		}
	}
	return Moved
}

// dropCopies leaves all but one of the points where they are that are copies of one value. The one may be under the
// target's name already.
func (w *metricWalker) dropCopies(s *scopeMetric, picks []pick) {
	var originals map[*mapping.MetricRule]byLabels
	labels := pcommon.NewMap()
	shared := func(i int, rule *mapping.MetricRule) [16]byte {
		labelsOf(s.metric, i).CopyTo(labels)
		relabel(labels, rule)
		return sharedLabels(labels, rule)
	}
	for i := range picks {
		rule := picks[i].rule
		if rule == nil || len(rule.OneOf) == 0 {
			continue
		}
		if originals == nil {
			originals = map[*mapping.MetricRule]byLabels{}
		}
		if originals[rule] == nil {
			originals[rule] = w.placedPoints(rule)
		}
		own, key := labelsOf(s.metric, i), shared(i, rule)
		if best, ok := originals[rule][key]; !ok || compareLabels(own, best, rule.OneOf) < 0 {
			originals[rule][key] = own
		}
	}
	for i := range picks {
		rule := picks[i].rule
		if rule == nil || len(rule.OneOf) == 0 {
			continue
		}
		if compareLabels(labelsOf(s.metric, i), originals[rule][shared(i, rule)], rule.OneOf) > 0 {
			picks[i].rule = nil
			w.observePoint(s, rule, Yields)
		}
	}
}

// byLabels are the labels of points by those that all copies of a value share.
type byLabels map[[16]byte]pcommon.Map

// sharedLabels identifies what the copies of a value share. It takes the labels away that tell them apart.
func sharedLabels(labels pcommon.Map, rule *mapping.MetricRule) [16]byte {
	labels.RemoveIf(func(key string, _ pcommon.Value) bool { return slices.Contains(rule.OneOf, key) })
	return pdatautil.MapHash(labels)
}

// placedPoints returns the points that the rule's target has already.
func (w *metricWalker) placedPoints(rule *mapping.MetricRule) byLabels {
	placed := byLabels{}
	labels := pcommon.NewMap()
	for _, m := range w.targets[rule.Target.Index] {
		for i := range countPoints(m) {
			labelsOf(m, i).CopyTo(labels)
			placed[sharedLabels(labels, rule)] = labelsOf(m, i)
		}
	}
	return placed
}

// compareLabels orders points by some of their labels, which are numbers mostly.
func compareLabels(a, b pcommon.Map, names []string) int {
	for _, name := range names {
		x, y := labelText(a, name), labelText(b, name)
		m, errM := strconv.Atoi(x)
		n, errN := strconv.Atoi(y)
		order := cmp.Compare(x, y)
		if errM == nil && errN == nil {
			order = cmp.Compare(m, n)
		}
		if order != 0 {
			return order
		}
	}
	return 0
}
