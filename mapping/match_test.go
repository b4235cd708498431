// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// The names that vLLM's dialects differ by.
const (
	v0Scope     = "vllm.llm_engine" // and V1's until 0.15
	v1Scope     = "vllm.tracing.otel"
	modelName   = "gen_ai.request.model_name"
	v0Key       = "gen_ai.usage.num_sequences"
	v1Key       = "gen_ai.latency.time_in_model_prefill"
	agentKey    = "gen_ai.pd_role"
	promptCount = "gen_ai.usage.prompt_tokens"
)

var (
	v0Keys    = []string{v0Key, "gen_ai.latency.time_in_scheduler", "gen_ai.latency.time_in_model_forward", "gen_ai.latency.time_in_model_execute"}
	v1Keys    = []string{v1Key, "gen_ai.latency.time_in_model_decode", "gen_ai.latency.time_in_model_inference"}
	agentKeys = []string{agentKey, "gen_ai.latency.time_in_tokenize", "gen_ai.latency.time_in_detokenize", "gen_ai.latency.time_in_kv_transfer", "gen_ai.request.preemption_count"}
)

// llmRequest is vLLM's span in a scope.
func llmRequest(scope string, keys ...string) item {
	return item{name: "llm_request", scope: scope}.having(keys...)
}

// renamed is a request span after `span_name: semconv`, if vLLM is proven.
func renamed(scope string, keys ...string) item {
	return unmarked(scope, keys...).valued(semconv.ProviderName, "vllm")
}

// unmarked is a request span after `span_name: semconv` that bears no mark of vLLM's, and also anybody's span.
func unmarked(scope string, keys ...string) item {
	return item{name: "chat llama", scope: scope}.having(keys...).valued(semconv.OperationName, "chat").valued(semconv.RequestModel, "llama")
}

