// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// metric is a name that somebody writes, without the prefix of the table that knows it, and what it is there.
type metric struct {
	name       string
	instrument mapping.Instrument
}

// namesIn reads a list of testdata/metrics.
func namesIn(t testing.TB, file string) []metric {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "metrics", file))
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	r := csv.NewReader(f)
	r.Comma, r.Comment = '\t', '#'
	lines, err := r.ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"name", "instrument"}, lines[0][:2])
	metrics := make([]metric, 0, len(lines)-1)
	for _, line := range lines[1:] {
		metrics = append(metrics, metric{name: line[0], instrument: mapping.Instrument(line[1])})
	}
	require.NotEmpty(t, metrics)
	return metrics
}

// writtenBy returns the metrics that a table is to know: its engine's own, and those that others write with its prefix.
func writtenBy(t testing.TB, engine string) []metric {
	t.Helper()
	own := map[string][]string{
		"vllm":   {"vllm-names.tsv", "router-names.tsv"},
		"sglang": {"sglang-names.tsv"},
		"agent":  nil,
	}
	var metrics []metric
	for _, file := range own[engine] {
		metrics = append(metrics, namesIn(t, file)...)
	}
	for _, m := range namesIn(t, "arms-names.tsv") {
		if of, name := withoutPrefix(t, m.name); of == engine {
			metrics = append(metrics, metric{name: name, instrument: m.instrument})
		}
	}
	return metrics
}

// withoutPrefix returns the engine whose prefix a name of the agent has, or the agent.
func withoutPrefix(t testing.TB, name string) (engine, rest string) {
	t.Helper()
	for _, table := range builtIn(t) {
		for _, prefix := range table.MetricPrefixes {
			if rest, ok := strings.CutPrefix(name, prefix); ok {
				return table.Engine, rest
			}
		}
	}
	return "agent", name
}

// rowsAbout returns the ids of the rows about each metric of a table, in the order of the table.
func rowsAbout(t testing.TB, engine string) map[metric][]string {
	t.Helper()
	rows := map[metric][]string{}
	for i := range table(t, engine).Metrics {
		row := &table(t, engine).Metrics[i]
		for _, name := range slices.Concat(row.From, row.Keep) {
			for _, instrument := range row.Instrument {
				m := metric{name: name, instrument: instrument}
				rows[m] = append(rows[m], row.ID)
			}
		}
	}
	return rows
}

func TestEveryMetricThatIsWrittenHasARow(t *testing.T) {
	for _, engine := range []string{"vllm", "sglang", "agent"} {
		rows := rowsAbout(t, engine)
		for _, m := range writtenBy(t, engine) {
			assert.NotEmpty(t, rows[m], "%s: %s, a %s", engine, m.name, m.instrument)
		}
	}
}

func TestEveryMetricThatHasARowIsWritten(t *testing.T) {
	for _, engine := range []string{"vllm", "sglang", "agent"} {
		written := writtenBy(t, engine)
		for m, rows := range rowsAbout(t, engine) {
			assert.True(t, slices.Contains(written, m), "%s: %s, a %s", rows, m.name, m.instrument)
		}
	}
}

