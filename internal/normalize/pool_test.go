// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// TestWalkersOfLargeScopesAreNotKept has scopes that make a walker grow, one by one thing.
func TestWalkersOfLargeScopesAreNotKept(t *testing.T) {
	askPoints := Options{MetricConditions: MetricConditions{
		Point: func(context.Context, Point[pmetric.ResourceMetrics, pmetric.ScopeMetrics, pmetric.Metric]) (bool, error) {
			return true, nil
		},
	}}
	many := func(metrics, points int, name string) pmetric.Metrics {
		md, list := scopeOfMetrics()
		for range metrics {
			h := histogram(list, name, cumulative)
			for range points {
				h.AppendEmpty()
			}
		}
		return md
	}
	const source = "vllm:e2e_request_latency_seconds"
	tests := []struct {
		name  string
		opts  Options
		batch pmetric.Metrics
		large bool
	}{
		{"a scrape", Options{}, scrape(t, vllmScrape), false},
		{"a scrape, asked about", askPoints, scrape(t, vllmScrape), false},
		{"metrics of an engine", Options{}, many(maxPooledMetrics+1, 1, source), true},
		{"points of an engine", Options{}, many(1, maxPooledPoints+1, source), true},
		{"metrics of others", Options{}, many(maxPooledMetrics+1, 1, "http"), false},
		{"metrics of others, asked about", askPoints, many(maxPooledMetrics+1, 1, "http"), true},
		{"points of others, asked about", askPoints, many(1, maxPooledPoints+1, "http"), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newMetricWalker(newMetricNormalizer(t, tt.opts, mapping.Options{}))
			_, err := w.resourceMetrics(t.Context(), tt.batch.ResourceMetrics().At(0))
			require.NoError(t, err)
			assert.Equal(t, tt.large, w.isOutgrown())
		})
	}
}

// TestNothingIsKeptOfAScope looks at what a walker remembers between scopes.
func TestNothingIsKeptOfAScope(t *testing.T) {
	w := newMetricWalker(newMetricNormalizer(t, Options{}, mapping.Options{Approximate: true, Extensions: true}))
	md, metrics := scopeOfMetrics()
	points := histogram(metrics, "vllm:e2e_request_latency_seconds", cumulative)
	for i := range maxOtherSlots + 1 {
		points.AppendEmpty().Attributes().PutStr("gen_ai.provider.name", strconv.Itoa(i))
	}
	for i := range 2 * maxStrangers {
		histogram(metrics, fmt.Sprintf("vllm:new_%d", i), cumulative).AppendEmpty()
	}
	_, err := w.resourceMetrics(t.Context(), md.ResourceMetrics().At(0))
	require.NoError(t, err)
	assert.Len(t, w.otherSlots, maxOtherSlots+1)
	assert.Len(t, w.strangers, maxStrangers)
	w.forget()
	assert.Nil(t, w.otherSlots)
}
