// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"encoding/json"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

const kestrelFile = "testdata/tables/kestrel.yaml"

// builtIn returns the tables that come with the package.
func builtIn(t testing.TB) []*mapping.Table {
	t.Helper()
	tables, err := mapping.Tables()
	require.NoError(t, err)
	return tables
}

// table returns one of the tables that come with the package.
func table(t testing.TB, engine string) *mapping.Table {
	t.Helper()
	tables := builtIn(t)
	i := slices.IndexFunc(tables, func(table *mapping.Table) bool { return table.Engine == engine })
	require.GreaterOrEqual(t, i, 0, engine)
	return tables[i]
}

// everything switches all tables on that come with the package.
func everything(t testing.TB) map[string]mapping.EngineOptions {
	t.Helper()
	return enabled(t, func(string) bool { return true })
}

// only switches the table of an engine on, and all others off that come with the package.
func only(t testing.TB, engine string) map[string]mapping.EngineOptions {
	t.Helper()
	return enabled(t, func(other string) bool { return other == engine })
}

func enabled(t testing.TB, on func(engine string) bool) map[string]mapping.EngineOptions {
	t.Helper()
	engines := map[string]mapping.EngineOptions{}
	for _, table := range builtIn(t) {
		engines[table.Engine] = mapping.EngineOptions{Enabled: new(on(table.Engine))}
	}
	return engines
}

// parse reads a table that is expected to be right.
func parse(t testing.TB, table string) *mapping.Table {
	t.Helper()
	parsed, err := mapping.ParseTable("test.yaml", []byte(table))
	require.NoError(t, err)
	return parsed
}

// compile compiles tables that are expected to be right. The target is 1.41 unless the options name one.
func compile(t testing.TB, opts mapping.Options, tables ...*mapping.Table) *mapping.RuleSet {
	t.Helper()
	if opts.Target == "" {
		opts.Target = "1.41"
	}
	rules, err := mapping.Compile(tables, opts)
	require.NoError(t, err)
	return rules
}

// dialect returns the first dialect with an id.
func dialect(t testing.TB, rules *mapping.RuleSet, id string) *mapping.DialectRules {
	t.Helper()
	i := slices.IndexFunc(rules.Dialects(), func(d *mapping.DialectRules) bool { return d.ID == id })
	require.GreaterOrEqual(t, i, 0, "dialect %q", id)
	return rules.Dialects()[i]
}

// dialects returns all dialects with an id.
func dialects(t testing.TB, rules *mapping.RuleSet, id string) []*mapping.DialectRules {
	t.Helper()
	found := []*mapping.DialectRules{}
	for _, d := range rules.Dialects() {
		if d.ID == id {
			found = append(found, d)
		}
	}
	require.NotEmpty(t, found, "dialect %q", id)
	return found
}

// rulesOf returns what a dialect does with an attribute.
func rulesOf(rules *mapping.RuleSet, d *mapping.DialectRules, source string) []*mapping.Rule {
	key := rules.Key(source)
	if key == nil {
		return nil
	}
	return d.Rules(key.ID)
}

// targets returns where a dialect carries an attribute. The attribute itself stands for the coercion of its type.
func targets(rules *mapping.RuleSet, d *mapping.DialectRules, source string) []string {
	names := []string{}
	for _, rule := range rulesOf(rules, d, source) {
		names = append(names, rule.Target)
	}
	return names
}

// item is what recognition looks at.
type item struct {
	name, scope, kind string
	attributes        map[string]string
}

// byClient returns the item as a span of the kind client.
func (i item) byClient() item {
	i.kind = "client"
	return i
}

// having returns the item with more attributes.
func (i item) having(keys ...string) item {
	i.attributes = maps.Clone(i.attributes)
	if i.attributes == nil {
		i.attributes = map[string]string{}
	}
	for _, key := range keys {
		i.attributes[key] = "1"
	}
	return i
}

// valued returns the item with an attribute of a certain value.
func (i item) valued(key, value string) item {
	i = i.having(key)
	i.attributes[key] = value
	return i
}

// recognition is an item and what it is recognised as.
type recognition struct {
	name    string
	item    item
	dialect string
	form    mapping.Form
}

// recognise checks that each item is recognised as it is expected to be.
func recognise(t *testing.T, rules *mapping.RuleSet, cases []recognition) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dialect, form := match(t, rules, c.item)
			assert.Equal(t, c.dialect, dialect)
			assert.Equal(t, c.form, form)
		})
	}
}

// recogniseAll checks that each item is recognised for every target: by the table of the engine alone, beside the
// tables that are on by default, and beside all. Among the last, what was nobody's may be another engine's.
func recogniseAll(t *testing.T, engine string, cases []recognition) {
	t.Helper()
	on := map[string]mapping.EngineOptions{engine: {Enabled: new(true)}}
	for _, target := range semconv.Targets() {
		t.Run(target, func(t *testing.T) {
			recognise(t, compile(t, mapping.Options{Target: target, Engines: only(t, engine)}, builtIn(t)...), cases)
		})
		t.Run(target+" beside the default tables", func(t *testing.T) {
			recognise(t, compile(t, mapping.Options{Target: target, Engines: on}, builtIn(t)...), cases)
		})
		t.Run(target+" beside all tables", func(t *testing.T) {
			rules := compile(t, mapping.Options{Target: target, Engines: everything(t)}, builtIn(t)...)
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) {
					dialect, form := match(t, rules, c.item)
					if c.dialect == "" {
						assert.NotContains(t, dialect, engine)
						return
					}
					assert.Equal(t, c.dialect, dialect)
					assert.Equal(t, c.form, form)
				})
			}
		})
	}
}

