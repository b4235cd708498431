// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const metricsExample = repository + "/examples/metrics"

// answers are what the example's queries should say, worked out by hand from the expositions. Rates are of the rise
// over 5 minutes. A quantile lies in its bucket as far as its rank does: of vLLM's 45 requests 36 took up to 1.5 s and 43
// up to 2 s, so the 90th percentile, rank 40.5, is 1.5 + 0.5·(40.5-36)/(43-36).
var answers = map[string]map[string]float64{
	"Request duration, the 90th percentile":          {"vllm": 1.5 + 0.5*4.5/7, "sglang": 0.4 + 0.2*(20.7-19)/2},
	"Time to first token, the 90th percentile":       {"vllm": 0.1 + 0.15*(41.4-36)/9, "sglang": 0.1 + 0.1*(19.8-12)/8},
	"Time per output token, the median":              {"vllm": 0.01 * 22.5 / 31, "sglang": 0.03 + 0.005*0/3},
	"Time in the queue, the 90th percentile":         {"vllm": 0.3 * 40.5 / 45, "sglang": 0.001 + 0.004*(22.5-22)/3},
	"Requests running":                               {"vllm": 4, "sglang": 2},
	"Requests waiting":                               {"vllm": 3, "sglang": 5},
	"KV cache in use, 0 to 1, of the fullest server": {"vllm": 0.75, "sglang": 0.5},
	"Input tokens per second":                        {"vllm": 1477. / 300, "sglang": 649. / 300},
	"Output tokens per second":                       {"vllm": 2742. / 300, "sglang": 150. / 300},
	"Preemptions per second":                         {"vllm": 6. / 300, "sglang": 9. / 300},
}

// The example's collector scrapes vLLM and SGLang, and each query of the example's README answers for both.
func TestOneQueryAnswersForBothEngines(t *testing.T) {
	t.Parallel()
	vllm, sglang := serve(t), serve(t)
	vllm.expose("metrics", exposition(t, "vllm-0.32.0-before"))
	sglang.expose("metrics", zeroed(retracted(t, exposition(t, "sglang-0.5.23"))))
	c := start(t, setup{
		binary: full(t),
		configs: []string{
			metricsExample + "/collector.yaml",
			"yaml:service::telemetry::metrics::level: none", // else it takes a port of its own
		},
		env:   []string{"VLLM_ADDRESS=" + vllm.address(), "SGLANG_ADDRESS=" + sglang.address(), "SCRAPE_INTERVAL=1s"},
		ports: []string{"PROMETHEUS_PORT"},
	})
	// What it exposes once it has the values of both servers.
	exposes := func(values ...string) (text string) {
		t.Helper()
		c.await(t, "the values "+strings.Join(values, " and "), func() bool {
			text = scrapeExporter(t, c, "PROMETHEUS_PORT")
			return !slices.ContainsFunc(values, func(value string) bool {
				return !regexp.MustCompile(`(?m)^` + value + `$`).MatchString(text)
			})
		})
		return scrapeExporter(t, c, "PROMETHEUS_PORT")
	}
	p := newPrometheus(t)
	begin := time.Unix(1_800_000_000, 0)

	p.scrape(t, exposes(`up{.*job="vllm".*} 1`, `up{.*job="sglang".*} 1`), begin)

	// Requests were done, and now both engines are busy, which they were not when they were captured.
	vllm.expose("metrics", with(t, exposition(t, "vllm-0.32.0"), map[string]string{
		"vllm:num_requests_running":  "4",
		"vllm:num_requests_waiting":  "3",
		"vllm:kv_cache_usage_perc":   "0.75",
		"vllm:num_preemptions_total": "6",
	}))
	sglang.expose("metrics", with(t, retracted(t, exposition(t, "sglang-0.5.23")), map[string]string{
		"sglang:num_running_reqs":             "2",
		"sglang:num_queue_reqs":               "5",
		"sglang:full_token_usage":             "0.5",
		"sglang:token_usage":                  "0.9", // of the fullest pool, which is not the KV cache
		"sglang:num_retracted_requests_total": "9",
	}))
	end := begin.Add(4 * time.Minute)
	p.scrape(t, exposes(`inference_server_requests_running{.*"vllm".*} 4`, `inference_server_requests_running{.*"sglang".*} 2`), end)
	c.stop(t)

	readme, err := os.ReadFile(metricsExample + "/README.md")
	require.NoError(t, err)
	queries := regexp.MustCompile("(?s)```promql\n(.*?)```").FindStringSubmatch(string(readme))
	require.NotNil(t, queries)
	asked := 0
	for query := range strings.SplitSeq(strings.TrimSpace(queries[1]), "\n\n") {
		title, expression, ok := strings.Cut(strings.TrimPrefix(query, "# "), "\n")
		require.True(t, ok, query)
		asked++
		t.Run(title, func(t *testing.T) {
			got := p.ask(t, expression, end)
			t.Log(got)
			assert.InDeltaMapValues(t, answers[title], got, 1e-9)
		})
	}
	assert.Len(t, answers, asked)
}

// sample is one of a counter or of a part of a histogram; SGLang's counters that do not count requests or tokens are
// of no matter here.
var sample = regexp.MustCompile(`(?m)^(sglang:\w+_(?:total|bucket|count|sum)(?:\{.*\})?) \S+$`)

// zeroed is an exposition of SGLang before it did anything.
func zeroed(text string) string {
	return sample.ReplaceAllString(text, "$1 0.0")
}

// with sets the values of metrics that have a single series.
func with(t *testing.T, text string, values map[string]string) string {
	t.Helper()
	for name, value := range values {
		line := regexp.MustCompile(`(?m)^(` + regexp.QuoteMeta(name) + `\{.*\}) \S+$`)
		require.Len(t, line.FindAllString(text, -1), 1, name)
		text = line.ReplaceAllString(text, "${1} "+value)
	}
	return text
}

// retracted adds the counter that SGLang has once it retracted a request, with the labels of another metric of the
// scheduler. None was retracted in what was captured.
func retracted(t *testing.T, text string) string {
	t.Helper()
	running := regexp.MustCompile(`(?m)^sglang:num_running_reqs(\{.*\}) \S+\n`).FindStringSubmatch(text)
	require.NotNil(t, running)
	const name = "sglang:num_retracted_requests_total"
	return text + "# TYPE " + name + " counter\n" + name + running[1] + " 0.0\n"
}
