// SPDX-License-Identifier: Apache-2.0

package itemdiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/itemdiff"

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"
)

// span describes one span of a test document.
type span struct {
	id         byte
	name       string
	schemaURL  string
	resource   map[string]any
	attributes map[string]any
}

func document(t *testing.T, spans ...span) []otlpjson.Document {
	t.Helper()
	td := ptrace.NewTraces()
	for _, s := range spans {
		resource := td.ResourceSpans().AppendEmpty()
		require.NoError(t, resource.Resource().Attributes().FromRaw(s.resource))
		scope := resource.ScopeSpans().AppendEmpty()
		scope.Scope().SetName("engine")
		scope.SetSchemaUrl(s.schemaURL)
		out := scope.Spans().AppendEmpty()
		out.SetTraceID(pcommon.TraceID{1})
		out.SetSpanID(pcommon.SpanID{s.id})
		out.SetName(s.name)
		require.NoError(t, out.Attributes().FromRaw(s.attributes))
	}
	return []otlpjson.Document{td}
}

func TestDiff(t *testing.T) {
	for _, test := range []struct {
		name          string
		before, after span
		want          []Change
	}{
		{
			name:   "a key gone and a key come with the same value is a rename",
			before: span{attributes: map[string]any{"prompt_tokens": 8}},
			after:  span{attributes: map[string]any{"input_tokens": 8}},
			want:   []Change{{Kind: Renamed, Key: "prompt_tokens", NewKey: "input_tokens", Before: "8", After: "8"}},
		},
		{
			name:   "a rename may change the type",
			before: span{attributes: map[string]any{"finish_reason": `["stop"]`, "n": "3"}},
			after:  span{attributes: map[string]any{"finish_reasons": []any{"stop"}, "choice.count": 3}},
			want: []Change{
				{Kind: Renamed, Key: "finish_reason", NewKey: "finish_reasons", Before: `"[\"stop\"]"`, After: `["stop"]`},
				{Kind: Renamed, Key: "n", NewKey: "choice.count", Before: `"3"`, After: "3"},
			},
		},
		{
			name:   "with two possible partners nothing is called a rename",
			before: span{attributes: map[string]any{"prompt_tokens": 8, "completion_tokens": 8}},
			after:  span{attributes: map[string]any{"input_tokens": 8, "output_tokens": 8}},
			want: []Change{
				{Kind: Added, NewKey: "input_tokens", After: "8"},
				{Kind: Added, NewKey: "output_tokens", After: "8"},
				{Kind: Removed, Key: "completion_tokens", Before: "8"},
				{Kind: Removed, Key: "prompt_tokens", Before: "8"},
			},
		},
		{
			name:   "an equal value settles a rename before a convertible one",
			before: span{attributes: map[string]any{"a": 1, "b": "1"}},
			after:  span{attributes: map[string]any{"c": 1, "d": "1"}},
			want: []Change{
				{Kind: Renamed, Key: "a", NewKey: "c", Before: "1", After: "1"},
				{Kind: Renamed, Key: "b", NewKey: "d", Before: `"1"`, After: `"1"`},
			},
		},
		{
			name:   "a changed value and a changed type are conversions",
			before: span{attributes: map[string]any{"latency": 1.5e9, "temperature": 1, "top_p": 0.9}},
			after:  span{attributes: map[string]any{"latency": 1.5, "temperature": 1.0, "top_p": 0.9}},
			want: []Change{
				{Kind: Converted, Key: "latency", NewKey: "latency", Before: "1.5e+09", After: "1.5"},
				{Kind: Converted, Key: "temperature", NewKey: "temperature", Before: "1", After: "1.0"},
				{Kind: Unchanged, Key: "top_p", NewKey: "top_p", Before: "0.9", After: "0.9"},
			},
		},
		{
			name:   "what is not an attribute is shown when it changed",
			before: span{name: "llm_request", resource: map[string]any{"service.name": "unknown_service"}},
			after:  span{name: "chat m", schemaURL: "https://example.test/1", resource: map[string]any{"service.name": "vllm"}},
			want: []Change{
				{Kind: Converted, Key: "resource: service.name", NewKey: "resource: service.name", Before: `"unknown_service"`, After: `"vllm"`},
				{Kind: Converted, Key: "span: name", NewKey: "span: name", Before: "llm_request", After: "chat m"},
				{Kind: Added, NewKey: "scope: schema_url", After: "https://example.test/1"},
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			comparison := Compare(document(t, test.before), document(t, test.after))
			require.Len(t, comparison.Differences, 1)
			assert.ElementsMatch(t, test.want, comparison.Differences[0].Changes)
		})
	}
}

func TestASpanIsUntouchedIfOnlyItsScopeOrResourceChanged(t *testing.T) {
	before := document(t, span{name: "tokenize", resource: map[string]any{"service.name": "unknown_service"}})
	after := document(t, span{name: "tokenize", schemaURL: "https://example.test/1", resource: map[string]any{"service.name": "sglang"}})
	assert.Zero(t, Compare(before, after).Changed())
}

