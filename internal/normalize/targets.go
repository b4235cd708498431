// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatautil"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// targetState is what the current scope has under the name of a target. What is known of its points is worked out
// when it is first asked for and kept up while points arrive, so that the work does not grow with their square.
type targetState struct {
	metrics []pmetric.Metric
	// kinds are those of the first so many metrics that have the target's unit and can take different points.
	kinds  []pmetric.Metric
	sorted int
	// providers are those of points that were there before, with "" for points that name none.
	providers map[string]struct{}
	// labels identify all points, and points say all that there is of each, with its values.
	labels map[[16]byte]struct{}
	points map[string]struct{}
}

func (t *targetState) forget() {
	clear(t.metrics)
	clear(t.kinds)
	*t = targetState{metrics: t.metrics[:0], kinds: t.kinds[:0]}
}

// maxKinds is more than there are of instruments and temporalities. Data may hold numbers that stand for none.
const maxKinds = 32

// existing returns the metric of the scope that is the target and can take the points of a source.
func (t *targetState) existing(source pmetric.Metric, target *mapping.MetricTarget) (pmetric.Metric, bool) {
	for ; t.sorted < len(t.metrics); t.sorted++ {
		m := t.metrics[t.sorted]
		if _, known := t.like(m); !known && m.Unit() == target.Unit && len(t.kinds) < maxKinds {
			t.kinds = append(t.kinds, m)
		}
	}
	return t.like(source)
}

func (t *targetState) like(source pmetric.Metric) (pmetric.Metric, bool) {
	for _, m := range t.kinds {
		if isLike(m, source) {
			return m, true
		}
	}
	return pmetric.Metric{}, false
}

// owner tells whose the points are that a slot finds under the target's name.
type owner uint8

const (
	nobody    owner = iota
	unnamed         // points without a provider
	sameOwner       // points of the slot's own provider
)

// ownerFor returns whose points stand in the way of those of a provider: of any other there may be some.
func (t *targetState) ownerFor(provider string) owner {
	if len(t.metrics) == 0 {
		return nobody
	}
	if t.providers == nil {
		t.providers = map[string]struct{}{}
		for _, m := range t.metrics {
			for i := range countPoints(m) {
				t.providers[labelText(labelsOf(m, i), semconv.ProviderName)] = struct{}{}
			}
		}
	}
	if _, ok := t.providers[provider]; ok && provider != "" {
		return sameOwner
	}
	if _, ok := t.providers[""]; ok {
		return unnamed
	}
	return nobody
}

// identities returns what identifies the points.
func (t *targetState) identities() map[[16]byte]struct{} {
	if t.labels == nil {
		t.labels = map[[16]byte]struct{}{}
		for _, m := range t.metrics {
			t.addIdentities(m)
		}
	}
	return t.labels
}

func (t *targetState) addIdentities(m pmetric.Metric) {
	for i := range countPoints(m) {
		t.labels[pdatautil.MapHash(labelsOf(m, i))] = struct{}{}
	}
}

// contents returns what there is of points in the unit of the target.
func (t *targetState) contents(target *mapping.MetricTarget) map[string]struct{} {
	if t.points == nil {
		t.points = map[string]struct{}{}
		for _, m := range t.metrics {
			if m.Unit() == target.Unit {
				t.addContents(m)
			}
		}
	}
	return t.points
}

func (t *targetState) addContents(m pmetric.Metric) {
	for i := range countPoints(m) {
		t.points[pointKey(m, i)] = struct{}{}
	}
}

// add keeps up what is known when points arrive.
func (t *targetState) add(points pmetric.Metric) {
	if t.labels != nil {
		t.addIdentities(points)
	}
	if t.points != nil {
		t.addContents(points)
	}
}

// pointKey returns what tells a point from all others: its labels in any order, and the rest.
func pointKey(m pmetric.Metric, i int) string {
	batch := pmetric.NewMetrics()
	one := batch.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	makeLike(one, m)
	one.Metadata().Clear()
	copyPoint(m, one, i)
	labels := pdatautil.MapHash(labelsOf(one, 0))
	labelsOf(one, 0).Clear()
	data, _ := new(pmetric.ProtoMarshaler).MarshalMetrics(batch) // It has no way to fail.
	return string(labels[:]) + string(data)
}

// mergesSeries tells whether one of the wanted points would have the same labels afterwards as another or as one that
// the target has. Where the target is new that takes points of different shapes: whatever is done to all alike leaves
// them different.
func (w *metricWalker) mergesSeries(m pmetric.Metric, rule *mapping.MetricRule, wanted func(int) bool) bool {
	target := &w.targets[rule.Target.Index]
	if len(target.metrics) == 0 && hasOneShape(m, rule, wanted) {
		return false
	}
	present := target.identities()
	before, after := map[[16]byte]struct{}{}, map[[16]byte]struct{}{}
	labels := pcommon.NewMap()
	for i := range countPoints(m) {
		if !wanted(i) {
			continue
		}
		labelsOf(m, i).CopyTo(labels)
		before[pdatautil.MapHash(labels)] = struct{}{}
		relabel(labels, rule)
		hash := pdatautil.MapHash(labels)
		if _, ok := present[hash]; ok {
			return true
		}
		after[hash] = struct{}{}
	}
	return len(after) < len(before)
}

func hasOneShape(m pmetric.Metric, rule *mapping.MetricRule, wanted func(int) bool) bool {
	first, known := labelShape(0), false
	for i := range countPoints(m) {
		if !wanted(i) {
			continue
		}
		s := shapeOf(labelsOf(m, i), rule)
		if known && s != first {
			return false
		}
		first, known = s, true
	}
	return true
}
