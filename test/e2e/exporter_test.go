// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

const (
	vllmJob   = "vllm-0.32.0"
	sglangJob = "sglang-0.5.23"
)

// What the prometheus exporter makes of the names, by its translation_strategy.
var prometheusNames = map[string][]string{
	// The default, UnderscoreEscapingWithSuffixes.
	"EXTENSIONS": {
		"gen_ai_server_request_duration_seconds histogram",
		"gen_ai_server_time_to_first_token_seconds histogram",
		"gen_ai_server_time_per_output_token_seconds histogram",
		"inference_server_requests_running gauge",
		"inference_server_requests_waiting gauge",
		"inference_server_kv_cache_usage_ratio gauge",
		"inference_server_preemptions_total counter",
		"inference_server_request_queue_duration_seconds histogram",
		"inference_server_usage_input_tokens_total counter",
		"inference_server_usage_output_tokens_total counter",
		"inference_server_usage_cached_input_tokens_total counter",
	},
	"WITHOUT_SUFFIXES": {
		"gen_ai_server_request_duration histogram",
		"gen_ai_server_time_to_first_token histogram",
		"gen_ai_server_time_per_output_token histogram",
		"inference_server_requests_running gauge",
		"inference_server_requests_waiting gauge",
		"inference_server_kv_cache_usage gauge",
		"inference_server_preemptions counter",
		"inference_server_request_queue_duration histogram",
		"inference_server_usage_input_tokens counter",
		"inference_server_usage_output_tokens counter",
		"inference_server_usage_cached_input_tokens counter",
	},
	"UTF8": {
		"gen_ai.server.request.duration_seconds histogram",
		"gen_ai.server.time_to_first_token_seconds histogram",
		"gen_ai.server.time_per_output_token_seconds histogram",
		"inference.server.requests.running gauge",
		"inference.server.requests.waiting gauge",
		"inference.server.kv_cache.usage_ratio gauge",
		"inference.server.preemptions_total counter",
		"inference.server.request.queue.duration_seconds histogram",
		"inference.server.usage.input_tokens_total counter",
		"inference.server.usage.output_tokens_total counter",
		"inference.server.usage.cached_input_tokens_total counter",
	},
	"UNTRANSLATED": {
		"gen_ai.server.request.duration histogram",
		"gen_ai.server.time_to_first_token histogram",
		"gen_ai.server.time_per_output_token histogram",
		"inference.server.requests.running gauge",
		"inference.server.requests.waiting gauge",
		"inference.server.kv_cache.usage gauge",
		"inference.server.preemptions counter",
		"inference.server.request.queue.duration histogram",
		"inference.server.usage.input_tokens counter",
		"inference.server.usage.output_tokens counter",
		"inference.server.usage.cached_input_tokens counter",
	},
	// Without extensions.
	"DEFAULT": {
		"gen_ai_server_request_duration_seconds histogram",
		"gen_ai_server_time_to_first_token_seconds histogram",
		"gen_ai_server_time_per_output_token_seconds histogram",
	},
	"KEEP": {
		"gen_ai_server_request_duration_seconds histogram",
		"gen_ai_server_time_to_first_token_seconds histogram",
		"gen_ai_server_time_per_output_token_seconds histogram",
	},
}

