// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"slices"

	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// RuleSet is what tables, a target and options compile to. It is immutable and safe for concurrent use.
type RuleSet struct {
	registry *semconv.Registry
	hash     string
	dialects []*DialectRules
	forms    []form
	keys     map[string]*Key
	known    keyFilter
	prefixes []string
	excluded map[string]struct{}
	names    map[string]Evidence
	scopes   map[string]Evidence
	kinds    map[string]Evidence
	metrics  metricRules
	overlaps []Overlap
	// tables and opts are what the rules were compiled from.
	tables   []*Table
	opts     Options
	versions []VersionAttribute
	// records are the forms of log records, and events the evidence that their names are.
	records []form
	events  map[string]Evidence
	// facts are what the bits of evidence are called.
	facts []string
	// decisive are the facts without any of which no form of a span can hold, decisiveRecord those of log records.
	decisive, decisiveRecord Evidence
}

// Form is the part a recognised span plays in a request.
type Form uint8

// The forms.
const (
	// FormNone is an item that no dialect claims.
	FormNone Form = iota
	// FormRequest is one request inside the engine.
	FormRequest
	// FormEntry is one request at the API layer.
	FormEntry
	// FormStage is a part of a request: renames and units, but no fills.
	FormStage
	// FormRecord is a log record about one request at the API layer.
	FormRecord
	// FormEvent is a log record that is an event of the standard: renames and units, but no fills.
	FormEvent
)

// isRecord tells whether the form is one of log records.
func (f Form) isRecord() bool { return f == FormRecord || f == FormEvent }

// String returns the form's key in a table.
func (f Form) String() string {
	return [...]string{"none", "request", "entry", "stage", "record", "event"}[f]
}

// form is one alternative of one form of one dialect.
type form struct {
	dialect *DialectRules
	at      Place
	kind    Form
	any     []Evidence // of each set one fact must hold
	none    Evidence   // and none of these
	pattern *pattern
}

func (f *form) matches(e Evidence, spanName string) bool {
	for i := range f.any {
		if !e.meets(&f.any[i]) {
			return false
		}
	}
	// The pattern is the expensive part, so it comes last.
	return !e.meets(&f.none) && (f.pattern == nil || f.pattern.matches(spanName))
}

// isContradictory tells whether no item can match, because all facts of which one is asked for are forbidden.
func (f *form) isContradictory() bool {
	return slices.ContainsFunc(f.any, f.none.holds)
}

// implies tells whether every item that o matches is matched by f as well.
func (f *form) implies(o *form) bool {
	for _, set := range f.any {
		if !slices.ContainsFunc(o.any, set.holds) {
			return false
		}
	}
	samePattern := f.pattern == nil || o.pattern != nil && f.pattern.String() == o.pattern.String()
	return samePattern && o.none.holds(f.none)
}

// KeyID is the index of an attribute key that some rule or dialect names.
type KeyID int

// NoKey stands for a key that no rule or dialect names.
const NoKey KeyID = -1

// Key is an attribute key that some rule or dialect names.
type Key struct {
	ID       KeyID
	Name     string
	Evidence Evidence
	// Values is the evidence of certain string values.
	Values map[string]Evidence
}

// DialectRules is what is done with the items of one dialect.
type DialectRules struct {
	// Index numbers the dialects of spans, and those of metrics, from 0.
	Index int
	ID    string
	// Engine and Provider are those of the dialect's table.
	Engine   string
	Provider string
	Layer    Layer
	// ClaimsProvider tells whether a match is proof of who wrote the item. ProvesProvider tells whether there is
	// also a name for that: the configuration may have none.
	ClaimsProvider, ProvesProvider bool
	// Durations is nil where the dialect writes no latencies.
	Durations *DurationRules

	turn             int
	placeholders     map[string]struct{}
	operations       *operations
	entryOperations  []string
	defaultOperation string
	rules            *ruleTable
	events           map[string]*EventRule
	idle             map[string][]IdleRow
}

// IsPlaceholder tells whether a name stands where a model should and is none.
func (d *DialectRules) IsPlaceholder(model string) bool {
	_, ok := d.placeholders[model]
	return ok
}

// ruleTable holds the rules of a dialect by the key of their source.
type ruleTable struct{ byKey [][]*Rule }

// Rules returns what is done with an attribute.
func (d *DialectRules) Rules(key KeyID) []*Rule { return d.rules.byKey[key] }

// Rule is a row, compiled for a target.
type Rule struct {
	// Row is where the rule comes from, nil for the coercion of a standard attribute without a row.
	Row *Row
	// ID is the row's id, or the attribute's name for the coercion of a standard attribute without a row.
	ID string
	// Order is the precedence: of two sources of one target the lower order wins.
	Order int
	// Source and Target are attribute names. They are equal where only the type is made right.
	Source string
	Target string
	// TargetKey is the target's key.
	TargetKey KeyID
	// Type is the target's type in the registry.
	Type semconv.Type
	// Copy leaves the source where it is.
	Copy bool
	// OmitWhen is the value that is expressed by absence, nil if there is none.
	OmitWhen *Scalar
	// Values replaces string values.
	Values map[string]string
	// Not are values that are placeholders: the rule does not hold for them.
	Not map[string]struct{}
	// Divisor converts the source's unit to the target's: value / Divisor. It is 1 where the units agree.
	Divisor float64
}

// InPlace tells whether source and target are the same attribute.
func (r *Rule) InPlace() bool { return r.Source == r.Target }

