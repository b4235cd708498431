// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// MetricsDialect is the dialect that an engine's metrics are reported under. Their names do not tell generations.
func MetricsDialect(engine string) string { return engine + "/metrics" }

// addMetrics compiles the metrics of a table.
func (c *compiler) addMetrics(t *Table) {
	if len(t.Metrics) == 0 {
		return
	}
	m := &metricCompiler{
		compiler: c, table: t, sources: map[string]*MetricSource{}, ranged: t.metricsWithRange(), slots: map[slotOf]*MetricRule{},
	}
	m.dialect = &DialectRules{
		Index:        len(c.set.metrics.dialects),
		ID:           MetricsDialect(t.Engine),
		Engine:       t.Engine,
		Provider:     c.provider(t),
		Layer:        t.Layer,
		placeholders: t.placeholders(),
	}
	c.set.metrics.dialects = append(c.set.metrics.dialects, m.dialect)
	if p := m.dialect.Provider; p != "" && c.set.metrics.byProvider[p] == nil {
		c.set.metrics.byProvider[p] = m.dialect
	}
	for _, prefix := range t.MetricPrefixes {
		c.set.metrics.namespaces[prefix[0]] = append(c.set.metrics.namespaces[prefix[0]], &MetricNamespace{
			Dialect: m.dialect, ForeignPoints: selectors(t.ForeignPoints), prefix: prefix, foreign: t.ForeignMetrics,
		})
	}
	faults := len(c.faults)
	m.checkLabels()
	for i := range t.Metrics {
		r := &t.Metrics[i]
		if err := m.addRow(r); err != nil {
			c.fault(r.at.errorf("row", r.ID, "%w", err))
		}
	}
	if len(c.faults) > faults {
		return // A proof may be of a row that is not there for its faults.
	}
	m.addProofs()
	m.addNames()
}

// metricCompiler compiles the metrics of one table.
type metricCompiler struct {
	*compiler
	table   *Table
	dialect *DialectRules
	// sources are those of the table by their names without prefix, in the first spelling.
	sources map[string]*MetricSource
	order   []string // their names in the order of the table
	// ranged are the rows that hold for some releases only, by their sources.
	ranged map[string][]*MetricRow
	// slots are the first rules that fill them.
	slots map[slotOf]*MetricRule
}

// checkLabels finds labels that lead nowhere in any target, and several rows that lead to one attribute, of which the
// second would overwrite what the first brought.
func (m *metricCompiler) checkLabels() {
	// Runtime writes the decision about each row into four bits.
	const maxRows, maxLabels = 12, 6
	if len(m.table.MetricLabels) > maxRows {
		m.fault(m.table.errorf("metric_labels: more than %d", maxRows))
		return
	}
	seen := map[string]bool{}
	for _, l := range m.table.MetricLabels {
		err := checkAttribute(l.To)
		switch {
		case err != nil:
			m.fault(m.table.errorf("metric_labels: target %w", err))
		case seen[l.To]:
			m.fault(m.table.errorf("metric_labels: target %q is there twice: one row lists its labels, best first", l.To))
		case len(l.From) > maxLabels:
			m.fault(m.table.errorf("metric_labels: more than %d labels for %q", maxLabels, l.To))
		case slices.Contains(l.From, l.To):
			m.fault(m.table.errorf("metric_labels: %q leads to itself", l.To))
		}
		seen[l.To] = true
	}
}

func (m *metricCompiler) addRow(r *MetricRow) error {
	rule, err := m.metricRule(r)
	if err != nil {
		return err
	}
	for _, name := range r.sources() {
		source, ok := m.sources[name]
		if !ok {
			source = &MetricSource{
				ID: m.set.metrics.sources, Dialect: m.dialect, ForeignPoints: selectors(m.table.ForeignPoints),
			}
			m.set.metrics.sources++
			m.sources[name] = source
			m.order = append(m.order, name)
		}
		own := *rule
		m.compiler.order++ // Of several names in one row the first wins.
		own.Order = m.compiler.order
		if r.Basis == BasisApproximate {
			own.Order += approximateOrder
		}
		if !m.isUsed(r, m.ranged[name]) {
			own.Idle = m.idleVersion(m.table)
		}
		own.Off = own.Idle.isOff()
		if m.isExcluded(name) {
			own.Idle = IdleExcluded
		}
		if own.Idle != NotIdle {
			own.Target = nil
		}
		if err := m.checkSlot(source, &own); err != nil {
			return err
		}
		source.Rules = append(source.Rules, &own)
	}
	return nil
}

