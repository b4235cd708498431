// SPDX-License-Identifier: Apache-2.0

package itemdiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/itemdiff"

import (
	"fmt"
	"slices"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func spans(td ptrace.Traces) (items []Item) {
	for _, resource := range td.ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			shared := sharedFields(scope.Scope(), scope.SchemaUrl(), resource.Resource(), resource.SchemaUrl())
			for _, s := range scope.Spans().All() {
				id := fmt.Sprintf("trace %s span %s", s.TraceID(), s.SpanID())
				items = append(items, Item{
					Kind: Span, Name: s.Name(), Where: id, Scope: scope.Scope().Name(), Attributes: s.Attributes(),
					fields: slices.Concat(spanFields(s), shared),
					keys:   [2]string{id + s.Name(), id},
				})
			}
		}
	}
	return items
}

// spanFields lists everything but the attributes, so that a span counts as untouched only if all of it is.
func spanFields(s ptrace.Span) []field {
	return []field{
		{"span: name", s.Name()},
		{"span: kind", s.Kind().String()},
		{"span: parent", s.ParentSpanID().String()},
		{"span: trace state", s.TraceState().AsRaw()},
		{"span: flags", strconv.FormatUint(uint64(s.Flags()), 10)},
		{"span: start", timestamp(s.StartTimestamp())},
		{"span: end", timestamp(s.EndTimestamp())},
		{"span: status", s.Status().Code().String() + " " + s.Status().Message()},
		{"span: dropped", strconv.FormatUint(uint64(s.DroppedAttributesCount()), 10)},
		{"span: events and links", eventsAndLinks(s)},
	}
}

func timestamp(t pcommon.Timestamp) string { return strconv.FormatUint(uint64(t), 10) }

// eventsAndLinks returns them as OTLP/JSON: to compare, hardly to read.
func eventsAndLinks(s ptrace.Span) string {
	if s.Events().Len() == 0 && s.Links().Len() == 0 {
		return ""
	}
	td := ptrace.NewTraces()
	bare := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.Events().CopyTo(bare.Events())
	s.Links().CopyTo(bare.Links())
	text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