// Of several sources of one target the upper goes before the lower, and a point goes to the first row that is about it.
func TestWhereTheMetricsOfEnginesGo(t *testing.T) {
	type move struct {
		id     string
		from   string
		to     string
		basis  mapping.Basis
		yields bool
	}
	const exact, approximate = mapping.BasisExact, mapping.BasisApproximate
	const (
		duration       = `"gen_ai.server.request.duration"`
		firstToken     = `"gen_ai.server.time_to_first_token"`
		perToken       = `"gen_ai.server.time_per_output_token"`
		requestInputs  = `{"0.1.0":"gen_ai.client.inference.operation.input_tokens","1.41":"gen_ai.client.token.usage"}`
		requestOutputs = `{"0.1.0":"gen_ai.client.inference.operation.output_tokens","1.41":"gen_ai.client.token.usage"}`
		allInputs      = `{"0.1.0":"gen_ai.client.inference.usage.input_tokens"}`
		allOutputs     = `{"0.1.0":"gen_ai.client.inference.usage.output_tokens"}`
		allCached      = `{"0.1.0":"gen_ai.client.inference.usage.cache_read.input_tokens"}`
	)
	for engine, want := range map[string][]move{
		"vllm": {
			{"vllm.server_request_duration", "e2e_request_latency_seconds", duration, exact, false},
			{"vllm.server_time_to_first_token", "time_to_first_token_seconds", firstToken, exact, false},
			{"vllm.server_time_per_output_token", "request_time_per_output_token_seconds", perToken, exact, false},
			{"vllm.inter_token_latency", "inter_token_latency_seconds", perToken, approximate, false},
			{"vllm.time_per_output_token", "time_per_output_token_seconds", perToken, approximate, true},
			{"vllm.client_request_input_tokens", "request_prompt_tokens", requestInputs, approximate, false},
			{"vllm.client_request_output_tokens", "request_generation_tokens", requestOutputs, approximate, false},
			{"vllm.client_usage_input_tokens", "prompt_tokens_total", allInputs, approximate, false},
			{"vllm.client_usage_output_tokens", "generation_tokens_total", allOutputs, approximate, false},
			{"vllm.client_usage_cached_input_tokens", "prompt_tokens_cached_total", allCached, approximate, false},
			{"vllm.requests_running", "num_requests_running", `"inference.server.requests.running"`, exact, false},
			{"vllm.requests_waiting", "num_requests_waiting", `"inference.server.requests.waiting"`, exact, false},
			{"vllm.kv_cache_usage", "kv_cache_usage_perc", `"inference.server.kv_cache.usage"`, exact, false},
			{"vllm.gpu_cache_usage", "gpu_cache_usage_perc", `"inference.server.kv_cache.usage"`, exact, true},
			{"vllm.usage_input_tokens", "prompt_tokens_total", `"inference.server.usage.input_tokens"`, exact, false},
			{"vllm.usage_output_tokens", "generation_tokens_total", `"inference.server.usage.output_tokens"`, exact, false},
			{"vllm.usage_cached_input_tokens", "prompt_tokens_cached_total", `"inference.server.usage.cached_input_tokens"`, exact, false},
			{"vllm.preemptions", "num_preemptions_total", `"inference.server.preemptions"`, exact, false},
			{"vllm.queue_duration", "request_queue_time_seconds", `"inference.server.request.queue.duration"`, exact, false},
			{"vllm.time_in_queue_requests", "time_in_queue_requests", `"inference.server.request.queue.duration"`, exact, true},
		},
		"sglang": {
			{"sglang.server_request_duration", "e2e_request_latency_seconds", duration, exact, false},
			{"sglang.server_time_to_first_token", "time_to_first_token_seconds", firstToken, exact, false},
			{"sglang.server_time_to_first_token_streamed", "time_to_first_token_seconds", firstToken, exact, false},
			{"sglang.server_time_to_first_token_mixed", "time_to_first_token_seconds", firstToken, approximate, false},
			{"sglang.server_time_per_output_token", "request_time_per_output_token_seconds", perToken, exact, false},
			{"sglang.inter_token_latency", "inter_token_latency_seconds", perToken, approximate, false},
			{"sglang.client_request_input_tokens", "prompt_tokens_histogram", requestInputs, approximate, false},
			{"sglang.client_request_output_tokens", "generation_tokens_histogram", requestOutputs, approximate, false},
			{"sglang.client_usage_input_tokens", "prompt_tokens_total", allInputs, approximate, false},
			{"sglang.client_usage_output_tokens", "generation_tokens_total", allOutputs, approximate, false},
			{"sglang.client_usage_cached_input_tokens", "cached_tokens_total", allCached, approximate, false},
			{"sglang.requests_running", "num_running_reqs", `"inference.server.requests.running"`, exact, false},
			{"sglang.requests_waiting", "num_queue_reqs", `"inference.server.requests.waiting"`, exact, false},
			{"sglang.full_kv_cache_usage", "full_token_usage", `"inference.server.kv_cache.usage"`, exact, false},
			{"sglang.kv_cache_usage", "token_usage", `"inference.server.kv_cache.usage"`, exact, true},
			{"sglang.usage_input_tokens", "prompt_tokens_total", `"inference.server.usage.input_tokens"`, exact, false},
			{"sglang.usage_output_tokens", "generation_tokens_total", `"inference.server.usage.output_tokens"`, exact, false},
			{"sglang.usage_cached_input_tokens", "cached_tokens_total", `"inference.server.usage.cached_input_tokens"`, exact, false},
			{"sglang.preemptions", "num_retracted_requests_total", `"inference.server.preemptions"`, exact, false},
			{"sglang.queue_duration", "queue_time_seconds", `"inference.server.request.queue.duration"`, exact, false},
			{"sglang.queue_time_s", "queue_time_s", `"inference.server.request.queue.duration"`, exact, true},
		},
		"agent": nil,
	} {
		var got []move
		for i := range table(t, engine).Metrics {
			row := &table(t, engine).Metrics[i]
			for _, name := range row.From {
				to, err := json.Marshal(row.To)
				require.NoError(t, err)
				got = append(got, move{row.ID, name, string(to), row.Basis, row.Alias})
			}
		}
		assert.Equal(t, want, got)
	}
}