// vllmSpans are spans of vLLM and what they are recognised as.
func vllmSpans() []recognition {
	spans := []recognition{
		// V0
		{"V0 in a scope that nobody knows", llmRequest("", v0Key), "vllm/v0", mapping.FormRequest},
		{"V0 keys win over V1 keys", llmRequest(v1Scope, v0Key, v1Key), "vllm/v0", mapping.FormRequest},
		{"V0 keys win over a model name", llmRequest(v0Scope, v0Key, modelName), "vllm/v0", mapping.FormRequest},
		{"V0 keys win over a model name and V1 keys", llmRequest(v0Scope, v0Key, modelName, v1Key), "vllm/v0", mapping.FormRequest},
		{"V0 after a crash", llmRequest(v0Scope), "vllm/v0", mapping.FormRequest},
		{"V0 after a crash and a first pass", llmRequest(v0Scope, semconv.OperationName, semconv.ErrorType).valued(semconv.ProviderName, "vllm"), "vllm/v0", mapping.FormRequest},
		{"V0 after a crash and a first pass that left its mark", llmRequest(v0Scope, mapping.DialectKey).valued(semconv.ProviderName, "vllm"), "vllm/v0", mapping.FormRequest},
		{"V0 under the name of the standard", renamed(v0Scope, v0Key), "vllm/v0", mapping.FormRequest},
		{"V0 under the name of the standard in a scope that nobody knows", renamed("my.engine", v0Key), "vllm/v0", mapping.FormRequest},
		{"V0 keys under the name of the standard, whoever wrote them", unmarked(v0Scope, v0Key), "vllm/v0-compatible", mapping.FormRequest},
		{"V0 keys under the name of the standard by another provider", unmarked("", v0Key).valued(semconv.ProviderName, "kestrel"), "vllm/v0-compatible", mapping.FormRequest},
		{"V0 keys under the name of the standard in the scope of Aphrodite", renamed("aphrodite.llm_engine", v0Key), "vllm/v0-compatible", mapping.FormRequest},
		{"V0 keys in the scope of Aphrodite", llmRequest("aphrodite.llm_engine", v0Key), "vllm/v0-compatible", mapping.FormRequest},
		{"V0 keys in the scope of TensorRT-LLM", llmRequest("trt.llm", v0Key), "vllm/v0-compatible", mapping.FormRequest},

		// V1
		{"V1 without attributes", llmRequest(v1Scope), "vllm/v1", mapping.FormRequest},
		{"V1 without attributes after a first pass", llmRequest(v1Scope).valued(semconv.ProviderName, "vllm"), "vllm/v1", mapping.FormRequest},
		{"V1 under the name of the standard", renamed(v1Scope, v1Key), "vllm/v1", mapping.FormRequest},
		{"V1 under the name of the standard without a provider", unmarked(v1Scope, v1Key), "vllm/v1", mapping.FormRequest},
		{"V1 under the name of the standard with another provider", unmarked(v1Scope, v1Key).valued(semconv.ProviderName, "my-vllm"), "vllm/v1", mapping.FormRequest},
		{"V1 naming the model still, under the name of the standard", unmarked(v1Scope, v1Key, modelName), "vllm/v1", mapping.FormRequest},
		{"V1 naming the model", llmRequest(v1Scope, v1Key, modelName), "vllm/v1", mapping.FormRequest},
		{"V1 naming the model after a first pass", llmRequest(v1Scope, v1Key, semconv.RequestModel).valued(semconv.ProviderName, "vllm"), "vllm/v1", mapping.FormRequest},
		{"V1 naming the model by the standard's name", llmRequest(v1Scope, v1Key, semconv.RequestModel), "vllm/v1", mapping.FormRequest},
		{"V1 keys in a scope that nobody knows", llmRequest("my.engine", v1Key), "vllm/v1-compatible", mapping.FormRequest},
		{"V1 keys without a scope", llmRequest("", v1Key), "vllm/v1-compatible", mapping.FormRequest},
		{"V1 keys under the name of the standard in a scope that nobody knows", renamed("my.engine", v1Key), "vllm/v1-compatible", mapping.FormRequest},

		{"V1 keys under the name of the standard, whoever wrote them", unmarked("", v1Key), "vllm/v1-compatible", mapping.FormRequest},
		{"V1 keys under the name of the standard by another provider", unmarked("my.engine", v1Key).valued(semconv.ProviderName, "kestrel"), "vllm/v1-compatible", mapping.FormRequest},
		{"V1 keys in the scope of Aphrodite", llmRequest("aphrodite.llm_engine", v1Key), "vllm/v1-compatible", mapping.FormRequest},
		{"V1 keys in the scope of TensorRT-LLM", llmRequest("trt.llm", v1Key), "vllm/v1-compatible", mapping.FormRequest},
		{"V1 keys under the name of the standard in the scope of Aphrodite", unmarked("aphrodite.llm_engine", v1Key), "vllm/v1-compatible", mapping.FormRequest},

		// The agent
		{"the agent in vLLM's own scope", llmRequest(v1Scope, v1Key, agentKey), "vllm/v1-agent", mapping.FormRequest},
		{"the agent naming the model in vLLM's own scope", llmRequest(v1Scope, v1Key, modelName, agentKey), "vllm/v1-agent", mapping.FormRequest},
		{"the agent with V0 keys", llmRequest("", v0Key, agentKey), "vllm/v1-agent", mapping.FormRequest},
		{"a model name in a scope that nobody knows", llmRequest("my.agent", modelName), "vllm/v1-agent", mapping.FormRequest},
		{"a model name and V1 keys in a scope that nobody knows", llmRequest("my.agent", modelName, v1Key), "vllm/v1-agent", mapping.FormRequest},
		{"the agent naming the model after a first pass", llmRequest("my.agent", semconv.RequestModel).valued(semconv.ProviderName, "vllm"), "vllm/v1-agent", mapping.FormRequest},
		{"the agent under the name of the standard", renamed("my.agent", agentKey), "vllm/v1-agent", mapping.FormRequest},
		{"the agent naming the model still, under the name of the standard", renamed("my.agent", modelName), "vllm/v1-agent", mapping.FormRequest},
		{"the agent and V1 keys under the name of the standard without a mark", unmarked("my.agent", agentKey, v1Key), "vllm/v1-compatible", mapping.FormRequest},
		{"a stage of the agent in vLLM's own scope", item{name: "prefill", scope: v1Scope}.having(agentKey), "vllm/v1-agent", mapping.FormStage},

		// Nobody's
		{"a request without a key of any dialect", llmRequest(v1Scope, promptCount), "", mapping.FormNone},
		{"a request without attributes in a scope that nobody knows", llmRequest("my.engine"), "", mapping.FormNone},
		{"a request after a first pass of another provider", llmRequest("my.agent", semconv.RequestModel).valued(semconv.ProviderName, "kestrel"), "", mapping.FormNone},
		{"a request with the standard's names and no provider", llmRequest("my.agent", semconv.RequestModel), "", mapping.FormNone},
		{"a name in capitals", item{name: "LLM_REQUEST", scope: v1Scope}.having(v1Key), "", mapping.FormNone},
		{"a name that only starts alike", item{name: "llm_request_2", scope: v1Scope}.having(v1Key), "", mapping.FormNone},
		{"a span that starts vLLM up", item{name: "Load model", scope: "vllm.model_executor.model_loader.base_loader"}.having("code.function"), "", mapping.FormNone},
		{"a span in vLLM's scope that is no request", item{name: "Dynamo bytecode transform", scope: v1Scope}.having("dynamo.time_seconds"), "", mapping.FormNone},
		{"a span in vLLM's scope that is no request and has no attributes", item{name: "Dynamo bytecode transform", scope: v1Scope}, "", mapping.FormNone},
		{"a span of the web framework", item{name: "POST /v1/chat/completions", scope: "opentelemetry.instrumentation.fastapi", kind: "server"}.having("http.route"), "", mapping.FormNone},
		{"a stage without a key of the agent", item{name: "prefill", scope: "sglang server"}, "", mapping.FormNone},
		{"a stage with V1 keys only", item{name: "decode"}.having(v1Key), "", mapping.FormNone},
		{"a stage after a first pass that took its only key", item{name: "decode"}.having(semconv.RequestModel).valued(semconv.ProviderName, "vllm"), "", mapping.FormNone},
		{"a stage's keys under another name", item{name: "schedule"}.having(agentKey), "", mapping.FormNone},
		{"a client's span that calls vLLM by the standard", renamed("my.app", "gen_ai.usage.input_tokens"), "", mapping.FormNone},
		{"a client's span in the scope of vLLM", renamed(v1Scope, "gen_ai.usage.input_tokens"), "", mapping.FormNone},
		{"the agent under the name of the standard without a mark", unmarked("my.agent", agentKey), "", mapping.FormNone},
		{"the agent under the name of the standard with another provider", unmarked("my.agent", agentKey).valued(semconv.ProviderName, "kestrel"), "", mapping.FormNone},
		{"a model name under the name of the standard without a mark", unmarked("my.app", modelName), "", mapping.FormNone},
		{"a model name under the name of the standard with another provider", unmarked("my.app", modelName).valued(semconv.ProviderName, "openai"), "", mapping.FormNone},
		{"a name that is not the one of its attributes", renamed(v1Scope, v1Key).valued(semconv.OperationName, "text_completion"), "", mapping.FormNone},
		{"a stage under the name of the standard", renamed(v1Scope, "gen_ai.kv_transfer.direction"), "", mapping.FormNone},
		{"nothing at all", item{}, "", mapping.FormNone},
	}
	for scope, keys := range map[string][]string{
		v0Scope: {v0Key}, v1Scope: {v1Key}, "": {v0Key}, "my.engine": {v1Key}, "my.app": {v1Key, modelName}, "my.agent": {agentKey, modelName}, "trt.llm": {v0Key, v1Key},
	} {
		name := "a client's span in the scope " + scope + " with " + strings.Join(keys, " and ")
		spans = append(
			spans,
			recognition{name, unmarked(scope, keys...).byClient(), "", mapping.FormNone},
			recognition{name + " and the provider", renamed(scope, keys...).byClient(), "", mapping.FormNone},
		)
	}
	for _, key := range v0Keys {
		spans = append(spans, recognition{"V0 by " + key, llmRequest(v0Scope, key, promptCount), "vllm/v0", mapping.FormRequest})
	}
	for _, scope := range []string{v0Scope, v1Scope} {
		for _, key := range v1Keys {
			spans = append(spans, recognition{"V1 in " + scope + " by " + key, llmRequest(scope, key, promptCount), "vllm/v1", mapping.FormRequest})
		}
	}
	for _, key := range agentKeys {
		spans = append(spans, recognition{"the agent by " + key, llmRequest("my.agent", key, promptCount), "vllm/v1-agent", mapping.FormRequest})
	}
	for _, name := range []string{"wait", "kv_transfer", "prefill", "decode"} {
		for _, key := range []string{modelName, agentKey} {
			spans = append(spans, recognition{"the agent's stage " + name + " by " + key, item{name: name}.having(key), "vllm/v1-agent", mapping.FormStage})
		}
	}
	return spans
}

