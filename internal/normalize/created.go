// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// removal is a set of metrics of a scope, by their numbers.
type removal struct{ marked map[int]struct{} }

func (r *removal) mark(i int) {
	if r.marked == nil {
		r.marked = map[int]struct{}{}
	}
	r.marked[i] = struct{}{}
}

// apply removes the marked metrics and tells whether there were any.
func (r *removal) apply(metrics pmetric.MetricSlice) bool {
	if len(r.marked) == 0 {
		return false
	}
	i := -1
	metrics.RemoveIf(func(pmetric.Metric) bool {
		i++
		_, remove := r.marked[i]
		return remove
	})
	return true
}

const createdSuffix = "_created"

// findCreated finds the gauges that say when a series began: those of the engine's table, and in an engine's scope
// those whose series is there. Another metric may have such a name as well, and stays.
func (w *metricWalker) findCreated() {
	for i := range w.metrics {
		s := &w.metrics[i]
		if s.known.Kind == mapping.KindCreated && s.metric.Type() == pmetric.MetricTypeGauge && w.selection.hasAll(s.index, countPoints(s.metric)) {
			w.created(s.index, s.metric, s.known.Sources[0].Dialect)
		}
	}
	var series map[string]struct{} // by name
	for i, m := range w.scope.Metrics().All() {
		stem, ok := strings.CutSuffix(m.Name(), createdSuffix)
		if !ok || m.Type() != pmetric.MetricTypeGauge || w.rules.Metric(m.Name()) != nil || !w.selection.hasAll(i, countPoints(m)) {
			continue
		}
		if series == nil {
			series = w.seriesWithStart()
		}
		_, plain := series[stem]
		_, total := series[stem+"_total"]
		if plain || total {
			w.created(i, m, nil)
		}
	}
}

// created removes such a gauge where that is asked for.
func (w *metricWalker) created(i int, m pmetric.Metric, d *mapping.DialectRules) {
	if w.opts.CreatedSeries == DropCreatedSeries {
		w.removed.mark(i)
	}
	w.observeCreated(m, d)
}

// seriesWithStart returns the names of the scope's metrics whose series have a beginning.
func (w *metricWalker) seriesWithStart() map[string]struct{} {
	names := map[string]struct{}{}
	for _, m := range w.scope.Metrics().All() {
		switch m.Type() {
		case pmetric.MetricTypeSum, pmetric.MetricTypeHistogram, pmetric.MetricTypeExponentialHistogram, pmetric.MetricTypeSummary:
			names[m.Name()] = struct{}{}
		}
	}
	return names
}
