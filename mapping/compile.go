// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// Compile checks tables against the target's registry and returns the rules. It reports the option that is wrong, or all
// faults of the tables in a line each, with the file, line and id of the row.
func Compile(tables []*Table, opts Options) (*RuleSet, error) {
	tables, err := Resolve(tables)
	if err != nil {
		return nil, err
	}
	return compileResolved(tables, opts)
}

// compileResolved compiles tables that extend no others.
func compileResolved(tables []*Table, opts Options) (*RuleSet, error) {
	registry, err := semconv.Load(opts.Target)
	if err != nil {
		return nil, err
	}
	extensions, err := semconv.Extensions()
	if err != nil {
		return nil, err
	}
	c := &compiler{
		opts:        opts,
		extensions:  extensions,
		facts:       facts{bits: map[string]int{}},
		engines:     map[string]*Table{},
		about:       map[about]bool{},
		underscored: map[string]Instrument{},
		said:        map[string]bool{},
		set: &RuleSet{
			registry: registry,
			excluded: map[string]struct{}{},
			keys:     map[string]*Key{},
			names:    map[string]Evidence{},
			events:   map[string]Evidence{},
			scopes:   map[string]Evidence{},
			kinds:    map[string]Evidence{},
			metrics: metricRules{
				names:      map[string]*Metric{},
				byProvider: map[string]*DialectRules{},
				targets:    map[string]*MetricTarget{},
				labels:     map[targetOf][]LabelRule{},
				slots:      map[metricSlot]int{},
			},
		},
	}
	c.checkIDs(tables)
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...)
	}
	if err := c.checkOptions(tables); err != nil {
		return nil, err
	}
	c.set.tables, c.set.opts, c.set.versions = tables, opts, c.versionAttributes(tables)
	for metric := range registry.Metrics() {
		c.underscored[strings.ReplaceAll(metric.Name, ".", "_")] = Instrument(metric.Instrument.String())
	}
	for _, t := range tables {
		if c.enabled(t) {
			c.addTable(t)
			c.addMetrics(t)
		}
	}
	c.addMetricTargets()
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...)
	}
	c.set.forms, c.set.records = slices.Concat(c.forms[:]...), slices.Concat(c.records[:]...)
	c.addStandardAttributes()
	c.set.facts = c.facts.names()
	c.set.hash, err = c.hash(tables)
	return c.set, err
}

type compiler struct {
	opts       Options
	extensions *semconv.Registry
	engines    map[string]*Table
	facts      facts
	set        *RuleSet
	// faults are what is wrong with the tables, one for each dialect and row, and said their texts.
	faults []error
	said   map[string]bool
	// forms are those of all tables, by the turn of their dialects.
	forms [turns][]form
	// records are the forms of log records, likewise.
	records [turns][]form
	// order numbers the rules of all tables.
	order int
	about map[about]bool
	// underscored are the instruments of the standard's metrics by their names with underscores for dots.
	underscored map[string]Instrument
}

// about is a source that a row for the dialect is about, whether the row is used or not.
type about struct {
	dialect *DialectRules
	source  string
}

// fault notes what is wrong, if something is, and tells whether it is. Tables that extend others share rows, and dialects
// share those of their table, so what is said already is not said again.
func (c *compiler) fault(err error) bool {
	if err == nil {
		return false
	}
	if text := err.Error(); !c.said[text] {
		c.said[text] = true
		c.faults = append(c.faults, err)
	}
	return true
}

// checkIDs finds ids of rows that several tables have.
func (c *compiler) checkIDs(tables []*Table) {
	ids := map[string]*Table{}
	for _, t := range tables {
		for i := range t.Attributes {
			c.fault(takeID(ids, t, t.Attributes[i].ID, t.Attributes[i].at))
		}
		for i := range t.Events {
			c.fault(takeID(ids, t, t.Events[i].ID, t.Events[i].at))
		}
		for i := range t.Metrics {
			c.fault(takeID(ids, t, t.Metrics[i].ID, t.Metrics[i].at))
		}
	}
}

