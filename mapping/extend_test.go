// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// withUsers returns the tables that come with the package and those of a user behind them.
func withUsers(t testing.TB, tables ...string) []*mapping.Table {
	t.Helper()
	all := builtIn(t)
	for _, table := range tables {
		all = append(all, parse(t, table))
	}
	return all
}

// targetsOf returns where an attribute goes in the dialects with an id.
func targetsOf(rules *mapping.RuleSet, dialect, source string) []string {
	var targets []string
	for _, d := range rules.Dialects() {
		if key := rules.Key(source); key != nil && d.ID == dialect {
			for _, rule := range d.Rules(key.ID) {
				targets = append(targets, rule.Target)
			}
		}
	}
	slices.Sort(targets)
	return slices.Compact(targets)
}

func TestATableChangesAnEngine(t *testing.T) {
	rules := compile(t, mapping.Options{}, withUsers(t, `
engine: vllm
extends: vllm
provider: our-vllm
disable: [vllm.choice_count]
metric_prefixes: ["ours:"]
attributes:
  - {id: vllm.input_tokens, from: gen_ai.usage.prompt_tokens, to: gen_ai.usage.output_tokens, basis: exact, evidence: "https://example.com"}
  - {id: ours.seed, from: ours.seed, to: gen_ai.request.seed, basis: exact, evidence: "https://example.com"}
metrics:
  - {id: ours.queue, from: queue_seconds, instrument: histogram, unit: s, to: gen_ai.server.request.duration, basis: exact, evidence: "https://example.com"}
`)...)
	assert.Equal(t, []string{"gen_ai.usage.output_tokens"}, targetsOf(rules, "vllm/v1", "gen_ai.usage.prompt_tokens"), "a row is replaced")
	assert.Equal(t, []string{"gen_ai.usage.output_tokens"}, targetsOf(rules, "vllm/v1", "gen_ai.usage.completion_tokens"), "the others stay")
	assert.Empty(t, targetsOf(rules, "vllm/v1", "gen_ai.request.n"), "a row is left out")
	assert.Equal(t, []string{"gen_ai.request.seed"}, targetsOf(rules, "vllm/v1", "ours.seed"), "a row is new")
	for _, d := range rules.Dialects() {
		if d.ID == "vllm/v1" {
			assert.Equal(t, "our-vllm", d.Provider)
		}
	}
	for _, name := range []string{"ours:queue_seconds", "vllm:queue_seconds", "ours:e2e_request_latency_seconds"} {
		require.NotNil(t, rules.Metric(name), name)
		assert.Equal(t, "our-vllm", rules.Metric(name).Sources[0].Rules[0].Provider, name)
	}
}

const fork = `
engine: fork
extends: vllm
provider: fork
metric_prefixes: ["fork:"]
dialects:
  - id: fork/v1
    request: {span_name: [llm_request], scope: [fork.engine], any_key: [gen_ai.latency.time_in_model_prefill]}
    proves: [provider, operation_from_request_id]
    durations: {keys: gen_ai.latency.*, units: [s]}
    evidence: https://example.com
`

func TestATableBuildsOnAnEngine(t *testing.T) {
	rules := compile(t, mapping.Options{}, withUsers(t, fork)...)
	assert.Equal(t, targetsOf(rules, "vllm/v1", "gen_ai.usage.prompt_tokens"), targetsOf(rules, "fork/v1", "gen_ai.usage.prompt_tokens"))
	assert.Equal(t, targetsOf(rules, "vllm/v1", "gen_ai.request.n"), targetsOf(rules, "fork/v1", "gen_ai.request.n"), "a row for vllm/v1 holds for fork/v1")
	own, base := rules.Metric("fork:e2e_request_latency_seconds"), rules.Metric("vllm:e2e_request_latency_seconds")
	require.NotNil(t, own)
	assert.Equal(t, base.Sources[0].Rules[0].Target, own.Sources[0].Rules[0].Target)
	assert.Equal(t, "fork", own.Sources[0].Rules[0].Provider)
	assert.Equal(t, "vllm", base.Sources[0].Rules[0].Provider)
	assert.Nil(t, rules.Metric("fork.e2e_request_latency_seconds"), "the prefixes are the table's own")
}

