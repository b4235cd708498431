// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TestTheReadmesTablesOfSpansAreTrue compares each table behind a "span:" comment with what the processor does to
// the file's first span.
func TestTheReadmesTablesOfSpansAreTrue(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	tables := regexp.MustCompile(`(?s)<!-- span: (\S+) -->\n(.*?)\n\n`).FindAllStringSubmatch(string(readme), -1)
	require.NotEmpty(t, tables)
	for _, table := range tables {
		in := readTraces(t, table[1])
		before, after := spansOf(in)[0], spansOf(newHarness(t, "{}").normalize(t, in))[0]
		rows := strings.Split(table[2], "\n")[2:]
		require.NotEmpty(t, rows)
		for _, row := range rows {
			cells := strings.Split(row, "|")
			require.Len(t, cells, 5, row)
			key := strings.Trim(cells[1], " `")
			assert.Equal(t, strings.Trim(cells[2], " `"), valueText(before, key), "before: %s", key)
			assert.Equal(t, strings.Trim(cells[3], " `"), valueText(after, key), "after: %s", key)
		}
	}
}

// valueText is an attribute as a reader writes it, or nothing.
func valueText(s ptrace.Span, key string) string {
	v, ok := s.Attributes().Get(key)
	if !ok {
		return ""
	}
	return fmt.Sprint(v.AsRaw())
}
