// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// kestrel returns the table of an engine that does not exist.
func kestrel(t testing.TB) *mapping.Table {
	t.Helper()
	table, err := mapping.ReadTable(kestrelFile)
	require.NoError(t, err)
	return table
}

// rows returns a table with a single dialect, a/1, and the given rows.
func rows(t testing.TB, rows string) *mapping.Table {
	t.Helper()
	return parse(t, `engine: a
layer: engine
dialects:
  - {id: a/1, request: {any_key: [a.one]}, evidence: https://example.com}
  - {id: a/2, request: {any_key: [a.two]}, evidence: https://example.com}
attributes:
`+rows)
}

// exact, approximate and keep return a row.
func exact(id, from, to, more string) string {
	return "  - {id: " + id + ", from: " + from + ", to: " + to + ", basis: exact, evidence: https://example.com" + more + "}\n"
}

func approximate(id, more string) string {
	return "  - {id: " + id + ", from: a.x, to: gen_ai.usage.output_tokens, basis: approximate, why: not quite, evidence: https://example.com" + more + "}\n"
}

func keep(id, name, more string) string {
	return "  - {id: " + id + ", keep: " + name + ", why: no target" + more + "}\n"
}

func TestTheBuiltInTablesCompileUnderEveryOption(t *testing.T) {
	for _, target := range semconv.Targets() {
		for _, approximate := range []bool{false, true} {
			for _, version := range []string{"", "0.5.1", "0.8.5+cpu", "0.11.1rc2", "0.32.0.post1", "9999"} {
				engines := map[string]mapping.EngineOptions{}
				for _, table := range builtIn(t) {
					engines[table.Engine] = mapping.EngineOptions{Enabled: new(true), Version: version}
				}
				compile(t, mapping.Options{Target: target, Approximate: approximate, Engines: engines}, builtIn(t)...)
			}
		}
	}
}

func TestApproximateRowsAreUsedOnlyWhenAskedFor(t *testing.T) {
	const source, target = "kestrel.first", "gen_ai.response.time_to_first_chunk"
	for _, c := range []struct {
		name string
		opts mapping.Options
		want []string
	}{
		{"they are off by default", mapping.Options{}, []string{}},
		{"they can be switched on for all engines", mapping.Options{Approximate: true}, []string{target}},
		{"they can be switched on for one engine", mapping.Options{Engines: map[string]mapping.EngineOptions{"kestrel": {Approximate: new(true)}}}, []string{target}},
		{"they can be switched on for all engines but one", mapping.Options{Approximate: true, Engines: map[string]mapping.EngineOptions{"kestrel": {Approximate: new(false)}}}, []string{}},
		{"another engine's switch does not matter", mapping.Options{Engines: map[string]mapping.EngineOptions{"vllm": {Approximate: new(true)}}}, []string{}},
		{"naming the engine does not switch them", mapping.Options{Approximate: true, Engines: map[string]mapping.EngineOptions{"kestrel": {}}}, []string{target}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := compile(t, c.opts, append(builtIn(t), kestrel(t))...)
			assert.Equal(t, c.want, targets(rules, dialect(t, rules, "kestrel/one"), source))
		})
	}
}

