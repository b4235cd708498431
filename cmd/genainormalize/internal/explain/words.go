// SPDX-License-Identifier: Apache-2.0

package explain // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/explain"

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// words says why, and which setting would make a difference.
type words struct{ rules *mapping.RuleSet }

// texts are parts of a sentence.
type texts []string

func (t *texts) add(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); s != "" && !slices.Contains(*t, s) {
		*t = append(*t, s)
	}
}

func (t texts) String() string { return strings.Join(t, "; ") }

var attributeWhy = map[normalize.Fate]string{
	normalize.Joined:        "the target is there with the same value",
	normalize.Placeholder:   "the value names no model",
	normalize.Differs:       "the target is there with another value; both stay",
	normalize.Unlikely:      "negative, or longer than the request it lies in",
	normalize.Unproven:      "nothing proves who wrote the item",
	normalize.Unconvertible: "it cannot be read as what the target wants without loss",
}

// explainAttribute adds the table's row, and the words.
func (w *words) explainAttribute(r *Row, f *normalize.AttributeFate, d *mapping.DialectRules, form mapping.Form) {
	var why, change texts
	why.add("%s", attributeWhy[f.Fate])
	switch {
	case f.Event != nil:
		r.ID, r.Place, r.Basis = f.Event.Row.ID, f.Event.Row.Place().String(), string(mapping.BasisExact)
	case f.Rule != nil && f.Rule.Row != nil:
		r.attributeRow(f.Rule.Row)
		if f.Rule.Row.Basis == mapping.BasisApproximate {
			why.add("%s", f.Rule.Row.Why)
		}
	case r.Outcomes > 0: // The row is named, and its own words are about something else.
		w.idleRows(r, f.Idle, d.Engine, new(texts), new(texts))
	default:
		w.idleRows(r, f.Idle, d.Engine, &why, &change)
	}
	switch f.Fate {
	case normalize.Omitted:
		why.add("the standard says %v by absence", f.Rule.Row.OmitWhen)
	case normalize.Moved, normalize.Joined:
		if !f.Removed && f.Rule != nil && !f.Rule.Copy {
			why.add("originals: keep leaves the old name")
		}
	case normalize.Dropped:
		why.add("engine_usage: drop")
	case normalize.Unproven:
		switch {
		case d.ClaimsProvider:
			change.add("engines.%s.provider would name it", d.Engine)
		case form == mapping.FormEntry || form == mapping.FormRecord:
			change.add("entry_provider would name it")
		}
	case normalize.Stays:
		w.stays(r, f, d, &why)
	case normalize.Converted:
		if isLatency(d, f.Source) && f.Rule == nil && len(f.Idle) == 0 {
			r.Unmapped = !isNamedLatency(d, f.Source)
			why.add("a latency by its name")
			if r.Unmapped {
				why.add("no row is about it")
			}
		}
	}
	w.units(r, f, d)
	r.Why, r.Change = why.String(), change.String()
}

func isLatency(d *mapping.DialectRules, name string) bool {
	return d.Durations != nil && strings.HasPrefix(name, d.Durations.Prefix)
}

// isNamedLatency tells whether the table knows the latency, and not only what latencies begin with.
func isNamedLatency(d *mapping.DialectRules, name string) bool {
	return d.Durations != nil && d.Durations.Names(name)
}

// stays finds what an attribute is that no row moves.
func (w *words) stays(r *Row, f *normalize.AttributeFate, d *mapping.DialectRules, why *texts) {
	_, isStandard := w.rules.Registry().Attribute(f.Source)
	switch {
	case len(f.Idle) > 0:
	case w.rules.Excluded(f.Source):
		why.add("excluded")
	case isStandard:
		r.Fate = word(normalize.Standard)
	case isNamedLatency(d, f.Source):
		why.add("a latency by its name")
	case strings.HasPrefix(f.Source, semconv.Namespace) || isLatency(d, f.Source):
		r.Fate, r.Unmapped = Unmapped, true
		why.add("neither a row nor the standard is about it")
	default:
		why.add("no row is about it")
	}
}

// units says in which units values are.
func (*words) units(r *Row, f *normalize.AttributeFate, d *mapping.DialectRules) {
	const nanoseconds, perSecond = "ns", 1e9
	switch {
	case isLatency(d, f.Source):
		if r.Before != (Side{}) {
			r.Before.Unit = "s"
		}
		if f.Divisor == perSecond {
			r.Before.Unit = nanoseconds
		}
		if r.After != (Side{}) {
			r.After.Unit = "s"
		}
	case f.Rule != nil && f.Rule.Row != nil && f.Rule.Row.Unit != "":
		r.Before.Unit = f.Rule.Row.Unit
	case f.Fate == normalize.Moved && f.Rule != nil:
		r.Before.Unit = r.After.Unit // A row says where they differ.
	}
}

