// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// validMetrics is a table of metrics without a mistake; each case below makes one. Line numbers in errors are its own.
const validMetrics = `engine: kestrel
layer: engine
provider: kestrel
not_models: [undefined]
metric_prefixes: ["kestrel:", kestrel_]
foreign_metrics: ["kestrel:cache_"]
foreign_points: {has: [pool], lacks: [model]}
metric_labels:
  - {from: [model, modelName], to: gen_ai.request.model, not: [none]}
  - {from: api, to: gen_ai.operation.name}
attributes:
  - {id: kestrel.step, keep: kestrel.step, why: no target}
metrics:
  - id: kestrel.duration
    from: [duration_ms, latency_ms]
    instrument: histogram
    unit: ms
    to: gen_ai.server.request.duration
    basis: exact
    never: {labels: {role: prefill}}
    evidence: https://example.com/duration
  - id: kestrel.first
    from: first_seconds
    instrument: histogram
    unit: s
    to: gen_ai.server.time_to_first_token
    basis: exact
    versions: ">=2"
    proven_by: {any_metric: [steps_total], same_label: worker}
    evidence: https://example.com/first
  - id: kestrel.first_mixed
    from: first_seconds
    instrument: histogram
    unit: s
    to: gen_ai.server.time_to_first_token
    basis: approximate
    why: of some requests it is the whole
    evidence: https://example.com/mixed
  - id: kestrel.input
    from: input_tokens
    instrument: histogram
    unit: "{token}"
    to: {"1.41": gen_ai.client.token.usage, "0.1.0": gen_ai.client.inference.operation.input_tokens}
    add: {gen_ai.token.type: input}
    basis: approximate
    why: counted by the server
    evidence: https://example.com/input
  - id: kestrel.waiting
    from: waiting
    instrument: gauge
    unit: "{request}"
    to: inference.server.requests.waiting
    basis: exact
    alias: true
    only: [{lacks: [priority], labels: {queue: main}}]
    one_of: [rank]
    evidence: https://example.com/waiting
  - id: kestrel.steps
    keep: steps_total
    instrument: [sum, gauge]
    unit: "{step}"
    versions: ">=1"
    why: no target
    evidence: https://example.com/steps
`

func TestATableOfMetricsWithoutAMistakeCompilesForEveryTarget(t *testing.T) {
	for _, target := range semconv.Targets() {
		for _, all := range []bool{false, true} {
			for _, version := range []string{"", "1.9", "2.0"} {
				compile(t, mapping.Options{
					Target: target, Approximate: all, Extensions: all,
					Engines: map[string]mapping.EngineOptions{"kestrel": {Version: version}},
				}, parse(t, validMetrics))
			}
		}
	}
}

const (
	metricRowKeys    = "id, from, keep, instrument, unit, to, basis, why, evidence, versions, proven_by, disproven_by, only, never, one_of, add, alias, caveats"
	presenceKeys     = "any_metric, same_label"
	selectorKeys     = "has, lacks, labels"
	labelRowKeys     = "from, to, not"
	keptMetricHas    = "a kept name has no to, basis, proven_by, disproven_by, one_of, add or alias"
	isNoMetric       = "is neither a metric of the 1.41 registry nor one of the extensions"
	isAskedAndAbsent = "it can never match: it is asked for and must be missing"
	prefixIsEmpty    = ": invalid mapping table: metric_prefixes and foreign_metrics take no empty name: it begins every name"
	isAddedElsewhere = "it comes from the table's provider, its labels or the configuration"
	sevenLabels      = "[model, modelName, m3, m4, m5, m6, m7]"
)

