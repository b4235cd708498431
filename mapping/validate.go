// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// faults returns what is wrong with the table, one fault for each dialect and row that could be read. It checks what can
// be seen in the table alone; what needs the target is checked by [Compile].
func (t *Table) faults() (faults []error) {
	add := func(err error) {
		if err != nil {
			faults = append(faults, err)
		}
	}
	if !t.incomplete {
		if err := t.validateName(); err != nil {
			return []error{err}
		}
		t.validateHead(add)
	}
	ids := rowIDs{}
	for i := range t.Dialects {
		d := &t.Dialects[i]
		add(d.at.check("dialect", d.ID, func() error { return t.validateDialect(d) }))
	}
	for i := range t.Attributes {
		r := &t.Attributes[i]
		add(cmp.Or(r.at.check("row", r.ID, func() error { return t.validateRow(r) }), ids.take(r.ID, r.at)))
	}
	for i := range t.Events {
		r := &t.Events[i]
		add(cmp.Or(r.at.check("row", r.ID, r.validate), ids.take(r.ID, r.at)))
	}
	for i := range t.Metrics {
		r := &t.Metrics[i]
		add(cmp.Or(r.at.check("row", r.ID, r.validate), ids.take(r.ID, r.at)))
	}
	if len(faults) == 0 {
		add(t.checkKept())
	}
	return faults
}

// check checks a dialect or row, unless it is known already that something is wrong with it.
func (p Place) check(what, id string, validate func() error) error {
	if len(p.faults) > 0 {
		return nil
	}
	if err := validate(); err != nil {
		return p.errorf(what, id, "%w", err)
	}
	return nil
}

// validateName checks what all else depends on.
func (t *Table) validateName() error {
	switch {
	case t.Engine == "":
		return t.errorf("engine is missing")
	case strings.Contains(t.Engine, "/"):
		return t.errorf("engine %q: a name without a slash is expected: ids of dialects begin with it and a slash", t.Engine)
	case t.Extends == "" && len(t.Disable) > 0:
		return t.errorf("disable without extends: there is no table whose rows could be left out")
	default:
		return nil
	}
}

// validateHead checks what is neither a dialect nor a row.
func (t *Table) validateHead(add func(error)) {
	switch {
	case !slices.Contains([]Layer{LayerEngine, LayerFrontend, LayerGateway, LayerClient}, t.Layer):
		add(t.errorf("layer %q: %s, %s, %s or %s is expected", t.Layer, LayerEngine, LayerFrontend, LayerGateway, LayerClient))
	case len(t.Dialects) == 0 && len(t.Attributes) == 0 && len(t.Metrics) == 0:
		add(t.errorf("there are neither dialects nor rows"))
	}
	for _, operation := range t.EntryOperations {
		if operation == "" || strings.Contains(operation, " ") {
			add(t.errorf("entry_operations: %q can never match: a word is expected", operation))
		}
	}
	if t.RequestIDs != nil {
		if err := t.RequestIDs.validate(); err != nil {
			add(t.errorf("request_ids: %w", err))
		}
	}
	t.validateMetricNames(add)
}

// rowIDs are those of a table and where they are written. They are unique in the whole table.
type rowIDs map[string]Place

func (ids rowIDs) take(id string, at Place) error {
	first, taken := ids[id]
	switch {
	case id == "": // It could not be read, or is missing, and that is said elsewhere.
		return nil
	case !taken:
		ids[id] = at
		return nil
	case first.file == at.file:
		return at.errorf("row", id, "the id is taken by line %d", first.line)
	default:
		return at.errorf("row", id, "the id is taken by %s", first)
	}
}

// checkKept rejects a row that moves or changes what another row keeps.
func (t *Table) checkKept() error {
	keepers := map[string][]*Row{}
	for i := range t.Attributes {
		r := &t.Attributes[i]
		for _, source := range r.Keep {
			keepers[source] = append(keepers[source], r)
		}
	}
	for i := range t.Attributes {
		r := &t.Attributes[i]
		for _, source := range r.From {
			for _, k := range keepers[source] {
				if !r.Copy && (r.Versions == "" || k.Versions == "") && r.sharesDialect(k) && len(r.at.faults)+len(k.at.faults) == 0 {
					return r.at.errorf("row", r.ID, "source %q is kept by row %q: copy, or versions in both rows, is needed", source, k.ID)
				}
			}
		}
	}
	return nil
}

func (r *Row) sharesDialect(o *Row) bool {
	return len(r.Dialects) == 0 || len(o.Dialects) == 0 ||
		slices.ContainsFunc(r.Dialects, func(id string) bool { return slices.Contains(o.Dialects, id) })
}

