// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/docs"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

func pagesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	require.NoError(t, err)
	pages := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		pages[filepath.Base(file)] = string(text)
	}
	return pages
}

func TestThePagesOfTheTablesAreUpToDate(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, docs.Mapping(dir, builtIn(t)))
	require.Equal(t, pagesIn(t, repository+"/docs/mapping"), pagesIn(t, dir), "make generate brings them up to date")
}

func TestAPageHasEveryRowAndNoOtherPageStays(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gone.md"), nil, 0o600))
	kestrel, err := mapping.ReadTable(repository + "/testdata/tables/kestrel.yaml")
	require.NoError(t, err)
	require.NoError(t, docs.Mapping(dir, append(builtIn(t), kestrel)))
	pages := pagesIn(t, dir)
	assert.NotContains(t, pages, "gone.md")
	assert.Contains(t, pages["README.md"], "\n| [kestrel](kestrel.md) | engine | by default | 1 | 8 | ")
	for _, table := range append(builtIn(t), kestrel) {
		page := pages[table.Engine+".md"]
		for i := range table.Attributes {
			assert.Contains(t, page, "\n| `"+table.Attributes[i].ID+"` | ")
		}
		for i := range table.Events {
			assert.Contains(t, page, "\n| `"+table.Events[i].ID+"` | ")
		}
		for i := range table.Metrics {
			assert.Contains(t, page, "\n| `"+table.Metrics[i].ID+"` | ")
		}
		for line := range strings.Lines(page) {
			if strings.HasPrefix(line, "| `") && strings.Contains(line, "[source]") {
				assert.Contains(t, []int{7, 5, 2}, strings.Count(line, "|")-1-strings.Count(line, `\|`), line)
			}
		}
	}
	page := pages["kestrel.md"]
	for _, line := range []string{
		"| `kestrel/native` | The engine's own tracing. [source](https://example.com/kestrel/tracing) | request, entry | provider, operation from request id | `kestrel.took.*` in ns or s |",
		"| `kestrel.stream` | `kestrel.streaming` | `gen_ai.request.stream` | `gen_ai.request.stream` |  | exact | Left out when it is false. [source](https://example.com/kestrel/tracing) |",
		"| `kestrel.first_token` | `first_token_seconds` | `gen_ai.server.time_to_first_token` | `gen_ai.server.time_to_first_token` | histogram, `s` | exact | Releases `>=2`. Proven by `pairs_total`. [source](https://example.com/kestrel/metrics) |",
		"| `kestrel.running` | `running` | `inference.server.requests.running` | `inference.server.requests.running` | gauge, `{request}` | extension | Only points without `priority`. One of the copies that differ in `rank`. [source](https://example.com/kestrel/metrics) |",
		"| `kestrel.kind` | `kestrel.kind` |  |  |  | kept | No target. |",
	} {
		assert.Contains(t, page, "\n"+line+"\n")
	}
}