func TestSpansOfVLLM(t *testing.T) { recogniseAll(t, "vllm", vllmSpans()) }

func TestEveryFormOfTheVLLMTableIsRecognised(t *testing.T) {
	requireEveryFormIn(t, "vllm", vllmSpans())
}

func TestATableClaimsNothingOfAnotherEngine(t *testing.T) {
	spans := map[string][]recognition{"vllm": vllmSpans(), "sglang": sglangSpans(), "agent": agentSpans()}
	for engine := range spans {
		rules := compile(t, mapping.Options{Engines: only(t, engine)}, builtIn(t)...)
		for other, cases := range spans {
			if other == engine {
				continue
			}
			for _, c := range cases {
				dialect, _ := match(t, rules, c.item)
				assert.Empty(t, dialect, "%s: %s", other, c.name)
			}
		}
	}
}

// clientSpans are calls of an application that a library recorded as the standard wants it. Whatever else is in them
// is the application's.
func clientSpans() map[string]item {
	call := func(model string) item {
		return item{name: "chat " + model, scope: "my.app", kind: "client"}.valued(semconv.OperationName, "chat").valued(semconv.RequestModel, model)
	}
	return map[string]item{
		"an id":                              call("qwen3").having("rid"),
		"an id and a superseded provider":    call("gpt-4").valued("gen_ai.system", "openai").valued("rid", "xyz"),
		"an id and another provider":         call("gpt-4").valued(semconv.ProviderName, "openai").having("gen_ai.usage.input_tokens").valued("rid", "xyz"),
		"a superseded name of the model":     call("gpt-4").valued(modelName, "gpt-4"),
		"a key of V0":                        call("gpt-4").having(v0Key),
		"the provider that the server has":   call("llama").valued(semconv.ProviderName, "vllm").having("gen_ai.usage.input_tokens"),
		"the provider and a key of V1":       call("llama").valued(semconv.ProviderName, "vllm").having(v1Key),
		"the provider and a key of SGLang's": call("llama").valued(semconv.ProviderName, "sglang").having("rid", sglangEntryKeys[0]),
	}
}

