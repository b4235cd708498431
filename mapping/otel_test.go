// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// otelNames are superseded names and the current ones that they become. Each alone makes a span one of the dialect.
var otelNames = []string{
	"gen_ai.system", "gen_ai.provider.name",
	"gen_ai.usage.prompt_tokens", "gen_ai.usage.input_tokens",
	"gen_ai.usage.completion_tokens", "gen_ai.usage.output_tokens",
	"gen_ai.usage.cache_read_input_tokens", "gen_ai.usage.cache_read.input_tokens",
	"gen_ai.usage.cache_creation_input_tokens", "gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_write.input_tokens",
	"gen_ai.openai.request.seed", "gen_ai.request.seed",
	"gen_ai.openai.request.response_format", "gen_ai.output.type",
	"gen_ai.openai.request.service_tier", "openai.request.service_tier",
	"gen_ai.openai.response.service_tier", "openai.response.service_tier",
	"gen_ai.openai.response.system_fingerprint", "openai.response.system_fingerprint",
	"gen_ai.workflow.name", "gen_ai.agent.name",
}

// otelSpans are spans in the vocabulary of the conventions and what they are recognised as.
func otelSpans() []recognition {
	spans := []recognition{
		{"an SDK's span", item{name: "chat gpt-4", scope: "opentelemetry.instrumentation.openai", kind: "client"}.having("gen_ai.system", "gen_ai.usage.prompt_tokens"), "otel", mapping.FormStage},
		{"a name that is no operation", item{name: "openai.chat"}.having("gen_ai.system"), "otel", mapping.FormStage},
		{"a span of another vocabulary", item{name: "ChatOpenAI", kind: "internal"}.having("llm.model_name", "openinference.span.kind", "llm.token_count.prompt"), "", mapping.FormNone},
		{"names that only start alike", item{name: "chat gpt-4"}.having("gen_ai.systems", "gen_ai.usage.prompt"), "", mapping.FormNone},
		{"a name of which nothing would be left when it is false", item{name: "chat gpt-4"}.having("gen_ai.request.streaming"), "", mapping.FormNone},
		{"such a name beside another", item{name: "chat gpt-4"}.having("gen_ai.request.streaming", "gen_ai.system"), "otel", mapping.FormStage},
		{"a span without attributes", item{name: "chat gpt-4", kind: "client"}, "", mapping.FormNone},
		{"a span of the web framework", item{name: "POST /v1/chat/completions", kind: "server"}.having("http.route"), "", mapping.FormNone},
	}
	for _, key := range otelNames {
		spans = append(spans, recognition{key, item{name: "call", kind: "client"}.having(key), "otel", mapping.FormStage})
	}
	return spans
}

func TestSpansInOtherReleasesOfTheConventions(t *testing.T) { recogniseAll(t, "otel", otelSpans()) }

func TestEveryFormOfTheOTelTableIsRecognised(t *testing.T) {
	requireEveryFormIn(t, "otel", otelSpans())
}

func TestOtherReleasesOfTheConventionsAreOffByDefault(t *testing.T) {
	tables := map[string]bool{}
	for _, table := range builtIn(t) {
		tables[table.Engine] = table.DefaultEnabled()
	}
	assert.Equal(t, map[string]bool{"vllm": true, "sglang": true, "agent": true, "otel": false}, tables)

	rules := compile(t, mapping.Options{}, builtIn(t)...)
	for _, c := range otelSpans() {
		dialect, form := match(t, rules, c.item)
		assert.Empty(t, dialect, c.name)
		assert.Equal(t, mapping.FormNone, form, c.name)
	}
}

func TestEnginesGoBeforeTheConventions(t *testing.T) {
	rules := compile(t, mapping.Options{Engines: everything(t)}, builtIn(t)...)
	recognise(t, rules, []recognition{
		{"vLLM", llmRequest(v1Scope, v1Key, "gen_ai.usage.prompt_tokens"), "vllm/v1", mapping.FormRequest},
		{"vLLM after a first pass", llmRequest(v1Scope, v1Key, "gen_ai.usage.input_tokens").valued(semconv.ProviderName, "vllm"), "vllm/v1", mapping.FormRequest},
		{"SGLang", item{name: " Req 4f1c2a9b"}.having("gen_ai.usage.prompt_tokens").valued("module", sglangRequest), "sglang/native", mapping.FormRequest},
		{"an entry that says by a superseded name who wrote it", entry("chat m", "LLM", superseded).valued(semconv.OperationName, "chat"), "agent/entry", mapping.FormEntry},
		{"a copy of vLLM", llmRequest("my.engine", v1Key, "gen_ai.usage.prompt_tokens"), "vllm/v1-compatible", mapping.FormRequest},
		{"the agent", entry("chat m", "LLM", "gen_ai.usage.input_tokens").valued(semconv.OperationName, "chat"), "agent/entry", mapping.FormEntry},
		{"what an engine's dialect does not claim", item{name: "llm_request"}.having("gen_ai.usage.prompt_tokens"), "otel", mapping.FormStage},
	})
}