func TestExclusions(t *testing.T) {
	const one = "kestrel/one"
	excluding := func(t *testing.T, names ...string) (*mapping.RuleSet, *mapping.DialectRules) {
		t.Helper()
		rules := compile(t, mapping.Options{Exclude: names, Approximate: true}, kestrel(t))
		return rules, dialect(t, rules, one)
	}

	t.Run("without one everything is used", func(t *testing.T) {
		rules, d := excluding(t)
		assert.Equal(t, []string{"gen_ai.usage.input_tokens"}, targets(rules, d, "kestrel.prompt"))
		assert.Equal(t, []string{"gen_ai.usage.input_tokens"}, targets(rules, d, "kestrel.prompt_tokens"))
		assert.Equal(t, []string{"gen_ai.request.top_k"}, targets(rules, d, "gen_ai.request.top_k"))
		assert.False(t, rules.Excluded("kestrel.prompt"))
		assert.False(t, d.Durations.Excluded("kestrel.time.queue"))
	})
	t.Run("a row id leaves all of its sources alone", func(t *testing.T) {
		rules, d := excluding(t, "kestrel.input_tokens")
		assert.Empty(t, targets(rules, d, "kestrel.prompt"))
		assert.Empty(t, targets(rules, d, "kestrel.prompt_tokens"))
		assert.Equal(t, []string{"gen_ai.request.model"}, targets(rules, d, "kestrel.model"), "another row")
	})
	t.Run("a source name leaves that source alone", func(t *testing.T) {
		rules, d := excluding(t, "kestrel.prompt")
		assert.Empty(t, targets(rules, d, "kestrel.prompt"))
		assert.Equal(t, []string{"gen_ai.usage.input_tokens"}, targets(rules, d, "kestrel.prompt_tokens"))
	})
	t.Run("a standard attribute keeps its type and is not filled in", func(t *testing.T) {
		rules, d := excluding(t, "gen_ai.request.top_k", semconv.ProviderName)
		assert.Empty(t, targets(rules, d, "gen_ai.request.top_k"))
		assert.True(t, rules.Excluded(semconv.ProviderName))
	})
	t.Run("a standard attribute that a row coerces keeps its type", func(t *testing.T) {
		const source = "gen_ai.request.temperature"
		for _, c := range []struct {
			exclude string
			in      []string // engines
		}{
			{"vllm.temperature", []string{"vllm"}},
			{"sglang.temperature", []string{"sglang"}},
			{source, []string{"vllm", "sglang", "agent", "otel"}},
		} {
			rules := compile(t, mapping.Options{Exclude: []string{c.exclude}, Engines: everything(t)}, builtIn(t)...)
			for _, d := range rules.Dialects() {
				want := []string{source}
				if slices.Contains(c.in, d.Engine) {
					want = []string{}
				}
				assert.Equal(t, want, targets(rules, d, source), "%s in %s", c.exclude, d.ID)
			}
		}
	})
	t.Run("nothing is moved to an excluded name", func(t *testing.T) {
		const target = "gen_ai.usage.input_tokens"
		rules, d := excluding(t, target)
		for _, source := range []string{"kestrel.prompt", "kestrel.prompt_tokens", target} {
			assert.Empty(t, targets(rules, d, source), source)
		}
		assert.Equal(t, []string{"gen_ai.request.choice.count"}, targets(rules, d, "kestrel.n"), "another target")
	})
	t.Run("nothing is copied to an excluded name", func(t *testing.T) {
		rules, d := excluding(t, "gen_ai.response.time_to_first_chunk")
		assert.Empty(t, targets(rules, d, "kestrel.first"))
		assert.False(t, rules.Excluded("kestrel.first"), "the source is not excluded")
	})
	t.Run("nothing is moved to an excluded name by any engine", func(t *testing.T) {
		const target = "gen_ai.usage.output_tokens"
		rules := compile(t, mapping.Options{Exclude: []string{target}, Engines: everything(t)}, builtIn(t)...)
		for _, d := range rules.Dialects() {
			assert.Empty(t, targets(rules, d, "gen_ai.usage.completion_tokens"), d.ID)
			assert.Empty(t, targets(rules, d, target), d.ID)
		}
		assert.NotEmpty(t, targets(rules, dialect(t, rules, "sglang/native"), "gen_ai.usage.prompt_tokens"))
	})
	t.Run("a target is excluded for the conventions that have it", func(t *testing.T) {
		const written = "gen_ai.usage.cache_write.input_tokens"
		table := rows(t, exact("a", "a.x", `{"1.41": gen_ai.usage.cache_creation.input_tokens, "0.1.0": `+written+"}", ""))
		rules := compile(t, mapping.Options{Target: "0.1.0", Exclude: []string{written}}, table)
		assert.Empty(t, targets(rules, dialect(t, rules, "a/1"), "a.x"))
	})
	t.Run("a latency that no row is about keeps its unit", func(t *testing.T) {
		_, d := excluding(t, "kestrel.time.of_release_2")
		assert.True(t, d.Durations.Excluded("kestrel.time.of_release_2"))
		assert.False(t, d.Durations.Excluded("kestrel.time.queue"))
	})
	t.Run("a latency keeps its unit", func(t *testing.T) {
		_, d := excluding(t, "kestrel.time.queue")
		assert.True(t, d.Durations.Excluded("kestrel.time.queue"))
		assert.False(t, d.Durations.Excluded("kestrel.time.all"))
	})
	t.Run("a latency keeps its unit also when the row that keeps its name is excluded", func(t *testing.T) {
		_, d := excluding(t, "kestrel.queue")
		assert.True(t, d.Durations.Excluded("kestrel.time.queue"))
	})
	t.Run("the row that copies a latency does not stand for the latency", func(t *testing.T) {
		rules := compile(t, mapping.Options{Exclude: []string{"vllm.time_to_first_chunk"}, Approximate: true}, builtIn(t)...)
		d := dialect(t, rules, "vllm/v1")
		assert.Empty(t, targets(rules, d, "gen_ai.latency.time_to_first_token"))
		assert.False(t, d.Durations.Excluded("gen_ai.latency.time_to_first_token"))
	})
	t.Run("a latency that keeps its unit is copied nowhere", func(t *testing.T) {
		for _, name := range []string{"vllm.time_to_first_token", "gen_ai.latency.time_to_first_token"} {
			rules := compile(t, mapping.Options{Exclude: []string{name}, Approximate: true}, builtIn(t)...)
			assert.Empty(t, targets(rules, dialect(t, rules, "vllm/v1"), "gen_ai.latency.time_to_first_token"), name)
		}
	})
}

