// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// addRows compiles the rows of a table for its dialects.
func (c *compiler) addRows(t *Table, dialects []*DialectRules, excluded map[string]struct{}) {
	ranged := t.rowsWithRange()
	for i := range t.Attributes {
		r := &t.Attributes[i]
		if err := c.compileRow(t, r, dialects, ranged, excluded); err != nil {
			c.fault(r.at.errorf("row", r.ID, "%w", err))
		}
	}
}

func (c *compiler) compileRow(t *Table, r *Row, dialects []*DialectRules, ranged map[string][]*Row, excluded map[string]struct{}) error {
	for _, source := range r.sources() {
		c.order++ // Of several spellings the first in the list wins.
		key := c.key(source)
		rule, idle, err := c.rule(t, r, source)
		if err != nil {
			return err
		}
		for _, d := range dialects {
			if !r.isForDialect(d.ID) {
				continue
			}
			c.about[about{d, source}] = true
			if _, left := excluded[source]; left {
				d.addIdle(source, r, IdleExcluded)
			} else if !c.holds(t, r, ranged[source], d.ID) {
				d.addIdle(source, r, c.idleVersion(t))
			} else if rule == nil {
				d.addIdle(source, r, idle)
			} else if err := d.add(key.ID, rule); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkChains rejects a target that another row moves on: what a second pass finds would differ from the first.
func (c *compiler) checkChains(dialects []*DialectRules) {
	for _, d := range dialects {
		for _, rule := range slices.Concat(d.rules.byKey...) {
			if err := d.checkChain(rule); err != nil {
				c.fault(rule.Row.at.errorf("row", rule.ID, "%w", err))
			}
		}
	}
}

func (d *DialectRules) checkChain(rule *Rule) error {
	if rule.InPlace() || int(rule.TargetKey) >= len(d.rules.byKey) {
		return nil
	}
	for _, next := range d.rules.byKey[rule.TargetKey] {
		switch {
		case !next.InPlace():
			return fmt.Errorf("target %q is the source of row %q", rule.Target, next.ID)
		case len(next.Values) > 0 && !maps.Equal(next.Values, rule.Values):
			return fmt.Errorf("row %q replaces other values of target %q", next.ID, rule.Target)
		}
	}
	return nil
}

// rule compiles one row for one of its sources. It returns nil and why for what the options or the target leave as it is.
func (c *compiler) rule(t *Table, r *Row, source string) (*Rule, Idle, error) {
	if len(r.Keep) > 0 {
		return nil, IdleKept, nil
	}
	target := r.To.For(c.set.registry.Target)
	if target == "" {
		return nil, IdleNoPlace, nil
	}
	attr, ok := c.set.registry.Attribute(target)
	if !ok {
		return nil, NotIdle, fmt.Errorf("target %q is not an attribute of the %s registry", target, c.set.registry.Target)
	}
	if IsFill(source) && source != target {
		return nil, NotIdle, fmt.Errorf("source %q is an attribute that is filled in, so a second pass would move what the first one wrote", source)
	}
	rule := &Rule{
		Row:       r,
		ID:        r.ID,
		Order:     c.order,
		Source:    source,
		Target:    target,
		TargetKey: c.key(target).ID,
		Type:      attr.Type,
		Copy:      r.Copy,
		Values:    r.Values,
		Divisor:   1,
	}
	if err := rule.refine(t, r, attr); err != nil {
		return nil, NotIdle, err
	}
	switch {
	case c.set.anyExcluded(r.ID, source, target):
		return nil, IdleExcluded, nil
	case r.Basis == BasisApproximate && !c.approximate(t):
		return nil, IdleApproximate, nil
	}
	return rule, NotIdle, nil
}

// refine adds what a row says beyond source and target, and checks that the target can have it.
func (r *Rule) refine(t *Table, row *Row, attr semconv.Attribute) error {
	if r.InPlace() {
		if row.Copy || row.OmitWhen != nil || row.Unit != "" {
			return errors.New("copy, omit_when and unit need a target that is not the source")
		}
		if err := checkValues(row.Values); err != nil {
			return err
		}
	}
	if row.Values != nil && attr.Type != semconv.String {
		return fmt.Errorf("values: target %q is of type %s, string is expected", attr.Name, attr.Type)
	}
	if attr.Name == semconv.RequestModel {
		r.Not = t.placeholders()
	}
	if row.Unit != "" && row.Unit != attr.Unit {
		divisor, ok := divisors[[2]string{row.Unit, attr.Unit}]
		if !ok {
			return fmt.Errorf("unit %q: there is no factor to %q, the unit of target %q", row.Unit, attr.Unit, attr.Name)
		}
		if attr.Type != semconv.Double {
			return fmt.Errorf("unit %q: target %q is of type %s, double is expected", row.Unit, attr.Name, attr.Type)
		}
		r.Divisor = divisor
	}
	if row.OmitWhen == nil {
		return nil
	}
	omit, ok := scalarOf(row.OmitWhen, attr.Type)
	if !ok {
		return fmt.Errorf("omit_when %#v: a value of type %s is expected", row.OmitWhen, attr.Type)
	}
	r.OmitWhen = &omit
	return nil
}

func (t *Table) placeholders() map[string]struct{} {
	placeholders := map[string]struct{}{}
	for _, name := range t.NotModels {
		placeholders[name] = struct{}{}
	}
	return placeholders
}

// checkValues rejects values that a second pass would replace again.
func checkValues(values map[string]string) error {
	for _, v := range slices.Sorted(maps.Keys(values)) {
		if next, ok := values[values[v]]; ok && next != values[v] {
			return fmt.Errorf("values: %q becomes %q, which a second pass would make %q", v, values[v], next)
		}
	}
	return nil
}

// divisors hold what a value in the first unit is divided by to be in the second. Division keeps decimals
// exact where a multiplication by the inverse does not: 2386712074 / 1e9 = 2.386712074.
var divisors = map[[2]string]float64{
	{unitNanoseconds, unitSeconds}: 1e9,
	{"us", unitSeconds}:            1e6,
	{"ms", unitSeconds}:            1e3,
	{"%", "1"}:                     100,
}

// scalarOf turns a value from YAML into a scalar of a type.
func scalarOf(v any, t semconv.Type) (s Scalar, ok bool) {
	s.Type = t
	switch t {
	case semconv.String:
		s.Str, ok = v.(string)
	case semconv.Boolean:
		s.Bool, ok = v.(bool)
	case semconv.Int:
		var i int
		i, ok = v.(int)
		s.Int = int64(i)
	case semconv.Double:
		switch v := v.(type) {
		case int:
			s.Double, ok = float64(v), true
		case float64:
			s.Double, ok = v, true
		}
	}
	return s, ok
}

// add appends a rule for a source. A source goes to a target once, and moves to one target at most.
func (d *DialectRules) add(source KeyID, rule *Rule) error {
	d.grow(source)
	if rule.Divisor != 1 && d.Durations != nil && strings.HasPrefix(rule.Source, d.Durations.Prefix) {
		return fmt.Errorf("unit: source %q is a latency of dialect %q, which are made seconds already", rule.Source, d.ID)
	}
	for _, other := range d.rules.byKey[source] {
		switch {
		case other.Target == rule.Target:
			return fmt.Errorf("source %q goes to target %q in row %q already", rule.Source, rule.Target, other.ID)
		case !other.Copy && !rule.Copy:
			return fmt.Errorf("source %q moves to target %q in row %q already: one of the rows needs copy", rule.Source, other.Target, other.ID)
		}
	}
	d.rules.byKey[source] = append(d.rules.byKey[source], rule)
	return nil
}

func (c *compiler) approximate(t *Table) bool {
	if a := c.opts.Engines[t.Engine].Approximate; a != nil {
		return *a
	}
	return c.opts.Approximate
}

// addStandardAttributes lets every dialect coerce the attributes of the registry that no row for it is about: an
// attribute with a standard name has the standard's type, whoever wrote it.
func (c *compiler) addStandardAttributes() {
	for attr := range c.set.registry.Attributes() {
		// Every standard attribute has a key, so that its presence is noticed.
		key := c.key(attr.Name).ID
		if attr.Type == semconv.Any || attr.Type == semconv.StringTemplate || c.set.Excluded(attr.Name) {
			continue
		}
		c.order++
		rule := &Rule{
			ID: attr.Name, Order: c.order, Source: attr.Name, Target: attr.Name,
			TargetKey: key, Type: attr.Type, Divisor: 1,
		}
		for _, d := range c.set.dialects {
			if !c.about[about{d, attr.Name}] {
				d.grow(key)
				d.rules.byKey[key] = append(d.rules.byKey[key], rule)
			}
		}
	}
	for _, d := range c.set.dialects {
		d.grow(KeyID(len(c.set.keys) - 1))
	}
}

// grow makes room for the rules of a key.
func (d *DialectRules) grow(key KeyID) {
	for len(d.rules.byKey) <= int(key) {
		d.rules.byKey = append(d.rules.byKey, nil)
	}
}

// The cautious order of rows about one name, for an engine whose version is not known.
func caution(r *Row) int { return cautionOf(len(r.Keep) > 0, r.Basis) }

func cautionOf(isKept bool, basis Basis) int {
	switch {
	case isKept:
		return 0
	case basis == BasisApproximate:
		return 1
	default:
		return 2
	}
}

// holds tells whether a row is used for a source in a dialect. A row without a range always is. Of the rows with
// ranges those are whose range contains the configured version; without a version the most cautious one is, and of
// equally cautious ones the first.
func (c *compiler) holds(t *Table, r *Row, ranged []*Row, dialect string) bool {
	if r.Versions == "" {
		return true
	}
	if version := c.opts.Engines[t.Engine].Version; version != "" {
		return r.Holds(version)
	}
	isAboveRow := true
	for _, o := range ranged {
		if o == r {
			isAboveRow = false
			continue
		}
		if o.Versions == r.Versions || !o.isForDialect(dialect) {
			continue // Rows of one range stand beside each other, those of different ranges for each other.
		}
		if caution(o) < caution(r) || caution(o) == caution(r) && isAboveRow {
			return false
		}
	}
	return true
}

// rowsWithRange returns the rows that hold for some releases only, by their sources, in the order of the table.
func (t *Table) rowsWithRange() map[string][]*Row {
	ranged := map[string][]*Row{}
	for i := range t.Attributes {
		r := &t.Attributes[i]
		if r.Versions == "" {
			continue
		}
		for _, source := range r.sources() {
			ranged[source] = append(ranged[source], r)
		}
	}
	return ranged
}
