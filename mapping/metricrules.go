// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"strings"

	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// Metric is what is known of a metric's name.
type Metric struct {
	Name string
	Kind MetricKind
	// Sources are what tables say about the name, of a source in the order of their rows.
	Sources []*MetricSource
	// Target is set where the name is one that rules lead to.
	Target *MetricTarget
	// Inert tells that nothing is ever done with a metric of this name and an instrument of a row's.
	Inert bool
	// Instruments are those of all rows.
	Instruments InstrumentSet
}

// MetricKind is the role of a name.
type MetricKind uint8

// The kinds.
const (
	// KindSource is a name that rows are about.
	KindSource MetricKind = iota
	// KindTarget is a name that rules lead to.
	KindTarget
	// KindPart is the series of a histogram that arrived on its own: X_bucket, X_sum or X_count.
	KindPart
	// KindCreated is X_created, the time at which a series of X began.
	KindCreated
)

// MetricSource is one metric of an engine, whichever way its name is spelt.
type MetricSource struct {
	// ID is the same for all spellings and numbers sources from 0.
	ID      int
	Dialect *DialectRules
	// Spelling orders the spellings of a source: of several in one scope the lowest is used.
	Spelling int
	// Rules are tried in order for each point. The first that is about it decides.
	Rules []*MetricRule
	// ForeignPoints are those that others write under the engine's names.
	ForeignPoints []Selector
}

// MetricRule is a row of a metric, compiled for a target.
type MetricRule struct {
	Row     *MetricRow
	ID      string
	Dialect *DialectRules
	// Instruments are those that the row is about.
	Instruments InstrumentSet
	// Off tells that target, options or version switch the row off: it decides nothing. It follows from why it is idle,
	// and is asked for every point.
	Off bool
	// Idle says why the row does nothing, be it off or one that decides that points stay.
	Idle Idle
	// Target is where the points go, nil where they stay.
	Target *MetricTarget
	// StandardMismatch tells that a kept name is the spelling with underscores of a standard metric that is another
	// instrument. An exporter would write both under one name.
	StandardMismatch bool
	// Slot is the same for all rules of which one may fill the target. Order decides which: the lowest.
	Slot, Order int
	// Alias yields without a word.
	Alias bool
	// Only and Never select the points. Of a list any may match; an empty Only means all.
	Only, Never []Selector
	// Proof must be found in the scope, and Disproof must not, unless they are nil.
	Proof, Disproof *MetricProof
	// OneOf are labels that tell copies apart.
	OneOf []string
	// Labels are the labels to rename.
	Labels []LabelRule
	// Provider, Operation and Add are attributes to add where a point has none of the name. Empty ones are not.
	Provider, Operation string
	Add                 []Label

	unit    string
	divisor float64
}

// MetricTarget is a metric that rules lead to.
type MetricTarget struct {
	// Index numbers targets from 0.
	Index                   int
	Name, Unit, Description string
	Instrument              Instrument
}

// Label is an attribute of a data point.
type Label struct{ Name, Value string }

// LabelRule renames a label.
type LabelRule struct {
	// From are the labels, best first.
	From []string
	To   string
	// Not are values that say nothing.
	Not map[string]struct{}
}

// MetricProof is another metric that proves something about this one.
type MetricProof struct {
	// Sources are the ids of the metrics of which one suffices.
	Sources []int
	// SameLabel must agree where a point has it; empty if there is none.
	SameLabel string
}

// Selector selects points: all tests must hold.
type Selector []LabelTest

// LabelTest asks for a label, for one of its values, or for its absence.
type LabelTest struct {
	Label string
	// Absent asks that there is no such label. Otherwise Values are asked for, and nil means any.
	Absent bool
	Values map[string]struct{}
}

// InstrumentSet is a set of instruments.
type InstrumentSet uint8

// Has tells whether the instrument is in the set.
func (s InstrumentSet) Has(i Instrument) bool { return s&instrumentBit(i) != 0 }

func instrumentBit(i Instrument) InstrumentSet {
	for n, known := range instruments {
		if known == i {
			return 1 << n
		}
	}
	return 0
}

