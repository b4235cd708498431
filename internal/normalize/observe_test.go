// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// watcher counts what it is told as a reporter, and what as an observer.
type watcher struct {
	silent
	items, recognised int64
	counted, told     map[Reason]int64
}

func newWatcher() *watcher {
	return &watcher{counted: map[Reason]int64{}, told: map[Reason]int64{}}
}

func (w *watcher) Items(_ context.Context, _ *mapping.DialectRules, n int64) { w.items += n }
func (w *watcher) Outcomes(_ context.Context, _ *mapping.DialectRules, r Reason, n int64) {
	w.counted[r] += n
}

func (w *watcher) Recognised(*mapping.DialectRules, mapping.Form, mapping.Recognition) {
	w.recognised++
}
func (w *watcher) Attribute(f AttributeFate) { w.add(f.Fate, 1) }
func (w *watcher) Metric(f MetricFate)       { w.add(f.Fate, f.Outcomes) }
func (w *watcher) Label(f LabelFate)         { w.add(f.Fate, 1) }

func (w *watcher) add(f Fate, n int) {
	if r, ok := f.Reason(); ok && n > 0 {
		w.told[r] += int64(n)
	}
}

// TestAnObserverChangesNothing holds for all captured payloads. What it is told is what is counted.
func TestAnObserverChangesNothing(t *testing.T) {
	n := newNormalizer(t, Options{CreatedSeries: DropCreatedSeries})
	for _, pattern := range []string{"*", "*/metrics"} {
		files, err := filepath.Glob("../../testdata/captured/" + pattern + "/*.otlp.json")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			w := newWatcher()
			if pattern == "*" {
				plain, observed := spansIn(t, data), spansIn(t, data)
				require.NoError(t, n.Traces(t.Context(), plain, silent{}))
				require.NoError(t, n.Traces(t.Context(), observed, w))
				assert.Equal(t, spanBytes(t, plain), spanBytes(t, observed), file)
				assert.Equal(t, w.items, w.recognised, file)
			} else {
				plain, observed := metricsIn(t, data), metricsIn(t, data)
				require.NoError(t, n.Metrics(t.Context(), plain, silent{}))
				require.NoError(t, n.Metrics(t.Context(), observed, w))
				assert.Equal(t, metricBytes(t, plain), metricBytes(t, observed), file)
			}
			assert.Equal(t, w.counted, w.told, file)
		}
	}
}

func TestFatesAreCountedUnderTheirNames(t *testing.T) {
	found := map[Reason]bool{}
	for f := range numFates {
		assert.NotEmpty(t, f.String())
		if r, ok := f.Reason(); ok {
			assert.Equal(t, r.String(), f.String())
			found[r] = true
		}
	}
	assert.Len(t, found, len(Reasons()))
}

func spansIn(t *testing.T, data []byte) ptrace.Traces {
	t.Helper()
	td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(data)
	require.NoError(t, err)
	return td
}

func metricsIn(t *testing.T, data []byte) pmetric.Metrics {
	t.Helper()
	md, err := new(pmetric.JSONUnmarshaler).UnmarshalMetrics(data)
	require.NoError(t, err)
	return md
}

func spanBytes(t *testing.T, td ptrace.Traces) []byte {
	t.Helper()
	data, err := new(ptrace.ProtoMarshaler).MarshalTraces(td)
	require.NoError(t, err)
	return data
}

func metricBytes(t *testing.T, md pmetric.Metrics) []byte {
	t.Helper()
	data, err := new(pmetric.ProtoMarshaler).MarshalMetrics(md)
	require.NoError(t, err)
	return data
}
