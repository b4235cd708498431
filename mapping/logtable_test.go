// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"testing"

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