func TestTheConventionsProveNoProvider(t *testing.T) {
	rules := compile(t, mapping.Options{Engines: everything(t)}, builtIn(t)...)
	d := dialect(t, rules, "otel")
	assert.False(t, d.ProvesProvider)
	assert.False(t, d.ClaimsProvider)
	assert.Equal(t, mapping.LayerClient, d.Layer)
	assert.Nil(t, d.Durations)
	assert.Empty(t, d.RequestIDKeys())
	assert.Empty(t, d.EntryOperation("chat gpt-4"))
}

// What the OTel table says, read by a person against the standard. A change of the table has to be made here too.
func TestWhereSupersededNamesGo(t *testing.T) {
	const created, written = "gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_write.input_tokens"
	cache := map[string]string{"1.41": created, "0.1.0": written}
	both := func(name string) map[string]string { return map[string]string{"1.41": name, "0.1.0": name} }
	for _, c := range []struct {
		source string
		want   map[string]string // by target; nil where a row keeps the name
	}{
		{"gen_ai.system", both("gen_ai.provider.name")},
		{"gen_ai.provider.name", both("gen_ai.provider.name")},
		{"gen_ai.usage.prompt_tokens", both("gen_ai.usage.input_tokens")},
		{"gen_ai.usage.completion_tokens", both("gen_ai.usage.output_tokens")},
		{"gen_ai.usage.cache_read_input_tokens", both("gen_ai.usage.cache_read.input_tokens")},
		{"gen_ai.usage.cache_creation_input_tokens", cache},
		{created, cache},
		{written, cache},
		{"gen_ai.openai.request.seed", both("gen_ai.request.seed")},
		{"gen_ai.openai.request.response_format", both("gen_ai.output.type")},
		{"gen_ai.openai.request.service_tier", both("openai.request.service_tier")},
		{"gen_ai.openai.response.service_tier", both("openai.response.service_tier")},
		{"gen_ai.openai.response.system_fingerprint", both("openai.response.system_fingerprint")},
		{"gen_ai.request.streaming", both("gen_ai.request.stream")},
		{"gen_ai.workflow.name", map[string]string{"0.1.0": "gen_ai.agent.name"}},
		{"gen_ai.prompt", nil},
		{"gen_ai.completion", nil},
		{"gen_ai.token.type", nil},
	} {
		for _, target := range semconv.Targets() {
			rules := compile(t, mapping.Options{Target: target, Engines: everything(t)}, builtIn(t)...)
			want := []string{}
			if name := c.want[target]; name != "" {
				want = []string{name}
			}
			d := dialect(t, rules, "otel")
			assert.Equal(t, want, targets(rules, d, c.source), "%s for %s", c.source, target)
			assert.Equal(t, c.want == nil, isKept(t, d, c.source), c.source)
		}
	}
}

func TestSupersededValuesBecomeTheStandards(t *testing.T) {
	providers := map[string]string{
		"vertex_ai": "gcp.vertex_ai", "gemini": "gcp.gemini", "az.ai.inference": "azure.ai.inference", "az.ai.openai": "azure.ai.openai", "xai": "x_ai",
	}
	for _, target := range semconv.Targets() {
		rules := compile(t, mapping.Options{Target: target, Engines: everything(t)}, builtIn(t)...)
		for source, want := range map[string]map[string]string{
			"gen_ai.system":                         providers,
			"gen_ai.provider.name":                  providers,
			"gen_ai.openai.request.response_format": {"json_object": "json", "json_schema": "json"},
		} {
			found := rulesOf(rules, dialect(t, rules, "otel"), source)
			require.Len(t, found, 1, source)
			assert.Equal(t, want, found[0].Values, source)
			attribute, ok := rules.Registry().Attribute(found[0].Target)
			require.True(t, ok, source)
			for old, mine := range want {
				assert.Contains(t, attribute.Values, mine, "%s=%s for %s", source, old, target)
				assert.NotContains(t, attribute.Values, old, "%s=%s for %s", source, old, target)
			}
		}
	}
}
