// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

const (
	spanKind = "gen_ai.span.kind"
	// superseded is the old name of the provider.
	superseded = "gen_ai.system"
)

var (
	// entryKinds are the agent's kinds of an entry span.
	entryKinds = []string{"LLM", "EMBEDDING", "RERANKER"}
	// sglangEntryKeys are written by the agent's instrumentation of SGLang only.
	sglangEntryKeys = []string{
		"gen_ai.response.tokens_streamed", "gen_ai.request.has_tool_calls", "gen_ai.request.tool_call_detected", "gen_ai.request.tool_calls_count",
	}
)

// entry is the agent's entry span.
func entry(name, kind string, keys ...string) item {
	return item{name: name, kind: "internal"}.having(keys...).valued(spanKind, kind)
}

// agentSpans are spans of the agent and what they are recognised as.
func agentSpans() []recognition {
	const agent = "agent/entry"
	spans := []recognition{
		{"an operation under any name", entry("http", "LLM").valued(semconv.OperationName, "chat"), agent, mapping.FormEntry},
		{"an operation and a model", entry("chat qwen3", "LLM").valued(semconv.OperationName, "chat").valued(semconv.RequestModel, "qwen3"), agent, mapping.FormEntry},
		{"a name with a model that has a space in it", entry("chat my model", "LLM"), agent, mapping.FormEntry},
		{"an entry of any scope", item{name: "chat qwen3", scope: "my.agent", kind: "internal"}.valued(spanKind, "LLM"), agent, mapping.FormEntry},
		{"an entry in the scope of SGLang", item{name: "chat qwen3", scope: sglangScope, kind: "internal"}.valued(spanKind, "LLM"), agent, mapping.FormEntry},
		{"an entry in the scope of vLLM", item{name: "chat qwen3", scope: v1Scope, kind: "internal"}.valued(spanKind, "LLM"), agent, mapping.FormEntry},
		{"an entry whose kind is not said", item{name: "chat qwen3", kind: "unspecified"}.valued(spanKind, "LLM"), agent, mapping.FormEntry},
		{"an entry of a server", item{name: "chat qwen3", kind: "server"}.valued(spanKind, "LLM"), agent, mapping.FormEntry},
		{"an entry after a first pass", entry("chat qwen3", "LLM").valued(semconv.OperationName, "chat").valued(semconv.ProviderName, "vllm"), agent, mapping.FormEntry},
		{"an entry of SGLang after a first pass", entry("chat qwen3", "LLM", sglangEntryKeys[0]).valued(semconv.OperationName, "chat").valued(semconv.ProviderName, "sglang"), agent, mapping.FormEntry},

		{"neither an operation nor its name", entry("POST /v1/chat/completions", "LLM", "gen_ai.usage.input_tokens"), "", mapping.FormNone},
		{"a key of SGLang's and neither", entry("POST /v1/chat/completions", "LLM", sglangEntryKeys[0]), "", mapping.FormNone},
		{"an operation without a model", entry("chat", "LLM"), "", mapping.FormNone},
		{"an operation and a space", entry("chat ", "LLM"), "", mapping.FormNone},
		{"an operation that the agent does not name spans by", entry("generate_content qwen3", "LLM"), "", mapping.FormNone},
		{"a name that only starts alike", entry("chats qwen3", "LLM"), "", mapping.FormNone},
		{"a name in capitals", entry("Chat qwen3", "LLM"), "", mapping.FormNone},
		{"a name with something in front", entry("my chat qwen3", "LLM"), "", mapping.FormNone},
		{"an operation without a kind of the agent's", item{name: "chat qwen3", kind: "internal"}.valued(semconv.OperationName, "chat"), "", mapping.FormNone},
		{"a key of SGLang's without a kind of the agent's", item{name: "chat qwen3", kind: "internal"}.having(sglangEntryKeys...), "", mapping.FormNone},
		{"a kind in small letters", entry("chat qwen3", "llm").valued(semconv.OperationName, "chat"), "", mapping.FormNone},
		{"the kind under another key", item{name: "chat qwen3"}.valued("openinference.span.kind", "LLM").valued(semconv.OperationName, "chat"), "", mapping.FormNone},
		{"the kind alone", entry("llm", "LLM"), "", mapping.FormNone},

		{"an operation without a model after a first pass", entry("http", "LLM").valued(semconv.OperationName, "rerank").valued(semconv.ProviderName, "vllm"), agent, mapping.FormEntry},
		{"an emitter that says by a superseded name who it is", entry("http", "LLM", superseded).valued(semconv.OperationName, "chat"), "agent/entry", mapping.FormEntry},
		{"such an emitter with keys of SGLang", entry("http", "LLM", superseded, sglangEntryKeys[0]).valued(semconv.OperationName, "chat"), "agent/entry", mapping.FormEntry},
		{"such an emitter by its name", entry("chat qwen3", "LLM", superseded), "agent/entry", mapping.FormEntry},
		{"such an emitter by its name and with keys of SGLang", entry("chat qwen3", "LLM", superseded, sglangEntryKeys[0]), "agent/entry", mapping.FormEntry},
		{"a superseded name without a value", entry("chat qwen3", "LLM").valued(superseded, ""), "agent/entry", mapping.FormEntry},
	}
	for _, operation := range []string{"generate_content", "execute_tool", "invoke_agent", "CHAT", "Chat", "chat ", "completion", ""} {
		spans = append(
			spans,
			recognition{"the operation " + operation, entry("http", "LLM").valued(semconv.OperationName, operation), "", mapping.FormNone},
			recognition{"the operation " + operation + " with a key of SGLang", entry("http", "LLM", sglangEntryKeys[0]).valued(semconv.OperationName, operation), "", mapping.FormNone},
			recognition{"the operation " + operation + " under the name of another", entry("chat qwen3", "LLM").valued(semconv.OperationName, operation), "", mapping.FormNone},
			recognition{
				"the operation " + operation + " under the name of another with a key of SGLang",
				entry("chat qwen3", "LLM", sglangEntryKeys[0]).valued(semconv.OperationName, operation), "", mapping.FormNone,
			},
		)
	}
	for _, kind := range entryKinds {
		for _, operation := range []string{"chat", "text_completion", "embeddings", "rerank"} {
			name := operation + " m"
			spans = append(
				spans,
				recognition{kind + " with the operation " + operation, entry(name, kind).valued(semconv.OperationName, operation), agent, mapping.FormEntry},
				recognition{kind + " with the operation " + operation + " under another name", entry("http", kind).valued(semconv.OperationName, operation), agent, mapping.FormEntry},
				recognition{kind + " by the name of " + operation, entry(name, kind), agent, mapping.FormEntry},
			)
		}
		for _, key := range sglangEntryKeys {
			spans = append(
				spans,
				recognition{kind + " with an operation and " + key, entry("http", kind, key).valued(semconv.OperationName, "chat"), agent, mapping.FormEntry},
				recognition{kind + " by its name and with " + key, entry("chat m", kind, key), agent, mapping.FormEntry},
			)
		}
		client := entry("chat m", kind).valued(semconv.OperationName, "chat")
		client.kind = "client"
		spans = append(
			spans,
			recognition{"a client's " + kind, client, "", mapping.FormNone},
			recognition{"a client's " + kind + " with keys of SGLang", client.having(sglangEntryKeys...), "", mapping.FormNone},
		)
	}
	for _, kind := range []string{"AGENT", "TOOL", "CHAIN", "RETRIEVER", "TASK", "STEP", ""} {
		spans = append(
			spans,
			recognition{"the kind " + kind + " with an operation", entry("chat m", kind).valued(semconv.OperationName, "chat"), "", mapping.FormNone},
			recognition{"the kind " + kind + " with keys of SGLang", entry("chat m", kind, sglangEntryKeys...), "", mapping.FormNone},
		)
	}
	return spans
}

