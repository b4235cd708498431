// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// The expectations in this file are written by hand: they do not come from the tables.

// TestEveryCapturedRequestSpanOfVLLM states what becomes of each captured span, whatever the release.
func TestEveryCapturedRequestSpanOfVLLM(t *testing.T) {
	requests, others := 0, 0
	for name, in := range captured(t) {
		if !strings.HasPrefix(name, "vllm-") {
			continue
		}
		out := newHarness(t, "{}").normalize(t, in)
		before, after := spansOf(in), spansOf(out)
		require.Len(t, after, len(before))
		for i := range before {
			if before[i].Name() != "llm_request" {
				others++
				assert.Equal(t, wire(t, before[i]), wire(t, after[i]), "%s: a foreign span changed", name)
				continue
			}
			requests++
			assert.Equal(t, expectedOfVLLM(before[i]), after[i].Attributes().AsRaw(), name)
			assert.Equal(t, withoutAttributes(t, before[i]), withoutAttributes(t, after[i]), name)
		}
		for i, rs := range in.ResourceSpans().All() {
			assert.Equal(t, rs.Resource().Attributes().AsRaw(), out.ResourceSpans().At(i).Resource().Attributes().AsRaw(), name)
			assert.Empty(t, out.ResourceSpans().At(i).SchemaUrl(), name)
		}
	}
	assert.Equal(t, 189, requests)
	assert.Equal(t, 247, others)
}

var idPrefix = regexp.MustCompile(`^(?:\d+_)?(chatcmpl-|resp_|cmpl-|embd-)`)

// expectedOfVLLM writes the standard's names by hand, for the spans of any release of vLLM.
func expectedOfVLLM(s ptrace.Span) map[string]any {
	want := maps.Clone(s.Attributes().AsRaw())
	move := func(from, to string) {
		if v, ok := want[from]; ok {
			delete(want, from)
			want[to] = v
		}
	}
	move("gen_ai.usage.prompt_tokens", "gen_ai.usage.input_tokens")
	move("gen_ai.usage.completion_tokens", "gen_ai.usage.output_tokens")
	if want["gen_ai.request.n"] == int64(1) {
		delete(want, "gen_ai.request.n")
	}
	move("gen_ai.request.n", "gen_ai.request.choice.count")
	for _, key := range []string{"gen_ai.request.temperature", "gen_ai.request.top_p"} {
		if v, ok := want[key].(int64); ok {
			want[key] = float64(v)
		}
	}
	want["gen_ai.provider.name"] = "vllm"
	id, _ := want["gen_ai.request.id"].(string)
	if m := idPrefix.FindStringSubmatch(id); m != nil {
		want["gen_ai.operation.name"] = map[string]string{
			"chatcmpl-": "chat", "resp_": "chat", "cmpl-": "text_completion", "embd-": "embeddings",
		}[m[1]]
	}
	if s.Status().Code() == ptrace.StatusCodeError {
		want["error.type"] = "TypeError"
	}
	return want
}

// withoutAttributes is all that must never change: kind, ids, times, state, events, links, status, name.
func withoutAttributes(t testing.TB, s ptrace.Span) []byte {
	t.Helper()
	bare := ptrace.NewSpan()
	s.CopyTo(bare)
	bare.Attributes().Clear()
	return wire(t, bare)
}

// TestEveryCapturedBatchIsStable runs each captured file twice and cuts it at every span.
func TestEveryCapturedBatchIsStable(t *testing.T) {
	for name, in := range captured(t) {
		t.Run(name, func(t *testing.T) {
			for _, config := range []string{
				"{}",
				"{originals: keep, approximate: true}",
				"{span_name: semconv, engines: {vllm: {default_operation: chat}}, annotate: true}",
				"{engine_usage: drop, service_name: fill, schema_url: always, semconv: \"0.1.0\"}",
			} {
				h := newHarness(t, config)
				out := h.normalize(t, in)
				requireConformant(t, h.target, in, out)
				requireStable(t, config, out, h.report(t))
				requireCuttable(t, config, in, out)
			}
		})
	}
}

