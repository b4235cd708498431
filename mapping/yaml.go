// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
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

// The plain types have the fields of others and not the method that reads them.
type (
	plainTable     Table
	plainDialect   Dialect
	plainRow       Row
	plainEventRow  EventRow
	plainMetricRow MetricRow
)

// UnmarshalYAML reads a table. What is empty anywhere in it is a fault.
func (t *Table) UnmarshalYAML(decode unmarshal) error {
	node := peek(decode)
	texts, err := typeErrors(decode((*plainTable)(t)))
	if err != nil {
		return err
	}
	texts = append(texts, emptyIn(&node, "")...)
	ofItems := map[string]bool{}
	for at := range t.places() {
		for _, text := range at.faults {
			ofItems[text] = true
		}
	}
	t.incomplete = slices.ContainsFunc(texts, func(text string) bool { return !ofItems[text] })
	texts = slices.AppendSeq(texts, maps.Keys(ofItems))
	if len(texts) == 0 {
		return nil
	}
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(lineOf(a), lineOf(b)), cmp.Compare(a, b)) })
	return &yaml.TypeError{Errors: slices.Compact(texts)}
}

// typeErrors returns what the decoder says of single values. It goes on behind them, but not behind other errors.
func typeErrors(err error) ([]string, error) {
	if several, ok := errors.AsType[*yaml.TypeError](err); ok {
		return slices.Clone(several.Errors), nil // The decoder writes the next ones over them.
	}
	return nil, err
}

// UnmarshalYAML reads a dialect.
func (d *Dialect) UnmarshalYAML(decode unmarshal) error { return d.at.read(decode, (*plainDialect)(d)) }

// UnmarshalYAML reads a row.
func (r *Row) UnmarshalYAML(decode unmarshal) error { return r.at.read(decode, (*plainRow)(r)) }

// UnmarshalYAML reads a row of an event.
func (r *EventRow) UnmarshalYAML(decode unmarshal) error {
	return r.at.read(decode, (*plainEventRow)(r))
}

// UnmarshalYAML reads a row of a metric.
func (r *MetricRow) UnmarshalYAML(decode unmarshal) error {
	return r.at.read(decode, (*plainMetricRow)(r))
}

// read reads a dialect or a row, and remembers the line that it starts in. It keeps what is wrong with it to itself, for
// the decoder leaves out of a list what there is an error about.
func (p *Place) read(decode unmarshal, into any) error {
	node := peek(decode)
	p.line = node.Line
	var err error
	p.faults, err = typeErrors(decode(into))
	p.faults = append(p.faults, emptyIn(&node, "")...)
	return err
}

// emptyIn finds keys and entries of lists without a value below a node, which the decoder passes over: a selector that
// somebody forgot to write down would mean everything. They are written as the decoder writes its errors.
func emptyIn(node *yaml.Node, key string) (texts []string) {
	add := func(n *yaml.Node, format string, args ...any) {
		texts = append(texts, fmt.Sprintf("line %d: ", n.Line)+fmt.Sprintf(format, args...))
	}
	switch node.Kind {
	case yaml.SequenceNode:
		for _, entry := range node.Content {
			if isEmpty(entry) {
				add(entry, "an entry of %q has no value: write one, or leave the entry out", key)
			}
			texts = append(texts, emptyIn(entry, key)...)
		}
	case yaml.MappingNode:
		for i := 0; i < len(node.Content); i += 2 {
			name, value := node.Content[i], node.Content[i+1]
			switch {
			case isEmpty(name):
				add(name, "a key has no name: write one, or leave the key out")
			case isEmpty(value):
				add(name, "key %q has no value: write one, or leave the key out", name.Value)
			}
			texts = append(texts, emptyIn(value, name.Value)...)
		}
	}
	return texts
}

func isEmpty(node *yaml.Node) bool { return node.ShortTag() == "!!null" }

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

// readTable reads exactly one YAML document into a table. Errors start with the file, and the line if there is one. It
// reports false where nothing could be read.
func readTable(t *Table, data []byte) (faults []error, isRead bool) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	err := dec.Decode(t)
	switch {
	case errors.Is(err, io.EOF):
		return []error{t.errorf("the file is empty")}, false
	case err != nil:
		faults = explain(t.file, err)
	}
	if _, err := typeErrors(err); err != nil {
		return faults, false
	}
	if !errors.Is(dec.Decode(new(yaml.Node)), io.EOF) {
		faults = append(faults, t.errorf("one document is expected, there is more"))
	}
	return faults, true
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
	texts, err := typeErrors(err)
	if err != nil {
		texts = []string{strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	faults := make([]error, len(texts))
	for i, text := range texts {
		faults[i] = explainLine(file, text)
	}
	return faults
}

func lineOf(text string) int {
	m := atLine.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	line, _ := strconv.Atoi(m[1])
	return line
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
		plainTable{},
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