// An id is the one of a row in one table. What another engine writes under the same name is that engine's.
func TestExcludingAKeptRowConcernsItsOwnTable(t *testing.T) {
	const e2e = "gen_ai.latency.e2e"
	leftAlone := func(t *testing.T, exclude string) (*mapping.RuleSet, []string) {
		t.Helper()
		rules := compile(t, mapping.Options{Exclude: []string{exclude}, Engines: everything(t)}, builtIn(t)...)
		engines := map[string]bool{}
		for _, d := range rules.Dialects() {
			if d.Durations != nil && d.Durations.Excluded(e2e) {
				engines[d.Engine] = true
			}
		}
		return rules, slices.Sorted(maps.Keys(engines))
	}
	for exclude, want := range map[string][]string{"vllm.e2e": {"vllm"}, "sglang.e2e": {"sglang"}, "agent.e2e": {"agent"}} {
		rules, engines := leftAlone(t, exclude)
		assert.Equal(t, want, engines, exclude)
		assert.True(t, rules.Excluded(exclude))
		assert.False(t, rules.Excluded(e2e), "%s is a row of one engine", exclude)
	}
	rules, engines := leftAlone(t, e2e)
	assert.Equal(t, []string{"agent", "sglang", "vllm"}, engines, "a name is anybody's")
	assert.True(t, rules.Excluded(e2e))

	t.Run("and what others make of the name is made of it still", func(t *testing.T) {
		const id = "gen_ai.request.id" // kept by three tables
		other := rows(t, exact("a", "[a.x, "+id+"]", "gen_ai.response.id", ""))
		for _, exclude := range []string{"vllm.request_id", "sglang.request_id", "agent.request_id"} {
			rules := compile(t, mapping.Options{Exclude: []string{exclude}}, append(builtIn(t), other)...)
			assert.Equal(t, []string{"gen_ai.response.id"}, targets(rules, dialect(t, rules, "a/1"), id), exclude)
		}
		rules := compile(t, mapping.Options{Exclude: []string{id}}, append(builtIn(t), other)...)
		assert.Empty(t, targets(rules, dialect(t, rules, "a/1"), id))
	})
	t.Run("and the copy of a latency by others", func(t *testing.T) {
		rules := compile(t, mapping.Options{Exclude: []string{"sglang.time_to_first_token"}, Approximate: true}, builtIn(t)...)
		d := dialect(t, rules, "vllm/v1")
		assert.Equal(t, []string{"gen_ai.response.time_to_first_chunk"}, targets(rules, d, "gen_ai.latency.time_to_first_token"))
		assert.False(t, d.Durations.Excluded("gen_ai.latency.time_to_first_token"))
	})
}

func TestWhichTablesAreUsed(t *testing.T) {
	for _, c := range []struct {
		name   string
		table  string
		option *bool
		used   bool
	}{
		{"an engine's is", "layer: engine", nil, true},
		{"a frontend's is not", "layer: frontend", nil, false},
		{"a gateway's is not", "layer: gateway", nil, false},
		{"a client's is not", "layer: client", nil, false},
		{"a client's is when it is switched on", "layer: client", new(true), true},
		{"an engine's that says it is off is not", "layer: engine\nenabled: false", nil, false},
		{"a gateway's that says it is on is", "layer: gateway\nenabled: true", nil, true},
		{"an engine's is not when it is switched off", "layer: engine", new(false), false},
		{"an engine's that says it is on is not when it is switched off", "layer: engine\nenabled: true", new(false), false},
		{"a gateway's is when it is switched on", "layer: gateway", new(true), true},
		{"a gateway's that says it is off is when it is switched on", "layer: gateway\nenabled: false", new(true), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := parse(t, "engine: a\n"+c.table+"\ndialects: [{id: a/1, request: {any_key: [a.one]}, evidence: https://example.com}]\n")
			opts := mapping.Options{Engines: map[string]mapping.EngineOptions{"a": {Enabled: c.option}}}
			rules := compile(t, opts, table)
			want := ""
			if c.used {
				want = "a/1"
			}
			got, _ := match(t, rules, item{}.having("a.one"))
			assert.Equal(t, want, got)
		})
	}
}

