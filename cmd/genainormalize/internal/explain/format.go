// SPDX-License-Identifier: Apache-2.0

package explain // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/explain"

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/terminal"
	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
)

// Format is how a report is written. It is a flag.
type Format string

// The formats.
const (
	Table    Format = "table"
	JSON     Format = "json"
	Markdown Format = "markdown"
	HTML     Format = "html"
)

var formats = []Format{Table, JSON, Markdown, HTML}

// String returns the value of the flag.
func (f *Format) String() string { return string(*f) }

// Type returns what the flag takes.
func (*Format) Type() string { return "format" }

// Set reads the value of the flag.
func (f *Format) Set(s string) error {
	if !slices.Contains(formats, Format(s)) {
		return fmt.Errorf("one of %s is expected", strings.ReplaceAll(joined(formats), " or ", ", "))
	}
	*f = Format(s)
	return nil
}

// Write writes the report.
func (r *Report) Write(w io.Writer, f Format) error {
	switch f {
	case JSON:
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(r)
	case Markdown:
		return r.writeMarkdown(w)
	case HTML:
		return r.writeHTML(w)
	default:
		return r.writeTable(w, terminal.StyleFor(w))
	}
}

// section is what a dialect's items of a signal have in common.
type section struct {
	Title      string
	Recognised []Recognised
	Classes    []classRows
}

// classRows are the rows of a class.
type classRows struct {
	Class Class
	Rows  []Row
}

// groups puts rows to look at together that have one remedy, so that it is said once. All others are alone.
func (c classRows) groups() (groups [][]Row) {
	for i := range c.Rows {
		if i > 0 && c.Class == LookAt && slices.Equal(c.Rows[i].notes(), c.Rows[i-1].notes()) {
			last := &groups[len(groups)-1]
			*last = append(*last, c.Rows[i])
			continue
		}
		groups = append(groups, []Row{c.Rows[i]})
	}
	return groups
}

// sections returns the rows by dialect and class.
func (r *Report) sections() (sections []section) {
	signal, dialect, first := "", "", true
	for _, row := range r.Rows {
		if first || signal != string(row.Signal) || dialect != row.Dialect {
			signal, dialect, first = string(row.Signal), row.Dialect, false
			s := section{Title: signal + " " + dialect}
			if dialect == "" {
				s.Title = signal + ", beside the dialects"
			}
			for _, known := range r.Recognised {
				if string(known.Signal) == signal && known.Dialect == dialect {
					s.Recognised = append(s.Recognised, known)
				}
			}
			sections = append(sections, s)
		}
		s := &sections[len(sections)-1]
		if n := len(s.Classes); n == 0 || s.Classes[n-1].Class != row.Class() {
			s.Classes = append(s.Classes, classRows{Class: row.Class()})
		}
		rows := &s.Classes[len(s.Classes)-1].Rows
		*rows = append(*rows, row)
	}
	return sections
}

// summary says what came in.
func (r *Report) summary() []string {
	lines := make([]string, 0, len(r.Input)+1)
	for _, in := range r.Input {
		thing := map[normalize.Signal]string{normalize.Traces: "span", normalize.Metrics: "metric name", normalize.Logs: "log record"}[in.Signal]
		lines = append(lines, fmt.Sprintf("%s, %d foreign", plural(in.Items, thing), in.Foreign))
	}
	outcomes, unmapped := r.Losses()
	return append(lines, plural(outcomes, "outcome")+" to look at", plural(unmapped, "name")+" that no row is about")
}

// evidence says by what a dialect was recognised.
func (k *Recognised) evidence() string {
	text := plural(k.Count, "item")
	if k.Form == "" {
		text = plural(k.Count, "data point")
	} else {
		text += " (" + k.Form + ")"
	}
	return text + " by " + strings.Join(k.Evidence, ", ")
}

func plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.FormatInt(n, 10) + " " + thing + "s"
}

// printable keeps a name, which is anybody's, from being more than a text: to a terminal, for example.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, name)
}

// source is the name before, and what it is if it is not what the signal consists of.
func (r *Row) source() string {
	switch {
	case r.Source == "" && r.Kind == KindAttribute:
		return ""
	case r.Kind == KindAttribute || r.Kind == KindMetric:
		return printable(r.Source)
	}
	return strings.TrimSpace(string(r.Kind) + " " + printable(r.Source))
}

// target is the name after, where there is one that is not the source's.
func (r *Row) target() string {
	if r.Target == r.Source {
		return ""
	}
	switch {
	case r.Target == "" || r.Fate == word(normalize.Dropped):
		return ""
	case isOutcome(r.Fate) || r.Fate == word(normalize.Omitted) || r.Fate == word(normalize.Placeholder):
		return "(" + r.Target + ")" // what does not come
	}
	return r.Target
}

// conversion says what becomes of the values.
func (r *Row) conversion() string {
	var parts []string
	switch {
	case r.After.Unit == "":
	case r.Before.Unit == "" || r.Before.Unit == r.After.Unit:
		parts = append(parts, "in "+r.After.Unit)
	default:
		parts = append(parts, r.Before.Unit+" → "+r.After.Unit)
	}
	if r.Divisor != 0 {
		parts = append(parts, "÷ "+strings.Replace(strconv.FormatFloat(r.Divisor, 'g', -1, 64), "e+0", "e", 1))
	}
	if r.Before.Type != r.After.Type && r.Before.Type != "" && r.After.Type != "" {
		parts = append(parts, r.Before.Type+" → "+r.After.Type)
	}
	return strings.Join(parts, ", ")
}

// example shows the values of one item.
func (r *Row) example() string {
	switch {
	case r.Before.Example == "":
		return r.After.Example
	case r.After.Example == "" || r.After.Example == r.Before.Example:
		return r.Before.Example
	default:
		return r.Before.Example + " → " + r.After.Example
	}
}