func (r *EventRow) validate() error {
	switch {
	case r.ID == "":
		return errors.New("id is missing")
	case r.From == "":
		return errors.New("from is missing: the name of an event is expected")
	case r.To.isZero():
		return errors.New("to is missing: the name of an event is expected")
	}
	for _, key := range slices.Sorted(maps.Keys(r.Only)) {
		if key == "" || len(r.Only[key]) == 0 {
			return fmt.Errorf("only %q: values are expected", key)
		}
	}
	if err := r.To.checkTargets(); err != nil {
		return err
	}
	return checkEvidence(r.Evidence)
}

func (ids *RequestIDs) validate() error {
	switch {
	case len(ids.Key) == 0 || slices.Contains(ids.Key, ""):
		return errors.New("key is missing")
	case len(ids.Operations)+len(ids.None) == 0:
		return errors.New("operations or none is needed")
	}
	for _, prefix := range slices.Sorted(maps.Keys(ids.Operations)) {
		if ids.Operations[prefix] == "" {
			return fmt.Errorf("prefix %q: an operation is expected", prefix)
		}
		if slices.Contains(ids.None, prefix) {
			return fmt.Errorf("prefix %q is in operations and in none", prefix)
		}
	}
	if _, ok := ids.Operations[""]; ok || slices.Contains(ids.None, "") {
		return errors.New("an empty prefix is one of every id")
	}
	return checkEvidence(ids.Evidence)
}

func (t *Table) validateDialect(d *Dialect) error {
	switch {
	case d.ID == "":
		return errors.New("id is missing")
	case len(d.Request)+len(d.Entry)+len(d.Stage)+len(d.Record)+len(d.Event) == 0:
		return errors.New("it can never match: request, entry, stage, record or event is needed")
	}
	if err := cmp.Or(t.checkDialectID(d.ID), checkEvidence(d.Evidence)); err != nil {
		return err
	}
	for _, proof := range d.Proves {
		if proof != ProvesProvider && proof != ProvesOperationFromRequestID {
			return fmt.Errorf("proves %q: %s or %s is expected", proof, ProvesProvider, ProvesOperationFromRequestID)
		}
	}
	if slices.Contains(d.Proves, ProvesProvider) && !t.incomplete && t.Provider == "" && d.ProviderOf == "" {
		return fmt.Errorf("proves %q, but the table has no provider", ProvesProvider)
	}
	if slices.Contains(d.Proves, ProvesOperationFromRequestID) && !t.incomplete && t.RequestIDs == nil {
		return fmt.Errorf("proves %q, but the table has no request_ids", ProvesOperationFromRequestID)
	}
	for _, kind := range d.forms() {
		for i := range kind.alternatives {
			if err := kind.alternatives[i].validate(kind.form); err != nil {
				return err
			}
		}
	}
	if d.Durations != nil {
		if err := d.Durations.validate(); err != nil {
			return err
		}
	}
	return nil
}

// checkDialectID keeps the ids of tables apart, for they are all that self-telemetry and annotations tell.
func (t *Table) checkDialectID(id string) error {
	name, isOwn := strings.CutPrefix(id, t.Engine+"/")
	switch {
	case id == t.Engine || t.incomplete:
		return nil
	case !isOwn || name == "":
		return fmt.Errorf("id: %q, or what begins with %q, is expected", t.Engine, t.Engine+"/")
	case id == MetricsDialect(t.Engine):
		return errors.New("id: it is the one that the engine's metrics are reported under")
	default:
		return nil
	}
}

// validate rejects what would claim foreign items: scope, kind or name alone never make an item ours.
func (c *Condition) validate(kind Form) error {
	isSpans := len(c.SpanName) > 0 || c.SpanNamePattern != "" || len(c.NotKind) > 0
	switch {
	case kind.isRecord() && (isSpans || c.NoAttributes):
		return fmt.Errorf("%s is about log records: span_name, span_name_pattern, not_kind and no_attributes are about spans", kind)
	case !kind.isRecord() && len(c.EventName) > 0:
		return fmt.Errorf("%s is about spans: event_name is about log records", kind)
	case kind.isRecord() && len(c.EventName) > 0 && !slices.Contains(c.EventName, ""):
		return nil
	}
	hasKeys := len(c.AnyKey)+len(c.AllKeys)+len(c.Values) > 0
	hasName := len(c.SpanName) > 0 || c.SpanNamePattern != ""
	switch {
	case !hasKeys && (!hasName || len(c.Scope) == 0):
		return errors.New("a condition needs any_key, all_keys or values, or a span name together with a scope")
	case slices.Contains(slices.Concat(c.AnyKey, c.AllKeys, c.NoKey), ""):
		return errors.New("any_key, all_keys and no_key take no empty name")
	case c.NoAttributes && hasKeys:
		return errors.New("it can never match: no_attributes beside any_key, all_keys or values")
	}
	for _, kind := range c.NotKind {
		if !slices.Contains(spanKinds, kind) {
			return fmt.Errorf("not_kind %q: one of %s is expected", kind, strings.Join(spanKinds, ", "))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.Values)) {
		if len(c.Values[key]) == 0 {
			return fmt.Errorf("values of %q: the list is empty, so it can never match", key)
		}
	}
	if _, err := regexp.Compile(c.SpanNamePattern); err != nil {
		return fmt.Errorf("span_name_pattern: %w", err)
	}
	return nil
}