// slotOf is a slot that a source may fill.
type slotOf struct{ source, slot int }

// checkSlot rejects a second unit for points of one source that go to one target: they arrive in one metric.
func (m *metricCompiler) checkSlot(source *MetricSource, rule *MetricRule) error {
	if rule.Target == nil {
		return nil
	}
	first, ok := m.slots[slotOf{source.ID, rule.Slot}]
	switch {
	case !ok:
		m.slots[slotOf{source.ID, rule.Slot}] = rule
	case first.unit != rule.unit:
		return fmt.Errorf("unit %q: row %q about the same source and target says %q", rule.unit, first.ID, first.unit)
	case first.Alias != rule.Alias:
		return fmt.Errorf("alias: row %q about the same source and target says something else", first.ID)
	}
	return nil
}

// approximateOrder puts approximate rows behind all exact ones.
const approximateOrder = 1 << 30

// metricRule compiles a row. It is idle where the target has no place for it or the options do not ask for it.
func (m *metricCompiler) metricRule(r *MetricRow) (*MetricRule, error) {
	rule := &MetricRule{
		Row: r, ID: r.ID, Dialect: m.dialect, Alias: r.Alias, OneOf: r.OneOf, unit: r.Unit, divisor: 1,
		Only: selectors(r.Only), Never: selectors(r.Never),
	}
	for _, instrument := range r.Instrument {
		rule.Instruments |= instrumentBit(instrument)
	}
	if len(r.Keep) > 0 {
		rule.Idle = IdleKept
		return rule, nil
	}
	name := r.To.For(m.set.registry.Target)
	if name == "" {
		rule.Idle = IdleNoPlace
		return rule, nil
	}
	metric, isExtension, ok := m.metricOf(name)
	switch {
	case !ok:
		return nil, fmt.Errorf("target %q is neither a metric of the %s registry nor one of the extensions", name, m.set.registry.Target)
	case metric.Instrument.String() != string(r.Instrument[0]):
		return nil, fmt.Errorf("instrument %q: target %q is a %s", r.Instrument[0], name, metric.Instrument)
	}
	if rule.divisor, ok = unitDivisor(r.Unit, metric.Unit); !ok {
		return nil, fmt.Errorf("unit %q: there is no factor to %q, the unit of target %q", r.Unit, metric.Unit, name)
	}
	if rule.divisor != 1 && r.Instrument[0] == InstrumentSum && metric.ValueType == semconv.Int {
		return nil, fmt.Errorf("unit %q: target %q counts whole things", r.Unit, name)
	}
	if err := m.addAttributes(rule, r, metric); err != nil {
		return nil, err
	}
	switch {
	case m.set.anyExcluded(r.ID, name):
		rule.Idle = IdleExcluded
	case isExtension && !m.opts.Extensions:
		rule.Idle = IdleExtension
	case r.Basis == BasisApproximate && !m.approximate(m.table):
		rule.Idle = IdleApproximate
	}
	if rule.Idle != NotIdle {
		return rule, nil
	}
	rule.Target = m.target(metric)
	rule.Slot = m.slot(rule)
	m.set.metrics.labels[targetOf{m.dialect, rule.Target}] = rule.Labels
	return rule, nil
}

