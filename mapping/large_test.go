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

func BenchmarkLargeTable(b *testing.B) {
	for _, n := range []int{5_000, 20_000} {
		data := large(n)
		b.Run(fmt.Sprintf("parse/rows=%d", n), func(b *testing.B) {
			for b.Loop() {
				parse(b, data)
			}
		})
		table := parse(b, data)
		for _, version := range []string{"", "0.9"} {
			engines := map[string]mapping.EngineOptions{"a": {Version: version}}
			b.Run(fmt.Sprintf("compile/rows=%d/version=%s", n, version), func(b *testing.B) {
				for b.Loop() {
					compile(b, mapping.Options{Engines: engines}, table)
				}
			})
		}
	}
}
