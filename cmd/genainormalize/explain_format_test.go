// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files; read them before you commit them")

var extensions = map[string]string{"table": "txt", "json": "json", "markdown": "md", "html": "html"}

// placeInTable is a line of a table that comes with the processor. Tables change more often than what is tested here.
var placeInTable = regexp.MustCompile(`\btables/(vllm|sglang|agent|otel)\.yaml:\d+`)

func withoutLines(text string) string {
	return placeInTable.ReplaceAllString(text, "tables/$1.yaml:LINE")
}

func TestExplainFormats(t *testing.T) {
	for _, test := range []struct {
		name, input string
		formats     []string
	}{
		{"request", "testdata/captured/vllm/vllm-0.32.0-v1-completion.otlp.json", []string{"table", "json", "markdown", "html"}},
		{"nanoseconds", "testdata/cases/agent-garbage-stages-get-the-unit-of-the-span/input.json", []string{"table"}},
		{"records", "testdata/cases/log-records-with-the-keys-of-an-entry/input.json", []string{"table"}},
		{"collision", "testdata/cases/an-exact-source-comes-before-an-approximate-one/input.json", []string{"table", "json"}},
		{"parts", "testdata/cases/a-histogram-in-parts-is-one-mismatch/input.json", []string{"table", "markdown"}},
		{"originals", "testdata/cases/metric-originals-can-be-kept/input.json", []string{"table"}},
		{"versions", "testdata/captured/sglang/metrics/sglang-0.3.5.post1.prom", []string{"table"}},
	} {
		for _, format := range test.formats {
			t.Run(test.name+" "+format, func(t *testing.T) {
				args := []string{"explain", "--format", format, test.input}
				if config := filepath.Join(filepath.Dir(test.input), "config.yaml"); filepath.Base(test.input) == "input.json" {
					args = append(args, "--config", config)
				}
				code, got, stderr := runWith(args...)
				require.Zero(t, code, stderr)
				got = withoutLines(got)
				file := "cmd/genainormalize/testdata/explain/" + test.name + "." + extensions[format]
				if *update {
					require.Empty(t, os.Getenv("CI"), "golden files are not written in CI")
					require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
					require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
					return
				}
				want, err := os.ReadFile(file)
				require.NoError(t, err)
				assert.Equal(t, string(want), got)
			})
		}
	}
}

// TestExplainNamesTheLineOfTheRow reads the line.
func TestExplainNamesTheLineOfTheRow(t *testing.T) {
	e := explained(t, "", "testdata/captured/sglang/metrics/sglang-0.5.23.otlp.json")
	e.Rows = append(e.Rows, explained(t, "", chat).Rows...)
	checked := 0
	for _, row := range e.Rows {
		if row.Place == "" {
			continue
		}
		file, line, _ := strings.Cut(row.Place, ":")
		number, err := strconv.Atoi(line)
		require.NoError(t, err)
		assert.Contains(t, lineOf(t, filepath.Join("mapping", file), number), "id: "+row.ID)
		checked++
	}
	assert.Greater(t, checked, 50)
}

func lineOf(t *testing.T, path string, number int) string {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	for range number {
		require.True(t, lines.Scan())
	}
	return lines.Text()
}