// What the names of these say is not what they are.
func TestMetricsWhoseNamesMislead(t *testing.T) {
	for _, is := range []struct {
		engine     string
		name       string
		instrument mapping.Instrument
		unit       string
	}{
		{"vllm", "iteration_tokens_total", mapping.InstrumentHistogram, "{token}"},
		{"vllm", "healthy_pods_total", mapping.InstrumentGauge, "{pod}"},
		{"vllm", "kv_cache_usage_perc", mapping.InstrumentGauge, "1"},
		{"vllm", "gpu_cache_usage_perc", mapping.InstrumentGauge, "1"},
		{"vllm", "cpu_cache_usage_perc", mapping.InstrumentGauge, "1"},
		{"vllm", "hisparse_host_cache_usage_perc", mapping.InstrumentGauge, "1"},
		{"vllm", "kv_offload_cpu_cache_usage_perc", mapping.InstrumentGauge, "1"},
		{"vllm", "time_in_queue_requests", mapping.InstrumentHistogram, "s"},
		{"vllm", "model_forward_time_milliseconds", mapping.InstrumentHistogram, "ms"},
		{"vllm", "model_execute_time_milliseconds", mapping.InstrumentHistogram, "ms"},
		{"vllm", "kv_offload_total_time_total", mapping.InstrumentSum, "s"},
		{"vllm", "kv_offload_size", mapping.InstrumentHistogram, "By"},
		{"vllm", "lora_requests_info", mapping.InstrumentGauge, "s"},
		{"vllm", "gpu_prefix_cache_hits_total", mapping.InstrumentGauge, "1"},
		{"sglang", "lora_pool_slots_total", mapping.InstrumentGauge, "{slot}"},
		{"sglang", "queue_time_s", mapping.InstrumentHistogram, "s"},
		{"sglang", "fwd_occupancy", mapping.InstrumentGauge, "%"},
		{"sglang", "token_usage", mapping.InstrumentGauge, "1"},
		{"sglang", "token_usage", mapping.InstrumentSum, "1"},
		{"sglang", "routing_key_all_req_count", mapping.InstrumentGauge, "{key}"},
		{"sglang", "kv_transfer_latency_ms", mapping.InstrumentGauge, "ms"},
		{"sglang", "kv_transfer_latency_ms", mapping.InstrumentHistogram, "ms"},
		{"sglang", "kv_transfer_speed_gb_s", mapping.InstrumentHistogram, "GBy/s"},
		{"sglang", "kv_transfer_total_mb", mapping.InstrumentHistogram, "MBy"},
		{"sglang", "prefetch_bandwidth", mapping.InstrumentHistogram, "GBy/s"},
		{"sglang", "graph_memory_usage_gb", mapping.InstrumentGauge, "GBy"},
		{"sglang", "encoder_cache_size_mb", mapping.InstrumentGauge, "MBy"},
		{"sglang", "engine_startup_time", mapping.InstrumentGauge, "s"},
		{"agent", "gen_ai_server_request_duration", mapping.InstrumentSum, "s"},
		{"agent", "gen_ai_vllm_kv_cache_usage_perc", mapping.InstrumentGauge, "1"},
	} {
		ids := rowsAbout(t, is.engine)[metric{is.name, is.instrument}]
		require.Len(t, ids, 1, "%s: %s", is.engine, is.name)
		assert.Equal(t, is.unit, metricRow(t, is.engine, ids[0]).Unit, "%s: %s", is.engine, is.name)
	}
}