// Divisor returns what values are divided by to be in the target's unit. An item's own unit counts more than what
// the row says of it, for it is the writer's. The second result is false where there is no factor.
func (r *MetricRule) Divisor(unit string) (float64, bool) {
	if unit == "" || unit == r.unit {
		return r.divisor, true
	}
	if word, ok := unitWords[unit]; ok {
		unit = word
	}
	return unitDivisor(unit, r.Target.Unit)
}

// unitWords are spellings of units that are not UCUM: those of OpenMetrics, and what people write.
var unitWords = map[string]string{
	"seconds":      unitSeconds,
	"milliseconds": "ms",
	"microseconds": "us",
	"nanoseconds":  unitNanoseconds,
	"percent":      "%",
	"ratio":        "1",
}

// unitDivisor returns what a value in a unit is divided by to be in another.
func unitDivisor(from, to string) (float64, bool) {
	if divisor, ok := divisors[[2]string{from, to}]; ok {
		return divisor, true
	}
	return 1, from == to || isCountOf(from, to)
}

// isCountOf tells whether a unit is a way to say what a UCUM annotation says: {request}, requests, 1.
func isCountOf(unit, annotation string) bool {
	if !strings.HasPrefix(annotation, "{") {
		return false
	}
	word := func(s string) string { return strings.TrimSuffix(strings.Trim(s, "{}"), "s") }
	return unit == "1" || word(unit) == word(annotation)
}

// MetricDialects returns the dialects of metrics by index, one per engine: the names of metrics do not tell
// generations. The slice must not be changed.
func (rs *RuleSet) MetricDialects() []*DialectRules { return rs.metrics.dialects }

// Metric returns what is known of a metric's name, or nil.
func (rs *RuleSet) Metric(name string) *Metric {
	if !rs.metrics.known.mayHave(name) {
		return nil
	}
	return rs.metrics.names[name]
}

// Namespace returns the engine in whose namespace a name is that no row is about, or nil.
func (rs *RuleSet) Namespace(name string) *MetricNamespace {
	if name == "" {
		return nil
	}
	for _, n := range rs.metrics.namespaces[name[0]] {
		if strings.HasPrefix(name, n.prefix) && !n.isForeign(name) {
			return n
		}
	}
	return nil
}

// MetricNamespace is what an engine's names begin with.
type MetricNamespace struct {
	Dialect       *DialectRules
	ForeignPoints []Selector

	prefix  string
	foreign []string
}

func (n *MetricNamespace) isForeign(name string) bool {
	for _, prefix := range n.foreign {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// MetricSlots returns how many slots there are: every [MetricRule.Slot] is below.
func (rs *RuleSet) MetricSlots() int { return len(rs.metrics.slots) }

// MetricTargets returns how many targets there are: every [MetricTarget.Index] is below.
func (rs *RuleSet) MetricTargets() int { return len(rs.metrics.targets) }

// MetricDialect returns the engine whose provider a data point with a standard name carries, or nil.
func (rs *RuleSet) MetricDialect(provider string) *DialectRules {
	return rs.metrics.byProvider[provider]
}

// MetricLabels returns the labels that an engine's table renames on the points of a target.
func (rs *RuleSet) MetricLabels(engine *DialectRules, target *MetricTarget) []LabelRule {
	return rs.metrics.labels[targetOf{engine, target}]
}

// metricRules are the metrics of a rule set.
type metricRules struct {
	dialects   []*DialectRules
	names      map[string]*Metric
	known      keyFilter // of names
	namespaces [256][]*MetricNamespace
	byProvider map[string]*DialectRules
	targets    map[string]*MetricTarget
	labels     map[targetOf][]LabelRule
	slots      map[metricSlot]int // their numbers
	sources    int
}

// add makes a name known.
func (r *metricRules) add(m *Metric) *Metric {
	r.names[m.Name] = m
	r.known.add(m.Name)
	return m
}

// targetOf is a target that an engine's rules lead to.
type targetOf struct {
	engine *DialectRules
	target *MetricTarget
}

// metricSlot is what only one source of a scope may fill.
type metricSlot struct {
	target   *MetricTarget
	provider string
	add      string
}

// metricOf returns the definition of a target and whether it is one of the extensions.
func (c *compiler) metricOf(name string) (metric semconv.Metric, isExtension, ok bool) {
	if metric, ok = c.set.registry.Metric(name); ok {
		return metric, false, true
	}
	metric, ok = c.extensions.Metric(name)
	return metric, ok, ok
}
