// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

const (
	sglangScope   = "sglang server"
	sglangRequest = "sglang::request"
)

// standard is a span with the name that the standard asks for.
func standard(scope, kind string, keys ...string) item {
	return item{name: "chat qwen3", scope: scope, kind: kind}.having(keys...).valued(semconv.OperationName, "chat").valued(semconv.RequestModel, "qwen3")
}

// sglangSpans are spans of SGLang and its gateways, and what they are recognised as.
func sglangSpans() []recognition {
	const native = "sglang/native"
	req := func(name string, keys ...string) item {
		return item{name: name, scope: sglangScope, kind: "internal"}.having(keys...)
	}
	spans := []recognition{
		// By the module, since 0.5.10
		{"the module in SGLang's scope", req(" Req 4f1c2a9b", "rid").valued("module", sglangRequest), native, mapping.FormRequest},
		{"the module in another scope", item{name: " Req 4f1c2a9b", scope: "my.agent"}.valued("module", sglangRequest), native, mapping.FormRequest},
		{"the module without a scope", item{name: " Req 4f1c2a9b"}.valued("module", sglangRequest), native, mapping.FormRequest},
		{"the module under another name", item{name: "chat qwen3"}.valued("module", sglangRequest), native, mapping.FormRequest},
		{"the module whatever the kind", item{name: " Req 4f1c2a9b", kind: "server"}.valued("module", sglangRequest), native, mapping.FormRequest},
		{"the module of a request that was rejected", req(" Req 4f1c2a9b", "rid", "gen_ai.latency.e2e").valued("module", sglangRequest), native, mapping.FormRequest},
		{"the module after a first pass", req(" Req 4f1c2a9b", "gen_ai.usage.input_tokens").valued("module", sglangRequest).valued(semconv.ProviderName, "sglang"), native, mapping.FormRequest},
		{"the module after a first pass of another provider", req(" Req 4f1c2a9b").valued("module", sglangRequest).valued(semconv.ProviderName, "kestrel"), native, mapping.FormRequest},
		{"the module behind a gateway that speaks gRPC", req(" Req chatcmpl").valued("rid", "chatcmpl-5c2f").valued("module", sglangRequest), native, mapping.FormRequest},

		// By the id, where a transport lost the scope
		{"an id and a name without a scope", item{name: " Req 4f1c2a9b"}.having("rid"), native, mapping.FormRequest},
		{"an id and a name in another scope", item{name: "prefill Req 4f1c2a9b", scope: "my.agent"}.having("rid"), native, mapping.FormRequest},
		{"an id and a name after a first pass", item{name: "Req 4f1c2a9b"}.having("rid", "gen_ai.usage.input_tokens").valued(semconv.ProviderName, "sglang"), native, mapping.FormRequest},

		// Under the name of the standard
		{"the standard's name in SGLang's scope", standard(sglangScope, "internal"), native, mapping.FormRequest},
		{"the standard's name in SGLang's scope and an id", standard(sglangScope, "internal", "rid"), native, mapping.FormRequest},
		{"the standard's name, an id and the provider", standard("my.agent", "internal", "rid").valued(semconv.ProviderName, "sglang"), native, mapping.FormRequest},
		{"the standard's name, an id and the provider without a scope and a kind", standard("", "", "rid").valued(semconv.ProviderName, "sglang"), native, mapping.FormRequest},
		{"the standard's name and the module, whatever the kind", standard("my.agent", "client").valued("module", sglangRequest), native, mapping.FormRequest},
		{"a client's span with an id", standard("my.app", "client", "rid"), "", mapping.FormNone},
		{"a client's span with an id and the provider", standard("my.app", "client", "rid").valued(semconv.ProviderName, "sglang"), "", mapping.FormNone},
		{"a client's span in SGLang's scope", standard(sglangScope, "client", "rid"), "", mapping.FormNone},
		{"a client's span in SGLang's scope with the provider", standard(sglangScope, "client", "rid").valued(semconv.ProviderName, "sglang"), "", mapping.FormNone},
		{"the standard's name and an id", standard("my.app", "internal", "rid"), "", mapping.FormNone},
		{"the standard's name, an id and another provider", standard("my.app", "internal", "rid").valued(semconv.ProviderName, "openai"), "", mapping.FormNone},
		{"the standard's name and the provider", standard("my.app", "internal").valued(semconv.ProviderName, "sglang"), "", mapping.FormNone},
		{"the standard's name of another module", standard(sglangScope, "internal", "rid").valued("module", "sglang::mooncake"), "", mapping.FormNone},
		{"the standard's name of another module with the provider", standard("", "internal", "rid").valued("module", "sglang::mooncake").valued(semconv.ProviderName, "sglang"), "", mapping.FormNone},
		{"a name that is not the one of its attributes", standard(sglangScope, "internal", "rid").valued(semconv.RequestModel, "qwen"), "", mapping.FormNone},

		// Not enough
		{"a name without a scope and an id", item{name: " Req 4f1c2a9b"}, "", mapping.FormNone},
		{"a name and a request id of any engine's", item{name: " Req 4f1c2a9b"}.having("gen_ai.request.id", promptCount), "", mapping.FormNone},
		{"an id under another name", item{name: "request"}.having("rid", promptCount), "", mapping.FormNone},
		{"an id alone in SGLang's scope", req("request", "rid"), "", mapping.FormNone},
		{"a scope in capitals", item{name: " Req 4f1c2a9b", scope: "SGLang server"}, "", mapping.FormNone},
		{"a scope that only starts alike", item{name: " Req 4f1c2a9b", scope: "sglang"}, "", mapping.FormNone},

		// Other modules
		{"a sender", req("Sender Req 0x2b5c91", "bootstrap_room", "rid").valued("module", "sglang::mooncake"), "", mapping.FormNone},
		{"a sender under the name of a request", req("Req 0x2b5c91", "rid").valued("module", "sglang::mooncake"), "", mapping.FormNone},
		{"a sender without a module", req("Sender Req 0x2b5c91", "rid"), "", mapping.FormNone},
		{"a diffusion", req(" Req 4f1c2a9b", "rid").valued("module", "sglang::diffusion"), "", mapping.FormNone},
		{"a diffusion without a scope", item{name: " Req 4f1c2a9b"}.having("rid").valued("module", "sglang::diffusion"), "", mapping.FormNone},
		{"a router written in Rust", item{name: "http_request", scope: "sgl-router", kind: "server"}.valued("module", "sglang::router_rs"), "", mapping.FormNone},
		{"a router written in Rust under the name of a request", req(" Req 4f1c2a9b", "rid").valued("module", "sglang::router_rs"), "", mapping.FormNone},
		{"a module that only starts alike", req(" Req 4f1c2a9b", "rid").valued("module", "sglang::requests"), "", mapping.FormNone},
		{"a module in capitals", req(" Req 4f1c2a9b", "rid").valued("module", "SGLANG::REQUEST"), "", mapping.FormNone},
		{"a module of somebody else's", item{name: "handle", scope: "my.app"}.valued("module", "my.app.views"), "", mapping.FormNone},
		{"the module's value under another key", item{name: "handle"}.valued("code.module", sglangRequest), "", mapping.FormNone},

		// Gateways and web frameworks
		{"a router", req("router Req 47676584", "rid"), "", mapping.FormNone},
		{"a router without a scope", item{name: "router Req 47676584"}.having("rid"), "", mapping.FormNone},
		{"a gateway", item{name: "http_request", scope: "smg", kind: "internal"}.having("http.route", "request_id").valued("module", "smg"), "", mapping.FormNone},
		{"the web framework", item{name: "POST /v1/chat/completions", scope: "fastapi", kind: "server"}.having("http.route"), "", mapping.FormNone},
		{"a part of the web framework", item{name: "fastapi.endpoint", scope: "fastapi", kind: "internal"}, "", mapping.FormNone},

		// The tree around the request
		{"the root until 0.5.9", req("Bootstrap Room 0x0", "bootstrap_room"), "", mapping.FormNone},
	}
	for _, name := range []string{
		"Req 4f1c2a9b", " Req 4f1c2a9b", "  Req 4f1c2a9b", "prefill Req 4f1c2a9b", "decode Req 4f1c2a9b", " prefill Req 4f1c2a9b",
		" Req chatcmpl", " Req 17960561", " Req abortme1", "Req 4", " Req HEALTH_C",
	} {
		spans = append(spans,
			recognition{"the scope and the name " + name, req(name), native, mapping.FormRequest},
			recognition{"the scope, an id and the name " + name, req(name, "rid", "bootstrap_room"), native, mapping.FormRequest},
			recognition{"an id and the name " + name, item{name: name}.having("rid"), native, mapping.FormRequest},
		)
	}
	for _, name := range []string{
		"Req ", "Req", " Req 4f1c2a9b0", "Req 4f1c 2a9", "Req  4f1c2a9b", "Req 4f1c2a9b ", "req 4f1c2a9b", "REQ 4f1c2a9b", "Request 4f1c2a9b", "xReq 4f1c2a9b",
		"encode Req 4f1c2a9b", "prefillReq 4f1c2a9b", "Prefill Req 4f1c2a9b", "prefill decode Req 4f1c2a9b", "prefill  Req 4f1c2a9b", "Req 4f1c2a9b\nReq",
	} {
		spans = append(spans, recognition{"the scope, an id and the name " + name, req(name, "rid"), "", mapping.FormNone})
	}
	for _, thread := range []string{
		"Tokenizer(host:a1b2c3d4 | pid:4088)", "MultiTokenizer-4385(host:a1b2c3d4 | pid:4385)", "PrefillTokenizer(host:a1b2c3d4 | pid:11438)",
		"Scheduler [TP 0] (host:a1b2c3d4 | pid:31944)", "Scheduler [TP 0]  [PP 0] (host:a1b2c3d4 | pid:31397)",
		"Decode Scheduler [TP 0]  [PP 0] (host:a1b2c3d4 | pid:11738)", "Scheduler [TP 0]  [PP 0]  [DP 0] (host:a1b2c3d4 | pid:10272)",
		"DP Controller(host:a1b2c3d4 | pid:10210)", "mooncake transfer worker 3 [TP 0]  [DP 0] (host:a1b2c3d4 | pid:11587)", "Mini lb(host:a1b2c3d4 | pid:19662)",
	} {
		spans = append(spans, recognition{"the thread " + thread, req(thread, "host_id", "pid", "thread_label", "tp_rank"), "", mapping.FormNone})
	}
	for _, stage := range []string{
		"tokenize", "dispatch", "api_server_dispatch", "request_process", "process req", "prefill_waiting", "prefill_forward", "chunked_prefill",
		"decode_waiting", "decode_forward", "decode_loop", "decode loop", "prefill", "decode", "spec_verify", "run_batch_cpu", "mooncake_send",
	} {
		spans = append(spans, recognition{"the stage " + stage, req(stage, "decode_ct"), "", mapping.FormNone})
	}
	return spans
}