// addAttributes adds what is done to labels. Only attributes that the target's definition has are written.
func (m *metricCompiler) addAttributes(rule *MetricRule, r *MetricRow, metric semconv.Metric) error {
	has := func(name string) bool { return !m.set.Excluded(name) && hasAttribute(metric, name) }
	for _, l := range m.table.MetricLabels {
		if !has(l.To) {
			continue
		}
		label := LabelRule{To: l.To, Not: map[string]struct{}{"": {}}}
		for _, from := range l.From {
			if !m.set.Excluded(from) {
				label.From = append(label.From, from)
			}
		}
		if len(label.From) == 0 {
			continue // All are excluded.
		}
		for _, value := range l.Not {
			label.Not[value] = struct{}{}
		}
		if l.To == semconv.RequestModel {
			maps.Copy(label.Not, m.dialect.placeholders)
		}
		rule.Labels = append(rule.Labels, label)
	}
	if has(semconv.ProviderName) {
		rule.Provider = m.dialect.Provider
	}
	if has(semconv.OperationName) {
		rule.Operation = m.opts.Engines[m.table.Engine].DefaultOperation
	}
	for _, name := range slices.Sorted(maps.Keys(r.Add)) {
		if err := m.checkAdded(name); err != nil {
			return err
		}
		switch {
		case has(name):
			rule.Add = append(rule.Add, Label{Name: name, Value: r.Add[name]})
		case m.set.Excluded(name) && hasAttribute(metric, name):
			rule.Idle = IdleExcluded // Without it nothing would tell the points from those of other rows.
		}
	}
	return nil
}

func hasAttribute(metric semconv.Metric, name string) bool {
	return slices.ContainsFunc(metric.Attributes, func(a semconv.MetricAttribute) bool { return a.Name == name })
}

// checkAdded finds an attribute that no target knows, or that has another source.
func (m *metricCompiler) checkAdded(name string) error {
	if name == semconv.ProviderName || name == semconv.OperationName ||
		slices.ContainsFunc(m.table.MetricLabels, func(l LabelRow) bool { return l.To == name }) {
		return fmt.Errorf("add %q: it comes from the table's provider, its labels or the configuration", name)
	}
	if err := checkAttribute(name); err != nil {
		return fmt.Errorf("add %w", err)
	}
	return nil
}

// checkAttribute finds what is not an attribute of any target. One of another target than the chosen one is left out.
func checkAttribute(name string) error {
	for _, target := range semconv.Targets() {
		registry, err := semconv.Load(target)
		if err != nil {
			return err
		}
		if _, ok := registry.Attribute(name); ok {
			return nil
		}
	}
	return fmt.Errorf("%q: it is not an attribute of any registry", name)
}

func (m *metricCompiler) target(metric semconv.Metric) *MetricTarget {
	targets := m.set.metrics.targets
	target, ok := targets[metric.Name]
	if !ok {
		target = &MetricTarget{
			Index: len(targets), Name: metric.Name, Unit: metric.Unit, Description: metric.Brief,
			Instrument: Instrument(metric.Instrument.String()),
		}
		targets[metric.Name] = target
	}
	return target
}

// slot returns the number of what the rule competes for: the target, and what tells its points from those of others.
func (m *metricCompiler) slot(rule *MetricRule) int {
	slot := metricSlot{target: rule.Target, provider: rule.Provider, add: fmt.Sprint(rule.Add)}
	number, ok := m.set.metrics.slots[slot]
	if !ok {
		number = len(m.set.metrics.slots)
		m.set.metrics.slots[slot] = number
	}
	return number
}

// isUsed tells whether a row holds for the engine's version. One that has a proof holds where that is found. The others
// that hold for some releases of the source's only are ranged.
func (m *metricCompiler) isUsed(r *MetricRow, ranged []*MetricRow) bool {
	if r.Versions == "" {
		return true
	}
	if version := m.opts.Engines[m.table.Engine].Version; version != "" {
		return r.Holds(version)
	}
	if r.isDecidedByData() {
		return true
	}
	isAboveRow := true
	for _, o := range ranged {
		if o == r {
			isAboveRow = false
			continue
		}
		// Rows of one range stand beside each other, those of different ranges for each other.
		if o.Versions == r.Versions || o.isDecidedByData() || !o.sharesInstrument(r) {
			continue
		}
		if c := cmp.Compare(o.caution(), r.caution()); c < 0 || c == 0 && isAboveRow {
			return false
		}
	}
	return true
}

