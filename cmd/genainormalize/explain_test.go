// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/explain"
)

// explanation is what explain writes as JSON.
type explanation struct {
	Input      []explain.Input
	Recognised []explain.Recognised
	Rows       []explain.Row
	Stats      map[string]any
}

func explained(t *testing.T, config, input string) (e explanation) {
	t.Helper()
	args := []string{"explain", "--format", "json", input}
	if config != "" {
		args = append(args, "--config", config)
	}
	code, stdout, stderr := runWith(args...)
	require.Zero(t, code, stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &e))
	return e
}

// TestExplainEqualsApply holds for every captured file and every case: what the rows say went, came and changed is what
// differs between the input and the output of apply, and what they count is what apply counts.
func TestExplainEqualsApply(t *testing.T) {
	var inputs []string
	for _, pattern := range []string{"captured/*/*.otlp.json", "captured/*/metrics/*.otlp.json", "captured/*/metrics/*.prom", "cases/*/input.json"} {
		files, err := filepath.Glob("testdata/" + pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		inputs = append(inputs, files...)
	}
	for _, input := range inputs {
		t.Run(input, func(t *testing.T) {
			config := ""
			if filepath.Base(input) == "input.json" {
				config = filepath.Join(filepath.Dir(input), "config.yaml")
			}
			after, stats := applyTo(t, config, input)
			before, err := newInput(new(cobra.Command)).readFiles([]string{input})
			require.NoError(t, err)
			e := explained(t, config, input)

			assert.Equal(t, stats, e.Stats)
			assert.Equal(t, countsOf(stats["outcomes"]), outcomesOf(e.Rows))
			assert.Equal(t, unmappedOf(stats["unmapped"]), unmappedRows(e.Rows))
			wantItems := countsOf(stats["items"])
			maps.DeleteFunc(wantItems, func(key string, _ int64) bool { return strings.HasPrefix(key, "metrics ") })
			assert.Equal(t, wantItems, itemsOf(e.Recognised))

			want, pairs := tally{}, tally{}
			for i := range before {
				if i == len(after) { // Dropped metrics were all of it.
					after = append(after, pmetric.NewMetrics())
				}
				want.compare(t, before[i], after[i], pairs, droppedOf(e.Rows))
			}
			assert.Equal(t, want.withoutZero(), changesOf(e.Rows).withoutZero())
			for _, row := range e.Rows {
				if row.Kind == explain.KindAttribute && row.Added && row.Removed {
					assert.LessOrEqual(t, row.Count, pairs[row.Source+" → "+row.Target], "%s → %s", row.Source, row.Target)
				}
			}
		})
	}
}

// tally counts changes by what they are: "attribute - gen_ai.system", "metric gen_ai.server.request.duration".
type tally map[string]int64

func (c tally) withoutZero() tally {
	maps.DeleteFunc(c, func(_ string, count int64) bool { return count == 0 })
	return c
}

// droppedOf are the names of metrics that are dropped, with all their labels.
func droppedOf(rows []explain.Row) (names []string) {
	for _, r := range rows {
		if r.Kind == explain.KindMetric && r.Fate == "dropped" {
			names = append(names, r.Source)
		}
	}
	return names
}

// changesOf is what the rows say. Data points and labels are counted as a balance.
func changesOf(rows []explain.Row) tally {
	c := tally{}
	for _, r := range rows {
		switch r.Kind {
		case explain.KindAttribute:
			if r.Removed {
				c["attribute - "+r.Source] += r.Count
			}
			if r.Added {
				c["attribute + "+r.Target] += r.Count
			}
			if r.Fate == "converted" {
				c["attribute ~ "+r.Source] += r.Count
			}
		case explain.KindMetric, explain.KindLabel:
			if r.Removed {
				c[string(r.Kind)+" "+r.Source] -= r.Count
			}
			if r.Added {
				c[string(r.Kind)+" "+r.Target] += r.Count
			}
		case explain.KindSchemaURL:
			c["schema URL "+r.Target] += r.Count
		default:
			c[string(r.Kind)] += r.Count
		}
	}
	return c
}

// compare counts what differs between what came in and what went out.
func (c tally) compare(t *testing.T, before, after any, pairs tally, dropped []string) {
	t.Helper()
	switch b := before.(type) {
	case ptrace.Traces:
		a := after.(ptrace.Traces)
		for i, rs := range b.ResourceSpans().All() {
			ra := a.ResourceSpans().At(i)
			c.resource(rs.Resource(), ra.Resource())
			for j, ss := range rs.ScopeSpans().All() {
				sa := ra.ScopeSpans().At(j)
				c.text("schema URL "+sa.SchemaUrl(), ss.SchemaUrl(), sa.SchemaUrl())
				for k, span := range ss.Spans().All() {
					c.text("name", span.Name(), sa.Spans().At(k).Name())
					c.attributes(span.Attributes(), sa.Spans().At(k).Attributes(), pairs)
				}
			}
		}
	case plog.Logs:
		a := after.(plog.Logs)
		for i, rl := range b.ResourceLogs().All() {
			ra := a.ResourceLogs().At(i)
			c.resource(rl.Resource(), ra.Resource())
			for j, sl := range rl.ScopeLogs().All() {
				sa := ra.ScopeLogs().At(j)
				c.text("schema URL "+sa.SchemaUrl(), sl.SchemaUrl(), sa.SchemaUrl())
				for k, record := range sl.LogRecords().All() {
					c.text("name", record.EventName(), sa.LogRecords().At(k).EventName())
					c.attributes(record.Attributes(), sa.LogRecords().At(k).Attributes(), pairs)
				}
			}
		}
	case pmetric.Metrics:
		a := after.(pmetric.Metrics)
		c.points(b, -1, dropped)
		c.points(a, 1, dropped)
		for i, rm := range b.ResourceMetrics().All() {
			if a.ResourceMetrics().Len() < b.ResourceMetrics().Len() {
				break // An empty one was removed.
			}
			ra := a.ResourceMetrics().At(i)
			c.resource(rm.Resource(), ra.Resource())
			for j, sm := range rm.ScopeMetrics().All() {
				url := ra.ScopeMetrics().At(j).SchemaUrl()
				c.text("schema URL "+url, sm.SchemaUrl(), url)
			}
		}
	}
}

func (c tally) text(what, before, after string) {
	if before != after {
		c[what]++
	}
}

func (c tally) resource(before, after pcommon.Resource) {
	if !before.Attributes().Equal(after.Attributes()) {
		c[string(explain.KindResourceAttribute)]++
	}
}

func (c tally) attributes(before, after pcommon.Map, pairs tally) {
	old, left := occurrences(before), occurrences(after)
	for name, v := range before.All() {
		now, ok := after.Get(name)
		switch {
		case old[name] > left[name]: // A hostile item has a key several times.
			c["attribute - "+name]++
			old[name]--
		case ok && !now.Equal(v) && name == "event.name":
			c["name"]++
		case ok && !now.Equal(v) && left[name] == 1:
			c["attribute ~ "+name]++
		}
	}
	for name := range after.All() {
		if _, ok := before.Get(name); ok {
			continue
		}
		c["attribute + "+name]++
		for source := range before.All() {
			if _, ok := after.Get(source); !ok {
				pairs[source+" → "+name]++
			}
		}
	}
}

func occurrences(attributes pcommon.Map) map[string]int {
	n := map[string]int{}
	for name := range attributes.All() {
		n[name]++
	}
	return n
}

// points counts the data points by name, and their labels, except those of metrics that are dropped.
func (c tally) points(md pmetric.Metrics, sign int64, dropped []string) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				for _, labels := range labelsOf(m) {
					c["metric "+m.Name()] += sign
					if slices.Contains(dropped, m.Name()) {
						continue
					}
					for label, v := range labels.All() {
						if v.AsString() != "" { // An empty label is none.
							c["label "+label] += sign
						}
					}
				}
			}
		}
	}
}