func TestATableOfAUserIsAskedFirst(t *testing.T) {
	rules := compile(t, mapping.Options{}, withUsers(t, `
engine: mine
layer: engine
provider: mine
dialects:
  - id: mine/all
    request: {span_name: [llm_request], any_key: [gen_ai.latency.time_in_model_prefill, gen_ai.latency.time_in_model_decode, gen_ai.latency.time_in_model_inference]}
    proves: [provider]
    evidence: https://example.com
`)...)
	require.NotEmpty(t, rules.Overlaps())
	for _, overlap := range rules.Overlaps() {
		assert.Regexp(t, `^tables/vllm\.yaml:\d+: an alternative of dialect "vllm/[^"]+" is hidden by dialect "mine/all" of test\.yaml:6$`, overlap.String())
	}
	assert.Empty(t, compile(t, mapping.Options{}, builtIn(t)...).Overlaps(), "the tables of the package hide nothing")
}

func TestMistakesInTablesThatExtend(t *testing.T) {
	for _, c := range []struct{ name, table, want string }{
		{
			"an engine that nobody knows", "engine: fork\nextends: vlm\n",
			`test.yaml: invalid mapping table: extends "vlm": no table before it is of that engine: one of "agent", "otel", "sglang", "vllm" is expected`,
		},
		{
			"a row that is not there", "engine: vllm\nextends: vllm\ndisable: [vllm.input]\n",
			`test.yaml: invalid mapping table: disable "vllm.input": it is not the id of a row of engine "vllm"`,
		},
		{
			"both an engine that is there and another", "engine: sglang\nextends: vllm\n",
			`test.yaml: invalid mapping table: engine "sglang" is already defined by tables/sglang.yaml: a table changes it, or extends another engine, and not both`,
		},
		{
			"a row that is wrong", "engine: vllm\nextends: vllm\nattributes:\n  - {id: mine.seed, from: seed, to: gen_ai.request.seed, basis: maybe, evidence: \"https://example.com\"}\n",
			`test.yaml:4: invalid mapping table: row "mine.seed": basis "maybe": exact or approximate is expected`,
		},
		{
			"a row with a target that is not there", "engine: vllm\nextends: vllm\nattributes:\n  - {id: mine.seed, from: seed, to: gen_ai.seed, basis: exact, evidence: \"https://example.com\"}\n",
			`test.yaml:4: invalid mapping table: row "mine.seed": target "gen_ai.seed" is not an attribute of the 1.41 registry`,
		},
		{
			"a dialect that nothing is left for", "engine: vllm\nextends: vllm\nattributes:\n  - {id: mine.seed, keep: gen_ai.usage.prompt_tokens, why: not ours}\n",
			`tables/vllm.yaml:`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := mapping.Compile(withUsers(t, c.table), mapping.Options{Target: "1.41"})
			require.ErrorIs(t, err, mapping.ErrInvalidTable)
			if c.want[len(c.want)-1] == ':' {
				assert.ErrorContains(t, err, c.want)
			} else {
				assert.EqualError(t, err, c.want)
			}
		})
	}
	_, err := mapping.ParseTable("test.yaml", []byte("engine: mine\nlayer: engine\ndisable: [a]\n"))
	assert.EqualError(t, err, "test.yaml: invalid mapping table: disable without extends: there is no table whose rows could be left out")
}

func TestSeveralTablesChangeOneEngine(t *testing.T) {
	one := "engine: vllm\nextends: vllm\nprovider: one\ndisable: [vllm.choice_count]\n"
	two := "engine: vllm\nextends: vllm\nprovider: two\n"
	rules := compile(t, mapping.Options{}, withUsers(t, one, two)...)
	assert.Empty(t, targetsOf(rules, "vllm/v1", "gen_ai.request.n"))
	assert.Equal(t, "two", rules.Metric("vllm:e2e_request_latency_seconds").Sources[0].Rules[0].Provider)
	other := compile(t, mapping.Options{}, withUsers(t, fork, two)...)
	assert.Equal(t, "fork", other.Metric("fork:e2e_request_latency_seconds").Sources[0].Rules[0].Provider)
}

func TestMetricsThatTwoTablesKnowAreOverlaps(t *testing.T) {
	overlaps := compile(t, mapping.Options{}, withUsers(t, `
engine: kestrel
layer: engine
metric_prefixes: [kestrel_, "vllm:"]
metrics:
  - {id: kestrel.requests, keep: [num_requests_running, num_requests_elsewhere], instrument: gauge, unit: "1", why: no target, evidence: "https://example.com"}
  - {id: kestrel.tokens, keep: prompt_tokens_total, instrument: sum, unit: "1", why: no target, evidence: "https://example.com"}
`)...).Overlaps()
	require.Len(t, overlaps, 2, "a metric is reported once, whatever its spellings")
	assert.Regexp(t, `^tables/vllm.yaml:\d+: metric "vllm:num_requests_running" of row "vllm.requests_running" is hidden by dialect "kestrel/metrics" of test.yaml:6$`, overlaps[0].String())
	assert.Regexp(t, `^tables/vllm.yaml:\d+: metric "vllm:prompt_tokens" of row "vllm.client_usage_input_tokens" is hidden by dialect "kestrel/metrics" of test.yaml:7$`, overlaps[1].String())
}