func TestClientSpansWithStandardNamesAreForeign(t *testing.T) {
	for _, target := range semconv.Targets() {
		engines := compile(t, mapping.Options{Target: target}, builtIn(t)...)
		all := compile(t, mapping.Options{Target: target, Engines: everything(t)}, builtIn(t)...)
		for name, span := range clientSpans() {
			t.Run(name+" for "+target, func(t *testing.T) {
				dialect, form := match(t, engines, span)
				assert.Empty(t, dialect)
				assert.Equal(t, mapping.FormNone, form)
				dialect, _ = match(t, all, span)
				assert.Contains(t, []string{"", "otel"}, dialect)
			})
		}
	}
}

func TestRecognitionByProviderFollowsTheOption(t *testing.T) {
	const one = "kestrel/one"
	passed := item{name: "serve"}.having("gen_ai.usage.input_tokens")
	standard := unmarked("my.app", "kestrel.first") // It is copied, so it stays the evidence.
	for _, c := range []struct {
		name     string
		provider *string
		item     item
		want     string
	}{
		{"the table's provider marks an item that was here", nil, passed.valued(semconv.ProviderName, "kestrel"), one},
		{"another provider does not", nil, passed.valued(semconv.ProviderName, "my-kestrel"), ""},
		{"the option's provider marks it", new("my-kestrel"), passed.valued(semconv.ProviderName, "my-kestrel"), one},
		{"the table's then does not", new("my-kestrel"), passed.valued(semconv.ProviderName, "kestrel"), ""},
		{"without a provider nothing does", new(""), passed.valued(semconv.ProviderName, ""), ""},
		{"the table's provider marks an item with the standard's name", nil, standard.valued(semconv.ProviderName, "kestrel"), one},
		{"another provider does not mark an item with the standard's name", nil, standard.valued(semconv.ProviderName, "my-kestrel"), ""},
		{"no provider does not mark an item with the standard's name", nil, standard, ""},
		{"the option's provider marks an item with the standard's name", new("my-kestrel"), standard.valued(semconv.ProviderName, "my-kestrel"), one},
		{"the table's then does not mark an item with the standard's name", new("my-kestrel"), standard.valued(semconv.ProviderName, "kestrel"), ""},
		{"without a provider nothing marks an item with the standard's name", new(""), standard, ""},
		{"without a provider a client's is still not the engine's", new(""), standard.byClient(), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := compile(t, mapping.Options{Engines: map[string]mapping.EngineOptions{"kestrel": {Provider: c.provider}}}, kestrel(t))
			dialect, _ := match(t, rules, c.item)
			assert.Equal(t, c.want, dialect)
		})
	}
}

