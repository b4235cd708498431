// SPDX-License-Identifier: Apache-2.0

package spandiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/spandiff"

import (
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
	Max   int // spans
	Width int // columns
	Style terminal.Style
}

// Print writes a table for one changed span of each shape, a line for each untouched shape, and the counts.
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
		span := shape.first.Before
		p.line("%s  scope %s", p.Style.Paint(terminal.Bold, span.Name()), span.Scope.Scope().Name())
		where := fmt.Sprintf("trace %s span %s", span.TraceID(), span.SpanID())
		if shape.spans > 1 {
			where += fmt.Sprintf(" and %d more like it", shape.spans-1)
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
		span := shape.first.Before
		where := fmt.Sprintf("scope %s, %d attributes", span.Scope.Scope().Name(), span.Attributes().Len())
		p.line("%s%d × %s  %s", indent, shape.spans, span.Name(), p.Style.Paint(terminal.Dim, where))
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
		// Both values are to be read: what the shorter one leaves free is the longer one's.
		half := (room - utf8.RuneCountInString(arrow)) / 2
		before := shorten(c.Before, max(half, room-utf8.RuneCountInString(arrow+c.After)))
		after := shorten(c.After, room-utf8.RuneCountInString(before+arrow))
		p.row(c.Kind, string(c.Kind), pad(c.Key, keyWidth)+before+arrow+after)
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

func (p *printer) unpaired(where string, spans []Span) {
	for _, span := range spans {
		p.line("%s  %s, trace %s span %s", p.Style.Paint(terminal.Bold, span.Name()), where, span.TraceID(), span.SpanID())
	}
	if len(spans) > 0 {
		p.line("")
	}
}

func (p *printer) counts(c Comparison) {
	changed := c.Changed()
	line := fmt.Sprintf("%d spans in, %d changed, %d untouched",
		len(c.Differences)+len(c.Missing), changed, len(c.Differences)-changed)
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
