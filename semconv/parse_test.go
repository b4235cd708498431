// SPDX-License-Identifier: Apache-2.0

package semconv_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// valid is a file without a mistake; each case below makes one.
const valid = `target: x
source: https://example.com
schema_url: {url: https://example.com/schema, verified: true}
certainty: V
attributes:
  - section: request
    entries:
      - name: a.model
        type: string
        level: required
        brief: The model.
      - name: a.kind
        type: string
        values: [one, two]
        open: true
        level: conditionally_required
        when: there is one
        brief: The kind.
      - name: a.tokens
        type: int
        unit: "{token}"
        brief: The tokens.
      - name: a.variable.<key>
        type: template[string]
        brief: A variable.
metrics:
  - section: server
    entries:
      - name: a.duration
        instrument: histogram
        value_type: double
        unit: s
        buckets: [0.5, 1, 2]
        brief: The time.
        attributes:
          - {name: a.model, level: required}
          - {name: a.kind, level: recommended, when: there is one}
`

func TestAValidFile(t *testing.T) {
	registry, err := semconv.Parse("x.yaml", []byte(valid))
	require.NoError(t, err)
	assert.Equal(t, "x", registry.Target)
	assert.Equal(t, "https://example.com/schema", registry.SchemaURL)

	kind, ok := registry.Attribute("a.kind")
	require.True(t, ok)
	assert.Equal(t, semconv.Attribute{
		Name: "a.kind", Type: semconv.String, Values: []string{"one", "two"}, Open: true,
		Level: semconv.ConditionallyRequired, When: "there is one", Brief: "The kind.",
		Source: "https://example.com", Certainty: semconv.Tagged, Verified: true,
	}, kind)
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		name      string
		old, mine string // of the valid file
		is        error
		says      string
	}{
		{
			"an unknown key at the top", "target: x", "traget: x",
			semconv.ErrFormat, `x.yaml: not a registry file: line 1: unknown key "traget": want one of target, source, schema_url, certainty, attributes, metrics, events`,
		},
		{
			"an unknown key of a section", "section: server", "title: server",
			semconv.ErrFormat, `x.yaml: not a registry file: line 27: unknown key "title": want one of section, source, certainty, entries`,
		},
		{
			"an unknown key of an attribute", "unit: \"{token}\"", "units: \"{token}\"",
			semconv.ErrFormat, `x.yaml: not a registry file: line 21: unknown key "units": want one of name, type, values, open, level, when, unit, brief, certainty`,
		},
		{
			"an unknown key of a metric", "value_type: double", "valuetype: double",
			semconv.ErrFormat, `x.yaml: not a registry file: line 31: unknown key "valuetype": want one of name, instrument, value_type, unit, buckets, attributes, brief, certainty`,
		},
		{
			"an unknown key of a metric's attribute", "{name: a.model, level: required}", "{name: a.model, required: true}",
			semconv.ErrFormat, `x.yaml: not a registry file: line 36: unknown key "required": want one of name, level, when`,
		},
		{
			"a key twice", "target: x", "target: x\ntarget: y",
			semconv.ErrFormat, `x.yaml: not a registry file: line 2: mapping key "target" already defined at line 1`,
		},
		{
			"a value of the wrong kind", "buckets: [0.5, 1, 2]", "buckets: [fast]",
			semconv.ErrFormat, "x.yaml: not a registry file: line 33: cannot unmarshal !!str `fast` into float64",
		},
		{
			"no YAML", "target: x", "target: [",
			semconv.ErrFormat, `x.yaml: not a registry file: line 2: did not find expected ',' or ']'`,
		},
		{
			"an empty file", valid, "",
			semconv.ErrFormat, `x.yaml: not a registry file: the file is empty`,
		},
		{
			"two documents", "target: x", "target: x\n---",
			semconv.ErrFormat, `x.yaml: not a registry file: want one YAML document`,
		},
		{
			"no target", "target: x", "target: \"\"",
			semconv.ErrMissing, `x.yaml: missing key "target"`,
		},
		{
			"no source", "source: https://example.com\n", "",
			semconv.ErrMissing, `x.yaml: missing key "source"`,
		},
		{
			"no certainty", "certainty: V\n", "",
			semconv.ErrMissing, `x.yaml: missing key "certainty"`,
		},
		{
			"an unknown certainty", "certainty: V", "certainty: W",
			semconv.ErrUnknownCertainty, `x.yaml: attribute "a.model": unknown certainty "W": want one of V, R, D, U`,
		},
		{
			"an attribute without name", "- name: a.model\n        type", "- type",
			semconv.ErrMissing, `x.yaml: attribute 1 of section "request": missing key "name"`,
		},
		{
			"an attribute without type", "type: int\n        ", "",
			semconv.ErrMissing, `x.yaml: attribute "a.tokens": missing key "type"`,
		},
		{
			"an attribute without brief", "        brief: The kind.\n", "",
			semconv.ErrMissing, `x.yaml: attribute "a.kind": missing key "brief"`,
		},
		{
			"an attribute twice", "name: a.tokens", "name: a.model",
			semconv.ErrDuplicate, `x.yaml: attribute "a.model": defined twice`,
		},
		{
			"a name that is not dotted lower case", "name: a.tokens", "name: aTokens",
			semconv.ErrName, `x.yaml: attribute "aTokens": bad name: want dotted lower case such as gen_ai.request.model`,
		},
		{
			"an unknown type", "type: int", "type: float",
			semconv.ErrUnknownType, `x.yaml: attribute "a.tokens": unknown type "float": want one of string, int, double, boolean, string[], int[], double[], boolean[], any, template[string]`,
		},
		{
			"an unknown level", "level: required\n", "level: must\n",
			semconv.ErrUnknownLevel, `x.yaml: attribute "a.model": unknown level "must": want one of required, conditionally_required, recommended, opt_in`,
		},
		{
			"a template without placeholder", "name: a.variable.<key>", "name: a.variable",
			semconv.ErrTemplate, `x.yaml: attribute "a.variable": template and name differ: want a name that ends in .<key> with type template[string], and only with it`,
		},
		{
			"a placeholder without template", "type: template[string]", "type: string",
			semconv.ErrTemplate, `x.yaml: attribute "a.variable.<key>": template and name differ: want a name that ends in .<key> with type template[string], and only with it`,
		},
		{
			"an enum on a number", "type: int\n        unit: \"{token}\"", "type: int\n        values: [\"1\"]\n        open: false",
			semconv.ErrEnum, `x.yaml: attribute "a.tokens": bad enum: type int has values: want type string`,
		},
		{
			"an enum that does not say whether it is open", "        open: true\n", "",
			semconv.ErrEnum, `x.yaml: attribute "a.kind": bad enum: want values and open together`,
		},
		{
			"open without an enum", "        values: [one, two]\n", "",
			semconv.ErrEnum, `x.yaml: attribute "a.kind": bad enum: want values and open together`,
		},
		{
			"a value twice", "[one, two]", "[one, one]",
			semconv.ErrEnum, `x.yaml: attribute "a.kind": bad enum: value "one" is empty or there twice`,
		},
		{
			"conditionally required without a condition", "        when: there is one\n", "",
			semconv.ErrCondition, `x.yaml: attribute "a.kind": level and when differ: want when with level conditionally_required`,
		},
		{
			"required under a condition", "level: required\n", "level: required\n        when: asked\n",
			semconv.ErrCondition, `x.yaml: attribute "a.model": level and when differ: want when only with level conditionally_required or recommended`,
		},
		{
			"a condition without a level", "level: required\n", "when: asked\n",
			semconv.ErrCondition, `x.yaml: attribute "a.model": level and when differ: want when only with level conditionally_required or recommended`,
		},
		{
			"a unit on text", "brief: The model.", "brief: The model.\n        unit: s",
			semconv.ErrUnit, `x.yaml: attribute "a.model": bad unit "s": want none with type string`,
		},
		{
			"a unit in words", "unit: \"{token}\"", "unit: number of tokens",
			semconv.ErrUnit, `x.yaml: attribute "a.tokens": bad unit "number of tokens": want UCUM such as s or {token}`,
		},
		{
			"a metric without name", "- name: a.duration\n        instrument", "- instrument",
			semconv.ErrMissing, `x.yaml: metric 1 of section "server": missing key "name"`,
		},
		{
			"a metric without instrument", "instrument: histogram\n        ", "",
			semconv.ErrMissing, `x.yaml: metric "a.duration": missing key "instrument"`,
		},
		{
			"a metric without value type", "value_type: double\n        ", "",
			semconv.ErrMissing, `x.yaml: metric "a.duration": missing key "value_type"`,
		},
		{
			"a metric without unit", "unit: s\n        ", "",
			semconv.ErrMissing, `x.yaml: metric "a.duration": missing key "unit"`,
		},
		{
			"a metric without brief", "        brief: The time.\n", "",
			semconv.ErrMissing, `x.yaml: metric "a.duration": missing key "brief"`,
		},
		{
			"a metric twice", "      - name: a.duration\n",
			"      - {name: a.duration, instrument: gauge, value_type: int, unit: s, brief: The time.}\n      - name: a.duration\n",
			semconv.ErrDuplicate, `x.yaml: metric "a.duration": defined twice`,
		},
		{
			"a metric with a bad name", "name: a.duration", "name: a:duration",
			semconv.ErrName, `x.yaml: metric "a:duration": bad name: want dotted lower case such as gen_ai.request.model`,
		},
		{
			"an unknown instrument", "instrument: histogram", "instrument: counter",
			semconv.ErrUnknownInstrument, `x.yaml: metric "a.duration": unknown instrument "counter": want one of histogram, sum, updowncounter, gauge`,
		},
		{
			"an unknown value type", "value_type: double", "value_type: long",
			semconv.ErrUnknownType, `x.yaml: metric "a.duration": unknown type "long": want one of string, int, double, boolean, string[], int[], double[], boolean[], any, template[string]`,
		},
		{
			"a value type that is not a number", "value_type: double", "value_type: string",
			semconv.ErrValueType, `x.yaml: metric "a.duration": bad value_type "string": want int or double`,
		},
		{
			"a metric's unit in words", "unit: s\n", "unit: seconds since start\n",
			semconv.ErrUnit, `x.yaml: metric "a.duration": bad unit "seconds since start": want UCUM such as s or {token}`,
		},
		{
			"an unknown certainty of a metric", "brief: The time.", "brief: The time.\n        certainty: sure",
			semconv.ErrUnknownCertainty, `x.yaml: metric "a.duration": unknown certainty "sure": want one of V, R, D, U`,
		},
		{
			"buckets on a gauge", "instrument: histogram", "instrument: gauge",
			semconv.ErrBuckets, `x.yaml: metric "a.duration": bad buckets: want none with instrument gauge`,
		},
		{
			"buckets that do not rise", "[0.5, 1, 2]", "[0.5, 2, 2]",
			semconv.ErrBuckets, `x.yaml: metric "a.duration": bad buckets: bound 2 at place 3: want finite, rising bounds`,
		},
		{
			"an infinite bound", "[0.5, 1, 2]", "[0.5, .inf]",
			semconv.ErrBuckets, `x.yaml: metric "a.duration": bad buckets: bound +Inf at place 2: want finite, rising bounds`,
		},
		{
			"a metric attribute that the registry lacks", "{name: a.model, level: required}", "{name: a.modle, level: required}",
			semconv.ErrUnknownAttribute, `x.yaml: metric "a.duration": unknown attribute "a.modle": want one that the file defines under attributes`,
		},
		{
			"a metric attribute without level", "{name: a.model, level: required}", "{name: a.model}",
			semconv.ErrMissing, `x.yaml: metric "a.duration": attribute "a.model": missing key "level"`,
		},
		{
			"a metric attribute of an unknown level", "{name: a.model, level: required}", "{name: a.model, level: must}",
			semconv.ErrUnknownLevel, `x.yaml: metric "a.duration": attribute "a.model": unknown level "must": want one of required, conditionally_required, recommended, opt_in`,
		},
		{
			"a metric attribute without its condition", "{name: a.model, level: required}", "{name: a.model, level: conditionally_required}",
			semconv.ErrCondition, `x.yaml: metric "a.duration": attribute "a.model": level and when differ: want when with level conditionally_required`,
		},
		{
			"a metric attribute twice", "{name: a.kind, level: recommended, when: there is one}", "{name: a.model, level: opt_in}",
			semconv.ErrDuplicate, `x.yaml: metric "a.duration": attribute "a.model": defined twice`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, valid, c.old)
			_, err := semconv.Parse("x.yaml", []byte(strings.Replace(valid, c.old, c.mine, 1)))
			require.ErrorIs(t, err, c.is)
			assert.EqualError(t, err, c.says)
		})
	}
}