func TestItemsOfATable(t *testing.T) {
	const one, input = "kestrel/one", "gen_ai.usage.input_tokens"
	api := item{name: "api", kind: "internal"}
	post := item{name: "POST /v1", scope: "kestrel.http"}
	rules := compile(t, mapping.Options{}, kestrel(t))
	recognise(t, rules, []recognition{
		{"any of the keys will do", item{name: "serve"}.having("kestrel.first"), one, mapping.FormRequest},
		{"none of the keys will not", item{name: "serve"}.having("kestrel.n"), "", mapping.FormNone},
		{"the first dialect wins", item{name: "serve"}.having("kestrel.prompt", "kestrel.copied"), one, mapping.FormRequest},
		{"the second one gets the rest", item{name: "serve"}.having("kestrel.copied"), "kestrel/copy", mapping.FormRequest},
		{"a key without the name is not enough", item{name: "server"}.having("kestrel.prompt"), "", mapping.FormNone},

		{"one value of several will do", api.valued("kestrel.kind", "embed"), one, mapping.FormEntry},
		{"another value will not", api.valued("kestrel.kind", "rank"), "", mapping.FormNone},
		{"the value of another key will not", api.valued("kestrel.id", "embed"), "", mapping.FormNone},
		{"a kind that is ruled out", item{name: "api", kind: "client"}.valued("kestrel.kind", "chat"), "", mapping.FormNone},

		{"a pattern, a scope and all keys", post.having("kestrel.id", "kestrel.prompt"), one, mapping.FormEntry},
		{"a pattern holds for the whole name", item{name: "POST /v1/x", scope: "kestrel.http"}.having("kestrel.id", "kestrel.prompt"), "", mapping.FormNone},
		{"another scope", item{name: "POST /v1", scope: "kestrel"}.having("kestrel.id", "kestrel.prompt"), "", mapping.FormNone},
		{"all but one of the keys", post.having("kestrel.id"), "", mapping.FormNone},
		{"a key that is ruled out", post.having("kestrel.id", "kestrel.prompt", "kestrel.test"), "", mapping.FormNone},

		{"a renamed key after a first pass", item{name: "serve"}.having(input).valued(semconv.ProviderName, "kestrel"), one, mapping.FormRequest},
		{"a copied key stays the evidence", item{name: "serve"}.having("gen_ai.response.time_to_first_chunk").valued(semconv.ProviderName, "kestrel"), "", mapping.FormNone},
		{"renamed and other keys after a first pass", post.having("kestrel.id", input).valued(semconv.ProviderName, "kestrel"), one, mapping.FormEntry},
		{"a key that is ruled out after a first pass", post.having("kestrel.id", input, "kestrel.test").valued(semconv.ProviderName, "kestrel"), "", mapping.FormNone},
		{"a stage has no provider, so its keys stay the evidence", item{name: "step"}.having("kestrel.step"), one, mapping.FormStage},
		{"a name of the standard in a scope of the table's", item{name: "chat llama", scope: "kestrel.http"}.having("kestrel.id", "kestrel.prompt").valued(semconv.OperationName, "chat").valued(semconv.RequestModel, "llama"), one, mapping.FormEntry},
		{"a name of the standard in a scope of the table's by a client", unmarked("kestrel.http", "kestrel.id", "kestrel.prompt").byClient(), "", mapping.FormNone},
		{"a name of the standard and a key that is ruled out", unmarked("kestrel.http", "kestrel.id", "kestrel.prompt", "kestrel.test"), "", mapping.FormNone},
		{"a name of the standard and all but one of the keys", unmarked("kestrel.http", "kestrel.id"), "", mapping.FormNone},
		{"a name of the standard in another scope", unmarked("my.app", "kestrel.id", "kestrel.prompt"), "", mapping.FormNone},
		{"a name of the standard, one value of several and the provider", unmarked("").valued("kestrel.kind", "chat").valued(semconv.ProviderName, "kestrel"), one, mapping.FormEntry},
		{"a name of the standard and one value of several", unmarked("").valued("kestrel.kind", "chat"), "", mapping.FormNone},
		{"a stage is never renamed", unmarked("", "kestrel.step").valued(semconv.ProviderName, "kestrel"), "", mapping.FormNone},
		{"a name of the standard for a dialect that proves no provider", unmarked("my.app", "kestrel.copied"), "kestrel/copy", mapping.FormRequest},
		{"a name of the standard by a client for a dialect that proves no provider", unmarked("my.app", "kestrel.copied").byClient(), "", mapping.FormNone},
		{"a dialect that proves no provider leaves no mark", item{name: "serve"}.having("kestrel.copied").valued(semconv.ProviderName, "kestrel"), "kestrel/copy", mapping.FormRequest},
	})
}

