// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"iter"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// requiredKeys are those that docs/tables.md says are required, by the part of a table.
func requiredKeys(t *testing.T) map[string][]string {
	t.Helper()
	data, err := os.ReadFile("../docs/tables.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(data), "### What is required\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n#")
	row := regexp.MustCompile("(?m)^\\| (the table|`[^|]*`) \\| ([^|]*) \\|")
	required := map[string][]string{}
	for _, m := range row.FindAllStringSubmatch(section, -1) {
		for key := range strings.SplitSeq(m[2], ", ") {
			part := strings.ReplaceAll(m[1], "`", "")
			required[part] = append(required[part], strings.Trim(key, "`"))
		}
	}
	return required
}

func TestTheDocumentationHasTheRequiredKeysOfTheSchema(t *testing.T) {
	root := tableSchema(t)
	attribute, metric := root.Defs["attribute_row"], root.Defs["metric_row"]
	want := map[string][]string{
		"the table":               root.Required,
		"request_ids":             root.Defs["request_ids"].Required,
		"dialects":                root.Defs["dialect"].Required,
		"durations":               root.Defs["durations"].Required,
		"attributes with from":    slices.Concat(attribute.Required, attribute.Else.Required),
		"attributes with keep":    slices.Concat(attribute.Required, []string{"keep"}, attribute.Then.Required),
		"events":                  root.Defs["event_row"].Required,
		"metric_labels":           root.Defs["label_row"].Required,
		"metrics with from":       slices.Concat(metric.Required, metric.Else.Required),
		"metrics with keep":       slices.Concat(metric.Required, []string{"keep"}, metric.Then.Required),
		"proven_by, disproven_by": root.Defs["presence"].Required,
	}
	assert.Equal(t, want, requiredKeys(t))
	parts := 1 + 2 // The table; and rows that keep and rows that move are two parts in the documentation.
	for _, def := range root.Defs {
		if len(def.Required) > 0 {
			parts++
		}
	}
	assert.Len(t, want, parts)
}

// TestATableWithoutARequiredKeyIsWrong takes the keys out of tables without a mistake.
func TestATableWithoutARequiredKeyIsWrong(t *testing.T) {
	required := requiredKeys(t)
	seen := map[string]bool{}
	for _, table := range []string{valid, validMetrics, validLogs} {
		var document yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(table), &document))
		var walk func(part string, node *yaml.Node)
		walk = func(part string, node *yaml.Node) {
			if node.Kind != yaml.MappingNode {
				for _, child := range node.Content {
					walk(part, child)
				}
				return
			}
			for key, value := range pairs(node) {
				walk(key.Value, value)
			}
			for _, name := range partNames(part, node) {
				for _, key := range required[name] {
					seen[name] = true
					assert.NotEmpty(t, faultsOf(t, without(t, &document, node, key)), "%s without %s", name, key)
				}
			}
		}
		walk("the table", &document)
	}
	assert.Len(t, seen, len(required), "each part is in one of the tables")
}

// partNames are what the documentation may call a part of a table.
func partNames(part string, node *yaml.Node) []string {
	names := []string{part}
	if part == "proven_by" {
		names = append(names, "proven_by, disproven_by")
	}
	for key := range pairs(node) {
		names = append(names, part+" with "+key.Value)
	}
	return names
}

// pairs yields the keys of a map and their values.
func pairs(node *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i < len(node.Content); i += 2 {
			if !yield(node.Content[i], node.Content[i+1]) {
				return
			}
		}
	}
}

// without returns a document in which a map has not the key.
func without(t *testing.T, document, node *yaml.Node, key string) string {
	t.Helper()
	content := node.Content
	i := slices.IndexFunc(content, func(n *yaml.Node) bool { return n.Value == key })
	require.GreaterOrEqual(t, i, 0, key)
	require.Zero(t, i%2, key)
	node.Content = slices.Delete(slices.Clone(content), i, i+2)
	defer func() { node.Content = content }()
	return encode(t, document)
}
