// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
	"github.com/stretchr/testify/require"
)

// prometheus keeps scrapes in memory and answers queries about them with Prometheus' own engine. Prometheus' own
// storage would do as well, and brings the client libraries of three clouds with it.
type prometheus struct {
	engine *promql.Engine
	series []promql.Series
	index  map[uint64]int
}

func newPrometheus(t *testing.T) *prometheus {
	t.Helper()
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples: 1e6,
		Timeout:    time.Minute,
		Parser:     parser.NewParser(parser.Options{}),
	})
	t.Cleanup(func() { _ = engine.Close() })
	return &prometheus{engine: engine, index: map[uint64]int{}}
}

// scrape takes in an exposition as one of a moment.
func (p *prometheus) scrape(t *testing.T, text string, at time.Time) {
	t.Helper()
	parsed := textparse.NewPromParser([]byte(text), labels.NewSymbolTable(), false)
	for {
		entry, err := parsed.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		if entry != textparse.EntrySeries {
			continue
		}
		_, _, value := parsed.Series()
		var series labels.Labels
		parsed.Labels(&series)
		i, ok := p.index[series.Hash()]
		if !ok {
			i = len(p.series)
			p.index[series.Hash()] = i
			p.series = append(p.series, promql.Series{Metric: series})
		}
		p.series[i].Floats = append(p.series[i].Floats, promql.FPoint{T: at.UnixMilli(), F: value})
	}
}

// ask returns what a query answers at a moment, by provider.
func (p *prometheus) ask(t *testing.T, query string, at time.Time) map[string]float64 {
	t.Helper()
	q, err := p.engine.NewInstantQuery(t.Context(), p, nil, query, at)
	require.NoError(t, err, query)
	defer q.Close()
	vector, err := q.Exec(t.Context()).Vector()
	require.NoError(t, err, query)
	answer := map[string]float64{}
	for _, sample := range vector {
		answer[sample.Metric.Get("gen_ai_provider_name")] = sample.F
	}
	require.Len(t, answer, len(vector), "two answers for one provider: %s", query)
	return answer
}

// Querier is for the engine, which takes what it needs of the samples.
func (p *prometheus) Querier(int64, int64) (storage.Querier, error) { return querier{p}, nil }

type querier struct{ *prometheus }

func (q querier) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	set := &seriesSet{}
	for _, series := range q.series {
		if !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(series.Metric.Get(m.Name)) }) {
			set.rest = append(set.rest, series)
		}
	}
	return set
}

// seriesSet walks through series in any order, which is enough for the engine.
type seriesSet struct {
	current promql.Series
	rest    []promql.Series
}

func (s *seriesSet) Next() bool {
	if len(s.rest) == 0 {
		return false
	}
	s.current, s.rest = s.rest[0], s.rest[1:]
	return true
}

func (s *seriesSet) At() storage.Series { return promql.NewStorageSeries(s.current) }

func (*seriesSet) Err() error { return nil }

func (*seriesSet) Warnings() annotations.Annotations { return nil }

func (querier) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (querier) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (querier) Close() error { return nil }
