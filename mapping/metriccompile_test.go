// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// metrics returns a table of an engine without prefixes, so that rows give names in full.
func metrics(t testing.TB, engine, rows string) *mapping.Table {
	t.Helper()
	return parse(t, "engine: "+engine+"\nlayer: engine\nprovider: "+engine+"\nmetrics:\n"+rows)
}

// moved, near and kept return a row of a histogram of seconds.
func moved(id, from, more string) string {
	return metricRowOf(id, "from: "+from+", to: gen_ai.server.request.duration, basis: exact", more)
}

func near(id, from, more string) string {
	return metricRowOf(id, "from: "+from+", to: gen_ai.server.request.duration, basis: approximate, why: not quite", more)
}

func kept(id, name, more string) string {
	return metricRowOf(id, "keep: "+name+", why: no target", more)
}

func metricRowOf(id, what, more string) string {
	return "  - {id: " + id + ", " + what + ", instrument: histogram, unit: s, evidence: https://example.com" + more + "}\n"
}

// named returns what is known of a metric's name.
func named(t testing.TB, rules *mapping.RuleSet, name string) *mapping.Metric {
	t.Helper()
	m := rules.Metric(name)
	require.NotNil(t, m, name)
	return m
}

// ruleOf returns the rule that a row became for a metric.
func ruleOf(t testing.TB, rules *mapping.RuleSet, name, id string) *mapping.MetricRule {
	t.Helper()
	for _, source := range named(t, rules, name).Sources {
		for _, rule := range source.Rules {
			if rule.ID == id {
				return rule
			}
		}
	}
	require.Fail(t, "there is no such rule", "%s of %s", id, name)
	return nil
}

// used returns the rows that decide about a metric, with their targets: "" where it keeps its name.
func used(t testing.TB, rules *mapping.RuleSet, name string) map[string]string {
	t.Helper()
	targets := map[string]string{}
	for _, source := range named(t, rules, name).Sources {
		for _, rule := range source.Rules {
			switch {
			case rule.Off:
			case rule.Target == nil:
				targets[rule.ID] = ""
			default:
				targets[rule.ID] = rule.Target.Name
			}
		}
	}
	return targets
}

func version(v string) map[string]mapping.EngineOptions {
	return map[string]mapping.EngineOptions{"kestrel": {Version: v}}
}

func TestEverySpellingIsTheSameSource(t *testing.T) {
	rules := compile(t, mapping.Options{}, parse(t, validMetrics))
	t.Run("with each prefix, in their order", func(t *testing.T) {
		colon, underscore := named(t, rules, "kestrel:duration_ms"), named(t, rules, "kestrel_duration_ms")
		require.Len(t, colon.Sources, 1)
		require.Len(t, underscore.Sources, 1)
		assert.Equal(t, colon.Sources[0].ID, underscore.Sources[0].ID)
		assert.Less(t, colon.Sources[0].Spelling, underscore.Sources[0].Spelling)
		assert.Nil(t, rules.Metric("duration_ms"), "a table with prefixes knows no name without")
		assert.Nil(t, rules.Metric("my_kestrel:duration_ms"))
		assert.Nil(t, rules.Metric("kestrel:DURATION_ms"))
	})
	t.Run("two names of one row are two sources", func(t *testing.T) {
		assert.NotEqual(t, named(t, rules, "kestrel:duration_ms").Sources[0].ID, named(t, rules, "kestrel:latency_ms").Sources[0].ID)
		assert.Less(t, ruleOf(t, rules, "kestrel:duration_ms", "kestrel.duration").Order, ruleOf(t, rules, "kestrel:latency_ms", "kestrel.duration").Order,
			"of two names in one row the first wins")
	})
	t.Run("a counter with and without _total, as exposed first", func(t *testing.T) {
		total, bare := named(t, rules, "kestrel:steps_total"), named(t, rules, "kestrel:steps")
		assert.Equal(t, total.Sources[0].ID, bare.Sources[0].ID)
		assert.Less(t, total.Sources[0].Spelling, bare.Sources[0].Spelling)
		assert.Less(t, bare.Sources[0].Spelling, named(t, rules, "kestrel_steps_total").Sources[0].Spelling)
	})
	t.Run("what is no counter has no _total", func(t *testing.T) {
		for _, name := range []string{"kestrel:waiting_total", "kestrel:duration_ms_total", "kestrel:steps_total_total"} {
			assert.Nil(t, rules.Metric(name), name)
		}
	})
	t.Run("names in full where there are no prefixes", func(t *testing.T) {
		rules := compile(t, mapping.Options{}, metrics(t, "kite", moved("kite.a", "a", "")))
		assert.Equal(t, map[string]string{"kite.a": "gen_ai.server.request.duration"}, used(t, rules, "a"))
		assert.Nil(t, rules.Namespace("a_b"))
	})
}

