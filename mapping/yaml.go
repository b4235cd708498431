// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// unmarshal is the callback of yaml.v3's older interface. It is used on purpose: a decoder reached through
// it still rejects unknown keys, one reached through [yaml.Node.Decode] does not.
type unmarshal = func(any) error

// oneOrMany reads a single value where a list is expected: `from: a` is `from: [a]`.
type oneOrMany[T any] []T

func (l *oneOrMany[T]) UnmarshalYAML(decode unmarshal) error {
	if peek(decode).Kind == yaml.SequenceNode {
		return decode((*[]T)(l))
	}
	var one T
	if err := decode(&one); err != nil {
		return err
	}
	*l = oneOrMany[T]{one}
	return nil
}

// perTarget is a name that is the same for every target, or one per target: `to: a` or `to: {"1.41": a, "0.1.0": b}`.
type perTarget struct {
	same     string
	byTarget map[string]string
}

func (p *perTarget) UnmarshalYAML(decode unmarshal) error {
	if peek(decode).Kind == yaml.MappingNode {
		return decode(&p.byTarget)
	}
	return decode(&p.same)
}

// MarshalJSON makes the name part of the hash of a rule set.
func (p perTarget) MarshalJSON() ([]byte, error) {
	if p.byTarget != nil {
		return json.Marshal(p.byTarget)
	}
	return json.Marshal(p.same)
}

// For returns the name for a target, or nothing where it has no place for it.
func (p *perTarget) For(target string) string {
	if p.byTarget != nil {
		return p.byTarget[target]
	}
	return p.same
}

func (p *perTarget) isZero() bool { return p.same == "" && len(p.byTarget) == 0 }

// Dialects and rows remember the line that they start in. The plain types have their fields and not the method
// that reads them.
type (
	plainDialect   Dialect
	plainRow       Row
	plainEventRow  EventRow
	plainMetricRow MetricRow
)

// UnmarshalYAML reads a dialect.
func (d *Dialect) UnmarshalYAML(decode unmarshal) error {
	d.at.line = peek(decode).Line
	return decode((*plainDialect)(d))
}

// UnmarshalYAML reads a row.
func (r *Row) UnmarshalYAML(decode unmarshal) error {
	r.at.line = peek(decode).Line
	return decode((*plainRow)(r))
}

// UnmarshalYAML reads a row of an event.
func (r *EventRow) UnmarshalYAML(decode unmarshal) error {
	r.at.line = peek(decode).Line
	return decode((*plainEventRow)(r))
}

// UnmarshalYAML reads a row of a metric.
func (r *MetricRow) UnmarshalYAML(decode unmarshal) error {
	r.at.line = peek(decode).Line
	return decode((*plainMetricRow)(r))
}

// peek looks at a value before it is read.
func peek(decode unmarshal) yaml.Node {
	var p peeked
	_ = decode(&p) // It takes any value.
	return yaml.Node(p)
}

// peeked takes a node as it is.
type peeked yaml.Node

func (p *peeked) UnmarshalYAML(node *yaml.Node) error {
	*p = peeked(*node)
	return nil
}

// decodeStrict reads exactly one YAML document into v. Errors start with the file, and the line if there is one.
func decodeStrict(file string, data []byte, v any) []error {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	switch err := dec.Decode(v); {
	case errors.Is(err, io.EOF):
		return []error{fmt.Errorf("%s: %w: the file is empty", file, ErrInvalidTable)}
	case err != nil:
		return explain(file, err)
	}
	if !errors.Is(dec.Decode(new(yaml.Node)), io.EOF) {
		return []error{fmt.Errorf("%s: %w: one document is expected, there is more", file, ErrInvalidTable)}
	}
	return nil
}

var (
	// The decoder names the line in its texts only.
	atLine = regexp.MustCompile(`(?s)^line (\d+): (.*)$`)
	// Go types are nothing that a reader of YAML knows.
	wrongShape = regexp.MustCompile(`(?s)^cannot unmarshal (!!\w+)(?: .*)? into mapping\.\S+$`)
	unknownKey = regexp.MustCompile(`(?s)^field (.*) not found in type (\S+)$`)
)

// explain makes errors of one line each of what the decoder says.
func explain(file string, err error) []error {
	texts := []string{strings.TrimPrefix(err.Error(), "yaml: ")}
	if several, ok := errors.AsType[*yaml.TypeError](err); ok {
		texts = several.Errors
	}
	faults := make([]error, len(texts))
	for i, text := range texts {
		faults[i] = explainLine(file, text)
	}
	return faults
}

// explainLine puts the number of the line in front and lists the keys that would be known.
func explainLine(file, text string) error {
	if m := atLine.FindStringSubmatch(text); m != nil {
		file, text = file+":"+m[1], m[2]
	}
	if m := unknownKey.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("unknown key %q: one of %s is expected", m[1], strings.Join(keysOf(m[2]), ", "))
	}
	if m := wrongShape.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("a value of the kind %s does not belong here", m[1])
	}
	return fmt.Errorf("%s: %w: %s", file, ErrInvalidTable, strings.Join(strings.Fields(text), " "))
}

// keysOf lists the keys of the type that the decoder calls goType.
func keysOf(goType string) (keys []string) {
	for _, part := range []any{
		Table{},
		RequestIDs{},
		plainDialect{},
		Condition{},
		Durations{},
		plainRow{},
		plainEventRow{},
		plainMetricRow{},
		Presence{},
		PointSelector{},
		LabelRow{},
	} {
		t := reflect.TypeOf(part)
		if t.String() != goType {
			continue
		}
		for field := range t.Fields() {
			if key := field.Tag.Get("yaml"); key != "" {
				keys = append(keys, key)
			}
		}
	}
	return keys
}
