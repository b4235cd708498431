// SPDX-License-Identifier: Apache-2.0

package explain // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/explain"

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/stats"
	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// Documents normalises documents, in place, and says what becomes of them.
func Documents(ctx context.Context, normalizer *normalize.Normalizer, documents []otlpjson.Document) (*Report, error) {
	c := &collector{
		words: words{rules: normalizer.Rules()},
		rows:  map[rowKey]*Row{}, recognised: map[string]*Recognised{}, names: map[string]bool{},
	}
	for _, document := range documents {
		if err := c.document(ctx, normalizer, document); err != nil {
			return nil, err
		}
	}
	return c.report(), nil
}

// collector adds up what the normalizer tells.
type collector struct {
	words
	stats      stats.Stats
	rows       map[rowKey]*Row
	recognised map[string]*Recognised
	spans      Input
	records    Input
	// names are those of metrics, and whether anything is known of them.
	names map[string]bool
}

// rowKey is what tells rows apart.
type rowKey struct {
	signal         normalize.Signal
	dialect        string
	kind           Kind
	fate           Fate
	source, target string
	id             string
	before, after  Side
	divisor        float64
	removed        bool
	why, change    string
}

func (c *collector) document(ctx context.Context, normalizer *normalize.Normalizer, document otlpjson.Document) error {
	switch d := document.(type) {
	case ptrace.Traces:
		c.spans.Items += int64(d.SpanCount())
		return normalizer.Traces(ctx, d, c.of(normalize.Traces))
	case pmetric.Metrics:
		for _, rm := range d.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					c.names[m.Name()] = c.names[m.Name()]
				}
			}
		}
		return normalizer.Metrics(ctx, d, c.of(normalize.Metrics))
	case plog.Logs:
		c.records.Items += int64(d.LogRecordCount())
		return normalizer.Logs(ctx, d, c.of(normalize.Logs))
	}
	return nil
}

func (c *collector) of(signal normalize.Signal) *observer {
	return &observer{Reporter: c.stats.Of(signal), collector: c, signal: signal}
}

// observer is told about the items of one signal.
type observer struct {
	normalize.Reporter
	*collector
	signal  normalize.Signal
	dialect *mapping.DialectRules
	form    mapping.Form
}

var _ normalize.Observer = (*observer)(nil)

// Unmapped adds a name that no row is about.
func (o *observer) Unmapped(ctx context.Context, d *mapping.DialectRules, name string) {
	o.Reporter.Unmapped(ctx, d, name)
	o.names[name] = true
	o.add(&Row{
		Dialect: d.ID, Kind: KindMetric, Fate: Unmapped, Unmapped: true, Source: name, Count: 1,
		Why: "no row is about it", Change: "a table of your own may have one: tables",
	})
}

// Recognised begins an item.
func (o *observer) Recognised(d *mapping.DialectRules, form mapping.Form, why mapping.Recognition) {
	o.dialect, o.form = d, form
	o.recognise(&Recognised{Dialect: d.ID, Form: form.String(), Evidence: why.Facts, Place: why.At.String(), Count: 1})
}

func (o *observer) recognise(r *Recognised) {
	r.Signal = o.signal
	key := fmt.Sprint(r.Signal, r.Dialect, r.Form, r.Evidence, r.Place)
	if known := o.recognised[key]; known != nil {
		known.Count += r.Count
		return
	}
	o.recognised[key] = r
}

// add adds a row to those that say the same.
func (o *observer) add(r *Row) {
	r.Signal = o.signal
	key := rowKey{
		r.Signal, r.Dialect, r.Kind, r.Fate, r.Source, r.Target, r.ID, r.Before, r.After, r.Divisor, r.Removed, r.Why, r.Change,
	}
	key.before.Example, key.after.Example = "", ""
	known := o.rows[key]
	if known == nil {
		o.rows[key] = r
		return
	}
	known.Count += r.Count
	known.Outcomes += r.Outcomes
	known.Added = known.Added || r.Added
}

// Attribute adds what becomes of an attribute.
func (o *observer) Attribute(f normalize.AttributeFate) {
	r := &Row{
		Kind: attributeKinds[f.Subject], Fate: word(f.Fate), Source: f.Source, Target: f.Target, Count: 1,
		Added: f.Added, Removed: f.Removed, Divisor: f.Divisor,
		Before: o.side(f.Source, f.Before, f.Fate), After: o.side(f.Target, f.After, f.Fate),
	}
	if _, ok := f.Fate.Reason(); ok {
		r.Outcomes = 1
	}
	if f.Fate == normalize.Stays || f.Fate == normalize.Standard {
		r.After = Side{}
	}
	if f.Subject == normalize.Attribute || f.Subject == normalize.Name {
		r.Dialect = o.dialect.ID
		o.explainAttribute(r, &f, o.dialect, o.form)
	}
	o.add(r)
}

var attributeKinds = map[normalize.Subject]Kind{
	normalize.Attribute: KindAttribute, normalize.Name: KindName,
	normalize.SchemaURLOfScope: KindSchemaURL, normalize.ResourceAttribute: KindResourceAttribute,
}

// side says what is known of a value, without telling what a user wrote.
func (c *collector) side(name string, v pcommon.Value, fate normalize.Fate) Side {
	if v == (pcommon.Value{}) {
		return Side{}
	}
	s := Side{Type: typeOf(v)}
	attribute, isStandard := c.rules.Registry().Attribute(name)
	if isStandard {
		s.Unit = attribute.Unit
	}
	switch v.Type() {
	case pcommon.ValueTypeInt, pcommon.ValueTypeDouble, pcommon.ValueTypeBool:
		s.Example = v.AsString()
	case pcommon.ValueTypeStr:
		if slices.Contains(attribute.Values, v.Str()) || fate == normalize.Filled && name != semconv.ErrorType {
			s.Example = v.Str()
		}
	}
	return s
}