func TestWhatARowSpellsOutComesBeforeWhatFollowsFromOthers(t *testing.T) {
	const sum = ", instrument: sum, unit: \"1\", why: no target, evidence: https://example.com}\n"
	t.Run("a name that is another counter's with _total", func(t *testing.T) {
		rules := compile(t, mapping.Options{}, metrics(t, "kite", "  - {id: kite.a, keep: a"+sum+"  - {id: kite.a_total, keep: a_total"+sum))
		assert.Equal(t, map[string]string{"kite.a": ""}, used(t, rules, "a"))
		assert.Equal(t, map[string]string{"kite.a_total": ""}, used(t, rules, "a_total"))
	})
	derived := []string{"a_bucket", "a_sum", "a_count", "a_created"}
	for _, name := range derived {
		t.Run(name+" of the same table", func(t *testing.T) {
			rules := compile(t, mapping.Options{}, metrics(t, "kite", moved("kite.a", "a", "")+"  - {id: kite.other, keep: "+name+sum))
			assert.Equal(t, mapping.KindSource, named(t, rules, name).Kind)
			assert.Equal(t, map[string]string{"kite.other": ""}, used(t, rules, name))
		})
		for order, tables := range map[string][]*mapping.Table{
			"a later table":    {metrics(t, "kite", moved("kite.a", "a", "")), metrics(t, "hawk", "  - {id: hawk.other, keep: "+name+sum)},
			"an earlier table": {metrics(t, "hawk", "  - {id: hawk.other, keep: "+name+sum), metrics(t, "kite", moved("kite.a", "a", ""))},
		} {
			t.Run(name+" of "+order, func(t *testing.T) {
				rules := compile(t, mapping.Options{}, tables...)
				assert.Equal(t, mapping.KindSource, named(t, rules, name).Kind)
				assert.Equal(t, map[string]string{"hawk.other": ""}, used(t, rules, name))
				assert.Len(t, named(t, rules, name).Sources, 1)
				assert.True(t, named(t, rules, name).Instruments.Has(mapping.InstrumentSum))
			})
		}
	}
}

func TestPartsAndBeginningsOfMetrics(t *testing.T) {
	rules := compile(t, mapping.Options{}, parse(t, validMetrics+`  - id: kestrel.size
    keep: size
    instrument: summary
    unit: By
    why: no target
    evidence: https://example.com/size
`))
	for name, kind := range map[string]mapping.MetricKind{
		"kestrel:duration_ms_bucket":  mapping.KindPart,
		"kestrel_duration_ms_sum":     mapping.KindPart,
		"kestrel_latency_ms_count":    mapping.KindPart,
		"kestrel:duration_ms_created": mapping.KindCreated,
		"kestrel:size_created":        mapping.KindCreated,
		"kestrel_steps_created":       mapping.KindCreated,
	} {
		assert.Equal(t, kind, named(t, rules, name).Kind, name)
		assert.Len(t, named(t, rules, name).Sources, 1, name)
	}
	assert.Equal(t, named(t, rules, "kestrel:duration_ms").Sources[0].ID, named(t, rules, "kestrel_duration_ms_sum").Sources[0].ID)
	for _, name := range []string{
		"kestrel:waiting_created", "kestrel:waiting_count", "kestrel:steps_total_sum", "kestrel:size_bucket", "kestrel:size_sum",
		"kestrel:steps_total_created", "kestrel:duration_ms_min",
	} {
		assert.Nil(t, rules.Metric(name), name)
	}
}