func TestOtherSpansDecideAnAmbiguousRename(t *testing.T) {
	before := document(t,
		span{id: 1, attributes: map[string]any{"prompt_tokens": 8, "completion_tokens": 8}},
		span{id: 2, attributes: map[string]any{"prompt_tokens": 9, "completion_tokens": 16}})
	after := document(t,
		span{id: 1, attributes: map[string]any{"input_tokens": 8, "output_tokens": 8}},
		span{id: 2, attributes: map[string]any{"input_tokens": 9, "output_tokens": 16}})
	assert.ElementsMatch(t, []Change{
		{Kind: Renamed, Key: "prompt_tokens", NewKey: "input_tokens", Before: "8", After: "8"},
		{Kind: Renamed, Key: "completion_tokens", NewKey: "output_tokens", Before: "8", After: "8"},
	}, Compare(before, after).Differences[0].Changes)
}

func TestOtherSpansThatDisagreeDecideNothing(t *testing.T) {
	before := document(t,
		span{id: 1, attributes: map[string]any{"a": 8, "b": 8}},
		span{id: 2, attributes: map[string]any{"a": 9}},
		span{id: 3, attributes: map[string]any{"a": 9}})
	after := document(t,
		span{id: 1, attributes: map[string]any{"x": 8, "y": 8}},
		span{id: 2, attributes: map[string]any{"x": 9}},
		span{id: 3, attributes: map[string]any{"y": 9}})
	for _, change := range Compare(before, after).Differences[0].Changes {
		assert.NotEqual(t, Renamed, change.Kind, change)
	}
}

func TestEveryPartOfASpanCounts(t *testing.T) {
	for name, change := range map[string]func(ptrace.Span){
		"kind":         func(s ptrace.Span) { s.SetKind(ptrace.SpanKindServer) },
		"parent":       func(s ptrace.Span) { s.SetParentSpanID(pcommon.SpanID{9}) },
		"trace state":  func(s ptrace.Span) { s.TraceState().FromRaw("vendor=abc") },
		"flags":        func(s ptrace.Span) { s.SetFlags(256) },
		"start":        func(s ptrace.Span) { s.SetStartTimestamp(1) },
		"end":          func(s ptrace.Span) { s.SetEndTimestamp(1) },
		"status":       func(s ptrace.Span) { s.Status().SetCode(ptrace.StatusCodeError) },
		"dropped":      func(s ptrace.Span) { s.SetDroppedAttributesCount(1) },
		"event":        func(s ptrace.Span) { s.Events().AppendEmpty().SetName("exception") },
		"link":         func(s ptrace.Span) { s.Links().AppendEmpty().SetSpanID(pcommon.SpanID{9}) },
		"an attribute": func(s ptrace.Span) { s.Attributes().PutEmpty("") },
	} {
		t.Run(name, func(t *testing.T) {
			before, after := document(t, span{id: 1}), document(t, span{id: 1})
			assert.Zero(t, Compare(before, after).Changed())
			change(after[0].(ptrace.Traces).ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0))
			assert.Equal(t, 1, Compare(before, after).Changed())
		})
	}
}

func TestPairing(t *testing.T) {
	names := func(pairs []Difference) [][2]string {
		var out [][2]string
		for _, pair := range pairs {
			out = append(out, [2]string{pair.Before.Name, pair.After.Name})
		}
		return out
	}
	t.Run("order does not matter", func(t *testing.T) {
		c := Compare(document(t, span{id: 1, name: "a"}, span{id: 2, name: "b"}), document(t, span{id: 2, name: "b"}, span{id: 1, name: "a"}))
		assert.Equal(t, [][2]string{{"a", "a"}, {"b", "b"}}, names(c.Differences))
	})
	t.Run("spans that share an id are told apart by name", func(t *testing.T) {
		c := Compare(document(t, span{id: 1, name: "load"}, span{id: 1, name: "warm up"}), document(t, span{id: 1, name: "warm up"}, span{id: 1, name: "load"}))
		assert.Equal(t, [][2]string{{"load", "load"}, {"warm up", "warm up"}}, names(c.Differences))
	})
	t.Run("a renamed span still finds its partner", func(t *testing.T) {
		c := Compare(document(t, span{id: 1, name: "llm_request"}, span{id: 1, name: "load"}), document(t, span{id: 1, name: "load"}, span{id: 1, name: "chat m"}))
		assert.Equal(t, [][2]string{{"llm_request", "chat m"}, {"load", "load"}}, names(c.Differences))
	})
	t.Run("spans without a partner are reported", func(t *testing.T) {
		c := Compare(document(t, span{id: 1, name: "lost"}), document(t, span{id: 2, name: "new"}))
		assert.Empty(t, c.Differences)
		require.Len(t, c.Missing, 1)
		require.Len(t, c.Extra, 1)
		assert.Equal(t, "lost", c.Missing[0].Name)
		assert.Equal(t, "new", c.Extra[0].Name)
	})
}
