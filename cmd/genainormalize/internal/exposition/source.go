// SPDX-License-Identifier: Apache-2.0

package exposition // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/exposition"

import (
	"bytes"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
)

// source is a text and the place in it that the parser is at. The parser does not tell; but what it returns is cut out
// of the text, and of how far a slice is from the end of what it was cut out of, its capacity tells.
type source struct {
	text []byte
	// The entry is text[start:end], up to the end of its line, and begins in this line, counted from 0.
	start, end, line int
}

// newSource copies the text, with room for the line break that the parser may append.
func newSource(text []byte) *source {
	return &source{text: append(make([]byte, 0, len(text)+1), text...)}
}

func (s *source) parser() textparse.Parser {
	symbols := labels.NewSymbolTable()
	if isOpenMetrics(s.text) {
		return textparse.NewOpenMetricsParser(s.text, symbols)
	}
	return textparse.NewPromParser(s.text, symbols, false)
}

// isOpenMetrics tells whether the last line is the one that ends OpenMetrics.
func isOpenMetrics(text []byte) bool {
	text = bytes.TrimRight(text, " \t\r\n")
	return string(text[bytes.LastIndexByte(text, '\n')+1:]) == "# EOF"
}

// enter moves to the entry that the parser returned a part of, and returns the part.
func (s *source) enter(part []byte) string {
	s.moveTo(cap(s.text) - cap(part))
	s.end = s.start + len(part)
	if lineBreak := bytes.IndexByte(s.text[s.end:], '\n'); lineBreak >= 0 {
		s.end += lineBreak + 1
	} else {
		s.end = len(s.text)
	}
	return string(part)
}

func (s *source) moveTo(start int) {
	s.line += bytes.Count(s.text[s.start:start], []byte{'\n'})
	s.start = start
}

func (s *source) errorInEntry(err error) error {
	return &Error{Line: s.line + 1, Err: err}
}

// errorAfterEntry is for what the parser did not take: the line after the last entry. Only the text format of Prometheus
// has blank lines.
func (s *source) errorAfterEntry(err error) error {
	next := s.end
	if !isOpenMetrics(s.text) {
		next += len(s.text[s.end:]) - len(bytes.TrimLeft(s.text[s.end:], " \t\n"))
	}
	s.moveTo(next)
	return s.errorInEntry(err)
}
