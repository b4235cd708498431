// SPDX-License-Identifier: Apache-2.0

package spandiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/spandiff"

import (
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// field is a part of a span that is not one of its attributes. An empty value is one that is not set.
type field struct {
	key, value string
}

// What the keys of a scope's and a resource's fields begin with.
const (
	scopePrefix    = "scope: "
	resourcePrefix = "resource: "
)

// fields lists everything but the attributes, so that a span counts as untouched only if all of it is.
func fields(s Span) []field {
	list := []field{
		{"span: name", s.Name()},
		{"span: kind", s.Kind().String()},
		{"span: parent", s.ParentSpanID().String()},
		{"span: trace state", s.TraceState().AsRaw()},
		{"span: flags", strconv.FormatUint(uint64(s.Flags()), 10)},
		{"span: start", strconv.FormatUint(uint64(s.StartTimestamp()), 10)},
		{"span: end", strconv.FormatUint(uint64(s.EndTimestamp()), 10)},
		{"span: status", s.Status().Code().String() + " " + s.Status().Message()},
		{"span: dropped", strconv.FormatUint(uint64(s.DroppedAttributesCount()), 10)},
		{"span: events and links", eventsAndLinks(s.Span)},
		{scopePrefix + "name", s.Scope.Scope().Name()},
		{scopePrefix + "version", s.Scope.Scope().Version()},
		{scopePrefix + "schema_url", s.Scope.SchemaUrl()},
		{resourcePrefix + "schema_url", s.Resource.SchemaUrl()},
	}
	list = appendMap(list, scopePrefix, s.Scope.Scope().Attributes())
	return appendMap(list, resourcePrefix, s.Resource.Resource().Attributes())
}

func appendMap(list []field, prefix string, attributes pcommon.Map) []field {
	for key, value := range attributes.All() {
		list = append(list, field{prefix + key, format(value)})
	}
	return list
}

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

// diffFields lists the fields that changed.
func diffFields(before, after []field) []Change {
	now := make(map[string]string, len(after))
	for _, f := range after {
		now[f.key] = f.value
	}
	var changes []Change
	for _, f := range before {
		changes = appendField(changes, f.key, f.value, now[f.key])
		delete(now, f.key)
	}
	for _, f := range after {
		if value, ok := now[f.key]; ok {
			changes = appendField(changes, f.key, "", value)
		}
	}
	return changes
}

func appendField(changes []Change, key, before, after string) []Change {
	switch {
	case before == after:
		return changes
	case before == "":
		return append(changes, Change{Kind: Added, NewKey: key, After: after})
	case after == "":
		return append(changes, Change{Kind: Removed, Key: key, Before: before})
	default:
		return append(changes, Change{Kind: Converted, Key: key, NewKey: key, Before: before, After: after})
	}
}
