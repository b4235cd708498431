// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
)

// payload is a batch as it arrives: encoded.
type payload[T any] struct {
	name   string
	data   []byte
	decode func([]byte) (T, error)
	// copies is how many are decoded, and then processed, in one round: so many that reading the clock does not count.
	copies int
}

// fresh decodes the copies of a round.
func (p payload[T]) fresh(tb testing.TB) []T {
	tb.Helper()
	batches := make([]T, p.copies)
	for i := range batches {
		batch, err := p.decode(p.data)
		require.NoError(tb, err)
		batches[i] = batch
	}
	return batches
}

// contender is something that processes batches.
type contender[T any] struct {
	name    string
	process func(context.Context, T) error
}

// compare runs a benchmark for decoding the payload and one for each contender.
func compare[T any](b *testing.B, p payload[T], contenders ...contender[T]) {
	b.Helper()
	b.Run("by=decoding", func(b *testing.B) {
		report(b, p.copies, func() func() {
			return func() { p.fresh(b) }
		})
	})
	for _, c := range contenders {
		p.benchmark(b, c)
	}
}

// benchmark runs the benchmark of one contender.
func (p payload[T]) benchmark(b *testing.B, c contender[T]) {
	b.Helper()
	b.Run("by="+c.name, func(b *testing.B) {
		report(b, p.copies, func() func() {
			batches := p.fresh(b)
			return func() { processAll(b, c, batches) }
		})
	})
}

func processAll[T any](b *testing.B, c contender[T], batches []T) {
	b.Helper()
	for _, batch := range batches {
		if err := c.process(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
}

// report measures rounds of so many operations. It times and counts what prepare returns, and not prepare itself.
func report(b *testing.B, operations int, prepare func() func()) {
	b.Helper()
	objects, bytes := allocations(prepare)
	var rounds []time.Duration
	for b.Loop() {
		round := prepare()
		begin := time.Now()
		round()
		rounds = append(rounds, time.Since(begin))
	}
	slices.Sort(rounds)
	b.ReportMetric(float64(rounds[len(rounds)/2].Nanoseconds())/float64(operations), "ns/op")
	b.ReportMetric(float64(bytes)/float64(operations), "B/op")
	b.ReportMetric(float64(objects)/float64(operations), "allocs/op")
}

// allocations counts what one round allocates. No garbage is collected meanwhile, which would empty the pools that
// contenders keep their scratch space in.
func allocations(prepare func() func()) (objects, bytes uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	prepare()() // Whoever has something to set up at the first batch has done so.
	round := prepare()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	round()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}

// settings returns the settings of a processor with telemetry that counts, as a collector's does.
func settings(tb testing.TB, id component.Type) processor.Settings {
	tb.Helper()
	tel := componenttest.NewTelemetry()
	tb.Cleanup(func() { require.NoError(tb, tel.Shutdown(context.Background())) })
	set := processortest.NewNopSettings(id)
	set.TelemetrySettings = tel.NewTelemetrySettings()
	return set
}

// configure returns a processor's default configuration with what stands in the files of testdata. Lists are joined.
func configure(tb testing.TB, factory processor.Factory, files ...string) component.Config {
	tb.Helper()
	merged := map[string]any{}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		require.NoError(tb, err)
		retrieved, err := confmap.NewRetrievedFromYAML(data)
		require.NoError(tb, err)
		conf, err := retrieved.AsConf()
		require.NoError(tb, err)
		for key, value := range conf.ToStringMap() {
			if list, ok := value.([]any); ok {
				have, _ := merged[key].([]any)
				value = slices.Concat(have, list)
			}
			merged[key] = value
		}
	}
	return configureFrom(tb, factory, merged)
}

// configureFrom is configure with values instead of files.
func configureFrom(tb testing.TB, factory processor.Factory, values map[string]any) component.Config {
	tb.Helper()
	cfg := factory.CreateDefaultConfig()
	require.NoError(tb, confmap.NewFromStringMap(values).Unmarshal(cfg))
	require.NoError(tb, confmap.Validate(cfg))
	return cfg
}

// start starts a processor until the end of the test.
func start(tb testing.TB, p component.Component) {
	tb.Helper()
	require.NoError(tb, p.Start(tb.Context(), componenttest.NewNopHost()))
	tb.Cleanup(func() { require.NoError(tb, p.Shutdown(context.Background())) })
}

// repository returns the path of a file of the repository.
func repository(path string) string {
	return filepath.Join("..", filepath.FromSlash(path))
}
