// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

const (
	requestDuration    = "gen_ai.server.request.duration"
	timeToFirstToken   = "gen_ai.server.time_to_first_token"
	timePerOutputToken = "gen_ai.server.time_per_output_token"
)

// exposed says what the default configuration makes of what a real server exposed.
var exposed = []struct {
	name     string
	provider string
	// moved has the standard's names by the engine's.
	moved map[string]string
	// parted are those of the engine's names that some points keep.
	parted []string
}{
	{
		name:     "vllm-0.8.5-v0-hidden-metrics", // the V0 engine: no label engine, no mean time per output token
		provider: "vllm",
		moved: map[string]string{
			"vllm:e2e_request_latency_seconds": requestDuration,
			"vllm:time_to_first_token_seconds": timeToFirstToken,
		},
	},
	{
		name:     "vllm-0.10.2", // V1, with old and new names side by side
		provider: "vllm",
		moved: map[string]string{
			"vllm:e2e_request_latency_seconds": requestDuration,
			"vllm:time_to_first_token_seconds": timeToFirstToken,
		},
	},
	{
		name:     "vllm-0.32.0",
		provider: "vllm",
		moved: map[string]string{
			"vllm:e2e_request_latency_seconds":           requestDuration,
			"vllm:time_to_first_token_seconds":           timeToFirstToken,
			"vllm:request_time_per_output_token_seconds": timePerOutputToken,
		},
	},
	{
		name:     "vllm-0.32.0-rust-frontend", // OpenMetrics
		provider: "vllm",
		moved: map[string]string{
			"vllm:e2e_request_latency_seconds":           requestDuration,
			"vllm:time_to_first_token_seconds":           timeToFirstToken,
			"vllm:request_time_per_output_token_seconds": timePerOutputToken,
		},
	},
	{
		name:     "vllm-0.32.0-pooling",
		provider: "vllm",
		moved: map[string]string{
			"vllm:e2e_request_latency_seconds":           requestDuration,
			"vllm:time_to_first_token_seconds":           timeToFirstToken,
			"vllm:request_time_per_output_token_seconds": timePerOutputToken,
		},
	},
	{
		name:     "sglang-0.4.6", // the time to the first token mixes streamed requests and others
		provider: "sglang",
		moved: map[string]string{
			"sglang:e2e_request_latency_seconds": requestDuration,
		},
	},
	{
		name:     "sglang-0.5.19", // only streamed requests have a time to the first token
		provider: "sglang",
		moved: map[string]string{
			"sglang:e2e_request_latency_seconds": requestDuration,
			"sglang:time_to_first_token_seconds": timeToFirstToken,
		},
		parted: []string{"sglang:time_to_first_token_seconds"},
	},
	{
		name:     "sglang-0.5.23",
		provider: "sglang",
		moved: map[string]string{
			"sglang:e2e_request_latency_seconds":           requestDuration,
			"sglang:time_to_first_token_seconds":           timeToFirstToken,
			"sglang:request_time_per_output_token_seconds": timePerOutputToken,
		},
	},
	{
		name:     "sglang-0.5.23-tp2-all-schedulers", // a series for each rank
		provider: "sglang",
		moved: map[string]string{
			"sglang:e2e_request_latency_seconds":           requestDuration,
			"sglang:time_to_first_token_seconds":           timeToFirstToken,
			"sglang:request_time_per_output_token_seconds": timePerOutputToken,
		},
	},
	{
		name:     "sglang-0.5.23-pd-prefill", // half of each request, and no first token
		provider: "sglang",
	},
	{
		name:     "sglang-0.5.23-pd-decode", // no streamed request, and of others the first token comes with the last
		provider: "sglang",
		moved: map[string]string{
			"sglang:e2e_request_latency_seconds": requestDuration,
		},
	},
	{
		name:     "sglang-0.5.23-openmetrics-underscores", // no histograms, but a gauge for each bucket
		provider: "sglang",
	},
	{
		name:     "sglang-router-0.3.2-engine_metrics", // through a gateway, which writes other names
		provider: "sglang",
		moved: map[string]string{
			"sglang_e2e_request_latency_seconds":           requestDuration,
			"sglang_time_to_first_token_seconds":           timeToFirstToken,
			"sglang_request_time_per_output_token_seconds": timePerOutputToken,
		},
	},
	{
		name:     "smg-1.13.0-engine_metrics", // through another gateway
		provider: "sglang",
		moved: map[string]string{
			"sglang:e2e_request_latency_seconds":           requestDuration,
			"sglang:time_to_first_token_seconds":           timeToFirstToken,
			"sglang:request_time_per_output_token_seconds": timePerOutputToken,
		},
	},
}

