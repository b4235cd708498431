// SPDX-License-Identifier: Apache-2.0

package explain // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/explain"

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

func (r *Report) writeMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# What becomes of it\n\nSemantic conventions %s. %s.\n", r.Semconv, strings.Join(r.summary(), "; "))
	for _, s := range r.sections() {
		fmt.Fprintf(&b, "\n## %s\n\n", s.Title)
		for i := range s.Recognised {
			k := &s.Recognised[i]
			fmt.Fprintln(&b, strings.TrimSpace("- "+escape(k.evidence())+" "+code(k.Place)))
		}
		for _, c := range s.Classes {
			fmt.Fprintf(&b, "\n### %s\n\n| count | before | after | what | row | why |\n|--:|---|---|---|---|---|\n", c.Class)
			for _, group := range c.groups() {
				notes := strings.Join(group[0].notes(), "<br>")
				for i := range group {
					markdownRow(&b, &group[i], notes)
					notes = "as above"
				}
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownRow(b *strings.Builder, r *Row, notes string) {
	what := slices.DeleteFunc([]string{string(r.Fate), r.Basis, r.conversion()}, func(s string) bool { return s == "" })
	fmt.Fprintf(b, "| %d | %s | %s | %s | %s | %s |\n",
		r.Count, code(r.source()), code(r.target()), escape(strings.Join(what, ", ")), strings.TrimSpace(code(r.ID)+" "+r.Place), escape(notes))
}

// escape keeps a text from ending a cell.
func escape(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// code sets a name. What it holds is anybody's, so it must not end the cell or the code.
func code(name string) string {
	if name == "" {
		return ""
	}
	return "`" + strings.NewReplacer("`", "'", "|", `\|`).Replace(name) + "`"
}
