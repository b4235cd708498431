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

// validate checks what can be seen in the table alone. What needs the target is checked by [Compile]. It returns the
// first fault.
func (t *Table) validate() error {
	if faults := t.faults(); len(faults) > 0 {
		return faults[0]
	}
	return nil
}

// faults returns what is wrong with the table, one fault for each dialect and row.
func (t *Table) faults() (faults []error) {
	add := func(err error) {
		if err != nil {
			faults = append(faults, err)
		}
	}
	if t.Engine == "" {
		return []error{t.errorf("engine is missing")}
	}
	if strings.Contains(t.Engine, "/") {
		return []error{t.errorf("engine %q: a name without a slash is expected: ids of dialects begin with it and a slash", t.Engine)}
	}
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
	ids := rowIDs{}
	for i := range t.Dialects {
		add(t.validateDialect(&t.Dialects[i]))
	}
	for i := range t.Attributes {
		r := &t.Attributes[i]
		add(cmp.Or(t.validateRow(r), ids.take(r.ID, r.at)))
	}
	for i := range t.Events {
		r := &t.Events[i]
		if err := r.validate(); err != nil {
			add(r.at.errorf("row", r.ID, "%w", err))
			continue
		}
		add(ids.take(r.ID, r.at))
	}
	t.validateMetrics(ids, add)
	if len(faults) == 0 {
		add(t.checkKept())
	}
	return faults
}

// rowIDs are those of a table and where they are written. They are unique in the whole table.
type rowIDs map[string]Place

func (ids rowIDs) take(id string, at Place) error {
	first, taken := ids[id]
	switch {
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
		for _, source := range t.Attributes[i].Keep {
			keepers[source] = append(keepers[source], &t.Attributes[i])
		}
	}
	for i := range t.Attributes {
		r := &t.Attributes[i]
		for _, source := range r.From {
			for _, k := range keepers[source] {
				if !r.Copy && (r.Versions == "" || k.Versions == "") && r.sharesDialect(k) {
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
	fail := func(format string, args ...any) error { return d.at.errorf("dialect", d.ID, format, args...) }
	switch {
	case d.ID == "":
		return fail("id is missing")
	case len(d.Request)+len(d.Entry)+len(d.Stage)+len(d.Record)+len(d.Event) == 0:
		return fail("it can never match: request, entry, stage, record or event is needed")
	}
	if err := t.checkDialectID(d.ID); err != nil {
		return fail("%w", err)
	}
	if err := checkEvidence(d.Evidence); err != nil {
		return fail("%w", err)
	}
	for _, proof := range d.Proves {
		if proof != ProvesProvider && proof != ProvesOperationFromRequestID {
			return fail("proves %q: %s or %s is expected", proof, ProvesProvider, ProvesOperationFromRequestID)
		}
	}
	if slices.Contains(d.Proves, ProvesProvider) && t.Provider == "" && d.ProviderOf == "" {
		return fail("proves %q, but the table has no provider", ProvesProvider)
	}
	if slices.Contains(d.Proves, ProvesOperationFromRequestID) && t.RequestIDs == nil {
		return fail("proves %q, but the table has no request_ids", ProvesOperationFromRequestID)
	}
	for _, kind := range d.forms() {
		for i := range kind.alternatives {
			if err := kind.alternatives[i].validate(kind.form); err != nil {
				return fail("%w", err)
			}
		}
	}
	if d.Durations != nil {
		if err := d.Durations.validate(); err != nil {
			return fail("%w", err)
		}
	}
	return nil
}

// checkDialectID keeps the ids of tables apart, for they are all that self-telemetry and annotations tell.
func (t *Table) checkDialectID(id string) error {
	name, isOwn := strings.CutPrefix(id, t.Engine+"/")
	switch {
	case id == t.Engine:
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
	for key, values := range c.Values {
		if len(values) == 0 {
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
	fail := func(format string, args ...any) error { return r.at.errorf("row", r.ID, format, args...) }
	if r.ID == "" {
		return fail("id is missing")
	}
	switch {
	case (len(r.From) > 0) == (len(r.Keep) > 0):
		return fail("either from or keep is needed, and not both")
	case slices.Contains(r.sources(), ""):
		return fail("a source has no name")
	}
	for _, id := range r.Dialects {
		if !slices.ContainsFunc(t.Dialects, func(d Dialect) bool { return d.ID == id }) {
			return fail("dialect %q is not in the table", id)
		}
	}
	if _, err := parseVersionRange(r.Versions); err != nil {
		return fail("%w", err)
	}
	if len(r.Keep) > 0 {
		return r.validateKeep(fail)
	}
	switch {
	case r.To.isZero():
		return fail("to is missing: the target attribute is expected")
	case r.Basis != BasisExact && r.Basis != BasisApproximate:
		return fail("basis %q: %s or %s is expected", r.Basis, BasisExact, BasisApproximate)
	case r.Basis == BasisApproximate && r.Why == "":
		return fail("why is missing: an approximate row says what differs")
	case !isScalar(r.OmitWhen):
		return fail("omit_when %v: a string, a number or a boolean is expected", r.OmitWhen)
	}
	if err := r.To.checkTargets(); err != nil {
		return fail("%w", err)
	}
	if err := checkEvidence(r.Evidence); err != nil {
		return fail("%w", err)
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

func (r *Row) validateKeep(fail func(string, ...any) error) error {
	switch {
	case r.Why == "":
		return fail("why is missing: a kept name says why it has no target")
	case !r.To.isZero() || r.Copy || r.OmitWhen != nil || r.Values != nil || r.Unit != "" || r.Basis != "":
		return fail("a kept name has no to, basis, copy, omit_when, values or unit")
	}
	return nil
}

func checkEvidence(evidence string) error {
	if u, err := url.Parse(evidence); err != nil || u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("evidence %q: the https URL of a public source is expected", evidence)
	}
	return nil
}
