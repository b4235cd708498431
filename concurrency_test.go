// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	senders = 4
	rounds  = 5
)

// TestConcurrentSendersGetWhatOneGets has many senders at one instance of each signal. Each batch comes out as it does
// alone, and is counted as it is alone.
func TestConcurrentSendersGetWhatOneGets(t *testing.T) {
	traces, metrics, logs := someTraces(t), someMetrics(t), someLogs(t)
	h := newHarness(t, "{extensions: true, annotate: true}")
	var want []string
	for _, td := range traces {
		want = append(want, wireOf(t, h.normalize(t, td)))
	}
	for _, md := range metrics {
		want = append(want, wireOfMetrics(t, h.normalizeMetrics(t, md)))
	}
	for _, ld := range logs {
		want = append(want, wireOfLogs(t, h.normalizeLogs(t, ld)))
	}
	alone := h.report(t)
	h.sink.Reset()
	h.metricsSink.Reset()
	h.recordsSink.Reset()

	var wg sync.WaitGroup
	for range senders {
		wg.Go(func() {
			for range rounds {
				h.sendAll(t, traces, metrics, logs)
			}
		})
	}
	wg.Wait()

	var got []string
	for _, td := range h.sink.AllTraces() {
		got = append(got, wireOf(t, td))
	}
	for _, md := range h.metricsSink.AllMetrics() {
		got = append(got, wireOfMetrics(t, md))
	}
	for _, ld := range h.recordsSink.AllLogs() {
		got = append(got, wireOfLogs(t, ld))
	}
	assert.ElementsMatch(t, slices.Repeat(want, senders*rounds), got)
	together := h.report(t)
	assert.Equal(t, times(alone.Items, senders*rounds), together.Items)
	assert.Equal(t, times(alone.Outcomes, senders*rounds), together.Outcomes)
}

func times(counts []count, n int64) []count {
	many := slices.Clone(counts)
	for i := range many {
		many[i].Count *= n
	}
	return many
}

// sendAll sends copies of batches of all signals.
func (h *harness) sendAll(t *testing.T, traces []ptrace.Traces, metrics []pmetric.Metrics, logs []plog.Logs) {
	t.Helper()
	for _, td := range traces {
		in := ptrace.NewTraces()
		td.CopyTo(in)
		assert.NoError(t, h.traces.ConsumeTraces(t.Context(), in))
	}
	for _, md := range metrics {
		in := pmetric.NewMetrics()
		md.CopyTo(in)
		assert.NoError(t, h.metrics.ConsumeMetrics(t.Context(), in))
	}
	for _, ld := range logs {
		in := plog.NewLogs()
		ld.CopyTo(in)
		assert.NoError(t, h.records.ConsumeLogs(t.Context(), in))
	}
}

// TestDataThatOthersReadIsNotPassedToIt asks what the collector's fan-out asks before it shares data: a consumer that
// says it changes them gets a copy of its own.
func TestDataThatOthersReadIsNotPassedToIt(t *testing.T) {
	h := newHarness(t, "")
	factory, next := NewFactory(), new(consumertest.TracesSink)
	traces, err := factory.CreateTraces(t.Context(), h.settings, h.config, next)
	require.NoError(t, err)
	metrics, err := factory.CreateMetrics(t.Context(), h.settings, h.config, consumertest.NewNop())
	require.NoError(t, err)
	logs, err := factory.CreateLogs(t.Context(), h.settings, h.config, consumertest.NewNop())
	require.NoError(t, err)
	assert.True(t, traces.Capabilities().MutatesData)
	assert.True(t, metrics.Capabilities().MutatesData)
	assert.True(t, logs.Capabilities().MutatesData)

	require.NoError(t, traces.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { assert.NoError(t, traces.Shutdown(context.Background())) })
	td := readTraces(t, "testdata/captured/vllm/vllm-0.32.0-v1-chat.otlp.json")
	td.MarkReadOnly()
	before := wireOf(t, td)
	assert.Panics(t, func() { _ = traces.ConsumeTraces(t.Context(), td) }, "pdata guards what is read only")
	assert.Equal(t, before, wireOf(t, td))
}

func someTraces(t testing.TB) (batches []ptrace.Traces) {
	t.Helper()
	for _, file := range []string{
		"vllm/vllm-0.8.5-v0-chat", "vllm/vllm-0.32.0-v1-chat", "vllm/vllm-0.32.0-v1-otelinstr-completion", "sglang/sglang-0.5.23-native-pd-router-chat",
	} {
		batches = append(batches, readTraces(t, "testdata/captured/"+file+".otlp.json"))
	}
	return batches
}

// someMetrics are scrapes of servers that state their release, and of such that do not.
func someMetrics(t testing.TB) (batches []pmetric.Metrics) {
	t.Helper()
	for _, server := range []struct{ file, attribute, version string }{
		{"vllm/metrics/vllm-0.31.0-live", "", ""},
		{"vllm/metrics/vllm-0.31.0-live", "vllm.version", "0.31.0"},
		{"sglang/metrics/sglang-0.5.23-live", "", ""},
		{"sglang/metrics/sglang-0.5.23-live", "sglang.version", "0.5.23"},
		{"sglang/metrics/sglang-0.5.23-live", "sglang.version", "0.5.18"},
	} {
		md := readMetrics(t, "testdata/captured/"+server.file+".otlp.json")
		if server.attribute != "" {
			md.ResourceMetrics().At(0).Resource().Attributes().PutStr(server.attribute, server.version)
		}
		batches = append(batches, md)
	}
	return batches
}

func someLogs(t testing.TB) []plog.Logs {
	t.Helper()
	return []plog.Logs{
		readLogs(t, "testdata/cases/log-records-with-the-keys-of-an-entry/input.json"),
		readLogs(t, "testdata/cases/superseded-events-for-1.41/input.json"),
	}
}

func wireOf(t testing.TB, td ptrace.Traces) string {
	t.Helper()
	data, err := new(ptrace.ProtoMarshaler).MarshalTraces(td)
	require.NoError(t, err)
	return string(data)
}

func wireOfMetrics(t testing.TB, md pmetric.Metrics) string {
	t.Helper()
	data, err := new(pmetric.ProtoMarshaler).MarshalMetrics(md)
	require.NoError(t, err)
	return string(data)
}

func wireOfLogs(t testing.TB, ld plog.Logs) string {
	t.Helper()
	data, err := new(plog.ProtoMarshaler).MarshalLogs(ld)
	require.NoError(t, err)
	return string(data)
}