func TestSpansOfSGLang(t *testing.T) { recogniseAll(t, "sglang", sglangSpans()) }

func TestEveryFormOfTheSGLangTableIsRecognised(t *testing.T) {
	requireEveryFormIn(t, "sglang", sglangSpans())
}

func TestOperationsFromTheRequestIDsOfSGLang(t *testing.T) {
	const byDefault = "generate_content"
	plain := compile(t, mapping.Options{}, builtIn(t)...)
	defaulted := compile(t, mapping.Options{Engines: map[string]mapping.EngineOptions{"sglang": {DefaultOperation: byDefault}}}, builtIn(t)...)
	for _, c := range []struct{ name, id, plain, defaulted string }{
		{"chat behind a gateway that speaks gRPC", "chatcmpl-5c2f6c0f8d6e4d3b", "chat", "chat"},
		{"a completion behind such a gateway", "cmpl-7d3a91f0c2b84d56", "text_completion", "text_completion"},
		{"the engine's own id", "4f1c2a9b0d6e4d3b8a7c5e2f1b0a9d8c", "", byDefault},
		{"a part of the engine's own id", "9f8e", "", byDefault},
		{"an id of the user's", "user42_9f8e", "", byDefault},
		{"an id of the user's that starts with a number", "42_9f8e", "", byDefault},
		{"an id that only vLLM has", "embd-9e1b-0", "", byDefault},
		{"no id", "", "", byDefault},
		{"a check of the server's health", "HEALTH_CHECK_9f8e7d6c5b4a39281706f5e4d3c2b1a0", "", ""},
		{"a check of the server's health by 0.5.9", "HEALTH_CHECK_1796056123.4567", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.plain, dialect(t, plain, "sglang/native").Operation(c.id), "without a default")
			assert.Equal(t, c.defaulted, dialect(t, defaulted, "sglang/native").Operation(c.id), "with a default")
		})
	}
	t.Run("the API's id goes before the engine's", func(t *testing.T) {
		ids := []mapping.KeyID{plain.Key("gen_ai.request.id").ID, plain.Key("rid").ID}
		assert.Equal(t, ids, dialect(t, plain, "sglang/native").RequestIDKeys())
	})
	t.Run("the id of no captured request tells an operation", func(t *testing.T) {
		requests := 0
		for _, s := range captured(t, "sglang") {
			if s.dialect() == "" {
				continue
			}
			requests++
			for _, key := range []string{"gen_ai.request.id", "rid"} {
				assert.Empty(t, dialect(t, plain, "sglang/native").Operation(s.attributes[key]), "%s: %s", s.file, s.attributes[key])
			}
		}
		assert.NotZero(t, requests)
	})
}