func TestMistakesInMetrics(t *testing.T) {
	requireMistakes(t, validMetrics, []mistake{
		// Spelling
		{
			"an unknown key of a row", "one_of: [rank]", "any_of: [rank]",
			`:56: invalid mapping table: unknown key "any_of": one of ` + metricRowKeys + ` is expected`,
		},
		{
			"an unknown key of a proof", "same_label: worker", "label: worker",
			`:29: invalid mapping table: unknown key "label": one of ` + presenceKeys + ` is expected`,
		},
		{
			"an unknown key of a selector", "{lacks: [priority], ", "{without: [priority], ",
			`:55: invalid mapping table: unknown key "without": one of ` + selectorKeys + ` is expected`,
		},
		{
			"an unknown key of a label", "not: [none]", "except: [none]",
			`:9: invalid mapping table: unknown key "except": one of ` + labelRowKeys + ` is expected`,
		},
		{
			"a name where a selector is expected", "never: {labels: {role: prefill}}", "never: prefill",
			`:20: invalid mapping table: a value of the kind !!str does not belong here`,
		},
		{
			"a name where a proof is expected", "proven_by: {any_metric: [steps_total], same_label: worker}", "proven_by: steps_total",
			`:29: invalid mapping table: a value of the kind !!str does not belong here`,
		},
		{
			"a switch that is none", "alias: true", "alias: duration",
			":54: invalid mapping table: cannot unmarshal !!str `duration` into bool",
		},
		{
			"a list where a text is expected", "add: {gen_ai.token.type: input}", "add: {gen_ai.token.type: [input]}",
			`:44: invalid mapping table: cannot unmarshal !!seq into string`,
		},

		// Names and labels of the whole table
		{
			"a prefix without a name", `["kestrel:", kestrel_]`, `["kestrel:", ""]`,
			prefixIsEmpty,
		},
		{
			"a foreign beginning without a name", `["kestrel:cache_"]`, `["kestrel:cache_", ""]`,
			prefixIsEmpty,
		},
		{
			"foreign points that are all points", "foreign_points: {has: [pool], lacks: [model]}", "foreign_points: {}",
			`: invalid mapping table: foreign_points: a selector needs has, lacks or labels`,
		},
		{
			"foreign points that cannot be", "foreign_points: {has: [pool], lacks: [model]}", "foreign_points: {has: [pool], lacks: [model, pool]}",
			`: invalid mapping table: foreign_points: label "pool": ` + isAskedAndAbsent,
		},
		{
			"a label that is none", "{from: api, to", "{from: [], to",
			`: invalid mapping table: metric_labels: from is missing: the label is expected`,
		},
		{
			"a label without a name", "{from: api, to", `{from: [api, ""], to`,
			`: invalid mapping table: metric_labels: from is missing: the label is expected`,
		},
		{
			"a label that leads nowhere", "{from: api, to: gen_ai.operation.name}", "{from: api}",
			`: invalid mapping table: metric_labels: to of ["api"] is missing: the target attribute is expected`,
		},
		{
			"a label that leads to what no standard has", "to: gen_ai.operation.name", "to: gen_ai.operation",
			`: invalid mapping table: metric_labels: target "gen_ai.operation": it is not an attribute of any registry`,
		},
		{
			"a label that leads to itself", "{from: api, to", "{from: [api, gen_ai.operation.name], to",
			`: invalid mapping table: metric_labels: "gen_ai.operation.name" leads to itself`,
		},
		{
			"two rows of labels for one attribute", "to: gen_ai.operation.name", "to: gen_ai.request.model",
			`: invalid mapping table: metric_labels: target "gen_ai.request.model" is there twice: one row lists its labels, best first`,
		},
		{
			"more labels for an attribute than there are", "[model, modelName]", sevenLabels,
			`: invalid mapping table: metric_labels: more than 6 labels for "gen_ai.request.model"`,
		},
		{
			"more rows of labels than there are", "  - {from: api, to: gen_ai.operation.name}\n", labelRows(12),
			`: invalid mapping table: metric_labels: more than 12`,
		},

		// Rows
		{
			"a row without an id", "- id: kestrel.waiting\n    from", "- from",
			`:48: invalid mapping table: row "": id is missing`,
		},
		{
			"two rows with one id", "id: kestrel.waiting", "id: kestrel.duration",
			`:48: invalid mapping table: row "kestrel.duration": the id is taken by line 14`,
		},
		{
			"the id of a row of attributes", "id: kestrel.steps", "id: kestrel.step",
			`:58: invalid mapping table: row "kestrel.step": the id is taken by line 12`,
		},
		{
			"a row without a source", "    from: waiting\n", "",
			`:48: invalid mapping table: row "kestrel.waiting": either from or keep is needed, and not both`,
		},
		{
			"a row that keeps and moves", "from: waiting", "from: waiting\n    keep: waiting",
			`:48: invalid mapping table: row "kestrel.waiting": either from or keep is needed, and not both`,
		},
		{
			"a source without a name", "[duration_ms, latency_ms]", `[duration_ms, ""]`,
			`:14: invalid mapping table: row "kestrel.duration": a source has no name`,
		},
		{
			"a row without an instrument", "    instrument: gauge\n", "",
			`:48: invalid mapping table: row "kestrel.waiting": instrument is missing`,
		},
		{
			"an unknown instrument", "instrument: gauge", "instrument: counter",
			`:48: invalid mapping table: row "kestrel.waiting": instrument "counter": one of histogram, sum, updowncounter, gauge, summary is expected`,
		},
		{
			"an unknown instrument of several", "instrument: [sum, gauge]", "instrument: [sum, info]",
			`:58: invalid mapping table: row "kestrel.steps": instrument "info": one of histogram, sum, updowncounter, gauge, summary is expected`,
		},
		{
			"a row without a unit", "    unit: \"{step}\"\n", "",
			`:58: invalid mapping table: row "kestrel.steps": unit is missing: "1" is expected for what has none`,
		},
		{
			"a range of versions that is none", `versions: ">=2"`, "versions: since 2",
			`:22: invalid mapping table: row "kestrel.first": invalid version: "since 2": a PEP 440 range such as ">=0.8,<0.10" is expected`,
		},
		{
			"a range of versions of a kept name that is none", `versions: ">=1"`, "versions: V1",
			`:58: invalid mapping table: row "kestrel.steps": invalid version: "V1": a PEP 440 range such as ">=0.8,<0.10" is expected`,
		},
		{
			"a row without evidence", "    evidence: https://example.com/waiting\n", "",
			`:48: invalid mapping table: row "kestrel.waiting": evidence "": ` + evidenceIsAURL,
		},
		{
			"a kept name without evidence", "    evidence: https://example.com/steps\n", "",
			`:58: invalid mapping table: row "kestrel.steps": evidence "": ` + evidenceIsAURL,
		},
		{
			"evidence that nobody can open", "https://example.com/input", "metrics.py",
			`:39: invalid mapping table: row "kestrel.input": evidence "metrics.py": ` + evidenceIsAURL,
		},

		// Rows that keep a name
		{
			"a kept name without a reason", "    why: no target\n    evidence", "    evidence",
			`:58: invalid mapping table: row "kestrel.steps": why is missing: a kept name says why it has no target`,
		},
		{
			"a kept name with a target", `versions: ">=1"`, "to: gen_ai.server.request.duration",
			`:58: invalid mapping table: row "kestrel.steps": ` + keptMetricHas,
		},
		{
			"a kept name with a basis", `versions: ">=1"`, "basis: exact",
			`:58: invalid mapping table: row "kestrel.steps": ` + keptMetricHas,
		},
		{
			"a kept name with a proof", `versions: ">=1"`, "versions: \">=1\"\n    proven_by: {any_metric: [waiting]}",
			`:58: invalid mapping table: row "kestrel.steps": ` + keptMetricHas,
		},
		{
			"a kept name with copies", `versions: ">=1"`, "one_of: [rank]",
			`:58: invalid mapping table: row "kestrel.steps": ` + keptMetricHas,
		},
		{
			"a kept name with an attribute to add", `versions: ">=1"`, "add: {gen_ai.token.type: input}",
			`:58: invalid mapping table: row "kestrel.steps": ` + keptMetricHas,
		},
		{
			"a kept name that is an alias", `versions: ">=1"`, "alias: true",
			`:58: invalid mapping table: row "kestrel.steps": ` + keptMetricHas,
		},
		{
			"a kept name with a selector that says nothing", `versions: ">=1"`, "only: {}",
			`:58: invalid mapping table: row "kestrel.steps": a selector needs has, lacks or labels`,
		},

		// Rows that move
		{
			"a row without a target", "    to: gen_ai.server.request.duration\n", "",
			`:14: invalid mapping table: row "kestrel.duration": to is missing: the target metric is expected`,
		},
		{
			"a row without a basis", "    to: inference.server.requests.waiting\n    basis: exact\n", "    to: inference.server.requests.waiting\n",
			`:48: invalid mapping table: row "kestrel.waiting": basis "": ` + basisIsExpected,
		},
		{
			"an unknown basis", "    basis: approximate\n    why: counted by the server\n", "    basis: extension\n    why: counted by the server\n",
			`:39: invalid mapping table: row "kestrel.input": basis "extension": ` + basisIsExpected,
		},
		{
			"an approximate row that does not say what differs", "    why: counted by the server\n", "",
			`:39: invalid mapping table: row "kestrel.input": why is missing: an approximate row says what differs`,
		},
		{
			"several instruments of a row that moves", "instrument: gauge", "instrument: [gauge, sum]",
			`:48: invalid mapping table: row "kestrel.waiting": instrument gauge, sum: one is expected, that of the target`,
		},
		{
			"a target for a convention that is not there", `to: {"1.41": `, `to: {"1.42": `,
			`:39: invalid mapping table: row "kestrel.input": to: target "1.42" is unknown: one of "0.1.0", "1.41" is expected`,
		},
		{
			"more attributes to add than there are", "add: {gen_ai.token.type: input}", "add: {a: x, b: x, c: x, d: x, e: x, f: x, g: x, h: x, i: x}",
			`:39: invalid mapping table: row "kestrel.input": add: more than 8 attributes`,
		},
		{
			"an attribute to add without a value", "{gen_ai.token.type: input}", `{gen_ai.token.type: ""}`,
			`:39: invalid mapping table: row "kestrel.input": add "gen_ai.token.type": "": a name and a value are expected`,
		},
		{
			"an attribute to add without a name", "{gen_ai.token.type: input}", `{"": input}`,
			`:39: invalid mapping table: row "kestrel.input": add "": "input": a name and a value are expected`,
		},
		{
			"copies told apart by a label without a name", "one_of: [rank]", `one_of: [rank, ""]`,
			`:48: invalid mapping table: row "kestrel.waiting": one_of: a label has no name`,
		},
		{
			"a proof of no versions", "    versions: \">=2\"\n", "",
			`:22: invalid mapping table: row "kestrel.first": proven_by without versions: there is nothing to prove`,
		},
		{
			"a proof by nothing", "{any_metric: [steps_total], same_label: worker}", "{same_label: worker}",
			`:22: invalid mapping table: row "kestrel.first": proven_by: any_metric is missing`,
		},
		{
			"a proof by a metric without a name", "any_metric: [steps_total]", `any_metric: [steps_total, ""]`,
			`:22: invalid mapping table: row "kestrel.first": proven_by: any_metric is missing`,
		},

		// Selectors
		{
			"a selector that says nothing", "never: {labels: {role: prefill}}", "never: {}",
			`:14: invalid mapping table: row "kestrel.duration": a selector needs has, lacks or labels`,
		},
		{
			"an alternative that says nothing", "only: [{lacks", "only: [{}, {lacks",
			`:48: invalid mapping table: row "kestrel.waiting": a selector needs has, lacks or labels`,
		},
		{
			"a selector of a label without a name", "lacks: [priority]", `lacks: [priority, ""]`,
			`:48: invalid mapping table: row "kestrel.waiting": a selector takes no empty label name`,
		},
		{
			"a selector that asks for what must be missing", "{lacks: [priority], labels: {queue: main}}", "{has: [priority], lacks: [priority]}",
			`:48: invalid mapping table: row "kestrel.waiting": label "priority": ` + isAskedAndAbsent,
		},
		{
			"a selector that asks for a value of what must be missing", "labels: {queue: main}", "labels: {priority: high}",
			`:48: invalid mapping table: row "kestrel.waiting": label "priority": ` + isAskedAndAbsent,
		},
		{
			"a selector of no value", "{role: prefill}", "{role: []}",
			`:14: invalid mapping table: row "kestrel.duration": labels of "role": values are expected; for an empty one use lacks`,
		},
		{
			"a selector of an empty value", "{role: prefill}", `{role: [prefill, ""]}`,
			`:14: invalid mapping table: row "kestrel.duration": labels of "role": values are expected; for an empty one use lacks`,
		},
		{
			"a selector of a value of no label", "{role: prefill}", `{"": prefill}`,
			`:14: invalid mapping table: row "kestrel.duration": labels of "": values are expected; for an empty one use lacks`,
		},

		// Rows and their targets
		{
			"a target that nobody has", "to: gen_ai.server.request.duration", "to: gen_ai.server.duration",
			`:14: invalid mapping table: row "kestrel.duration": target "gen_ai.server.duration" ` + isNoMetric,
		},
		{
			"a target that is an attribute", "to: gen_ai.server.request.duration", "to: gen_ai.request.model",
			`:14: invalid mapping table: row "kestrel.duration": target "gen_ai.request.model" ` + isNoMetric,
		},
		{
			"a target that only another convention has", "to: gen_ai.server.request.duration", "to: gen_ai.client.inference.operation.input_tokens",
			`:14: invalid mapping table: row "kestrel.duration": target "gen_ai.client.inference.operation.input_tokens" ` + isNoMetric,
		},
		{
			"an extension that is none", "to: inference.server.requests.waiting", "to: inference.server.requests.sleeping",
			`:48: invalid mapping table: row "kestrel.waiting": target "inference.server.requests.sleeping" ` + isNoMetric,
		},
		{
			"an instrument that is not the target's", "instrument: histogram\n    unit: ms", "instrument: sum\n    unit: ms",
			`:14: invalid mapping table: row "kestrel.duration": instrument "sum": target "gen_ai.server.request.duration" is a histogram`,
		},
		{
			"an instrument that is not the extension's", "instrument: gauge", "instrument: updowncounter",
			`:48: invalid mapping table: row "kestrel.waiting": instrument "updowncounter": target "inference.server.requests.waiting" is a gauge`,
		},
		{
			"a unit without a factor", "unit: ms", "unit: min",
			`:14: invalid mapping table: row "kestrel.duration": unit "min": there is no factor to "s", the unit of target "gen_ai.server.request.duration"`,
		},
		{
			"a unit of another kind", `unit: "{request}"`, `unit: "{token}"`,
			`:48: invalid mapping table: row "kestrel.waiting": unit "{token}": there is no factor to "{request}", the unit of target "inference.server.requests.waiting"`,
		},
		{
			"an attribute to add that nobody knows", "{gen_ai.token.type: input}", "{gen_ai.token.kind: input}",
			`:39: invalid mapping table: row "kestrel.input": add "gen_ai.token.kind": it is not an attribute of any registry`,
		},
		{
			"a provider to add", "{gen_ai.token.type: input}", "{gen_ai.provider.name: kestrel}",
			`:39: invalid mapping table: row "kestrel.input": add "gen_ai.provider.name": ` + isAddedElsewhere,
		},
		{
			"an operation to add", "{gen_ai.token.type: input}", "{gen_ai.operation.name: chat}",
			`:39: invalid mapping table: row "kestrel.input": add "gen_ai.operation.name": ` + isAddedElsewhere,
		},
		{
			"an attribute to add that is a label's", "{gen_ai.token.type: input}", "{gen_ai.request.model: kestrel-7b}",
			`:39: invalid mapping table: row "kestrel.input": add "gen_ai.request.model": ` + isAddedElsewhere,
		},
		{
			"a proof by a metric that nobody knows", "any_metric: [steps_total]", "any_metric: [steps_total, stages_total]",
			`:22: invalid mapping table: row "kestrel.first": proven_by: metric "stages_total" is not in the table`,
		},
		{
			"a proof by a metric in another spelling", "any_metric: [steps_total]", `any_metric: ["kestrel:steps_total"]`,
			`:22: invalid mapping table: row "kestrel.first": proven_by: metric "kestrel:steps_total" is not in the table`,
		},
	})
}