func TestSpansOfTheAgent(t *testing.T) { recogniseAll(t, "agent", agentSpans()) }

func TestEveryFormOfTheAgentTableIsRecognised(t *testing.T) {
	requireEveryFormIn(t, "agent", agentSpans())
}

func TestAnEngineOfTheUsersGoesBeforeTheAgent(t *testing.T) {
	kite := parse(t, `engine: kite
layer: engine
dialects:
  - {id: kite/entry, entry: {values: {gen_ai.span.kind: [LLM]}, all_keys: [kite.version]}, evidence: https://example.com}
`)
	rules := compile(t, mapping.Options{}, append(builtIn(t), kite)...)
	span := entry("chat m", "LLM").valued(semconv.OperationName, "chat")
	recognise(t, rules, []recognition{
		{"the user's", span.having("kite.version"), "kite/entry", mapping.FormEntry},
		{"the agent's", span, "agent/entry", mapping.FormEntry},
	})
}

func TestEntrySpansProveSGLangByItsKeysOnly(t *testing.T) {
	rules := compile(t, mapping.Options{}, builtIn(t)...)
	prove := func(t *testing.T, i item) bool {
		t.Helper()
		d, form := claim(t, rules, i, slices.Sorted(maps.Keys(i.attributes)))
		require.NotNil(t, d)
		require.Equal(t, "agent/entry", d.ID)
		require.Equal(t, mapping.FormEntry, form)
		require.True(t, !d.ProvesProvider || d.Provider == "sglang", d.Provider)
		return d.ProvesProvider
	}
	for _, kind := range entryKinds {
		for name, span := range map[string]item{
			"with an operation": entry("http", kind).valued(semconv.OperationName, "chat"),
			"by its name":       entry("chat m", kind),
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				for _, key := range sglangEntryKeys {
					assert.True(t, prove(t, span.having(key)), key)
				}
				assert.False(t, prove(t, span), "without one of the keys")
				for _, key := range []string{"gen_ai.latency.e2e", "gen_ai.request.id", "session.id", "gen_ai.user.id", "gen_ai.usage.cache_read.input_tokens", "rid"} {
					assert.False(t, prove(t, span.having(key)), key)
				}
				assert.False(t, prove(t, span.valued(semconv.ProviderName, "sglang")), "by its provider")
			})
		}
	}
	t.Run("whatever the scope", func(t *testing.T) {
		for _, scope := range []string{sglangScope, v1Scope} {
			span := entry("chat m", "LLM")
			span.scope = scope
			assert.False(t, prove(t, span), scope)
		}
	})
}

