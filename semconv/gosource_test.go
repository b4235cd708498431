// SPDX-License-Identifier: Apache-2.0

package semconv_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	otelsemconv "go.opentelemetry.io/otel/semconv/v1.41.0"

	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// The Go module of OpenTelemetry generates its constants from the same release as target 1.41. Comparing with its
// source, in both directions, keeps the registry from missing or inventing a name.
const goSemconv = "go.opentelemetry.io/otel/semconv/v1.41.0"

func TestTheSchemaURLIsThatOfTheGoPackage(t *testing.T) {
	assert.Equal(t, otelsemconv.SchemaURL, loaded(t, "1.41").SchemaURL)
}

func TestTheGoPackageHasTheSameAttributes(t *testing.T) {
	inGo := goAttributes(t)
	registry := loaded(t, "1.41")

	for attribute := range registry.Attributes() {
		want, ok := inGo[attribute.Name]
		if !assert.True(t, ok, "%s is not in the Go package", attribute.Name) {
			continue
		}
		assert.Equal(t, want.typ, attribute.Type, attribute.Name)
		assert.ElementsMatch(t, want.values, attribute.Values, attribute.Name)
	}
	for name := range inGo {
		if !strings.HasPrefix(name, "gen_ai.") && !strings.HasPrefix(name, "openai.") {
			continue
		}
		_, ok := registry.Attribute(name)
		assert.True(t, ok, "%s of the Go package is not in the registry", name)
	}
}

// The generator of the Go package leaves deprecated conventions out (gen_ai.system, the value "completion" of
// gen_ai.token.type), as the registry does: nothing is normalised to a deprecated name. Should a later version of the
// package keep one, this says so before the comparison above asks for it.
func TestTheGoPackageHasNoDeprecatedAttribute(t *testing.T) {
	for name, attribute := range goAttributes(t) {
		assert.NotContains(t, attribute.doc, "Deprecated", name)
	}
}

func TestTheGoPackageHasTheSameMetrics(t *testing.T) {
	inGo := goMetrics(t)
	registry := loaded(t, "1.41")

	for metric := range registry.Metrics() {
		want, ok := inGo[metric.Name]
		if !assert.True(t, ok, "%s is not in the Go package", metric.Name) {
			continue
		}
		got := goMetric{metric.Instrument, metric.ValueType, metric.Unit, map[string]bool{}}
		for _, attribute := range metric.Attributes {
			got.attributes[attribute.Name] = attribute.Level == semconv.Required
		}
		assert.Equal(t, want, got, metric.Name)
	}
	for name := range inGo {
		_, ok := registry.Metric(name)
		assert.True(t, ok, "%s of the Go package is not in the registry", name)
	}
}

type goAttribute struct {
	typ    semconv.Type
	values []string // of the constants for an enum
	doc    string
}

// goAttributes reads the keys, the types and the enums of the package's attributes:
//
//	GenAIRequestTopKKey = attribute.Key("gen_ai.request.top_k")
//	func GenAIRequestTopK(val float64) attribute.KeyValue { return GenAIRequestTopKKey.Float64(val) }
//	GenAIOutputTypeText = GenAIOutputTypeKey.String("text")
//
// Keys of type "any" and of enums have no function; for them the type stands in the comment of the key only.
func goAttributes(t *testing.T) map[string]goAttribute {
	t.Helper()
	file := parsed(t, goSemconv, "attribute_group.go")
	names := map[string]string{} // by identifier
	attributes := map[string]goAttribute{}

	for spec := range valueSpecs(file, token.CONST) {
		identifier, name := spec.Names[0].Name, literal(t, spec.Values[0].(*ast.CallExpr).Args[0])
		doc := spec.Doc.Text()
		names[identifier] = name
		attributes[name] = goAttribute{typ: commentedType(doc), doc: doc}
	}
	for spec := range valueSpecs(file, token.VAR) {
		key, _ := method(spec.Values[0])
		attribute := attributes[names[key]]
		attribute.values = append(attribute.values, literalOrNumber(spec.Values[0].(*ast.CallExpr).Args[0]))
		attributes[names[key]] = attribute
	}
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		key, setter := method(function.Body.List[len(function.Body.List)-1].(*ast.ReturnStmt).Results[0])
		name, ok := names[key]
		if !ok { // a template: its key is put together from two parts
			continue
		}
		typ, ok := map[string]semconv.Type{
			"String": semconv.String, "Int": semconv.Int, "Float64": semconv.Double, "Bool": semconv.Boolean,
			"StringSlice": semconv.StringArray, "IntSlice": semconv.IntArray,
			"Float64Slice": semconv.DoubleArray, "BoolSlice": semconv.BooleanArray,
		}[setter]
		require.True(t, ok, "%s.%s", key, setter)
		assert.Equal(t, attributes[name].typ, typ, "function and comment of %s", name)
	}
	return attributes
}

