// SPDX-License-Identifier: Apache-2.0

package semconv

import (
	"fmt"
	"slices"
	"strings"
)

// Type is the type of an attribute's value or of a metric's points. Its zero value is no type.
type Type uint8

const (
	String Type = iota + 1
	Int         // int64
	Double      // float64
	Boolean
	StringArray
	IntArray
	DoubleArray
	BooleanArray
	Any            // a structured value; on spans a JSON string of it is allowed
	StringTemplate // one string attribute per key: gen_ai.prompt.variable.<key>
)

var types = []string{
	"",
	"string", "int", "double", "boolean",
	"string[]", "int[]", "double[]", "boolean[]",
	"any", "template[string]",
}

// String returns the spelling of the registry files, for example "string[]".
func (t Type) String() string { return spell(types, t) }

// Level is the requirement level of an attribute.
type Level uint8

const (
	Unspecified Level = iota // the attribute is not on the item that the level speaks of
	Required
	ConditionallyRequired // Attribute.When and MetricAttribute.When say when
	Recommended
	OptIn
)

var levels = []string{"", "required", "conditionally_required", "recommended", "opt_in"}

// String returns the spelling of the registry files, for example "opt_in"; "" when unspecified.
func (l Level) String() string { return spell(levels, l) }

// Instrument is the kind of a metric. Its zero value is no instrument.
type Instrument uint8

const (
	Histogram     Instrument = iota + 1
	Sum                      // only rises: the instrument that the conventions call a counter
	UpDownCounter            // a sum that may fall
	Gauge
)

var instruments = []string{"", "histogram", "sum", "updowncounter", "gauge"}

// String returns the spelling of the registry files, for example "updowncounter".
func (i Instrument) String() string { return spell(instruments, i) }

// Certainty says where an entry was read. It speaks of the name first; see the head of a registry file for what
// else it covers.
type Certainty uint8

const (
	Tagged      Certainty = iota + 1 // V: in the tagged release that the source names
	Published                        // R: in the published text of the release
	Development                      // D: in a development version shortly before the release
	Unread                           // U: named by somebody else, not read
)

var certainties = []string{"", "V", "R", "D", "U"}

// String returns the letter of the registry files.
func (c Certainty) String() string { return spell(certainties, c) }

// spell returns the word for value, and something that is no word of a registry file for a value out of range.
func spell[T ~uint8](words []string, value T) string {
	if int(value) >= len(words) {
		return fmt.Sprintf("%T(%d)", value, value)
	}
	return words[value]
}

// read finds the value whose spelling is word. The error wraps unknown and lists the words there are.
func read[T ~uint8](words []string, word string, unknown error) (T, error) {
	if i := slices.Index(words, word); i > 0 {
		return T(i), nil
	}
	return 0, fmt.Errorf("%w %q: want one of %s", unknown, word, strings.Join(words[1:], ", "))
}