// labelRows returns rows of labels that lead to n attributes.
func labelRows(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  - {from: api%d, to: gen_ai.%d}\n", i, i)
	}
	return b.String()
}

// A row that the options or the target do not use is checked all the same.
func TestMistakesInMetricsAreReportedUnderEveryOption(t *testing.T) {
	for name, c := range map[string]struct {
		old, mine string
		opts      mapping.Options
		says      string
	}{
		"of an approximate row that is not asked for": {
			"{gen_ai.token.type: input}", "{gen_ai.token.kind: input}",
			mapping.Options{},
			`test.yaml:39: invalid mapping table: row "kestrel.input": add "gen_ai.token.kind": it is not an attribute of any registry`,
		},
		"of an extension that is not asked for": {
			"instrument: gauge", "instrument: sum",
			mapping.Options{},
			`test.yaml:48: invalid mapping table: row "kestrel.waiting": instrument "sum": target "inference.server.requests.waiting" is a gauge`,
		},
		"of an excluded row": {
			"unit: ms", "unit: min",
			mapping.Options{Exclude: []string{"kestrel.duration"}},
			`test.yaml:14: invalid mapping table: row "kestrel.duration": unit "min": there is no factor to "s", the unit of target "gen_ai.server.request.duration"`,
		},
		"of a row for other versions": {
			"to: gen_ai.server.time_to_first_token\n    basis: exact", "to: gen_ai.server.first\n    basis: exact",
			mapping.Options{Engines: map[string]mapping.EngineOptions{"kestrel": {Version: "1.0"}}},
			`test.yaml:22: invalid mapping table: row "kestrel.first": target "gen_ai.server.first" ` + isNoMetric,
		},
		"of a proof that a known version does not need": {
			"any_metric: [steps_total]", "any_metric: [stages_total]",
			mapping.Options{Engines: map[string]mapping.EngineOptions{"kestrel": {Version: "2.0"}}},
			`test.yaml:22: invalid mapping table: row "kestrel.first": proven_by: metric "stages_total" is not in the table`,
		},
		"of a target of the other conventions": {
			`"0.1.0": gen_ai.client.inference.operation.input_tokens`, `"0.1.0": gen_ai.client.token.usage`,
			mapping.Options{Target: "0.1.0"},
			`test.yaml:39: invalid mapping table: row "kestrel.input": target "gen_ai.client.token.usage" is neither a metric of the 0.1.0 registry nor one of the extensions`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, 1, strings.Count(validMetrics, c.old))
			if c.opts.Target == "" {
				c.opts.Target = "1.41"
			}
			_, err := mapping.Compile([]*mapping.Table{parse(t, strings.Replace(validMetrics, c.old, c.mine, 1))}, c.opts)
			require.EqualError(t, err, c.says)
			require.ErrorIs(t, err, mapping.ErrInvalidTable)
		})
	}
}

