// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/plogtest"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/pmetrictest"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/ptracetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAnEngineOfOnesOwn runs cases of the component through a collector that knows the engine from its configuration
// alone, and those of log records: what the collector writes is what the cases expect.
func TestAnEngineOfOnesOwn(t *testing.T) {
	table, err := filepath.Abs(repository + "/testdata/tables/kestrel.yaml")
	require.NoError(t, err)
	c := start(t, setup{
		binary: small(t), configs: []string{"testdata/own-engine.yaml"}, ports: []string{otlpPort}, env: []string{"TABLE=" + table},
	})
	const (
		spans   = "a-new-engine-is-a-yaml-file"
		metrics = "metrics-of-a-new-engine-are-rows-of-a-yaml-file"
		records = "log-records-with-the-keys-of-an-entry"
	)
	send := func(signal, name string) {
		body, err := os.ReadFile(filepath.Join(repository, "testdata", "cases", name, "input.json"))
		require.NoError(t, err)
		c.post(t, signal, body)
	}
	output := func(name string) string { return filepath.Join(repository, "testdata", "cases", name, "output.yaml") }
	send("traces", spans)
	send("metrics", metrics)
	send("logs", records)
	for _, file := range []string{"traces.json", "metrics.json", "logs.json"} {
		c.await(t, file, func() bool {
			data, err := os.ReadFile(c.file(file))
			return err == nil && len(data) > 0
		})
	}
	c.stop(t)

	wantSpans, err := golden.ReadTraces(output(spans))
	require.NoError(t, err)
	gotSpans, err := golden.ReadTraces(c.file("traces.json"))
	require.NoError(t, err)
	assert.NoError(t, ptracetest.CompareTraces(wantSpans, gotSpans))

	wantMetrics, err := golden.ReadMetrics(output(metrics))
	require.NoError(t, err)
	gotMetrics, err := golden.ReadMetrics(c.file("metrics.json"))
	require.NoError(t, err)
	assert.NoError(t, pmetrictest.CompareMetrics(wantMetrics, gotMetrics, pmetrictest.IgnoreMetricsOrder(), pmetrictest.IgnoreMetricDataPointsOrder()))

	wantRecords, err := golden.ReadLogs(output(records))
	require.NoError(t, err)
	gotRecords, err := golden.ReadLogs(c.file("logs.json"))
	require.NoError(t, err)
	assert.NoError(t, plogtest.CompareLogs(wantRecords, gotRecords))
}