// metricsWithRange returns the rows that hold for some releases only, by their sources, in the order of the table.
func (t *Table) metricsWithRange() map[string][]*MetricRow {
	ranged := map[string][]*MetricRow{}
	for i := range t.Metrics {
		r := &t.Metrics[i]
		if r.Versions == "" {
			continue
		}
		for _, source := range r.sources() {
			ranged[source] = append(ranged[source], r)
		}
	}
	return ranged
}

// isDecidedByData tells whether the data tells where the row holds.
func (r *MetricRow) isDecidedByData() bool { return r.ProvenBy != nil || r.DisprovenBy != nil }

func (r *MetricRow) caution() int { return cautionOf(len(r.Keep) > 0, r.Basis) }

func (r *MetricRow) sharesInstrument(o *MetricRow) bool {
	return slices.ContainsFunc(r.Instrument, func(i Instrument) bool { return slices.Contains(o.Instrument, i) })
}

// addProofs finds the metrics that prove something. A known version needs no proof.
func (m *metricCompiler) addProofs() {
	known := m.opts.Engines[m.table.Engine].Version != ""
	for _, name := range m.order {
		for _, rule := range m.sources[name].Rules {
			proof, err := m.proof("proven_by", rule.Row.ProvenBy)
			disproof, otherErr := m.proof("disproven_by", rule.Row.DisprovenBy)
			if err := cmp.Or(err, otherErr); err != nil {
				m.fault(rule.Row.at.errorf("row", rule.ID, "%w", err))
			}
			if !known {
				rule.Proof, rule.Disproof = proof, disproof
			}
		}
	}
}

func (m *metricCompiler) proof(key string, p *Presence) (*MetricProof, error) {
	if p == nil {
		return nil, nil
	}
	proof := &MetricProof{SameLabel: p.SameLabel}
	for _, other := range p.AnyMetric {
		source, ok := m.sources[other]
		if !ok {
			return nil, fmt.Errorf("%s: metric %q is not in the table", key, other)
		}
		proof.Sources = append(proof.Sources, source.ID)
	}
	return proof, nil
}

// addNames expands every spelling of the table's names, so that one look-up finds what a metric is. What a row
// spells out comes before what follows from other rows.
func (m *metricCompiler) addNames() {
	prefixes := m.table.MetricPrefixes
	if len(prefixes) == 0 {
		prefixes = []string{""}
	}
	for i, prefix := range prefixes {
		for _, name := range m.order {
			m.addName(prefix+name, name, 2*i)
			if variant, ok := m.totalVariant(name); ok {
				m.addName(prefix+variant, name, 2*i+1)
			}
		}
	}
	// Of names in full nothing follows: what is called like them with an ending may be anybody's.
	for _, prefix := range m.table.MetricPrefixes {
		for _, name := range m.order {
			source := m.sources[name]
			all := source.instruments()
			if all.Has(InstrumentHistogram) {
				for _, suffix := range []string{"_bucket", "_sum", "_count"} {
					m.addDerived(prefix+name+suffix, KindPart, source)
				}
			}
			if all.Has(InstrumentHistogram) || all.Has(InstrumentSummary) {
				m.addDerived(prefix+name+"_created", KindCreated, source)
			}
			if all.Has(InstrumentSum) {
				m.addDerived(prefix+strings.TrimSuffix(name, totalSuffix)+"_created", KindCreated, source)
			}
		}
	}
}

// totalSuffix is what Prometheus clients put behind the names of counters, and receivers may cut.
const totalSuffix = "_total"

// totalVariant returns the other spelling of a counter, unless a row is about just that name.
func (m *metricCompiler) totalVariant(name string) (string, bool) {
	if !m.sources[name].instruments().Has(InstrumentSum) {
		return "", false
	}
	variant, cut := strings.CutSuffix(name, totalSuffix)
	if !cut {
		variant = name + totalSuffix
	}
	_, isSource := m.sources[variant]
	return variant, !isSource && variant != ""
}

func (s *MetricSource) instruments() (all InstrumentSet) {
	for _, rule := range s.Rules {
		all |= rule.Instruments
	}
	return all
}

