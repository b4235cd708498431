// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// counts is a reporter for tests.
type counts map[string]int64

func (c counts) Items(_ context.Context, d *mapping.DialectRules, n int64) {
	c[d.ID] += n
}

func (c counts) Outcomes(_ context.Context, d *mapping.DialectRules, reason Reason, n int64) {
	c[d.ID+" "+reason.String()] += n
}

func (c counts) Unmapped(_ context.Context, d *mapping.DialectRules, name string) {
	c[d.ID+" unmapped "+name]++
}

func newNormalizer(t testing.TB, opts Options) *Normalizer {
	t.Helper()
	tables, err := mapping.Tables()
	require.NoError(t, err)
	rules, err := mapping.Compile(tables, mapping.Options{Target: "1.41"})
	require.NoError(t, err)
	return New(rules, opts)
}

func (n *Normalizer) run(td ptrace.Traces) counts {
	c := counts{}
	if err := n.Traces(context.Background(), td, c); err != nil {
		panic(err) // There are no conditions.
	}
	return c
}

func clone(td ptrace.Traces) ptrace.Traces {
	c := ptrace.NewTraces()
	td.CopyTo(c)
	return c
}

func proto(t testing.TB, td ptrace.Traces) []byte {
	t.Helper()
	data, err := new(ptrace.ProtoMarshaler).MarshalTraces(td)
	require.NoError(t, err)
	return data
}

func oneSpan(name, scope string, length time.Duration) (ptrace.Traces, ptrace.Span) {
	td := ptrace.NewTraces()
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	ss.Scope().SetName(scope)
	s := ss.Spans().AppendEmpty()
	s.SetName(name)
	const start = 1_796_058_668_000_000_000
	s.SetStartTimestamp(start)
	s.SetEndTimestamp(pcommon.Timestamp(start + int64(length)))
	return td, s
}

// TestADurationIsConvertedOnce holds for every value, type, start and end: f(f(x)) = f(x).
func TestADurationIsConvertedOnce(t *testing.T) {
	n := newNormalizer(t, Options{})
	values := []float64{0, math.Copysign(0, -1), 1, -1, 1e-9, 5e-324, 0.25, 2.386712074, 3e4, 1e5, 1e9, 2386712074, 1e14, 1e18, math.MaxInt64, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()}
	lengths := []time.Duration{0, 1, time.Microsecond, 100 * time.Microsecond, time.Millisecond, time.Second, 20 * time.Minute, math.MaxInt64 / 4, -time.Second}
	rnd := rand.New(rand.NewPCG(1, 2))
	pick := func() float64 {
		if rnd.IntN(2) == 0 {
			return values[rnd.IntN(len(values))]
		}
		return math.Pow(10, rnd.Float64()*40-20) * []float64{1, -1}[rnd.IntN(2)]
	}
	for range 20_000 {
		td, s := oneSpan("llm_request", "agent", lengths[rnd.IntN(len(lengths))])
		s.Attributes().PutStr("gen_ai.pd_role", "none")
		for _, key := range []string{"e2e", "time_to_first_token", "time_in_queue", "time_in_new_phase"} {
			switch v := pick(); rnd.IntN(4) {
			case 0:
				s.Attributes().PutDouble("gen_ai.latency."+key, v)
			case 1:
				s.Attributes().PutInt("gen_ai.latency."+key, int64(v))
			case 2:
				s.Attributes().PutStr("gen_ai.latency."+key, fmt.Sprint(v))
			}
		}
		in := clone(td)
		first := n.run(td)
		once := proto(t, td)
		second := n.run(td)
		require.True(t, bytes.Equal(once, proto(t, td)), "input %v", spanOf(in).Attributes().AsRaw())
		require.Equal(t, first, second, "input %v", spanOf(in).Attributes().AsRaw())
	}
}

func spanOf(td ptrace.Traces) ptrace.Span {
	return td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
}

