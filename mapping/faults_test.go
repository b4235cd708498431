// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"fmt"
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

// faultsBetween returns all that is wrong with tables that are right alone, in the order in which it is reported.
func faultsBetween(t *testing.T, tables ...string) []string {
	t.Helper()
	var parsed []*mapping.Table
	for i, table := range tables {
		one, err := mapping.ParseTable(fmt.Sprintf("%d.yaml", i+1), []byte(table))
		require.NoError(t, err)
		parsed = append(parsed, one)
	}
	_, err := mapping.Compile(parsed, mapping.Options{Target: "1.41"})
	require.ErrorIs(t, err, mapping.ErrInvalidTable)
	return strings.Split(err.Error(), "\n")
}

func TestAllFaultsBetweenTablesAreReported(t *testing.T) {
	engine := func(name, rest string) string { return "engine: " + name + "\nlayer: engine\n" + rest }
	kept := func(id string) string { return "  - {id: " + id + ", keep: " + id + ", why: no target}\n" }
	for _, c := range []struct {
		name   string
		tables []string
		says   []string
	}{
		{
			"engines that are there, or are not",
			[]string{
				engine("a", "attributes:\n"+kept("a.1")),
				engine("a", "attributes:\n"+kept("a.2")),
				"engine: b\nextends: c\n",
				"engine: d\nextends: b\n",
				"engine: a\nextends: a\ndisable: [a.3, a.4]\nattributes:\n  - {id: a.5, keep: a.5}\n  - {id: a.6}\n",
			},
			[]string{
				`2.yaml: invalid mapping table: engine "a" is already defined by 1.yaml: "extends: a" changes it`,
				`3.yaml: invalid mapping table: extends "c": no table before it is of that engine: one of "a" is expected`,
			},
		},
		{
			"rows of tables that extend",
			[]string{
				engine("a", "attributes:\n"+kept("a.1")),
				"engine: a\nextends: a\ndisable: [a.3, a.4]\nattributes:\n  - {id: a.5, keep: a.5}\n  - {id: a.6}\n",
				"engine: b\nextends: c\n",
			},
			[]string{
				`2.yaml: invalid mapping table: disable "a.3": it is not the id of a row of engine "a"`,
				`2.yaml: invalid mapping table: disable "a.4": it is not the id of a row of engine "a"`,
				`2.yaml:5: invalid mapping table: row "a.5": why is missing: a kept name says why it has no target`,
				`2.yaml:6: invalid mapping table: row "a.6": either from or keep is needed, and not both`,
				`3.yaml: invalid mapping table: extends "c": no table before it is of that engine: one of "a" is expected`,
			},
		},
		{
			"ids that are taken",
			[]string{
				engine("a", "attributes:\n"+kept("a.1")+kept("a.2")),
				engine("b", "attributes:\n"+kept("a.2")+kept("b.1")+kept("a.1")),
				engine("c", "attributes:\n"+kept("a.1")+kept("b.1")),
			},
			[]string{
				`2.yaml:4: invalid mapping table: row "a.2": the id is taken by 1.yaml`,
				`2.yaml:6: invalid mapping table: row "a.1": the id is taken by 1.yaml`,
				`3.yaml:4: invalid mapping table: row "a.1": the id is taken by 1.yaml`,
				`3.yaml:5: invalid mapping table: row "b.1": the id is taken by 2.yaml`,
			},
		},
		{
			"what the standard does not have, and what cannot be",
			[]string{
				engine("a", `dialects:
  - {id: a/1, request: {any_key: [a.1]}, evidence: https://example.com}
  - {id: a/2, request: {any_key: [a.1], scope: [a]}, evidence: https://example.com}
  - {id: a/3, request: {any_key: [a.3]}, provider_of: z, evidence: https://example.com}
attributes:
  - {id: a.one, from: [a.1, a.2], to: gen_ai.one, basis: exact, evidence: https://example.com}
  - {id: a.two, from: a.2, to: gen_ai.two, basis: exact, evidence: https://example.com}
metric_labels: [{from: pod, to: gen_ai.pod}, {from: node, to: gen_ai.node}]
metrics:
  - {id: a.m, from: m, instrument: gauge, unit: s, to: gen_ai.m, basis: exact, evidence: https://example.com}
  - {id: a.n, from: n, instrument: gauge, unit: s, to: gen_ai.n, basis: exact, evidence: https://example.com}
`),
				engine("b", `dialects: [{id: b/1, request: {any_key: [a.1], scope: [b]}, evidence: https://example.com}]
events: [{id: b.failed, from: failed, to: gen_ai.failed, evidence: https://example.com}]
`),
			},
			[]string{
				`1.yaml:5: invalid mapping table: dialect "a/2": alternative 1 of request: it can never match: dialect "a/1" above claims every such item`,
				`1.yaml:6: invalid mapping table: dialect "a/3": provider_of "z": there is no table of that engine`,
				`1.yaml:8: invalid mapping table: row "a.one": target "gen_ai.one" is not an attribute of the 1.41 registry`,
				`1.yaml:9: invalid mapping table: row "a.two": target "gen_ai.two" is not an attribute of the 1.41 registry`,
				`1.yaml: invalid mapping table: metric_labels: target "gen_ai.pod": it is not an attribute of any registry`,
				`1.yaml: invalid mapping table: metric_labels: target "gen_ai.node": it is not an attribute of any registry`,
				`1.yaml:12: invalid mapping table: row "a.m": target "gen_ai.m" is neither a metric of the 1.41 registry nor one of the extensions`,
				`1.yaml:13: invalid mapping table: row "a.n": target "gen_ai.n" is neither a metric of the 1.41 registry nor one of the extensions`,
				`2.yaml:4: invalid mapping table: row "b.failed": target "gen_ai.failed" is not an event of the 1.41 registry`,
				`2.yaml:3: invalid mapping table: dialect "b/1": alternative 1 of request: it can never match: dialect "a/1" above claims every such item`,
			},
		},
		{
			"targets that are sources, once for all dialects",
			[]string{engine("a", `dialects:
  - {id: a/1, request: {any_key: [a.1]}, evidence: https://example.com}
  - {id: a/2, request: {any_key: [a.2]}, evidence: https://example.com}
attributes:
  - {id: a.one, from: a.1, to: gen_ai.request.model, basis: exact, evidence: https://example.com}
  - {id: a.two, from: a.2, to: gen_ai.request.model, basis: exact, evidence: https://example.com}
  - {id: a.three, from: gen_ai.request.model, to: gen_ai.response.model, basis: exact, evidence: https://example.com}
`)},
			[]string{
				`1.yaml:7: invalid mapping table: row "a.one": target "gen_ai.request.model" is the source of row "a.three"`,
				`1.yaml:8: invalid mapping table: row "a.two": target "gen_ai.request.model" is the source of row "a.three"`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 5 {
				require.Equal(t, c.says, faultsBetween(t, c.tables...))
			}
		})
	}
}
