// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"context"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

var (
	rates   = flag.String("rates", "2000", "spans a second, one rate after the other; 0 is as many as go through")
	targets = flag.String("targets", "4", "servers that are scraped every second, one number after the other")
	rounds  = flag.Int("rounds", 1, "how often each step is measured; the tables have the best")
)

// contender is what stands between the receiver and the exporter.
type contender struct{ name, processors string }

// exposingJobs are the servers that are scraped, again and again under other names.
var exposingJobs = []string{vllmJob, sglangJob}

var (
	spanContenders = []contender{
		{"none", "[]"},
		{"genainormalize", "[genainormalize]"},
		{"transform", "[transform/vllm-v1, transform/sglang]"},
	}
	scrapeContenders = []contender{
		{"none", "[]"},
		{"genainormalize", "[genainormalize]"},
		{"metrics_transform", "[metrics_transform/vllm, metrics_transform/sglang]"},
	}
)

// measurement is what one contender made of one step.
type measurement struct {
	sent, arrived int
	// perSecond and the rest are of a window after the collector has warmed up.
	perSecond float64
	// perMillion is the processor time that a million items took.
	perMillion time.Duration
	p50, p99   time.Duration
	peak       mebibytes
}

// TestLoadOfSpans sends what busy servers export.
func TestLoadOfSpans(t *testing.T) {
	fullOnLinux(t)
	batches := busyServers(t)
	results := newResults("spans/s offered")
	for _, rate := range numbers(t, *rates) {
		results.measure(t, rate, spanContenders, func(t *testing.T, c contender) measurement {
			t.Helper()
			return loadSpans(t, c, batches, rate)
		})
	}
	results.table.publish(t, "load of spans")
}

// TestLoadOfScrapes scrapes vLLM and SGLang, half each.
func TestLoadOfScrapes(t *testing.T) {
	fullOnLinux(t)
	results := newResults("servers scraped every second")
	for _, number := range numbers(t, *targets) {
		results.measure(t, number, scrapeContenders, func(t *testing.T, c contender) measurement {
			t.Helper()
			return loadScrapes(t, c, number)
		})
	}
	results.table.publish(t, "load of scrapes")
}

func numbers(t *testing.T, list string) (all []int) {
	t.Helper()
	for text := range strings.SplitSeq(list, ",") {
		number, err := strconv.Atoi(text)
		require.NoError(t, err)
		all = append(all, number)
	}
	return all
}

// busyServers returns batches of about 100 spans: of vLLM, of SGLang with its spans of threads and stages, and of
// neither.
func busyServers(t *testing.T) (batches []batch) {
	t.Helper()
	const enough = 100
	fastAPI := func(ss ptrace.ScopeSpans) bool { return ss.Scope().Name() == "opentelemetry.instrumentation.fastapi" }
	for _, server := range []struct {
		name string
		take func(ptrace.ScopeSpans) bool
	}{
		{"vllm-0.32.0-v1-completion", func(ptrace.ScopeSpans) bool { return true }},
		{"sglang-0.5.23-native-chat", func(ptrace.ScopeSpans) bool { return true }},
		{"vllm-0.32.0-v1-otelinstr-completion", fastAPI},
	} {
		td := readTraces(t, path(server.name))
		for _, rs := range td.ResourceSpans().All() {
			rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool { return !server.take(ss) })
		}
		once := td.SpanCount()
		require.Positive(t, once, server.name)
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				repeat(ss.Spans(), (enough+once-1)/once)
			}
		}
		spans{td}.place()
		batches = append(batches, spans{td})
	}
	return batches
}

// repeat makes of each span so many.
func repeat(spans ptrace.SpanSlice, times int) {
	for i := range spans.Len() * (times - 1) {
		spans.At(i).CopyTo(spans.AppendEmpty())
	}
}

// spanLoad is servers that send at a rate.
type spanLoad struct {
	batches []batch
	// rate is how many spans a second there are, as long as the collector keeps up, or 0.
	rate  int
	begin time.Time

	requests atomic.Uint64
	// offered counts spans that are to be sent.
	offered atomic.Int64
	// accepted counts spans, refused counts requests.
	accepted, refused atomic.Int64
	arrivals          meter
}

