// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor/internal/condition"
)

const secretPrompt = "what a user asked"

// TestPropagatedErrorsRefuseTheBatch has a condition that fails for some items only, and only after others that hold.
// The sender's error neither grows with the batch nor quotes it, nothing is passed on, and nothing is counted.
func TestPropagatedErrorsRefuseTheBatch(t *testing.T) {
	const items = 1000
	for _, signal := range []struct {
		name    string
		config  string
		consume func(*testing.T, *harness) (passedOn int, err error)
	}{
		{"traces", `trace_conditions: ['span.attributes["ok"] == true or ParseJSON(span.attributes["prompt"])["a"] == 1']`, consumeFailingSpans(items)},
		{"metrics", `metric_conditions: ['datapoint.attributes["ok"] == true or ParseJSON(datapoint.attributes["prompt"])["a"] == 1']`, consumeFailingPoints(items)},
		{"logs", `log_conditions: ['log.attributes["ok"] == true or ParseJSON(log.attributes["prompt"])["a"] == 1']`, consumeFailingRecords(items)},
	} {
		t.Run(signal.name, func(t *testing.T) {
			h := newHarness(t, "{error_mode: propagate, "+signal.config+"}")
			passedOn, err := signal.consume(t, h)
			require.ErrorIs(t, err, condition.ErrNotEvaluated)
			assert.True(t, consumererror.IsPermanent(err), "a retry fails as well")
			assert.Less(t, len(err.Error()), 400)
			assert.NotContains(t, err.Error(), secretPrompt)
			assert.Zero(t, passedOn)
			assert.Equal(t, report{Items: []count{}, Outcomes: []count{}}, h.report(t))
			for _, entry := range h.logs.All() {
				assert.NotContains(t, fmt.Sprint(entry.Message, entry.ContextMap()), secretPrompt)
			}
		})
	}
}

func consumeFailingSpans(items int) func(*testing.T, *harness) (int, error) {
	return func(t *testing.T, h *harness) (int, error) {
		t.Helper()
		td := ptrace.NewTraces()
		spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
		for i := range 2 * items {
			s := spans.AppendEmpty()
			s.SetName("llm_request")
			s.Attributes().PutDouble("gen_ai.latency.time_in_model_prefill", 0.1)
			s.Attributes().PutBool("ok", i < items)
			s.Attributes().PutStr("prompt", secretPrompt)
		}
		p, err := NewFactory().CreateTraces(t.Context(), h.settings, h.config, h.sink)
		h.start(p, err)
		err = p.ConsumeTraces(t.Context(), td)
		return len(h.sink.AllTraces()), err
	}
}

func consumeFailingPoints(items int) func(*testing.T, *harness) (int, error) {
	return func(t *testing.T, h *harness) (int, error) {
		t.Helper()
		md := pmetric.NewMetrics()
		scopes := md.ResourceMetrics().AppendEmpty().ScopeMetrics()
		for i := range 2 * items {
			m := scopes.AppendEmpty().Metrics().AppendEmpty()
			m.SetName("vllm:e2e_request_latency_seconds")
			h := m.SetEmptyHistogram()
			h.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			attributes := h.DataPoints().AppendEmpty().Attributes()
			attributes.PutStr("model_name", "llama")
			attributes.PutBool("ok", i < items)
			attributes.PutStr("prompt", secretPrompt)
		}
		p, err := NewFactory().CreateMetrics(t.Context(), h.settings, h.config, h.metricsSink)
		h.start(p, err)
		err = p.ConsumeMetrics(t.Context(), md)
		return len(h.metricsSink.AllMetrics()), err
	}
}

func consumeFailingRecords(items int) func(*testing.T, *harness) (int, error) {
	return func(t *testing.T, h *harness) (int, error) {
		t.Helper()
		ld := plog.NewLogs()
		records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
		for i := range 2 * items {
			r := records.AppendEmpty()
			r.SetEventName("gen_ai.client.inference.operation.details")
			r.Attributes().PutBool("ok", i < items)
			r.Attributes().PutStr("prompt", secretPrompt)
		}
		p, err := NewFactory().CreateLogs(t.Context(), h.settings, h.config, h.recordsSink)
		h.start(p, err)
		err = p.ConsumeLogs(t.Context(), ld)
		return len(h.recordsSink.AllLogs()), err
	}
}