// TestNanosecondsAreRecognised states the decisions that matter.
func TestNanosecondsAreRecognised(t *testing.T) {
	n := newNormalizer(t, Options{})
	tests := []struct {
		name   string
		length time.Duration
		e2e    float64
		want   float64
	}{
		{"a request of two seconds in ns", 2 * time.Second, 2e9, 2},
		{"a request of two seconds in s", 2 * time.Second, 2, 2},
		{"100 µs in ns with an end 4 ms late", 4100 * time.Microsecond, 1e5, 1e-4},
		{"100 µs in s with an end 4 ms late", 4100 * time.Microsecond, 1e-4, 1e-4},
		{"a span without length in ns", 0, 2e9, 2},
		{"a span without length in s", 0, 2, 2},
		{"a span that ends before it starts, in ns", -time.Second, 2e9, 2},
		{"one second in ns in a span held open 20 minutes", 20 * time.Minute, 1e9, 1},
		{"one second in s in a span held open 20 minutes", 20 * time.Minute, 1, 1},
		{"100 µs in ns in a span held open 20 minutes", 20 * time.Minute, 1e5, 1e-4},
		{"5 ms in ns in a span held open 20 minutes", 20 * time.Minute, 5e6, 5e-3},
		{"two seconds in s in a span cut to 100 µs by a clock that was set", 100 * time.Microsecond, 2, 2},
		{"ten hours in s", 10 * time.Hour, 36e3, 36e3},
		{"three days in s", 72 * time.Hour, 259200, 259200},
		{"no latency in either unit", time.Microsecond, 1e18, 1e18},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			td, s := oneSpan("llm_request", "agent", tt.length)
			s.Attributes().PutStr("gen_ai.pd_role", "none")
			s.Attributes().PutDouble("gen_ai.latency.e2e", tt.e2e)
			n.run(td)
			v, _ := s.Attributes().Get("gen_ai.latency.e2e")
			assert.Equal(t, tt.want, v.Double()) // Exact by promise: divided, not multiplied.
		})
	}
}

// TestVLLMIsInSecondsWhateverTheValues has a span of vLLM's own scope that looks like nanoseconds.
func TestVLLMIsInSecondsWhateverTheValues(t *testing.T) {
	td, s := oneSpan("llm_request", "vllm.tracing.otel", time.Microsecond)
	s.Attributes().PutDouble("gen_ai.latency.e2e", 2.5)
	s.Attributes().PutDouble("gen_ai.latency.time_in_model_prefill", 345738.1)
	c := newNormalizer(t, Options{}).run(td)
	assert.Equal(t, counts{"vllm/v1": 1, "vllm/v1 implausible": 1}, c)
	assert.Equal(t, map[string]any{
		"gen_ai.latency.e2e": 2.5, "gen_ai.latency.time_in_model_prefill": 345738.1, "gen_ai.provider.name": "vllm",
	}, s.Attributes().AsRaw())
}

// randomSpan makes a span of keys and values that rules look at, in an order and with types that nobody planned.
func randomSpan(rnd *rand.Rand, keys []string) (ptrace.Traces, ptrace.Span) {
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	td, s := oneSpan(
		pick("llm_request", "llm_request", "wait", "decode", "chat m", "other", " Req 4f1c2a9b", "decode Req 4f1c2a9b", "tokenize"),
		pick("vllm.llm_engine", "vllm.tracing.otel", "agent", "aphrodite.llm_engine", "", "sglang server"),
		time.Duration(rnd.Int64N(int64(3*time.Second))),
	)
	s.SetKind(ptrace.SpanKind(rnd.IntN(6)))
	for _, i := range rnd.Perm(len(keys))[:rnd.IntN(14)] {
		v := s.Attributes().PutEmpty(keys[i])
		switch rnd.IntN(8) {
		case 0:
			v.SetInt(rnd.Int64N(3))
		case 1:
			v.SetInt(rnd.Int64())
		case 2:
			v.SetDouble(rnd.NormFloat64() * math.Pow(10, float64(rnd.IntN(12))))
		case 3:
			v.SetDouble(float64(rnd.IntN(3)))
		case 4:
			v.SetStr(pick("chat", "m", "vllm", "vLLM", "1", "0.5", `["stop"]`, "unknown", "", "cmpl-1", "true", "LLM", "sglang::request", "sglang"))
		case 5:
			v.SetBool(rnd.IntN(2) == 0)
		case 6:
			v.SetEmptySlice().AppendEmpty().SetStr("stop")
		case 7:
			v.SetEmptyMap().PutInt("a", 1)
		}
	}
	if rnd.IntN(4) == 0 {
		s.Status().SetCode(ptrace.StatusCodeError)
		event := s.Events().AppendEmpty()
		event.SetName("exception")
		event.Attributes().PutStr("exception.type", "ValueError")
	}
	return asAgentsWrite(td), s
}

// asAgentsWrite adds what the agent writes beside each name of a model. That name alone is renamed and leaves no evidence
// for a second pass: the data stays, the count does not.
func asAgentsWrite(td ptrace.Traces) ptrace.Traces {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				if _, ok := s.Attributes().Get("gen_ai.request.model_name"); ok {
					s.Attributes().PutStr("gen_ai.pd_role", "none")
				}
			}
		}
	}
	return td
}

// knownKeys are the names that tables and the registry know, and one that nobody does.
func knownKeys(t testing.TB) []string {
	t.Helper()
	tables, err := mapping.Tables()
	require.NoError(t, err)
	keys := []string{"http.method", "gen_ai.latency.time_in_new_phase", mapping.DialectKey}
	for _, table := range tables {
		for _, row := range table.Attributes {
			keys = append(keys, append(row.From, row.Keep...)...)
		}
	}
	keys = append(keys,
		"gen_ai.provider.name", "gen_ai.operation.name", "gen_ai.request.model", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens",
		"gen_ai.request.choice.count", "gen_ai.response.time_to_first_chunk", "gen_ai.usage.cache_read.input_tokens", "error.type",
	)
	slices.Sort(keys)
	return slices.Compact(keys)
}