func typeOf(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return "string"
	case pcommon.ValueTypeBool:
		return "boolean"
	case pcommon.ValueTypeSlice:
		if v.Slice().Len() == 0 {
			return "array"
		}
		return typeOf(v.Slice().At(0)) + "[]"
	default:
		return strings.ToLower(v.Type().String())
	}
}

// Metric adds what becomes of points of a metric.
func (o *observer) Metric(f normalize.MetricFate) {
	o.names[f.Source] = true
	r := &Row{
		Kind: KindMetric, Fate: word(f.Fate), Source: f.Source, Count: int64(f.Points), Outcomes: int64(f.Outcomes),
		Added: f.Added, Removed: f.Removed, Divisor: f.Divisor,
		Before: Side{Unit: f.Unit, Type: string(f.Instrument)},
	}
	if f.Dialect != nil {
		r.Dialect = f.Dialect.ID
	}
	if f.Added {
		r.Target = f.Target.Name
		r.After = Side{Unit: f.Target.Unit, Type: string(f.Target.Instrument)}
	}
	o.explainMetric(r, &f)
	o.add(r)
	if evidence := o.evidence(&f); evidence != "" && f.Points > 0 {
		o.recognise(&Recognised{Dialect: f.Dialect.ID, Evidence: []string{evidence}, Count: int64(f.Points)})
	}
}

// Label adds what becomes of a label.
func (o *observer) Label(f normalize.LabelFate) {
	r := &Row{
		Dialect: f.Dialect.ID, Kind: KindLabel, Fate: word(f.Fate), Source: f.Source, Target: f.Target, Count: 1,
		Added: f.Added, Removed: f.Removed,
	}
	if _, ok := f.Fate.Reason(); ok {
		r.Outcomes = 1
	}
	r.Why = labelWhy[f.Fate]
	o.add(r)
}

func (c *collector) report() *Report {
	c.stats.Of(normalize.Traces) // makes empty ones empty lists
	r := &Report{Semconv: c.rules.Registry().Target, Input: []Input{}, Recognised: []Recognised{}, Rows: []Row{}, Stats: &c.stats}
	for _, known := range c.recognised {
		r.Recognised = append(r.Recognised, *known)
	}
	slices.SortFunc(r.Recognised, func(a, b Recognised) int {
		return cmp.Or(
			cmp.Compare(rank(a.Signal), rank(b.Signal)), cmp.Compare(a.Dialect, b.Dialect), cmp.Compare(a.Form, b.Form),
			cmp.Compare(b.Count, a.Count), slices.Compare(a.Evidence, b.Evidence), cmp.Compare(a.Place, b.Place))
	})
	for _, row := range c.rows {
		r.Rows = append(r.Rows, *row)
	}
	slices.SortFunc(r.Rows, compareRows)
	c.addInput(r)
	return r
}

func (c *collector) addInput(r *Report) {
	for _, recognised := range r.Recognised {
		switch recognised.Signal {
		case normalize.Traces:
			c.spans.Foreign -= recognised.Count
		case normalize.Logs:
			c.records.Foreign -= recognised.Count
		}
	}
	c.spans.Foreign += c.spans.Items
	c.records.Foreign += c.records.Items
	metrics := Input{Signal: normalize.Metrics, Items: int64(len(c.names))}
	for _, known := range c.names {
		if !known {
			metrics.Foreign++
		}
	}
	c.spans.Signal, c.records.Signal = normalize.Traces, normalize.Logs
	for _, in := range []Input{c.spans, metrics, c.records} {
		if in.Items > 0 {
			r.Input = append(r.Input, in)
		}
	}
}

var signals = []normalize.Signal{normalize.Traces, normalize.Metrics, normalize.Logs}

func rank(s normalize.Signal) int { return slices.Index(signals, s) }

var (
	classes = []Class{LookAt, Changed, Stays}
	kinds   = []Kind{KindMetric, KindAttribute, KindLabel, KindName, KindResourceAttribute, KindSchemaURL}
)

// last comes after all names.
const last = "\uffff"

// compareLosses brings together what has the same remedy.
func compareLosses(a, b Row) int {
	if a.Class() != LookAt {
		return 0
	}
	return cmp.Or(cmp.Compare(a.Fate, b.Fate), cmp.Compare(a.Change, b.Change), cmp.Compare(a.Why, b.Why))
}

// compareRows brings together what a reader looks at together.
func compareRows(a, b Row) int {
	return cmp.Or(
		cmp.Compare(rank(a.Signal), rank(b.Signal)), cmp.Compare(cmp.Or(a.Dialect, last), cmp.Or(b.Dialect, last)),
		cmp.Compare(slices.Index(classes, a.Class()), slices.Index(classes, b.Class())),
		cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), compareLosses(a, b),
		cmp.Compare(cmp.Or(a.Source, last), cmp.Or(b.Source, last)),
		cmp.Compare(a.Target, b.Target), cmp.Compare(a.Fate, b.Fate), cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.Before.Type, b.Before.Type), cmp.Compare(a.After.Type, b.After.Type), cmp.Compare(a.Before.Unit, b.Before.Unit),
		cmp.Compare(a.Divisor, b.Divisor), cmp.Compare(a.Why, b.Why), cmp.Compare(a.Change, b.Change))
}