// addName adds a spelling of a source. Several tables may know a name; their order decides. What only follows from the
// rows of a table before is forgotten.
func (m *metricCompiler) addName(full, name string, spelling int) {
	metric, ok := m.set.metrics.names[full]
	if !ok || metric.Kind != KindSource {
		metric = m.set.metrics.add(&Metric{Name: full, Kind: KindSource, Inert: true})
	}
	source := *m.sources[name]
	source.Spelling = spelling
	if standard, ok := m.underscored[full]; ok {
		source.Rules = withMismatch(source.Rules, standard)
	}
	for _, rule := range source.Rules {
		metric.Inert = metric.Inert && rule.Target == nil && !rule.StandardMismatch
	}
	metric.Instruments |= source.instruments()
	metric.Sources = append(metric.Sources, &source)
}

// withMismatch marks what stays under the spelling with underscores of a standard metric that is another instrument.
func withMismatch(rules []*MetricRule, standard Instrument) []*MetricRule {
	marked := slices.Clone(rules)
	for i, rule := range rules {
		own := *rule
		own.StandardMismatch = rule.Target == nil && !rule.Off && !rule.Instruments.Has(standard)
		marked[i] = &own
	}
	return marked
}

func (m *metricCompiler) addDerived(full string, kind MetricKind, source *MetricSource) {
	metric, ok := m.set.metrics.names[full]
	if !ok {
		metric = m.set.metrics.add(&Metric{Name: full, Kind: kind})
	}
	if metric.Kind == kind && !slices.Contains(metric.Sources, source) {
		metric.Sources = append(metric.Sources, source)
	}
}

// addMetricTargets makes the names known that rules lead to, so that their presence is noticed.
func (c *compiler) addMetricTargets() {
	for _, name := range slices.Sorted(maps.Keys(c.set.metrics.targets)) {
		if known := c.set.metrics.names[name]; known != nil {
			rule := known.Sources[0].Rules[0]
			c.fault(rule.Row.at.errorf("row", rule.ID, "source %q is a target of rows", name))
			continue
		}
		c.set.metrics.add(&Metric{Name: name, Kind: KindTarget, Target: c.set.metrics.targets[name]})
	}
}

// isExcluded tells whether the configuration excludes a metric in any of its spellings.
func (m *metricCompiler) isExcluded(name string) bool {
	return len(m.set.excluded) > 0 && slices.ContainsFunc(m.table.spellings(name), m.set.Excluded)
}

// spellings returns a metric's name without and with each prefix.
func (t *Table) spellings(name string) []string {
	names := []string{name, strings.TrimSuffix(name, totalSuffix), name + totalSuffix}
	spellings := slices.Clone(names)
	for _, prefix := range t.MetricPrefixes {
		for _, n := range names {
			spellings = append(spellings, prefix+n)
		}
	}
	return spellings
}

func selectors(list []PointSelector) []Selector {
	var compiled []Selector
	for i := range list {
		compiled = append(compiled, list[i].compile())
	}
	return compiled
}

func (s *PointSelector) compile() Selector {
	var tests Selector
	for _, label := range s.Has {
		tests = append(tests, LabelTest{Label: label})
	}
	for _, label := range s.Lacks {
		tests = append(tests, LabelTest{Label: label, Absent: true})
	}
	for _, label := range slices.Sorted(maps.Keys(s.Labels)) {
		values := map[string]struct{}{}
		for _, value := range s.Labels[label] {
			values[value] = struct{}{}
		}
		tests = append(tests, LabelTest{Label: label, Values: values})
	}
	return tests
}

// metricNames are all names by which the configuration may exclude something about metrics.
func (t *Table) metricNames(add func(string)) {
	for i := range t.Metrics {
		r := &t.Metrics[i]
		add(r.ID)
		for _, source := range r.sources() {
			for _, name := range t.spellings(source) {
				add(name)
			}
		}
		for name := range r.Add {
			add(name)
		}
	}
	for _, l := range t.MetricLabels {
		for _, from := range l.From {
			add(from)
		}
	}
}