func TestDialectsBearWhatTheirTableSays(t *testing.T) {
	rules := compile(t, mapping.Options{}, append(builtIn(t), kestrel(t))...)
	for i, d := range rules.Dialects() {
		assert.Equal(t, i, d.Index)
	}
	d := dialect(t, rules, "kestrel/one")
	assert.Equal(t, "kestrel", d.Engine)
	assert.Equal(t, mapping.LayerEngine, d.Layer)
	assert.Equal(t, "1.41", rules.Registry().Target)

	require.NotNil(t, d.Durations)
	assert.Equal(t, "kestrel.time.", d.Durations.Prefix)
	assert.True(t, d.Durations.MaybeNanoseconds)
	assert.Equal(t, []mapping.KeyID{rules.Key("kestrel.time.all").ID}, d.Durations.DecideBy)
	assert.True(t, d.Durations.Within(rules.Key("kestrel.time.queue").ID))
	assert.False(t, d.Durations.Within(rules.Key("kestrel.time.all").ID))
	assert.False(t, d.Durations.Within(mapping.NoKey))
	assert.False(t, d.Durations.Within(mapping.KeyID(rules.Keys()-1)))
	assert.Nil(t, dialect(t, rules, "kestrel/copy").Durations)
	assert.False(t, dialect(t, rules, "vllm/v0").Durations.MaybeNanoseconds)
}

func TestKeysThatSomeTableKnows(t *testing.T) {
	rules := compile(t, mapping.Options{}, kestrel(t))
	for _, name := range []string{"kestrel.prompt", "kestrel.copied", "kestrel.id", "kestrel.test", "kestrel.kind", "kestrel.time.all", "gen_ai.request.top_k", "gen_ai.input.messages"} {
		assert.True(t, rules.MayKnow(name), name)
		if assert.NotNil(t, rules.Key(name), name) {
			assert.Equal(t, name, rules.Key(name).Name)
		}
	}
	for _, name := range []string{"", "kestrel.promp", "kestrel.prompt.", "kestrel.time.other", "http.route", "gen_ai.prompt"} {
		assert.Nil(t, rules.Key(name), name)
	}
	for name, want := range map[string]bool{
		"kestrel.time.all":        true,
		"kestrel.time.of_release": true,
		"kestrel.time.":           false,
		"kestrel.time":            false,
		"kestrel.prompt":          false,
		"":                        false,
	} {
		assert.Equal(t, want, rules.HasDurationPrefix(name), name)
		assert.True(t, !want || rules.MayKnow(name), name)
	}
	assert.False(t, compile(t, mapping.Options{}).HasDurationPrefix("kestrel.time.all"), "without tables")
}

func TestEveryKeyIsBelowTheNumberOfKeys(t *testing.T) {
	for _, target := range semconv.Targets() {
		rules := compile(t, mapping.Options{Target: target, Approximate: true, Engines: everything(t)}, append(builtIn(t), kestrel(t))...)
		names := map[string]bool{
			"kestrel.prompt": true, "kestrel.copied": true, "kestrel.id": true, "kestrel.test": true, "kestrel.kind": true, "kestrel.time.all": true, "rid": true, spanKind: true,
		}
		for attr := range rules.Registry().Attributes() {
			names[attr.Name] = true
		}
		for _, table := range append(builtIn(t), kestrel(t)) {
			for _, row := range table.Attributes {
				for _, name := range slices.Concat(row.From, row.Keep) {
					names[name] = true
				}
			}
		}
		seen := map[mapping.KeyID]string{}
		for name := range names {
			key := rules.Key(name)
			require.NotNil(t, key, name)
			assert.GreaterOrEqual(t, int(key.ID), 0, name)
			assert.Less(t, int(key.ID), rules.Keys(), name)
			assert.Empty(t, seen[key.ID], "the key of %s", name)
			seen[key.ID] = name
			for _, d := range rules.Dialects() {
				assert.NotPanics(t, func() { d.Rules(key.ID) }, "%s in %s", name, d.ID)
			}
		}
		for _, d := range rules.Dialects() {
			assert.NotPanics(t, func() { d.Rules(mapping.KeyID(rules.Keys() - 1)) }, d.ID)
		}
	}
}

func TestNamesThatStandWhereAModelShould(t *testing.T) {
	rules := compile(t, mapping.Options{Engines: everything(t)}, append(builtIn(t), kestrel(t))...)
	for _, d := range rules.Dialects() {
		placeholders := map[string][]string{
			"kestrel": {"", "none"},
			"otel":    {},
		}
		want, ok := placeholders[d.Engine]
		if !ok {
			want = []string{"", "undefined", "unknown_model", "unknown", "None", "other"}
		}
		for _, name := range []string{"", "none", "None", "undefined", "unknown_model", "unknown", "other", "Other", " ", "qwen3"} {
			assert.Equal(t, slices.Contains(want, name), d.IsPlaceholder(name), "%q in %s", name, d.ID)
		}
	}
}