func TestOperationsFromTheNamesOfEntrySpans(t *testing.T) {
	const byDefault = "generate_content"
	rules := compile(t, mapping.Options{Engines: map[string]mapping.EngineOptions{"agent": {DefaultOperation: byDefault}}}, builtIn(t)...)
	for name, want := range map[string]string{
		"chat qwen3":          "chat",
		"chat my model":       "chat",
		"chat":                "chat",
		"chat ":               "chat",
		"text_completion m":   "text_completion",
		"embeddings m":        "embeddings",
		"rerank m":            "rerank",
		"unknown m":           "",
		"generate_content m":  "",
		"chats m":             "",
		"Chat m":              "",
		" chat m":             "",
		"chat\tm":             "",
		"chat/m":              "",
		"POST /v1/embeddings": "",
		" ":                   "",
		"":                    "",
	} {
		for _, d := range dialects(t, rules, "agent/entry") {
			assert.Equal(t, want, d.EntryOperation(name), "%q", name)
		}
		for _, id := range []string{"vllm/v0", "vllm/v1", "vllm/v1-agent", "sglang/native"} {
			assert.Empty(t, dialect(t, rules, id).EntryOperation(name), "%q: %s writes no entry spans", name, id)
		}
	}
	for _, d := range dialects(t, rules, "agent/entry") {
		assert.Empty(t, d.RequestIDKeys(), "an entry span's id is no proof")
		assert.Equal(t, byDefault, d.Operation("chatcmpl-1"))
	}
}

