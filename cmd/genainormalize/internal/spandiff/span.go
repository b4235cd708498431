// SPDX-License-Identifier: Apache-2.0

// Package spandiff pairs the spans of two traces and tells what changed in each pair.
package spandiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/spandiff"

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Span is a span with the resource and scope that it belongs to.
type Span struct {
	ptrace.Span
	Resource ptrace.ResourceSpans
	Scope    ptrace.ScopeSpans
}

// id is what a span is paired by. Engines that seed their random numbers repeat span ids, even within one trace:
// an id can stand for several spans.
type id struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

func (s Span) id() id { return id{trace: s.TraceID(), span: s.SpanID()} }

// Pair is one span before and after.
type Pair struct {
	Before, After Span
}

// flatten lists the spans in the order of the documents.
func flatten(documents []ptrace.Traces) []Span {
	var spans []Span
	for _, td := range documents {
		for _, resource := range td.ResourceSpans().All() {
			for _, scope := range resource.ScopeSpans().All() {
				for _, span := range scope.Spans().All() {
					spans = append(spans, Span{Span: span, Resource: resource, Scope: scope})
				}
			}
		}
	}
	return spans
}

// match pairs spans by trace and span id; of several with one id, those of the same name first and then those left,
// in their order. The pairs follow the order of before.
func match(before, after []Span) (pairs []Pair, missing, extra []Span) {
	waiting := make(map[id][]Span)
	for _, span := range after {
		waiting[span.id()] = append(waiting[span.id()], span)
	}

	partners := make([]*Span, len(before))
	take := func(i int, accept func(Span) bool) {
		candidates := waiting[before[i].id()]
		for j, candidate := range candidates {
			if partners[i] == nil && accept(candidate) {
				partners[i] = &candidate
				waiting[before[i].id()] = append(candidates[:j:j], candidates[j+1:]...)
				return
			}
		}
	}
	for i := range before {
		take(i, func(s Span) bool { return s.Name() == before[i].Name() })
	}
	for i := range before {
		take(i, func(Span) bool { return true })
	}

	for i, partner := range partners {
		if partner == nil {
			missing = append(missing, before[i])
			continue
		}
		pairs = append(pairs, Pair{Before: before[i], After: *partner})
	}
	for _, span := range after {
		for _, left := range waiting[span.id()] {
			if left == span {
				extra = append(extra, span)
			}
		}
	}
	return pairs, missing, extra
}
