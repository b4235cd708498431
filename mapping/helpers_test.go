// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"iter"
	"maps"
	"slices"
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
		onlyFills = onlyFills && slices.Contains([]string{semconv.ProviderName, semconv.OperationName, semconv.ErrorType}, name)
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
