// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.yaml.in/yaml/v3"

	"github.com/genainormalize/genainormalizeprocessor"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"
)

// TestMain runs the tests where the paths in the cases' configurations start.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func applyTo(t *testing.T, config, input string) (documents []otlpjson.Document, stats map[string]any) {
	t.Helper()
	statsFile := filepath.Join(t.TempDir(), "stats.json")
	args := []string{"apply", "--stats", statsFile, input}
	if config != "" {
		args = append(args, "--config", config)
	}
	code, stdout, stderr := runWith(args...)
	require.Zero(t, code, stderr)
	require.Empty(t, stderr)
	if stdout != "" {
		var err error
		documents, err = otlpjson.Read("output", strings.NewReader(stdout))
		require.NoError(t, err)
	}
	data, err := os.ReadFile(statsFile)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &stats))
	return documents, stats
}

// throughComponent returns what the component makes of a file.
func throughComponent(t *testing.T, config, input string) []any {
	t.Helper()
	factory := genainormalizeprocessor.NewFactory()
	cfg := factory.CreateDefaultConfig()
	if config != "" {
		data, err := os.ReadFile(config)
		require.NoError(t, err)
		retrieved, err := confmap.NewRetrievedFromYAML(data)
		require.NoError(t, err)
		conf, err := retrieved.AsConf()
		require.NoError(t, err)
		require.NoError(t, conf.Unmarshal(cfg))
	}
	documents, err := otlpjson.ReadFile(input)
	require.NoError(t, err)
	settings := processortest.NewNopSettings(factory.Type())
	var results []any
	for _, document := range documents {
		switch d := document.(type) {
		case ptrace.Traces:
			sink := new(consumertest.TracesSink)
			p, err := factory.CreateTraces(t.Context(), settings, cfg, sink)
			require.NoError(t, err)
			runComponent(t, p, func() error { return p.ConsumeTraces(t.Context(), d) })
			for _, td := range sink.AllTraces() {
				results = append(results, td)
			}
		case pmetric.Metrics:
			sink := new(consumertest.MetricsSink)
			p, err := factory.CreateMetrics(t.Context(), settings, cfg, sink)
			require.NoError(t, err)
			runComponent(t, p, func() error { return p.ConsumeMetrics(t.Context(), d) })
			for _, md := range sink.AllMetrics() {
				results = append(results, md)
			}
		case plog.Logs:
			sink := new(consumertest.LogsSink)
			p, err := factory.CreateLogs(t.Context(), settings, cfg, sink)
			require.NoError(t, err)
			runComponent(t, p, func() error { return p.ConsumeLogs(t.Context(), d) })
			for _, ld := range sink.AllLogs() {
				results = append(results, ld)
			}
		}
	}
	return results
}

func runComponent(t *testing.T, p component.Component, consume func() error) {
	t.Helper()
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, consume())
	require.NoError(t, p.Shutdown(context.Background()))
}

// TestApplyEqualsTheComponent holds for every captured file and every case.
func TestApplyEqualsTheComponent(t *testing.T) {
	captured, err := filepath.Glob("testdata/captured/*/*.otlp.json")
	require.NoError(t, err)
	scrapes, err := filepath.Glob("testdata/captured/*/metrics/*.otlp.json")
	require.NoError(t, err)
	cases, err := filepath.Glob("testdata/cases/*/input.json")
	require.NoError(t, err)
	require.NotEmpty(t, captured)
	require.NotEmpty(t, scrapes)
	require.NotEmpty(t, cases)
	for _, input := range slices.Concat(captured, scrapes, cases) {
		t.Run(input, func(t *testing.T) {
			config := ""
			if filepath.Base(input) == "input.json" {
				config = filepath.Join(filepath.Dir(input), "config.yaml")
			}
			documents, _ := applyTo(t, config, input)
			want := throughComponent(t, config, input)
			require.Len(t, documents, len(want))
			for i := range want {
				assert.Equal(t, marshal(t, want[i]), marshal(t, documents[i]))
			}
		})
	}
}

func marshal(t *testing.T, document any) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, otlpjson.Write(&out, document))
	return out.String()
}

