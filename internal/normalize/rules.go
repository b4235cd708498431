// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// applyRules applies the dialect's rules in the order of the table. The order of the attributes decides nothing.
func (w *walker) applyRules() {
	w.steps = w.steps[:0]
	for i := range w.hits {
		if w.hits[i].key == mapping.NoKey {
			continue
		}
		for _, rule := range w.dialect.Rules(w.hits[i].key) {
			w.steps = append(w.steps, step{order: rule.Order, hit: i, rule: rule})
		}
	}
	slices.SortStableFunc(w.steps, func(a, b step) int { return a.order - b.order })
	for _, s := range w.steps {
		w.apply(s.rule, &w.hits[s.hit])
	}
	w.there = there{}
}

// apply carries the value of one attribute over. A source goes only after its value has arrived, or is there.
func (w *walker) apply(rule *mapping.Rule, h *hit) {
	if w.isUnwantedUsage(rule) {
		h.remove = true
		w.decideRule(Dropped, rule, h)
		return
	}
	if isPlaceholder(rule, h.value) {
		w.decideRule(Placeholder, rule, h)
		return
	}
	if rule.InPlace() && rule.Values == nil && isOf(h.value, rule.Type) {
		w.decideRule(Standard, rule, h)
		return
	}
	v, ok := convert(h.value, rule)
	if !ok {
		w.outcome(NotConvertible)
		w.decideRule(Unconvertible, rule, h)
		return
	}
	if rule.InPlace() {
		fate := Standard
		if !v.isIn(h.value) {
			v.setTo(h.value)
			fate = Converted
		}
		w.decideRule(fate, rule, h)
		return
	}
	fate := Moved
	removes := !rule.Copy && w.opts.Originals != KeepOriginals
	switch target, present := w.lookup(rule.TargetKey); {
	case present && !w.agrees(v, target, rule):
		w.outcome(Conflict)
		w.decideRule(Differs, rule, h)
		return
	case present:
		fate = Joined
	case rule.OmitWhen != nil && v.Scalar == *rule.OmitWhen:
		fate = Omitted
	default:
		w.put(rule.Target, rule.TargetKey, v)
		if removes && rule.Divisor == 1 && h.put == 0 && v.isIn(h.value) {
			h.put = len(w.puts)
			w.puts[h.put-1].carried = true
		}
	}
	if removes {
		h.remove = true
	}
	w.decideRule(fate, rule, h)
}

// isUnwantedUsage tells whether the rule is about token counts of an engine that are to be dropped.
func (w *walker) isUnwantedUsage(rule *mapping.Rule) bool {
	return w.opts.EngineUsage == DropEngineUsage && w.dialect.Layer == mapping.LayerEngine &&
		(w.form == mapping.FormRequest || w.form == mapping.FormStage) && strings.HasPrefix(rule.Target, semconv.UsagePrefix)
}

func isPlaceholder(rule *mapping.Rule, v pcommon.Value) bool {
	if rule.Not == nil || v.Type() != pcommon.ValueTypeStr {
		return false
	}
	_, ok := rule.Not[v.Str()]
	return ok
}

// convert reads an attribute as the rule's target wants it.
func convert(v pcommon.Value, rule *mapping.Rule) (value, bool) {
	c, ok := coerce(v, rule.Type)
	if !ok {
		return value{}, false
	}
	if rule.Divisor != 1 {
		c.Double /= rule.Divisor
	}
	if replaced, ok := rule.Values[c.Str]; ok {
		c.Str = replaced
	}
	return c, true
}

// agrees tells whether a target that is there already says what the source says, be it in another type or in a spelling
// that the rule replaces.
func (w *walker) agrees(v, target value, rule *mapping.Rule) bool {
	if w.there.rule != rule {
		w.there = readTarget(target, rule)
	}
	return w.there.ok && v.equal(&w.there.value)
}

// there is a target as the values of a rule are compared with it. A hostile item may have the rule's source many times,
// one step after the other, and then reading a long target for each would be quadratic.
type there struct {
	rule  *mapping.Rule
	value value
	ok    bool
}

func readTarget(target value, rule *mapping.Rule) there {
	v, ok := coerce(target.toPdata(), rule.Type)
	if replaced, has := rule.Values[v.Str]; has {
		v.Str = replaced
	}
	if v.Type == semconv.StringArray {
		v = valueOf(v.toPdata())
	}
	return there{rule, v, ok}
}
