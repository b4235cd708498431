// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// validLogs is a table of log records without a mistake; each case below makes one.
const validLogs = `engine: kestrel
layer: engine
provider: kestrel
version_attribute: kestrel.version
dialects:
  - id: kestrel/log
    record: {scope: [kestrel.api], any_key: [kestrel.prompt]}
    event: {event_name: [kestrel.failed]}
    proves: [provider]
    evidence: https://example.com/log
attributes:
  - {id: kestrel.step, keep: kestrel.step, why: no target}
events:
  - id: kestrel.failed
    from: kestrel.failed
    to: {"1.41": gen_ai.client.operation.exception, "0.1.0": gen_ai.client.inference.exception}
    only: {kestrel.kind: [fatal]}
    evidence: https://example.com/failed
`

func TestATableOfLogRecordsWithoutAMistakeCompilesForEveryTarget(t *testing.T) {
	for _, target := range semconv.Targets() {
		compile(t, mapping.Options{Target: target}, parse(t, validLogs))
	}
}

func TestMistakesInLogRecords(t *testing.T) {
	const (
		aboutSpans   = " is about log records: span_name, span_name_pattern, not_kind and no_attributes are about spans"
		eventRowKeys = "id, from, to, only, evidence"
		where        = `:6: invalid mapping table: dialect "kestrel/log": `
		row          = `:14: invalid mapping table: row "kestrel.failed": `
	)
	requireMistakes(t, validLogs, []mistake{
		{"an unknown key of an event's row", "only: {", "olny: {", `:17: invalid mapping table: unknown key "olny": one of ` + eventRowKeys + ` is expected`},
		{"a record with a span's name", "record: {scope", "record: {span_name: [a], scope", where + "record" + aboutSpans},
		{"a record with a pattern of a span's name", "record: {scope", "record: {span_name_pattern: a, scope", where + "record" + aboutSpans},
		{"an event with a span kind", "event: {event_name", "event: {not_kind: [client], event_name", where + "event" + aboutSpans},
		{"an event without attributes", "event: {event_name", "event: {no_attributes: true, event_name", where + "event" + aboutSpans},
		{"a span with an event's name", "record: {scope", "request: {event_name: [a], scope", where + "request is about spans: event_name is about log records"},
		{"a stage with an event's name", "event: {event_name: [kestrel.failed]}", "stage: {any_key: [a], event_name: [kestrel.failed]}", where + "stage is about spans: event_name is about log records"},
		{"a record of which only the scope is known", ", any_key: [kestrel.prompt]", "", where + conditionNeeds},
		{"an event without a name", "event_name: [kestrel.failed]", `event_name: [""]`, where + conditionNeeds},
		{"an event below a record that claims all", "event: {event_name: [kestrel.failed]}", "event: {event_name: [kestrel.failed], scope: [kestrel.api], all_keys: [kestrel.prompt]}", where + `alternative 1 of event: it can never match: dialect "kestrel/log" above claims every such item`},
		{"an event's row without an id", "id: kestrel.failed\n    from", "from", `:14: invalid mapping table: row "": id is missing`},
		{"an event's row with the id of another", "id: kestrel.failed", "id: kestrel.step", `:14: invalid mapping table: row "kestrel.step": the id is taken by line 12`},
		{"an event's row without a source", "    from: kestrel.failed\n", "", row + "from is missing: the name of an event is expected"},
		{"an event's row with several sources", "from: kestrel.failed", "from: [kestrel.failed, kestrel.broken]", ":15: invalid mapping table: cannot unmarshal !!seq into string"},
		{"an event's row without a target", "    to: {\"1.41\": gen_ai.client.operation.exception, \"0.1.0\": gen_ai.client.inference.exception}\n", "", row + "to is missing: the name of an event is expected"},
		{"an event's target in an unknown target", `"0.1.0": gen`, `"0.2.0": gen`, row + `to: target "0.2.0" is unknown: one of "0.1.0", "1.41" is expected`},
		{"a target that is no event", "gen_ai.client.operation.exception", "gen_ai.request.model", row + `target "gen_ai.request.model" is not an event of the 1.41 registry`},
		{"an event's row for no value", "{kestrel.kind: [fatal]}", "{kestrel.kind: []}", row + `only "kestrel.kind": values are expected`},
		{"an event's row without evidence", "    evidence: https://example.com/failed\n", "", row + `evidence "": ` + evidenceIsAURL},
		{"several version attributes", "version_attribute: kestrel.version", "version_attribute: [a, b]", ":4: invalid mapping table: cannot unmarshal !!seq into string"},
	})
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

// TestMistakesInATableThatExtends are found where the row is written, in whichever of the two files that is.
func TestMistakesInATableThatExtends(t *testing.T) {
	const head = "engine: vllm\nextends: vllm\n"
	for name, c := range map[string]struct{ table, says string }{
		"a row that is not there is disabled": {
			head + "disable: [vllm.nothing]\n",
			`test.yaml: invalid mapping table: disable "vllm.nothing": it is not the id of a row of engine "vllm"`,
		},
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
		"labels that lead to what is no attribute": {
			head + "metric_labels: [{from: pod, to: gen_ai.pod}]\n",
			`test.yaml: invalid mapping table: metric_labels: target "gen_ai.pod": it is not an attribute of any registry`,
		},
		"an engine that is not there": {
			"engine: fork\nextends: vlm\n",
			`test.yaml: invalid mapping table: extends "vlm": no table before it is of that engine: one of "agent", "otel", "sglang", "vllm" is expected`,
		},
		"an engine that is there and extends another": {
			"engine: sglang\nextends: vllm\n",
			`test.yaml: invalid mapping table: engine "sglang" is already defined by tables/sglang.yaml: a table changes it, or extends another engine, and not both`,
		},
		"rows left out of nothing": {
			"engine: fork\nlayer: engine\ndisable: [vllm.system]\n",
			`test.yaml: invalid mapping table: disable without extends: there is no table whose rows could be left out`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := readWithBuiltIn(t, c.table)
			require.EqualError(t, err, c.says)
			require.ErrorIs(t, err, mapping.ErrInvalidTable)
		})
	}
}

func TestAllFaultsOfATableAreFound(t *testing.T) {
	says := func(table string) (texts []string) {
		_, faults := mapping.CheckTable("test.yaml", []byte(table))
		for _, fault := range faults {
			require.ErrorIs(t, fault, mapping.ErrInvalidTable)
			texts = append(texts, fault.Error())
		}
		return texts
	}
	assert.Equal(t, []string{
		`test.yaml:2: invalid mapping table: unknown key "layr": one of ` + tableKeys + ` is expected`,
		`test.yaml:4: invalid mapping table: unknown key "reason": one of ` + rowKeys + ` is expected`,
	}, says("engine: kestrel\nlayr: engine\nattributes:\n  - {id: a, keep: a, reason: no target}\n"))
	assert.Equal(t, []string{
		`test.yaml: invalid mapping table: layer "": engine, frontend, gateway or client is expected`,
		`test.yaml:3: invalid mapping table: row "a": why is missing: a kept name says why it has no target`,
		`test.yaml:4: invalid mapping table: row "": id is missing`,
		`test.yaml:6: invalid mapping table: row "c": the id is taken by line 5`,
	}, says("engine: kestrel\nattributes:\n  - {id: a, keep: a}\n  - {keep: b, why: no target}\n  - {id: c, keep: c, why: no target}\n  - {id: c, keep: d, why: no target}\n"))
	assert.Empty(t, says(valid))
}
