// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TestNothingOfTheDataIsLogged puts a secret into every text of items that are recognised, into those that cannot be
// converted and those that conditions fail for. Nothing of it may be in the log, at no level. The name of a metric is
// what a message about it is about; it is the only thing of the data that is logged.
func TestNothingOfTheDataIsLogged(t *testing.T) {
	h := newHarness(t, `
trace_conditions: ['ParseJSON(span.attributes["gen_ai.request.model"])["a"] == 1', 'span.name != ""']
metric_conditions: ['ParseJSON(datapoint.attributes["model_name"])["a"] == 1', 'metric.name != ""']
log_conditions: ['ParseJSON(log.attributes["gen_ai.request.model"])["a"] == 1', 'log.severity_number == 0']
engines: {otel: {enabled: true}}
`)
	h.normalize(t, secretSpans(t))
	h.normalizeMetrics(t, secretMetrics())
	h.normalizeLogs(t, secretRecords())
	assert.NotEmpty(t, h.report(t).Items)
	require.NotEmpty(t, h.logs.FilterMessageSnippet("a condition cannot be evaluated").All())
	require.NotEmpty(t, h.logs.FilterMessageSnippet("does not know").All())
	for _, entry := range h.logs.All() {
		assert.NotContains(t, fmt.Sprint(entry.Message, entry.ContextMap()), secretPrompt)
	}
}

// secretSpans returns every captured span with a secret in each text but its name and the keys of its attributes.
func secretSpans(t *testing.T) ptrace.Traces {
	t.Helper()
	td := ptrace.NewTraces()
	for _, trace := range captured(t) {
		for _, rs := range trace.ResourceSpans().All() {
			rs.CopyTo(td.ResourceSpans().AppendEmpty())
		}
	}
	for _, rs := range td.ResourceSpans().All() {
		tell(rs.Resource().Attributes())
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				tell(s.Attributes())
				s.Attributes().PutStr("gen_ai.request.model", secretPrompt)
				s.Attributes().PutStr("gen_ai.usage.prompt_tokens", secretPrompt)
				s.Status().SetMessage(secretPrompt)
				s.TraceState().FromRaw(secretPrompt)
				event := s.Events().AppendEmpty()
				event.SetName(secretPrompt)
				event.Attributes().PutStr("exception.message", secretPrompt)
			}
		}
	}
	return td
}

// tell replaces every text.
func tell(attributes pcommon.Map) {
	for _, v := range attributes.All() {
		if v.Type() == pcommon.ValueTypeStr {
			v.SetStr(secretPrompt)
		}
	}
	attributes.PutStr("prompt", secretPrompt)
}

func secretMetrics() pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	tell(rm.Resource().Attributes())
	for _, name := range []string{"vllm:e2e_request_latency_seconds", "vllm:a_name_of_tomorrow", "sglang:num_running_reqs"} {
		m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
		m.SetName(name)
		m.SetDescription(secretPrompt)
		m.SetUnit(secretPrompt)
		labels := m.SetEmptyGauge().DataPoints().AppendEmpty().Attributes()
		tell(labels)
		labels.PutStr("model_name", secretPrompt)
		labels.PutStr("gen_ai.request.model", "another")
	}
	return md
}

func secretRecords() plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	tell(rl.Resource().Attributes())
	r := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	r.SetEventName("gen_ai.client.inference.operation.details")
	r.Body().SetStr(secretPrompt)
	tell(r.Attributes())
	for _, key := range []string{"gen_ai.request.model", "gen_ai.usage.prompt_tokens", "gen_ai.input.messages", "gen_ai.provider.name"} {
		r.Attributes().PutStr(key, secretPrompt)
	}
	return ld
}