// TestExplainTellsWhatWouldMakeADifference names for each reason why something stays a file and what is said of it.
func TestExplainTellsWhatWouldMakeADifference(t *testing.T) {
	config := func(text string) string {
		path := filepath.Join(t.TempDir(), "config.yaml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	const metrics = "testdata/captured/sglang/metrics/sglang-0.5.12.prom"
	for _, test := range []struct {
		name, config, input, source string
		why, change                 string
	}{
		{"a name that is kept", "", metrics, "sglang:cache_hit_rate", "no target; of the last batch of prefills", ""},
		{"approximate", "", metrics, "sglang:prompt_tokens_histogram", "", "approximate: true would make it gen_ai.client.token.usage (counted by the server"},
		{"approximate, beside", "", chat, "gen_ai.latency.time_to_first_token", "no exact target", "approximate: true would copy it to gen_ai.response.time_to_first_chunk"},
		{"extensions", "", metrics, "sglang:num_running_reqs", "", "extensions: true would make it inference.server.requests.running"},
		{"no place in the target", "", metrics, "sglang:prompt_tokens_total", "1.41 has no place for it", `semconv: "0.1.0" has gen_ai.client.inference.usage.input_tokens`},
		{"excluded", config("exclude: [sglang.server_request_duration]"), metrics, "sglang:e2e_request_latency_seconds", "excluded", ""},
		{"an excluded name", config("exclude: [gen_ai.usage.prompt_tokens]"), chat, "gen_ai.usage.prompt_tokens", "excluded", ""},
		{"no proof of the release", "", metrics, "sglang:time_to_first_token_seconds", "about points with is_streaming=true", "engines.sglang.version or a metric of the release"},
		{"another release", config(`engines: {sglang: {version: "0.5.12"}}`), metrics, "sglang:time_to_first_token_seconds", "gen_ai.server.time_to_first_token holds for >=0.5.22", "approximate: true"},
		{"a lost type", "", "testdata/captured/sglang/metrics/sglang-0.5.23-openmetrics-underscores.prom", "sglang_queue_time_seconds_bucket", "arrived on its own", "scrape_protocols: [PrometheusText0.0.4]"},
		{"times of beginning", "", "testdata/captured/vllm/metrics/vllm-0.32.0.prom", "vllm:prompt_tokens_created", "the time at which a series began", "created_series: drop removes it"},
		{"no provider", "", "testdata/cases/agent-entries/input.json", "", "nothing proves who wrote the item", "entry_provider would name it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := false
			for _, row := range explained(t, test.config, test.input).Rows {
				if row.Source == test.source && strings.Contains(row.Why, test.why) && strings.Contains(row.Change, test.change) {
					found = true
				}
			}
			assert.True(t, found)
		})
	}
}

// TestExplainShowsNothingThatAUserWrote has a secret in every text of the data.
func TestExplainShowsNothingThatAUserWrote(t *testing.T) {
	const attributes = `[
		{"key":"gen_ai.span.kind","value":{"stringValue":"LLM"}}, {"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},
		{"key":"gen_ai.input.messages","value":{"stringValue":"secret"}}, {"key":"gen_ai.output.messages","value":{"arrayValue":{"values":[{"stringValue":"secret"}]}}},
		{"key":"gen_ai.system_instructions","value":{"stringValue":"secret"}}, {"key":"gen_ai.prompt","value":{"stringValue":"secret"}},
		{"key":"gen_ai.response.finish_reasons","value":{"stringValue":"secret"}}, {"key":"gen_ai.system","value":{"stringValue":"secret"}},
		{"key":"gen_ai.request.model","value":{"stringValue":"secret"}}, {"key":"gen_ai.usage.input_tokens","value":{"stringValue":"secret"}},
		{"key":"gen_ai.latency.e2e","value":{"stringValue":"secret"}}]`
	const labels = `[{"key":"model_name","value":{"stringValue":"secret"}},{"key":"gen_ai.request.model","value":{"stringValue":"secret2"}}]`
	file := filepath.Join(t.TempDir(), "secrets.json")
	require.NoError(t, os.WriteFile(file, []byte(`
		{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"secret"}}]},"scopeSpans":[{"scope":{"name":"secret"},
			"spans":[{"name":"secret","kind":2,"status":{"code":2,"message":"secret"},"attributes":`+attributes+`},
			{"name":"llm_request","status":{"code":2},"attributes":[{"key":"gen_ai.pd_role","value":{"stringValue":"secret"}}],
			"events":[{"name":"exception","attributes":[{"key":"exception.type","value":{"stringValue":"secret"}}]}]}]}]}]}
		{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"secret"},"attributes":`+attributes+`}]}]}]}
		{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"vllm:e2e_request_latency_seconds","description":"secret","histogram":{"aggregationTemporality":2,
			"dataPoints":[{"attributes":`+labels+`}]}}]}]}]}`), 0o600))
	for format := range extensions {
		code, stdout, stderr := runWith("explain", "--format", format, file)
		require.Zero(t, code, stderr)
		assert.Contains(t, stdout, "gen_ai.input.messages")
		assert.Contains(t, stdout, "error.type")
		assert.NotContains(t, stdout, "secret", format)
	}
}

// TestNamesCannotLeaveTheirPlace has names of attributes and metrics that would be something else in the page.
func TestNamesCannotLeaveTheirPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "names.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"llm_request","attributes":[
		{"key":"gen_ai.pd_role","value":{"stringValue":"decode"}},{"key":"gen_ai.<script>|`+"`"+`\n\u001b[31m","value":{"intValue":"1"}}]}]}]}]}`), 0o600))
	for format := range extensions {
		_, stdout, _ := runWith("explain", "--format", format, file)
		assert.NotContains(t, stdout, "\x1b", format)
		switch format {
		case "html":
			assert.Contains(t, stdout, "gen_ai.&lt;script&gt;|")
		case "markdown":
			assert.Contains(t, stdout, "| `gen_ai.<script>\\|'")
		}
	}
}

// TestARemedyIsSaidOnce has the parts of several histograms, which all lack the type for one reason.
func TestARemedyIsSaidOnce(t *testing.T) {
	for _, format := range []string{"table", "markdown", "html"} {
		_, stdout, _ := runWith("explain", "--format", format, "testdata/captured/sglang/metrics/sglang-0.5.23-openmetrics-underscores.prom")
		assert.Equal(t, 1, strings.Count(stdout, "a series of a histogram that arrived on its own"), format)
		assert.Contains(t, stdout, "sglang_queue_time_seconds_bucket")
	}
}

func TestThePageHasNothingFromElsewhere(t *testing.T) {
	code, stdout, stderr := runWith("explain", "--format", "html", chat)
	require.Zero(t, code, stderr)
	assert.NotRegexp(t, `(?i)<(link|img|iframe|object|script[^>]+src)|@import|url\(|fetch\(`, stdout)
	assert.Contains(t, stdout, "default-src 'none'")
}

func TestExplainStrict(t *testing.T) {
	unmapped := filepath.Join(t.TempDir(), "unmapped.prom")
	require.NoError(t, os.WriteFile(unmapped, []byte("# TYPE vllm:brand_new gauge\nvllm:brand_new 1\n"), 0o600))
	attribute := filepath.Join(t.TempDir(), "attribute.json")
	require.NoError(t, os.WriteFile(attribute, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"llm_request","attributes":[
		{"key":"gen_ai.pd_role","value":{"stringValue":"decode"}},{"key":"gen_ai.latency.brand_new","value":{"intValue":"1"}}]}]}]}]}`), 0o600))
	latencies := func(values string) string {
		file := filepath.Join(t.TempDir(), "latencies.json")
		require.NoError(t, os.WriteFile(file, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"generate","startTimeUnixNano":"1","endTimeUnixNano":"2000000001","attributes":[
			{"key":"heron.tokens.in","value":{"intValue":"1"}},`+values+`]}]}]}]}`), 0o600))
		return file
	}
	for _, test := range []struct {
		name, input string
		code        int
		stderr      string
	}{
		{"nothing to look at", chat, 0, ""},
		{"latencies that a table names", newEngine + "span.otlp.json", 0, ""},
		{"latencies in seconds that a table names", latencies(`{"key":"heron.time.total","value":{"doubleValue":1.5}},{"key":"heron.time.queue","value":{"doubleValue":0.5}}`), 0, ""},
		{"a latency that has the prefix only", latencies(`{"key":"heron.time.more","value":{"intValue":"1500000000"}}`), 2, "genainormalize: --strict: outcomes: 0, names that no row is about: 1\n"},
		{"a latency in seconds that has the prefix only", latencies(`{"key":"heron.time.more","value":{"doubleValue":1.5}}`), 2, "genainormalize: --strict: outcomes: 0, names that no row is about: 1\n"},
		{"an outcome", "testdata/cases/vllm-gap-beside-the-mean-is-a-collision/input.json", 0, ""}, // not without its configuration
		{"a mismatch", "testdata/captured/sglang/metrics/sglang-0.5.23-openmetrics-underscores.prom", 2, "genainormalize: --strict: outcomes: 27, names that no row is about: 0\n"},
		{"a metric that no row is about", unmapped, 2, "genainormalize: --strict: outcomes: 0, names that no row is about: 1\n"},
		{"an attribute that no row is about", attribute, 2, "genainormalize: --strict: outcomes: 0, names that no row is about: 1\n"},
		{"a file that is not there", "none.json", 1, "genainormalize: open none.json: no such file or directory\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := runWith("explain", "--strict", "--config", newEngine+"options.yaml", test.input)
			assert.Equal(t, test.code, code)
			assert.Equal(t, test.stderr, stderr)
			assert.Equal(t, code == 1, stdout == "", "the explanation is written all the same")
			if test.code == 2 {
				code, _, stderr = runWith("explain", "--config", newEngine+"options.yaml", test.input)
				assert.Zero(t, code)
				assert.Empty(t, stderr)
			}
		})
	}
}