// requireEveryFormIn checks that there is a case for each form of each dialect of an engine's table.
func requireEveryFormIn(t *testing.T, engine string, cases []recognition) {
	t.Helper()
	type form struct {
		dialect string
		form    mapping.Form
	}
	recognised := map[form]bool{}
	for _, c := range cases {
		recognised[form{c.dialect, c.form}] = true
	}
	for _, d := range table(t, engine).Dialects {
		for f, alternatives := range map[mapping.Form]int{
			mapping.FormRequest: len(d.Request), mapping.FormEntry: len(d.Entry), mapping.FormStage: len(d.Stage),
		} {
			assert.True(t, alternatives == 0 || recognised[form{d.ID, f}], "there is no %s of %s", f, d.ID)
		}
	}
}

// match asks which dialect claims an item. The order of its attributes must not matter.
func match(t testing.TB, rules *mapping.RuleSet, i item) (dialect string, form mapping.Form) {
	t.Helper()
	first := true
	for order := range permutations(slices.Sorted(maps.Keys(i.attributes))) {
		d, f := idOf(claim(t, rules, i, order))
		if !first {
			require.Equal(t, dialect, d, "attributes in the order %q", order)
			require.Equal(t, form, f, "attributes in the order %q", order)
		}
		dialect, form, first = d, f, false
	}
	return dialect, form
}

// permutations yields the names in every order. The slice is used again.
func permutations(names []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) { permute(names, 0, yield) }
}

func permute(names []string, from int, yield func([]string) bool) bool {
	if from == len(names) {
		return yield(names)
	}
	for i := from; i < len(names); i++ {
		names[from], names[i] = names[i], names[from]
		more := permute(names, from+1, yield)
		names[from], names[i] = names[i], names[from]
		if !more {
			return false
		}
	}
	return true
}

// idOf returns the id of a dialect, "" for none.
func idOf(d *mapping.DialectRules, form mapping.Form) (string, mapping.Form) {
	if d == nil {
		return "", form
	}
	return d.ID, form
}

// claim collects the evidence of an item, as package normalize does, and asks which dialect claims it.
func claim(t testing.TB, rules *mapping.RuleSet, i item, order []string) (*mapping.DialectRules, mapping.Form) {
	t.Helper()
	evidence := rules.Scope(i.scope)
	onlyFills := true
	for _, name := range order {
		onlyFills = onlyFills && mapping.IsFill(name)
		if key := rules.Key(name); key != nil {
			value := key.Values[i.attributes[name]]
			evidence.Add(&key.Evidence)
			evidence.Add(&value)
		}
	}
	if onlyFills {
		evidence.AddNoAttributes()
	}
	mayMatch := rules.MayMatch(&evidence)
	spanName, kind := rules.SpanName(i.name), rules.Kind(i.kind)
	evidence.Add(&spanName)
	evidence.Add(&kind)
	if operation, model := i.attributes[semconv.OperationName], i.attributes[semconv.RequestModel]; operation != "" && i.name == operation+" "+model {
		evidence.AddSemconvName()
	}
	d, form := rules.Match(evidence, i.name)
	assert.True(t, mayMatch || d == nil, "an item was ruled out by its attributes and scope, and then claimed")
	return d, form
}

// capturedSpan is a span that a running server sent.
type capturedSpan struct {
	file string
	item
}

// captured reads all spans of testdata/captured/{engine}.
func captured(t testing.TB, engine string) []capturedSpan {
	t.Helper()
	files, err := filepath.Glob("../testdata/captured/" + engine + "/*.otlp.json")
	require.NoError(t, err)
	var spans []capturedSpan
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var traces struct {
			ResourceSpans []struct {
				ScopeSpans []struct {
					Scope struct{ Name string }
					Spans []struct {
						Name       string
						Kind       int
						Attributes []struct {
							Key   string
							Value struct{ StringValue string }
						}
					}
				}
			}
		}
		require.NoError(t, json.Unmarshal(data, &traces), file)
		for _, rs := range traces.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					span := capturedSpan{filepath.Base(file), item{name: s.Name, scope: ss.Scope.Name, kind: kinds[s.Kind]}}
					for _, a := range s.Attributes {
						span.item = span.valued(a.Key, a.Value.StringValue)
					}
					spans = append(spans, span)
				}
			}
		}
	}
	require.NotEmpty(t, spans)
	return spans
}

// kinds are the span kinds by their numbers in OTLP.
var kinds = [...]string{"unspecified", "internal", "server", "client", "producer", "consumer"}

// emitter is who sent the span, or who was asked before: vllm-0.8.5, sglang-router-0.3.2.
func (s capturedSpan) emitter() string { return emitter.FindString(s.file) }

var emitter = regexp.MustCompile(`^[a-z-]+-[0-9.]+`)

// dialect returns the dialect of a captured span by its name, for there is no request without it.
// The generation of vLLM is in the name of the file.
func (s capturedSpan) dialect() string {
	if s.name == "llm_request" {
		return "vllm/" + strings.Split(s.file, "-")[2]
	}
	// The engine's id of a request is longer; no more than this of it is in the name.
	role, id, ok := strings.Cut(s.name, "Req ")
	if ok && len(id) <= 8 && slices.Contains([]string{"", "prefill", "decode"}, strings.TrimSpace(role)) {
		return "sglang/native"
	}
	return ""
}
