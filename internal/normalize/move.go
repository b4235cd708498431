// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatautil"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// move gives the wanted points of a metric the name of the rule's target where it can.
func (w *metricWalker) move(s *scopeMetric, rule *mapping.MetricRule, wanted func(int) bool) Fate {
	target, exists := w.existing(s.metric, rule.Target)
	if len(w.targets[rule.Target.Index]) > 0 && !exists || w.mergesSeries(s.metric, rule, wanted) {
		if w.opts.Originals == KeepOriginals && w.isCopied(s, rule, wanted) {
			return Joined
		}
		return w.collide(rule)
	}
	if !exists && w.opts.Originals != KeepOriginals && w.isAllWanted(s, wanted) {
		target = s.metric
		w.convert(target, s.metric.Unit(), rule)
		setIdentity(target, rule.Target)
		w.countNormalised(target, rule.Target, all)
	} else {
		points := pmetric.NewMetric()
		makeLike(points, s.metric)
		transfer(s.metric, points, wanted, w.opts.Originals)
		w.forgetPicks(s, wanted)
		w.convert(points, s.metric.Unit(), rule)
		w.countNormalised(points, rule.Target, all)
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
		w.targets[rule.Target.Index] = append(w.targets[rule.Target.Index], target)
	}
	return Moved
}

func all(int) bool { return true }

// existing returns the metric of the scope that is the target and can take the points of a source.
func (w *metricWalker) existing(source pmetric.Metric, target *mapping.MetricTarget) (pmetric.Metric, bool) {
	for _, m := range w.targets[target.Index] {
		if m.Unit() == target.Unit && isLike(m, source) {
			return m, true
		}
	}
	return pmetric.Metric{}, false
}

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
	present := map[string]struct{}{}
	for _, m := range w.targets[rule.Target.Index] {
		if m.Unit() == rule.Target.Unit && isLike(m, s.metric) {
			for _, key := range pointKeys(m) {
				present[key] = struct{}{}
			}
		}
	}
	points := pmetric.NewMetric()
	makeLike(points, s.metric)
	transfer(s.metric, points, wanted, KeepOriginals)
	divisor, _ := rule.Divisor(s.metric.Unit())
	scale(points, divisor)
	for i := range countPoints(points) {
		relabel(labelsOf(points, i), rule)
	}
	for _, key := range pointKeys(points) {
		if _, ok := present[key]; !ok {
			return false
		}
	}
	return true
}

// pointKeys returns for each point of a metric what tells it from all others: its labels in any order, and the rest.
func pointKeys(m pmetric.Metric) []string {
	var keys []string
	for i := range countPoints(m) {
		batch := pmetric.NewMetrics()
		one := batch.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
		makeLike(one, m)
		one.Metadata().Clear()
		transfer(m, one, func(point int) bool { return point == i }, KeepOriginals)
		labels := pdatautil.MapHash(labelsOf(one, 0))
		labelsOf(one, 0).Clear()
		data, _ := new(pmetric.ProtoMarshaler).MarshalMetrics(batch) // It has no way to fail.
		keys = append(keys, string(labels[:])+string(data))
	}
	return keys
}
