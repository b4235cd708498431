// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func tableSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile("mapping/table.schema.json")
	require.NoError(t, err)
	return schema
}

func asDocument(t *testing.T, table []byte) any {
	t.Helper()
	var document any
	require.NoError(t, yaml.Unmarshal(table, &document))
	return document
}

// TestTheSchemaTakesEveryTable holds for those that come with the processor and for those of tests.
func TestTheSchemaTakesEveryTable(t *testing.T) {
	schema := tableSchema(t)
	var files []string
	for _, pattern := range []string{"mapping/tables/*.yaml", "mapping/testdata/tables/*.yaml", "testdata/tables/*.yaml", "examples/*/heron.yaml"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		files = append(files, found...)
	}
	broken := []string{"mapping/testdata/tables/unknown-key.yaml", "testdata/tables/broken.yaml"}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		err = schema.Validate(asDocument(t, data))
		if slices.Contains(broken, file) {
			assert.Error(t, err, file)
			continue
		}
		assert.NoError(t, err, file)
	}
}

// TestTheSchemaRefusesWhatAnEditorCanSee changes a table in one place.
func TestTheSchemaRefusesWhatAnEditorCanSee(t *testing.T) {
	schema := tableSchema(t)
	const valid = `engine: kestrel
layer: engine
request_ids: {key: id, none: [a-], evidence: "https://example.com"}
dialects:
  - {id: kestrel/one, request: {any_key: [a], not_kind: [client]}, proves: [provider], durations: {keys: a.*, units: [ns, s]}, evidence: "https://example.com"}
attributes:
  - {id: a, from: a, to: {"1.41": b}, versions: ">=2,<3", basis: exact, omit_when: 1, evidence: "https://example.com"}
  - {id: b, keep: b, why: no target}
metrics:
  - {id: c, from: [c, d], instrument: sum, unit: s, to: c, basis: exact, only: {has: [x]}, evidence: "https://example.com"}
`
	require.NoError(t, schema.Validate(asDocument(t, []byte(valid))))
	for old, mine := range map[string]string{
		"engine: kestrel":         "engine: kestrel/one",
		"kestrel/one":             "kestrel/",
		"engine: kestrel\n":       "",
		"layer: engine\n":         "",
		"layer: engine":           "layer: backend",
		"request_ids: {key: id, ": "request_ids: {",
		"none: [a-], ":            "",
		"request: {any_key: [a], not_kind: [client]}, ": "",
		"{any_key: [a], not_kind: [client]}":            "{}",
		"any_key":                                       "any_keys",
		"[client]":                                      "[Client]",
		"[provider]":                                    "[model]",
		"a.*":                                           "a",
		"[ns, s]":                                       "[ns]",
		`{"1.41": b}`:                                   `{"1.42": b}`,
		"basis: exact, omit_when: 1":                    "basis: approximate",
		"omit_when: 1":                                  "omit_when: [1]",
		`1, evidence: "https://example.com"`:            `1, evidence: a document`,
		"keep: b, why: no target":                       "keep: b",
		"keep: b, why: no target}":                      "keep: b, why: no target, copy: true}",
		"from: [c, d]":                                  "from: [c, '']",
		"instrument: sum":                               "instrument: counter",
		"unit: s, ":                                     "",
		"only: {has: [x]}":                              "only: {}",
		`">=2,<3"`:                                      `"2"`,
		`2,<3"`:                                         `2,3"`,
		"layer: engine\nrequest_ids":                    "disable: [a]\nlayer: engine\nrequest_ids",
	} {
		require.Equal(t, 1, strings.Count(valid, old), old)
		table := strings.Replace(valid, old, mine, 1)
		assert.Error(t, schema.Validate(asDocument(t, []byte(table))), "%s instead of %s", mine, old)
	}
	extends := strings.Replace(valid, "layer: engine\n", "extends: vllm\ndisable: [vllm.system]\n", 1)
	assert.NoError(t, schema.Validate(asDocument(t, []byte(extends))))
}
