// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// move gives the wanted points of a metric the name of the rule's target where it can.
func (w *metricWalker) move(s *scopeMetric, p pick, wanted func(int) bool) Fate {
	rule := p.rule
	state := &w.targets[rule.Target.Index]
	target, exists := state.existing(s.metric, rule.Target)
	if len(state.metrics) > 0 && !exists || w.mergesSeries(s.metric, rule, wanted) {
		if w.opts.Originals == KeepOriginals && w.isCopied(s, rule, wanted) {
			return Joined
		}
		return w.collide(s, p)
	}
	if !exists && w.opts.Originals != KeepOriginals && w.isAllWanted(s, wanted) {
		target = s.metric
		w.convert(target, s.metric.Unit(), rule)
		setIdentity(target, rule.Target)
		w.countNormalised(target, rule.Target, all)
		state.add(target)
	} else {
		points := pmetric.NewMetric()
		makeLike(points, s.metric)
		transfer(s.metric, points, wanted, w.opts.Originals)
		w.forgetPicks(s, wanted)
		w.convert(points, s.metric.Unit(), rule)
		w.countNormalised(points, rule.Target, all)
		state.add(points)
		if !exists {
			target = w.scope.Metrics().AppendEmpty()
			makeLike(target, s.metric)
			setIdentity(target, rule.Target)
		}
		transfer(points, target, all, DropOriginals)
		if countPoints(s.metric) == 0 {
			w.removed.mark(s.index)
		}
	}
	if !exists {
		state.metrics = append(state.metrics, target)
	}
	return Moved
}

func all(int) bool { return true }

func (w *metricWalker) isAllWanted(s *scopeMetric, wanted func(int) bool) bool {
	if s.end-s.first != countPoints(s.metric) {
		return false // Some went elsewhere before.
	}
	for i := range s.end - s.first {
		if !wanted(i) {
			return false
		}
	}
	return true
}

// forgetPicks keeps the picks of a metric in step with its points.
func (w *metricWalker) forgetPicks(s *scopeMetric, gone func(int) bool) {
	if w.opts.Originals == KeepOriginals {
		return
	}
	kept := s.first
	for i := s.first; i < s.end; i++ {
		if !gone(i - s.first) {
			w.picks[kept] = w.picks[i]
			kept++
		}
	}
	s.end = kept
}

func setIdentity(m pmetric.Metric, target *mapping.MetricTarget) {
	m.SetName(target.Name)
	m.SetUnit(target.Unit)
	m.SetDescription(target.Description)
}

// convert makes values and labels those of the rule's target.
func (w *metricWalker) convert(m pmetric.Metric, unit string, rule *mapping.MetricRule) {
	divisor, _ := rule.Divisor(unit)
	scale(m, divisor)
	for i := range countPoints(m) {
		w.observeLabels(labelsOf(m, i), rule)
		relabel(labelsOf(m, i), rule)
	}
}

// isCopied tells whether all wanted points of a metric are in the scope under the target's name already.
func (w *metricWalker) isCopied(s *scopeMetric, rule *mapping.MetricRule, wanted func(int) bool) bool {
	present := w.targets[rule.Target.Index].contents(rule.Target)
	points := pmetric.NewMetric()
	makeLike(points, s.metric)
	transfer(s.metric, points, wanted, KeepOriginals)
	divisor, _ := rule.Divisor(s.metric.Unit())
	scale(points, divisor)
	for i := range countPoints(points) {
		relabel(labelsOf(points, i), rule)
		if _, ok := present[pointKey(points, i)]; !ok {
			return false
		}
	}
	return true
}