var typeComment = regexp.MustCompile(`(?m)^Type: (\S+)$`)

func commentedType(doc string) semconv.Type {
	m := typeComment.FindStringSubmatch(doc)
	if m == nil {
		return 0
	}
	if m[1] == "Enum" {
		return semconv.String
	}
	for typ := semconv.String; typ <= semconv.StringTemplate; typ++ {
		if typ.String() == m[1] {
			return typ
		}
	}
	return 0
}

type goMetric struct {
	instrument semconv.Instrument
	valueType  semconv.Type
	unit       string
	attributes map[string]bool // whether it is required
}

// goMetrics reads the package's metrics. Each is a struct around an instrument of the API; required attributes are
// parameters of its Record or Add, the others have an Attr method each:
//
//	type ServerRequestDuration struct { metric.Float64Histogram }
//	func (ServerRequestDuration) Name() string { return "gen_ai.server.request.duration" }
//	func (ServerRequestDuration) AttrServerPort(val int) attribute.KeyValue { return attribute.Int("server.port", val) }
func goMetrics(t *testing.T) map[string]goMetric {
	t.Helper()
	file := parsed(t, goSemconv+"/genaiconv", "metric.go")
	byStruct := map[string]goMetric{}
	nameOf := map[string]string{}

	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if fields, ok := spec.Type.(*ast.StructType); ok {
			api := fields.Fields.List[0].Type.(*ast.SelectorExpr).Sel.Name
			metric := goMetric{attributes: map[string]bool{}}
			for suffix, instrument := range map[string]semconv.Instrument{
				"UpDownCounter": semconv.UpDownCounter, "64Counter": semconv.Sum,
				"Histogram": semconv.Histogram, "Gauge": semconv.Gauge,
			} {
				if strings.HasSuffix(api, suffix) {
					metric.instrument = instrument
				}
			}
			require.NotZero(t, metric.instrument, api)
			metric.valueType = semconv.Int
			if strings.HasPrefix(api, "Float64") {
				metric.valueType = semconv.Double
			}
			byStruct[spec.Name.Name] = metric
		}
		return false
	})
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || function.Recv == nil {
			continue
		}
		receiver := function.Recv.List[0].Type.(*ast.Ident).Name
		metric := byStruct[receiver]
		switch name := function.Name.Name; {
		case name == "Name":
			nameOf[receiver] = literal(t, function.Body.List[0].(*ast.ReturnStmt).Results[0])
		case name == "Unit":
			metric.unit = literal(t, function.Body.List[0].(*ast.ReturnStmt).Results[0])
		default:
			ast.Inspect(function, func(node ast.Node) bool {
				if call, ok := node.(*ast.CallExpr); ok {
					if on, _ := method(call); on == "attribute" {
						metric.attributes[literal(t, call.Args[0])] = !strings.HasPrefix(name, "Attr")
					}
				}
				return true
			})
		}
		byStruct[receiver] = metric
	}
	metrics := map[string]goMetric{}
	for receiver, metric := range byStruct {
		metrics[nameOf[receiver]] = metric
	}
	return metrics
}

// parsed reads a source file of a package in the module graph.
func parsed(t *testing.T, importPath, file string) *ast.File {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", importPath).Output()
	require.NoError(t, err)
	tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), file), nil, parser.ParseComments)
	require.NoError(t, err)
	return tree
}

// valueSpecs yields the constants or variables of a file that are calls: attribute.Key("…"), SomeKey.String("…").
func valueSpecs(file *ast.File, kind token.Token) func(yield func(*ast.ValueSpec) bool) {
	return func(yield func(*ast.ValueSpec) bool) {
		for _, declaration := range file.Decls {
			group, ok := declaration.(*ast.GenDecl)
			if !ok || group.Tok != kind {
				continue
			}
			for _, spec := range group.Specs {
				if value := spec.(*ast.ValueSpec); !yield(value) {
					return
				}
			}
		}
	}
}

// method splits a call x.f(…) into x and f.
func method(expression ast.Expr) (on, name string) {
	if call, ok := expression.(*ast.CallExpr); ok {
		if selector, ok := call.Fun.(*ast.SelectorExpr); ok {
			if identifier, ok := selector.X.(*ast.Ident); ok {
				return identifier.Name, selector.Sel.Name
			}
		}
	}
	return "", ""
}

func literal(t *testing.T, expression ast.Expr) string {
	t.Helper()
	text, err := strconv.Unquote(expression.(*ast.BasicLit).Value)
	require.NoError(t, err)
	return text
}

// literalOrNumber is for enums, some of which (not ours) have numbers as values.
func literalOrNumber(expression ast.Expr) string {
	value := expression.(*ast.BasicLit).Value
	if text, err := strconv.Unquote(value); err == nil {
		return text
	}
	return value
}
