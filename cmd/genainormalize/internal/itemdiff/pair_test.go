// SPDX-License-Identifier: Apache-2.0

package itemdiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/itemdiff"

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"
)

// gauge describes a metric with one point.
type gauge struct {
	name   string
	labels map[string]any
	value  float64
}

func gauges(t *testing.T, list ...gauge) []otlpjson.Document {
	t.Helper()
	md := pmetric.NewMetrics()
	metrics := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
	for _, g := range list {
		m := metrics.AppendEmpty()
		m.SetName(g.name)
		p := m.SetEmptyGauge().DataPoints().AppendEmpty()
		p.SetDoubleValue(g.value)
		require.NoError(t, p.Attributes().FromRaw(g.labels))
	}
	return []otlpjson.Document{md}
}

func TestPairingOfDataPoints(t *testing.T) {
	tiny, big := map[string]any{"model_name": "tiny"}, map[string]any{"model_name": "big"}
	renamed := map[string]any{"gen_ai.request.model": "tiny", "gen_ai.provider.name": "vllm"}
	for name, test := range map[string]struct {
		before, after []gauge
		pairs         map[string]string
	}{
		"one series by its labels, in any order": {
			[]gauge{{"a", tiny, 1}, {"a", big, 2}}, []gauge{{"a", big, 2}, {"a", tiny, 1}}, map[string]string{"a tiny": "a tiny", "a big": "a big"},
		},
		"a renamed series by its value and the values of its labels": {
			[]gauge{{"a", big, 1}, {"b", tiny, 1}, {"c", tiny, 2}},
			[]gauge{{"a", big, 1}, {"x", renamed, 2}, {"y", renamed, 1}},
			map[string]string{"a big": "a big", "b tiny": "y tiny", "c tiny": "x tiny"},
		},
		"a renamed series in another unit": {
			[]gauge{{"ms", tiny, 2500}}, []gauge{{"s", renamed, 2.5}}, map[string]string{"ms tiny": "s tiny"},
		},
		"the same value before another unit": {
			[]gauge{{"dropped", tiny, 10}, {"b", tiny, 1}}, []gauge{{"y", renamed, 1}}, map[string]string{"b tiny": "y tiny"},
		},
		"nothing with other values": {
			[]gauge{{"a", tiny, 3}, {"b", big, 1}}, []gauge{{"x", renamed, 1}}, map[string]string{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := Compare(gauges(t, test.before...), gauges(t, test.after...))
			pairs := map[string]string{}
			for _, d := range c.Differences {
				pairs[series(d.Before)] = series(d.After)
			}
			assert.Equal(t, test.pairs, pairs)
			assert.Len(t, c.Missing, len(test.before)-len(pairs))
			assert.Len(t, c.Extra, len(test.after)-len(pairs))
		})
	}
}

// series is the metric and the model.
func series(i Item) string {
	for _, label := range []string{"model_name", "gen_ai.request.model"} {
		if v, ok := i.Attributes.Get(label); ok {
			return i.Name + " " + v.Str()
		}
	}
	return i.Name
}

func TestEveryPartOfADataPointCounts(t *testing.T) {
	histogram := func(change func(m pmetric.Metric, p pmetric.HistogramDataPoint)) []otlpjson.Document {
		md := pmetric.NewMetrics()
		m := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
		p := m.SetEmptyHistogram().DataPoints().AppendEmpty()
		p.BucketCounts().FromRaw([]uint64{1, 2})
		p.ExplicitBounds().FromRaw([]float64{1000})
		p.SetSum(1500)
		change(m, p)
		return []otlpjson.Document{md}
	}
	before := histogram(func(pmetric.Metric, pmetric.HistogramDataPoint) {})
	assert.Zero(t, Compare(before, before).Changed())
	for name, change := range map[string]func(m pmetric.Metric, p pmetric.HistogramDataPoint){
		"name":        func(m pmetric.Metric, _ pmetric.HistogramDataPoint) { m.SetName("other") },
		"unit":        func(m pmetric.Metric, _ pmetric.HistogramDataPoint) { m.SetUnit("s") },
		"description": func(m pmetric.Metric, _ pmetric.HistogramDataPoint) { m.SetDescription("other") },
		"metadata":    func(m pmetric.Metric, _ pmetric.HistogramDataPoint) { m.Metadata().PutStr("a", "b") },
		"label":       func(_ pmetric.Metric, p pmetric.HistogramDataPoint) { p.Attributes().PutStr("a", "b") },
		"sum and bounds": func(_ pmetric.Metric, p pmetric.HistogramDataPoint) {
			p.SetSum(1.5)
			p.ExplicitBounds().FromRaw([]float64{1})
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, 1, Compare(before, histogram(change)).Changed())
		})
	}
}

func TestPairingOfLogRecords(t *testing.T) {
	logs := func(name, key string, bodies ...string) []otlpjson.Document {
		ld := plog.NewLogs()
		records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
		for _, body := range bodies {
			r := records.AppendEmpty()
			r.SetEventName(name)
			r.Body().SetStr(body)
			r.Attributes().PutStr(key, body)
		}
		return []otlpjson.Document{ld}
	}
	c := Compare(logs("old", "gen_ai.system", "a", "b", "lost"), logs("new", "gen_ai.provider.name", "b", "a"))
	require.Len(t, c.Differences, 2)
	for _, d := range c.Differences {
		body, _ := d.Before.Attributes.Get("gen_ai.system")
		assert.Equal(t, []Change{
			{Kind: Renamed, Key: "gen_ai.system", NewKey: "gen_ai.provider.name", Before: format(body), After: format(body)},
			{Kind: Converted, Key: "log: event name", NewKey: "log: event name", Before: "old", After: "new"},
		}, d.Changes)
	}
	assert.Len(t, c.Missing, 1)
	assert.Empty(t, c.Extra)
}