// TestStatsAreTheComponentsSelfTelemetry compares with what the cases expect of the component. It counts the names
// that the file lists.
func TestStatsAreTheComponentsSelfTelemetry(t *testing.T) {
	cases, err := filepath.Glob("testdata/cases/*/input.json")
	require.NoError(t, err)
	for _, input := range cases {
		t.Run(filepath.Base(filepath.Dir(input)), func(t *testing.T) {
			dir := filepath.Dir(input)
			_, got := applyTo(t, filepath.Join(dir, "config.yaml"), input)
			unmapped := map[string]any{}
			for _, name := range got["unmapped"].([]any) {
				engine := name.(map[string]any)["engine"].(string)
				n, _ := unmapped[engine].(int)
				unmapped[engine] = n + 1
			}
			delete(got, "unmapped")
			if len(unmapped) > 0 {
				got["unmapped"] = unmapped
			}
			data, err := os.ReadFile(filepath.Join(dir, "telemetry.yaml"))
			require.NoError(t, err)
			var want map[string]any
			require.NoError(t, yaml.Unmarshal(data, &want))
			wantJSON, err := json.Marshal(want)
			require.NoError(t, err)
			gotJSON, err := json.Marshal(got)
			require.NoError(t, err)
			assert.JSONEq(t, string(wantJSON), string(gotJSON))
		})
	}
}

func TestApplyReadsStandardInput(t *testing.T) {
	data, err := os.ReadFile(chat)
	require.NoError(t, err)
	var out, errOut strings.Builder
	code := run(strings.NewReader(string(data)), []string{"apply"}, &out, &errOut)
	assert.Zero(t, code, errOut.String())
	assert.Contains(t, out.String(), `"gen_ai.usage.input_tokens"`)
}

func TestApplyReadsWhatItWrites(t *testing.T) {
	var out, errOut strings.Builder
	assert.Zero(t, run(strings.NewReader(`{"resourceSpans":[]}`), []string{"apply"}, &out, &errOut), errOut.String())
	assert.Zero(t, run(strings.NewReader(out.String()), []string{"apply"}, &out, &errOut), errOut.String())
}

func TestSignalsWithoutRulesPassUnchanged(t *testing.T) {
	const logs = `{"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{},"logRecords":[{"body":{"stringValue":"hello"}}]}]}]}`
	var out, errOut strings.Builder
	code := run(strings.NewReader(logs), []string{"apply"}, &out, &errOut)
	assert.Zero(t, code, errOut.String())
	assert.JSONEq(t, logs, out.String())
}

// TestExpositionsBecomeMetrics says what stands for the target that was scraped. What becomes of the text itself is
// tested in internal/exposition.
func TestExpositionsBecomeMetrics(t *testing.T) {
	text, err := os.ReadFile("testdata/captured/vllm/metrics/vllm-0.32.0.prom")
	require.NoError(t, err)
	var out, errOut strings.Builder
	code := run(strings.NewReader(string(text)), []string{"apply", "--job", "llm", "--instance", "10.1.2.3:80"}, &out, &errOut)
	require.Zero(t, code, errOut.String())
	documents, err := otlpjson.Read("output", strings.NewReader(out.String()))
	require.NoError(t, err)
	require.Len(t, documents, 1)
	rm := documents[0].(pmetric.Metrics).ResourceMetrics().At(0)
	assert.Equal(t, map[string]any{
		"service.name": "llm", "service.instance.id": "10.1.2.3:80", "server.address": "10.1.2.3", "server.port": "80", "url.scheme": "http",
	}, rm.Resource().Attributes().AsRaw())
	assert.Equal(t, 92, rm.ScopeMetrics().At(0).Metrics().Len())
}

func TestFilesOfBothKinds(t *testing.T) {
	code, stdout, stderr := runWith("apply", chat, "testdata/samples/vllm-production-stack-router.prom")
	require.Zero(t, code, stderr)
	documents, err := otlpjson.Read("output", strings.NewReader(stdout))
	require.NoError(t, err)
	require.Len(t, documents, 2)
	assert.IsType(t, ptrace.Traces{}, documents[0])
	rm := documents[1].(pmetric.Metrics).ResourceMetrics().At(0)
	job, _ := rm.Resource().Attributes().Get("service.name")
	assert.Equal(t, "prometheus", job.Str())
}

