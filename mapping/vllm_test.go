// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// What the vLLM table says, read by a person against the standard. A change of the table has to be made here too.
func TestWhereTheAttributesOfVLLMGo(t *testing.T) {
	rules := map[string]*mapping.RuleSet{}
	for _, target := range semconv.Targets() {
		rules[target] = compile(t, mapping.Options{Target: target}, table(t, "vllm"))
	}
	for _, c := range []struct {
		source string
		want   []string // for both targets; the source itself where only its type is made right
	}{
		{"gen_ai.usage.prompt_tokens", []string{"gen_ai.usage.input_tokens"}},
		{"gen_ai.usage.completion_tokens", []string{"gen_ai.usage.output_tokens"}},
		{"gen_ai.usage.cached_tokens", []string{"gen_ai.usage.cache_read.input_tokens"}},
		{"gen_ai.request.model_name", []string{"gen_ai.request.model"}},
		{"gen_ai.request.n", []string{"gen_ai.request.choice.count"}},
		{"gen_ai.response.model", []string{"gen_ai.response.model"}},
		{"gen_ai.response.finish_reasons", []string{"gen_ai.response.finish_reasons"}},
		{"gen_ai.request.temperature", []string{"gen_ai.request.temperature"}},
		{"gen_ai.request.top_p", []string{"gen_ai.request.top_p"}},
		{"gen_ai.request.top_k", []string{"gen_ai.request.top_k"}},
		{"gen_ai.request.max_tokens", []string{"gen_ai.request.max_tokens"}},
		{"gen_ai.usage.cache_read.input_tokens", []string{"gen_ai.usage.cache_read.input_tokens"}},
		{"gen_ai.operation.name", []string{"gen_ai.operation.name"}},
		{"gen_ai.latency.time_to_first_token", []string{}}, // gen_ai.response.time_to_first_chunk is the client's
		{"gen_ai.latency.e2e", []string{}},
		{"gen_ai.usage.num_sequences", []string{}},
		{"gen_ai.system", []string{}}, // the engine otel renames it, whoever wrote it
		{"gen_ai.request.id", []string{}},
		{"gen_ai.kv_transfer.cached_tokens", []string{}}, // of a transfer and not of the request
		{"gen_ai.kv_transfer.failed", []string{}},
	} {
		for target, rules := range rules {
			for _, d := range rules.Dialects() {
				assert.Equal(t, c.want, targets(rules, d, c.source), "%s in %s for %s", c.source, d.ID, target)
				assert.True(t, len(c.want) > 0 || isKept(t, d, c.source), "%s is kept for a reason", c.source)
			}
		}
	}
	for target, rules := range rules {
		for _, d := range rules.Dialects() {
			assert.Equal(t, []string{cacheWrites[target]}, targets(rules, d, "gen_ai.usage.cache_creation.input_tokens"), "%s for %s", d.ID, target)
		}
	}
}

// cacheWrites is what tokens written to a cache are called, by target.
var cacheWrites = map[string]string{"1.41": "gen_ai.usage.cache_creation.input_tokens", "0.1.0": "gen_ai.usage.cache_write.input_tokens"}

// Copies of vLLM that are known write seconds. Elsewhere each span decides, for it may be the agent's.
func TestUnitsOfWhatCopiesOfVLLMWrite(t *testing.T) {
	rules := compile(t, mapping.Options{}, builtIn(t)...)
	for scope, maybeNanoseconds := range map[string]bool{"aphrodite.llm_engine": false, "trt.llm": false, "aphrodite": true, "my.engine": true, "": true} {
		for _, key := range v1Keys {
			for name, span := range map[string]item{"under vLLM's name": llmRequest(scope, key), "under the standard's name": unmarked(scope, key)} {
				d := requireClaim(t, rules, span, "vllm/v1-compatible")
				assert.Equal(t, maybeNanoseconds, d.Durations.MaybeNanoseconds, "%s in the scope %q by %s", name, scope, key)
				assert.False(t, d.ClaimsProvider, "%s in the scope %q by %s", name, scope, key)
				assert.Len(t, d.RequestIDKeys(), 1, "%s in the scope %q by %s", name, scope, key)
			}
		}
		for _, key := range v0Keys {
			assert.False(t, requireClaim(t, rules, unmarked(scope, key), "vllm/v0-compatible").Durations.MaybeNanoseconds, "%s in the scope %q", key, scope)
		}
	}
}

