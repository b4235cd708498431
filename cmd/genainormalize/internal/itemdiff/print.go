// SPDX-License-Identifier: Apache-2.0

package itemdiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/itemdiff"

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/terminal"
)

const (
	indent    = "  "
	kindWidth = len(Converted) + 2
	maxKey    = 44 // columns; longer keys push the value to the right
	arrow     = " → "
)

var colours = map[Kind]terminal.Colour{
	Renamed: terminal.Yellow, Converted: terminal.Cyan, Added: terminal.Green, Removed: terminal.Red, Unchanged: terminal.Dim,
}

// PrintOptions says how a comparison is printed.
type PrintOptions struct {
	Max   int // items
	Width int // columns
	Style terminal.Style
}

// Print writes a table for one changed item of each shape, a line for each untouched shape, and the counts.
func Print(w io.Writer, comparison Comparison, options PrintOptions) error {
	p := &printer{PrintOptions: options}
	p.changed(comparison.shapes(Difference.Touched))
	p.untouched(comparison.shapes(Difference.untouched))
	p.unpaired("only before", comparison.Missing)
	p.unpaired("only after", comparison.Extra)
	p.counts(comparison)
	_, err := io.WriteString(w, p.text.String())
	return err
}

type printer struct {
	PrintOptions
	text strings.Builder
}

func (p *printer) line(text string, args ...any) { fmt.Fprintf(&p.text, text+"\n", args...) }

func (p *printer) changed(shapes []shape) {
	for _, shape := range p.shown(shapes) {
		item := shape.first.Before
		p.line("%s  scope %s", p.Style.Paint(terminal.Bold, item.title()), item.Scope)
		where := item.Where
		if shape.items > 1 {
			where += fmt.Sprintf(" and %d more like it", shape.items-1)
		}
		p.line("%s%s", indent, p.Style.Paint(terminal.Dim, where))
		p.table(shape.first.Changes)
		p.line("")
	}
	if len(p.shown(shapes)) < len(shapes) {
		p.more(shapes)
		p.line("")
	}
}

func (p *printer) untouched(shapes []shape) {
	if len(shapes) == 0 {
		return
	}
	p.line("%s", p.Style.Paint(terminal.Bold, "untouched"))
	for _, shape := range p.shown(shapes) {
		item := shape.first.Before
		where := fmt.Sprintf("scope %s, %d attributes", item.Scope, item.Attributes.Len())
		p.line("%s%d × %s  %s", indent, shape.items, item.title(), p.Style.Paint(terminal.Dim, where))
	}
	p.more(shapes)
	p.line("")
}

func (p *printer) shown(shapes []shape) []shape { return shapes[:max(0, min(p.Max, len(shapes)))] }

func (p *printer) more(shapes []shape) {
	if left := len(shapes) - len(p.shown(shapes)); left > 0 {
		p.line("%s%s", indent, p.Style.Paint(terminal.Dim, fmt.Sprintf("… and %d more, see --max", left)))
	}
}

func (p *printer) table(changes []Change) {
	keyWidth := 0
	for _, change := range changes {
		keyWidth = max(keyWidth, utf8.RuneCountInString(change.Key), utf8.RuneCountInString(newKey(change)))
	}
	keyWidth = min(keyWidth, maxKey) + 2
	for _, change := range changes {
		p.change(change, keyWidth)
	}
}

func (p *printer) change(c Change, keyWidth int) {
	room := p.Width - len(indent) - kindWidth - keyWidth
	switch c.Kind {
	case Renamed:
		p.row(c.Kind, string(c.Kind), pad(c.Key, keyWidth)+shorten(c.Before, room))
		after := ""
		if c.After != c.Before {
			after = shorten(c.After, room)
		}
		p.row(c.Kind, "", pad(newKey(c), keyWidth)+after)
	case Converted:
		text := c.Before + arrow + c.After
		if utf8.RuneCountInString(text) <= room {
			p.row(c.Kind, string(c.Kind), pad(c.Key, keyWidth)+text)
			break
		}
		// Both values are to be read.
		p.row(c.Kind, string(c.Kind), pad(c.Key, keyWidth)+shorten(c.Before, room))
		p.row(c.Kind, "", pad("", keyWidth)+shorten(strings.TrimLeft(arrow, " ")+c.After, room))
	case Added:
		p.row(c.Kind, string(c.Kind), pad(c.NewKey, keyWidth)+shorten(c.After, room))
	case Removed, Unchanged:
		p.row(c.Kind, string(c.Kind), pad(c.Key, keyWidth)+shorten(c.Before, room))
	}
}

func (p *printer) row(kind Kind, label, text string) {
	line := strings.TrimRight(pad(label, kindWidth)+text, " ")
	p.line("%s%s", indent, p.Style.Paint(colours[kind], line))
}

func newKey(c Change) string {
	if c.Kind == Renamed {
		return "→ " + c.NewKey
	}
	return c.NewKey
}

// unpaired writes a line for each item, or for several that look the same.
func (p *printer) unpaired(where string, items []Item) {
	var lines []string
	count := map[string]int{}
	for _, item := range items {
		line := fmt.Sprintf("%s  %s, %s", p.Style.Paint(terminal.Bold, item.title()), where, item.Where)
		if count[line] == 0 {
			lines = append(lines, line)
		}
		count[line]++
	}
	for _, line := range lines {
		if count[line] > 1 {
			line += fmt.Sprintf(" and %d more like it", count[line]-1)
		}
		p.line("%s", line)
	}
	if len(items) > 0 {
		p.line("")
	}
}

// title is the name, or what the item is if it has none.
func (i Item) title() string { return cmp.Or(i.Name, string(i.Kind)) }

// counts writes a line for each kind of items that there are, and one where there are none.
func (p *printer) counts(c Comparison) {
	empty := true
	for _, kind := range itemKinds {
		if counted := c.of(kind); counted.size() > 0 {
			p.countsOf(kind, counted)
			empty = false
		}
	}
	if empty {
		p.countsOf(Span, c)
	}
}

func (p *printer) countsOf(kind ItemKind, c Comparison) {
	changed := c.Changed()
	line := fmt.Sprintf("%d %ss in, %d changed, %d untouched",
		len(c.Differences)+len(c.Missing), kind, changed, len(c.Differences)-changed)
	if len(c.Missing) > 0 {
		line += fmt.Sprintf(", %d missing after", len(c.Missing))
	}
	if len(c.Extra) > 0 {
		line += fmt.Sprintf(", %d only after", len(c.Extra))
	}
	p.line("%s", p.Style.Paint(terminal.Bold, line))
}

// pad fills a text to a width in columns, and keeps at least one space behind it.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(1, width-utf8.RuneCountInString(text)))
}

// shorten cuts a text to a number of columns.
func shorten(text string, columns int) string {
	if utf8.RuneCountInString(text) <= columns {
		return text
	}
	runes := []rune(text)
	return string(runes[:max(0, columns-1)]) + "…"
}
