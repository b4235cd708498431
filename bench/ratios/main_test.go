// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const runs = `goos: linux
BenchmarkTraces/payload=entry/by=genainormalize-2  10  30000 ns/op  8 B/op  4 allocs/op
BenchmarkTraces/payload=entry/by=genainormalize-2  10  20000 ns/op  8 B/op  4 allocs/op
BenchmarkTraces/payload=entry/by=transform-2       10  50000 ns/op  8 B/op  40 allocs/op
`

func readRuns(t *testing.T) measured {
	t.Helper()
	best, err := read(strings.NewReader(runs), "runs.txt")
	require.NoError(t, err)
	return best
}

func TestTheBestRunCounts(t *testing.T) {
	best := readRuns(t)
	row, err := targets("Traces/payload=", []string{"entry"}, seconds, ottl, 0.25, "¼")[0].row(best)
	require.NoError(t, err)
	assert.Equal(t, "| entry | 20 µs | 50 µs | 0.4 | ¼ | missed |", row)
}

func TestAllocationsAreWholeNumbers(t *testing.T) {
	best := readRuns(t)
	row, err := targets("Traces/payload=", []string{"entry"}, allocs, ottl, 0.25, "¼")[0].row(best)
	require.NoError(t, err)
	assert.Equal(t, "| entry | 4 | 40 | 0.1 | ¼ | met |", row)
}

func TestWithoutATargetThereIsNoVerdict(t *testing.T) {
	best := readRuns(t)
	row, err := targets("Traces/payload=", []string{"entry"}, seconds, ottl, noTarget, "")[0].row(best)
	require.NoError(t, err)
	assert.Equal(t, "| entry | 20 µs | 50 µs | 0.4 |  |  |", row)
}

func TestABenchmarkThatDidNotRunIsAnError(t *testing.T) {
	best := readRuns(t)
	err := write(new(strings.Builder), best)
	require.ErrorContains(t, err, `"Traces/payload=vllm-v1/by=genainormalize"`)
}

func TestTheTableReplacesWhatIsBetweenTheMarkers(t *testing.T) {
	page, err := insert([]byte("before\n"+begin+"old\n"+end+"after\n"), []byte("new\n"))
	require.NoError(t, err)
	assert.Equal(t, "before\n"+begin+"new\n"+end+"after\n", string(page))
}

func TestAPageWithoutMarkersIsAnError(t *testing.T) {
	_, err := insert([]byte(end+begin), nil)
	require.ErrorIs(t, err, errMarkers)
}

// TestThePageIsOfTheseRuns holds that the table in the documentation was made of the results beside it.
func TestThePageIsOfTheseRuns(t *testing.T) {
	page, err := os.ReadFile("../../docs/performance.md")
	require.NoError(t, err)
	copied := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(copied, page, 0o600))
	require.NoError(t, run("../results/runs.txt", copied))
	again, err := os.ReadFile(copied)
	require.NoError(t, err)
	assert.Equal(t, string(page), string(again))
}