// Scalar is a value of one of the scalar attribute types. Scalars can be compared with ==.
type Scalar struct {
	Type   semconv.Type
	Bool   bool
	Str    string
	Int    int64
	Double float64
}

// DurationRules says what is done with latencies.
type DurationRules struct {
	// Prefix is what the latency keys start with.
	Prefix string
	// MaybeNanoseconds tells whether the values may be in nanoseconds instead of seconds. Each span then
	// decides for all of its latencies.
	MaybeNanoseconds bool
	// DecideBy are the keys that stand for the whole request, best first.
	DecideBy []KeyID

	within   []bool // by KeyID
	named    map[string]bool
	excluded map[string]struct{}
}

// Within tells whether the latency lies inside the request.
func (d *DurationRules) Within(key KeyID) bool {
	return key != NoKey && int(key) < len(d.within) && d.within[key]
}

// Names tells whether the table names the latency. Others have the prefix only.
func (d *DurationRules) Names(key string) bool { return d.named[key] }

// Excluded tells whether the configuration leaves the key alone.
func (d *DurationRules) Excluded(key string) bool {
	if len(d.excluded) == 0 {
		return false
	}
	_, ok := d.excluded[key]
	return ok
}

// Registry returns the target's registry.
func (rs *RuleSet) Registry() *semconv.Registry { return rs.registry }

// Hash identifies the compiled tables together with target and options: equal hashes mean equal rules.
func (rs *RuleSet) Hash() string { return rs.hash }

// Excluded tells whether the configuration leaves a row or a name alone.
func (rs *RuleSet) Excluded(name string) bool {
	_, ok := rs.excluded[name]
	return ok
}

func (rs *RuleSet) anyExcluded(names ...string) bool { return slices.ContainsFunc(names, rs.Excluded) }

// Dialects returns the dialects of spans by index. The slice must not be changed.
func (rs *RuleSet) Dialects() []*DialectRules { return rs.dialects }

// Key returns what is known of an attribute key, or nil. Ask [RuleSet.MayKnow] first where keys may be anybody's.
func (rs *RuleSet) Key(name string) *Key { return rs.keys[name] }

// Keys returns how many keys there are: every [KeyID] is below.
func (rs *RuleSet) Keys() int { return len(rs.keys) }

// MayKnow tells cheaply whether [RuleSet.Key] or [RuleSet.HasDurationPrefix] can be true of a key. It spares the
// keys of foreign items everything else.
func (rs *RuleSet) MayKnow(name string) bool { return rs.known.mayHave(name) }

// HasDurationPrefix tells whether the key may be a latency of some dialect.
func (rs *RuleSet) HasDurationPrefix(name string) bool {
	if name == "" || rs.known[name[0]]&prefixBit == 0 {
		return false
	}
	for _, prefix := range rs.prefixes {
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			return true
		}
	}
	return false
}

// SpanName returns the evidence that a span's name is.
func (rs *RuleSet) SpanName(name string) Evidence { return rs.names[name] }

// Scope returns the evidence that the name of an instrumentation scope is.
func (rs *RuleSet) Scope(name string) Evidence { return rs.scopes[name] }

// Kind returns the evidence that a span kind is, given in lower case: "client".
func (rs *RuleSet) Kind(kind string) Evidence { return rs.kinds[kind] }

// MayMatch tells whether any dialect can claim an item of which keys, values and scope are known.
func (rs *RuleSet) MayMatch(e *Evidence) bool { return e.meets(&rs.decisive) }

// Match returns the first dialect that claims an item with the given evidence, and the item's form.
func (rs *RuleSet) Match(e Evidence, spanName string) (*DialectRules, Form) {
	if !rs.MayMatch(&e) {
		return nil, FormNone
	}
	return match(rs.forms, e, spanName).claim()
}

// match returns the first form that claims an item, or nil.
func match(forms []form, e Evidence, spanName string) *form {
	for i := range forms {
		if f := &forms[i]; f.matches(e, spanName) {
			return f
		}
	}
	return nil
}

func (f *form) claim() (*DialectRules, Form) {
	if f == nil {
		return nil, FormNone
	}
	return f.dialect, f.kind
}

// EventName returns the evidence that the name of a log record is.
func (rs *RuleSet) EventName(name string) Evidence { return rs.events[name] }

// MatchRecord returns the first dialect that claims a log record with the given evidence, and the record's form.
func (rs *RuleSet) MatchRecord(e Evidence) (*DialectRules, Form) {
	if !e.meets(&rs.decisiveRecord) {
		return nil, FormNone
	}
	return match(rs.records, e, "").claim()
}

// EventRule is the name that an event gets.
type EventRule struct {
	Row    *EventRow
	Target string
	// Only asks for an attribute with one of the values.
	Only map[string][]string
}

// Event returns what an event of the dialect is called, or nil.
func (d *DialectRules) Event(name string) *EventRule { return d.events[name] }

// keyFilter tells from the first byte and the length of a key, or of the name of a metric, that no rule names it.
type keyFilter [256]uint64

// prefixBit is set for the first bytes of prefixes. No key has its length, which is 0.
const prefixBit = 1

func lengthBit(s string) uint64 { return 1 << min(len(s), 63) }

func (f *keyFilter) add(s string) {
	if s != "" {
		f[s[0]] |= lengthBit(s)
	}
}

func (f *keyFilter) addPrefix(s string) { f[s[0]] |= prefixBit }

func (f *keyFilter) mayHave(s string) bool {
	if s == "" {
		return false
	}
	lengths := f[s[0]]
	return lengths != 0 && lengths&(lengthBit(s)|prefixBit) != 0
}