func TestTheProviderOfAnotherEngine(t *testing.T) {
	options := func(e mapping.EngineOptions) map[string]mapping.EngineOptions {
		return map[string]mapping.EngineOptions{"sglang": e}
	}
	for _, c := range []struct {
		name     string
		engines  map[string]mapping.EngineOptions
		provider string
		proven   bool
	}{
		{"the table of that engine names it", nil, "sglang", true},
		{"the options for that engine name another", options(mapping.EngineOptions{Provider: new("my-sglang")}), "my-sglang", true},
		{"the options for that engine want none", options(mapping.EngineOptions{Provider: new("")}), "", false},
		{"that engine is off", options(mapping.EngineOptions{Enabled: new(false)}), "sglang", true},
		{"that engine is off and has another", options(mapping.EngineOptions{Enabled: new(false), Provider: new("my-sglang")}), "my-sglang", true},
		{"the options for the own table do not matter", map[string]mapping.EngineOptions{"agent": {Provider: new("my-agent")}}, "sglang", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := compile(t, mapping.Options{Engines: c.engines}, builtIn(t)...)
			d := dialects(t, rules, "agent/entry")
			require.Len(t, d, 2)
			assert.Equal(t, c.provider, d[0].Provider)
			assert.Equal(t, c.proven, d[0].ProvesProvider)
			assert.True(t, d[0].ClaimsProvider, "with a name for it or without")
			assert.Equal(t, "agent", d[0].Engine)
			assert.False(t, d[1].ProvesProvider, "of an entry span that may be another engine's")
			assert.False(t, d[1].ClaimsProvider, "of an entry span that may be another engine's")
		})
	}
	t.Run("the order of the tables does not matter", func(t *testing.T) {
		for _, tables := range [][]*mapping.Table{{table(t, "agent"), table(t, "sglang")}, {table(t, "sglang"), table(t, "agent")}} {
			d := dialects(t, compile(t, mapping.Options{}, tables...), "agent/entry")
			assert.Equal(t, "sglang", d[0].Provider)
			assert.True(t, d[0].ProvesProvider)
		}
	})
}

// What the agent table says, read by a person against the standard. A change of the table has to be made here too.
func TestWhereTheAttributesOfEntrySpansGo(t *testing.T) {
	for _, target := range semconv.Targets() {
		for _, approximate := range []bool{false, true} {
			rules := compile(t, mapping.Options{Target: target, Approximate: approximate}, builtIn(t)...)
			user := []string{}
			if approximate {
				user = []string{"user.id"}
			}
			for _, c := range []struct {
				source string
				want   []string // for both targets; the source itself where only its type is made right
			}{
				{"gen_ai.request.is_stream", []string{"gen_ai.request.stream"}},
				{"gen_ai.response.finish_reasons", []string{"gen_ai.response.finish_reasons"}},
				{"gen_ai.operation.name", []string{"gen_ai.operation.name"}},
				{"gen_ai.request.model", []string{"gen_ai.request.model"}},
				{"gen_ai.request.choice.count", []string{"gen_ai.request.choice.count"}},
				{"gen_ai.request.temperature", []string{"gen_ai.request.temperature"}},
				{"gen_ai.request.top_p", []string{"gen_ai.request.top_p"}},
				{"gen_ai.request.top_k", []string{"gen_ai.request.top_k"}},
				{"gen_ai.request.max_tokens", []string{"gen_ai.request.max_tokens"}},
				{"gen_ai.response.id", []string{"gen_ai.response.id"}},
				{"gen_ai.response.model", []string{"gen_ai.response.model"}},
				{"gen_ai.usage.input_tokens", []string{"gen_ai.usage.input_tokens"}},
				{"gen_ai.usage.output_tokens", []string{"gen_ai.usage.output_tokens"}},
				{"gen_ai.usage.cache_read.input_tokens", []string{"gen_ai.usage.cache_read.input_tokens"}},
				{"gen_ai.usage.cache_creation.input_tokens", []string{cacheWrites[target]}},
				{"gen_ai.user.id", user},
				{"session.id", []string{}}, // of a request, and so not gen_ai.conversation.id
				{"gen_ai.span.kind", []string{}},
				{"gen_ai.request.id", []string{}},
				{"gen_ai.usage.total_tokens", []string{}},
				{"gen_ai.response.tokens_streamed", []string{}}, // an estimate, and so not gen_ai.usage.output_tokens
				{"gen_ai.request.has_tool_calls", []string{}},
				{"gen_ai.request.tool_call_detected", []string{}},
				{"gen_ai.request.tool_calls_count", []string{}},
				{"gen_ai.latency.e2e", []string{}},
			} {
				for _, d := range dialects(t, rules, "agent/entry") {
					assert.Equal(t, c.want, targets(rules, d, c.source), "%s for %s", c.source, target)
				}
			}
			for _, d := range dialects(t, rules, "agent/entry") {
				for _, rule := range rulesOf(rules, d, "gen_ai.user.id") {
					assert.True(t, rule.Copy, "it need not be a user, so it stays")
				}
			}
		}
	}
}
