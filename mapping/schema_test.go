// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// schemaNode is what the schema of tables uses of JSON schema.
type schemaNode struct {
	Ref         string                `json:"$ref"`
	Type        any                   `json:"type"`
	Description string                `json:"description"`
	Properties  map[string]schemaNode `json:"properties"`
	// Additional is false, or the schema of what a map holds.
	Additional    json.RawMessage       `json:"additionalProperties"`
	PropertyNames *schemaNode           `json:"propertyNames"`
	Items         *schemaNode           `json:"items"`
	AnyOf         []schemaNode          `json:"anyOf"`
	Enum          []string              `json:"enum"`
	Defs          map[string]schemaNode `json:"$defs"`
	Required      []string              `json:"required"`
	// Then and Else are about rows that keep, and rows that move.
	Then struct{ Required []string } `json:"then"`
	Else struct{ Required []string } `json:"else"`
}

func tableSchema(t *testing.T) schemaNode {
	t.Helper()
	data, err := os.ReadFile("table.schema.json")
	require.NoError(t, err)
	var root schemaNode
	require.NoError(t, json.Unmarshal(data, &root))
	return root
}

// TestTheSchemaHasTheKeysOfTheStructs compares every key and its shape, both ways. Whether tables are valid is tested
// where there is a validator, in cmd/genainormalize.
func TestTheSchemaHasTheKeysOfTheStructs(t *testing.T) {
	root := tableSchema(t)
	seen := map[reflect.Type]bool{}
	var compare func(name string, node schemaNode, goType reflect.Type)
	compare = func(name string, node schemaNode, goType reflect.Type) {
		if seen[goType] {
			return
		}
		seen[goType] = true
		assert.Equal(t, "false", string(node.Additional), "%s allows unknown keys", name)
		var keys []string
		for field := range goType.Fields() {
			key := field.Tag.Get("yaml")
			if key == "" {
				continue
			}
			keys = append(keys, key)
			property, ok := node.Properties[key]
			if !assert.True(t, ok, "%s: key %q is missing", name, key) {
				continue
			}
			assert.NotEmpty(t, property.Description, "%s: key %q has no description", name, key)
			assert.Equal(t, shapeOf(field.Type), property.shape(t, root), "%s: key %q", name, key)
			if part := structIn(field.Type); part != nil {
				compare(part.Name(), root.Defs[defOf(part)], part)
			}
		}
		assert.ElementsMatch(t, keys, slices.Collect(maps.Keys(node.Properties)), name)
	}
	compare("Table", root, reflect.TypeFor[mapping.Table]())
	assert.Len(t, seen, 11, "structs of a table")
}

// shapeOf says what a Go type reads: "string", "list of string", "string or list of string", "condition".
func shapeOf(t reflect.Type) string {
	one := ""
	switch t.Kind() {
	case reflect.Pointer:
		return shapeOf(t.Elem())
	case reflect.Interface:
		return "scalar"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Map:
		return "map of " + shapeOf(t.Elem())
	case reflect.Struct:
		return defOf(t)
	case reflect.Slice:
		one = shapeOf(t.Elem())
	}
	if strings.HasPrefix(t.Name(), "oneOrMany") {
		return one + " or list of " + one
	}
	return "list of " + one
}

// structIn returns the struct that a field holds, if it is one that has keys.
func structIn(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || defOf(t) == "per_target" {
		return nil
	}
	return t
}

// defOf is what the schema calls a struct: MetricRow is metric_row, and Row is that of attributes.
func defOf(t reflect.Type) string {
	name := t.Name()
	if name == "Row" {
		return "attribute_row"
	}
	name = regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(name, "${1}_${2}")
	return strings.ToLower(name)
}

// shape says what a node of the schema takes, in the words of shapeOf.
func (n schemaNode) shape(t *testing.T, root schemaNode) string {
	t.Helper()
	if name, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok {
		def, known := root.Defs[name]
		require.True(t, known, name)
		if len(def.Properties) > 0 || name == "per_target" {
			return name
		}
		return def.shape(t, root)
	}
	if len(n.AnyOf) > 0 {
		var shapes []string
		for _, alternative := range n.AnyOf {
			shapes = append(shapes, alternative.shape(t, root))
		}
		return strings.Join(shapes, " or ")
	}
	switch n.Type {
	case "array":
		return "list of " + n.Items.shape(t, root)
	case "object":
		var value schemaNode
		require.NoError(t, json.Unmarshal(n.Additional, &value))
		return "map of " + value.shape(t, root)
	case "string", "boolean":
		return n.Type.(string)
	default:
		assert.Equal(t, []any{"string", "number", "boolean"}, n.Type)
		return "scalar"
	}
}

func TestTheSchemaHasTheWordsOfTheTables(t *testing.T) {
	root := tableSchema(t)
	for def, want := range map[string][]string{
		"layer": words(mapping.LayerEngine, mapping.LayerFrontend, mapping.LayerGateway, mapping.LayerClient),
		"basis": words(mapping.BasisExact, mapping.BasisApproximate),
		"instrument": words(mapping.InstrumentHistogram, mapping.InstrumentSum, mapping.InstrumentUpDownCounter,
			mapping.InstrumentGauge, mapping.InstrumentSummary),
		"proof": words(mapping.ProvesProvider, mapping.ProvesOperationFromRequestID),
		// They have no constants; the validator's lists are the texts of its errors.
		"span_kind":     {"unspecified", "internal", "server", "client", "producer", "consumer"},
		"duration_unit": {"ns", "s"},
	} {
		assert.Equal(t, want, root.Defs[def].Enum, def)
	}
	assert.Equal(t, semconv.Targets(), root.Defs["per_target"].AnyOf[1].PropertyNames.Enum)
	for name, def := range root.Defs {
		if def.Enum != nil {
			assert.Contains(t, []string{"layer", "basis", "instrument", "proof", "span_kind", "duration_unit"}, name)
		}
	}
}

func words[T ~string](constants ...T) []string {
	list := make([]string, len(constants))
	for i, c := range constants {
		list[i] = string(c)
	}
	return list
}

// TestTablesNameTheirSchema lets editors check and complete them.
func TestTablesNameTheirSchema(t *testing.T) {
	for _, engine := range builtIn(t) {
		data, err := os.ReadFile("tables/" + engine.Engine + ".yaml")
		require.NoError(t, err)
		assert.Contains(t, string(data), "\n# yaml-language-server: $schema=../table.schema.json\n", engine.Engine)
	}
}