// checkOptions finds engines and exclusions that no table knows.
func (c *compiler) checkOptions(tables []*Table) error {
	known := map[string]struct{}{}
	engines := c.engines
	for _, t := range tables {
		engines[t.Engine] = t
		for i := range t.Attributes {
			r := &t.Attributes[i]
			known[r.ID] = struct{}{}
			for _, source := range r.sources() {
				known[source] = struct{}{}
			}
		}
		for i := range t.Events {
			r := &t.Events[i]
			known[r.ID], known[r.From] = struct{}{}, struct{}{}
		}
		if len(c.opts.Exclude) > 0 { // There are thousands.
			t.metricNames(func(name string) { known[name] = struct{}{} })
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.opts.Engines)) {
		if _, ok := engines[name]; !ok {
			return fmt.Errorf("%w %q: one of %s is expected", ErrUnknownEngine, name, quoted(slices.Sorted(maps.Keys(engines))))
		}
		if v := c.opts.Engines[name].Version; v != "" {
			if err := ValidateVersion(v); err != nil {
				return fmt.Errorf("engine %q: %w", name, err)
			}
		}
	}
	for _, name := range c.opts.Exclude {
		_, isSource := known[name]
		_, isAttribute := c.set.registry.Attribute(name)
		_, _, isMetric := c.metricOf(name)
		if !isSource && !isAttribute && !isMetric && !isLatency(tables, name) {
			return fmt.Errorf("%w %q: a row id, a source name, a standard attribute or a metric is expected", ErrUnknownExclude, name)
		}
		c.set.excluded[name] = struct{}{}
	}
	return nil
}

// takeID reports an id that another table has. Tables of which one extends the other share theirs.
func takeID(ids map[string]*Table, t *Table, id string, at Place) error {
	other, ok := ids[id]
	if ok && other != t && t.Extends != other.Engine && other.Extends != t.Engine && (t.Extends == "" || t.Extends != other.Extends) {
		return at.errorf("row", id, "the id is taken by %s", other.file)
	}
	ids[id] = t
	return nil
}

// isLatency tells whether a dialect takes the name for a latency, though no row is about it.
func isLatency(tables []*Table, name string) bool {
	for _, t := range tables {
		for i := range t.Dialects {
			if d := t.Dialects[i].Durations; d != nil && strings.HasPrefix(name, d.prefix()) && name != d.prefix() {
				return true
			}
		}
	}
	return false
}

// excludedFrom returns the names that a table leaves alone. A kept row that is excluded by its id means its names,
// for there is nothing else in it, but only those of its own engine.
func (c *compiler) excludedFrom(t *Table) map[string]struct{} {
	excluded := maps.Clone(c.set.excluded)
	for i := range t.Attributes {
		r := &t.Attributes[i]
		if !c.set.Excluded(r.ID) {
			continue
		}
		for _, source := range r.Keep {
			excluded[source] = struct{}{}
		}
	}
	return excluded
}