func TestApplyReportsBadInputAndConfigurationInOneLine(t *testing.T) {
	file := func(content string) string {
		path := filepath.Join(t.TempDir(), "config.yaml")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"a file that is not there", []string{"none.json"}, "open none.json: no such file or directory"},
		{"a file that is neither OTLP nor an exposition", []string{"README.md"}, "README.md: Prometheus exposition: line 3: "},
		{"an empty file", []string{file("")}, "holds no OTLP/JSON document and no Prometheus exposition"},
		{"a key in other letters", []string{file(`{"RESOURCESPANS": []}`)}, "is no OTLP/JSON document"},
		{"a list", []string{file(`[]`)}, "is no OTLP/JSON document"},
		{"a configuration without a name", []string{"--config", "", chat}, `invalid argument "" for "--config" flag: the name of a file is expected`},
		{"a configuration that is not there", []string{"--config", "none.yaml", chat}, "open none.yaml: no such file or directory"},
		{"a configuration with an unknown key", []string{"--config", file("originls: keep"), chat}, "config.yaml: originls: unknown key: one of semconv, "},
		{"a configuration with an unknown value", []string{"--config", file("originals: maybe"), chat}, `invalid value "maybe": one of drop, keep is expected`},
		{"a target that is not quoted", []string{"--config", file("semconv: 1.41"), chat}, `quote it, as in "1.41"`},
		{"a configuration that is no mapping", []string{"--config", file("- a"), chat}, "config.yaml: "},
		{"an engine nobody knows", []string{"--config", file("engines: {vlm: {}}"), chat}, `unknown engine "vlm"`},
		{"a broken table", []string{"--config", file("tables: [testdata/tables/broken.yaml]"), chat}, "testdata/tables/broken.yaml:5: invalid mapping table"},
		{"statistics that cannot be written", []string{"--stats", "none/stats.json", chat}, "open none/stats.json: no such file or directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := runWith(append([]string{"apply"}, tt.args...)...)
			assert.Equal(t, 1, code)
			assert.Empty(t, stdout)
			assert.Regexp(t, `^genainormalize: [^\n]+\n$`, stderr)
			assert.Contains(t, stderr, tt.want)
		})
	}
}

// TestEveryCapturedExposition expects of each captured text the number of points that get a standard name, counted in
// the text and apart from the tables. Of one text the types are for other names. No name is unknown.
func TestEveryCapturedExposition(t *testing.T) {
	moved := map[string]int{
		"sglang-0.3.5.post1": 1, "sglang-0.4.6": 1, "sglang-0.5.3": 1, "sglang-0.5.9": 1, "sglang-0.5.10": 1,
		"sglang-0.5.12": 1, "sglang-0.5.19": 3, "sglang-0.5.23": 6, "sglang-0.5.23-all-options-busy": 1,
		"sglang-0.5.23-all-options-idle": 21, "sglang-0.5.23-dp2": 3, "sglang-0.5.23-embedding": 2,
		"sglang-0.5.23-multitokenizer": 3, "sglang-0.5.23-openmetrics-allow-utf-8": 6,
		"sglang-0.5.23-openmetrics-underscores": 0, "sglang-0.5.23-pd-decode": 1, "sglang-0.5.23-pd-prefill": 0,
		"sglang-0.5.23-queue-abort": 3, "sglang-0.5.23-tp2-all-schedulers": 3,
		"sglang-router-0.3.2-engine_metrics": 6, "sglang-router-0.3.2-pd": 0, "sglang-router-0.3.2": 0,
		"smg-1.13.0-engine_metrics": 6, "smg-1.13.0": 0,
		"vllm-0.8.5-v0": 2, "vllm-0.8.5-v0-hidden-metrics": 2, "vllm-0.10.2-before": 2, "vllm-0.10.2": 2, "vllm-0.15.1": 3,
		"vllm-0.31.0": 3, "vllm-0.32.0-before": 3, "vllm-0.32.0": 3, "vllm-0.32.0-collector-promexporter": 3,
		"vllm-0.32.0-lora-mfu-kvmetrics": 3, "vllm-0.32.0-pooling": 3, "vllm-0.32.0-rust-frontend": 3,
		"vllm-0.32.0-rust-frontend-collector-promexporter": 3, "vllm-0.32.0-spec": 3,
		"vllm-production-stack-router": 0,
	}
	files, err := filepath.Glob("testdata/captured/*/metrics/*.prom")
	require.NoError(t, err)
	samples, err := filepath.Glob("testdata/samples/*.prom")
	require.NoError(t, err)
	files = append(files, samples...)
	require.Len(t, files, len(moved))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".prom")
		t.Run(name, func(t *testing.T) {
			documents, stats := applyTo(t, "", file)
			items := 0
			for _, item := range stats["items"].([]any) {
				items += int(item.(map[string]any)["count"].(float64))
			}
			assert.Equal(t, moved[name], items)
			assert.Empty(t, stats["unmapped"])
			if name == "sglang-0.5.23-openmetrics-underscores" { // The text says other names than its types are for.
				assert.Len(t, stats["outcomes"], 1)
			} else {
				assert.Empty(t, stats["outcomes"])
			}
			again := filepath.Join(t.TempDir(), "again.json")
			require.NoError(t, os.WriteFile(again, []byte(marshal(t, documents[0])), 0o600))
			second, statsAgain := applyTo(t, "", again)
			assert.Equal(t, marshal(t, documents[0]), marshal(t, second[0]))
			assert.Equal(t, stats, statsAgain)
		})
	}
}
