// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// listed returns the state of a row, and the option that would switch it on.
func listed(t *testing.T, opts mapping.Options, id string) (state mapping.State, option string) {
	t.Helper()
	rules := compile(t, opts, builtIn(t)...)
	for _, row := range rules.Rows() {
		if row.ID == id {
			return row.State, row.Option
		}
	}
	require.Fail(t, "there is no such row", id)
	return "", ""
}

func TestEveryRowIsListedWithWhatBecomesOfIt(t *testing.T) {
	sglang := func(version string) map[string]mapping.EngineOptions {
		return map[string]mapping.EngineOptions{"sglang": {Version: version}}
	}
	for _, c := range []struct {
		id     string
		opts   mapping.Options
		state  mapping.State
		option string
	}{
		{"vllm.input_tokens", mapping.Options{}, mapping.StateOn, ""},
		{"vllm.input_tokens", mapping.Options{Exclude: []string{"gen_ai.usage.prompt_tokens"}}, mapping.StateOff, "exclude, without it"},
		{"vllm.e2e", mapping.Options{}, mapping.StateKept, ""},
		{"vllm.time_to_first_chunk", mapping.Options{}, mapping.StateOff, "approximate: true"},
		{"vllm.time_to_first_chunk", mapping.Options{Approximate: true}, mapping.StateOn, ""},
		{"vllm.server_request_duration", mapping.Options{}, mapping.StateOn, ""},
		{"vllm.server_request_duration", mapping.Options{Exclude: []string{"vllm_e2e_request_latency_seconds"}}, mapping.StateOff, "exclude, without it"},
		{"vllm.requests_running", mapping.Options{}, mapping.StateOff, "extensions: true"},
		{"vllm.requests_running", mapping.Options{Extensions: true}, mapping.StateOn, ""},
		{"vllm.client_usage_input_tokens", mapping.Options{Approximate: true}, mapping.StateOff, `semconv: "0.1.0"`},
		{"vllm.client_usage_input_tokens", mapping.Options{Target: "0.1.0"}, mapping.StateOff, "approximate: true"},
		{"vllm.client_usage_input_tokens", mapping.Options{Target: "0.1.0", Approximate: true}, mapping.StateOn, ""},
		{"sglang.server_time_per_output_token", mapping.Options{Engines: sglang("0.5.21")}, mapping.StateOff, "engines: {sglang: {version: …}} of >=0.5.22"},
		{"sglang.server_time_per_output_token", mapping.Options{Engines: sglang("0.5.22")}, mapping.StateOn, ""},
		{"otel.system", mapping.Options{}, mapping.StateOff, "engines: {otel: {enabled: true}}"},
		{"otel.exception", mapping.Options{Engines: only(t, "otel")}, mapping.StateOff, `semconv: "0.1.0"`},
		{"otel.inference_exception", mapping.Options{Engines: only(t, "otel")}, mapping.StateOn, ""},
	} {
		state, option := listed(t, c.opts, c.id)
		assert.Equal(t, c.state, state, "%s under %+v", c.id, c.opts)
		assert.Equal(t, c.option, option, "%s under %+v", c.id, c.opts)
	}
}

func TestARowIsFoundByAnySpelling(t *testing.T) {
	rules := compile(t, mapping.Options{}, builtIn(t)...)
	about := func(name string) (ids []string) {
		for _, row := range rules.Rows() {
			if row.IsAbout(name) {
				ids = append(ids, row.ID)
			}
		}
		return ids
	}
	for _, name := range []string{"vllm:num_preemptions_total", "vllm_num_preemptions", "ray_vllm:num_preemptions", "vllm.preemptions"} {
		assert.Equal(t, []string{"vllm.preemptions"}, about(name), name)
	}
	assert.Equal(t, []string{"otel.input_tokens", "sglang.input_tokens", "vllm.input_tokens"}, about("gen_ai.usage.prompt_tokens"))
	assert.Empty(t, about("vllm:nothing"))
	assert.Empty(t, about("num_preemptions_total"), "a name without its prefix is not the engine's")
	for _, row := range rules.Rows() {
		if row.ID == "vllm.server_request_duration" {
			assert.Equal(t, "s", row.Unit)
			assert.Equal(t, "s", row.TargetUnit)
			assert.Equal(t, "gen_ai.server.request.duration", row.Target)
			assert.Regexp(t, `^tables/vllm.yaml:\d+$`, row.Place.String())
		}
	}
}