// The collector scrapes all servers once. Each pipeline does something else with the same scrapes.
func TestScrapedMetrics(t *testing.T) {
	t.Parallel()
	passed := scrapeAll(t)
	untouched, normalised, kept := passed["untouched"], passed["default"], passed["keep"]

	for _, e := range exposed {
		t.Run(e.name, func(t *testing.T) {
			before, after := untouched[e.name], normalised[e.name]

			t.Run("changes what it should", func(t *testing.T) {
				assert.ElementsMatch(t, slices.Collect(maps.Values(e.moved)), namesMissingIn(before, after), "new")
				gone := slices.DeleteFunc(slices.Collect(maps.Keys(e.moved)), func(name string) bool { return slices.Contains(e.parted, name) })
				assert.ElementsMatch(t, gone, namesMissingIn(after, before), "gone")
				if len(e.moved) > 0 {
					compareWithGolden(t, e.name, changed(t, before, after))
				}
			})
			t.Run("keeps values and labels", func(t *testing.T) {
				for from, to := range e.moved {
					got := pointTexts(t, metricNamed(t, after, to))
					if slices.Contains(e.parted, from) {
						got = append(got, renamed(t, metricNamed(t, after, from), e.provider)...)
					}
					assert.ElementsMatch(t, renamed(t, metricNamed(t, before, from), e.provider), got)
					assert.Equal(t, "s", metricNamed(t, after, to).Unit())
				}
			})
			t.Run("changes nothing else", func(t *testing.T) {
				var moved []string
				for from, to := range e.moved {
					moved = append(moved, from, to)
				}
				assert.Equal(t, textWithout(t, before, moved), textWithout(t, after, moved))
			})
			t.Run("keeps the originals if asked to", func(t *testing.T) {
				targets := slices.Collect(maps.Values(e.moved))
				assert.Equal(t, scrapeText(t, before), textWithout(t, kept[e.name], targets))
				for _, name := range targets {
					assert.Equal(t, metricText(t, metricNamed(t, after, name)), metricText(t, metricNamed(t, kept[e.name], name)))
				}
			})
			for _, pipeline := range []string{"default", "keep", "all"} {
				t.Run("changes nothing a second time/"+pipeline, func(t *testing.T) {
					assert.Equal(t, scrapeText(t, passed[pipeline][e.name]), scrapeText(t, passed[pipeline+"_twice"][e.name]))
				})
			}
		})
	}
}

// scrapeAll returns what came out of each pipeline, by the names that the configuration gives them.
func scrapeAll(t *testing.T) map[string]scrapes {
	t.Helper()
	servers := serve(t)
	names := make([]string, len(exposed))
	for i, e := range exposed {
		names[i] = e.name
		servers.expose(e.name, exposition(t, e.name))
	}
	c := start(t, setup{
		binary:  full(t),
		configs: []string{"testdata/metrics/collector.yaml"},
		env:     []string{servers.scrapeConfigs(names...)},
	})
	pipelines := []string{"untouched", "default", "default_twice", "keep", "keep_twice", "all", "all_twice"}
	passed := map[string]scrapes{}
	c.await(t, "every scrape", func() bool {
		for _, pipeline := range pipelines {
			if len(passed[pipeline]) < len(names) {
				passed[pipeline], _ = readScrapes(c.file(pipeline + ".json"))
			}
		}
		return !slices.ContainsFunc(pipelines, func(p string) bool { return len(passed[p]) < len(names) })
	})
	c.stop(t)
	return passed
}

