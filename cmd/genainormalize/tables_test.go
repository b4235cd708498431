// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tableLines returns the lines below the head with single spaces.
func tableLines(t *testing.T, args ...string) (lines []string, notes string) {
	t.Helper()
	code, stdout, stderr := runWith(append([]string{"tables"}, args...)...)
	require.Zero(t, code, stderr)
	for line := range strings.Lines(stdout) {
		line = strings.Join(strings.Fields(line), " ")
		lines = append(lines, regexp.MustCompile(`\.yaml:\d+$`).ReplaceAllString(line, ".yaml:N"))
	}
	if len(lines) > 0 {
		assert.Equal(t, "ROW NAME BECOMES UNIT BASIS STATE WHERE", lines[0])
		lines = lines[1:]
	}
	return lines, stderr
}

func TestWhatBecomesOfAName(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a metric": {
			[]string{"vllm:e2e_request_latency_seconds"},
			"vllm.server_request_duration e2e_request_latency_seconds gen_ai.server.request.duration s exact on tables/vllm.yaml:N",
		},
		"a series of a histogram in another spelling": {
			[]string{"ray_vllm_e2e_request_latency_seconds_bucket"},
			"vllm.server_request_duration e2e_request_latency_seconds gen_ai.server.request.duration s exact on tables/vllm.yaml:N",
		},
		"one that an option switches on": {
			[]string{"vllm:num_requests_running"},
			"vllm.requests_running num_requests_running inference.server.requests.running {request} exact off, on with extensions: true tables/vllm.yaml:N",
		},
		"one that stays": {
			[]string{"vllm.e2e"},
			"vllm.e2e gen_ai.latency.e2e - - - kept: no target; it is the length of the span tables/vllm.yaml:N",
		},
		"one of which the release decides": {
			[]string{"--engine", "sglang", "--engine-version", "0.5.21", "sglang:request_time_per_output_token_seconds"},
			"sglang.server_time_per_output_token request_time_per_output_token_seconds gen_ai.server.time_per_output_token s exact off, on with engines: {sglang: {version: …}} of >=0.5.22 tables/sglang.yaml:N",
		},
		"one of which the target decides": {
			[]string{"--target", "0.1.0", "--engine", "sglang", "gen_ai.usage.cache_creation.input_tokens"},
			"sglang.cache_write_tokens gen_ai.usage.cache_creation.input_tokens gen_ai.usage.cache_write.input_tokens - exact on tables/sglang.yaml:N",
		},
		"one of a table of one's own": {
			[]string{"--config", "testdata/cases/milliseconds-become-seconds-with-everything-they-measure/config.yaml", "kestrel_request_milliseconds"},
			"kestrel.duration* request_milliseconds gen_ai.server.request.duration ms → s exact on testdata/tables/kestrel.yaml:N",
		},
	} {
		t.Run(name, func(t *testing.T) {
			lines, notes := tableLines(t, c.args...)
			assert.Equal(t, []string{c.want}, lines)
			assert.Empty(t, notes)
		})
	}
}

func TestNamesThatNoRowIsAbout(t *testing.T) {
	for name, note := range map[string]string{
		"vllm:new":                       "vllm:new: no row is about it; as a metric it passes unchanged and is counted as unmapped of vllm\n",
		"http_requests_total":            "http_requests_total: no row is about it; it passes unchanged\n",
		"gen_ai.request.seed":            "gen_ai.request.seed: it is a target, of otel.seed\n",
		"gen_ai.request.stop_sequences":  "gen_ai.request.stop_sequences: it is an attribute of the standard; of recognised items its type is made right\n",
		"gen_ai.server.request.duration": "gen_ai.server.request.duration: it is a target, of sglang.server_request_duration, vllm.server_request_duration\n",
	} {
		lines, notes := tableLines(t, name)
		assert.Empty(t, lines, name)
		assert.Equal(t, note, notes)
	}
}

func TestAllRowsAreListed(t *testing.T) {
	lines, _ := tableLines(t)
	assert.Greater(t, len(lines), 300)
	code, stdout, stderr := runWith("tables", "--format", "json")
	require.Zero(t, code, stderr)
	var rows []map[string]any
	require.NoError(t, json.Unmarshal([]byte(stdout), &rows))
	assert.Len(t, rows, len(lines))
}

func TestMistakesInTheQuestionForRows(t *testing.T) {
	options := filepath.Join(t.TempDir(), "options.yaml")
	require.NoError(t, os.WriteFile(options, []byte("exclude: [nothing]\n"), 0o600))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--format", "csv"}, `--format "csv": table or json is expected`},
		{[]string{"--engine", "vlm"}, `--engine "vlm": there is no such engine`},
		{[]string{"--engine-version", "0.5.22"}, "--engine-version: --engine says of which"},
		{[]string{"--engine", "vllm", "--engine-version", "ten"}, `invalid version: "ten"`},
		{[]string{"--target", "1.40"}, `unknown target "1.40"`},
		{[]string{"--config", options}, `exclude: unknown row id or source name "nothing"`},
	} {
		code, stdout, stderr := runWith(append([]string{"tables"}, c.args...)...)
		assert.Equal(t, 1, code)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, c.want)
	}
}
