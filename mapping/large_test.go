// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// large returns a table with many rows. Every other one is for some releases: a.1 until 0.8, a.3 since, and so on.
func large(n int) string {
	var b strings.Builder
	b.WriteString(`engine: a
layer: engine
dialects:
  - {id: a/1, request: {any_key: [a.one]}, evidence: https://example.com}
  - {id: a/2, request: {any_key: [a.two]}, evidence: https://example.com}
attributes:
`)
	ranges := []string{"", `, versions: "<0.8"`, "", `, versions: ">=0.8"`}
	for i := range n {
		b.WriteString(exact(fmt.Sprintf("a.%d", i), fmt.Sprintf("a.%d", i), "gen_ai.usage.input_tokens", ranges[i%len(ranges)]))
	}
	return b.String()
}

// underRace tells whether the tests run under the race detector, which makes them about twenty times slower.
func underRace() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

func TestALargeTable(t *testing.T) {
	n := 20_000
	if underRace() || testing.Short() {
		n = 1_000
	}
	start := time.Now()
	table := parse(t, large(n))
	t.Logf("%d rows read in %v", n, time.Since(start))
	require.Len(t, table.Attributes, n)
	for version, used := range map[string][]bool{
		"":      {true, true, true, true},
		"0.7.3": {true, true, true, false},
		"0.9":   {true, false, true, true},
	} {
		start = time.Now()
		rules := compile(t, mapping.Options{Engines: map[string]mapping.EngineOptions{"a": {Version: version}}}, table)
		t.Logf("%d rows compiled for version %q in %v", n, version, time.Since(start))
		for _, d := range rules.Dialects() {
			for i := range n {
				rule := rulesOf(rules, d, fmt.Sprintf("a.%d", i))
				require.Equal(t, used[i%len(used)], len(rule) == 1, "row %d of %s for version %q", i, d.ID, version)
				assert.True(t, len(rule) == 0 || rule[0].ID == fmt.Sprintf("a.%d", i))
			}
		}
	}
}

// largeMetrics returns a table with rows of attributes and as many of metrics, each of which fills a slot of its own.
func largeMetrics(n int) string {
	var b strings.Builder
	b.WriteString(large(n))
	b.WriteString("metric_prefixes: [\"a:\", a_]\nmetrics:\n")
	ranges := []string{"", `, versions: "<0.8"`, "", `, versions: ">=0.8"`}
	for i := range n {
		fmt.Fprintf(&b, "  - {id: a.m%d, from: m%d, instrument: histogram, unit: \"{token}\", to: gen_ai.client.token.usage, add: {gen_ai.token.type: t%d}, basis: exact, evidence: https://example.com%s}\n",
			i, i, i, ranges[i%len(ranges)])
	}
	return b.String()
}

// BenchmarkCompile shows how the time for a row grows with their number, which it should not.
func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{100, 1_000, 20_000} {
		data := largeMetrics(n)
		perRow := func(b *testing.B) {
			b.Helper()
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(2*n), "ns/row")
		}
		b.Run(fmt.Sprintf("parse/rows=%d", 2*n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				parse(b, data)
			}
			perRow(b)
		})
		table := parse(b, data)
		for _, version := range []string{"", "0.9"} {
			engines := map[string]mapping.EngineOptions{"a": {Version: version}}
			b.Run(fmt.Sprintf("compile/rows=%d/version=%s", 2*n, version), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					compile(b, mapping.Options{Engines: engines}, table)
				}
				perRow(b)
			})
		}
	}
}
