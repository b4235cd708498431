// SPDX-License-Identifier: Apache-2.0

package lint // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/lint"

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is a YAML file that knows where its keys are.
type document struct {
	path string
	root *yaml.Node
}

// keys are those at the top.
func (d document) keys() (keys []string) {
	root := content(d.root)
	if root.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(root.Content); i += 2 {
		keys = append(keys, root.Content[i].Value)
	}
	return keys
}

// isEmptyMap tells whether nothing but {} is there.
func (d document) isEmptyMap() bool {
	root := content(d.root)
	return root.Kind == yaml.MappingNode && len(root.Content) == 0
}

// place is where the value that a text quotes stands under a path of keys, such as [tables[0]], or the path itself, as
// far as it is there.
func (d document) place(path []string, text string) string {
	line, node := 0, content(d.root)
	for _, key := range strings.FieldsFunc(strings.Join(path, "\x00"), isBetweenKeys) {
		at, value := child(node, key)
		if value == nil {
			break
		}
		line, node = at, content(value)
	}
	if quoted := lineOfQuoted(node, text); quoted > 0 {
		line = quoted
	}
	if line == 0 {
		return d.path
	}
	return d.path + ":" + strconv.Itoa(line)
}

// isBetweenKeys tells what stands between the keys of a path: tables[0] are two.
func isBetweenKeys(r rune) bool { return r == 0 || r == '[' || r == ']' }

// child returns the value of a key, or of an index, and the line that it is in.
func child(node *yaml.Node, key string) (line int, value *yaml.Node) {
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == key {
				return node.Content[i].Line, node.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(node.Content) {
			return node.Content[i].Line, node.Content[i]
		}
	}
	return 0, nil
}

// content is what a document or an alias stands for.
func content(node *yaml.Node) *yaml.Node {
	switch {
	case node.Kind == yaml.DocumentNode && len(node.Content) > 0:
		return content(node.Content[0])
	case node.Kind == yaml.AliasNode:
		return content(node.Alias)
	default:
		return node
	}
}

// lineOfQuoted finds the first key or value that a text quotes.
func lineOfQuoted(node *yaml.Node, text string) int {
	node = content(node)
	if node.Kind == yaml.ScalarNode {
		if node.Value != "" && (strings.Contains(text, fmt.Sprintf("%q", node.Value)) || strings.Contains(text, " "+node.Value+":")) {
			return node.Line
		}
		return 0
	}
	for _, part := range node.Content {
		if line := lineOfQuoted(part, text); line > 0 {
			return line
		}
	}
	return 0
}
