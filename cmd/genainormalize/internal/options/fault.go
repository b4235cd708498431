// SPDX-License-Identifier: Apache-2.0

package options // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/options"

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/genainormalize/genainormalizeprocessor"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/nearest"
)

// Fault is something that is wrong with a value or a key.
type Fault struct {
	// Key are the keys on the way to it.
	Key  []string
	Text string
}

// String is for example `engines::vllm::release: unknown key: …`.
func (f Fault) String() string {
	if len(f.Key) == 0 {
		return f.Text
	}
	return strings.Join(f.Key, "::") + ": " + f.Text
}

// FaultsOf takes an error of the processor apart, which has a fault in each line, and each behind its key.
func FaultsOf(err error) (faults []Fault) {
	for line := range strings.Lines(err.Error()) {
		faults = append(faults, faultOf(strings.TrimSpace(line)))
	}
	return faults
}

func faultOf(text string) Fault {
	if m := ownKey.FindStringSubmatch(text); m != nil {
		return Fault{Key: strings.Split(m[1], "::"), Text: m[2]}
	}
	return Fault{Text: text}
}

// Keys are those of the options.
func Keys() []string { return keysOf(reflect.TypeFor[genainormalizeprocessor.Config]()) }

func keysOf(t reflect.Type) (keys []string) {
	for field := range t.Fields() {
		if key := field.Tag.Get("mapstructure"); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

var (
	// What the decoder says of a key: 'engines[vllm]' has invalid keys: enable
	decodedKey  = regexp.MustCompile(`^'([^']*)' (.*)$`)
	unknownKeys = regexp.MustCompile(`^has invalid keys: (.*)$`)
	inBrackets  = regexp.MustCompile(`\[([^]]*)\]`)
	// What the processor says: engines::vllm::version: …, tables[0]: …
	ownKey = regexp.MustCompile(`^([a-z_]+(?:\[\d+\])?(?:::[^:\s]+)*): (.*)$`)
)

// Go types are nothing that a reader of YAML knows.
var goTypes = strings.NewReplacer(
	"expected type 'string'", "a text is expected", "expected type 'bool'", "true or false is expected",
	"expected type 'normalize.Originals'", "a word is expected", "expected type 'normalize.SpanName'", "a word is expected",
	"expected type 'normalize.SchemaURL'", "a word is expected", "expected type 'normalize.CreatedSeries'", "a word is expected",
	"expected type 'normalize.EngineUsage'", "a word is expected", "expected type 'normalize.ServiceName'", "a word is expected",
	"source data must be an array or slice", "a list is expected",
	"got unconvertible type 'map[string]interface {}'", "not a map", "got unconvertible type '[]interface {}'", "not a list",
	"got unconvertible type 'string'", "not a text", "got unconvertible type 'int'", "not a number",
	"got unconvertible type 'float64'", "not a number", "got unconvertible type 'bool'", "not true or false", ", got map", ", not a map",
)

// decodingFaults takes the decoder's text apart, which lists all faults in a line each.
func decodingFaults(err error) (faults []Fault) {
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasSuffix(line, "decoding failed due to the following error(s):") {
			continue
		}
		faults = append(faults, decodingFault(line)...)
	}
	return faults
}

func decodingFault(line string) (faults []Fault) {
	m := decodedKey.FindStringSubmatch(line)
	if len(m) == 0 || m[1] == "" {
		return []Fault{faultOf(strings.TrimPrefix(line, "'' "))}
	}
	var key []string
	if m[1] != reflect.TypeFor[genainormalizeprocessor.Config]().String() {
		key = strings.Split(inBrackets.ReplaceAllString(m[1], ".$1"), ".")
	}
	unknown := unknownKeys.FindStringSubmatch(m[2])
	if unknown == nil {
		return []Fault{{Key: key, Text: goTypes.Replace(m[2])}}
	}
	known := Keys()
	if len(key) > 0 {
		known = keysOf(reflect.TypeFor[genainormalizeprocessor.EngineConfig]())
	}
	for name := range strings.SplitSeq(unknown[1], ", ") {
		faults = append(faults, Fault{Key: slices.Concat(key, []string{name}), Text: unknownKey(name, known)})
	}
	return faults
}

func unknownKey(name string, known []string) string {
	text := "unknown key: one of " + strings.Join(known, ", ") + " is expected"
	if meant := nearest.Word(name, known); meant != "" {
		text += fmt.Sprintf(", perhaps %q", meant)
	}
	return text
}
