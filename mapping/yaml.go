// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
	var shape any
	if err := decode(&shape); err != nil {
		return err
	}
	if _, isList := shape.([]any); isList {
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
	var shape any
	if err := decode(&shape); err != nil {
		return err
	}
	if _, isMap := shape.(map[string]any); isMap {
		return decode(&p.byTarget)
	}
	return decode(&p.same)
}

func (p *perTarget) name(target string) string {
	if p.byTarget != nil {
		return p.byTarget[target]
	}
	return p.same
}

func (p *perTarget) isZero() bool { return p.same == "" && len(p.byTarget) == 0 }

// kindOf looks at a value before it is read. An anchor's alias has the kind of the anchor.
func kindOf(decode unmarshal) (yaml.Kind, error) {
	var node yaml.Node
	if err := decode(&node); err != nil {
		return 0, err
	}
	if node.Kind == yaml.AliasNode {
		return node.Alias.Kind, nil
	}
	return node.Kind, nil
}

// linesOf returns the lines that the members of a list at the top of a document stand in.
func linesOf(document *yaml.Node, list string) []int {
	var lines []int
	root := document.Content[0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != list {
			continue
		}
		for _, member := range root.Content[i+1].Content {
			lines = append(lines, member.Line)
		}
	}
	return lines
}

var unknownKey = regexp.MustCompile(`^line (\d+): field (\S+) not found in type \S+$`)

// decodeStrict reads exactly one YAML document into v. Errors start with file and line.
func decodeStrict(file string, data []byte, v any) error {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	err := dec.Decode(v)
	if err == nil {
		if dec.Decode(new(yaml.Node)) != io.EOF {
			return fmt.Errorf("%s: %w: one document expected, there is more", file, ErrInvalidTable)
		}
		return nil
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w: the file is empty", file, ErrInvalidTable)
	}
	var typeErr *yaml.TypeError
	if !errors.As(err, &typeErr) {
		return fmt.Errorf("%s: %w: %s", file, ErrInvalidTable, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	lines := make([]string, len(typeErr.Errors))
	for i, line := range typeErr.Errors {
		lines[i] = unknownKey.ReplaceAllString(line, `line $1: unknown key "$2"`)
	}
	return fmt.Errorf("%s: %w: %s", file, ErrInvalidTable, strings.Join(lines, "; "))
}
