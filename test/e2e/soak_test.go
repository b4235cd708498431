// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"context"
	"flag"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	loadConfig   = "testdata/load/collector.yaml"
	otlpGRPCPort = "OTLP_GRPC_PORT"
	servers      = 8
	// some is how many requests a fault waits for before it goes on.
	some = 200
)

var (
	duration = flag.Duration("duration", time.Second, "how long each fault and each step of the load lasts, at least")
	page     = flag.String("page", "", "Markdown file that gets the tables, between comments with their names")
)

// fault is something that happens while servers send.
type fault struct {
	name string
	// first stands before the processor.
	first string
	env   []string
	// sinkIsDown from the beginning.
	sinkIsDown bool
	// unanswered is how many requests the sink takes without an answer.
	unanswered int64
	strike     func(*stream, *testing.T)
	check      func(*testing.T, tally)
}

// Whatever the fault: what was accepted arrives, what was refused does not, and nothing arrives twice but what the
// exporter sent again. The two exceptions are the Collector's, and are the same without the processor.
var faults = []fault{
	{
		name:   "none",
		strike: (*stream).goOn,
		check:  assertDelivered,
	},
	{
		name:   "the sink goes down and comes up, again and again",
		strike: (*stream).loseTheSink,
		check:  assertDelivered,
	},
	{
		name:       "the sink takes some requests and does not answer",
		env:        []string{"EXPORT_TIMEOUT=3s"},
		unanswered: 8,
		strike:     (*stream).goOn,
		check: func(t *testing.T, got tally) {
			t.Helper()
			assert.Positive(t, got.resent, "every request was answered")
			assertDelivered(t, got)
		},
	},
	{
		name:   "the memory limiter refuses",
		first:  "memory_limiter",
		env:    []string{"QUEUE_SIZE=1000000"},
		strike: (*stream).runOutOfMemory,
		check: func(t *testing.T, got tally) {
			t.Helper()
			assert.Positive(t, got.refused, "nothing was refused")
			assertDelivered(t, got)
		},
	},
	{
		name:   "SIGTERM",
		strike: (*stream).terminate,
		check: func(t *testing.T, got tally) {
			t.Helper()
			// The sender of a request that was under way may not hear that it was accepted.
			got.uninvited = 0
			assertDelivered(t, got)
		},
	},
	{
		name:       "SIGTERM while the sink is down",
		sinkIsDown: true,
		strike:     (*stream).terminate,
		check: func(t *testing.T, got tally) {
			t.Helper()
			assert.Zero(t, got.arrived)
			assert.Equal(t, got.accepted, got.lost, "the queue is in memory")
		},
	},
}

func assertDelivered(t *testing.T, got tally) {
	t.Helper()
	assert.Positive(t, got.accepted)
	assert.Zero(t, got.lost, "items that were accepted and did not arrive")
	assert.Zero(t, got.uninvited, "items that were refused and arrived")
	assert.Equal(t, got.resent, got.duplicated, "items that arrived twice, and those that the exporter sent again")
}

// TestFaults sends everything that was captured, again and again, while something goes wrong.
func TestFaults(t *testing.T) {
	fullOnLinux(t)
	batches := capturedBatches(t)
	subjects := []struct {
		name, processor string
		want            []string
	}{
		{"genainormalize", "genainormalize", applied(t, batches)},
		{"none", "", textsOf(t, batches)},
	}
	rows := newTable("fault | processor | sent | accepted | refused | arrived | lost | arrived again | sent again by the exporter | peak MiB")
	for _, f := range faults {
		for _, subject := range subjects {
			t.Run(f.name+"/"+subject.name, func(t *testing.T) {
				s := newStream(t, f, subject.processor, newLedger(batches, subject.want))
				s.run(t, f.strike)
				got := s.ledger.tally()
				rows.add(f.name, subject.name, got.sent, got.accepted, got.refused, got.arrived, got.lost, got.duplicated, got.resent, s.peak)
				assert.Empty(t, s.ledger.wrong)
				f.check(t, got)
				if t.Failed() {
					t.Log(s.collector.log)
				}
			})
		}
	}
	rows.publish(t, "soak")
}