// What only one of the conventions has may stand in a table for both.
func TestLabelsAndAttributesMayBeThoseOfAnotherTarget(t *testing.T) {
	table := strings.Replace(validMetrics, "to: gen_ai.operation.name", "to: gen_ai.token.modality", 1)
	for _, target := range semconv.Targets() {
		compile(t, mapping.Options{Target: target, Approximate: true}, parse(t, table))
	}
	table = strings.Replace(validMetrics, "{gen_ai.token.type: input}", "{gen_ai.token.modality: unknown}", 1)
	rules := compile(t, mapping.Options{Approximate: true}, parse(t, table))
	assert.Empty(t, ruleOf(t, rules, "kestrel:input_tokens", "kestrel.input").Add, "1.41 does not know it")
	rules = compile(t, mapping.Options{Target: "0.1.0", Approximate: true}, builtIn(t)...)
	assert.Equal(t, []mapping.Label{{Name: "gen_ai.token.modality", Value: "unknown"}},
		ruleOf(t, rules, "vllm:prompt_tokens_total", "vllm.client_usage_input_tokens").Add)
}

func TestMistakesBetweenTablesOfMetrics(t *testing.T) {
	const gauge = ", instrument: gauge, unit: \"1\", why: no target, evidence: https://example.com}\n"
	requireMistakesBetween(t, validMetrics, []otherTable{
		{
			"one row id in two tables", "engine: kite\nlayer: engine\nmetrics:\n  - {id: kestrel.waiting, keep: kite_a" + gauge,
			`other.yaml:4: invalid mapping table: row "kestrel.waiting": the id is taken by test.yaml`,
		},
		{
			"the row id of an attribute in another table", "engine: kite\nlayer: engine\nmetrics:\n  - {id: kestrel.step, keep: kite_a" + gauge,
			`other.yaml:4: invalid mapping table: row "kestrel.step": the id is taken by test.yaml`,
		},
		{
			"an attribute with the row id of a metric in another table", "engine: kite\nlayer: engine\nattributes:\n  - {id: kestrel.waiting, keep: a, why: no target}\n",
			`other.yaml:4: invalid mapping table: row "kestrel.waiting": the id is taken by test.yaml`,
		},
		{
			"a source that is called like a target", "engine: kite\nlayer: engine\nmetrics:\n  - {id: kite.a, keep: gen_ai.server.request.duration" + gauge,
			`other.yaml:4: invalid mapping table: row "kite.a": source "gen_ai.server.request.duration" is a target of rows`,
		},
	})
}