func TestAnItemThatWasHereIsTheSameDialects(t *testing.T) {
	rules := compile(t, mapping.Options{}, kestrel(t))
	for _, i := range []item{
		item{name: "serve"}.having("kestrel.prompt"),
		item{name: "serve"}.having("gen_ai.usage.input_tokens").valued(semconv.ProviderName, "kestrel"),
		unmarked("", "kestrel.prompt").valued(semconv.ProviderName, "kestrel"),
	} {
		d, form := claim(t, rules, i, slices.Sorted(maps.Keys(i.attributes)))
		assert.Same(t, dialect(t, rules, "kestrel/one"), d, "with its units: a value may have been left in the other one")
		assert.Equal(t, mapping.FormRequest, form)
	}
}

// Of several entries for one dialect, one may claim all that was here: then it knows the unit. It has to be of the
// same dialect, and of the same form.
func TestAnotherEntryForTheDialectMayKnowTheUnitOfAnItemThatWasHere(t *testing.T) {
	passed := item{name: "serve", scope: "a.engine"}.having("a.time.first", "gen_ai.request.model").valued(semconv.ProviderName, "a")
	for _, c := range []struct {
		name, other string
		seconds     bool
	}{
		{"it claims all of them", "id: a/1, request: {span_name: [serve], any_key: [a.time.first, a.time.last]}", true},
		{"it is of the same scope", "id: a/1, request: {span_name: [serve], scope: [a.engine, b.engine], any_key: [a.time.first]}", true},
		{"it claims some of them", "id: a/1, request: {span_name: [serve], any_key: [a.time.first], not_kind: [client]}", false},
		{"it asks for something else too", "id: a/1, request: {span_name: [serve], any_key: [a.time.first], all_keys: [a.own]}", false},
		{"it is another dialect's", "id: a/2, request: {span_name: [serve], any_key: [a.time.first]}", false},
		{"it is of another form", "id: a/1, entry: {span_name: [serve], any_key: [a.time.first]}", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := compile(t, mapping.Options{}, parse(t, `engine: a
layer: engine
provider: a
dialects:
  - id: a/1
    request: {span_name: [serve], scope: [a.engine], all_keys: [a.model, a.time.first]}
    proves: [provider]
    durations: {keys: a.time.*, units: [ns, s], decide_by: [a.time.all]}
    evidence: https://example.com
  - {`+c.other+`, proves: [provider], durations: {keys: a.time.*, units: [s]}, evidence: https://example.com}
attributes:
  - {id: a.model, from: a.model, to: gen_ai.request.model, basis: exact, evidence: https://example.com}
`))
			d, form := claim(t, rules, passed, slices.Sorted(maps.Keys(passed.attributes)))
			require.NotNil(t, d)
			assert.Equal(t, "a/1", d.ID)
			assert.Equal(t, mapping.FormRequest, form)
			assert.Equal(t, !c.seconds, d.Durations.MaybeNanoseconds)
		})
	}
}

