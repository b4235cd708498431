// SPDX-License-Identifier: Apache-2.0

// Package terminal decides whether output is coloured.
package terminal // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/terminal"

import (
	"io"
	"os"
)

// Colour is an SGR parameter of ECMA-48.
type Colour string

// The colours in use.
const (
	Bold   Colour = "1"
	Dim    Colour = "2"
	Red    Colour = "31"
	Green  Colour = "32"
	Yellow Colour = "33"
	Cyan   Colour = "36"
)

// Style colours text. The zero value leaves it plain.
type Style struct {
	coloured bool
}

// StyleFor returns a style with colours if w is a terminal and the environment does not ask for plain text
// (https://no-color.org, TERM=dumb).
func StyleFor(w io.Writer) Style {
	file, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return Style{}
	}
	info, err := file.Stat()
	return Style{coloured: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// Paint returns the text in a colour. The escape sequences take no columns: pad the text before.
func (s Style) Paint(colour Colour, text string) string {
	if !s.coloured || text == "" {
		return text
	}
	return "\x1b[" + string(colour) + "m" + text + "\x1b[0m"
}