func quoted(names []string) string {
	q := make([]string, len(names))
	for i, name := range names {
		q[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(q, ", ")
}

func (c *compiler) enabled(t *Table) bool {
	if e := c.opts.Engines[t.Engine].Enabled; e != nil {
		return *e
	}
	return t.DefaultEnabled()
}

func (c *compiler) provider(t *Table) string {
	if p := c.opts.Engines[t.Engine].Provider; p != nil {
		return *p
	}
	return t.Provider
}

func (c *compiler) addTable(t *Table) {
	first, faults := len(c.set.dialects), len(c.faults)
	moved, excluded, events := t.moved(c.set.registry.Target), c.excludedFrom(t), c.events(t)
	for i := range t.Dialects {
		d := &t.Dialects[i]
		provider, err := c.providerOf(t, d)
		if c.fault(err) {
			continue
		}
		rules := &DialectRules{
			Index:            len(c.set.dialects),
			ID:               d.ID,
			Engine:           t.Engine,
			Provider:         provider,
			Layer:            t.Layer,
			ProvesProvider:   provider != "" && slices.Contains(d.Proves, ProvesProvider),
			ClaimsProvider:   slices.Contains(d.Proves, ProvesProvider),
			turn:             t.turn(d),
			placeholders:     t.placeholders(),
			entryOperations:  t.EntryOperations,
			defaultOperation: c.opts.Engines[t.Engine].DefaultOperation,
			events:           events,
			rules:            &ruleTable{},
		}
		if t.RequestIDs != nil {
			rules.operations = newOperations(c.requestIDs(t, d), c.keyIDs(t.RequestIDs.Key))
		}
		if d.Durations != nil {
			rules.Durations = c.durations(d.Durations, excluded)
		}
		c.set.dialects = append(c.set.dialects, rules)
		c.fault(c.addForms(t, d, rules, moved))
	}
	c.addRows(t, c.set.dialects[first:], excluded)
	if len(c.faults) == faults {
		c.checkChains(c.set.dialects[first:])
	}
}

// providerOf returns the provider that a match of a dialect proves.
func (c *compiler) providerOf(t *Table, d *Dialect) (string, error) {
	if d.ProviderOf == "" {
		return c.provider(t), nil
	}
	owner, ok := c.engines[d.ProviderOf]
	switch {
	case !ok:
		return "", d.at.errorf("dialect", d.ID, "provider_of %q: there is no table of that engine", d.ProviderOf)
	case owner.Provider == "":
		return "", d.at.errorf("dialect", d.ID, "provider_of %q: that engine's table has no provider", d.ProviderOf)
	default:
		return c.provider(owner), nil
	}
}

// requestIDs returns what a dialect may read off a request id: without the proof only that there is nothing to read.
func (*compiler) requestIDs(t *Table, d *Dialect) *RequestIDs {
	ids := *t.RequestIDs
	if !slices.Contains(d.Proves, ProvesOperationFromRequestID) {
		ids.Operations = nil
	}
	return &ids
}

// events compiles the names of a table's events.
func (c *compiler) events(t *Table) (rules map[string]*EventRule) {
	for i := range t.Events {
		r := &t.Events[i]
		target := r.To.For(c.set.registry.Target)
		if target == "" || target == r.From {
			continue
		}
		if _, ok := c.set.registry.Event(target); !ok {
			c.fault(r.at.errorf("row", r.ID, "target %q is not an event of the %s registry", target, c.set.registry.Target))
			continue
		}
		if c.set.anyExcluded(r.ID, r.From, target) {
			continue
		}
		if rules == nil {
			rules = map[string]*EventRule{}
		}
		rules[r.From] = &EventRule{Row: r, Target: target, Only: r.Only}
	}
	return rules
}

func (c *compiler) durations(d *Durations, excluded map[string]struct{}) *DurationRules {
	rules := &DurationRules{
		Prefix:           d.prefix(),
		MaybeNanoseconds: slices.Contains(d.Units, unitNanoseconds),
		named:            map[string]bool{},
		excluded:         excluded,
	}
	for _, key := range slices.Concat(d.DecideBy, d.WithinRequest) {
		rules.named[key] = true
	}
	rules.DecideBy = c.keyIDs(d.DecideBy)
	for _, key := range d.WithinRequest {
		id := int(c.key(key).ID)
		rules.within = append(rules.within, make([]bool, max(0, id+1-len(rules.within)))...)
		rules.within[id] = true
	}
	if !slices.Contains(c.set.prefixes, rules.Prefix) {
		c.set.prefixes = append(c.set.prefixes, rules.Prefix)
		c.set.known.addPrefix(rules.Prefix)
	}
	return rules
}

// key returns the entry of an attribute key, which it makes at the first use.
func (c *compiler) key(name string) *Key {
	k, ok := c.set.keys[name]
	if !ok {
		k = &Key{ID: KeyID(len(c.set.keys)), Name: name}
		c.set.keys[name] = k
		c.set.known.add(name)
	}
	return k
}

func (c *compiler) keyIDs(names []string) []KeyID {
	ids := make([]KeyID, len(names))
	for i, name := range names {
		ids[i] = c.key(name).ID
	}
	return ids
}

func (c *compiler) addForms(t *Table, d *Dialect, rules *DialectRules, moved map[string]string) error {
	for _, kind := range d.forms() {
		for i := range kind.alternatives {
			cond := &kind.alternatives[i]
			f, err := c.form(cond, kind.form, rules)
			if err != nil {
				return d.at.errorf("dialect", d.ID, "%w", err)
			}
			f.at = d.at
			if err := c.checkForm(cond, &f, moved); err != nil {
				return d.at.errorf("dialect", d.ID, "alternative %d of %s: %w", i+1, kind.form, err)
			}
			c.addForm(f)
			if kind.form == FormStage || kind.form == FormEvent {
				continue // They are never renamed, and get no fills, so they bear no mark.
			}
			for _, variant := range []func(*Condition) (Condition, bool){rules.renamedSpan, rules.renamedKeys(moved)} {
				changed, ok := variant(cond)
				if !ok {
					continue
				}
				f, err := c.form(&changed, kind.form, rules)
				if err != nil {
					return d.at.errorf("dialect", d.ID, "%w", err)
				}
				f.at = d.at
				if !c.isRecognisedBy(t, d, kind.form, &f) {
					c.addForm(f)
				}
			}
		}
	}
	return nil
}

// isRecognisedBy tells whether another entry for the same dialect claims every such item anyway. That entry then
// also knows better in which unit the latencies are.
func (c *compiler) isRecognisedBy(t *Table, d *Dialect, kind Form, f *form) bool {
	for i := range t.Dialects {
		other := &t.Dialects[i]
		if other == d || other.ID != d.ID {
			continue
		}
		for _, alternatives := range other.forms() {
			for j := range alternatives.alternatives {
				own, err := c.form(&alternatives.alternatives[j], kind, f.dialect)
				if err == nil && alternatives.form == kind && own.implies(f) {
					return true
				}
			}
		}
	}
	return false
}

// renamedSpan returns the condition for a request whose span was given its semantic convention name. Such a name
// could be anybody's. It counts where something else is the engine's: the scope, or the provider that was filled in.
// A dialect that proves no provider fills none in, and claims nothing by it.
func (d *DialectRules) renamedSpan(cond *Condition) (Condition, bool) {
	if len(cond.SpanName) == 0 && cond.SpanNamePattern == "" {
		return Condition{}, false
	}
	renamed := *cond
	renamed.SpanName, renamed.SpanNamePattern, renamed.semconvName = nil, "", true
	renamed.NotKind = append(slices.Clone(cond.NotKind), "client") // Those are named like that by the standard.
	switch {
	case len(cond.Scope) > 0 || !d.ClaimsProvider:
	case !d.ProvesProvider:
		return Condition{}, false
	default:
		renamed.Values = withValue(cond.Values, semconv.ProviderName, d.Provider)
	}
	return renamed, true
}

// renamedKeys returns a function that returns the condition for a request whose evidence was moved to other keys:
// what asks for a source is content with its target, if the item carries the engine's own provider, which is the
// mark of having been here before. So a second processor counts what the first one did.
func (d *DialectRules) renamedKeys(moved map[string]string) func(*Condition) (Condition, bool) {
	return func(cond *Condition) (Condition, bool) {
		renamed, changed := cond.renamed(moved)
		if !changed || !d.ProvesProvider {
			return Condition{}, false
		}
		renamed.Values = withValue(cond.Values, semconv.ProviderName, d.Provider)
		return renamed, true
	}
}

func withValue(values map[string][]string, key, value string) map[string][]string {
	with := maps.Clone(values)
	if with == nil {
		with = map[string][]string{}
	}
	with[key] = []string{value}
	return with
}

// checkForm finds what makes a form match nothing, or something else in a second pass.
func (c *compiler) checkForm(cond *Condition, f *form, moved map[string]string) error {
	for _, key := range cond.NoKey {
		if target := moved[key]; target != "" && target != key {
			return fmt.Errorf("no_key %q: a row moves it to %q, so a second pass would recognise something else", key, target)
		}
	}
	if f.isContradictory() {
		return errors.New("it can never match: it forbids what it asks for")
	}
	earlier := slices.Concat(c.formsLike(f.kind)[:f.dialect.turn+1]...)
	for i := range earlier {
		if !earlier[i].implies(f) {
			continue
		}
		if f.at.embedded && !earlier[i].at.embedded {
			// A user's table may take all of a dialect that comes with this package.
			c.set.overlaps = append(c.set.overlaps, Overlap{
				What: fmt.Sprintf("an alternative of dialect %q", f.dialect.ID), At: f.at, By: earlier[i].dialect.ID, ByAt: earlier[i].at,
			})
			return nil
		}
		return fmt.Errorf("it can never match: dialect %q above claims every such item", earlier[i].dialect.ID)
	}
	return nil
}

// The turns in which dialects are tried, whatever the order of the tables.
const (
	engineTurn     = iota // dialects of an engine
	fallbackTurn          // dialects for what no other table knows better
	vocabularyTurn        // dialects of a vocabulary that engines share
	lastTurn              // dialects of such a vocabulary for what no other one knows better
	turns
)

func (t *Table) turn(d *Dialect) int {
	switch {
	case t.Fallback && d.Fallback:
		return lastTurn
	case t.Fallback:
		return vocabularyTurn
	case d.Fallback:
		return fallbackTurn
	default:
		return engineTurn
	}
}

// formsLike returns the forms that a form competes with.
func (c *compiler) formsLike(kind Form) *[turns][]form {
	if kind.isRecord() {
		return &c.records
	}
	return &c.forms
}

func (c *compiler) addForm(f form) {
	forms := c.formsLike(f.kind)
	forms[f.dialect.turn] = append(forms[f.dialect.turn], f)
	// An item without one fact of this set has not all that the form asks for. The last set is the most specific.
	decisive := &c.set.decisive
	if f.kind.isRecord() {
		decisive = &c.set.decisiveRecord
	}
	decisive.Add(&f.any[len(f.any)-1])
}

// moved returns the target of each source of the table that does not stay where it is.
func (t *Table) moved(target string) map[string]string {
	moved := map[string]string{}
	for i := range t.Attributes {
		r := &t.Attributes[i]
		for _, source := range r.From {
			if !r.Copy {
				moved[source] = r.To.For(target)
			}
		}
	}
	return moved
}

// renamed returns the condition for an item whose keys were renamed.
func (c *Condition) renamed(moved map[string]string) (renamed Condition, changed bool) {
	rename := func(keys []string) []string {
		targets := make([]string, len(keys))
		for i, key := range keys {
			targets[i] = key
			if target := moved[key]; target != "" && target != key {
				targets[i], changed = target, true
			}
		}
		return targets
	}
	renamed = *c
	renamed.AnyKey, renamed.AllKeys = rename(c.AnyKey), rename(c.AllKeys)
	return renamed, changed
}

type formAlternatives struct {
	form         Form
	alternatives []Condition
}

func (d *Dialect) forms() []formAlternatives {
	return []formAlternatives{
		{FormRequest, d.Request}, {FormEntry, d.Entry}, {FormStage, d.Stage}, {FormRecord, d.Record}, {FormEvent, d.Event},
	}
}

// form compiles one alternative.
func (c *compiler) form(cond *Condition, kind Form, rules *DialectRules) (form, error) {
	b := formBuilder{compiler: c}
	b.require(b.nameSet(cond.SpanName))
	b.require(b.eventSet(cond.EventName))
	if cond.semconvName {
		b.require(fact(factSemconvName))
	}
	if cond.NoAttributes {
		b.require(fact(factNoAttributes))
	}
	b.require(b.scopeSet(cond.Scope)) // Spans without attributes are many, and few in the scope of an engine.
	for _, key := range slices.Sorted(maps.Keys(cond.Values)) {
		b.require(b.valueSet(key, cond.Values[key]))
	}
	for _, key := range cond.AllKeys {
		b.require(b.keySet([]string{key}))
	}
	b.require(b.keySet(cond.AnyKey))
	f := form{
		dialect: rules,
		kind:    kind,
		any:     b.required,
		none:    b.scopeSet(cond.NotScope).or(b.kindSet(cond.NotKind)).or(b.keySet(cond.NoKey)),
	}
	if cond.SpanNamePattern != "" {
		f.pattern = mustPattern(cond.SpanNamePattern)
	}
	if b.full {
		return f, fmt.Errorf("there are more than %d span names, scopes and keys in the conditions of all enabled tables", maxEvidence-firstFact)
	}
	return f, nil
}

// formBuilder turns the lists of a condition into sets of facts.
type formBuilder struct {
	*compiler
	required []Evidence
	full     bool
}

func (b *formBuilder) require(set Evidence) {
	if !set.isEmpty() {
		b.required = append(b.required, set)
	}
}

// union collects the facts of names and registers each for the look-up at run time.
func (b *formBuilder) union(kind string, names []string, register func(name string, e Evidence)) (set Evidence) {
	for _, name := range names {
		e, ok := b.facts.of(kind, name)
		b.full = b.full || !ok
		register(name, e)
		set = set.or(e)
	}
	return set
}

func (b *formBuilder) nameSet(names []string) Evidence {
	return b.union("name", names, func(name string, e Evidence) { b.set.names[name] = e })
}

func (b *formBuilder) eventSet(names []string) Evidence {
	return b.union("event", names, func(name string, e Evidence) { b.set.events[name] = e })
}

func (b *formBuilder) scopeSet(names []string) Evidence {
	return b.union("scope", names, func(name string, e Evidence) { b.set.scopes[name] = e })
}

func (b *formBuilder) kindSet(names []string) Evidence {
	return b.union("kind", names, func(name string, e Evidence) { b.set.kinds[name] = e })
}

func (b *formBuilder) keySet(names []string) Evidence {
	return b.union("key", names, func(name string, e Evidence) { b.key(name).Evidence = e })
}

func (b *formBuilder) valueSet(key string, values []string) Evidence {
	return b.union("value "+key, values, func(value string, e Evidence) {
		k := b.key(key)
		if k.Values == nil {
			k.Values = map[string]Evidence{}
		}
		k.Values[value] = e
	})
}

// providers are those that the dialects prove, which may be other tables'.
func (c *compiler) providers() []string {
	providers := make([]string, len(c.set.dialects))
	for i, d := range c.set.dialects {
		providers[i] = d.Provider
	}
	return providers
}

// hash identifies the rules. What is switched off makes no difference, nor does the order of what has none.
func (c *compiler) hash(tables []*Table) (string, error) {
	type usedTable struct {
		Table                               *Table
		Provider, DefaultOperation, Version string
		Approximate                         bool
	}
	used := []usedTable{}
	for _, t := range tables {
		if c.enabled(t) {
			opts := c.opts.Engines[t.Engine]
			used = append(used, usedTable{
				Table: t, Provider: c.provider(t), DefaultOperation: opts.DefaultOperation, Version: opts.Version,
				Approximate: c.approximate(t),
			})
		}
	}
	data, err := json.Marshal(struct {
		Target     string
		Extensions bool
		Exclude    []string
		Tables     []usedTable
		Providers  []string
	}{c.opts.Target, c.opts.Extensions, slices.Sorted(maps.Keys(c.set.excluded)), used, c.providers()})
	if err != nil {
		return "", fmt.Errorf("hash of the tables: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8]), nil
}