func TestDialectsThatOnlyLookAlikeBothMatch(t *testing.T) {
	rules := compile(t, mapping.Options{}, parse(t, `engine: a
layer: engine
dialects:
  - {id: a/pattern, request: {span_name_pattern: "^Req ", any_key: [a.x]}, evidence: https://example.com}
  - {id: a/other-pattern, request: {span_name_pattern: "^Request ", any_key: [a.x]}, evidence: https://example.com}
  - {id: a/ruled-out, request: {any_key: [a.x], not_kind: [client], no_key: [a.y]}, evidence: https://example.com}
  - {id: a/ruled-out-less, request: {any_key: [a.x], not_kind: [client]}, evidence: https://example.com}
  - {id: a/any, request: {any_key: [a.x, a.z]}, evidence: https://example.com}
`))
	recognise(t, rules, []recognition{
		{"the first pattern", item{name: "Req 1"}.having("a.x"), "a/pattern", mapping.FormRequest},
		{"the second pattern", item{name: "Request 1"}.having("a.x"), "a/other-pattern", mapping.FormRequest},
		{"no pattern", item{name: "R"}.having("a.x"), "a/ruled-out", mapping.FormRequest},
		{"what the third rules out and the fourth does not", item{name: "R"}.having("a.x", "a.y"), "a/ruled-out-less", mapping.FormRequest},
		{"what the fourth rules out too", item{name: "R", kind: "client"}.having("a.x", "a.y"), "a/any", mapping.FormRequest},
		{"another key", item{name: "R"}.having("a.z"), "a/any", mapping.FormRequest},
	})
}

func TestTablesAreAskedInTheirOrder(t *testing.T) {
	table := func(engine, key string) *mapping.Table {
		return parse(t, "engine: "+engine+"\nlayer: engine\ndialects: [{id: "+engine+"/1, request: {any_key: [a.both, "+key+"]}, evidence: https://example.com}]\n")
	}
	a, b := table("a", "a.one"), table("b", "a.two")
	both := item{}.having("a.both")
	first, _ := match(t, compile(t, mapping.Options{}, a, b), both)
	assert.Equal(t, "a/1", first)
	first, _ = match(t, compile(t, mapping.Options{}, b, a), both)
	assert.Equal(t, "b/1", first)
}

func TestFallbackTablesAreAskedLast(t *testing.T) {
	table := func(engine, more string) *mapping.Table {
		return parse(t, "engine: "+engine+"\nlayer: engine\n"+more+"dialects: [{id: "+engine+"/1, request: {any_key: [a.both, "+engine+".own]}, evidence: https://example.com}]\n")
	}
	const fallback = "fallback: true\n"
	both := item{}.having("a.both")
	for _, c := range []struct {
		name   string
		tables []*mapping.Table
		want   string
	}{
		{"before an engine's table", []*mapping.Table{table("a", fallback), table("b", "")}, "b/1"},
		{"behind an engine's table", []*mapping.Table{table("a", ""), table("b", fallback)}, "a/1"},
		{"between engines' tables", []*mapping.Table{table("a", fallback), table("b", ""), table("c", "")}, "b/1"},
		{"among themselves in their order", []*mapping.Table{table("b", fallback), table("a", fallback)}, "b/1"},
		{"in their order too where an engine's table says that it is none", []*mapping.Table{table("b", "fallback: false\n"), table("a", "")}, "b/1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, _ := match(t, compile(t, mapping.Options{}, c.tables...), both)
			assert.Equal(t, c.want, first)
		})
	}
	t.Run("for what no other table claims", func(t *testing.T) {
		own, _ := match(t, compile(t, mapping.Options{}, table("a", fallback), table("b", "")), item{}.having("a.own"))
		assert.Equal(t, "a/1", own)
	})
}

