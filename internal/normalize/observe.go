// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	conventions "go.opentelemetry.io/otel/semconv/v1.41.0"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// Everything in this file does nothing without an observer.

// seenItem is what was told of the current item.
type seenItem struct {
	before []pcommon.Value // by the index of the attribute
	told   []bool
	// nanoseconds tells in which unit latencies came.
	nanoseconds bool
}

// observeItem tells of an item, and keeps what it looks like.
func (w *walker) observeItem(why mapping.Recognition) {
	w.seen = seenItem{}
	for _, v := range w.attrs.All() {
		before := pcommon.NewValueEmpty()
		v.CopyTo(before)
		w.seen.before = append(w.seen.before, before)
	}
	w.seen.told = make([]bool, len(w.seen.before))
	w.observer.Recognised(w.dialect, w.form, why)
}

func (w *walker) decide(f *AttributeFate) {
	if w.observer != nil {
		w.observer.Attribute(*f)
	}
}

func (w *walker) decideFill(name, v string) {
	if w.observer != nil {
		w.observer.Attribute(AttributeFate{Fate: Filled, Target: name, Added: true, After: pcommon.NewValueStr(v)})
	}
}

// decideLatency tells of a latency that an operator should look at.
func (w *walker) decideLatency(fate Fate, h *hit) {
	if w.observer == nil {
		return
	}
	f := AttributeFate{Fate: fate, Source: h.name, Idle: w.dialect.Idle(h.name)}
	if fate == Unconvertible {
		w.seen.told[h.index] = true
		f.Before = w.seen.before[h.index]
	} else {
		f.After = h.value
	}
	w.observer.Attribute(f)
}

// decideRule tells what a rule makes of an attribute.
func (w *walker) decideRule(fate Fate, rule *mapping.Rule, h *hit) {
	if w.observer == nil {
		return
	}
	if !rule.Copy {
		w.seen.told[h.index] = true
	}
	f := AttributeFate{
		Fate: fate, Source: rule.Source, Target: rule.Target, Rule: rule, Idle: w.dialect.Idle(rule.Source),
		Added: fate == Moved, Removed: h.remove, Before: w.seen.before[h.index],
	}
	if d := w.dialect.Durations; d != nil && isDuration(d, h.name) && w.seen.nanoseconds {
		f.Divisor = nanosecondsPerSecond
	} else if rule.Divisor != 1 {
		f.Divisor = rule.Divisor
	}
	switch fate {
	case Moved:
		f.After = w.puts[len(w.puts)-1].value.toPdata()
	case Converted, Standard:
		f.After = h.value
	}
	w.observer.Attribute(f)
}

// observeRest tells of the attributes that nothing was told of.
func (w *walker) observeRest() {
	if w.observer == nil {
		return
	}
	i := -1
	for name, v := range w.attrs.All() {
		i++
		f := AttributeFate{Source: name, Idle: w.dialect.Idle(name), Before: w.seen.before[i], After: v}
		changed := !v.Equal(f.Before)
		d := w.dialect.Durations
		switch {
		case w.seen.told[i]:
			continue
		case changed && d != nil && isDuration(d, name):
			f.Fate, f.Target = Converted, name
			if w.seen.nanoseconds {
				f.Divisor = nanosecondsPerSecond
			}
		case changed:
			continue // The name of an event, or of the dialect.
		}
		w.observer.Attribute(f)
	}
}

func observeServiceName(o Observer, name string) {
	if o != nil {
		o.Attribute(AttributeFate{
			Fate: Filled, Subject: ResourceAttribute, Target: string(conventions.ServiceNameKey), Added: true, After: pcommon.NewValueStr(name),
		})
	}
}

func observeSchemaURL(o Observer, before, after string) {
	if o != nil && before != after {
		o.Attribute(AttributeFate{Fate: Filled, Subject: SchemaURLOfScope, Target: after})
	}
}

// trail is how the row was found that decides about a point.
type trail struct {
	rule    *mapping.MetricRule
	skipped []SkippedRule
	foreign bool
}

// metricFate returns what is told of any metric, of one point.
func metricFate(s *scopeMetric, fate Fate, rule *mapping.MetricRule) MetricFate {
	f := MetricFate{
		Fate: fate, Source: s.known.Name, Unit: s.metric.Unit(), Instrument: instrumentOf(s.metric), Rule: rule, Points: 1,
		Dialect: s.known.Sources[0].Dialect,
	}
	if rule != nil {
		f.Dialect = rule.Dialect
	}
	return f
}

// observeStay tells of a point that no row moves.
func (w *metricWalker) observeStay(s *scopeMetric, selected bool) {
	if w.observer == nil {
		return
	}
	f := metricFate(s, Stays, w.trail.rule)
	f.Skipped = w.trail.skipped
	switch {
	case !selected:
		f.Fate = Unselected
	case w.trail.rule == nil && w.trail.foreign:
		f.Fate = Foreign
	case w.trail.rule != nil && w.trail.rule.StandardMismatch:
		f.Fate = Mismatched
	}
	w.observer.Metric(f)
}

// observePoint tells of a point that its row does not move after all.
func (w *metricWalker) observePoint(s *scopeMetric, rule *mapping.MetricRule, fate Fate) {
	if w.observer != nil {
		w.observer.Metric(metricFate(s, fate, rule))
	}
}

// observeOutcome tells that something was counted, of points that are told of one by one.
func (w *metricWalker) observeOutcome(s *scopeMetric, rule *mapping.MetricRule, fate Fate) {
	if w.observer != nil {
		f := metricFate(s, fate, rule)
		f.Points, f.Outcomes = 0, 1
		w.observer.Metric(f)
	}
}

