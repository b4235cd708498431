// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"context"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// Logs normalises log records in place: their attributes and the names of events, never their bodies. The error is as
// that of [Normalizer.Traces].
func (n *Normalizer) Logs(ctx context.Context, ld plog.Logs, r Reporter) error {
	return eachResource(ctx, n, r, (*Normalizer).walker, ld.ResourceLogs(), func(w *walker, _ int, rl plog.ResourceLogs) error {
		return w.resourceLogs(ctx, rl)
	})
}

func (w *walker) resourceLogs(ctx context.Context, rl plog.ResourceLogs) error {
	w.provider = resourceProvider{}
	v, err := w.opts.LogConditions.ofResource(ctx, rl)
	if v == skip {
		return err
	}
	for _, sl := range rl.ScopeLogs().All() {
		if err := w.scopeLogs(ctx, rl, sl, v); err != nil {
			return err
		}
	}
	w.fillServiceName(rl.Resource())
	return nil
}

func (w *walker) scopeLogs(ctx context.Context, rl plog.ResourceLogs, sl plog.ScopeLogs, above verdict) error {
	v, err := w.opts.LogConditions.ofScope(ctx, above, InScope[plog.ResourceLogs, plog.ScopeLogs]{rl, sl})
	if v == skip {
		return err
	}
	scope := w.rules.Scope(sl.Scope().Name())
	items := false
	for _, record := range sl.LogRecords().All() {
		if v == ask {
			if own, err := w.opts.LogConditions.ofItem(ctx, rl, sl, record); err != nil {
				return err
			} else if own == skip {
				continue
			}
		}
		items = w.record(record, &scope) || items
	}
	if items {
		setSchemaURL(&w.batch, sl)
	}
	return nil
}

// record normalises one log record and tells whether it was recognised. A foreign record is not touched.
func (w *walker) record(record plog.LogRecord, scope *mapping.Evidence) bool {
	evidence := *scope
	w.collect(record.Attributes(), &evidence)
	event := w.rules.EventName(eventName(record))
	evidence.Add(&event)
	dialect, form := w.rules.MatchRecord(evidence)
	if dialect == nil {
		return false
	}
	w.item = item{attrs: record.Attributes(), dialect: dialect, form: form}
	w.tally.item(dialect)
	if w.observer != nil {
		w.observeItem(w.rules.RecordRecognition(evidence))
	}
	w.convertDurations(0)
	w.applyRules()
	if form == mapping.FormRecord {
		w.fillProvider()
		w.fillOperation()
	}
	w.renameEvent(record)
	if w.opts.Annotate {
		w.annotate()
	}
	w.observeRest()
	w.commit()
	return true
}

// eventNameKey is where the name of an event was before log records had one of their own.
const eventNameKey = "event.name"

// eventName returns the name of an event, from the record itself before its attributes.
func eventName(record plog.LogRecord) string {
	if record.EventName() != "" {
		return record.EventName()
	}
	if v, ok := eventNameAttribute(record); ok {
		return v.Str()
	}
	return ""
}

func eventNameAttribute(record plog.LogRecord) (pcommon.Value, bool) {
	v, ok := record.Attributes().Get(eventNameKey)
	return v, ok && v.Type() == pcommon.ValueTypeStr
}

// renameEvent gives an event the name that the target has for it, wherever it has one. Neither place has room for the
// original beside it.
func (w *walker) renameEvent(record plog.LogRecord) {
	if w.opts.Originals == KeepOriginals {
		return
	}
	if rule := w.eventRule(record.EventName()); rule != nil {
		record.SetEventName(rule.Target)
	}
	if v, ok := eventNameAttribute(record); ok {
		if rule := w.eventRule(v.Str()); rule != nil {
			v.SetStr(rule.Target)
		}
	}
}

// eventRule returns the rule that renames an event, or nil.
func (w *walker) eventRule(name string) *mapping.EventRule {
	rule := w.dialect.Event(name)
	if rule == nil {
		return nil
	}
	for key, values := range rule.Only {
		v, ok := w.attrs.Get(key)
		if !ok || !slices.Contains(values, asText(v)) {
			return nil
		}
	}
	w.decide(&AttributeFate{Fate: Moved, Subject: Name, Source: name, Target: rule.Target, Event: rule})
	return rule
}