func TestThePrefixCacheOfVLLMCountedBlocksBeforeTokens(t *testing.T) {
	units := map[string]string{}
	for _, id := range rowsAbout(t, "vllm")[metric{"gpu_prefix_cache_hits_total", mapping.InstrumentSum}] {
		row := metricRow(t, "vllm", id)
		units[row.Versions] = row.Unit
	}
	assert.Equal(t, map[string]string{"<0.9.0": "{block}", ">=0.9.0": "{token}"}, units)
}

func TestNamesOfTheAgentThatOthersUseAreItsOwnByALabel(t *testing.T) {
	for i := range table(t, "agent").Metrics {
		row := &table(t, "agent").Metrics[i]
		for _, name := range row.Keep {
			unique := strings.HasPrefix(name, "gen_ai_vllm_") || strings.HasPrefix(name, "gen_ai_sglang_")
			assert.Equal(t, !unique, len(row.Only) > 0, name)
		}
	}
}

func TestOnlyTheTotalsOfTheSchedulerOfSGLangGetOneName(t *testing.T) {
	for _, name := range []string{"num_running_reqs", "num_queue_reqs", "full_token_usage", "token_usage", "num_retracted_requests_total", "queue_time_seconds", "queue_time_s"} {
		row := moves(t, "sglang", name)
		require.Len(t, row, 1, name)
		assert.Equal(t, []mapping.PointSelector{{Lacks: []string{"priority"}}}, []mapping.PointSelector(row[0].Only), name)
		assert.Equal(t, []string{"tp_rank", "pp_rank", "moe_ep_rank"}, row[0].OneOf, name)
	}
	for _, name := range []string{"prompt_tokens_total", "generation_tokens_total", "cached_tokens_total", "e2e_request_latency_seconds"} {
		for _, row := range moves(t, "sglang", name) {
			assert.Empty(t, row.Only, name)
			assert.Empty(t, row.OneOf, name)
		}
	}
}

// metricRow returns a row by its id.
func metricRow(t testing.TB, engine, id string) *mapping.MetricRow {
	t.Helper()
	rows := table(t, engine).Metrics
	i := slices.IndexFunc(rows, func(row mapping.MetricRow) bool { return row.ID == id })
	require.GreaterOrEqual(t, i, 0, id)
	return &rows[i]
}

// moves returns the rows that give the source another name.
func moves(t testing.TB, engine, name string) []*mapping.MetricRow {
	t.Helper()
	var rows []*mapping.MetricRow
	for i := range table(t, engine).Metrics {
		if row := &table(t, engine).Metrics[i]; slices.Contains(row.From, name) {
			rows = append(rows, row)
		}
	}
	require.NotEmpty(t, rows, name)
	return rows
}
