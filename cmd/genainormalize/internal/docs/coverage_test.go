// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/docs"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

const (
	repository  = "../../../.."
	capturedDir = repository + "/testdata/captured"
)

func coverage(t *testing.T, dir string, tables ...*mapping.Table) string {
	t.Helper()
	var page bytes.Buffer
	require.NoError(t, docs.Coverage(&page, tables, dir))
	return page.String()
}

func builtIn(t *testing.T) []*mapping.Table {
	t.Helper()
	tables, err := mapping.Tables()
	require.NoError(t, err)
	return tables
}

// row returns the cells of a row behind its id.
func row(t *testing.T, page, id string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "\n| `"+id+"` | ")
	require.True(t, ok, id)
	line, _, _ := strings.Cut(rest, " |\n")
	return strings.Split(line, " | ")
}

func TestThePageInTheRepositoryIsUpToDate(t *testing.T) {
	page, err := os.ReadFile(repository + "/docs/coverage.md")
	require.NoError(t, err)
	for range 2 {
		require.Equal(t, string(page), coverage(t, capturedDir, builtIn(t)...), "make generate brings it up to date")
	}
}

// These were looked up in the captured files.
func TestWhatWasSeen(t *testing.T) {
	page := coverage(t, capturedDir, builtIn(t)...)
	const allOfVLLM = "0.8.5, 0.10.2, 0.15.1, 0.31.0, 0.32.0"
	for id, want := range map[string][3]string{
		"vllm.server_request_duration":      {"`e2e_request_latency_seconds`", "exact: `gen_ai.server.request.duration`", allOfVLLM},
		"vllm.server_time_per_output_token": {"`request_time_per_output_token_seconds`", "exact: `gen_ai.server.time_per_output_token`", "0.15.1, 0.31.0, 0.32.0"},
		"vllm.time_per_output_token":        {"`time_per_output_token_seconds`", "approximate: `gen_ai.server.time_per_output_token`", "0.8.5, 0.10.2"},
		"vllm.gpu_cache_usage":              {"`gpu_cache_usage_perc`", "extension: `inference.server.kv_cache.usage`", "0.8.5, 0.10.2"},
		"vllm.model_time":                   {"`model_forward_time_milliseconds`, `model_execute_time_milliseconds`", "kept", "0.8.5"},
		"vllm.request_best_of":              {"`request_params_best_of`", "kept", ""},
		"sglang.server_time_to_first_token": {"`time_to_first_token_seconds`", "exact: `gen_ai.server.time_to_first_token`", "0.5.23, sglang-router 0.3.2, smg 1.13.0"},
		"sglang.time_per_output_token":      {"`time_per_output_token_seconds`", "kept", "0.3.5.post1 (no server)"},
		"sglang.average_queue_latency":      {"`avg_request_queue_latency`", "kept", "0.4.6 (no server)"},
		"sglang.agent_snapshots_usage":      {"`token_usage`", "kept", ""}, // sums; the engine's are gauges
		"vllm.router_request_rate":          {"`current_qps`", "kept", ""}, // a sample was made by hand, and is none
		"vllm.client_usage_input_tokens":    {"`prompt_tokens_total`", "approximate: `gen_ai.client.inference.usage.input_tokens` in 0.1.0", allOfVLLM},
		"vllm.input_tokens":                 {"`gen_ai.usage.prompt_tokens`", "exact: `gen_ai.usage.input_tokens`", allOfVLLM},
		"vllm.num_sequences":                {"`gen_ai.usage.num_sequences`", "kept", "0.8.5"},
		"vllm.pd_role":                      {"`gen_ai.pd_role`", "kept", ""},
		"otel.input_tokens":                 {"`gen_ai.usage.prompt_tokens`", "exact: `gen_ai.usage.input_tokens`", ""},
	} {
		assert.Equal(t, want[:], pad(row(t, page, id)), id)
	}
	for _, id := range []string{"vllm.request_best_of", "vllm.pd_role", "agent.usage_tokens", "otel.input_tokens"} {
		assert.Regexp(t, "\nNot seen: .*`"+id+"`", page)
	}
}

// pad makes an empty last cell one.
func pad(cells []string) []string {
	for i, cell := range cells {
		cells[i] = strings.TrimSuffix(strings.TrimSpace(cell), " |")
	}
	for len(cells) < 3 {
		cells = append(cells, "")
	}
	return cells
}

const kestrel = `engine: vllm
layer: engine
metric_prefixes: ["k:"]
foreign_points: {has: [pool]}
metrics:
  - {id: k.old, keep: a, instrument: gauge, unit: "1", versions: "<2", why: w, evidence: https://example.com}
  - {id: k.new, keep: a, instrument: gauge, unit: "1", versions: ">=2", why: w, evidence: https://example.com}
  - {id: k.sum, keep: a, instrument: sum, unit: "1", why: w, evidence: https://example.com}
  - {id: k.labelled, keep: b, instrument: gauge, unit: "1", only: {has: [x]}, why: w, evidence: https://example.com}
  - {id: k.other, keep: b, instrument: gauge, unit: "1", why: w, evidence: https://example.com}
  - {id: k.foreign, keep: c, instrument: gauge, unit: "1", why: w, evidence: https://example.com}
`

func TestARowIsSeenByNameInstrumentLabelsAndRelease(t *testing.T) {
	table, err := mapping.ParseTable("k.yaml", []byte(kestrel))
	require.NoError(t, err)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, "k", "metrics", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	const exposition = "# TYPE k:a gauge\nk:a 1\n# TYPE k:b gauge\nk:b 1\nk:b{x=\"\"} 1\n# TYPE k:c gauge\nk:c{pool=\"p\"} 1\n"
	write("vllm-1.10.prom", exposition)
	write("vllm-1.9-again.prom", exposition)
	write("vllm-2.0-collector-promexporter.prom", "# TYPE k:a counter\nk:a 1\n# TYPE k:b gauge\nk:b{x=\"1\"} 1\n")
	write("smg-1.0.prom", exposition)

	page := coverage(t, dir, table)
	for id, want := range map[string]string{
		"k.old":      "1.9, 1.10, smg 1.0",
		"k.new":      "smg 1.0", // whose engine may be of any release
		"k.sum":      "",
		"k.labelled": "",
		"k.other":    "1.9, 1.10, smg 1.0",
		"k.foreign":  "",
	} {
		assert.Equal(t, want, pad(row(t, page, id))[2], id)
	}
	assert.Contains(t, page, "\n3 of 6 rows were seen. Names stand behind `k:`.\n")
	assert.Contains(t, page, "\nNot seen: `k.sum`, `k.labelled`, `k.foreign`.\n")
}

func TestAPayloadOfNobodyInParticularIsAnError(t *testing.T) {
	empty := t.TempDir()
	require.EqualError(t, docs.Coverage(&bytes.Buffer{}, builtIn(t), empty), empty+": there are no captured payloads")

	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "k"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "k", "kestrel-1.0.otlp.json"), []byte("{}"), 0o600))
	require.EqualError(t, docs.Coverage(&bytes.Buffer{}, builtIn(t), dir),
		`kestrel-1.0.otlp.json: emitter "kestrel" is unknown: a name that begins with an emitter and its release is expected, such as vllm-0.32.0`)
}
