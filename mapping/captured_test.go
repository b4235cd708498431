// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

func TestCapturedSpansAreRecognised(t *testing.T) {
	for _, c := range []struct {
		engine string
		// emitters of requests, by dialect
		emitters map[string][]string
	}{
		{"vllm", map[string][]string{
			"vllm/v0": {"vllm-0.8.5"},
			"vllm/v1": {"vllm-0.10.2", "vllm-0.15.1", "vllm-0.31.0", "vllm-0.32.0"},
		}},
		{"sglang", map[string][]string{
			"sglang/native": {
				"sglang-0.5.10", "sglang-0.5.12", "sglang-0.5.19", "sglang-0.5.23", "sglang-0.5.3", "sglang-0.5.9", "sglang-router-0.3.2", "smg-1.13.0",
			},
		}},
	} {
		t.Run(c.engine, func(t *testing.T) {
			rules := compile(t, mapping.Options{}, builtIn(t)...)
			seen := map[string]map[string]bool{}
			foreign := 0
			for _, s := range captured(t, c.engine) {
				want, form := s.dialect(), mapping.FormNone
				if want == "" {
					foreign++
				} else {
					form = mapping.FormRequest
					if seen[want] == nil {
						seen[want] = map[string]bool{}
					}
					seen[want][s.emitter()] = true
				}
				d, gotForm := claim(t, rules, s.item, slices.Sorted(maps.Keys(s.attributes)))
				got, _ := idOf(d, gotForm)
				assert.Equal(t, want, got, "%s: %s", s.file, s.name)
				assert.Equal(t, form, gotForm, "%s: %s", s.file, s.name)
				if d != nil {
					assert.True(t, d.ProvesProvider, "%s: %s", s.file, s.name)
					assert.Equal(t, c.engine, d.Provider, "%s: %s", s.file, s.name)
				}
			}
			got := map[string][]string{}
			for dialect, emitters := range seen {
				got[dialect] = slices.Sorted(maps.Keys(emitters))
			}
			assert.Equal(t, c.emitters, got)
			assert.NotZero(t, foreign)
		})
	}
}

// documented are the attributes that were read about, captured or not. Each source is public.
var documented = []struct {
	source  string
	dialect string
	keys    []string
}{
	{
		"https://github.com/vllm-project/vllm/pull/9261 (removed by it)", "vllm/v0",
		[]string{"gen_ai.request.best_of"},
	},
	{
		"https://github.com/vllm-project/vllm/pull/7089 (--collect-detailed-traces)", "vllm/v0",
		[]string{"gen_ai.latency.time_in_model_forward"},
	},
	{
		"https://github.com/vllm-project/vllm/pull/47633 (open)", "vllm/v1",
		[]string{"gen_ai.operation.name", "gen_ai.request.model"},
	},
	{
		"https://github.com/vllm-project/vllm/pull/44325 (open)", "vllm/v1",
		[]string{"gen_ai.usage.cache_read.input_tokens"},
	},
	{
		"https://github.com/vllm-project/vllm/pull/32162 (open)", "vllm/v1",
		[]string{"gen_ai.response.finish_reasons"},
	},
	{
		"https://github.com/vllm-project/vllm/pull/17982 (closed)", "vllm/v1",
		[]string{"gen_ai.system"},
	},
	{
		"https://github.com/vllm-project/vllm/branches", "vllm/v1",
		[]string{"gen_ai.usage.cached_tokens", "gen_ai.request.trace_level"},
	},
	{
		"https://www.alibabacloud.com/help/en/arms/spans-and-metrics-collected-for-vllm-and-sglang (llm_request, V0)", "vllm/v0",
		[]string{
			"gen_ai.request.id", "gen_ai.response.model", "gen_ai.request.temperature", "gen_ai.request.top_p", "gen_ai.request.max_tokens",
			"gen_ai.request.n", "gen_ai.usage.num_sequences", "gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens",
			"gen_ai.latency.e2e", "gen_ai.latency.time_in_queue", "gen_ai.latency.time_to_first_token", "gen_ai.latency.time_in_scheduler",
			"gen_ai.latency.time_in_model_forward", "gen_ai.latency.time_in_model_execute",
		},
	},
	{
		"https://www.alibabacloud.com/help/en/arms/spans-and-metrics-collected-for-vllm-and-sglang (llm_request, V1)", "vllm/v1-agent",
		[]string{
			"gen_ai.request.id", "gen_ai.request.model_name", "gen_ai.request.temperature", "gen_ai.request.top_p", "gen_ai.request.max_tokens",
			"gen_ai.request.n", "gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens", "gen_ai.usage.cache_read.input_tokens",
			"gen_ai.latency.e2e", "gen_ai.latency.time_in_queue", "gen_ai.latency.time_to_first_token", "gen_ai.latency.time_in_model_prefill",
			"gen_ai.latency.time_in_model_decode", "gen_ai.latency.time_in_model_inference", "gen_ai.latency.time_in_tokenize",
			"gen_ai.latency.time_in_detokenize", "gen_ai.latency.time_in_kv_transfer", "gen_ai.request.preemption_count",
			"gen_ai.engine.index", "gen_ai.pd_role",
		},
	},
	{
		"https://www.alibabacloud.com/help/en/arms/spans-and-metrics-collected-for-vllm-and-sglang (wait, kv_transfer, prefill, decode)", "vllm/v1-agent",
		[]string{
			"gen_ai.request.id", "gen_ai.request.model_name", "gen_ai.engine.index", "gen_ai.pd_role",
			"gen_ai.kv_transfer.direction", "gen_ai.kv_transfer.cached_tokens", "gen_ai.kv_transfer.failed",
		},
	},
	{
		"https://www.alibabacloud.com/help/en/arms/spans-and-metrics-collected-for-vllm-and-sglang (entry span, vLLM)", "agent/entry",
		[]string{
			"gen_ai.span.kind", "gen_ai.operation.name", "gen_ai.request.model", "gen_ai.request.choice.count", "gen_ai.request.temperature",
			"gen_ai.request.top_p", "gen_ai.request.top_k", "gen_ai.request.max_tokens", "gen_ai.request.is_stream", "gen_ai.user.id", "session.id",
			"gen_ai.response.id", "gen_ai.response.model", "gen_ai.response.finish_reasons",
			"gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.usage.total_tokens",
		},
	},
	{
		"https://www.alibabacloud.com/help/en/arms/spans-and-metrics-collected-for-vllm-and-sglang (entry span, SGLang)", "agent/entry",
		[]string{
			"gen_ai.span.kind", "gen_ai.operation.name", "gen_ai.request.model", "gen_ai.request.id", "gen_ai.request.is_stream",
			"gen_ai.request.temperature", "gen_ai.request.top_p", "gen_ai.request.top_k", "gen_ai.request.max_tokens", "gen_ai.request.choice.count",
			"gen_ai.response.id", "gen_ai.response.model", "gen_ai.response.finish_reasons",
			"gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.usage.total_tokens", "gen_ai.usage.cache_read.input_tokens",
			"gen_ai.latency.e2e", "gen_ai.response.tokens_streamed",
			"gen_ai.request.has_tool_calls", "gen_ai.request.tool_call_detected", "gen_ai.request.tool_calls_count",
		},
	},
	{
		"https://www.alibabacloud.com/help/en/arms/spans-and-metrics-collected-for-vllm-and-sglang (native request span)", "sglang/native",
		[]string{
			"rid", "module", "bootstrap_room", "gen_ai.request.id",
			"gen_ai.request.temperature", "gen_ai.request.top_p", "gen_ai.request.top_k", "gen_ai.request.n", "gen_ai.request.max_tokens",
			"gen_ai.response.model", "gen_ai.response.finish_reasons",
			"gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens", "gen_ai.usage.cached_tokens",
			"gen_ai.latency.time_to_first_token", "gen_ai.latency.e2e", "gen_ai.latency.time_in_model_prefill",
			"gen_ai.latency.time_in_model_decode", "gen_ai.latency.time_in_model_inference",
		},
	},
	{
		"https://github.com/sgl-project/sglang/pull/17008 (a constant that nothing writes)", "sglang/native",
		[]string{"gen_ai.latency.time_in_queue"},
	},
}