func TestThePrometheusExporter(t *testing.T) {
	t.Parallel()
	servers := serve(t)
	servers.expose(vllmJob, exposition(t, vllmJob))
	servers.expose(sglangJob, exposition(t, sglangJob))
	c := start(t, setup{
		binary:  full(t),
		configs: []string{"testdata/metrics/exporter.yaml"},
		env:     []string{servers.scrapeConfigs(vllmJob, sglangJob)},
		ports:   []string{"UNTOUCHED", "DEFAULT", "KEEP", "EXTENSIONS", "WITHOUT_SUFFIXES", "UTF8", "UNTRANSLATED"},
	})
	texts := map[string]string{}
	for name := range c.ports {
		c.await(t, "both servers' metrics at "+name, func() bool {
			last := texts[name]
			texts[name] = scrapeExporter(t, c, name)
			// Twice the same, because the exporter takes a scrape in metric by metric.
			return slices.Equal(lines(last), lines(texts[name])) && isExposed(last, vllmJob) && isExposed(last, sglangJob)
		})
	}

	for name, want := range prometheusNames {
		t.Run("names/"+name, func(t *testing.T) {
			var added []string
			for _, family := range families(texts[name]) {
				if strings.HasPrefix(family, "gen_ai") || strings.HasPrefix(family, "inference") {
					added = append(added, family)
				}
			}
			assert.ElementsMatch(t, want, added)
		})
	}
	t.Run("the engines' labels stay, the model's is renamed, the provider's is added", func(t *testing.T) {
		const receiver = "github.com/open-telemetry/opentelemetry-collector-contrib/receiver/prometheusreceiver"
		version := regexp.MustCompile(`otel_scope_version="[^"]+"`).FindString(texts["DEFAULT"]) // the collector's
		scope := `otel_scope_name="` + receiver + `",otel_scope_schema_url="",` + version
		instance := `instance="` + servers.address() + `"`
		assert.Subset(t, lines(texts["DEFAULT"]), []string{
			`gen_ai_server_request_duration_seconds_bucket{engine="0",gen_ai_provider_name="vllm",gen_ai_request_model="tiny-llama",` +
				instance + `,job="vllm-0.32.0",` + scope + `,le="1"} 36`,
			`gen_ai_server_request_duration_seconds_count{engine_type="unified",gen_ai_provider_name="sglang",gen_ai_request_model="tiny-llama",` +
				instance + `,is_streaming="true",job="sglang-0.5.23",` + scope + `} 2`,
		})
		assert.Contains(t, texts["UTF8"], `{"gen_ai.server.request.duration_seconds_bucket",engine="0","gen_ai.provider.name"="vllm","gen_ai.request.model"="tiny-llama",`)
		assert.Contains(t, texts["EXTENSIONS"], `inference_server_requests_running{engine_type="unified",gen_ai_provider_name="sglang",gen_ai_request_model="tiny-llama",`+
			instance+`,job="sglang-0.5.23",moe_ep_rank="0",`+scope+`,pp_rank="0",tp_rank="0"} 0`)
	})
	t.Run("no scope gets a schema URL, which would begin new series", func(t *testing.T) {
		for name, text := range texts {
			assert.NotRegexp(t, `otel_scope_schema_url="[^"]`, text, name)
		}
	})
	t.Run("all other series are exposed as they were", func(t *testing.T) {
		assert.Empty(t, without(lines(texts["DEFAULT"]), lines(texts["UNTOUCHED"]), "gen_ai_server_"))
		assert.Empty(t, without(lines(texts["UNTOUCHED"]), lines(texts["DEFAULT"]),
			"vllm:e2e_request_latency_seconds", "vllm:time_to_first_token_seconds", "vllm:request_time_per_output_token_seconds",
			"sglang:e2e_request_latency_seconds", "sglang:time_to_first_token_seconds", "sglang:request_time_per_output_token_seconds"))
	})
	t.Run("originals: keep exposes both", func(t *testing.T) {
		assert.Empty(t, without(lines(texts["UNTOUCHED"]), lines(texts["KEEP"])))
		assert.Empty(t, without(lines(texts["DEFAULT"]), lines(texts["KEEP"])))
		assert.Empty(t, without(lines(texts["KEEP"]), slices.Concat(lines(texts["UNTOUCHED"]), lines(texts["DEFAULT"]))))
	})
	t.Run("created series stay unless they are to be dropped", func(t *testing.T) {
		assert.Contains(t, families(texts["DEFAULT"]), "vllm:e2e_request_latency_seconds_created gauge")
		assert.Contains(t, families(texts["DEFAULT"]), "vllm:prompt_tokens_created gauge")
		assert.NotContains(t, texts["EXTENSIONS"], "_created")
	})

	t.Run("the README says the same", func(t *testing.T) {
		checkTheReadme(t, texts)
	})

	servers.leave(vllmJob)
	t.Run("a server that is gone ends all its series, under the new names", func(t *testing.T) {
		var live, ended []string
		c.await(t, "a scrape that failed", func() bool {
			all, err := readAllScrapes(c.file("default.json"))
			if err != nil {
				return false
			}
			for _, rm := range all {
				if jobOf(rm) != vllmJob {
					continue
				}
				if !isUp(rm) {
					ended = seriesOf(rm, isNotRecorded)
					return true
				}
				live = seriesOf(rm, isRecorded)
			}
			return false
		})
		assert.ElementsMatch(t, live, ended)
		assert.Contains(t, ended, requestDuration+" engine=0,gen_ai.provider.name=vllm,gen_ai.request.model=tiny-llama")
	})
	// The exporter ends the first series of a metric at once and others after metric_expiration. vLLM has one of each.
	t.Run("the series of a server that is gone are not exposed any more", func(t *testing.T) {
		for name := range prometheusNames {
			c.await(t, "an end of vLLM's series at "+name, func() bool {
				return !strings.Contains(scrapeExporter(t, c, name), `="vllm",`)
			})
			assert.Contains(t, scrapeExporter(t, c, name), `="sglang",`)
		}
	})
	c.stop(t)
}

