// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const newEngine = "examples/new-engine/"

func TestTheGuideToTablesHasTheWholeTable(t *testing.T) {
	table, err := os.ReadFile(newEngine + "heron.yaml")
	require.NoError(t, err)
	guide, err := os.ReadFile("docs/tables.md")
	require.NoError(t, err)
	assert.Contains(t, string(guide), "\n```yaml table\n"+string(table)+"```\n")
}

// What the guide to tables says comes out.
func TestANewEngineIsATableAndNothingElse(t *testing.T) {
	documents, _ := applyTo(t, newEngine+"options.yaml", newEngine+"span.otlp.json")
	require.Len(t, documents, 1)
	span := documents[0].(ptrace.Traces).ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	assert.Equal(t, map[string]any{
		"heron.request_id":               "chat-7f3a",
		"heron.time.total":               1.99,
		"heron.time.queue":               0.04,
		"gen_ai.request.model":           "kite-7b",
		"gen_ai.usage.input_tokens":      int64(12),
		"gen_ai.usage.output_tokens":     int64(34),
		"gen_ai.response.finish_reasons": []any{"stop"},
		"gen_ai.provider.name":           "heron",
		"gen_ai.operation.name":          "chat",
	}, span.Attributes().AsRaw())

	documents, stats := applyTo(t, newEngine+"options.yaml", newEngine+"metrics.prom")
	require.Len(t, documents, 1)
	points := map[string]int{}
	for _, m := range documents[0].(pmetric.Metrics).ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		switch m.Type() {
		case pmetric.MetricTypeHistogram:
			points[m.Name()] += m.Histogram().DataPoints().Len()
			point := m.Histogram().DataPoints().At(0)
			assert.Equal(t, "s", m.Unit())
			assert.Equal(t, []float64{0.1, 1}, point.ExplicitBounds().AsRaw())
			assert.Equal(t, 2.5, point.Sum())
			assert.Equal(t, map[string]any{
				"role": "whole", "gen_ai.request.model": "kite-7b", "gen_ai.operation.name": "chat", "gen_ai.provider.name": "heron",
			}, point.Attributes().AsRaw())
		case pmetric.MetricTypeGauge:
			points[m.Name()] += m.Gauge().DataPoints().Len()
		default:
			points[m.Name()] += m.Sum().DataPoints().Len()
		}
	}
	assert.Equal(t, map[string]int{
		"gen_ai.server.request.duration":    1,
		"inference.server.requests.running": 1,
		"heron_running_requests":            1, // the copy of the other rank
		"heron_evictions_total":             1,
		"heron_proxy_hops_total":            1,
	}, points)
	assert.Empty(t, stats["outcomes"])
	assert.Empty(t, stats["unmapped"])
}
