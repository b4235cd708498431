// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// faultsOf returns all that is wrong with a table.
func faultsOf(t *testing.T, table string) (texts []string) {
	t.Helper()
	_, faults := mapping.CheckTable("test.yaml", []byte(table))
	for _, fault := range faults {
		require.ErrorIs(t, fault, mapping.ErrInvalidTable)
		assert.NotContains(t, fault.Error(), "\n")
		texts = append(texts, fault.Error())
	}
	return texts
}

func TestAllFaultsOfATableAreFound(t *testing.T) {
	for _, c := range []struct {
		name, table string
		says        []string
	}{
		{"none", valid, nil},
		{
			"what cannot be read, in the order of the lines",
			"engine: kestrel\nlayr: engine\nattributes:\n  - {id: a, keep: a, reason: no target}\n  - {id: b, from: [b, ~], copy: maybe}\n",
			[]string{
				`test.yaml:2: invalid mapping table: unknown key "layr": one of ` + tableKeys + ` is expected`,
				`test.yaml:4: invalid mapping table: unknown key "reason": one of ` + rowKeys + ` is expected`,
				`test.yaml:5: invalid mapping table: an entry of "from" has no value: write one, or leave the entry out`,
				"test.yaml:5: invalid mapping table: cannot unmarshal !!str `maybe` into bool",
			},
		},
		{
			"what can be read and is wrong",
			"engine: kestrel\nattributes:\n  - {id: a, keep: a}\n  - {keep: b, why: no target}\n  - {id: c, keep: c, why: no target}\n  - {id: c, keep: d, why: no target}\n",
			[]string{
				`test.yaml: invalid mapping table: layer "": engine, frontend, gateway or client is expected`,
				`test.yaml:3: invalid mapping table: row "a": why is missing: a kept name says why it has no target`,
				`test.yaml:4: invalid mapping table: row "": id is missing`,
				`test.yaml:6: invalid mapping table: row "c": the id is taken by line 5`,
			},
		},
		{
			"both, and none that only follows from another",
			"engine: kestrel\ndialects:\n  - {id: kestrel/one, reqest: {any_key: [a]}}\nattributes:\n  - {id: a, keep: a, y: no target}\n  - {id: a, keep: b, dialects: [kestrel/two]}\n" +
				"metrics:\n  - {id: m, kep: m}\n  - {id: n, keep: n}\n",
			[]string{
				`test.yaml:3: invalid mapping table: unknown key "reqest": one of ` + dialectKeys + ` is expected`,
				`test.yaml:5: invalid mapping table: unknown key "y": one of ` + rowKeys + ` is expected`,
				`test.yaml:8: invalid mapping table: unknown key "kep": one of ` + metricRowKeys + ` is expected`,
				`test.yaml: invalid mapping table: layer "": engine, frontend, gateway or client is expected`,
				`test.yaml:6: invalid mapping table: row "a": why is missing: a kept name says why it has no target`,
				`test.yaml:9: invalid mapping table: row "n": instrument is missing`,
			},
		},
		{
			"of a table that extends another",
			"engine: kestrel\nextends: vllm\nattributes:\n  - {id: a, kep: a}\n  - {id: b, kep: a}\n",
			[]string{
				`test.yaml:4: invalid mapping table: unknown key "kep": one of ` + rowKeys + ` is expected`,
				`test.yaml:5: invalid mapping table: unknown key "kep": one of ` + rowKeys + ` is expected`,
			},
		},
		{
			"of several documents", "engine: kestrel\nlayer: backend\nattributes: [{id: a, keep: a, why: b}]\n---\nengine: kite\n",
			[]string{
				`test.yaml: invalid mapping table: one document is expected, there is more`,
				`test.yaml: invalid mapping table: layer "backend": engine, frontend, gateway or client is expected`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.says, faultsOf(t, c.table)) })
	}
}

// TestAnEmptyValueIsOneFault empties each key and adds an empty entry to each list of tables without a mistake.
func TestAnEmptyValueIsOneFault(t *testing.T) {
	for _, table := range []string{valid, validMetrics, validLogs} {
		var document yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(table), &document))
		for _, variant := range withEmpty(t, &document) {
			faults := faultsOf(t, variant)
			require.Len(t, faults, 1, variant)
			assert.Regexp(t, `^test\.yaml:\d+: invalid mapping table: (key|an entry of) "[^"]*" has no value: write one, or leave the (key|entry) out$`, faults[0])
		}
	}
}

// TestNoPartOfATableMayBeEmpty does the same to a table that has every key of the structs, and no meaning.
func TestNoPartOfATableMayBeEmpty(t *testing.T) {
	full := example(reflect.TypeFor[mapping.Table]())
	countEmpty := func(table string) (n int) {
		for _, fault := range faultsOf(t, table) {
			assert.NotContains(t, fault, "unknown key")
			assert.NotContains(t, fault, "unmarshal")
			n += strings.Count(fault, "has no value")
		}
		return n
	}
	assert.Zero(t, countEmpty(encode(t, full)))
	for _, variant := range withEmpty(t, full) {
		assert.Equal(t, 1, countEmpty(variant), variant)
	}
}

// example returns something that reads as a value of a type, with every key and one entry in each list and map.
func example(goType reflect.Type) *yaml.Node {
	sequence := func(entry *yaml.Node) *yaml.Node {
		return &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{entry}}
	}
	switch goType.Kind() {
	case reflect.Pointer:
		return example(goType.Elem())
	case reflect.Slice:
		return sequence(example(goType.Elem()))
	case reflect.Map:
		return mappingOf(text("1.41"), example(goType.Elem()))
	case reflect.Struct:
		if goType.Name() == "perTarget" {
			return mappingOf(text("1.41"), text("x"))
		}
		var content []*yaml.Node
		for field := range goType.Fields() {
			if key := field.Tag.Get("yaml"); key != "" {
				content = append(content, text(key), example(field.Type))
			}
		}
		return mappingOf(content...)
	case reflect.Bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: "true"}
	default:
		return text("x")
	}
}

func text(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

func mappingOf(content ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Content: content}
}

// withEmpty returns a document in variants: in each, one key has no value, or one list has an entry without one.
func withEmpty(t *testing.T, document *yaml.Node) (variants []string) {
	t.Helper()
	empty := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "~"}
	var walk func(node *yaml.Node)
	walk = func(node *yaml.Node) {
		switch node.Kind {
		case yaml.SequenceNode:
			node.Content = append(node.Content, empty)
			variants = append(variants, encode(t, document))
			node.Content = node.Content[:len(node.Content)-1]
		case yaml.MappingNode:
			for i := 1; i < len(node.Content); i += 2 {
				value := node.Content[i]
				node.Content[i] = empty
				variants = append(variants, encode(t, document))
				node.Content[i] = value
			}
		}
		for _, child := range node.Content {
			walk(child)
		}
	}
	walk(document)
	require.NotEmpty(t, variants)
	return variants
}

func encode(t *testing.T, document *yaml.Node) string {
	t.Helper()
	data, err := yaml.Marshal(document)
	require.NoError(t, err)
	return string(data)
}
