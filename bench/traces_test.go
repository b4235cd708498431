// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"encoding/binary"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/ptracetest"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/transformprocessor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/genainormalize/genainormalizeprocessor"
)

// spanCount is how many spans a batch has, or a few more where whole traces do not add up to it. Python's exporter,
// which both engines use, sends up to 512 at once.
const spanCount = 100

// traffic is where the spans of a payload are from, and the statements that do the same job for them.
type traffic struct {
	name  string
	spans []source
	ottl  []string
}

// source is a file of the repository with traces, and which of its spans are taken.
type source struct {
	file string
	take func(scope, span string) bool
}

var (
	vllm   = source{"testdata/captured/vllm/vllm-0.32.0-v1-completion.otlp.json", anySpan}
	agent  = source{"testdata/cases/agent-vllm-trace/input.json", not(entrySpan)}
	sglang = source{"testdata/captured/sglang/sglang-0.5.23-native-chat.otlp.json", anySpan}
	entry  = source{"testdata/cases/agent-entries/input.json", entrySpan}
	http   = source{"testdata/captured/vllm/vllm-0.32.0-v1-otelinstr-completion.otlp.json", httpSpan}
)

func anySpan(string, string) bool { return true }

// entrySpan takes the agent's, whose names are an operation and a model.
func entrySpan(_, span string) bool { return strings.Contains(span, " qwen3") }
func httpSpan(scope, _ string) bool { return scope == "opentelemetry.instrumentation.fastapi" }

func not(take func(scope, span string) bool) func(scope, span string) bool {
	return func(scope, span string) bool { return !take(scope, span) }
}

// traffics returns the payloads. A file with statements holds those of one dialect, so that OTTL has to do no more
// than the spans of the payload ask for, while the processor knows all dialects at any time. Foreign spans have to
// pass all of them.
func traffics() []traffic {
	all := []string{"transform/vllm-v1.yaml", "transform/vllm-v1-agent.yaml", "transform/sglang.yaml", "transform/entry.yaml"}
	return []traffic{
		{"vllm-v1", []source{vllm}, all[0:1]},
		{"vllm-v1-agent", []source{agent}, all[1:2]},
		{"sglang-trace", []source{sglang}, all[2:3]},
		{"entry", []source{entry}, all[3:4]},
		{"foreign", []source{http}, all},
		{"mixed", []source{vllm, agent, sglang, entry, http}, all},
	}
}

// payload returns the batch, with as many spans of each source.
func (tr traffic) payload(tb testing.TB) payload[ptrace.Traces] {
	tb.Helper()
	batch := ptrace.NewTraces()
	for _, s := range tr.spans {
		s.read(tb, spanCount/len(tr.spans)).ResourceSpans().MoveAndAppendTo(batch.ResourceSpans())
	}
	return tracesPayload(tb, tr.name, batch)
}

func tracesPayload(tb testing.TB, name string, batch ptrace.Traces) payload[ptrace.Traces] {
	tb.Helper()
	data, err := new(ptrace.ProtoMarshaler).MarshalTraces(batch)
	require.NoError(tb, err)
	return payload[ptrace.Traces]{name: name, data: data, decode: new(ptrace.ProtoUnmarshaler).UnmarshalTraces, copies: 1}
}

// read returns the spans, each again and again under its own scope until there are enough in all: what a server
// exports that was asked the same more than once.
func (s source) read(tb testing.TB, enough int) ptrace.Traces {
	tb.Helper()
	data, err := os.ReadFile(repository(s.file))
	require.NoError(tb, err)
	td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(data)
	require.NoError(tb, err)
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			ss.Spans().RemoveIf(func(span ptrace.Span) bool { return !s.take(ss.Scope().Name(), span.Name()) })
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
	require.Positive(tb, td.SpanCount(), s.file)
	times := (enough + td.SpanCount() - 1) / td.SpanCount()
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			repeat(ss.Spans(), times)
		}
	}
	return td
}

