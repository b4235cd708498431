// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// table is one of Markdown.
type table struct{ lines []string }

// newTable takes the header, with " | " between the columns.
func newTable(header string) *table {
	return &table{[]string{"| " + header + " |", strings.Repeat("|---", strings.Count(header, " | ")+1) + "|"}}
}

func (r *table) add(cells ...any) {
	format := "|" + strings.Repeat(" %v |", len(cells))
	r.lines = append(r.lines, fmt.Sprintf(format, cells...))
}

// publish logs the table, and writes it to the page that -page names, between comments with its name.
func (r *table) publish(t *testing.T, name string) {
	t.Helper()
	text := strings.Join(r.lines, "\n")
	t.Log("\n" + text)
	if *page == "" {
		return
	}
	old, err := os.ReadFile(*page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(old), "<!-- "+name+" -->\n")
	require.True(t, found, "%s has no comment %q", *page, name)
	_, after, found := strings.Cut(rest, "<!-- /"+name+" -->\n")
	require.True(t, found, "%s has no comment %q", *page, "/"+name)
	whole := before + "<!-- " + name + " -->\n" + text + "\n<!-- /" + name + " -->\n" + after
	require.NoError(t, os.WriteFile(*page, []byte(whole), 0o600))
}
