// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
)

// TestTheGuideSaysWhatEachMetricMeans looks for a row about each metric of the component, and about each reason.
func TestTheGuideSaysWhatEachMetricMeans(t *testing.T) {
	var metadata struct {
		Telemetry struct {
			Metrics map[string]any `yaml:"metrics"`
		} `yaml:"telemetry"`
	}
	readYAML(t, "metadata.yaml", &metadata)
	require.NotEmpty(t, metadata.Telemetry.Metrics)
	rows := rowsOf(t, "docs/guide.md")
	for name := range metadata.Telemetry.Metrics {
		assertExplained(t, rows, "`otelcol_"+name+"`")
	}
	for _, reason := range normalize.Reasons() {
		assertExplained(t, rows, "`"+reason.String()+"`")
	}
}

// rowsOf returns the cells of the rows of a page's tables, by the first one.
func rowsOf(t *testing.T, page string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	rows := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(strings.TrimSpace(line), " | "); strings.HasPrefix(line, "| `") {
			rows[strings.TrimPrefix(cells[0], "| ")] = cells[1:]
		}
	}
	return rows
}

// assertExplained wants a meaning and an occasion to act.
func assertExplained(t *testing.T, rows map[string][]string, name string) {
	t.Helper()
	if assert.Len(t, rows[name], 2, name) {
		assert.Greater(t, len(rows[name][0]), 20, name)
		assert.Greater(t, len(rows[name][1]), 10, name)
	}
}

// TestThePagesNameTestsThatExist finds proofs that were renamed.
func TestThePagesNameTestsThatExist(t *testing.T) {
	exists := map[string]bool{}
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, f := range regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)`).FindAllSubmatch(source, -1) {
			exists[string(f[1])] = true
		}
		return err
	}))
	pages, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	named := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, name := range regexp.MustCompile("`((?:Test|Benchmark|Fuzz)[A-Z]\\w+)`").FindAllSubmatch(text, -1) {
			named++
			assert.True(t, exists[string(name[1])], "%s: %s", page, name[1])
		}
	}
	assert.Positive(t, named)
}