func TestTheProviderIsTheTablesUnlessTheOptionsNameAnother(t *testing.T) {
	for _, c := range []struct {
		name     string
		option   *string
		provider string
		proven   bool
	}{
		{"the table names it", nil, "kestrel", true},
		{"the options name another", new("my-kestrel"), "my-kestrel", true},
		{"the options want none", new(""), "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := compile(t, mapping.Options{Engines: map[string]mapping.EngineOptions{"kestrel": {Provider: c.option}}}, kestrel(t))
			d := dialect(t, rules, "kestrel/one")
			assert.Equal(t, c.provider, d.Provider)
			assert.Equal(t, c.proven, d.ProvesProvider)
			assert.True(t, d.ClaimsProvider, "with a name for it or without")
			assert.False(t, dialect(t, rules, "kestrel/copy").ProvesProvider, "a dialect without that proof")
			assert.False(t, dialect(t, rules, "kestrel/copy").ClaimsProvider, "a dialect without that proof")
		})
	}
}

func TestRulesBearWhatTheirRowSays(t *testing.T) {
	table := kestrel(t)
	rules := compile(t, mapping.Options{Approximate: true}, table)
	d := dialect(t, rules, "kestrel/one")
	only := func(t *testing.T, source string) *mapping.Rule {
		t.Helper()
		found := rulesOf(rules, d, source)
		require.Len(t, found, 1)
		return found[0]
	}

	input := only(t, "kestrel.prompt_tokens")
	assert.Same(t, &table.Attributes[0], input.Row)
	assert.Equal(t, "kestrel.input_tokens", input.ID)
	assert.Equal(t, "kestrel.prompt_tokens", input.Source)
	assert.Equal(t, rules.Key("gen_ai.usage.input_tokens").ID, input.TargetKey)
	assert.Equal(t, semconv.Int, input.Type)
	assert.False(t, input.InPlace())
	assert.False(t, input.Copy)
	assert.Nil(t, input.OmitWhen)
	assert.Nil(t, input.Not)
	assert.InDelta(t, 1, input.Divisor, 0)

	first := only(t, "kestrel.first")
	assert.True(t, first.Copy)
	assert.InDelta(t, 1e3, first.Divisor, 0)

	model := only(t, "kestrel.model")
	assert.Equal(t, map[string]string{"kite": "kite-7b"}, model.Values)
	assert.Equal(t, map[string]struct{}{"": {}, "none": {}}, model.Not, "placeholders")
}

func TestOmittedValuesHaveTheTypeOfTheTarget(t *testing.T) {
	for _, c := range []struct {
		name, to, omit string
		want           mapping.Scalar
	}{
		{"an int", "gen_ai.request.choice.count", "1", mapping.Scalar{Type: semconv.Int, Int: 1}},
		{"a double", "gen_ai.request.temperature", "0.5", mapping.Scalar{Type: semconv.Double, Double: 0.5}},
		{"a double that is written as an integer", "gen_ai.request.temperature", "1", mapping.Scalar{Type: semconv.Double, Double: 1}},
		{"a boolean", "gen_ai.request.stream", "false", mapping.Scalar{Type: semconv.Boolean}},
		{"a string", "gen_ai.output.type", "text", mapping.Scalar{Type: semconv.String, Str: "text"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := compile(t, mapping.Options{}, rows(t, exact("a", "a.x", c.to, ", omit_when: "+c.omit)))
			found := rulesOf(rules, dialect(t, rules, "a/1"), "a.x")
			require.Len(t, found, 1)
			assert.Equal(t, &c.want, found[0].OmitWhen)
		})
	}
	for name, row := range map[string]string{
		"a fraction of an int":     exact("a", "a.x", "gen_ai.request.choice.count", ", omit_when: 1.5"),
		"a number of a boolean":    exact("a", "a.x", "gen_ai.request.stream", ", omit_when: 0"),
		"a text of a double":       exact("a", "a.x", "gen_ai.request.temperature", `, omit_when: "0"`),
		"a boolean of a string":    exact("a", "a.x", "gen_ai.output.type", ", omit_when: true"),
		"any value of a list":      exact("a", "a.x", "gen_ai.response.finish_reasons", ", omit_when: stop"),
		"any value of a structure": exact("a", "a.x", "gen_ai.input.messages", ", omit_when: none"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := mapping.Compile([]*mapping.Table{rows(t, row)}, mapping.Options{Target: "1.41"})
			require.ErrorContains(t, err, "omit_when")
		})
	}
}