func loadSpans(t *testing.T, subject contender, batches []batch, rate int) (m measurement) {
	t.Helper()
	l := &spanLoad{batches: batches, rate: rate}
	c := startLoaded(t, newSink(t, l.arrivals.takeSpans), setup{
		configs: []string{loadConfig, "testdata/load/spans.yaml"},
		env:     []string{"TRACE_PROCESSORS=" + subject.processors},
	})
	l.begin = time.Now()
	meanwhile(t, c, l.send, func() { m = l.arrivals.measure(t, c) })
	assert.Zero(t, l.refused.Load(), "requests that the collector refused")

	c.await(t, "every span", func() bool { return l.arrivals.total() >= l.accepted.Load() })
	m.peak = peakMemory(t, c)
	c.stop(t)
	m.sent, m.arrived = int(l.accepted.Load()), int(l.arrivals.total())
	return m
}

// send waits until the next request is due, and makes it.
func (l *spanLoad) send(server *client) {
	request := l.requests.Add(1)
	b := l.batches[request%uint64(len(l.batches))].numbered(request)
	if offered := l.offered.Add(int64(b.itemCount())); l.rate > 0 {
		due := time.Duration(float64(offered) / float64(l.rate) * float64(time.Second))
		time.Sleep(time.Until(l.begin.Add(due)))
	}
	l.arrivals.leave(request)
	if err := b.export(context.Background(), server); err != nil {
		l.refused.Add(1)
		return
	}
	l.accepted.Add(int64(b.itemCount()))
}

func loadScrapes(t *testing.T, subject contender, number int) (m measurement) {
	t.Helper()
	exposing, names := serve(t), make([]string, number)
	for i := range names {
		job := exposingJobs[i%len(exposingJobs)]
		names[i] = fmt.Sprintf("%s/%d", job, i)
		exposing.expose(names[i], exposition(t, job))
	}
	var arrivals meter
	c := startLoaded(t, newSink(t, arrivals.takeScrape), setup{
		configs: []string{loadConfig, "testdata/load/scrapes.yaml"},
		env:     []string{"METRIC_PROCESSORS=" + subject.processors, exposing.scrapeConfigs(names...)},
	})
	c.await(t, "a scrape of each server", func() bool { return exposing.answers.Load() >= int64(number) })
	m = arrivals.measure(t, c)
	for _, name := range names {
		exposing.leave(name)
	}
	left := time.Now()

	// On a busy machine the receiver gives up on some that were answered, and says so.
	c.await(t, "every scrape that was answered", func() bool {
		return arrivals.scrapes()+arrivals.failedUntil(left) >= exposing.answers.Load()
	})
	m.peak = peakMemory(t, c)
	c.stop(t)
	assert.LessOrEqual(t, arrivals.scrapes(), exposing.answers.Load())
	for _, job := range exposingJobs {
		m.sent += arrivals.scrapesOf(job) * pointsOfScrape(t, job)
	}
	m.arrived = int(arrivals.total())
	return m
}

// pointsOfScrape returns how many data points the receiver makes of what a server exposes. Five are its own.
func pointsOfScrape(t *testing.T, job string) int {
	t.Helper()
	tool, err := commandLineTool()
	require.NoError(t, err)
	engine, _, _ := strings.Cut(job, "-")
	output, err := exec.CommandContext(t.Context(), tool, "apply", filepath.Join(captured, engine, "metrics", job+".prom")).Output()
	require.NoError(t, err)
	md, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(output)
	require.NoError(t, err)
	return md.DataPointCount() + 5
}

// startLoaded starts a collector that blocks its receiver when the sink is slow, and the sink.
func startLoaded(t *testing.T, s *sink, with setup) *collector {
	t.Helper()
	s.up(t)
	with.binary = fullOnLinux(t)
	with.ports = []string{otlpGRPCPort, "TELEMETRY_PORT"}
	with.env = append(with.env, "SINK="+s.address, "QUEUE_SIZE=20", "BLOCK_ON_OVERFLOW=true")
	return start(t, with)
}