// spanKinds are the span kinds of OTLP as conditions spell them.
var spanKinds = []string{"unspecified", "internal", "server", "client", "producer", "consumer"}

// The units that latencies of a dialect can have.
const (
	unitSeconds     = "s"
	unitNanoseconds = "ns"
)

func (d *Durations) validate() error {
	if !strings.HasSuffix(d.Keys, ".*") || strings.Count(d.Keys, "*") != 1 {
		return fmt.Errorf("durations keys %q: a prefix that ends in .* is expected", d.Keys)
	}
	units := slices.Clone(d.Units)
	slices.Sort(units)
	switch strings.Join(units, " ") {
	case unitSeconds:
	case unitNanoseconds + " " + unitSeconds:
		if len(d.DecideBy) == 0 {
			return errors.New("durations: two units need decide_by, the keys that stand for the whole request")
		}
	default:
		// Nanoseconds alone would be divided again by every pass.
		return fmt.Errorf("durations units %q: [%s] or [%s, %s] is expected", d.Units, unitSeconds, unitNanoseconds, unitSeconds)
	}
	prefix := d.prefix()
	for _, key := range slices.Concat(d.DecideBy, d.WithinRequest) {
		if !strings.HasPrefix(key, prefix) {
			return fmt.Errorf("durations: %q does not start with %q", key, prefix)
		}
	}
	return nil
}

func (d *Durations) prefix() string { return strings.TrimSuffix(d.Keys, "*") }

func (t *Table) validateRow(r *Row) error {
	if r.ID == "" {
		return errors.New("id is missing")
	}
	switch {
	case (len(r.From) > 0) == (len(r.Keep) > 0):
		return errors.New("either from or keep is needed, and not both")
	case slices.Contains(r.sources(), ""):
		return errors.New("a source has no name")
	}
	for _, id := range r.Dialects {
		if !t.incomplete && !slices.ContainsFunc(t.Dialects, func(d Dialect) bool { return d.ID == id || len(d.at.faults) > 0 }) {
			return fmt.Errorf("dialect %q is not in the table", id)
		}
	}
	if _, err := parseVersionRange(r.Versions); err != nil {
		return err
	}
	if len(r.Keep) > 0 {
		return r.validateKeep()
	}
	switch {
	case r.To.isZero():
		return errors.New("to is missing: the target attribute is expected")
	case r.Basis != BasisExact && r.Basis != BasisApproximate:
		return fmt.Errorf("basis %q: %s or %s is expected", r.Basis, BasisExact, BasisApproximate)
	case r.Basis == BasisApproximate && r.Why == "":
		return errors.New("why is missing: an approximate row says what differs")
	case !isScalar(r.OmitWhen):
		return fmt.Errorf("omit_when %v: a string, a number or a boolean is expected", r.OmitWhen)
	}
	if err := r.To.checkTargets(); err != nil {
		return err
	}
	if err := checkEvidence(r.Evidence); err != nil {
		return err
	}
	return nil
}

// isScalar tells whether a value from YAML is nothing, or one that an attribute can have.
func isScalar(v any) bool {
	switch v := v.(type) {
	case nil, string, bool, int:
		return true
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	default:
		return false
	}
}

func (r *Row) validateKeep() error {
	switch {
	case r.Why == "":
		return errors.New("why is missing: a kept name says why it has no target")
	case !r.To.isZero() || r.Copy || r.OmitWhen != nil || r.Values != nil || r.Unit != "" || r.Basis != "":
		return errors.New("a kept name has no to, basis, copy, omit_when, values or unit")
	}
	return nil
}

func checkEvidence(evidence string) error {
	if u, err := url.Parse(evidence); err != nil || u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("evidence %q: the https URL of a public source is expected", evidence)
	}
	return nil
}