// TestRandomSpans holds any span to the promises, under every option.
func TestRandomSpans(t *testing.T) {
	keys := knownKeys(t)
	for name, n := range everyOption(t) {
		t.Run(name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(3, 4))
			for range 10_000 {
				td, _ := randomSpan(rnd, keys)
				requireSpanPromises(t, n, td)
			}
		})
	}
}

// requireSpanPromises holds spans to what is promised for all telemetry, and to what spans have beside that.
func requireSpanPromises(t testing.TB, n *Normalizer, in ptrace.Traces) {
	t.Helper()
	out := requirePromises(t, spanKind, n, in)
	require.Equal(t, shape(in), shape(out), "something was lost")
	if len(n.run(clone(in))) == 0 {
		spanKind.requireSame(t, in, out, "something foreign changed")
	}
}

// TestConcurrentUse runs one normalizer from several goroutines, for the race detector.
func TestConcurrentUse(t *testing.T) {
	n := newNormalizer(t, Options{})
	keys := knownKeys(t)
	var wg sync.WaitGroup
	for i := range uint64(4) {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(i, i))
			for range 500 {
				td, _ := randomSpan(rnd, keys)
				n.run(td)
			}
		})
	}
	wg.Wait()
}

// TestLargeSpans has a span whose attributes do not fit into the memory that is kept.
func TestLargeSpans(t *testing.T) {
	n := newNormalizer(t, Options{})
	td, s := oneSpan("llm_request", "vllm.tracing.otel", time.Second)
	for i := range 10_000 {
		s.Attributes().PutInt(fmt.Sprintf("gen_ai.latency.phase_%d", i), int64(i))
	}
	s.Attributes().PutDouble("gen_ai.latency.time_in_model_decode", 1)
	s.Attributes().PutInt("gen_ai.usage.prompt_tokens", 1)
	assert.Equal(t, counts{"vllm/v1": 1}, n.run(td))
	v, ok := s.Attributes().Get("gen_ai.latency.phase_9999")
	require.True(t, ok)
	assert.Equal(t, pcommon.ValueTypeDouble, v.Type())
	assert.Equal(t, 10_003, s.Attributes().Len())
}

// TestManyDuplicatesOfAKey has one key a hundred thousand times, which took minutes when each was searched for.
func TestManyDuplicatesOfAKey(t *testing.T) {
	const copies = 100_000
	attrs := []string{`{"key":"gen_ai.latency.time_in_model_decode","value":{"doubleValue":1}}`}
	for i := range copies { // Not even pdata would put a key twice, but it decodes what comes.
		attrs = append(attrs, fmt.Sprintf(`{"key":"gen_ai.usage.prompt_tokens","value":{"intValue":%d}}`, i))
	}
	td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces([]byte(`{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"vllm.tracing.otel"},
		"spans":[{"name":"llm_request","attributes":[` + strings.Join(attrs, ",") + `]}]}]}]}`))
	require.NoError(t, err)
	c := newNormalizer(t, Options{}).run(td)
	assert.Equal(t, counts{"vllm/v1": 1, "vllm/v1 conflict": copies - 1}, c)
	// The first became the target, the others stayed; the decode time and the provider are there too.
	assert.Equal(t, copies+2, spanOf(td).Attributes().Len())
}

// FuzzTraces runs the normalizer on whatever the OTLP decoder accepts.
func FuzzTraces(f *testing.F) {
	files, err := filepath.Glob("../../testdata/captured/*/*.otlp.json")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(data)
		require.NoError(f, err)
		if td.SpanCount() > 20 {
			continue // Small seeds mutate faster.
		}
		f.Add(proto(f, td))
	}
	normalizers := everyOption(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		td, err := new(ptrace.ProtoUnmarshaler).UnmarshalTraces(data)
		if err != nil {
			return
		}
		for _, n := range normalizers {
			requireSpanPromises(t, n, asAgentsWrite(td))
		}
	})
}

// shape counts what must never be lost.
func shape(td ptrace.Traces) []byte {
	var b []byte
	add := func(n int) { b = binary.AppendVarint(b, int64(n)) }
	for _, rs := range td.ResourceSpans().All() {
		add(rs.ScopeSpans().Len())
		for _, ss := range rs.ScopeSpans().All() {
			add(ss.Spans().Len())
			for _, s := range ss.Spans().All() {
				add(s.Events().Len())
				add(s.Links().Len())
				add(int(s.Kind()))
				b = append(b, s.TraceState().AsRaw()...)
			}
		}
	}
	return b
}
