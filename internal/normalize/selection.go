// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// selection says which points of a scope's metrics are processed. The zero value says all.
type selection struct {
	metrics []metricSelection
	points  []bool
}

// metricSelection is a verdict about all points of a metric, or where those about single points begin.
type metricSelection struct {
	verdict verdict
	first   int
}

func (s *selection) clear() {
	s.metrics, s.points = s.metrics[:0], s.points[:0]
}

// has tells whether a point of the scope's i-th metric is processed.
func (s *selection) has(metric, point int) bool {
	if metric >= len(s.metrics) {
		return true
	}
	m := s.metrics[metric]
	return m.verdict == process || m.verdict == ask && s.points[m.first+point]
}

// hasAny tells whether any of a metric's points is.
func (s *selection) hasAny(metric, points int) bool {
	for i := range points {
		if s.has(metric, i) {
			return true
		}
	}
	return points == 0 && (metric >= len(s.metrics) || s.metrics[metric].verdict == process)
}

// hasAll tells whether all of them are.
func (s *selection) hasAll(metric, points int) bool {
	for i := range points {
		if !s.has(metric, i) {
			return false
		}
	}
	return true
}

// selectPoints asks the conditions about the metrics of a scope, before anything is changed.
func (w *metricWalker) selectPoints(ctx context.Context, rm pmetric.ResourceMetrics) error {
	conditions := &w.opts.MetricConditions
	for _, m := range w.scope.Metrics().All() {
		v, err := conditions.ofItem(ctx, rm, w.scope, m)
		if err != nil {
			return err
		}
		w.selection.metrics = append(w.selection.metrics, metricSelection{v, len(w.selection.points)})
		if v != ask {
			continue
		}
		for i := range countPoints(m) {
			holds, err := conditions.ofPoint(ctx, rm, w.scope, m, pointOf(m, i))
			if err != nil {
				return err
			}
			w.selection.points = append(w.selection.points, holds)
		}
	}
	return nil
}