func TestExplainReportsMistakesInOneLine(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"an unknown format", []string{"--format", "pdf", chat}, `invalid argument "pdf" for "--format" flag: one of table, json, markdown, html is expected`},
		{"a configuration without a name", []string{"--config", "", chat}, `invalid argument "" for "--config" flag: the name of a file is expected`},
		{"a configuration that is not there", []string{"--config", "none.yaml", chat}, "open none.yaml: no such file or directory"},
		{"a file that is neither", []string{"README.md"}, "README.md: Prometheus exposition: line 3: "},
		{"nothing at all", nil, "standard input: holds no OTLP/JSON document and no Prometheus exposition"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := runWith(append([]string{"explain"}, test.args...)...)
			assert.Equal(t, 1, code)
			assert.Empty(t, stdout)
			assert.Regexp(t, `^genainormalize: [^\n]+\n$`, stderr)
			assert.Contains(t, stderr, test.want)
		})
	}
}

func TestExplainReadsStandardInput(t *testing.T) {
	data, err := os.ReadFile(chat)
	require.NoError(t, err)
	var out, errOut strings.Builder
	assert.Zero(t, run(strings.NewReader(string(data)), []string{"explain"}, &out, &errOut), errOut.String())
	_, want, _ := runWith("explain", chat)
	assert.Equal(t, want, out.String())
}

// TestTheReadmesExplanationIsTrue finds each line that is shown in what the command writes.
func TestTheReadmesExplanationIsTrue(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)<!-- explain: (\\S+) -->\n```text\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		_, stdout, _ := runWith("explain", block[1])
		lines := strings.Split(withoutLines(stdout), "\n")
		for line := range strings.Lines(block[2]) {
			if line = strings.TrimSuffix(line, "\n"); line != "…" {
				assert.Contains(t, lines, withoutLines(line))
			}
		}
	}
}