func TestFallbackDialectsAreAskedBehindEnginesAndBeforeVocabularies(t *testing.T) {
	table := func(engine, table, dialect string) *mapping.Table {
		return parse(t, "engine: "+engine+"\nlayer: engine\n"+table+"dialects: [{id: "+engine+"/1, "+dialect+
			"request: {any_key: [a.all, "+engine+".own, "+engine+".too]}, evidence: https://example.com}]\n")
	}
	engine, fallback, vocabulary := table("a", "", ""), table("b", "", "fallback: true, "), table("c", "fallback: true\n", "fallback: true, ")
	for tables := range orders(engine, fallback, vocabulary) {
		rules := compile(t, mapping.Options{}, tables...)
		recognise(t, rules, []recognition{
			{"the engine's", item{}.having("a.all", "b.own", "c.own"), "a/1", mapping.FormRequest},
			{"the fallback's", item{}.having("b.own", "c.own"), "b/1", mapping.FormRequest},
			{"the vocabulary's", item{}.having("c.own"), "c/1", mapping.FormRequest},
			{"nobody's", item{}.having("d.own"), "", mapping.FormNone},
		})
	}
	t.Run("without the engine's", func(t *testing.T) {
		first, _ := match(t, compile(t, mapping.Options{}, vocabulary, fallback), item{}.having("a.all"))
		assert.Equal(t, "b/1", first)
	})
	t.Run("dialects are numbered as the tables list them", func(t *testing.T) {
		ids := []string{}
		for i, d := range compile(t, mapping.Options{}, vocabulary, fallback, engine).Dialects() {
			assert.Equal(t, i, d.Index)
			ids = append(ids, d.ID)
		}
		assert.Equal(t, []string{"c/1", "b/1", "a/1"}, ids)
	})
	t.Run("within a table", func(t *testing.T) {
		rules := compile(t, mapping.Options{}, parse(t, `engine: a
layer: engine
dialects:
  - {id: a/fallback, fallback: true, request: {any_key: [a.x, a.y]}, evidence: https://example.com}
  - {id: a/none, fallback: false, request: {any_key: [a.x], not_kind: [client]}, evidence: https://example.com}
  - {id: a/last, fallback: true, request: {any_key: [a.x, a.y, a.z]}, evidence: https://example.com}
`))
		recognise(t, rules, []recognition{
			{"what an engine's dialect below claims", item{}.having("a.x"), "a/none", mapping.FormRequest},
			{"what it rules out", item{kind: "client"}.having("a.x"), "a/fallback", mapping.FormRequest},
			{"in their order", item{}.having("a.y", "a.z"), "a/fallback", mapping.FormRequest},
			{"what only the last one claims", item{}.having("a.z"), "a/last", mapping.FormRequest},
		})
	})
}

// orders yields the tables in every order.
func orders(tables ...*mapping.Table) iter.Seq[[]*mapping.Table] {
	byEngine := map[string]*mapping.Table{}
	for _, table := range tables {
		byEngine[table.Engine] = table
	}
	return func(yield func([]*mapping.Table) bool) {
		for engines := range permutations(slices.Sorted(maps.Keys(byEngine))) {
			inOrder := []*mapping.Table{}
			for _, engine := range engines {
				inOrder = append(inOrder, byEngine[engine])
			}
			if !yield(inOrder) {
				return
			}
		}
	}
}

func TestWithoutTablesNothingIsClaimed(t *testing.T) {
	rules := compile(t, mapping.Options{})
	for _, c := range slices.Concat(vllmSpans(), sglangSpans(), agentSpans(), otelSpans()) {
		dialect, form := match(t, rules, c.item)
		require.Empty(t, dialect)
		require.Equal(t, mapping.FormNone, form)
	}
}

func TestFormsHaveTheNamesOfTheTable(t *testing.T) {
	assert.Equal(t, "none", mapping.FormNone.String())
	assert.Equal(t, "request", mapping.FormRequest.String())
	assert.Equal(t, "entry", mapping.FormEntry.String())
	assert.Equal(t, "stage", mapping.FormStage.String())
}