func TestEveryAttributeIsMappedOrKeptForAReason(t *testing.T) {
	sources := map[string]map[string]string{} // source by key and dialect
	add := func(dialect, key, source string) {
		if sources[dialect] == nil {
			sources[dialect] = map[string]string{}
		}
		sources[dialect][key] = source
	}
	for _, d := range documented {
		for _, key := range d.keys {
			add(d.dialect, key, d.source)
		}
	}
	for _, engine := range []string{"vllm", "sglang"} {
		for _, s := range captured(t, engine) {
			if dialect := s.dialect(); dialect != "" {
				for key := range s.attributes {
					add(dialect, key, s.file)
				}
			}
		}
	}

	for _, target := range semconv.Targets() {
		rules := compile(t, mapping.Options{Target: target, Approximate: true, Engines: everything(t)}, builtIn(t)...)
		for id, keys := range sources {
			for _, d := range dialects(t, rules, id) {
				for key, source := range keys {
					mapped := len(targets(rules, d, key)) > 0
					kept := isKept(t, d, key)
					assert.True(t, mapped || kept, "%q in %s for %s, from %s", key, id, target, source)
					assert.True(t, kept || !rules.HasDurationPrefix(key), "%q in %s keeps its name, whatever else is made of it", key, id)
				}
			}
		}
	}
}

// isKept tells whether a row of the dialect's table keeps an attribute, and says why.
func isKept(t testing.TB, d *mapping.DialectRules, key string) bool {
	t.Helper()
	return slices.ContainsFunc(table(t, d.Engine).Attributes, func(r mapping.Row) bool {
		return slices.Contains(r.Keep, key) && r.Why != "" && (len(r.Dialects) == 0 || slices.Contains(r.Dialects, d.ID))
	})
}

// The agent's page names more than a row can: attributes that are never coerced, because the standard lets them have
// any type, and attributes with an index in their name, of which there is no end.
func TestAttributesOfTheAgentThatNoRowIsAboutStayAsTheyAre(t *testing.T) {
	for _, target := range semconv.Targets() {
		rules := compile(t, mapping.Options{Target: target, Approximate: true}, builtIn(t)...)
		for _, d := range dialects(t, rules, "agent/entry") {
			for _, key := range []string{
				"gen_ai.input.messages", "gen_ai.output.messages",
				"gen_ai.completions.0.tool_calls.0.name", "gen_ai.completions.0.tool_calls.0.arguments",
			} {
				assert.Empty(t, targets(rules, d, key), "%s for %s", key, target)
				assert.False(t, rules.HasDurationPrefix(key), key)
			}
		}
	}
}
