// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// What becomes of the labels that may be a standard attribute. A number up to keepBoth is the place of the label in
// the list of the rule, counted from 1, that gets the attribute's name.
const (
	keepLabels   = 0 // none says anything
	keepBoth     = 7 // the attribute is there with another value
	dropLabel    = 8 // added to the place of a label that says the same as the attribute, counted from 0
	decisionBits = 4 // of each decision in a shape
)

// labelShape is all that is decided about a point's labels. Points of one shape stay as different as they were.
type labelShape uint64

// shapeOf decides what becomes of a point's labels.
func shapeOf(attrs pcommon.Map, rule *mapping.MetricRule) labelShape {
	var s labelShape
	for i := range rule.Labels {
		s = s<<decisionBits | labelShape(decide(attrs, &rule.Labels[i]))
	}
	s = s<<1 | bit(lacks(attrs, semconv.ProviderName))
	s = s<<1 | bit(lacks(attrs, semconv.OperationName))
	for _, add := range rule.Add {
		s = s<<1 | bit(lacks(attrs, add.Name))
	}
	return s
}

func bit(b bool) labelShape {
	if b {
		return 1
	}
	return 0
}

// lacks tells whether there is no such label. An empty one is none, as in Prometheus, and so is one without a value.
func lacks(attrs pcommon.Map, name string) bool {
	v, ok := attrs.Get(name)
	return !ok || v.Type() == pcommon.ValueTypeEmpty || v.Type() == pcommon.ValueTypeStr && v.Str() == ""
}

// decide finds the label that says what the attribute is for.
func decide(attrs pcommon.Map, rule *mapping.LabelRule) int {
	standard, _ := attrs.Get(rule.To)
	exists := !lacks(attrs, rule.To)
	for i, from := range rule.From {
		value := labelText(attrs, from)
		if _, not := rule.Not[value]; not {
			continue
		}
		switch {
		case !exists:
			return i + 1
		case standard.Type() == pcommon.ValueTypeStr && standard.Str() == value:
			return dropLabel + i
		default:
			return keepBoth
		}
	}
	return keepLabels
}

// labelText returns a label, or nothing.
func labelText(attrs pcommon.Map, name string) string {
	v, ok := attrs.Get(name)
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return ""
	}
	return v.Str()
}

// conflicts counts the labels that differ from the attribute they would be. Only the best label for an attribute
// counts: others may stand beside it.
func conflicts(attrs pcommon.Map, rules []mapping.LabelRule) (n int64) {
	for i := range rules {
		best := labelText(attrs, rules[i].From[0])
		if _, not := rules[i].Not[best]; not {
			continue
		}
		if v, _ := attrs.Get(rules[i].To); !lacks(attrs, rules[i].To) && asText(v) != best {
			n++
		}
	}
	return n
}

// relabel gives labels their standard names and adds what the rule knows. All is decided before anything is done, so
// that the name that one label gets is no label of another rule.
func relabel(attrs pcommon.Map, rule *mapping.MetricRule) {
	var decisions [16]int
	for i := range rule.Labels {
		decisions[i] = decide(attrs, &rule.Labels[i])
	}
	attrs.EnsureCapacity(attrs.Len() + len(rule.Labels) + 2 + len(rule.Add))
	for i := range rule.Labels {
		label := &rule.Labels[i]
		switch decision := decisions[i]; {
		case decision == keepLabels, decision == keepBoth:
		case decision >= dropLabel:
			removeFirst(attrs, label.From[decision-dropLabel])
		default:
			renameFirst(attrs, label.From[decision-1], label.To)
		}
	}
	putNew(attrs, semconv.ProviderName, rule.Provider)
	putNew(attrs, semconv.OperationName, rule.Operation)
	for _, add := range rule.Add {
		putNew(attrs, add.Name, add.Value)
	}
}

// renameFirst moves the value of an attribute to another name, which costs less than a copy.
func renameFirst(attrs pcommon.Map, from, to string) {
	if _, ok := attrs.Get(from); !ok {
		return // Another rule took it.
	}
	dest := attrs.PutEmpty(to)
	source, _ := attrs.Get(from) // Where it is now: the other one may have made room.
	source.MoveTo(dest)
	removeFirst(attrs, from)
}

func putNew(attrs pcommon.Map, name, value string) {
	if value != "" && lacks(attrs, name) {
		attrs.PutStr(name, value)
	}
}

// removeFirst removes one attribute. A hostile item may have the key twice, and the other stays.
func removeFirst(attrs pcommon.Map, name string) {
	found := false
	attrs.RemoveIf(func(key string, _ pcommon.Value) bool {
		remove := !found && key == name
		found = found || remove
		return remove
	})
}