// stream is servers that send to a collector that exports to a sink.
type stream struct {
	ledger    *ledger
	sink      *sink
	collector *collector
	ended     bool
	// peak is the most memory that the collector had.
	peak mebibytes

	// requests is the number of the last one.
	requests atomic.Uint64
	// accepted and refused count requests.
	accepted, refused atomic.Int64
	// unanswered is how many requests the sink will still leave without an answer.
	unanswered atomic.Int64
}

func newStream(t *testing.T, f fault, processor string, l *ledger) *stream {
	t.Helper()
	s := &stream{ledger: l}
	s.unanswered.Store(f.unanswered)
	s.sink = newSink(t, s.arrive)
	if !f.sinkIsDown {
		s.sink.up(t)
	}
	processors := "[" + strings.Trim(f.first+","+processor, ",") + "]"
	env := []string{"SINK=" + s.sink.address, "TRACE_PROCESSORS=" + processors, "METRIC_PROCESSORS=" + processors}
	s.collector = start(t, setup{
		binary:  fullOnLinux(t),
		configs: []string{loadConfig},
		ports:   []string{otlpGRPCPort, "TELEMETRY_PORT"},
		env:     append(env, f.env...),
	})
	return s
}

// run lets the fault strike while servers send, and ends the collector when everything is through.
func (s *stream) run(t *testing.T, strike func(*stream, *testing.T)) {
	t.Helper()
	meanwhile(t, s.collector, s.send, func() { strike(s, t) })
	if s.ended {
		return
	}
	for deadline := time.Now().Add(outputWithin); !s.ledger.tally().isThrough() && time.Now().Before(deadline); {
		time.Sleep(100 * time.Millisecond)
	}
	s.peak = peakMemory(t, s.collector)
	s.collector.stop(t)
}

// meanwhile lets servers send again and again while something is done.
func meanwhile(t *testing.T, c *collector, send func(*client), do func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var sending sync.WaitGroup
	defer sending.Wait()
	defer stop()
	for range servers {
		server := dial(t, c.address(otlpGRPCPort))
		sending.Go(func() {
			for ctx.Err() == nil {
				send(server)
			}
		})
	}
	do()
}

// send makes a request and waits for its answer, also when the test is over meanwhile.
func (s *stream) send(server *client) {
	request := s.requests.Add(1)
	b := s.ledger.batches[s.ledger.batchOf(request)].numbered(request)
	err := b.export(context.Background(), server)
	s.ledger.update(request, func(f *fate) { f.accepted = err == nil })
	if err != nil {
		s.refused.Add(1)
		time.Sleep(10 * time.Millisecond) // A refusal takes no time.
		return
	}
	s.accepted.Add(1)
	time.Sleep(time.Millisecond)
}

// arrive takes a request for the sink.
func (s *stream) arrive(ctx context.Context, b batch) {
	request := s.ledger.arrive(b)
	unanswered := s.unanswered.Add(-1) >= 0
	if unanswered || ctx.Err() != nil {
		s.ledger.update(request, func(f *fate) { f.unheard++ })
	}
	if unanswered {
		<-ctx.Done()
	}
}

func (s *stream) awaitSome(t *testing.T, what string, requests *atomic.Int64) {
	t.Helper()
	enough := requests.Load() + some
	s.collector.await(t, what, func() bool { return requests.Load() >= enough })
}

func (s *stream) goOn(t *testing.T) {
	t.Helper()
	end := time.Now().Add(*duration)
	s.awaitSome(t, "requests that are accepted", &s.accepted)
	time.Sleep(time.Until(end))
}

func (s *stream) loseTheSink(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(*duration); ; {
		s.sink.down()
		s.awaitSome(t, "requests that are accepted without the sink", &s.accepted)
		s.sink.up(t)
		s.awaitSome(t, "requests that are accepted after it is back", &s.accepted)
		if time.Now().After(end) {
			return
		}
	}
}

func (s *stream) runOutOfMemory(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(*duration); ; {
		s.sink.down()
		s.awaitSome(t, "requests that are refused", &s.refused)
		s.sink.up(t)
		s.awaitSome(t, "requests that are accepted again", &s.accepted)
		if time.Now().After(end) {
			return
		}
	}
}

func (s *stream) terminate(t *testing.T) {
	t.Helper()
	s.goOn(t)
	s.peak = peakMemory(t, s.collector)
	require.NoError(t, s.collector.end(t, syscall.SIGTERM), s.collector.log)
	s.ended = true
}
