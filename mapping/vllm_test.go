// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

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
		{"gen_ai.system", []string{"gen_ai.provider.name"}},
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
		{"gen_ai.request.id", []string{}},
		{"gen_ai.kv_transfer.cached_tokens", []string{}}, // of a transfer and not of the request
		{"gen_ai.kv_transfer.failed", []string{}},
	} {
		for target, rules := range rules {
			for _, d := range rules.Dialects() {
				assert.Equal(t, c.want, targets(rules, d, c.source), "%s in %s for %s", c.source, d.ID, target)
			}
		}
	}
}