func TestUnitsAreDividedAway(t *testing.T) {
	for unit, divisor := range map[string]float64{"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1} {
		rules := compile(t, mapping.Options{}, rows(t, exact("a", "a.x", "gen_ai.response.time_to_first_chunk", ", unit: "+unit)))
		found := rulesOf(rules, dialect(t, rules, "a/1"), "a.x")
		require.Len(t, found, 1)
		assert.InDelta(t, divisor, found[0].Divisor, 0, unit)
	}
}

func TestATargetMayHaveANameOfItsOwn(t *testing.T) {
	table := rows(t, exact("a", "a.cached", `{"1.41": gen_ai.usage.cache_creation.input_tokens, "0.1.0": gen_ai.usage.cache_write.input_tokens}`, "")+
		exact("b", "a.workflow", `{"1.41": gen_ai.workflow.name}`, ""))
	for _, c := range []struct {
		target           string
		cached, workflow []string
	}{
		{"1.41", []string{"gen_ai.usage.cache_creation.input_tokens"}, []string{"gen_ai.workflow.name"}},
		{"0.1.0", []string{"gen_ai.usage.cache_write.input_tokens"}, []string{}},
	} {
		rules := compile(t, mapping.Options{Target: c.target}, table)
		d := dialect(t, rules, "a/1")
		assert.Equal(t, c.cached, targets(rules, d, "a.cached"), c.target)
		assert.Equal(t, c.workflow, targets(rules, d, "a.workflow"), c.target)
	}
}

func TestTheOrderOfTheTableIsThePrecedence(t *testing.T) {
	rules := compile(t, mapping.Options{}, rows(t,
		exact("a", "[a.z, a.y]", "gen_ai.usage.input_tokens", "")+exact("b", "a.x", "gen_ai.usage.input_tokens", "")))
	d := dialect(t, rules, "a/1")
	orders := []int{}
	for _, source := range []string{"a.z", "a.y", "a.x", "gen_ai.usage.input_tokens"} {
		found := rulesOf(rules, d, source)
		require.Len(t, found, 1, source)
		orders = append(orders, found[0].Order)
	}
	assert.IsIncreasing(t, orders, "the spellings of one row, the row below, and last what already has the standard's name")
}

func TestRowsOfOneDialectSayNothingAboutAnother(t *testing.T) {
	rules := compile(t, mapping.Options{}, rows(t,
		exact("a", "a.x", "gen_ai.usage.input_tokens", ", dialects: [a/1]")+
			exact("b", "a.x", "gen_ai.usage.output_tokens", ", dialects: [a/2]")+
			keep("c", "gen_ai.request.seed", ", dialects: [a/1]")+
			exact("d", "a.both", "gen_ai.request.model", "")+
			keep("e", "a.y", ", dialects: [a/1]")+
			exact("f", "a.y", "gen_ai.response.id", ", dialects: [a/2]")))
	one, two := dialect(t, rules, "a/1"), dialect(t, rules, "a/2")
	assert.Equal(t, []string{"gen_ai.usage.input_tokens"}, targets(rules, one, "a.x"))
	assert.Equal(t, []string{"gen_ai.usage.output_tokens"}, targets(rules, two, "a.x"))
	assert.Equal(t, []string{}, targets(rules, one, "gen_ai.request.seed"), "kept here")
	assert.Equal(t, []string{"gen_ai.request.seed"}, targets(rules, two, "gen_ai.request.seed"), "and coerced there")
	assert.Equal(t, []string{}, targets(rules, one, "a.y"))
	assert.Equal(t, []string{"gen_ai.response.id"}, targets(rules, two, "a.y"))
	assert.Equal(t, []string{"gen_ai.request.model"}, targets(rules, one, "a.both"))
	assert.Equal(t, targets(rules, one, "a.both"), targets(rules, two, "a.both"))
}

func TestASourceMayBeCopiedAndMoved(t *testing.T) {
	rules := compile(t, mapping.Options{}, rows(t,
		exact("a", "a.x", "gen_ai.request.model", ", copy: true")+
			exact("b", "a.x", "gen_ai.response.model", "")+
			keep("c", "a.y", "")+
			exact("d", "a.y", "gen_ai.response.id", ", copy: true")+
			exact("e", "a.z", "gen_ai.request.model", "")+
			exact("f", "a.z", "gen_ai.response.model", ", copy: true")))
	d := dialect(t, rules, "a/1")
	assert.Equal(t, []string{"gen_ai.request.model", "gen_ai.response.model"}, targets(rules, d, "a.x"))
	assert.Equal(t, []string{"gen_ai.response.id"}, targets(rules, d, "a.y"), "a kept name may be copied")
	assert.Equal(t, []string{"gen_ai.request.model", "gen_ai.response.model"}, targets(rules, d, "a.z"), "in either order")
}