func TestNamesThatNoRowIsAbout(t *testing.T) {
	rules := compile(t, mapping.Options{}, parse(t, validMetrics))
	for _, name := range []string{"kestrel:new", "kestrel_new", "kestrel:", "kestrel_cache_hits", "kestrel:my_cache_hits"} {
		n := rules.Namespace(name)
		require.NotNil(t, n, name)
		assert.Equal(t, "kestrel/metrics", n.Dialect.ID, name)
		assert.Equal(t, []mapping.Selector{{{Label: "pool"}, {Label: "model", Absent: true}}}, n.ForeignPoints)
	}
	for _, name := range []string{"kestrel:cache_", "kestrel:cache_hits", "kestrel", "kestrel.new", "ray_kestrel:new", "", "k", "up"} {
		assert.Nil(t, rules.Namespace(name), name)
	}
	off := map[string]mapping.EngineOptions{"kestrel": {Enabled: new(false)}}
	rules = compile(t, mapping.Options{Engines: off}, parse(t, validMetrics))
	assert.Nil(t, rules.Namespace("kestrel:new"))
	assert.Nil(t, rules.Metric("kestrel:duration_ms"))
	assert.Empty(t, rules.MetricDialects())
}

func TestANamespaceOfTwoTablesIsTheFirstOnesUnlessItIsForeignThere(t *testing.T) {
	table := func(engine, more string) *mapping.Table {
		return parse(t, "engine: "+engine+"\nlayer: engine\nmetric_prefixes: [x_]\n"+more+"metrics:\n"+kept(engine+".a", "a", ""))
	}
	rules := compile(t, mapping.Options{}, table("kite", "foreign_metrics: [x_hawk_]\n"), table("hawk", ""))
	assert.Equal(t, "kite", rules.Namespace("x_new").Dialect.Engine)
	assert.Equal(t, "hawk", rules.Namespace("x_hawk_new").Dialect.Engine)
}

func TestExclusionsOfMetrics(t *testing.T) {
	all := mapping.Options{Approximate: true, Extensions: true}
	excluding := func(t *testing.T, names ...string) *mapping.RuleSet {
		t.Helper()
		opts := all
		opts.Exclude = names
		return compile(t, opts, parse(t, validMetrics))
	}
	const duration, waiting = "gen_ai.server.request.duration", "inference.server.requests.waiting"

	t.Run("without one everything is used", func(t *testing.T) {
		rules := excluding(t)
		assert.Equal(t, map[string]string{"kestrel.duration": duration}, used(t, rules, "kestrel:latency_ms"))
		assert.Equal(t, map[string]string{"kestrel.waiting": waiting}, used(t, rules, "kestrel_waiting"))
		assert.False(t, named(t, rules, "kestrel:waiting").Inert)
	})
	for _, spelling := range []string{"duration_ms", "kestrel:duration_ms", "kestrel_duration_ms", "duration_ms_total", "kestrel:duration_ms_total"} {
		t.Run("a source in the spelling "+spelling+" is one in all", func(t *testing.T) {
			rules := excluding(t, spelling)
			for _, name := range []string{"kestrel:duration_ms", "kestrel_duration_ms"} {
				assert.Equal(t, map[string]string{"kestrel.duration": ""}, used(t, rules, name))
				assert.True(t, named(t, rules, name).Inert)
				assert.True(t, named(t, rules, name).Instruments.Has(mapping.InstrumentHistogram), "it is known all the same")
			}
			assert.Equal(t, map[string]string{"kestrel.duration": duration}, used(t, rules, "kestrel:latency_ms"), "another name of the row")
		})
	}
	t.Run("a counter may be named without _total", func(t *testing.T) {
		const row = "  - {id: kite.a, from: [a_total, b_total], to: inference.server.preemptions, instrument: sum, unit: \"{preemption}\", basis: exact, evidence: https://example.com}\n"
		for _, spelling := range []string{"a", "a_total"} {
			opts := all
			opts.Exclude = []string{spelling}
			rules := compile(t, opts, metrics(t, "kite", row))
			assert.Equal(t, map[string]string{"kite.a": ""}, used(t, rules, "a_total"))
			assert.Equal(t, map[string]string{"kite.a": ""}, used(t, rules, "a"))
			assert.Equal(t, map[string]string{"kite.a": "inference.server.preemptions"}, used(t, rules, "b"))
		}
	})
	t.Run("a row id leaves all of its sources alone, and other rows as they are", func(t *testing.T) {
		rules := excluding(t, "kestrel.duration", "kestrel.first")
		assert.Empty(t, used(t, rules, "kestrel:duration_ms"))
		assert.Empty(t, used(t, rules, "kestrel_latency_ms"))
		assert.Equal(t, map[string]string{"kestrel.first_mixed": "gen_ai.server.time_to_first_token"}, used(t, rules, "kestrel:first_seconds"))
	})
	t.Run("nothing gets an excluded name", func(t *testing.T) {
		rules := excluding(t, duration, waiting)
		assert.Empty(t, used(t, rules, "kestrel:duration_ms"))
		assert.Empty(t, used(t, rules, "kestrel:waiting"))
		assert.Nil(t, rules.Metric(duration))
	})
	t.Run("an excluded label stays, and others are renamed", func(t *testing.T) {
		labels := ruleOf(t, excluding(t, "modelName"), "kestrel:duration_ms", "kestrel.duration").Labels
		require.Len(t, labels, 2)
		assert.Equal(t, []string{"model"}, labels[0].From)
	})
	t.Run("an excluded attribute is neither renamed to nor added", func(t *testing.T) {
		rules := excluding(t, semconv.RequestModel, semconv.ProviderName, "gen_ai.token.type")
		rule := ruleOf(t, rules, "kestrel:input_tokens", "kestrel.input")
		require.Len(t, rule.Labels, 1)
		assert.Equal(t, semconv.OperationName, rule.Labels[0].To)
		assert.Empty(t, rule.Provider)
		assert.Empty(t, rule.Add)
	})
}

