// SPDX-License-Identifier: Apache-2.0

// Package explain says what the processor makes of telemetry, and why.
package explain // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/explain"

import (
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/stats"
	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
)

// Report is the explanation of one or several documents.
type Report struct {
	// Semconv is the target.
	Semconv string `json:"semconv"`
	// Input counts what came in.
	Input []Input `json:"input"`
	// Recognised are the dialects, with the evidence that they were recognised by.
	Recognised []Recognised `json:"recognised"`
	// Rows say what becomes of each name.
	Rows []Row `json:"rows"`
	// Stats are what the processor counts, as `apply --stats` writes them.
	Stats *stats.Stats `json:"stats"`
}

// Input counts what of a signal came in.
type Input struct {
	Signal normalize.Signal `json:"signal"`
	// Items are spans, log records, or names of metrics.
	Items int64 `json:"items"`
	// Foreign are those that nothing is known of, or no condition holds for.
	Foreign int64 `json:"foreign"`
}

// Recognised is a dialect, and the evidence that items were recognised by.
type Recognised struct {
	Signal  normalize.Signal `json:"signal"`
	Dialect string           `json:"dialect"`
	// Form is empty for metrics.
	Form string `json:"form,omitempty"`
	// Evidence are names of tables that all were there.
	Evidence []string `json:"evidence"`
	// Place is the file and line of the dialect.
	Place string `json:"place,omitempty"`
	// Count is how many spans, log records or data points there were.
	Count int64 `json:"count"`
}

// Kind is what a row is about.
type Kind string

// The kinds.
const (
	KindAttribute         Kind = "attribute"
	KindLabel             Kind = "label"
	KindMetric            Kind = "metric"
	KindName              Kind = "name"
	KindResourceAttribute Kind = "resource attribute"
	KindSchemaURL         Kind = "schema URL"
)

// Fate is what becomes of a name: one of package normalize, or [Unmapped].
type Fate string

// Unmapped is a name that stays because no row is about it, though it looks like one of an engine or of the standard.
const Unmapped Fate = "unmapped"

// Row says what becomes of a name. Names are those of attributes, labels and metrics; values are numbers, or words that
// the standard or the tables have.
type Row struct {
	Signal  normalize.Signal `json:"signal"`
	Dialect string           `json:"dialect,omitempty"`
	Kind    Kind             `json:"kind"`
	Fate    Fate             `json:"fate"`
	Source  string           `json:"source,omitempty"`
	Target  string           `json:"target,omitempty"`
	// Count is how many attributes, labels or data points share the fate.
	Count int64 `json:"count"`
	// Outcomes is how often the processor counts something, under the name of the fate.
	Outcomes int64 `json:"outcomes,omitempty"`
	// Added tells that the target comes, Removed that the source goes.
	Added   bool `json:"added,omitempty"`
	Removed bool `json:"removed,omitempty"`
	// Unmapped tells that the name looks like one of an engine or of the standard and no row is about it.
	Unmapped bool `json:"unmapped,omitempty"`
	// Before and After are unit, type and an example of the values.
	Before Side `json:"before,omitzero"`
	After  Side `json:"after,omitzero"`
	// Divisor is what values are divided by.
	Divisor float64 `json:"divisor,omitempty"`
	// Basis, ID and Place are those of the table's row.
	Basis string `json:"basis,omitempty"`
	ID    string `json:"row,omitempty"`
	Place string `json:"place,omitempty"`
	// Why says why, and Change which setting would make a difference.
	Why     string   `json:"why,omitempty"`
	Change  string   `json:"change,omitempty"`
	Caveats []string `json:"caveats,omitempty"`
}

// Side is what is known of values before or after.
type Side struct {
	Unit    string `json:"unit,omitempty"`
	Type    string `json:"type,omitempty"`
	Example string `json:"example,omitempty"`
}

// Losses counts what an operator should look at: outcomes, and names that no row is about.
func (r *Report) Losses() (outcomes, unmapped int64) {
	for i := range r.Rows {
		outcomes += r.Rows[i].Outcomes
		if r.Rows[i].Unmapped {
			unmapped++
		}
	}
	return outcomes, unmapped
}

// Class sorts fates by what they mean to a reader.
type Class string

// The classes, in the order in which they are shown.
const (
	LookAt  Class = "look at"
	Changed Class = "changed"
	Stays   Class = "stays"
)

// Class returns what the fate means to a reader.
func (r *Row) Class() Class {
	switch {
	case r.Unmapped || r.Outcomes > 0 || isOutcome(r.Fate):
		return LookAt
	case r.Added || r.Removed || r.Fate == word(normalize.Converted) || r.Fate == word(normalize.Filled):
		return Changed
	default:
		return Stays
	}
}

func word(f normalize.Fate) Fate { return Fate(f.String()) }

func isOutcome(f Fate) bool {
	for _, reason := range normalize.Reasons() {
		if string(f) == reason.String() {
			return true
		}
	}
	return false
}
