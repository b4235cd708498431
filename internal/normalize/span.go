// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"context"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	conventions "go.opentelemetry.io/otel/semconv/v1.41.0"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

func (w *walker) resourceSpans(ctx context.Context, rs ptrace.ResourceSpans) error {
	w.provider = resourceProvider{}
	v, err := w.opts.SpanConditions.ofResource(ctx, rs)
	if v == skip {
		return err
	}
	for _, ss := range rs.ScopeSpans().All() {
		if err := w.scopeSpans(ctx, rs, ss, v); err != nil {
			return err
		}
	}
	w.fillServiceName(rs.Resource())
	return nil
}

func (w *walker) scopeSpans(ctx context.Context, rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, above verdict) error {
	v, err := w.opts.SpanConditions.ofScope(ctx, above, InScope[ptrace.ResourceSpans, ptrace.ScopeSpans]{rs, ss})
	if v == skip {
		return err
	}
	scope := w.rules.Scope(ss.Scope().Name())
	requests := false
	for i := range ss.Spans().Len() {
		s := ss.Spans().At(i)
		if v == ask {
			if own, err := w.opts.SpanConditions.ofItem(ctx, rs, ss, s); err != nil {
				return err
			} else if own == skip {
				continue
			}
		}
		form := w.span(s, &scope)
		requests = requests || form == mapping.FormRequest || form == mapping.FormEntry
	}
	if requests {
		setSchemaURL(&w.batch, ss)
	}
	return nil
}

// span normalises one span and tells which form was recognised. A foreign span is not touched.
func (w *walker) span(s ptrace.Span, scope *mapping.Evidence) mapping.Form {
	evidence := *scope
	w.collect(s.Attributes(), &evidence)
	if !w.rules.MayMatch(&evidence) {
		return mapping.FormNone
	}
	name := w.rules.SpanName(s.Name())
	evidence.Add(&name)
	if kind := int(s.Kind()); kind >= 0 && kind < len(w.kinds) {
		evidence.Add(&w.kinds[kind])
	}
	if w.isSemconvName(s.Name()) {
		evidence.AddSemconvName()
	}
	dialect, form := w.rules.Match(evidence, s.Name())
	if dialect == nil {
		return form
	}
	w.item = item{name: s.Name(), attrs: s.Attributes(), dialect: dialect, form: form}
	w.tally.item(dialect)
	if w.observer != nil {
		w.observeItem(w.rules.Recognition(evidence, s.Name()))
	}
	w.convertDurations(length(s))
	w.applyRules()
	if form != mapping.FormStage {
		w.fillProvider()
		w.fillOperation()
		if form == mapping.FormRequest {
			w.fillErrorType(s)
		}
		if w.opts.SpanName == SemconvSpanName {
			w.renameSpan(s)
		}
	}
	if w.opts.Annotate {
		w.annotate()
	}
	w.observeRest()
	w.commit()
	return form
}

// length returns the length of a span in seconds, 0 where start and end make no sense or are not set.
func length(s ptrace.Span) float64 {
	start, end := s.StartTimestamp(), s.EndTimestamp()
	if start == 0 || end <= start {
		return 0
	}
	return float64(end-start) / 1e9
}

// isSemconvName tells whether the collected attributes make up the span's name: "{operation} {model}".
func (w *walker) isSemconvName(name string) bool {
	if len(w.hits) < 2 || strings.IndexByte(name, ' ') < 0 {
		return false
	}
	operation, model := w.text(w.own.operation), w.text(w.own.model)
	return operation != "" && model != "" && len(name) == len(operation)+1+len(model) &&
		strings.HasPrefix(name, operation) && name[len(operation)] == ' ' && strings.HasSuffix(name, model)
}

func (w *walker) renameSpan(s ptrace.Span) {
	operation, model := w.text(w.own.operation), w.text(w.own.model)
	if operation == "" || w.dialect.IsPlaceholder(model) || model == "" || w.isSemconvName(s.Name()) {
		return
	}
	w.decide(&AttributeFate{Fate: Moved, Subject: Name, Target: "{operation} {model}"})
	s.SetName(operation + " " + model)
}

// fillErrorType names the exception that a failed request span recorded.
func (w *walker) fillErrorType(s ptrace.Span) {
	if s.Status().Code() != ptrace.StatusCodeError || w.has(w.own.errorType) {
		return
	}
	for i := range s.Events().Len() {
		event := s.Events().At(i)
		if event.Name() != exceptionEvent {
			continue
		}
		if v, ok := event.Attributes().Get(string(conventions.ExceptionTypeKey)); ok && v.Type() == pcommon.ValueTypeStr && v.Str() != "" {
			w.fill(w.own.errorType, v.Str())
			return
		}
	}
}

// exceptionEvent is the name that the trace conventions give to the event of an exception.
const exceptionEvent = "exception"