func TestTheVersionChoosesAmongRowsOfAMetric(t *testing.T) {
	const target = "gen_ai.server.request.duration"
	old, middle, recent := `, versions: "<1"`, `, versions: ">=1,<2"`, `, versions: ">=2"`
	for _, c := range []struct {
		name, rows, version string
		want                map[string]string
	}{
		{"one range without a version", moved("a", "x", recent), "", map[string]string{"a": target}},
		{"one range that the version is in", moved("a", "x", recent), "2.0rc1.post1", map[string]string{}},
		{"one range that a later release is in", moved("a", "x", recent), "2.0.post1", map[string]string{"a": target}},
		{"one range that the version is not in", moved("a", "x", recent), "1.9", map[string]string{}},
		{"kept before approximate", moved("a", "x", recent) + near("b", "x", middle) + kept("c", "x", old), "", map[string]string{"c": ""}},
		{"approximate before exact", moved("a", "x", recent) + near("b", "x", middle), "", map[string]string{"b": target}},
		{"the first of two that are equally careful", moved("a", "x", recent) + moved("b", "x", old), "", map[string]string{"a": target}},
		{"the first of two kept", kept("a", "x", recent) + kept("b", "x", old), "", map[string]string{"a": ""}},
		{"the exact one for its release", moved("a", "x", recent) + near("b", "x", middle) + kept("c", "x", old), "2.1", map[string]string{"a": target}},
		{"the approximate one for its release", moved("a", "x", recent) + near("b", "x", middle) + kept("c", "x", old), "1.5", map[string]string{"b": target}},
		{"the kept one for its release", moved("a", "x", recent) + near("b", "x", middle) + kept("c", "x", old), "0.9", map[string]string{"c": ""}},
		{"none for a release between", moved("a", "x", recent) + kept("c", "x", old), "1.5", map[string]string{}},
		{"a row without a range is always used", moved("a", "x", recent) + near("b", "x", ""), "0.1", map[string]string{"b": target}},
		{"a row without a range does not make others careful", moved("a", "x", recent) + kept("b", "x", ""), "", map[string]string{"a": target, "b": ""}},
		{"rows about other names do not matter", moved("a", "x", recent) + kept("b", "y", old), "", map[string]string{"a": target}},
		{
			"rows about other instruments do not matter",
			moved("a", "x", recent) + `  - {id: b, keep: x, instrument: sum, unit: s, why: no target, evidence: https://example.com, versions: "<1"}` + "\n",
			"",
			map[string]string{"a": target, "b": ""},
		},
		{"rows of one range stand beside each other", near("a", "x", recent) + moved("b", "x", recent), "", map[string]string{"a": target, "b": target}},
		{"a row with a proof is used beside the careful ones", moved("a", "x", recent+", proven_by: {any_metric: [y]}") + kept("b", "x", old) + kept("c", "y", ""), "", map[string]string{"a": target, "b": ""}},
		{"a row with a proof is none of the careful ones", moved("a", "x", recent) + near("b", "x", old+", proven_by: {any_metric: [y]}") + kept("c", "y", ""), "", map[string]string{"a": target, "b": target}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := compile(t, mapping.Options{Approximate: true, Engines: version(c.version)}, metrics(t, "kestrel", c.rows))
			assert.Equal(t, c.want, used(t, rules, "x"))
			assert.True(t, named(t, rules, "x").Instruments.Has(mapping.InstrumentHistogram), "what is switched off is known all the same")
		})
	}
	t.Run("an approximate row that is off leaves nothing to a bolder one", func(t *testing.T) {
		rules := compile(t, mapping.Options{}, metrics(t, "kestrel", moved("a", "x", recent)+near("b", "x", middle)))
		assert.Empty(t, used(t, rules, "x"))
	})
	t.Run("another engine's version does not matter", func(t *testing.T) {
		rules := compile(t, mapping.Options{Engines: version("1.0")}, metrics(t, "kite", moved("a", "x", recent)), metrics(t, "kestrel", kept("b", "y", "")))
		assert.Equal(t, map[string]string{"a": target}, used(t, rules, "x"))
	})
}