func TestShorterSpellingsOfMetrics(t *testing.T) {
	table := parse(t, validMetrics)
	assert.Equal(t, []string{"duration_ms", "latency_ms"}, []string(table.Metrics[0].From), "a list")
	assert.Equal(t, []string{"first_seconds"}, []string(table.Metrics[1].From), "one name is a list of one")
	assert.Equal(t, []mapping.Instrument{mapping.InstrumentHistogram}, []mapping.Instrument(table.Metrics[1].Instrument))
	assert.Equal(t, []mapping.Instrument{mapping.InstrumentSum, mapping.InstrumentGauge}, []mapping.Instrument(table.Metrics[5].Instrument))
	assert.Len(t, table.Metrics[0].Never, 1, "one selector is a list of one")
	assert.Len(t, table.Metrics[4].Only, 1)
	assert.Equal(t, []string{"prefill"}, []string(table.Metrics[0].Never[0].Labels["role"]), "one value is a list of one")
	assert.Len(t, table.ForeignPoints, 1)
	assert.Equal(t, []string{"api"}, []string(table.MetricLabels[1].From))
}

func TestAnotherHashMeansOtherRulesForMetrics(t *testing.T) {
	hash := func(opts mapping.Options, table string) string { return compile(t, opts, parse(t, table)).Hash() }
	reference := hash(mapping.Options{}, validMetrics)
	hashes := map[string]string{reference: "the reference"}
	differs := func(name, hash string) {
		t.Run(name, func(t *testing.T) {
			assert.NotContains(t, hashes, hash, "it has the hash of %q", hashes[hash])
			hashes[hash] = name
		})
	}
	for _, c := range []struct{ name, old, mine string }{
		{"another prefix", `["kestrel:", kestrel_]`, `["kestrel:", kestrel.]`},
		{"another order of the prefixes", `["kestrel:", kestrel_]`, `[kestrel_, "kestrel:"]`},
		{"another foreign beginning", "kestrel:cache_", "kestrel:store_"},
		{"other foreign points", "{has: [pool], lacks: [model]}", "{has: [pool]}"},
		{"another label", "modelName]", "model_name]"},
		{"another order of labels", "[model, modelName]", "[modelName, model]"},
		{"another attribute of a label", "to: gen_ai.operation.name", "to: server.address"},
		{"another value that says nothing", "not: [none]", "not: [any]"},
		{"another placeholder", "not_models: [undefined]", "not_models: [unknown]"},
		{"another row id", "id: kestrel.duration", "id: kestrel.latency"},
		{"another source", "latency_ms]", "e2e_ms]"},
		{"another order of sources", "[duration_ms, latency_ms]", "[latency_ms, duration_ms]"},
		{"another kept name", "keep: steps_total\n    instrument: [sum, gauge]", "keep: [steps_total, stages_total]\n    instrument: [sum, gauge]"},
		{"another instrument", "instrument: [sum, gauge]", "instrument: sum"},
		{"another unit", "unit: ms", "unit: us"},
		{"another target", "to: inference.server.requests.waiting", "to: inference.server.requests.running"},
		{"another target for one of the conventions", `{"1.41": gen_ai.client.token.usage, `, "{"},
		{"another basis", "    basis: approximate\n    why: counted by", "    basis: exact\n    why: counted by"},
		{"another range of versions", `versions: ">=2"`, `versions: ">=3"`},
		{"no range of versions", "    versions: \">=1\"\n", ""},
		{"another proof", "any_metric: [steps_total]", "any_metric: [waiting]"},
		{"another label of a proof", "same_label: worker", "same_label: node"},
		{"no proof", "    proven_by: {any_metric: [steps_total], same_label: worker}\n", ""},
		{"other points", "labels: {queue: main}", "labels: {queue: [main, side]}"},
		{"all points", "    only: [{lacks: [priority], labels: {queue: main}}]\n", ""},
		{"other points that are not meant", "labels: {role: prefill}", "labels: {role: decode}"},
		{"other copies", "one_of: [rank]", "one_of: [rank, node]"},
		{"another attribute to add", "{gen_ai.token.type: input}", "{gen_ai.token.type: output}"},
		{"an alias that is none", "    alias: true\n", ""},
		{"a row less", validMetrics[strings.Index(validMetrics, "  - id: kestrel.first_mixed"):strings.Index(validMetrics, "  - id: kestrel.input")], ""},
	} {
		require.Equal(t, 1, strings.Count(validMetrics, c.old), c.name)
		differs(c.name, hash(mapping.Options{}, strings.Replace(validMetrics, c.old, c.mine, 1)))
	}
	for name, opts := range map[string]mapping.Options{
		"extensions":         {Extensions: true},
		"approximate rows":   {Approximate: true},
		"an excluded row":    {Exclude: []string{"kestrel.waiting"}},
		"an excluded metric": {Exclude: []string{"kestrel:waiting"}},
		"an excluded label":  {Exclude: []string{"modelName"}},
		"an excluded target": {Exclude: []string{"gen_ai.server.request.duration"}},
		"a version":          {Engines: map[string]mapping.EngineOptions{"kestrel": {Version: "2.0"}}},
		"another version":    {Engines: map[string]mapping.EngineOptions{"kestrel": {Version: "1.0"}}},
		"a provider":         {Engines: map[string]mapping.EngineOptions{"kestrel": {Provider: new("kite")}}},
		"an operation":       {Engines: map[string]mapping.EngineOptions{"kestrel": {DefaultOperation: "chat"}}},
	} {
		differs(name, hash(opts, validMetrics))
	}
	for range 20 {
		require.Equal(t, reference, hash(mapping.Options{}, validMetrics), "of a table that is read again")
	}
}