// scrapeExporter returns what Prometheus gets, which asks for UTF-8 names.
func scrapeExporter(t *testing.T, c *collector, port string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+c.address(port)+"/metrics", http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Accept", "text/plain;version=1.0.0;escaping=allow-utf-8")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	return string(text)
}

// isExposed tells whether a job was scraped.
func isExposed(text, job string) bool {
	return slices.ContainsFunc(lines(text), func(line string) bool {
		return strings.HasPrefix(line, "up{") && strings.Contains(line, `job="`+job+`"`)
	})
}

// lines returns the samples of an exposition but for those that the receiver adds about its scrapes.
func lines(text string) []string {
	var samples []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "scrape_") {
			samples = append(samples, strings.TrimSuffix(line, "\n"))
		}
	}
	return samples
}

// families returns the names of an exposition, each with its type.
func families(text string) []string {
	var all []string
	for _, match := range regexp.MustCompile(`(?m)^# TYPE "?([^" ]+)"? (\w+)$`).FindAllStringSubmatch(text, -1) {
		all = append(all, match[1]+" "+match[2])
	}
	return all
}

// without returns what is in a and not in b, but for what begins with a name and goes on with a suffix or labels.
func without(a, b []string, names ...string) []string {
	have := map[string]bool{}
	for _, line := range b {
		have[line] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(line string) bool {
		return have[line] || slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(line, name) })
	})
}

// seriesOf returns the series of the points that a condition holds for, but for those about the scrape itself.
func seriesOf(rm pmetric.ResourceMetrics, condition func(point) bool) (all []string) {
	for _, m := range metricsOf(rm) {
		if m.Name() == "up" || strings.HasPrefix(m.Name(), "scrape_") {
			continue
		}
		for _, p := range pointsOf(m) {
			if condition(p) {
				all = append(all, m.Name()+" "+labelText(p.Attributes()))
			}
		}
	}
	return all
}

func isNotRecorded(p point) bool { return p.Flags().NoRecordedValue() }

func isRecorded(p point) bool { return !p.Flags().NoRecordedValue() }

// checkTheReadme compares the README's tables and samples of metrics with what was exposed.
func checkTheReadme(t *testing.T, texts map[string]string) {
	t.Helper()
	readme, err := os.ReadFile(repository + "/README.md")
	require.NoError(t, err)

	tables := regexp.MustCompile(`(?s)<!-- metrics: `+vllmJob+" "+sglangJob+` -->\n(.*?)\n\n`).FindAllStringSubmatch(string(readme), -1)
	// The names of each table's last column are there with these options.
	for i, exporter := range []string{"DEFAULT", "EXTENSIONS"} {
		require.Greater(t, len(tables), i)
		for _, row := range strings.Split(tables[i][1], "\n")[2:] {
			names := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row, -1)
			require.Len(t, names, 4, row)
			vllm, sglang, pipeline, exposed := names[0][1], names[1][1], names[2][1], names[3][1]
			for _, name := range []string{vllm, sglang} {
				assert.Contains(t, texts["UNTOUCHED"], "# TYPE "+name+" ")
				assert.NotContains(t, texts[exporter], "# TYPE "+name+" ")
			}
			assert.Contains(t, texts["UNTRANSLATED"], `# TYPE "`+pipeline+`" `)
			assert.Contains(t, texts[exporter], "# TYPE "+exposed+" ")
		}
	}

	samples := regexp.MustCompile("(?s)```prometheus\n(.*?)```").FindStringSubmatch(string(readme))
	require.NotNil(t, samples)
	plain := regexp.MustCompile(`,(instance|job|otel_scope_\w+)="[^"]*"`).ReplaceAllString(texts["UNTOUCHED"]+texts["DEFAULT"], "")
	assert.Subset(t, lines(plain), lines(samples[1]))
}
