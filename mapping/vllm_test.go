// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// capturedSpan is a span that a running vLLM sent.
type capturedSpan struct {
	file string
	item
}

// generation is the engine's, as the name of the file has it: vllm-0.8.5-v0-burst.otlp.json.
func (s capturedSpan) generation() string { return "vllm/" + strings.Split(s.file, "-")[2] }

// captured reads all spans of testdata/captured/vllm.
func captured(t testing.TB) []capturedSpan {
	t.Helper()
	files, err := filepath.Glob("../testdata/captured/vllm/*.otlp.json")
	require.NoError(t, err)
	var spans []capturedSpan
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var traces struct {
			ResourceSpans []struct {
				ScopeSpans []struct {
					Scope struct{ Name string }
					Spans []struct {
						Name       string
						Attributes []struct {
							Key   string
							Value struct{ StringValue string }
						}
					}
				}
			}
		}
		require.NoError(t, json.Unmarshal(data, &traces), file)
		for _, rs := range traces.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					span := capturedSpan{filepath.Base(file), item{name: s.Name, scope: ss.Scope.Name}}
					for _, a := range s.Attributes {
						span.item = span.valued(a.Key, a.Value.StringValue)
					}
					spans = append(spans, span)
				}
			}
		}
	}
	require.NotEmpty(t, spans)
	return spans
}

func TestCapturedSpansOfVLLMAreRecognised(t *testing.T) {
	rules := compile(t, mapping.Options{}, builtIn(t)...)
	seen := map[string]int{}
	for _, s := range captured(t) {
		want, form := "", mapping.FormNone
		if s.name == "llm_request" {
			want, form = s.generation(), mapping.FormRequest
		}
		gotDialect, gotForm := idOf(claim(t, rules, s.item, slices.Sorted(maps.Keys(s.attributes))))
		assert.Equal(t, want, gotDialect, "%s: %s", s.file, s.name)
		assert.Equal(t, form, gotForm, "%s: %s", s.file, s.name)
		seen[want]++
	}
	for _, dialect := range []string{"vllm/v0", "vllm/v1", ""} {
		assert.NotZero(t, seen[dialect], "no captured span should be, and so was, of dialect %q", dialect)
	}
}

// documented are the attributes that were read about and not captured. Each source is public.
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
}

func TestEveryAttributeOfVLLMIsMappedOrKeptForAReason(t *testing.T) {
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
	for _, s := range captured(t) {
		if s.name == "llm_request" {
			for key := range s.attributes {
				add(s.generation(), key, s.file)
			}
		}
	}

	vllm := table(t, "vllm")
	for _, target := range semconv.Targets() {
		rules := compile(t, mapping.Options{Target: target, Approximate: true}, vllm)
		for id, keys := range sources {
			d := dialect(t, rules, id)
			for key, source := range keys {
				mapped := len(targets(rules, d, key)) > 0
				kept := slices.ContainsFunc(vllm.Attributes, func(r mapping.Row) bool {
					return slices.Contains(r.Keep, key) && r.Why != "" && (len(r.Dialects) == 0 || slices.Contains(r.Dialects, id))
				})
				assert.True(t, mapped || kept, "%q in %s for %s, from %s", key, id, target, source)
			}
		}
	}
}

// table returns one of the tables that come with the package.
func table(t testing.TB, engine string) *mapping.Table {
	t.Helper()
	tables := builtIn(t)
	i := slices.IndexFunc(tables, func(table *mapping.Table) bool { return table.Engine == engine })
	require.GreaterOrEqual(t, i, 0, engine)
	return tables[i]
}

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
