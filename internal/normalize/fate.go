// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// Observer is told of each decision while it is made. A [Reporter] that is one as well gets to know why items look as
// they do afterwards; without one, decisions cost nothing more.
type Observer interface {
	// Recognised begins an item: a span or log record that a dialect claims.
	Recognised(d *mapping.DialectRules, form mapping.Form, why mapping.Recognition)
	// Attribute tells of an attribute of that item, or of something else about it.
	Attribute(AttributeFate)
	// Metric tells of points of a metric.
	Metric(MetricFate)
	// Label tells of a label of a point that gets a standard name.
	Label(LabelFate)
}

// Fate is what becomes of an attribute, or of points of a metric.
type Fate uint8

const (
	// Stays: no rule does anything.
	Stays Fate = iota
	// Moved: the value has the target's name now.
	Moved
	// Converted: the name was right, and the type, the unit or the spelling of the value is now.
	Converted
	// Standard: name and value were right.
	Standard
	// Omitted: the standard says the value by absence.
	Omitted
	// Joined: the target was there with the same value.
	Joined
	// Filled: the target was added.
	Filled
	// Dropped: the configuration does not want it.
	Dropped
	// Placeholder: the value stands where a model should, and names none.
	Placeholder
	// Foreign: a point of somebody else's under an engine's name.
	Foreign
	// Unselected: no condition holds.
	Unselected
	// Created: the time at which a series began.
	Created
	// Yields: another name, or a copy, of what has the target.
	Yields
	// Differs: the target is there with another value.
	Differs
	// Unconvertible: the value cannot become one of the target's type or unit.
	Unconvertible
	// Unlikely: a latency that does not fit into its request. It is told beside what becomes of it.
	Unlikely
	// Unproven: nothing proves what would be filled in.
	Unproven
	// Mismatched: the metric is another instrument than rows are about.
	Mismatched
	// Crowded: another metric has the target.
	Crowded
	numFates
)

var fates = [numFates]string{
	"stays", "moved", "converted", "standard", "omitted", "joined", "filled", "dropped", "placeholder", "foreign", "unselected",
	"created", "yields", "conflict", "not_convertible", "implausible", "provider_unknown", "type_mismatch", "collision",
}

// String returns one word. Where something is counted for the fate it is the [Reason].
func (f Fate) String() string { return fates[f] }

// Reason is what is counted for the fate. The second result is false where nothing is.
func (f Fate) Reason() (Reason, bool) {
	for _, r := range Reasons() {
		if r.String() == f.String() {
			return r, true
		}
	}
	return 0, false
}

// Subject is what an [AttributeFate] tells of.
type Subject uint8

// The subjects.
const (
	Attribute Subject = iota
	// Name is that of a span or event.
	Name
	// SchemaURLOfScope is that of the scope of items.
	SchemaURLOfScope
	// ResourceAttribute is one of the resource of items.
	ResourceAttribute
)

// AttributeFate is what becomes of an attribute. Values are valid during the call only.
type AttributeFate struct {
	Fate    Fate
	Subject Subject
	// Source is empty where the target is added, Target where nothing is.
	Source, Target string
	// Rule and Event are nil where no row decided.
	Rule  *mapping.Rule
	Event *mapping.EventRule
	// Idle are the rows about the source that do nothing.
	Idle []mapping.IdleRow
	// Added tells that the target comes, Removed that the source goes.
	Added, Removed bool
	// Before and After are the values. Both are zero where there is none to tell of.
	Before, After pcommon.Value
	// Divisor is what the value is divided by: 0 if it is not.
	Divisor float64
}

// MetricFate is what becomes of points of a metric.
type MetricFate struct {
	Fate Fate
	// Dialect is nil where the points are no engine's.
	Dialect *mapping.DialectRules
	// Source, Unit and Instrument are those of the metric as it came.
	Source, Unit string
	Instrument   mapping.Instrument
	// Target is nil where the points stay.
	Target *mapping.MetricTarget
	// Rule is the row that decided, nil if none did. Of a part of a histogram it is one about the whole.
	Rule *mapping.MetricRule
	// IsPart tells that the metric is a series of a histogram that arrived on its own.
	IsPart bool
	// Skipped are the rows that were passed over before.
	Skipped []SkippedRule
	// Points is how many there are, Outcomes how often something was counted.
	Points, Outcomes int
	// Added tells that points come under the target's name, Removed that they go from under the source's.
	Added, Removed bool
	// Divisor is what values are divided by: 0 if they are not.
	Divisor float64
	// Winner is the metric that has the target instead.
	Winner string
}

// SkippedRule is a row that was passed over for a point.
type SkippedRule struct {
	Rule *mapping.MetricRule
	Skip Skip
}

// Skip is why a row is passed over.
type Skip uint8

const (
	noSkip Skip = iota
	// SkipIdle: [mapping.MetricRule.Idle] says why.
	SkipIdle
	// SkipInstrument: the row is about another instrument.
	SkipInstrument
	// SkipLabels: the row is about points with other labels.
	SkipLabels
	// SkipUnproven: nothing in the scope proves the release that the row is about.
	SkipUnproven
	// SkipDisproven: something in the scope proves another release.
	SkipDisproven
)

// LabelFate is what becomes of a label of a point.
type LabelFate struct {
	Fate    Fate
	Dialect *mapping.DialectRules
	// Source is empty where the target is added.
	Source, Target string
	Added, Removed bool
}