func (r *Row) attributeRow(row *mapping.Row) {
	r.ID, r.Place, r.Basis, r.Caveats = row.ID, row.Place().String(), string(row.Basis), row.Caveats
}

// idleRows adds what rows say that do nothing. The one that keeps the name comes first.
func (w *words) idleRows(r *Row, idle []mapping.IdleRow, engine string, why, change *texts) {
	target := w.rules.Registry().Target
	shown := false
	for _, i := range idle {
		if i.Idle == mapping.IdleKept {
			r.attributeRow(i.Row)
			why.add("%s", i.Row.Why)
			shown = true
		}
	}
	for _, i := range idle {
		if !shown {
			r.attributeRow(i.Row)
			shown = true
		}
		to := i.Row.To.For(target)
		if i.Idle == mapping.IdleApproximate && i.Row.Copy {
			change.add("approximate: true would copy it to %s (%s)", to, i.Row.Why)
			continue
		}
		w.idle(i.Idle, idleRow{
			to, i.Row.To.For, i.Row.Why, i.Row.Versions, i.Row.Basis,
		}, engine, why, change)
	}
}

// idleRow is what rows of attributes and of metrics have in common.
type idleRow struct {
	to       string
	toFor    func(target string) string
	why      string
	versions string
	basis    mapping.Basis
}

// idle says why a row does nothing.
func (w *words) idle(idle mapping.Idle, row idleRow, engine string, why, change *texts) {
	switch idle {
	case mapping.IdleNoPlace:
		why.add("%s has no place for it", w.rules.Registry().Target)
		for _, target := range semconv.Targets() {
			if to := row.toFor(target); to != "" {
				change.add("semconv: %q has %s", target, to)
			}
		}
	case mapping.IdleApproximate:
		change.add("approximate: true would make it %s (%s)", row.to, row.why)
	case mapping.IdleExtension:
		options := "extensions: true"
		if row.basis == mapping.BasisApproximate {
			options += " and approximate: true"
		}
		change.add("%s would make it %s", options, row.to)
	case mapping.IdleExcluded:
		why.add("excluded")
	case mapping.IdleOtherVersion:
		why.add("%s holds for %s", cmp.Or(row.to, "a row"), row.versions)
	case mapping.IdleVersionUnknown:
		change.add("engines.%s.version would tell whether it is %s (%s)", engine, cmp.Or(row.to, "kept"), row.versions)
	}
}

var metricWhy = map[normalize.Fate]string{
	normalize.Foreign:    "somebody else's points under the engine's name",
	normalize.Unselected: "no condition holds",
	normalize.Created:    "the time at which a series began",
	normalize.Dropped:    "created_series: drop",
	normalize.Differs:    "a point has another value of the attribute that tells sources apart",
	normalize.Joined:     "the target has the same points",
}

// explainMetric adds the table's row, and the words.
func (w *words) explainMetric(r *Row, f *normalize.MetricFate) {
	var why, change texts
	why.add("%s", metricWhy[f.Fate])
	if f.Rule != nil {
		r.metricRow(f.Rule)
	} else if i := slices.IndexFunc(f.Skipped, func(s normalize.SkippedRule) bool { return s.Skip != normalize.SkipInstrument }); i >= 0 {
		r.metricRow(f.Skipped[i].Rule)
	}
	switch f.Fate {
	case normalize.Moved:
		if f.Unit == "" {
			r.Before.Unit = f.Rule.Row.Unit
		}
		if f.Rule.Row.Basis == mapping.BasisApproximate {
			why.add("%s", f.Rule.Row.Why)
		}
		if !f.Removed {
			why.add("originals: keep leaves the old name")
		}
	case normalize.Stays:
		w.metricStays(f, &why, &change)
	case normalize.Created:
		change.add("created_series: drop removes it")
	case normalize.Standard:
		if f.Dialect == nil {
			why.add("of no engine in particular")
		}
	case normalize.Yields:
		if f.Winner != "" {
			why.add("another name of what is in %s", f.Winner)
		} else {
			why.add("a copy of a value: of %s the lowest counts", strings.Join(f.Rule.Row.OneOf, ", "))
		}
	case normalize.Crowded:
		why.add("%s has %s", f.Winner, f.Target.Name)
		change.add("exclude: [%q] leaves it out", f.Source)
	case normalize.Unconvertible:
		if _, ok := f.Rule.Divisor(f.Unit); !ok {
			why.add("unit %q does not lead to %q", f.Unit, f.Rule.Target.Unit)
		} else {
			why.add("its bounds would fall together in %q", f.Rule.Target.Unit)
		}
	case normalize.Mismatched:
		mismatch(f, &why, &change)
	}
	r.Why, r.Change = why.String(), change.String()
}