// observeInstrument tells of a metric that is another instrument than the rows about it; no engine's if d is nil.
func (w *metricWalker) observeInstrument(s *scopeMetric, d *mapping.DialectRules) {
	if w.observer == nil {
		return
	}
	f := metricFate(s, Foreign, nil)
	if d != nil {
		f.Fate, f.Dialect, f.Outcomes = Mismatched, d, 1
		f.Rule = s.known.Sources[slices.IndexFunc(s.known.Sources, func(source *mapping.MetricSource) bool {
			return source.Dialect == d
		})].Rules[0]
	}
	f.Points = countPoints(s.metric)
	w.observer.Metric(f)
}

// observePart tells of a series of a histogram that arrived on its own.
func (w *metricWalker) observePart(s *scopeMetric, outcomes int) {
	if w.observer != nil {
		f := metricFate(s, Mismatched, s.known.Sources[0].Rules[0])
		f.IsPart, f.Points, f.Outcomes = true, countPoints(s.metric), outcomes
		w.observer.Metric(f)
	}
}

func (w *metricWalker) observeCreated(m pmetric.Metric, d *mapping.DialectRules) {
	if w.observer == nil {
		return
	}
	f := MetricFate{Fate: Created, Source: m.Name(), Unit: m.Unit(), Instrument: instrumentOf(m), Dialect: d, Points: countPoints(m)}
	if w.opts.CreatedSeries == DropCreatedSeries {
		f.Fate, f.Removed = Dropped, true
	}
	w.observer.Metric(f)
}

// observeStandard tells of points that have the name of a target already.
func (w *metricWalker) observeStandard(m pmetric.Metric, index int, target *mapping.MetricTarget) {
	if w.observer == nil {
		return
	}
	for i := range countPoints(m) {
		fate := Standard
		if !w.selection.has(index, i) {
			fate = Unselected
		}
		w.observer.Metric(MetricFate{
			Fate: fate, Source: m.Name(), Unit: m.Unit(), Instrument: instrumentOf(m), Target: target, Points: 1,
			Dialect: w.rules.MetricDialect(labelText(labelsOf(m, i), semconv.ProviderName)),
		})
	}
}

// fatesIn begins to tell of the points of a metric that compete for a slot, row by row.
func (w *metricWalker) fatesIn(s *scopeMetric, slot *slotState) (fates []MetricFate) {
	if w.observer == nil {
		return nil
	}
	for _, p := range w.picksOf(s) {
		if p.slot != slot {
			continue
		}
		i := slices.IndexFunc(fates, func(f MetricFate) bool { return f.Rule == p.rule })
		if i < 0 {
			fates = append(fates, metricFate(s, Moved, p.rule))
		} else {
			fates[i].Points++
		}
	}
	return fates
}

// observePlaced tells what became of them.
func (w *metricWalker) observePlaced(s *scopeMetric, p pick, fate Fate, fates []MetricFate) {
	for i := range fates {
		f := &fates[i]
		f.Fate, f.Target = fate, p.rule.Target
		switch fate {
		case Moved:
			f.Added, f.Removed = true, w.opts.Originals != KeepOriginals
			if divisor, _ := p.rule.Divisor(f.Unit); divisor != 1 {
				f.Divisor = divisor
			}
		case Crowded:
			if i == 0 {
				f.Outcomes = 1
			}
			fallthrough
		default:
			f.Winner = p.rule.Target.Name
			if p.slot.winner.known != s.known {
				f.Winner = p.slot.winner.known.Name
			}
		}
		w.observer.Metric(*f)
	}
}

// observeLabels tells what [relabel] is about to do.
func (w *metricWalker) observeLabels(attrs pcommon.Map, rule *mapping.MetricRule) {
	if w.observer == nil {
		return
	}
	removed := w.opts.Originals != KeepOriginals // The labels are those of a copy otherwise.
	for i := range rule.Labels {
		label := &rule.Labels[i]
		f := LabelFate{Dialect: rule.Dialect, Target: label.To}
		switch decision := decide(attrs, label); {
		case decision == keepLabels:
			for _, f.Source = range label.From {
				if labelText(attrs, f.Source) != "" {
					f.Fate = Placeholder
					w.observer.Label(f)
				}
			}
			continue
		case decision == keepBoth:
			continue // A conflict, where it is one.
		case decision >= dropLabel:
			f.Fate, f.Source, f.Removed = Joined, label.From[decision-dropLabel], removed
		default:
			f.Fate, f.Source, f.Added, f.Removed = Moved, label.From[decision-1], true, removed
		}
		w.observer.Label(f)
	}
	added := append([]mapping.Label{{Name: semconv.ProviderName, Value: rule.Provider}, {Name: semconv.OperationName, Value: rule.Operation}}, rule.Add...)
	for _, add := range added {
		comes := slices.ContainsFunc(rule.Labels, func(l mapping.LabelRule) bool {
			d := decide(attrs, &l)
			return l.To == add.Name && d > keepLabels && d < keepBoth
		})
		if add.Value != "" && lacks(attrs, add.Name) && !comes {
			w.observer.Label(LabelFate{Fate: Filled, Dialect: rule.Dialect, Target: add.Name, Added: true})
		}
	}
}

// observeConflicts tells of labels that differ from the attribute they would be.
func (w *metricWalker) observeConflicts(d *mapping.DialectRules, labels pcommon.Map, rules []mapping.LabelRule) {
	if w.observer == nil {
		return
	}
	for i := range rules {
		for range conflicts(labels, rules[i:i+1]) {
			w.observer.Label(LabelFate{Fate: Differs, Dialect: d, Source: rules[i].From[0], Target: rules[i].To})
		}
	}
}
