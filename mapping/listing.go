// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// Signal is what a row is about.
type Signal string

// The signals of rows. Attributes are those of spans and log records.
const (
	SignalAttribute Signal = "attribute"
	SignalEvent     Signal = "event"
	SignalMetric    Signal = "metric"
)

// State is what options make of a row.
type State string

// The states.
const (
	StateOn   State = "on"
	StateOff  State = "off"
	StateKept State = "kept"
)

// ListedRow is a row and what target and options make of it.
type ListedRow struct {
	Engine string
	Signal Signal
	ID     string
	// Names are the row's sources, those of metrics without prefix. Prefixes may stand before them.
	Names, Prefixes []string
	// Target is where the values go, empty where they stay.
	Target string
	// Unit and TargetUnit are empty where the row says nothing of a unit.
	Unit, TargetUnit string
	Basis            Basis
	State            State
	// Option switches the row on where it is off: `approximate: true`.
	Option   string
	Why      string
	Versions string
	// Dialects restricts a row of attributes.
	Dialects []string
	Caveats  []string
	// Selects tells that a row of metrics is about some points only, or needs a proof.
	Selects bool
	Place   Place

	table *Table
}

// IsAbout tells whether the row is about a name: one of its sources, of metrics in any spelling, or its id.
func (l *ListedRow) IsAbout(name string) bool {
	switch {
	case name == l.ID:
		return true
	case l.Signal != SignalMetric || len(l.Prefixes) == 0:
		return slices.Contains(l.Names, name)
	}
	return slices.ContainsFunc(l.Names, func(source string) bool {
		bare := name == source || name == strings.TrimSuffix(source, totalSuffix)
		return !bare && slices.Contains(l.table.spellings(source), name)
	})
}

// Rows lists the rows of all tables, those that are switched off too, in the order in which the tables are asked.
func (rs *RuleSet) Rows() []ListedRow {
	extensions, err := semconv.Extensions()
	if err != nil {
		return nil // Compiling the rules would have failed.
	}
	idle := rs.idleRows()
	var rows []ListedRow
	for _, t := range rs.tables {
		l := lister{rs: rs, table: t, idle: idle, extensions: extensions}
		for i := range t.Attributes {
			rows = append(rows, l.attribute(&t.Attributes[i]))
		}
		for i := range t.Events {
			rows = append(rows, l.event(&t.Events[i]))
		}
		for i := range t.Metrics {
			rows = append(rows, l.metric(&t.Metrics[i]))
		}
	}
	return rows
}

// idleRows tells for each row in use why it does nothing. One that does something for any dialect or name is not idle.
func (rs *RuleSet) idleRows() map[any]Idle {
	rows := map[any]Idle{}
	add := func(row any, idle Idle) {
		if known, ok := rows[row]; !ok || known != NotIdle && idle == NotIdle {
			rows[row] = idle
		}
	}
	for _, d := range rs.dialects {
		for _, rule := range slices.Concat(d.rules.byKey...) {
			add(rule.Row, NotIdle)
		}
		for _, source := range slices.Sorted(maps.Keys(d.idle)) {
			for _, row := range d.idle[source] {
				add(row.Row, row.Idle)
			}
		}
		for _, rule := range d.events {
			add(rule.Row, NotIdle)
		}
	}
	for _, metric := range rs.metrics.names {
		for _, source := range metric.Sources {
			for _, rule := range source.Rules {
				add(rule.Row, rule.Idle)
			}
		}
	}
	return rows
}

// lister lists the rows of one table.
type lister struct {
	rs         *RuleSet
	table      *Table
	idle       map[any]Idle
	extensions *semconv.Registry
}

func (l *lister) attribute(r *Row) ListedRow {
	row := ListedRow{
		Engine: l.table.Engine, Signal: SignalAttribute, ID: r.ID, Names: r.sources(), Unit: r.Unit, Basis: r.Basis,
		Why: r.Why, Versions: r.Versions, Dialects: r.Dialects, Caveats: r.Caveats, Place: r.at, table: l.table,
	}
	l.decide(&row, r, &r.To)
	if attribute, ok := l.rs.registry.Attribute(row.Target); ok && r.Unit != "" {
		row.TargetUnit = attribute.Unit
	}
	return row
}

func (l *lister) event(r *EventRow) ListedRow {
	row := ListedRow{
		Engine: l.table.Engine, Signal: SignalEvent, ID: r.ID, Names: []string{r.From}, Basis: BasisExact, Place: r.at, table: l.table,
	}
	if _, ok := l.idle[r]; !ok && l.enabled() {
		// Rules of events do not remember it.
		switch r.To.For(l.rs.registry.Target) {
		case "":
			l.idle[r] = IdleNoPlace
		case r.From:
			l.idle[r] = IdleKept
		default:
			l.idle[r] = IdleExcluded
		}
	}
	l.decide(&row, r, &r.To)
	return row
}

func (l *lister) metric(r *MetricRow) ListedRow {
	row := ListedRow{
		Engine: l.table.Engine, Signal: SignalMetric, ID: r.ID, Names: r.sources(), Prefixes: l.table.MetricPrefixes, Unit: r.Unit,
		Basis: r.Basis, Why: r.Why, Versions: r.Versions, Caveats: r.Caveats,
		Selects: len(r.Only)+len(r.Never)+len(r.OneOf) > 0 || r.ProvenBy != nil, Place: r.at, table: l.table,
	}
	l.decide(&row, r, &r.To)
	if metric, ok := l.rs.registry.Metric(row.Target); ok {
		row.TargetUnit = metric.Unit
	} else if metric, ok := l.extensions.Metric(row.Target); ok {
		row.TargetUnit = metric.Unit
	}
	return row
}

// decide says what becomes of the row, and which option would change that.
func (l *lister) decide(row *ListedRow, written any, to *perTarget) {
	row.Target = to.For(l.rs.registry.Target)
	idle, used := l.idle[written]
	row.State = StateOff
	switch {
	case !l.enabled():
		row.Option = fmt.Sprintf("engines: {%s: {enabled: true}}", row.Engine)
	case !used:
		row.Option = "a dialect of the table"
	case idle == NotIdle:
		row.State = StateOn
	case idle == IdleKept:
		row.State = StateKept
	case idle == IdleNoPlace:
		row.Option = "semconv: " + quoted(slices.Sorted(maps.Keys(to.byTarget)))
	case idle == IdleApproximate:
		row.Option = "approximate: true"
	case idle == IdleExtension:
		row.Option = "extensions: true"
	case idle == IdleExcluded:
		row.Option = "exclude, without it"
	default:
		row.Option = fmt.Sprintf("engines: {%s: {version: …}} of %s", row.Engine, row.Versions)
	}
}

func (l *lister) enabled() bool {
	c := compiler{opts: l.rs.opts}
	return c.enabled(l.table)
}