func TestAProofIsAnyOfTheMetricsUnlessTheVersionIsKnown(t *testing.T) {
	const name, id = "kestrel:first_seconds", "kestrel.first"
	rules := compile(t, mapping.Options{}, parse(t, validMetrics))
	assert.Equal(t, &mapping.MetricProof{
		Sources: []int{named(t, rules, "kestrel_steps").Sources[0].ID}, SameLabel: "worker",
	}, ruleOf(t, rules, name, id).Proof)
	assert.Nil(t, ruleOf(t, rules, name, "kestrel.first_mixed").Proof)

	rules = compile(t, mapping.Options{Engines: version("2.0")}, parse(t, validMetrics))
	assert.Nil(t, ruleOf(t, rules, name, id).Proof)
	assert.False(t, ruleOf(t, rules, name, id).Off)

	rules = compile(t, mapping.Options{Engines: version("1.9")}, parse(t, validMetrics))
	assert.True(t, ruleOf(t, rules, name, id).Off, "a configured version outweighs the proof")
}

func TestSeveralTablesKnowAName(t *testing.T) {
	kite := metrics(t, "kite", kept("kite.x", "x", ", only: {has: [kite]}"))
	hawk := metrics(t, "hawk", "  - {id: hawk.x, from: x, to: inference.server.preemptions, instrument: sum, unit: \"1\", basis: exact, evidence: https://example.com}\n")
	engines := func(tables ...*mapping.Table) (engines []string) {
		rules := compile(t, mapping.Options{Extensions: true}, tables...)
		m := named(t, rules, "x")
		assert.False(t, m.Inert, "one of them moves it")
		assert.True(t, m.Instruments.Has(mapping.InstrumentHistogram) && m.Instruments.Has(mapping.InstrumentSum))
		ids := map[int]bool{}
		for _, source := range m.Sources {
			ids[source.ID] = true
			engines = append(engines, source.Dialect.Engine)
		}
		assert.Len(t, ids, len(m.Sources), "they are different sources")
		return engines
	}
	assert.Equal(t, []string{"kite", "hawk"}, engines(kite, hawk))
	assert.Equal(t, []string{"hawk", "kite"}, engines(hawk, kite))
	assert.True(t, named(t, compile(t, mapping.Options{}, kite, hawk), "x").Inert, "without extensions nothing moves")
}