func TestUnitsOfRequestsOfVLLM(t *testing.T) {
	rules := compile(t, mapping.Options{}, builtIn(t)...)
	for _, c := range []struct {
		name             string
		item             item
		dialect          string
		maybeNanoseconds bool
	}{
		{"V0", llmRequest(v0Scope, v0Key), "vllm/v0", false},
		{"V1", llmRequest(v1Scope, v1Key), "vllm/v1", false},
		{"V1 naming the model", llmRequest(v1Scope, v1Key, modelName), "vllm/v1", true},
		// What was there before the model was moved is not known any more, and what has the standard's name was here.
		{"V1 naming the model after a first pass", llmRequest(v1Scope, v1Key, semconv.RequestModel).valued(semconv.ProviderName, "vllm"), "vllm/v1", false},
		{"V1 under the name of the standard", renamed(v1Scope, v1Key), "vllm/v1", false},
		{"V1 naming the model still, under the name of the standard", renamed(v1Scope, v1Key, modelName), "vllm/v1", true},
		{"the agent", llmRequest("my.agent", agentKey), "vllm/v1-agent", true},
		{"the agent by the model only", llmRequest("my.agent", modelName), "vllm/v1-agent", true},
		{"the agent by the model only after a first pass", llmRequest("my.agent", semconv.RequestModel).valued(semconv.ProviderName, "vllm"), "vllm/v1-agent", true},
		{"the agent under the name of the standard", renamed("my.agent", agentKey), "vllm/v1-agent", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.maybeNanoseconds, requireClaim(t, rules, c.item, c.dialect).Durations.MaybeNanoseconds)
		})
	}
}

// requireClaim returns what claims an item, which has to be a request of a certain dialect.
func requireClaim(t testing.TB, rules *mapping.RuleSet, i item, id string) *mapping.DialectRules {
	t.Helper()
	d, form := claim(t, rules, i, slices.Sorted(maps.Keys(i.attributes)))
	require.NotNil(t, d)
	require.Equal(t, id, d.ID)
	require.Equal(t, mapping.FormRequest, form)
	return d
}

// An engine that copied vLLM may have a table of its own. It may say of such a request what it likes.
func TestATableForACopyOfVLLMGoesBeforeWhatIsKnownOfCopies(t *testing.T) {
	const one = "aphrodite/one"
	aphrodite := parse(t, `engine: aphrodite
layer: engine
provider: aphrodite
dialects:
  - id: aphrodite/one
    request: {span_name: [llm_request], scope: [aphrodite.llm_engine], any_key: [`+strings.Join(slices.Concat(v0Keys, v1Keys), ", ")+`]}
    proves: [provider]
    evidence: https://example.com
`)
	for _, target := range semconv.Targets() {
		for name, tables := range map[string][]*mapping.Table{"behind": append(builtIn(t), aphrodite), "before": append([]*mapping.Table{aphrodite}, builtIn(t)...)} {
			t.Run(name+" the tables of the package for "+target, func(t *testing.T) {
				rules := compile(t, mapping.Options{Target: target}, tables...)
				spans := []recognition{
					{"V1 under the name of the standard", unmarked("aphrodite.llm_engine", v1Key), one, mapping.FormRequest},
					{"V1 with the provider", llmRequest("aphrodite.llm_engine", v1Key).valued(semconv.ProviderName, "aphrodite"), one, mapping.FormRequest},
					{"V1 in the scope of another copy", llmRequest("trt.llm", v1Key), "vllm/v1-compatible", mapping.FormRequest},
					{"V1 in a scope that nobody knows", llmRequest("my.engine", v1Key), "vllm/v1-compatible", mapping.FormRequest},
					{"V1 of vLLM", llmRequest(v1Scope, v1Key), "vllm/v1", mapping.FormRequest},
					{"V0 in the scope of another copy", llmRequest("trt.llm", v0Key), "vllm/v0-compatible", mapping.FormRequest},
					{"V0 of vLLM", llmRequest(v0Scope, v0Key), "vllm/v0", mapping.FormRequest},
				}
				for _, key := range slices.Concat(v0Keys, v1Keys) {
					spans = append(spans, recognition{key, llmRequest("aphrodite.llm_engine", key), one, mapping.FormRequest})
				}
				recognise(t, rules, spans)
			})
		}
	}
}