func TestATargetMayHaveARowOfItsOwnThatMakesItsTypeRight(t *testing.T) {
	rules := compile(t, mapping.Options{}, rows(t,
		exact("a", "a.x", "gen_ai.request.seed", "")+exact("b", "gen_ai.request.seed", "gen_ai.request.seed", "")))
	d := dialect(t, rules, "a/1")
	assert.Equal(t, []string{"gen_ai.request.seed"}, targets(rules, d, "a.x"))
	own := rulesOf(rules, d, "gen_ai.request.seed")
	require.Len(t, own, 1)
	assert.Equal(t, "b", own[0].ID)
}

func TestStandardAttributesGetTheStandardsType(t *testing.T) {
	for _, c := range []struct {
		target, name string
		want         semconv.Type
	}{
		{"1.41", "gen_ai.request.top_k", semconv.Double},
		{"0.1.0", "gen_ai.request.top_k", semconv.Int},
		{"1.41", "gen_ai.response.finish_reasons", semconv.StringArray},
		{"1.41", "server.port", semconv.Int},
	} {
		rules := compile(t, mapping.Options{Target: c.target}, kestrel(t))
		for _, d := range rules.Dialects() {
			found := rulesOf(rules, d, c.name)
			require.Len(t, found, 1, "%s in %s", c.name, d.ID)
			assert.Equal(t, c.want, found[0].Type, "%s in %s", c.name, c.target)
			assert.True(t, found[0].InPlace())
			assert.Nil(t, found[0].Row)
			assert.Equal(t, c.name, found[0].ID)
		}
	}
	rules := compile(t, mapping.Options{}, kestrel(t))
	d := dialect(t, rules, "kestrel/one")
	assert.Empty(t, targets(rules, d, "gen_ai.request.seed"), "a row keeps it")
	assert.Empty(t, targets(rules, d, "gen_ai.input.messages"), "it may have any type")
	assert.Empty(t, targets(rules, d, "kestrel.time.queue"), "it is not the standard's")
}

func TestEveryStandardAttributeOfEveryTargetHasARuleOrAReasonForNone(t *testing.T) {
	for _, target := range semconv.Targets() {
		rules := compile(t, mapping.Options{Target: target}, rows(t, keep("a", "a.x", "")))
		d := dialect(t, rules, "a/1")
		for attr := range rules.Registry().Attributes() {
			want := []string{attr.Name}
			if attr.Type == semconv.Any || attr.Type == semconv.StringTemplate {
				want = []string{}
			}
			assert.Equal(t, want, targets(rules, d, attr.Name), "%s in %s", attr.Name, target)
		}
	}
}

// byRelease says three things about one name: what it was, what it was for a while, and what it is.
const (
	until   = `, versions: "<0.3.5.post1"`
	between = `, versions: ">=0.3.5.post1,<0.11.1rc2"`
	since   = `, versions: ">=0.11.1rc2"`
)