func TestOneSourceFillsATarget(t *testing.T) {
	order := func(rules *mapping.RuleSet, name, id string) int { return ruleOf(t, rules, name, id).Order }
	slot := func(rules *mapping.RuleSet, name, id string) int { return ruleOf(t, rules, name, id).Slot }
	t.Run("exact before approximate, and then in the order of the table", func(t *testing.T) {
		rules := compile(t, mapping.Options{Approximate: true}, metrics(t, "kestrel", near("a", "w", "")+moved("b", "x", "")+near("c", "y", "")+moved("d", "z", "")))
		assert.Less(t, order(rules, "x", "b"), order(rules, "z", "d"))
		assert.Less(t, order(rules, "z", "d"), order(rules, "w", "a"))
		assert.Less(t, order(rules, "w", "a"), order(rules, "y", "c"))
		for name, id := range map[string]string{"w": "a", "y": "c", "z": "d"} {
			assert.Equal(t, slot(rules, "x", "b"), slot(rules, name, id))
		}
		assert.Equal(t, 1, rules.MetricSlots())
		assert.Equal(t, 1, rules.MetricTargets())
	})
	t.Run("an added attribute tells two sources apart", func(t *testing.T) {
		row := func(id, kind string) string {
			return "  - {id: " + id + ", from: " + id + ", to: gen_ai.client.token.usage, add: {gen_ai.token.type: " + kind + "}, instrument: histogram, unit: \"{token}\", basis: exact, evidence: https://example.com}\n"
		}
		rules := compile(t, mapping.Options{}, metrics(t, "kestrel", row("a", "input")+row("b", "output")))
		assert.NotEqual(t, slot(rules, "a", "a"), slot(rules, "b", "b"))
		assert.Equal(t, 2, rules.MetricSlots())
		assert.Equal(t, 1, rules.MetricTargets())
	})
	t.Run("two engines have two, unless they have one provider", func(t *testing.T) {
		kite, hawk := metrics(t, "kite", moved("a", "x", "")), metrics(t, "hawk", moved("b", "y", ""))
		rules := compile(t, mapping.Options{}, kite, hawk)
		assert.NotEqual(t, slot(rules, "x", "a"), slot(rules, "y", "b"))
		rules = compile(t, mapping.Options{Engines: map[string]mapping.EngineOptions{"hawk": {Provider: new("kite")}}}, kite, hawk)
		assert.Equal(t, slot(rules, "x", "a"), slot(rules, "y", "b"))
		assert.Equal(t, "kite", rules.MetricDialect("kite").Engine, "points with a standard name are the first engine's")
	})
}

func TestWhatIsDoneToLabels(t *testing.T) {
	operation := map[string]mapping.EngineOptions{"kestrel": {DefaultOperation: "chat", Provider: new("my-kestrel")}}
	rules := compile(t, mapping.Options{Extensions: true, Approximate: true, Engines: operation}, parse(t, validMetrics))
	rule := ruleOf(t, rules, "kestrel:input_tokens", "kestrel.input")
	assert.Equal(t, []mapping.LabelRule{
		{From: []string{"model", "modelName"}, To: semconv.RequestModel, Not: map[string]struct{}{"": {}, "none": {}, "undefined": {}}},
		{From: []string{"api"}, To: semconv.OperationName, Not: map[string]struct{}{"": {}}},
	}, rule.Labels)
	assert.Equal(t, "my-kestrel", rule.Provider)
	assert.Equal(t, "chat", rule.Operation)
	assert.Equal(t, []mapping.Label{{Name: "gen_ai.token.type", Value: "input"}}, rule.Add)
	assert.Equal(t, rule.Labels, rules.MetricLabels(rule.Dialect, rule.Target))
	assert.Equal(t, rule.Dialect, rules.MetricDialect("my-kestrel"))
	assert.Nil(t, rules.MetricDialect("kestrel"), "it has another name now")
	assert.Nil(t, rules.MetricDialect(""))

	extension := ruleOf(t, rules, "kestrel:waiting", "kestrel.waiting")
	assert.Empty(t, extension.Operation, "the definition has no operation")
	assert.Len(t, extension.Labels, 1)
	assert.Equal(t, []string{"rank"}, extension.OneOf)
	assert.True(t, extension.Alias)
}

