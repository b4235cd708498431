// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// addRows compiles the rows of a table for its dialects.
func (c *compiler) addRows(t *Table, dialects []*DialectRules) error {
	chosen := c.chooseByVersion(t)
	for i := range t.Attributes {
		r := &t.Attributes[i]
		c.order++
		for _, source := range r.sources() {
			key := c.key(source)
			rule, err := c.rule(t, r, source)
			if err != nil {
				return t.errorf(r.line, "row", r.ID, "%w", err)
			}
			if rule == nil || !chosen[r] {
				continue
			}
			for _, d := range dialects {
				if len(r.Dialects) > 0 && !slices.Contains(r.Dialects, d.ID) {
					continue
				}
				if err := d.add(key.ID, rule); err != nil {
					return t.errorf(r.line, "row", r.ID, "%w", err)
				}
			}
		}
	}
	return checkChains(t, dialects)
}

// checkChains rejects a target that another row moves on: what a second pass finds would differ from the first.
func checkChains(t *Table, dialects []*DialectRules) error {
	for _, d := range dialects {
		for _, rule := range slices.Concat(d.rules...) {
			if rule.InPlace() || int(rule.TargetKey) >= len(d.rules) {
				continue
			}
			for _, next := range d.rules[rule.TargetKey] {
				if !next.InPlace() {
					return t.errorf(rule.Row.line, "row", rule.ID, "target %q is the source of row %q", rule.Target, next.ID)
				}
			}
		}
	}
	return nil
}

// rule compiles one row for one of its sources. It returns nil for what the options or the target leave as it is.
func (c *compiler) rule(t *Table, r *Row, source string) (*Rule, error) {
	target := r.To.name(c.set.registry.Target)
	if target == "" {
		return nil, nil // A kept name, or one for which this target has no place.
	}
	attr, ok := c.set.registry.Attribute(target)
	if !ok {
		return nil, fmt.Errorf("target %q is not an attribute of the %s registry", target, c.set.registry.Target)
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
		return nil, err
	}
	if r.Basis == BasisApproximate && !c.approximate(t) || c.set.Excluded(r.ID) || c.set.Excluded(source) {
		return nil, nil
	}
	return rule, nil
}

// refine adds what a row says beyond source and target, and checks that the target can have it.
func (r *Rule) refine(t *Table, row *Row, attr semconv.Attribute) error {
	if r.InPlace() && (row.Copy || row.OmitWhen != nil || row.Unit != "") {
		return errors.New("copy, omit_when and unit need a target that is not the source")
	}
	if row.Values != nil && attr.Type != semconv.String {
		return fmt.Errorf("values: target %q is of type %s, string is expected", attr.Name, attr.Type)
	}
	if attr.Name == semconv.RequestModel {
		r.Not = map[string]struct{}{}
		for _, placeholder := range t.NotModels {
			r.Not[placeholder] = struct{}{}
		}
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
		return fmt.Errorf("omit_when %v: a value of type %s is expected", row.OmitWhen, attr.Type)
	}
	r.OmitWhen = &omit
	return nil
}

// divisors hold what a value in the first unit is divided by to be in the second. Division keeps decimals
// exact where a multiplication by the inverse does not: 2386712074 / 1e9 = 2.386712074.
var divisors = map[[2]string]float64{
	{unitNanoseconds, unitSeconds}: 1e9,
	{"us", unitSeconds}:            1e6,
	{"ms", unitSeconds}:            1e3,
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
			s.Double, ok = v, !math.IsNaN(v)
		}
	}
	return s, ok
}

// add appends a rule for a source. A source goes to a target once, and moves to one target at most.
func (d *DialectRules) add(source KeyID, rule *Rule) error {
	d.grow(source)
	for _, other := range d.rules[source] {
		switch {
		case other.Target == rule.Target:
			return fmt.Errorf("source %q goes to target %q in row %q already", rule.Source, rule.Target, other.ID)
		case !other.Copy && !rule.Copy:
			return fmt.Errorf("source %q moves to target %q in row %q already: one of the rows needs copy", rule.Source, other.Target, other.ID)
		}
	}
	d.rules[source] = append(d.rules[source], rule)
	return nil
}

func (c *compiler) approximate(t *Table) bool {
	if a := c.opts.Engines[t.Engine].Approximate; a != nil {
		return *a
	}
	return c.opts.Approximate
}

// addStandardAttributes lets every dialect coerce the attributes of the registry that no row of its table is
// about: an attribute with a standard name has the standard's type, whoever wrote it.
func (c *compiler) addStandardAttributes(tables []*Table) {
	about := map[[2]string]bool{}
	for _, t := range tables {
		for i := range t.Attributes {
			for _, source := range t.Attributes[i].sources() {
				about[[2]string{t.Engine, source}] = true
			}
		}
	}
	for attr := range c.set.registry.Attributes() {
		// Every standard attribute has a key, so that its presence is noticed.
		key := c.key(attr.Name).ID
		if attr.Type == semconv.Any || c.set.Excluded(attr.Name) {
			continue
		}
		c.order++
		rule := &Rule{
			ID: attr.Name, Order: c.order, Source: attr.Name, Target: attr.Name,
			TargetKey: key, Type: attr.Type, Divisor: 1,
		}
		for _, d := range c.set.dialects {
			if !about[[2]string{d.Engine, attr.Name}] {
				d.grow(key)
				d.rules[key] = append(d.rules[key], rule)
			}
		}
	}
	for _, d := range c.set.dialects {
		d.grow(KeyID(len(c.set.keys) - 1))
	}
}

// grow makes room for the rules of a key.
func (d *DialectRules) grow(key KeyID) {
	for len(d.rules) <= int(key) {
		d.rules = append(d.rules, nil)
	}
}

// The cautious order of rows about one name, for an engine whose version is not known.
func caution(r *Row) int {
	switch {
	case len(r.Keep) > 0:
		return 0
	case r.Basis == BasisApproximate:
		return 1
	default:
		return 2
	}
}

// chooseByVersion tells which rows hold. A row without a range always does. Of the rows with ranges about one
// name those hold whose range contains the configured version; without a version the most cautious one does.
func (c *compiler) chooseByVersion(t *Table) map[*Row]bool {
	version := c.opts.Engines[t.Engine].Version
	chosen := map[*Row]bool{}
	cautious := map[string]*Row{}
	for i := range t.Attributes {
		r := &t.Attributes[i]
		versions, _ := parseVersionRange(r.Versions) // Checked when the table was read.
		switch {
		case versions.isAll():
			chosen[r] = true
		case version != "":
			chosen[r] = versions.contains(version)
		default:
			for _, source := range r.sources() {
				if best, ok := cautious[source]; !ok || caution(r) < caution(best) {
					cautious[source] = r
				}
			}
		}
	}
	for _, r := range cautious {
		chosen[r] = true
	}
	return chosen
}
