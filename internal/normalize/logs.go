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
		own, err := w.opts.LogConditions.ofItem(ctx, v, rl, sl, record)
		if err != nil {
			return err
		}
		if own != skip {
			items = w.record(record, &scope) || items
		}
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
	name, holder := eventName(record)
	event := w.rules.EventName(name)
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
	w.renameEvent(record, name, holder)
	if w.opts.Annotate {
		w.annotate()
	}
	w.observeRest()
	w.commit()
	return true
}

// eventNameKey is where the name of an event was before log records had one of their own.
const eventNameKey = "event.name"

// eventName returns the name of an event, and the attribute that has it if it is not the record itself.
func eventName(record plog.LogRecord) (name string, holder pcommon.Value) {
	if record.EventName() != "" {
		return record.EventName(), pcommon.Value{}
	}
	v, ok := record.Attributes().Get(eventNameKey)
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return "", pcommon.Value{}
	}
	return v.Str(), v
}

// renameEvent gives an event the name that the target has for it. There is only one name, so that the original cannot
// be kept beside it.
func (w *walker) renameEvent(record plog.LogRecord, name string, holder pcommon.Value) {
	rule := w.dialect.Event(name)
	if rule == nil || w.opts.Originals == KeepOriginals {
		return
	}
	for key, values := range rule.Only {
		v, ok := record.Attributes().Get(key)
		if !ok || !slices.Contains(values, v.AsString()) {
			return
		}
	}
	w.decide(&AttributeFate{Fate: Moved, Subject: Name, Source: name, Target: rule.Target, Event: rule})
	if holder == (pcommon.Value{}) {
		record.SetEventName(rule.Target)
	} else {
		holder.SetStr(rule.Target)
	}
}