func TestAKeptNameThatLooksLikeAStandardMetricInAnotherInstrument(t *testing.T) {
	rules := compile(t, mapping.Options{}, metrics(t, "kestrel",
		kept("a", "gen_ai_server_time_to_first_token", "")+
			`  - {id: b, keep: [gen_ai_server_request_duration, other], instrument: sum, unit: s, why: no target, evidence: https://example.com}`+"\n"))
	assert.True(t, ruleOf(t, rules, "gen_ai_server_request_duration", "b").StandardMismatch)
	assert.False(t, ruleOf(t, rules, "other", "b").StandardMismatch)
	assert.False(t, ruleOf(t, rules, "gen_ai_server_time_to_first_token", "a").StandardMismatch, "it is the standard's instrument")
	assert.False(t, named(t, rules, "gen_ai_server_request_duration").Inert)
	assert.True(t, named(t, rules, "other").Inert)
}

func TestTheUnitOfAMetric(t *testing.T) {
	rules := compile(t, mapping.Options{Extensions: true}, parse(t, validMetrics))
	duration := ruleOf(t, rules, "kestrel:duration_ms", "kestrel.duration")
	waiting := ruleOf(t, rules, "kestrel:waiting", "kestrel.waiting")
	for _, c := range []struct {
		rule    *mapping.MetricRule
		unit    string
		divisor float64
	}{
		{duration, "", 1000}, // what the row says
		{duration, "ms", 1000},
		{duration, "milliseconds", 1000},
		{duration, "s", 1},
		{duration, "seconds", 1},
		{duration, "us", 1e6},
		{duration, "microseconds", 1e6},
		{duration, "ns", 1e9},
		{duration, "nanoseconds", 1e9},
		{duration, "min", 0},
		{duration, "1", 0},
		{duration, "{second}", 0},
		{waiting, "", 1},
		{waiting, "{request}", 1},
		{waiting, "{requests}", 1},
		{waiting, "requests", 1},
		{waiting, "1", 1},
		{waiting, "{token}", 0},
		{waiting, "s", 0},
	} {
		divisor, ok := c.rule.Divisor(c.unit)
		assert.Equal(t, c.divisor != 0, ok, "%s in %q", c.rule.ID, c.unit)
		if ok {
			assert.InDelta(t, c.divisor, divisor, 0, "%s in %q", c.rule.ID, c.unit)
		}
	}
}

func TestARowHoldsForTheReleasesOfItsRange(t *testing.T) {
	table := parse(t, validMetrics)
	first, mixed := &table.Metrics[1], &table.Metrics[2]
	for version, holds := range map[string]bool{"": true, "1.9": false, "2.0": true, "2.0.post1": true, "2.1rc1": true, "10": true} {
		assert.Equal(t, holds, first.Holds(version), version)
		assert.True(t, mixed.Holds(version), version)
	}
	attribute := parse(t, "engine: a\nlayer: engine\nattributes: [{id: a, keep: x, why: no target, versions: \"<2\"}]\n").Attributes[0]
	assert.True(t, attribute.Holds("1.9"))
	assert.False(t, attribute.Holds("2.0"))
}

func TestReleasesAreInOrder(t *testing.T) {
	releases := []string{"0.3.5", "0.3.5.post1", "0.5.9", "0.5.10rc1", "0.5.10", "0.11.0"}
	for i := 1; i < len(releases); i++ {
		assert.Negative(t, mapping.CompareVersions(releases[i-1], releases[i]), releases[i])
		assert.Positive(t, mapping.CompareVersions(releases[i], releases[i-1]), releases[i])
		assert.Zero(t, mapping.CompareVersions(releases[i], releases[i]), releases[i])
	}
}

func TestTheTargetOfARowForEachOfTheConventions(t *testing.T) {
	table := parse(t, validMetrics)
	same, each := &table.Metrics[0].To, &table.Metrics[3].To
	assert.Equal(t, "gen_ai.server.request.duration", same.For("1.41"))
	assert.Equal(t, "gen_ai.server.request.duration", same.For("0.1.0"))
	assert.Equal(t, "gen_ai.client.token.usage", each.For("1.41"))
	assert.Equal(t, "gen_ai.client.inference.operation.input_tokens", each.For("0.1.0"))
	assert.Empty(t, each.For("1.42"))
	assert.Empty(t, table.Metrics[5].To.For("1.41"), "a kept name has none")
}