// What the SGLang table says, read by a person against the standard. A change of the table has to be made here too.
func TestWhereTheAttributesOfSGLangGo(t *testing.T) {
	for _, target := range semconv.Targets() {
		exact := compile(t, mapping.Options{Target: target}, table(t, "sglang"))
		approximate := compile(t, mapping.Options{Target: target, Approximate: true}, table(t, "sglang"))
		for _, c := range []struct {
			source string
			want   []string // for both targets; the source itself where only its type is made right
		}{
			{"gen_ai.usage.prompt_tokens", []string{"gen_ai.usage.input_tokens"}},
			{"gen_ai.usage.completion_tokens", []string{"gen_ai.usage.output_tokens"}},
			{"gen_ai.usage.cached_tokens", []string{"gen_ai.usage.cache_read.input_tokens"}},
			{"gen_ai.usage.cache_creation.input_tokens", []string{cacheWrites[target]}},
			{"gen_ai.request.n", []string{"gen_ai.request.choice.count"}},
			{"gen_ai.request.temperature", []string{"gen_ai.request.temperature"}},
			{"gen_ai.request.top_p", []string{"gen_ai.request.top_p"}},
			{"gen_ai.request.top_k", []string{"gen_ai.request.top_k"}},
			{"gen_ai.request.max_tokens", []string{"gen_ai.request.max_tokens"}},
			{"gen_ai.response.model", []string{"gen_ai.response.model"}}, // and not the requested model, which nothing says
			{"gen_ai.response.finish_reasons", []string{"gen_ai.response.finish_reasons"}},
			{"gen_ai.request.id", []string{}}, // gen_ai.response.id is the API's
			{"rid", []string{}},
			{"bootstrap_room", []string{}},
			{"module", []string{}},
			{"gen_ai.latency.e2e", []string{}},
			{"gen_ai.latency.time_in_queue", []string{}},
			{"gen_ai.latency.time_in_model_prefill", []string{}},
			{"gen_ai.latency.time_in_model_decode", []string{}},
			{"gen_ai.latency.time_in_model_inference", []string{}},
		} {
			for _, rules := range []*mapping.RuleSet{exact, approximate} {
				assert.Equal(t, c.want, targets(rules, dialect(t, rules, "sglang/native"), c.source), "%s for %s", c.source, target)
			}
		}

		const first = "gen_ai.latency.time_to_first_token"
		assert.Empty(t, targets(exact, dialect(t, exact, "sglang/native"), first), "gen_ai.response.time_to_first_chunk is the client's")
		copied := rulesOf(approximate, dialect(t, approximate, "sglang/native"), first)
		if assert.Len(t, copied, 1, target) {
			assert.Equal(t, "gen_ai.response.time_to_first_chunk", copied[0].Target)
			assert.True(t, copied[0].Copy)
		}
		choices := rulesOf(exact, dialect(t, exact, "sglang/native"), "gen_ai.request.n")
		if assert.Len(t, choices, 1, target) {
			assert.Equal(t, &mapping.Scalar{Type: semconv.Int, Int: 1}, choices[0].OmitWhen, "the standard says one choice by saying nothing")
		}
	}
}

func TestLatenciesOfSGLangAreSeconds(t *testing.T) {
	rules := compile(t, mapping.Options{}, builtIn(t)...)
	d := dialect(t, rules, "sglang/native").Durations
	if !assert.NotNil(t, d) {
		return
	}
	assert.Equal(t, "gen_ai.latency.", d.Prefix)
	assert.False(t, d.MaybeNanoseconds)
	assert.Equal(t, []mapping.KeyID{rules.Key("gen_ai.latency.e2e").ID, rules.Key("gen_ai.latency.time_to_first_token").ID}, d.DecideBy)
	for _, key := range []string{"time_to_first_token", "time_in_queue", "time_in_model_prefill", "time_in_model_decode", "time_in_model_inference"} {
		assert.True(t, d.Within(rules.Key("gen_ai.latency."+key).ID), key)
	}
	assert.False(t, d.Within(rules.Key("gen_ai.latency.e2e").ID), "it is the request")
}
