// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// meter notes what arrives at a sink, and how long it was under way.
type meter struct {
	mu        sync.Mutex
	items     int64
	latencies []time.Duration
	// sentAt has the requests that are under way.
	sentAt map[uint64]time.Time
	// jobs has the job of each scrape that succeeded, failed the beginning of each that did not.
	jobs   []string
	failed []time.Time
}

// leave notes that a request is sent.
func (m *meter) leave(request uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sentAt == nil {
		m.sentAt = map[uint64]time.Time{}
	}
	m.sentAt[request] = time.Now()
}

func (m *meter) takeSpans(_ context.Context, b batch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.items += int64(b.itemCount())
	for request := range b.numbers() {
		m.latencies = append(m.latencies, time.Since(m.sentAt[request]))
		delete(m.sentAt, request)
		return
	}
}

// takeScrape counts the points of scrapes that succeeded. All points of a scrape have the time of its beginning.
func (m *meter) takeScrape(_ context.Context, b batch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, rm := range b.(points).md.ResourceMetrics().All() {
		metrics := metricsOf(rm)
		begin := pointsOf(metrics[0])[0].Timestamp().AsTime()
		if !isUp(rm) {
			m.failed = append(m.failed, begin)
			continue
		}
		for _, metric := range metrics {
			m.items += int64(len(pointsOf(metric)))
		}
		m.latencies = append(m.latencies, time.Since(begin))
		m.jobs = append(m.jobs, jobOf(rm))
	}
}

// failedUntil counts the scrapes that failed and were begun before a time.
func (m *meter) failedUntil(end time.Time) (n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, begin := range m.failed {
		if begin.Before(end) {
			n++
		}
	}
	return n
}

func (m *meter) total() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.items
}

func (m *meter) scrapes() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return int64(len(m.jobs))
}

// scrapesOf counts the scrapes of the servers that expose the same.
func (m *meter) scrapesOf(job string) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, j := range m.jobs {
		if strings.HasPrefix(j, job+"/") {
			n++
		}
	}
	return n
}

// measure lets the collector warm up, and then measures.
func (m *meter) measure(t *testing.T, c *collector) measurement {
	t.Helper()
	time.Sleep(min(*duration, 3*time.Second))
	m.mu.Lock()
	before := m.items
	m.latencies = nil
	m.mu.Unlock()
	busy, begin := processorTime(t, c), time.Now()
	time.Sleep(*duration)
	busy, length := processorTime(t, c)-busy, time.Since(begin)

	m.mu.Lock()
	defer m.mu.Unlock()
	items := float64(m.items - before)
	slices.Sort(m.latencies)
	if !assert.NotEmpty(t, m.latencies, "nothing arrived") {
		return measurement{}
	}
	return measurement{
		perSecond:  items / length.Seconds(),
		perMillion: time.Duration(float64(busy) / items * 1e6),
		p50:        m.latencies[len(m.latencies)/2],
		p99:        m.latencies[len(m.latencies)*99/100],
	}
}

// processorTime returns how long a collector was on a CPU, in user mode and in the kernel.
func processorTime(t *testing.T, c *collector) (total time.Duration) {
	t.Helper()
	const tick = time.Second / 100 // USER_HZ, the same on every architecture that Go knows
	stat := ofProcess(t, c, "stat")
	// The name of the command comes second, in parentheses, and can hold spaces. utime and stime are 14 and 15.
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:])
	for _, field := range fields[14-3 : 15-3+1] {
		ticks, err := strconv.Atoi(field)
		require.NoError(t, err)
		total += time.Duration(ticks) * tick
	}
	return total
}

// results are the measurements of some contenders, of which the first is what the others are compared with.
type results struct{ table *table }

func newResults(offered string) results {
	return results{newTable(offered + " | processor | items in | items out | items/s | CPU s per million | of that without | p50 ms | p99 ms | peak MiB")}
}

// measure measures a step of the load with each contender in turn, round after round.
func (r results) measure(t *testing.T, offered int, contenders []contender, load func(*testing.T, contender) measurement) {
	t.Helper()
	all := make([][]measurement, len(contenders))
	for round := range *rounds {
		for i, c := range contenders {
			t.Run(fmt.Sprintf("%d/%s/%d", offered, c.name, round+1), func(t *testing.T) {
				m := load(t, c)
				t.Logf("%+v", m)
				assert.Equal(t, m.sent, m.arrived)
				all[i] = append(all[i], m)
			})
		}
	}
	for i, c := range contenders {
		if len(all[i]) != *rounds || len(all[0]) != *rounds {
			return
		}
		r.add(offered, c.name, all[i], all[0])
	}
}

// add adds a row with the best of the rounds: what else the machine does makes numbers worse, never better.
func (r results) add(offered int, name string, all, without []measurement) {
	var sent, arrived int
	for _, m := range all {
		sent += m.sent
		arrived += m.arrived
	}
	load := strconv.Itoa(offered)
	if offered == 0 {
		load = "as many as go through"
	}
	perMillion := func(m measurement) time.Duration { return m.perMillion }
	r.table.add(load, name, sent, arrived,
		fmt.Sprintf("%.0f", slices.Max(each(all, func(m measurement) float64 { return m.perSecond }))),
		fmt.Sprintf("%.2f", slices.Min(each(all, perMillion)).Seconds()),
		fmt.Sprintf("× %.2f", float64(slices.Min(each(all, perMillion)))/float64(slices.Min(each(without, perMillion)))),
		milliseconds(slices.Min(each(all, func(m measurement) time.Duration { return m.p50 }))),
		milliseconds(slices.Min(each(all, func(m measurement) time.Duration { return m.p99 }))),
		slices.Max(each(all, func(m measurement) mebibytes { return m.peak })))
}

// each returns one of the numbers of each measurement.
func each[T any](all []measurement, number func(measurement) T) []T {
	numbers := make([]T, len(all))
	for i, m := range all {
		numbers[i] = number(m)
	}
	return numbers
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond))
}