// namesMissingIn returns the names that b has and a has not.
func namesMissingIn(a, b pmetric.ResourceMetrics) (missing []string) {
	have := map[string]bool{}
	for _, m := range metricsOf(a) {
		have[m.Name()] = true
	}
	for _, m := range metricsOf(b) {
		if !have[m.Name()] {
			missing = append(missing, m.Name())
		}
	}
	return missing
}

// changed returns the metrics of a scrape that were not there before, or said something else.
func changed(t *testing.T, before, after pmetric.ResourceMetrics) pmetric.Metrics {
	t.Helper()
	was := map[string]string{}
	for _, m := range metricsOf(before) {
		was[m.Name()] = metricText(t, m)
	}
	md := pmetric.NewMetrics()
	after.ScopeMetrics().CopyTo(md.ResourceMetrics().AppendEmpty().ScopeMetrics())
	for _, sm := range md.ResourceMetrics().At(0).ScopeMetrics().All() {
		sm.Metrics().RemoveIf(func(m pmetric.Metric) bool { return was[m.Name()] == metricText(t, m) })
		sm.Metrics().Sort(func(a, b pmetric.Metric) bool { return a.Name() < b.Name() })
		sm.Scope().SetVersion("") // the release of the collector
	}
	return md
}

// compareWithGolden compares but for timestamps and order, both of which differ from scrape to scrape.
func compareWithGolden(t *testing.T, name string, got pmetric.Metrics) {
	t.Helper()
	if *update {
		require.Empty(t, os.Getenv("CI"), "golden files are not written in CI")
		require.NoError(t, golden.WriteMetricsToFile(filepath.Join("testdata", "metrics", name+".yaml"), got))
		return
	}
	path := filepath.Join(t.TempDir(), "got.yaml")
	require.NoError(t, golden.WriteMetricsToFile(path, got))
	want, err := os.ReadFile(filepath.Join("testdata", "metrics", name+".yaml"))
	require.NoError(t, err)
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(have))
}

// textWithout is everything that a scrape says but for some metrics.
func textWithout(t *testing.T, rm pmetric.ResourceMetrics, names []string) string {
	t.Helper()
	rest := pmetric.NewResourceMetrics()
	rm.CopyTo(rest)
	for _, sm := range rest.ScopeMetrics().All() {
		sm.Metrics().RemoveIf(func(m pmetric.Metric) bool { return slices.Contains(names, m.Name()) })
	}
	return scrapeText(t, rest)
}

// pointTexts is what the points of a metric say, whatever the order of their labels.
func pointTexts(t *testing.T, m pmetric.Metric) []string {
	t.Helper()
	texts := make([]string, 0, len(pointsOf(m)))
	for _, p := range pointsOf(m) {
		one := pmetric.NewMetric()
		h := p.(pmetric.HistogramDataPoint)
		h.CopyTo(one.SetEmptyHistogram().DataPoints().AppendEmpty())
		one.Histogram().DataPoints().At(0).Attributes().Clear()
		texts = append(texts, labelText(p.Attributes())+" "+metricText(t, one))
	}
	return texts
}

// renamed is what the points of an engine's metric should say under the standard's name: all that they said, with the
// standard's word for the model and with a provider.
func renamed(t *testing.T, m pmetric.Metric, provider string) []string {
	t.Helper()
	after := pmetric.NewMetric()
	m.CopyTo(after)
	for _, p := range pointsOf(after) {
		if model, ok := p.Attributes().Get("model_name"); ok {
			p.Attributes().PutStr("gen_ai.request.model", model.Str())
			p.Attributes().Remove("model_name")
		}
		p.Attributes().PutStr("gen_ai.provider.name", provider)
	}
	return pointTexts(t, after)
}

func labelText(labels pcommon.Map) string {
	var text []string
	for k, v := range labels.All() {
		text = append(text, k+"="+v.AsString())
	}
	slices.Sort(text)
	return strings.Join(text, ",")
}