// readWithBuiltIn compiles a user's table beside those that come with the package.
func readWithBuiltIn(t *testing.T, table string) error {
	t.Helper()
	parsed, err := mapping.ParseTable("test.yaml", []byte(table))
	if err != nil {
		return err
	}
	_, err = mapping.Compile(append(builtIn(t), parsed), mapping.Options{Target: "1.41"})
	return err
}

// TestMistakesInRowsOfATableThatExtends are found where the row is written, in whichever of the two files that is.
func TestMistakesInRowsOfATableThatExtends(t *testing.T) {
	const head = "engine: vllm\nextends: vllm\n"
	for name, c := range map[string]struct{ table, says string }{
		"a row of metrics without a unit": {
			head + "metrics:\n  - {id: vllm.server_request_duration, from: e2e_request_latency_seconds, instrument: histogram, to: gen_ai.server.request.duration, basis: exact, evidence: \"https://example.com\"}\n",
			`test.yaml:4: invalid mapping table: row "vllm.server_request_duration": unit is missing: "1" is expected for what has none`,
		},
		"a row of metrics that replaces one and is of another instrument": {
			head + "metrics:\n  - {id: vllm.server_request_duration, from: e2e_request_latency_seconds, instrument: sum, unit: s, to: gen_ai.server.request.duration, basis: exact, evidence: \"https://example.com\"}\n",
			`test.yaml:4: invalid mapping table: row "vllm.server_request_duration": instrument "sum": target "gen_ai.server.request.duration" is a histogram`,
		},
		"a row of metrics with the id of an attribute's row": {
			head + "metrics:\n  - {id: vllm.input_tokens, keep: a, instrument: sum, unit: s, why: no target, evidence: \"https://example.com\"}\n",
			`test.yaml:4: invalid mapping table: row "vllm.input_tokens": the id is taken by tables/vllm.yaml:173`,
		},
		"a proof by a metric that neither table has": {
			head + "metrics:\n  - {id: own.first, from: first_seconds, instrument: histogram, unit: s, to: gen_ai.server.time_to_first_token, basis: exact, versions: \">=2\", proven_by: {any_metric: [nothing]}, evidence: \"https://example.com\"}\n",
			`test.yaml:4: invalid mapping table: row "own.first": proven_by: metric "nothing" is not in the table`,
		},
		"an attribute moved to where it moves already": {
			head + "attributes:\n  - {id: own.in, from: gen_ai.usage.prompt_tokens, to: gen_ai.usage.output_tokens, basis: exact, evidence: \"https://example.com\"}\n",
			`tables/vllm.yaml:173: invalid mapping table: row "vllm.input_tokens": source "gen_ai.usage.prompt_tokens" moves to target "gen_ai.usage.output_tokens" in row "own.in" already: one of the rows needs copy`,
		},
		"a row for a dialect of the other engine": {
			"engine: fork\nextends: vllm\nattributes:\n  - {id: fork.a, keep: a, why: no target, dialects: [vllm/v1]}\n",
			`test.yaml:4: invalid mapping table: row "fork.a": dialect "vllm/v1" is not in the table`,
		},
		"a dialect with an id of the engine that it builds on": {
			"engine: fork\nextends: vllm\ndialects:\n  - {id: vllm/v1, request: {any_key: [fork.a]}, evidence: \"https://example.com\"}\n",
			`test.yaml:4: invalid mapping table: dialect "vllm/v1": id: "fork", or what begins with "fork/", is expected`,
		},
		"a dialect with an id of its own in an engine that it changes": {
			head + "dialects:\n  - {id: ours/v1, request: {any_key: [ours.a]}, evidence: \"https://example.com\"}\n",
			`test.yaml:4: invalid mapping table: dialect "ours/v1": id: "vllm", or what begins with "vllm/", is expected`,
		},
		"labels that lead to what is no attribute": {
			head + "metric_labels: [{from: pod, to: gen_ai.pod}]\n",
			`test.yaml: invalid mapping table: metric_labels: target "gen_ai.pod": it is not an attribute of any registry`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := readWithBuiltIn(t, c.table)
			require.EqualError(t, err, c.says)
			require.ErrorIs(t, err, mapping.ErrInvalidTable)
		})
	}
}
