// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// removal is a set of metrics, scopes or resources, by their numbers.
type removal map[int]struct{}

func (r *removal) mark(i int) {
	if *r == nil {
		*r = removal{}
	}
	(*r)[i] = struct{}{}
}

// removeMarked removes what is marked of a list, and tells whether there was anything.
func removeMarked[E any, S interface{ RemoveIf(func(E) bool) }](r removal, list S) bool {
	if len(r) == 0 {
		return false
	}
	i := -1
	list.RemoveIf(func(E) bool {
		i++
		_, remove := r[i]
		return remove
	})
	return true
}

const createdSuffix = "_created"

// findCreated finds the gauges that say when a series began: those of the engine's table, and in an engine's scope
// those whose series is there. Another metric may have such a name as well, and stays.
func (w *metricWalker) findCreated(isEngines bool) {
	for i := range w.metrics {
		s := &w.metrics[i]
		isEngines = isEngines || s.known.Kind == mapping.KindPart || s.known.Kind == mapping.KindSource && w.owner(s) != nil
		if s.known.Kind == mapping.KindCreated && s.metric.Type() == pmetric.MetricTypeGauge && w.selection.hasAll(s.index, countPoints(s.metric)) {
			isEngines = true
			w.created(s.index, s.metric, s.known.Sources[0].Dialect)
		}
	}
	if !isEngines {
		return
	}
	for i, m := range w.scope.Metrics().All() {
		if w.saysWhenASeriesBegan(m) && w.rules.Metric(m.Name()) == nil && w.selection.hasAll(i, countPoints(m)) {
			w.created(i, m, nil)
		}
	}
}

// saysWhenASeriesBegan tells whether a metric is called X_created and the scope has X.
func (w *metricWalker) saysWhenASeriesBegan(m pmetric.Metric) bool {
	stem, ok := strings.CutSuffix(m.Name(), createdSuffix)
	if !ok || m.Type() != pmetric.MetricTypeGauge {
		return false
	}
	if w.series == nil {
		w.series = w.seriesWithStart()
	}
	_, plain := w.series[stem]
	_, total := w.series[stem+"_total"]
	return plain || total
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
