// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor

import (
	"maps"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
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

var sglangRequest = regexp.MustCompile(`^\s*(?:prefill |decode )?Req \S{1,8}$`)

// TestEveryCapturedRequestSpanOfSGLang does the same for the engine and its gateways.
func TestEveryCapturedRequestSpanOfSGLang(t *testing.T) {
	requests, others := 0, 0
	for name, in := range captured(t) {
		if strings.HasPrefix(name, "vllm-") {
			continue
		}
		out := newHarness(t, "{}").normalize(t, in)
		before, after := spansOf(in), spansOf(out)
		require.Len(t, after, len(before))
		for i := range before {
			if !sglangRequest.MatchString(before[i].Name()) {
				others++
				assert.Equal(t, wire(t, before[i]), wire(t, after[i]), "%s: a foreign span changed", name)
				continue
			}
			requests++
			assert.Equal(t, expectedOfSGLang(before[i]), after[i].Attributes().AsRaw(), name)
			assert.Equal(t, withoutAttributes(t, before[i]), withoutAttributes(t, after[i]), name)
		}
	}
	assert.Equal(t, 145, requests)
	assert.Positive(t, others)
}

// expectedOfSGLang writes the standard's names by hand, for the request spans of any release of SGLang.
func expectedOfSGLang(s ptrace.Span) map[string]any {
	want := maps.Clone(s.Attributes().AsRaw())
	for from, to := range map[string]string{
		"gen_ai.usage.prompt_tokens":     "gen_ai.usage.input_tokens",
		"gen_ai.usage.completion_tokens": "gen_ai.usage.output_tokens",
		"gen_ai.usage.cached_tokens":     "gen_ai.usage.cache_read.input_tokens",
	} {
		if v, ok := want[from]; ok {
			delete(want, from)
			want[to] = v
		}
	}
	if n, ok := want["gen_ai.request.n"].(int64); ok {
		delete(want, "gen_ai.request.n")
		if n != 1 {
			want["gen_ai.request.choice.count"] = n
		}
	}
	for _, key := range []string{"gen_ai.request.temperature", "gen_ai.request.top_p", "gen_ai.request.top_k"} {
		if v, ok := want[key].(int64); ok {
			want[key] = float64(v)
		}
	}
	if reasons, ok := want["gen_ai.response.finish_reasons"].(string); ok {
		want["gen_ai.response.finish_reasons"] = []any{strings.Trim(reasons, `["]`)}
	}
	want["gen_ai.provider.name"] = "sglang"
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

// TestEveryCapturedV1SpanInNanoseconds makes each captured span what the agent would have written, in integers and
// doubles and with lengths that are not the request's, and expects the seconds that vLLM wrote.
func TestEveryCapturedV1SpanInNanoseconds(t *testing.T) {
	lengths := map[string]func(time.Duration) time.Duration{
		"as captured":              func(d time.Duration) time.Duration { return d },
		"without length":           func(time.Duration) time.Duration { return 0 },
		"ending before it starts":  func(time.Duration) time.Duration { return -time.Second },
		"ending 4 ms late":         func(d time.Duration) time.Duration { return d + 4*time.Millisecond },
		"held open for 20 minutes": func(d time.Duration) time.Duration { return d + 20*time.Minute },
	}
	toNanoseconds := map[string]func(pcommon.Value){
		"integers": func(v pcommon.Value) { v.SetInt(int64(math.Round(v.Double() * 1e9))) },
		"doubles":  func(v pcommon.Value) { v.SetDouble(math.Round(v.Double() * 1e9)) },
		"seconds":  func(pcommon.Value) {},
	}
	h := newHarness(t, "{}")
	spans := 0
	for name, in := range captured(t) {
		for _, s := range spansOf(in) {
			if _, isV1 := s.Attributes().Get("gen_ai.latency.time_in_model_inference"); !isV1 || s.Name() != "llm_request" {
				continue
			}
			spans++
			for length, end := range lengths {
				for unit, convert := range toNanoseconds {
					td := agentSpan(s, end, convert)
					once := h.normalize(t, td)
					for key, v := range spansOf(once)[0].Attributes().All() {
						if strings.HasPrefix(key, "gen_ai.latency.") {
							was, _ := s.Attributes().Get(key)
							require.InDelta(t, was.Double(), v.Double(), 0.6e-9, "%s: %s, %s in %s", name, key, length, unit)
							require.Equal(t, pcommon.ValueTypeDouble, v.Type())
						}
					}
					require.Equal(t, canonical(t, once), canonical(t, h.normalize(t, once)))
				}
			}
		}
	}
	assert.Equal(t, 152, spans)
}

// agentSpan returns a batch with the span as the agent would have written it.
func agentSpan(s ptrace.Span, end func(time.Duration) time.Duration, convert func(pcommon.Value)) ptrace.Traces {
	td := ptrace.NewTraces()
	scope := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	scope.Scope().SetName("agent")
	agent := scope.Spans().AppendEmpty()
	s.CopyTo(agent)
	length := end(time.Duration(s.EndTimestamp() - s.StartTimestamp()))
	agent.SetEndTimestamp(pcommon.Timestamp(int64(s.StartTimestamp()) + int64(length)))
	agent.SetKind(ptrace.SpanKindInternal)
	for key, v := range agent.Attributes().All() {
		if strings.HasPrefix(key, "gen_ai.latency.") {
			convert(v)
		}
	}
	agent.Attributes().PutStr("gen_ai.request.model_name", "m")
	agent.Attributes().PutStr("gen_ai.pd_role", "none")
	return td
}

// TestRequestsAreRecognisedWithoutAScope strips the scopes, as some transports do.
func TestRequestsAreRecognisedWithoutAScope(t *testing.T) {
	requests, recognised := 0, map[string]int64{}
	for _, in := range captured(t) {
		for _, rs := range in.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				ss.Scope().SetName("")
			}
		}
		for _, s := range spansOf(in) {
			if s.Name() == "llm_request" && s.Attributes().Len() > 0 || sglangRequest.MatchString(s.Name()) {
				requests++
			}
		}
		h := newHarness(t, "{}")
		h.normalize(t, in)
		for _, c := range h.report(t).Items {
			recognised[c.Dialect] += c.Count
		}
	}
	assert.Equal(t, 188+145, requests)
	// The keys of V1 do not prove vLLM, so its provider is left out; all others are proven by a key.
	assert.Equal(t, map[string]int64{"vllm/v0": 36, "vllm/v1-compatible": 152, "sglang/native": 145}, recognised)
}

// TestEveryCapturedBatchIsStable runs each captured file twice and cuts it at every span.
func TestEveryCapturedBatchIsStable(t *testing.T) {
	for _, config := range []string{
		"{}",
		"{originals: keep, approximate: true}",
		"{span_name: semconv, engines: {vllm: {default_operation: chat}, sglang: {default_operation: chat}, otel: {enabled: true}}, annotate: true}",
		"{engine_usage: drop, service_name: fill, schema_url: always, semconv: \"0.1.0\"}",
	} {
		t.Run(config, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, config)
			for name, in := range captured(t) {
				t.Run(name, func(t *testing.T) {
					h.report(t) // Begin anew after the cuts of the file before.
					out := h.normalize(t, in)
					requireConformant(t, h.config, in, out)
					requireStable(t, h, out, h.report(t))
					requireCuttable(t, h, in, out)
				})
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