// scrapeSetting is how a scraper loses the types of metrics whose names need escaping.
const scrapeSetting = "scrape_protocols: [PrometheusText0.0.4] keeps the type where the scrape asks for OpenMetrics with escaping=underscores " +
	"(metric_name_validation_scheme: legacy, metric_name_escaping_scheme: underscores)"

func mismatch(f *normalize.MetricFate, why, change *texts) {
	row := f.Rule.Row
	switch {
	case f.IsPart:
		why.add("a series of a histogram that arrived on its own")
		change.add("%s", scrapeSetting)
	case f.Rule.StandardMismatch:
		why.add("%s", row.Why)
		why.add("exporters write a standard metric of another instrument under this name")
	default:
		why.add("it is a %s, the row is about a %s", f.Instrument, joined(row.Instrument))
		if f.Instrument == mapping.InstrumentGauge {
			change.add("%s", scrapeSetting)
		}
	}
}

func joined[T ~string](list []T) string {
	plain := make([]string, len(list))
	for i, s := range list {
		plain[i] = string(s)
	}
	return strings.Join(plain, " or ")
}

// metricStays says why no row moves points.
func (w *words) metricStays(f *normalize.MetricFate, why, change *texts) {
	target := w.rules.Registry().Target
	asIdle := func(rule *mapping.MetricRule) idleRow {
		return idleRow{rule.Row.To.For(target), rule.Row.To.For, rule.Row.Why, rule.Row.Versions, rule.Row.Basis}
	}
	if f.Rule != nil {
		if len(f.Rule.Row.Keep) > 0 {
			why.add("%s", f.Rule.Row.Why)
		}
		w.idle(f.Rule.Idle, asIdle(f.Rule), f.Rule.Dialect.Engine, why, change)
	}
	for _, skipped := range f.Skipped {
		rule := skipped.Rule
		switch skipped.Skip {
		case normalize.SkipIdle:
			w.idle(rule.Idle, asIdle(rule), rule.Dialect.Engine, why, change)
		case normalize.SkipUnproven:
			change.add("engines.%s.version or a metric of the release would prove that it is %s (%s)", rule.Dialect.Engine, rule.Target.Name, rule.Row.Versions)
		case normalize.SkipDisproven:
			why.add("another metric proves that the release is not %s", rule.Row.Versions)
		case normalize.SkipLabels:
			if f.Rule == nil {
				why.add("%s is %s", rule.ID, selection(rule.Row))
			}
		}
	}
}

// selection says which points a row is about.
func selection(row *mapping.MetricRow) string {
	var t texts
	if len(row.Only) > 0 {
		t.add("about points with %s", selectors(row.Only))
	}
	if len(row.Never) > 0 {
		t.add("not about points with %s", selectors(row.Never))
	}
	return t.String()
}

func selectors(list []mapping.PointSelector) string {
	alternatives := make([]string, len(list))
	for i, s := range list {
		var tests []string
		tests = append(tests, s.Has...)
		for _, label := range s.Lacks {
			tests = append(tests, "no "+label)
		}
		for _, label := range slices.Sorted(maps.Keys(s.Labels)) {
			tests = append(tests, label+"="+joined(s.Labels[label]))
		}
		alternatives[i] = strings.Join(tests, " and ")
	}
	return strings.Join(alternatives, " or ")
}

func (r *Row) metricRow(rule *mapping.MetricRule) {
	row := rule.Row
	r.ID, r.Place, r.Basis, r.Caveats = row.ID, row.Place().String(), string(row.Basis), row.Caveats
}

// evidence says by what a metric is recognised.
func (*words) evidence(f *normalize.MetricFate) string {
	if f.Dialect == nil {
		return ""
	}
	rule := f.Rule
	if rule == nil && len(f.Skipped) > 0 {
		rule = f.Skipped[0].Rule
	}
	switch {
	case f.Fate == normalize.Standard:
		return "standard name with " + semconv.ProviderName + "=" + f.Dialect.Provider
	case rule == nil || f.Fate == normalize.Unselected:
		return ""
	}
	name := f.Source
	if f.IsPart {
		name = name[:strings.LastIndexByte(name, '_')]
	}
	stem := ""
	for _, s := range slices.Concat(rule.Row.From, rule.Row.Keep) {
		for _, spelling := range []string{s, s + totalSuffix, strings.TrimSuffix(s, totalSuffix)} {
			if len(spelling) > len(stem) && strings.HasSuffix(name, spelling) {
				stem = spelling
			}
		}
	}
	switch len(stem) {
	case 0:
		return ""
	case len(name):
		return "name in full"
	}
	return "name with prefix " + strings.TrimSuffix(name, stem)
}

// totalSuffix is what counters have at their end, in some spellings.
const totalSuffix = "_total"

var labelWhy = map[normalize.Fate]string{
	normalize.Joined:      "the attribute is there with the same value",
	normalize.Placeholder: "the value names nothing",
	normalize.Differs:     "the attribute is there with another value; both stay",
}