func TestRowsWithVersions(t *testing.T) {
	const input, output = "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"
	byRelease := keep("until", "a.x", until) + approximate("between", between) + exact("since", "a.x", input, since)
	for _, c := range []struct {
		name, rows, version string
		want                []string
	}{
		{"a final release is before its post release", byRelease, "0.3.5", []string{}},
		{"a post release is in the range that starts with it", byRelease, "0.3.5.post1", []string{output}},
		{"a later post release too", byRelease, "0.3.5.post2", []string{output}},
		{"a release candidate is before the next one", byRelease, "0.11.1rc1", []string{output}},
		{"a release candidate is in the range that starts with it", byRelease, "0.11.1rc2", []string{input}},
		{"a release is after its candidates", byRelease, "0.11.1", []string{input}},
		{"a pre-release of a later release is in an open range", byRelease, "0.32.0rc1", []string{input}},
		{"a build is where its release is", byRelease, "0.8.5+cpu", []string{output}},
		{"a development build too", byRelease, "0.8.5.dev3+gabc123", []string{output}},
		{"versions are numbers and not texts", byRelease, "0.4.10", []string{output}},
		{"a version may start with a v", byRelease, "v0.11.2", []string{input}},

		{"without a version keeping is the most careful", byRelease, "", []string{}},
		{"without a version the order in the table does not decide", exact("since", "a.x", input, since) + keep("until", "a.x", until), "", []string{}},
		{"without a version approximate is more careful than exact", exact("since", "a.x", input, since) + approximate("until", until), "", []string{output}},
		{"without a version a single row is used", exact("since", "a.x", input, since), "", []string{input}},
		{"without a version the first of equally careful rows is used", exact("since", "a.x", input, since) + exact("until", "a.x", output, until), "", []string{input}},
		{"a version outside of all ranges leaves the name alone", exact("since", "a.x", input, since), "0.8.5", []string{}},
		{"a range of minor releases", exact("line", "a.x", input, `, versions: "==0.10.*"`), "0.10.2", []string{input}},
		{"a range of minor releases ends", exact("line", "a.x", input, `, versions: "==0.10.*"`), "0.11.0", []string{}},
		{"a release candidate is before its release", exact("a", "a.x", input, `, versions: "<0.11.1"`) + exact("b", "a.x", output, `, versions: ">=0.11.1"`), "0.11.1rc2", []string{input}},
		{"a post release is neither up to its release nor greater than it, so the name is left alone", exact("a", "a.x", input, `, versions: "<=0.3.5"`) + exact("b", "a.x", output, `, versions: ">0.3.5"`), "0.3.5.post1", []string{}},
		{"a row without a range holds for every version", exact("always", "a.x", input, ""), "0.1", []string{input}},
		{"a row without a range holds beside one with", exact("always", "a.x", input, ", copy: true") + exact("since", "a.x", output, since), "0.12", []string{input, output}},
		{"a row without a range holds beside one with whatever the version", approximate("always", ", copy: true") + exact("since", "a.x", input, since), "", []string{output, input}},
		{"a row of another dialect does not make this one more careful", exact("since", "a.x", input, since) + keep("until", "a.x", until+", dialects: [a/2]"), "", []string{input}},
		{"a row is not used for a source about which another is more careful", exact("since", "[a.w, a.x]", input, since) + keep("until", "a.x", until), "", []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := mapping.Options{Approximate: true, Engines: map[string]mapping.EngineOptions{"a": {Version: c.version}}}
			rules := compile(t, opts, rows(t, c.rows))
			assert.Equal(t, c.want, targets(rules, dialect(t, rules, "a/1"), "a.x"))
		})
	}
	t.Run("without a version an approximate row that is off yields to no exact one", func(t *testing.T) {
		rules := compile(t, mapping.Options{}, rows(t, approximate("until", until)+exact("since", "a.x", input, since)))
		assert.Empty(t, targets(rules, dialect(t, rules, "a/1"), "a.x"))
	})
	t.Run("a row that is right for one of its sources is used for that one", func(t *testing.T) {
		rules := compile(t, mapping.Options{}, rows(t, exact("since", "[a.w, a.x]", input, since)+keep("until", "a.x", until)))
		assert.Equal(t, []string{input}, targets(rules, dialect(t, rules, "a/1"), "a.w"))
	})
}

func TestVersions(t *testing.T) {
	for _, version := range []string{"0.5.1", "0.3.5.post1", "0.11.1rc2", "0.8.5+cpu", "1", "1!2.0", "v0.9.2", "0.10.2.dev1+g1234567"} {
		require.NoError(t, mapping.ValidateVersion(version), version)
	}
	for _, version := range []string{"", "latest", "0.x", ">=0.8", "0.8,0.9", "0.8.5-cpu-avx"} {
		require.ErrorIs(t, mapping.ValidateVersion(version), mapping.ErrInvalidVersion, version)
	}
}

func TestTablesAreOnlyReadAndRulesMayBeShared(t *testing.T) {
	tables := append(builtIn(t), kestrel(t))
	spans := []item{
		{name: "llm_request", scope: "vllm.llm_engine"},
		{name: "serve", attributes: map[string]string{"kestrel.prompt": "1"}},
		{name: "POST /v1", scope: "kestrel.http", attributes: map[string]string{"kestrel.id": "1", "kestrel.prompt": "1"}},
	}
	shared := compile(t, mapping.Options{}, tables...)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			mine, err := mapping.Compile(tables, mapping.Options{Target: "1.41"})
			if err != nil {
				t.Error(err)
				return
			}
			assert.Equal(t, shared.Hash(), mine.Hash())
			for _, span := range spans {
				order := slices.Sorted(maps.Keys(span.attributes))
				ours, _ := idOf(claim(t, shared, span, order))
				theirs, _ := idOf(claim(t, mine, span, order))
				assert.Equal(t, ours, theirs)
				assert.NotEmpty(t, ours)
			}
			for _, d := range shared.Dialects() {
				assert.NotPanics(t, func() { d.Operation("chatcmpl-1"); d.Operation(strings.Repeat("1", 100)) })
			}
		})
	}
	wait.Wait()
}
