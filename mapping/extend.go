// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Resolve puts tables together that extend others, and orders them: a user's tables come before those that come with
// this package, and among themselves as they are given. Where two tables know one item, the first has it.
//
// A table extends one that is given before it. Errors wrap [ErrInvalidTable] and list all faults, in a line each.
func Resolve(tables []*Table) ([]*Table, error) {
	engines, faulty := map[string]*Table{}, map[string]bool{}
	var order []string
	var faults []error
	for _, t := range tables {
		if faulty[t.Extends] {
			continue // What it makes of that table is not known.
		}
		if _, known := engines[t.Engine]; !known {
			order = append(order, t.Engine)
		}
		resolved, found := t.resolve(engines)
		if len(found) > 0 {
			faulty[t.Engine] = true
			faults = append(faults, found...)
		}
		if engines[t.Engine] == nil || len(found) == 0 {
			engines[t.Engine] = resolved
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	resolved := make([]*Table, len(order))
	for i, engine := range order {
		resolved[i] = engines[engine]
	}
	slices.SortStableFunc(resolved, func(a, b *Table) int {
		switch {
		case a.embedded == b.embedded:
			return 0
		case a.embedded:
			return 1
		default:
			return -1
		}
	})
	return resolved, nil
}

// resolve returns the table on top of the one that it extends. With faults it is the table alone.
func (t *Table) resolve(engines map[string]*Table) (*Table, []error) {
	other, known := engines[t.Engine]
	base, isBase := engines[t.Extends]
	switch {
	case t.Extends == "" && known:
		return t, []error{t.errorf("engine %q is already defined by %s: \"extends: %s\" changes it", t.Engine, other.file, t.Engine)}
	case t.Extends == "":
		return t, nil
	case t.Extends != t.Engine && known:
		return t, []error{t.errorf("engine %q is already defined by %s: a table changes it, or extends another engine, and not both", t.Engine, other.file)}
	case !isBase:
		return t, []error{t.errorf("extends %q: no table before it is of that engine: one of %s is expected", t.Extends, quoted(slices.Sorted(maps.Keys(engines))))}
	}
	merged, faults := t.extend(base)
	if len(faults) > 0 {
		return t, faults
	}
	return merged, nil
}

// Overlap is something that two tables say, so that only the first of them is ever asked. It is no fault: a user's
// table may take what belongs to one that comes with this package.
type Overlap struct {
	// What is hidden, and where it is written.
	What string
	At   Place
	// By is the dialect that hides it.
	By   string
	ByAt Place
}

// String returns for example `tables/vllm.yaml:12: an alternative of dialect "vllm/v1" is hidden by dialect "fork/v1" of fork.yaml:3`.
func (o Overlap) String() string {
	return fmt.Sprintf("%s: %s is hidden by dialect %q of %s", o.At, o.What, o.By, o.ByAt)
}

// Overlaps lists what one table hides of another: alternatives of dialects, and names of metrics, of which the second
// table gets the points that no row of the first is about. The tables of this package may overlap among themselves.
func (rs *RuleSet) Overlaps() []Overlap { return slices.Concat(rs.overlaps, rs.metricOverlaps()) }

// metricOverlaps finds names that several tables know. Two sources have many spellings in common; one says enough.
func (rs *RuleSet) metricOverlaps() (overlaps []Overlap) {
	embedded := map[string]bool{}
	for _, t := range rs.tables {
		embedded[t.Engine] = t.embedded
	}
	type pair struct{ first, second int }
	seen := map[pair]bool{}
	for _, name := range slices.Sorted(maps.Keys(rs.metrics.names)) {
		metric := rs.metrics.names[name]
		if metric.Kind != KindSource {
			continue
		}
		first := metric.Sources[0]
		for _, second := range metric.Sources[1:] {
			if seen[pair{first.ID, second.ID}] || embedded[first.Dialect.Engine] && embedded[second.Dialect.Engine] {
				continue
			}
			seen[pair{first.ID, second.ID}] = true
			hidden := second.Rules[0]
			overlaps = append(overlaps, Overlap{
				What: fmt.Sprintf("metric %q of row %q", name, hidden.ID), At: hidden.Row.at,
				By: first.Dialect.ID, ByAt: first.Rules[0].Row.at,
			})
		}
	}
	return overlaps
}

// extend returns the table on top of another. What it does not say is the other's. Rows with the id of one of the
// other's take its place, and all others come before.
//
// A table of the same engine changes the other. One of another engine has its own dialects and prefixes, because items
// are recognised by them, and takes the rows: those for a dialect of the other, "vllm/v1", hold for its own of that
// name, "fork/v1".
func (t *Table) extend(base *Table) (merged *Table, faults []error) {
	merged = new(*base)
	merged.file, merged.Engine, merged.Extends, merged.Disable = t.file, t.Engine, t.Extends, t.Disable
	if t.Layer != "" {
		merged.Layer = t.Layer
	}
	if t.Enabled != nil {
		merged.Enabled = t.Enabled
	}
	if t.Provider != "" {
		merged.Provider = t.Provider
	}
	if t.VersionAttribute != "" {
		merged.VersionAttribute = t.VersionAttribute
	}
	if len(t.NotModels) > 0 {
		merged.NotModels = t.NotModels
	}
	if t.RequestIDs != nil {
		merged.RequestIDs = t.RequestIDs
	}
	if len(t.EntryOperations) > 0 {
		merged.EntryOperations = t.EntryOperations
	}
	merged.Fallback = base.Fallback || t.Fallback
	merged.MetricLabels = slices.Concat(t.MetricLabels, slices.DeleteFunc(slices.Clone(base.MetricLabels), func(l LabelRow) bool {
		return slices.ContainsFunc(t.MetricLabels, func(own LabelRow) bool { return own.To == l.To })
	}))

	attributes, metrics := base.Attributes, base.Metrics
	if t.Engine == base.Engine {
		merged.Dialects = slices.Concat(t.Dialects, base.Dialects)
		merged.MetricPrefixes = union(t.MetricPrefixes, base.MetricPrefixes)
		merged.ForeignMetrics = union(t.ForeignMetrics, base.ForeignMetrics)
		merged.ForeignPoints = slices.Concat(t.ForeignPoints, base.ForeignPoints)
	} else {
		merged.embedded = false
		merged.Dialects, merged.MetricPrefixes = t.Dialects, t.MetricPrefixes
		merged.ForeignMetrics, merged.ForeignPoints = t.ForeignMetrics, t.ForeignPoints
		attributes = t.adopt(base)
		if len(t.MetricPrefixes) == 0 {
			metrics = nil // Their names would be the other's.
		}
	}
	merged.Attributes = mergeRows(t.Attributes, attributes, t.Disable, func(r *Row) string { return r.ID })
	merged.Events = mergeRows(t.Events, base.Events, t.Disable, func(r *EventRow) string { return r.ID })
	merged.Metrics = mergeRows(t.Metrics, metrics, t.Disable, func(r *MetricRow) string { return r.ID })
	return merged, append(t.checkDisabled(base), merged.faults()...)
}

// adopt returns the attribute rows of another engine, for the dialects of this one.
func (t *Table) adopt(base *Table) []Row {
	var rows []Row
	for i := range base.Attributes {
		row := base.Attributes[i]
		if len(row.Dialects) > 0 {
			var own []string
			for _, id := range row.Dialects {
				if generation, ok := strings.CutPrefix(id, base.Engine+"/"); ok {
					id = t.Engine + "/" + generation
				}
				if slices.ContainsFunc(t.Dialects, func(d Dialect) bool { return d.ID == id }) {
					own = append(own, id)
				}
			}
			if len(own) == 0 {
				continue
			}
			row.Dialects = own
		}
		rows = append(rows, row)
	}
	return rows
}

// checkDisabled finds what is to be left out and is not there.
func (t *Table) checkDisabled(base *Table) (faults []error) {
	ids := map[string]struct{}{}
	for i := range base.Attributes {
		ids[base.Attributes[i].ID] = struct{}{}
	}
	for i := range base.Events {
		ids[base.Events[i].ID] = struct{}{}
	}
	for i := range base.Metrics {
		ids[base.Metrics[i].ID] = struct{}{}
	}
	for _, id := range t.Disable {
		if _, ok := ids[id]; !ok {
			faults = append(faults, t.errorf("disable %q: it is not the id of a row of engine %q", id, base.Engine))
		}
	}
	return faults
}

// mergeRows puts own rows before those of a base, or in the place of the one with their id.
func mergeRows[R any](own, base []R, disabled []string, id func(*R) string) []R {
	replaced := map[string]*R{}
	for i := range own {
		replaced[id(&own[i])] = &own[i]
	}
	inherited, isDisabled := map[string]bool{}, map[string]bool{}
	for _, key := range disabled {
		isDisabled[key] = true
	}
	var rows []R
	for i := range base {
		key := id(&base[i])
		inherited[key] = true
		switch {
		case replaced[key] != nil:
			rows = append(rows, *replaced[key])
		case !isDisabled[key]:
			rows = append(rows, base[i])
		}
	}
	var merged []R
	for i := range own {
		if !inherited[id(&own[i])] {
			merged = append(merged, own[i])
		}
	}
	return append(merged, rows...)
}

func union(own, base []string) []string {
	all := slices.Clone(own)
	for _, s := range base {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
