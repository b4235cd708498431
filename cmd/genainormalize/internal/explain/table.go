// SPDX-License-Identifier: Apache-2.0

package explain // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/explain"

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/terminal"
	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
)

var classColours = map[Class]terminal.Colour{LookAt: terminal.Yellow, Changed: terminal.Green, Stays: terminal.Dim}

// maxColumn is the width up to which names are aligned. Longer ones push the rest to the right.
const maxColumn = 48

func (r *Report) writeTable(w io.Writer, style terminal.Style) error {
	var b strings.Builder
	fmt.Fprintf(&b, "semconv %s: %s\n", r.Semconv, strings.Join(r.summary(), "; "))
	for _, s := range r.sections() {
		fmt.Fprintf(&b, "\n%s\n", style.Paint(terminal.Bold, s.Title))
		for i := range s.Recognised {
			k := &s.Recognised[i]
			fmt.Fprintf(&b, "  %s\n", strings.TrimSpace(k.evidence()+"  "+k.Place))
		}
		for _, c := range s.Classes {
			fmt.Fprintf(&b, "\n  %s\n", style.Paint(classColours[c.Class], string(c.Class)))
			writeRows(&b, c, style)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeRows(b *strings.Builder, c classRows, style terminal.Style) {
	count, source, target := 0, 0, 0
	for i := range c.Rows {
		count = max(count, len(strconv.FormatInt(c.Rows[i].Count, 10)))
		source = max(source, utf8.RuneCountInString(c.Rows[i].source()))
		target = max(target, utf8.RuneCountInString(arrow(&c.Rows[i])))
	}
	source, target = min(source, maxColumn), min(target, maxColumn)
	for _, group := range c.groups() {
		for i := range group {
			r := &group[i]
			line := fmt.Sprintf("  %*d  %s%s%s", count, r.Count, pad(r.source(), source), pad(arrow(r), target), r.what())
			fmt.Fprintln(b, strings.TrimRight(line, " "))
		}
		for _, note := range group[0].notes() {
			fmt.Fprintf(b, "  %*s  %s\n", count, "", style.Paint(terminal.Dim, note))
		}
	}
}

func arrow(r *Row) string {
	if target := r.target(); target != "" {
		return "→ " + target
	}
	return ""
}

// what says what becomes of the name, and in which row that is written.
func (r *Row) what() string {
	var parts []string
	if r.Fate != word(normalize.Stays) {
		parts = append(parts, string(r.Fate))
	}
	if r.Outcomes > 0 && r.Outcomes != r.Count {
		parts = append(parts, "counted "+strconv.FormatInt(r.Outcomes, 10)+"×")
	}
	for _, part := range []string{r.Basis, r.conversion(), r.ID, r.Place} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "  ")
}

// notes are the sentences about a row.
func (r *Row) notes() (notes []string) {
	if r.Why != "" {
		notes = append(notes, "why: "+r.Why)
	}
	if r.Change != "" {
		notes = append(notes, "change: "+r.Change)
	}
	if example := r.example(); example != "" && r.Class() != Stays {
		notes = append(notes, "for example: "+example)
	}
	for _, caveat := range r.caveats() {
		notes = append(notes, "note: "+caveat)
	}
	return notes
}

// caveats are the remarks about a number that gets a standard name.
func (r *Row) caveats() []string {
	if r.Class() != Changed {
		return nil
	}
	return r.Caveats
}

// pad fills a text to a width in columns and two spaces.
func pad(text string, width int) string {
	if width == 0 {
		return ""
	}
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text))+2)
}