// TestValuesOfOneSpanPerDialect has every value of one span per dialect written down by hand.
func TestValuesOfOneSpanPerDialect(t *testing.T) {
	tests := []struct {
		name, file string
		want       map[string]any
	}{{
		name: "V0 of 0.8.5",
		file: "testdata/captured/vllm/vllm-0.8.5-v0-completion.otlp.json",
		want: map[string]any{
			"gen_ai.provider.name":                 "vllm",
			"gen_ai.operation.name":                "text_completion",
			"gen_ai.response.model":                "/models/tiny-llama",
			"gen_ai.request.id":                    "cmpl-bbfbe8ca565f415199c8ec2c2cf9fcef-0",
			"gen_ai.request.temperature":           0.7,
			"gen_ai.request.top_p":                 0.9,
			"gen_ai.request.max_tokens":            int64(16),
			"gen_ai.usage.num_sequences":           int64(1),
			"gen_ai.usage.input_tokens":            int64(8),
			"gen_ai.usage.output_tokens":           int64(16),
			"gen_ai.latency.time_in_queue":         0.0009493827819824219,
			"gen_ai.latency.time_to_first_token":   0.006652355194091797,
			"gen_ai.latency.e2e":                   0.02818131446838379,
			"gen_ai.latency.time_in_scheduler":     0.0013044629997693846,
			"gen_ai.latency.time_in_model_execute": 0.02293164100069589,
		},
	}, {
		name: "V1 of 0.10.2, the first of two choices",
		file: "testdata/captured/vllm/vllm-0.10.2-v1-completion-n2.otlp.json",
		want: map[string]any{
			"gen_ai.provider.name":                   "vllm",
			"gen_ai.operation.name":                  "text_completion",
			"gen_ai.request.id":                      "0_cmpl-4ddb2f77c7904398afadfb65d8db4ba8-0",
			"gen_ai.request.temperature":             0.7,
			"gen_ai.request.top_p":                   0.9,
			"gen_ai.request.max_tokens":              int64(16),
			"gen_ai.usage.input_tokens":              int64(8),
			"gen_ai.usage.output_tokens":             int64(16),
			"gen_ai.latency.time_to_first_token":     0.00425267219543457,
			"gen_ai.latency.e2e":                     0.0183560848236084,
			"gen_ai.latency.time_in_queue":           0.00010241299992230779,
			"gen_ai.latency.time_in_model_prefill":   0.0028110830000969145,
			"gen_ai.latency.time_in_model_decode":    0.014534577999938847,
			"gen_ai.latency.time_in_model_inference": 0.01734566100003576,
		},
	}, {
		name: "V1 of 0.32.0",
		file: "testdata/captured/vllm/vllm-0.32.0-v1-completion.otlp.json",
		want: map[string]any{
			"gen_ai.provider.name":                   "vllm",
			"gen_ai.operation.name":                  "text_completion",
			"gen_ai.request.id":                      "cmpl-89a2abc0d7808ee1-0",
			"gen_ai.request.temperature":             0.7,
			"gen_ai.request.top_p":                   0.9,
			"gen_ai.request.max_tokens":              int64(16),
			"gen_ai.usage.input_tokens":              int64(8),
			"gen_ai.usage.output_tokens":             int64(16),
			"gen_ai.latency.time_to_first_token":     0.13058233261108398,
			"gen_ai.latency.e2e":                     0.7502293586730957,
			"gen_ai.latency.time_in_queue":           2.4036000013438752e-05,
			"gen_ai.latency.time_in_model_prefill":   0.1279998400000295,
			"gen_ai.latency.time_in_model_decode":    0.6201843429998917,
			"gen_ai.latency.time_in_model_inference": 0.7481841829999212,
		},
	}, {
		name: "V1 as an agent writes it, in nanoseconds",
		file: "testdata/cases/agent-nanoseconds-become-seconds/input.json",
		want: map[string]any{
			"gen_ai.provider.name":                   "vllm",
			"gen_ai.operation.name":                  "chat",
			"gen_ai.request.model":                   "qwen3",
			"gen_ai.request.id":                      "chatcmpl-8a4d",
			"gen_ai.usage.input_tokens":              int64(512),
			"gen_ai.usage.output_tokens":             int64(128),
			"gen_ai.usage.cache_read.input_tokens":   int64(0),
			"gen_ai.latency.e2e":                     2.386712074,
			"gen_ai.latency.time_in_queue":           0.312407121,
			"gen_ai.latency.time_to_first_token":     0.434951305,
			"gen_ai.latency.time_in_model_prefill":   0.089311421,
			"gen_ai.latency.time_in_model_decode":    1.951208446,
			"gen_ai.latency.time_in_model_inference": 2.040519867,
			"gen_ai.latency.time_in_tokenize":        0.0023104,
			"gen_ai.latency.time_in_detokenize":      0.0061208,
			"gen_ai.engine.index":                    int64(0),
			"gen_ai.pd_role":                         "none",
		},
	}, {
		name: "the keys of V1 in the scope of another engine",
		file: "testdata/cases/copied-keys-do-not-prove-vllm/input.json",
		want: map[string]any{
			"gen_ai.operation.name":                  "chat",
			"gen_ai.request.id":                      "chatcmpl-1f2e3d4c",
			"gen_ai.request.top_p":                   1.0,
			"gen_ai.request.max_tokens":              int64(20),
			"gen_ai.usage.input_tokens":              int64(100),
			"gen_ai.usage.output_tokens":             int64(20),
			"gen_ai.latency.time_to_first_token":     0.4,
			"gen_ai.latency.e2e":                     2.0,
			"gen_ai.latency.time_in_queue":           0.1,
			"gen_ai.latency.time_in_model_prefill":   0.3,
			"gen_ai.latency.time_in_model_decode":    1.6,
			"gen_ai.latency.time_in_model_inference": 1.9,
		},
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := newHarness(t, "{}").normalize(t, readTraces(t, tt.file))
			assert.Equal(t, tt.want, spansOf(out)[0].Attributes().AsRaw())
		})
	}
}