func labelsOf(m pmetric.Metric) (labels []pcommon.Map) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		for _, p := range m.Gauge().DataPoints().All() {
			labels = append(labels, p.Attributes())
		}
	case pmetric.MetricTypeSum:
		for _, p := range m.Sum().DataPoints().All() {
			labels = append(labels, p.Attributes())
		}
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			labels = append(labels, p.Attributes())
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, p := range m.ExponentialHistogram().DataPoints().All() {
			labels = append(labels, p.Attributes())
		}
	case pmetric.MetricTypeSummary:
		for _, p := range m.Summary().DataPoints().All() {
			labels = append(labels, p.Attributes())
		}
	}
	return labels
}

func countsOf(stats any) map[string]int64 {
	counts := map[string]int64{}
	for _, s := range stats.([]any) {
		m := s.(map[string]any)
		key := fmt.Sprint(m["signal"], " ", m["dialect"])
		if reason, ok := m["reason"]; ok {
			key += fmt.Sprint(" ", reason)
		}
		counts[key] = int64(m["count"].(float64))
	}
	return counts
}

func outcomesOf(rows []explain.Row) map[string]int64 {
	counts := map[string]int64{}
	for _, r := range rows {
		if r.Outcomes > 0 {
			counts[fmt.Sprint(r.Signal, " ", r.Dialect, " ", r.Fate)] += r.Outcomes
		}
	}
	return counts
}

func itemsOf(recognised []explain.Recognised) map[string]int64 {
	counts := map[string]int64{}
	for _, r := range recognised {
		if r.Signal != "metrics" {
			counts[fmt.Sprint(r.Signal, " ", r.Dialect)] += r.Count
		}
	}
	return counts
}

func unmappedOf(stats any) (names []string) {
	for _, s := range stats.([]any) {
		names = append(names, s.(map[string]any)["name"].(string))
	}
	slices.Sort(names)
	return names
}

func unmappedRows(rows []explain.Row) (names []string) {
	for _, r := range rows {
		if r.Unmapped && r.Kind == explain.KindMetric {
			names = append(names, r.Source)
		}
	}
	slices.Sort(names)
	return names
}

// TestNoCapturedAttributeIsUnmapped is so that --strict says something about a new release.
func TestNoCapturedAttributeIsUnmapped(t *testing.T) {
	files, err := filepath.Glob("testdata/captured/*/*.otlp.json")
	require.NoError(t, err)
	code, stdout, stderr := runWith(append([]string{"explain", "--format", "json"}, files...)...)
	require.Zero(t, code, stderr)
	assert.NotContains(t, stdout, `"unmapped": true`)
}
