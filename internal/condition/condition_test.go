// SPDX-License-Identifier: Apache-2.0

package condition

import (
	"fmt"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
)

func TestEachConditionIsAskedAtItsOwnLevel(t *testing.T) {
	set := componenttest.NewNopTelemetrySettings()
	spans, err := ForSpans([]string{`resource.attributes["service.name"] == "llm"`, `scope.name == "vllm"`, `span.name == "llm_request"`}, ottl.IgnoreError, set)
	require.NoError(t, err)
	rs := ptrace.NewResourceSpans()
	ss := rs.ScopeSpans().AppendEmpty()
	s := ss.Spans().AppendEmpty()
	holds := func(holds bool, err error) bool {
		require.NoError(t, err)
		return holds
	}
	scope := normalize.InScope[ptrace.ResourceSpans, ptrace.ScopeSpans]{Resource: rs, Scope: ss}
	item := normalize.Item[ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span]{Resource: rs, Scope: ss, Item: s}
	assert.False(t, holds(spans.Resource(t.Context(), rs)))
	assert.False(t, holds(spans.Scope(t.Context(), scope)))
	assert.False(t, holds(spans.Item(t.Context(), item)))
	rs.Resource().Attributes().PutStr("service.name", "llm")
	ss.Scope().SetName("vllm")
	s.SetName("llm_request")
	assert.True(t, holds(spans.Resource(t.Context(), rs)))
	assert.True(t, holds(spans.Scope(t.Context(), scope)))
	assert.True(t, holds(spans.Item(t.Context(), item)))
}

func TestNothingIsAskedBelowWhatConditionsAreAbout(t *testing.T) {
	set := componenttest.NewNopTelemetrySettings()
	resource := []string{`resource.attributes["service.name"] == "llm"`}
	spans, err := ForSpans(resource, ottl.IgnoreError, set)
	require.NoError(t, err)
	assert.NotNil(t, spans.Resource)
	assert.Nil(t, spans.Scope)
	assert.Nil(t, spans.Item)
	metrics, err := ForMetrics(resource, ottl.IgnoreError, set)
	require.NoError(t, err)
	assert.NotNil(t, metrics.Resource)
	assert.Nil(t, metrics.Item)
	assert.Nil(t, metrics.Point)
	logs, err := ForLogs(nil, ottl.IgnoreError, set)
	require.NoError(t, err)
	assert.Nil(t, logs.Resource)
	assert.Nil(t, logs.Item)
}

func TestMetricsAndPointsAndLogs(t *testing.T) {
	set := componenttest.NewNopTelemetrySettings()
	metrics, err := ForMetrics([]string{`metric.name == "a" and metric.type == METRIC_DATA_TYPE_GAUGE`, `datapoint.attributes["engine"] == "0"`}, ottl.IgnoreError, set)
	require.NoError(t, err)
	m := pmetric.NewMetric()
	p := m.SetEmptyGauge().DataPoints().AppendEmpty()
	item := normalize.Item[pmetric.ResourceMetrics, pmetric.ScopeMetrics, pmetric.Metric]{Resource: pmetric.NewResourceMetrics(), Scope: pmetric.NewScopeMetrics(), Item: m}
	for range 2 {
		isA, err := metrics.Item(t.Context(), item)
		require.NoError(t, err)
		assert.Equal(t, m.Name() == "a", isA)
		isFirst, err := metrics.Point(t.Context(), normalize.Point[pmetric.ResourceMetrics, pmetric.ScopeMetrics, pmetric.Metric]{Item: item, Point: p})
		require.NoError(t, err)
		assert.Equal(t, m.Name() == "a", isFirst)
		m.SetName("a")
		p.Attributes().PutStr("engine", "0")
	}
	logs, err := ForLogs([]string{`log.body == "x"`}, ottl.IgnoreError, set)
	require.NoError(t, err)
	r := plog.NewLogRecord()
	r.Body().SetStr("x")
	isX, err := logs.Item(t.Context(), normalize.Item[plog.ResourceLogs, plog.ScopeLogs, plog.LogRecord]{Resource: plog.NewResourceLogs(), Scope: plog.NewScopeLogs(), Item: r})
	require.NoError(t, err)
	assert.True(t, isX)
}

func TestMistakesInConditions(t *testing.T) {
	for _, c := range []struct{ name, condition, want string }{
		{"no OTTL", `span.name =`, `condition "span.name =": `},
		{"no context", `name == "a"`, `condition "name == \"a\"": `},
		{"another signal's context", `datapoint.attributes["a"] == "b"`, `condition "datapoint.attributes[\"a\"] == \"b\"": `},
		{"an unknown path", `span.nam == "a"`, `condition "span.nam == \"a\"": `},
		{"an unknown function", `IsSpan(span.name)`, `condition "IsSpan(span.name)": `},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ForSpans([]string{`span.kind == 2`, c.condition}, ottl.IgnoreError, componenttest.NewNopTelemetrySettings())
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestErrorModes(t *testing.T) {
	for mode, want := range map[ottl.ErrorMode]struct {
		fails bool
		logs  int
	}{
		ottl.IgnoreError:    {false, 1},
		ottl.SilentError:    {false, 0},
		ottl.PropagateError: {true, 0},
	} {
		t.Run(string(mode), func(t *testing.T) {
			core, logs := observer.New(zap.WarnLevel)
			set := componenttest.NewNopTelemetrySettings()
			set.Logger = zap.New(core)
			conditions, err := ForSpans([]string{`ParseJSON(span.attributes["secret"])["a"] == 1`}, mode, set)
			require.NoError(t, err)
			s := ptrace.NewSpan()
			s.Attributes().PutStr("secret", "my prompt")
			item := normalize.Item[ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span]{Resource: ptrace.NewResourceSpans(), Scope: ptrace.NewScopeSpans(), Item: s}
			for range 3 {
				holds, err := conditions.Item(t.Context(), item)
				assert.False(t, holds)
				assert.Equal(t, want.fails, err != nil)
			}
			assert.Equal(t, want.logs, logs.Len(), "a condition is logged once")
			for _, entry := range logs.All() {
				assert.NotContains(t, fmt.Sprint(entry.Message, entry.ContextMap()), "my prompt")
			}
		})
	}
}