// repeat makes of each span so many, which differ in their ids.
func repeat(spans ptrace.SpanSlice, times int) {
	n := spans.Len()
	for i := range n * (times - 1) {
		span := spans.AppendEmpty()
		spans.At(i % n).CopyTo(span)
		id := span.SpanID()
		binary.BigEndian.PutUint16(id[:], uint16(i))
		span.SetSpanID(id)
	}
}

// newTraces returns a processor.
func newTraces(tb testing.TB, factory processor.Factory, cfg component.Config, next consumer.Traces) consumer.Traces {
	tb.Helper()
	p, err := factory.CreateTraces(tb.Context(), settings(tb, factory.Type()), cfg, next)
	require.NoError(tb, err)
	start(tb, p)
	return p
}

func normalizeTraces(tb testing.TB, next consumer.Traces) consumer.Traces {
	tb.Helper()
	factory := genainormalizeprocessor.NewFactory()
	return newTraces(tb, factory, factory.CreateDefaultConfig(), next)
}

func transformTraces(tb testing.TB, next consumer.Traces, files ...string) consumer.Traces {
	tb.Helper()
	factory := transformprocessor.NewFactory()
	return newTraces(tb, factory, configure(tb, factory, files...), next)
}

// passTraces returns what every processor has around it: it is handed the batch and does nothing.
func passTraces(tb testing.TB) consumer.Traces {
	tb.Helper()
	factory := genainormalizeprocessor.NewFactory()
	pass := func(_ context.Context, td ptrace.Traces) (ptrace.Traces, error) { return td, nil }
	p, err := processorhelper.NewTraces(tb.Context(), settings(tb, factory.Type()), nil, consumertest.NewNop(), pass,
		processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: true}))
	require.NoError(tb, err)
	start(tb, p)
	return p
}

func TestSameOutputForTraces(t *testing.T) {
	for _, tr := range traffics() {
		t.Run(tr.name, func(t *testing.T) {
			p := tr.payload(t)
			p.copies = 3
			batches := p.fresh(t)
			ours, theirs := new(consumertest.TracesSink), new(consumertest.TracesSink)
			require.NoError(t, normalizeTraces(t, ours).ConsumeTraces(t.Context(), batches[0]))
			require.NoError(t, transformTraces(t, theirs, tr.ottl...).ConsumeTraces(t.Context(), batches[1]))
			require.NoError(t, ptracetest.CompareTraces(theirs.AllTraces()[0], ours.AllTraces()[0]))
			if tr.name == "foreign" {
				require.NoError(t, ptracetest.CompareTraces(batches[2], ours.AllTraces()[0]))
			} else {
				assert.Error(t, ptracetest.CompareTraces(batches[2], ours.AllTraces()[0]), "something was there to do")
			}
		})
	}
}

func BenchmarkTraces(b *testing.B) {
	nop := consumertest.NewNop()
	for _, tr := range traffics() {
		b.Run("payload="+tr.name, func(b *testing.B) {
			compare(b, tr.payload(b),
				contender[ptrace.Traces]{"passing", passTraces(b).ConsumeTraces},
				contender[ptrace.Traces]{"walking", walkKeys},
				contender[ptrace.Traces]{"genainormalize", normalizeTraces(b, nop).ConsumeTraces},
				contender[ptrace.Traces]{"transform", transformTraces(b, nop, tr.ottl...).ConsumeTraces},
				contender[ptrace.Traces]{"four-statements", transformTraces(b, nop, "transform/four-statements.yaml").ConsumeTraces},
			)
		})
	}
}

// walkKeys looks at every key of every span, which is the least that has to be done to see what a span is. It is not
// in a processor.
func walkKeys(_ context.Context, td ptrace.Traces) error {
	total := 0
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				for key := range s.Attributes().All() {
					total += len(key)
				}
			}
		}
	}
	runtime.KeepAlive(total) // or the compiler leaves the walk out
	return nil
}
