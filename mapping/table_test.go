// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// valid is a table without a mistake; each case below makes one. Line numbers in errors are its own.
const valid = `engine: kestrel
layer: engine
provider: kestrel
request_ids:
  key: kestrel.id
  operations: {chat-: chat}
  none: [score-]
  evidence: https://example.com/ids
dialects:
  - id: kestrel/one
    request: {span_name: [serve], any_key: [kestrel.prompt, kestrel.model]}
    stage:
      - {span_name: [step], all_keys: [kestrel.step]}
      - {span_name_pattern: "^step ", scope: [kestrel.engine], not_kind: [client]}
    proves: [provider, operation_from_request_id]
    durations: {keys: kestrel.time.*, units: [ns, s], decide_by: [kestrel.time.all], within_request: [kestrel.time.queue]}
    evidence: https://example.com/one
  - id: kestrel/two
    entry: {values: {kestrel.kind: [api]}}
    evidence: https://example.com/two
attributes:
  - id: kestrel.input_tokens
    from: kestrel.prompt
    to: gen_ai.usage.input_tokens
    basis: exact
    evidence: https://example.com/input
  - id: kestrel.first
    from: kestrel.first
    to: gen_ai.response.time_to_first_chunk
    copy: true
    unit: ms
    basis: approximate
    why: measured by the server
    evidence: https://example.com/first
  - id: kestrel.choices
    from: kestrel.n
    to: {"1.41": gen_ai.request.choice.count, "0.1.0": gen_ai.request.choice.count}
    omit_when: 1
    basis: exact
    evidence: https://example.com/choices
  - id: kestrel.queue
    keep: kestrel.time.queue
    why: no target
`

func TestATableWithoutAMistakeCompilesForEveryTarget(t *testing.T) {
	for _, target := range semconv.Targets() {
		for _, approximate := range []bool{false, true} {
			compile(t, mapping.Options{Target: target, Approximate: approximate}, parse(t, valid))
		}
	}
}

const (
	tableKeys       = "engine, extends, disable, layer, enabled, fallback, provider, version_attribute, not_models, request_ids, entry_operations, dialects, attributes, events, metric_prefixes, foreign_metrics, foreign_points, metric_labels, metrics"
	requestIDKeys   = "key, operations, none, evidence"
	dialectKeys     = "id, summary, request, entry, stage, record, event, fallback, provider_of, proves, durations, evidence"
	conditionKeys   = "span_name, span_name_pattern, event_name, scope, not_scope, not_kind, any_key, all_keys, no_key, values, no_attributes"
	durationsKeys   = "keys, units, decide_by, within_request"
	rowKeys         = "id, from, keep, to, basis, why, evidence, copy, omit_when, values, unit, versions, dialects, caveats"
	conditionNeeds  = "a condition needs any_key, all_keys or values, or a span name together with a scope"
	keptRowHas      = "a kept name has no to, basis, copy, omit_when, values or unit"
	inPlaceHasNone  = "copy, omit_when and unit need a target that is not the source"
	evidenceIsAURL  = "the https URL of a public source is expected"
	basisIsExpected = "exact or approximate is expected"
	isFilledIn      = "is an attribute that is filled in, so a second pass would move what the first one wrote"

	inputRow = "from: kestrel.prompt\n    to: gen_ai.usage.input_tokens\n    basis: exact\n    evidence: https://example.com/input\n"
	inputEnd = "\n    basis: exact\n    evidence: https://example.com/input\n"
)

func isNoRange(versions string) string { return fmt.Sprintf("invalid version: %q: ", versions) }

// inPlace is a row that replaces values of the requested model.
func inPlace(values string) string {
	return exact("kestrel.own", "gen_ai.request.model", "gen_ai.request.model", ", values: "+values)
}

// mistake is a change of a valid table that makes it wrong.
type mistake struct {
	name      string
	old, mine string // of the valid table
	says      string // after "test.yaml"
}

// requireMistakes makes each mistake alone, and expects an error of one line.
func requireMistakes(t *testing.T, valid string, mistakes []mistake) {
	t.Helper()
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			require.Equal(t, 1, strings.Count(valid, m.old), "the valid table has exactly one %q", m.old)
			err := read(strings.Replace(valid, m.old, m.mine, 1))
			require.EqualError(t, err, "test.yaml"+m.says)
			require.ErrorIs(t, err, mapping.ErrInvalidTable)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestMistakesInATable(t *testing.T) {
	requireMistakes(t, valid, []mistake{
		// Spelling
		{
			"an unknown key at the top", "provider: kestrel", "provder: kestrel",
			`:3: invalid mapping table: unknown key "provder": one of ` + tableKeys + ` is expected`,
		},
		{
			"an unknown key with a space", "provider: kestrel", "the provider: kestrel",
			`:3: invalid mapping table: unknown key "the provider": one of ` + tableKeys + ` is expected`,
		},
		{
			"an unknown key of the request ids", "none: [score-]", "never: [score-]",
			`:7: invalid mapping table: unknown key "never": one of ` + requestIDKeys + ` is expected`,
		},
		{
			"an unknown key of a dialect", "proves: [provider", "prove: [provider",
			`:15: invalid mapping table: unknown key "prove": one of ` + dialectKeys + ` is expected`,
		},
		{
			"an unknown key of a condition", "any_key: [", "any_keys: [",
			`:11: invalid mapping table: unknown key "any_keys": one of ` + conditionKeys + ` is expected`,
		},
		{
			"an unknown key of one alternative in a list", "scope: [kestrel.engine]", "scopes: [kestrel.engine]",
			`:14: invalid mapping table: unknown key "scopes": one of ` + conditionKeys + ` is expected`,
		},
		{
			"an unknown key of the durations", "decide_by:", "decided_by:",
			`:16: invalid mapping table: unknown key "decided_by": one of ` + durationsKeys + ` is expected`,
		},
		{
			"an unknown key of a row", "unit: ms", "units: ms",
			`:31: invalid mapping table: unknown key "units": one of ` + rowKeys + ` is expected`,
		},
		{
			"a key that is there twice", "provider: kestrel", "engine: kestrel",
			`:3: invalid mapping table: mapping key "engine" already defined at line 1`,
		},
		{
			"YAML that is none", "layer: engine", "layer: engine: kestrel",
			`:2: invalid mapping table: mapping values are not allowed in this context`,
		},
		{
			"a list where one value is expected", "to: gen_ai.usage.input_tokens", "to: [gen_ai.usage.input_tokens]",
			`:24: invalid mapping table: cannot unmarshal !!seq into string`,
		},
		{
			"a map where a list is expected", "key: kestrel.id", "key: {kestrel: id}",
			`:5: invalid mapping table: cannot unmarshal !!map into string`,
		},
		{
			"a list in a list", "key: kestrel.id", "key: [[kestrel.id]]",
			`:5: invalid mapping table: cannot unmarshal !!seq into string`,
		},
		{
			"an operation where a list is expected", "provider: kestrel", "entry_operations: chat",
			":3: invalid mapping table: cannot unmarshal !!str `chat` into []string",
		},
		{
			"a fallback that is neither on nor off", "provider: kestrel", "fallback: last",
			":3: invalid mapping table: cannot unmarshal !!str `last` into bool",
		},
		{
			"a dialect's fallback that is neither on nor off", "- id: kestrel/two\n", "- id: kestrel/two\n    fallback: last\n",
			":19: invalid mapping table: cannot unmarshal !!str `last` into bool",
		},
		{
			"a name where a condition is expected", "entry: {values: {kestrel.kind: [api]}}", "entry: api",
			`:19: invalid mapping table: a value of the kind !!str does not belong here`,
		},
		{
			"a map of lists where a map of texts is expected", "{chat-: chat}", "{chat-: [chat]}",
			`:6: invalid mapping table: cannot unmarshal !!seq into string`,
		},
		{
			"a provider of several engines", "entry: {values: {kestrel.kind: [api]}}", "entry: {values: {kestrel.kind: [api]}}\n    provider_of: [kestrel, kite]",
			`:20: invalid mapping table: cannot unmarshal !!seq into string`,
		},
		{
			"a switch that is none", "copy: true", "copy: sometimes",
			":30: invalid mapping table: cannot unmarshal !!str `sometimes` into bool",
		},

		{
			"a key without a value", "engine: kestrel", "engine:",
			`:1: invalid mapping table: key "engine" has no value: write one, or leave the key out`,
		},
		{
			"a value without a key", "{chat-: chat}", "{chat-: chat, ~: completion}",
			`:6: invalid mapping table: a key has no name: write one, or leave the key out`,
		},
		{
			"an entry of a list without a value", "from: kestrel.prompt", "from: [kestrel.prompt, ]\n    dialects: [~]",
			`:24: invalid mapping table: an entry of "dialects" has no value: write one, or leave the entry out`,
		},

		// The table as a whole
		{
			"an engine without a name", "engine: kestrel", `engine: ""`,
			`: invalid mapping table: engine is missing`,
		},
		{
			"an engine with a slash in its name", "engine: kestrel", "engine: kestrel/one",
			`: invalid mapping table: engine "kestrel/one": a name without a slash is expected: ids of dialects begin with it and a slash`,
		},
		{
			"no layer", "layer: engine\n", "",
			`: invalid mapping table: layer "": engine, frontend, gateway or client is expected`,
		},
		{
			"an unknown layer", "layer: engine", "layer: backend",
			`: invalid mapping table: layer "backend": engine, frontend, gateway or client is expected`,
		},

		{
			"an entry operation of two words", "provider: kestrel", "entry_operations: [chat, chat completion]\nprovider: kestrel",
			`: invalid mapping table: entry_operations: "chat completion" can never match: a word is expected`,
		},
		{
			"an entry operation without a name", "provider: kestrel", "entry_operations: [\"\"]\nprovider: kestrel",
			`: invalid mapping table: entry_operations: "" can never match: a word is expected`,
		},

		// Request ids
		{
			"request ids without the attribute they are in", "  key: kestrel.id\n", "",
			`: invalid mapping table: request_ids: key is missing`,
		},
		{
			"request ids in none of the attributes", "key: kestrel.id", "key: []",
			`: invalid mapping table: request_ids: key is missing`,
		},
		{
			"request ids in an attribute without a name", "key: kestrel.id", `key: [kestrel.id, ""]`,
			`: invalid mapping table: request_ids: key is missing`,
		},
		{
			"request ids that say nothing", "  operations: {chat-: chat}\n  none: [score-]\n", "",
			`: invalid mapping table: request_ids: operations or none is needed`,
		},
		{
			"request ids without evidence", "  evidence: https://example.com/ids\n", "",
			`: invalid mapping table: request_ids: evidence "": ` + evidenceIsAURL,
		},
		{
			"a prefix without an operation", "{chat-: chat}", `{chat-: chat, rank-: ""}`,
			`: invalid mapping table: request_ids: prefix "rank-": an operation is expected`,
		},
		{
			"a prefix that has an operation and has none", "none: [score-]", "none: [score-, chat-]",
			`: invalid mapping table: request_ids: prefix "chat-" is in operations and in none`,
		},
		{
			"a prefix that every id has", "{chat-: chat}", `{chat-: chat, "": chat}`,
			`: invalid mapping table: request_ids: an empty prefix is one of every id`,
		},

		// Dialects
		{
			"a dialect without an id", "- id: kestrel/two\n    entry", "- entry",
			`:18: invalid mapping table: dialect "": id is missing`,
		},
		{
			"a dialect with the id of another engine's", "- id: kestrel/two", "- id: vllm/v1",
			`:18: invalid mapping table: dialect "vllm/v1": id: "kestrel", or what begins with "kestrel/", is expected`,
		},
		{
			"a dialect with a name and no engine", "- id: kestrel/two", "- id: two",
			`:18: invalid mapping table: dialect "two": id: "kestrel", or what begins with "kestrel/", is expected`,
		},
		{
			"a dialect with an engine and no name", "- id: kestrel/two", "- id: kestrel/",
			`:18: invalid mapping table: dialect "kestrel/": id: "kestrel", or what begins with "kestrel/", is expected`,
		},
		{
			"a dialect with the id that metrics are reported under", "- id: kestrel/two", "- id: kestrel/metrics",
			`:18: invalid mapping table: dialect "kestrel/metrics": id: it is the one that the engine's metrics are reported under`,
		},
		{
			"a dialect without a form", "    entry: {values: {kestrel.kind: [api]}}\n", "",
			`:18: invalid mapping table: dialect "kestrel/two": it can never match: request, entry, stage, record or event is needed`,
		},
		{
			"a dialect without evidence", "    evidence: https://example.com/two\n", "",
			`:18: invalid mapping table: dialect "kestrel/two": evidence "": ` + evidenceIsAURL,
		},
		{
			"evidence that nobody can open", "https://example.com/two", "the source of release 2",
			`:18: invalid mapping table: dialect "kestrel/two": evidence "the source of release 2": ` + evidenceIsAURL,
		},
		{
			"an unknown proof", "proves: [provider,", "proves: [model,",
			`:10: invalid mapping table: dialect "kestrel/one": proves "model": provider or operation_from_request_id is expected`,
		},
		{
			"the proof of a provider that the table does not name", "provider: kestrel\n", "",
			`:9: invalid mapping table: dialect "kestrel/one": proves "provider", but the table has no provider`,
		},
		{
			"the provider of an engine that has no table", "entry: {values: {kestrel.kind: [api]}}", "entry: {values: {kestrel.kind: [api]}}\n    provider_of: kite",
			`:18: invalid mapping table: dialect "kestrel/two": provider_of "kite": there is no table of that engine`,
		},
		{
			"the provider of a dialect where that of an engine is expected", "proves: [provider,", "provider_of: kestrel/two\n    proves: [provider,",
			`:10: invalid mapping table: dialect "kestrel/one": provider_of "kestrel/two": there is no table of that engine`,
		},
		{
			"the proof of an operation without request ids", valid[strings.Index(valid, "request_ids"):strings.Index(valid, "dialects:")], "",
			`:5: invalid mapping table: dialect "kestrel/one": proves "operation_from_request_id", but the table has no request_ids`,
		},

		// Conditions
		{
			"a condition on nothing", "entry: {values: {kestrel.kind: [api]}}", "entry: {}",
			`:18: invalid mapping table: dialect "kestrel/two": ` + conditionNeeds,
		},
		{
			"a condition on a span name alone", "entry: {values: {kestrel.kind: [api]}}", "entry: {span_name: [api]}",
			`:18: invalid mapping table: dialect "kestrel/two": ` + conditionNeeds,
		},
		{
			"a condition on a scope alone", "entry: {values: {kestrel.kind: [api]}}", "entry: {scope: [kestrel.http]}",
			`:18: invalid mapping table: dialect "kestrel/two": ` + conditionNeeds,
		},
		{
			"a condition on a missing key alone", "entry: {values: {kestrel.kind: [api]}}", "entry: {span_name: [api], no_key: [kestrel.test]}",
			`:18: invalid mapping table: dialect "kestrel/two": ` + conditionNeeds,
		},
		{
			"a condition on a key and on no attributes", "{values: {kestrel.kind: [api]}}", "{no_attributes: true, values: {kestrel.kind: [api]}}",
			`:18: invalid mapping table: dialect "kestrel/two": it can never match: no_attributes beside any_key, all_keys or values`,
		},
		{
			"a condition on none of the values", "kestrel.kind: [api]", "kestrel.kind: []",
			`:18: invalid mapping table: dialect "kestrel/two": values of "kestrel.kind": the list is empty, so it can never match`,
		},
		{
			"a condition on a key without a name", "all_keys: [kestrel.step]", `all_keys: [kestrel.step, ""]`,
			`:10: invalid mapping table: dialect "kestrel/one": any_key, all_keys and no_key take no empty name`,
		},
		{
			"an unknown span kind", "not_kind: [client]", "not_kind: [Client]",
			`:10: invalid mapping table: dialect "kestrel/one": not_kind "Client": one of unspecified, internal, server, client, producer, consumer is expected`,
		},
		{
			"a pattern that is none", `"^step "`, `"^(step "`,
			`:10: invalid mapping table: dialect "kestrel/one": span_name_pattern: error parsing regexp: missing closing ): ` + "`^(step `",
		},
		{
			"a condition that forbids the key it asks for", "all_keys: [kestrel.step]}", "all_keys: [kestrel.step], no_key: [kestrel.step]}",
			`:10: invalid mapping table: dialect "kestrel/one": alternative 1 of stage: it can never match: it forbids what it asks for`,
		},
		{
			"a condition that forbids the scope it asks for", "not_kind: [client]", "not_scope: [kestrel.engine]",
			`:10: invalid mapping table: dialect "kestrel/one": alternative 2 of stage: it can never match: it forbids what it asks for`,
		},
		{
			"a condition that forbids a key that a row moves", "all_keys: [kestrel.step]}", "all_keys: [kestrel.step], no_key: [kestrel.prompt]}",
			`:10: invalid mapping table: dialect "kestrel/one": alternative 1 of stage: no_key "kestrel.prompt": a row moves it to "gen_ai.usage.input_tokens", so a second pass would recognise something else`,
		},
		{
			"a dialect below one that claims all it could",
			"entry: {values: {kestrel.kind: [api]}}", "entry: {span_name: [serve], any_key: [kestrel.model], not_kind: [client]}",
			`:18: invalid mapping table: dialect "kestrel/two": alternative 1 of entry: it can never match: dialect "kestrel/one" above claims every such item`,
		},
		{
			"a pattern below the same pattern",
			"entry: {values: {kestrel.kind: [api]}}", `entry: {span_name_pattern: "^step ", scope: [kestrel.engine], not_kind: [client, server]}`,
			`:18: invalid mapping table: dialect "kestrel/two": alternative 1 of entry: it can never match: dialect "kestrel/one" above claims every such item`,
		},
		{
			"an alternative below one that claims all it could", "- {span_name_pattern: \"^step \",", "- {span_name: [step], all_keys: [kestrel.step],",
			`:10: invalid mapping table: dialect "kestrel/one": alternative 2 of stage: it can never match: dialect "kestrel/one" above claims every such item`,
		},

		// Durations
		{
			"latencies that are no prefix", "keys: kestrel.time.*", "keys: kestrel.time",
			`:10: invalid mapping table: dialect "kestrel/one": durations keys "kestrel.time": a prefix that ends in .* is expected`,
		},
		{
			"latencies with a star in the middle", "keys: kestrel.time.*", "keys: kestrel.*.time.*",
			`:10: invalid mapping table: dialect "kestrel/one": durations keys "kestrel.*.time.*": a prefix that ends in .* is expected`,
		},
		{
			"latencies in an unknown unit", "units: [ns, s]", "units: [ms]",
			`:10: invalid mapping table: dialect "kestrel/one": durations units ["ms"]: [s] or [ns, s] is expected`,
		},
		{
			"latencies that every pass would divide", "units: [ns, s]", "units: [ns]",
			`:10: invalid mapping table: dialect "kestrel/one": durations units ["ns"]: [s] or [ns, s] is expected`,
		},
		{
			"latencies without a unit", "units: [ns, s], ", "",
			`:10: invalid mapping table: dialect "kestrel/one": durations units []: [s] or [ns, s] is expected`,
		},
		{
			"two units and nothing to decide by", "decide_by: [kestrel.time.all], ", "",
			`:10: invalid mapping table: dialect "kestrel/one": durations: two units need decide_by, the keys that stand for the whole request`,
		},
		{
			"a unit decided by what is no latency", "decide_by: [kestrel.time.all]", "decide_by: [kestrel.all]",
			`:10: invalid mapping table: dialect "kestrel/one": durations: "kestrel.all" does not start with "kestrel.time."`,
		},
		{
			"a latency within the request that is none", "within_request: [kestrel.time.queue]", "within_request: [kestrel.queue]",
			`:10: invalid mapping table: dialect "kestrel/one": durations: "kestrel.queue" does not start with "kestrel.time."`,
		},

		// Rows
		{
			"a row without an id", "- id: kestrel.queue\n    keep", "- keep",
			`:41: invalid mapping table: row "": id is missing`,
		},
		{
			"two rows with one id", "id: kestrel.queue", "id: kestrel.first",
			`:41: invalid mapping table: row "kestrel.first": the id is taken by line 27`,
		},
		{
			"a row without a source", "    from: kestrel.prompt\n", "",
			`:22: invalid mapping table: row "kestrel.input_tokens": either from or keep is needed, and not both`,
		},
		{
			"a row that keeps and moves", "from: kestrel.prompt", "from: kestrel.prompt\n    keep: kestrel.prompt",
			`:22: invalid mapping table: row "kestrel.input_tokens": either from or keep is needed, and not both`,
		},
		{
			"a source without a name", "from: kestrel.prompt", `from: [kestrel.prompt, ""]`,
			`:22: invalid mapping table: row "kestrel.input_tokens": a source has no name`,
		},
		{
			"a row without a target", "    to: gen_ai.usage.input_tokens\n", "",
			`:22: invalid mapping table: row "kestrel.input_tokens": to is missing: the target attribute is expected`,
		},
		{
			"a row without a basis", "    basis: exact\n    evidence: https://example.com/input", "    evidence: https://example.com/input",
			`:22: invalid mapping table: row "kestrel.input_tokens": basis "": ` + basisIsExpected,
		},
		{
			"an unknown basis", "basis: approximate", "basis: close",
			`:27: invalid mapping table: row "kestrel.first": basis "close": ` + basisIsExpected,
		},
		{
			"a row without evidence", "    evidence: https://example.com/input\n", "",
			`:22: invalid mapping table: row "kestrel.input_tokens": evidence "": ` + evidenceIsAURL,
		},
		{
			"an approximate row that does not say what differs", "    why: measured by the server\n", "",
			`:27: invalid mapping table: row "kestrel.first": why is missing: an approximate row says what differs`,
		},
		{
			"a kept name without a reason", "    why: no target\n", "",
			`:41: invalid mapping table: row "kestrel.queue": why is missing: a kept name says why it has no target`,
		},
		{
			"a kept name with a target", "why: no target", "why: no target\n    to: gen_ai.request.seed",
			`:41: invalid mapping table: row "kestrel.queue": ` + keptRowHas,
		},
		{
			"a kept name with a basis", "why: no target", "why: no target\n    basis: exact",
			`:41: invalid mapping table: row "kestrel.queue": ` + keptRowHas,
		},
		{
			"a kept name that is copied", "why: no target", "why: no target\n    copy: true",
			`:41: invalid mapping table: row "kestrel.queue": ` + keptRowHas,
		},
		{
			"a kept name with a unit", "why: no target", "why: no target\n    unit: ms",
			`:41: invalid mapping table: row "kestrel.queue": ` + keptRowHas,
		},
		{
			"a row that moves what another keeps", "keep: kestrel.time.queue", "keep: kestrel.prompt",
			`:22: invalid mapping table: row "kestrel.input_tokens": source "kestrel.prompt" is kept by row "kestrel.queue": copy, or versions in both rows, is needed`,
		},
		{
			"a row for a dialect that is not there", "copy: true", "copy: true\n    dialects: [kestrel/three]",
			`:27: invalid mapping table: row "kestrel.first": dialect "kestrel/three" is not in the table`,
		},
		{
			"a range of versions that is none", "copy: true", `copy: true` + "\n    versions: since 0.8",
			`:27: invalid mapping table: row "kestrel.first": invalid version: "since 0.8": a PEP 440 range such as ">=0.8,<0.10" is expected`,
		},
		{
			"a release where a range is expected", "copy: true", "copy: true\n    versions: 0.11",
			`:27: invalid mapping table: row "kestrel.first": ` + isNoRange("0.11") + `"==0.11" for that release alone, ">=0.11" for it and all later ones or "==0.11.*" for its patch releases is expected`,
		},
		{
			"a release with a star where a range is expected", "copy: true", "copy: true\n    versions: 0.11.*",
			`:27: invalid mapping table: row "kestrel.first": ` + isNoRange("0.11.*") + `"==0.11" for that release alone, ">=0.11" for it and all later ones or "==0.11.*" for its patch releases is expected`,
		},
		{
			"a release behind a range", "copy: true", "copy: true\n    versions: \">=0.8, 0.11\"",
			`:27: invalid mapping table: row "kestrel.first": ` + isNoRange(">=0.8, 0.11") + `"==0.11" for that release alone, ">=0.11" for it and all later ones or "==0.11.*" for its patch releases is expected`,
		},
		{
			"two ranges without a comma", "copy: true", "copy: true\n    versions: \">=0.8 <0.11\"",
			`:27: invalid mapping table: row "kestrel.first": ` + isNoRange(">=0.8 <0.11") + `a PEP 440 range such as ">=0.8,<0.10" is expected`,
		},
		{
			"an operator that PEP 440 does not have", "copy: true", `copy: true` + "\n    versions: =0.11",
			`:27: invalid mapping table: row "kestrel.first": ` + isNoRange("=0.11") + `a PEP 440 range such as ">=0.8,<0.10" is expected`,
		},
		{
			"one range or the other", "copy: true", `copy: true` + "\n    versions: <0.8||>=0.11",
			`:27: invalid mapping table: row "kestrel.first": ` + isNoRange("<0.8||>=0.11") + `a PEP 440 range such as ">=0.8,<0.10" is expected`,
		},
		{
			"a range of everything", "copy: true", `copy: true` + "\n    versions: \"*\"",
			`:27: invalid mapping table: row "kestrel.first": ` + isNoRange("*") + `a PEP 440 range such as ">=0.8,<0.10" is expected`,
		},
		{
			"a target for a convention that is not there", `{"1.41": gen_ai.request.choice.count, `, `{"1.42": gen_ai.request.choice.count, `,
			`:35: invalid mapping table: row "kestrel.choices": to: target "1.42" is unknown: one of "0.1.0", "1.41" is expected`,
		},
		{
			"an omitted value that no attribute can have", "omit_when: 1", "omit_when: [1]",
			`:35: invalid mapping table: row "kestrel.choices": omit_when [1]: a string, a number or a boolean is expected`,
		},
		{
			"an omitted value without an end", "omit_when: 1", "omit_when: .inf",
			`:35: invalid mapping table: row "kestrel.choices": omit_when +Inf: a string, a number or a boolean is expected`,
		},

		// Rows and their targets
		{
			"a target that the standard does not have", "to: gen_ai.usage.input_tokens", "to: gen_ai.usage.prompt_tokens",
			`:22: invalid mapping table: row "kestrel.input_tokens": target "gen_ai.usage.prompt_tokens" is not an attribute of the 1.41 registry`,
		},
		{
			"an omitted value of another type than the target", "omit_when: 1", `omit_when: "1"`,
			`:35: invalid mapping table: row "kestrel.choices": omit_when "1": a value of type int is expected`,
		},
		{
			"values of a number", "from: kestrel.prompt", "from: kestrel.prompt\n    values: {few: many}",
			`:22: invalid mapping table: row "kestrel.input_tokens": values: target "gen_ai.usage.input_tokens" is of type int, string is expected`,
		},
		{
			"a unit without a factor", "unit: ms", "unit: min",
			`:27: invalid mapping table: row "kestrel.first": unit "min": there is no factor to "s", the unit of target "gen_ai.response.time_to_first_chunk"`,
		},
		{
			"a unit of a target that has none", "from: kestrel.prompt\n    to: gen_ai.usage.input_tokens", "from: kestrel.prompt\n    to: gen_ai.request.top_p\n    unit: ms",
			`:22: invalid mapping table: row "kestrel.input_tokens": unit "ms": there is no factor to "", the unit of target "gen_ai.request.top_p"`,
		},
		{
			"a unit of a latency that is made seconds anyway", "from: kestrel.first\n", "from: kestrel.time.first\n",
			`:27: invalid mapping table: row "kestrel.first": unit: source "kestrel.time.first" is a latency of dialect "kestrel/one", which are made seconds already`,
		},
		{
			"a unit of a row that only coerces", "from: kestrel.first\n    to: gen_ai.response.time_to_first_chunk\n    copy: true\n", "from: gen_ai.response.time_to_first_chunk\n    to: gen_ai.response.time_to_first_chunk\n",
			`:27: invalid mapping table: row "kestrel.first": ` + inPlaceHasNone,
		},
		{
			"a copy of an attribute to itself", "from: kestrel.prompt", "from: gen_ai.usage.input_tokens\n    copy: true",
			`:22: invalid mapping table: row "kestrel.input_tokens": ` + inPlaceHasNone,
		},
		{
			"an omitted value of a row that only coerces", "from: kestrel.n", "from: gen_ai.request.choice.count",
			`:35: invalid mapping table: row "kestrel.choices": ` + inPlaceHasNone,
		},
		{
			"values that a second pass would replace again", "from: kestrel.prompt\n    to: gen_ai.usage.input_tokens",
			"from: gen_ai.response.model\n    to: gen_ai.response.model\n    values: {a: b, b: c}",
			`:22: invalid mapping table: row "kestrel.input_tokens": values: "a" becomes "b", which a second pass would make "c"`,
		},
		{
			"one source twice in a row", "from: kestrel.prompt", "from: [kestrel.prompt, kestrel.prompt]",
			`:22: invalid mapping table: row "kestrel.input_tokens": source "kestrel.prompt" goes to target "gen_ai.usage.input_tokens" in row "kestrel.input_tokens" already`,
		},
		{
			"one source to one target in two rows", "from: kestrel.n\n    to: {\"1.41\": gen_ai.request.choice.count, \"0.1.0\": gen_ai.request.choice.count}", "from: kestrel.prompt\n    to: gen_ai.usage.input_tokens",
			`:35: invalid mapping table: row "kestrel.choices": source "kestrel.prompt" goes to target "gen_ai.usage.input_tokens" in row "kestrel.input_tokens" already`,
		},
		{
			"one source moved to two targets", "from: kestrel.n", "from: kestrel.prompt",
			`:35: invalid mapping table: row "kestrel.choices": source "kestrel.prompt" moves to target "gen_ai.usage.input_tokens" in row "kestrel.input_tokens" already: one of the rows needs copy`,
		},
		{
			"a target that another row moves on", "from: kestrel.n", "from: gen_ai.usage.input_tokens",
			`:22: invalid mapping table: row "kestrel.input_tokens": target "gen_ai.usage.input_tokens" is the source of row "kestrel.choices"`,
		},
		{
			"a move of what is filled in: the provider", "from: kestrel.prompt\n    to: gen_ai.usage.input_tokens", "from: gen_ai.provider.name\n    to: gen_ai.request.model",
			`:22: invalid mapping table: row "kestrel.input_tokens": source "gen_ai.provider.name" ` + isFilledIn,
		},
		{
			"a move of what is filled in: the operation", "from: kestrel.prompt\n    to: gen_ai.usage.input_tokens", "from: gen_ai.operation.name\n    to: gen_ai.output.type",
			`:22: invalid mapping table: row "kestrel.input_tokens": source "gen_ai.operation.name" ` + isFilledIn,
		},
		{
			"a move of what is filled in: the error", "from: kestrel.prompt\n    to: gen_ai.usage.input_tokens", "from: [kestrel.prompt, error.type]\n    to: gen_ai.output.type",
			`:22: invalid mapping table: row "kestrel.input_tokens": source "error.type" ` + isFilledIn,
		},
		{
			"a move of what is filled in: the dialect", "from: kestrel.prompt\n    to: gen_ai.usage.input_tokens", "from: genainormalize.dialect\n    to: gen_ai.request.model",
			`:22: invalid mapping table: row "kestrel.input_tokens": source "genainormalize.dialect" ` + isFilledIn,
		},
		{
			"a copy of what is filled in", "from: kestrel.prompt\n    to: gen_ai.usage.input_tokens", "from: gen_ai.provider.name\n    to: gen_ai.request.model\n    copy: true",
			`:22: invalid mapping table: row "kestrel.input_tokens": source "gen_ai.provider.name" ` + isFilledIn,
		},
		{
			"a target of which another row replaces values", inputRow, "from: kestrel.model\n    to: gen_ai.request.model" + inputEnd + inPlace("{kite: kite-7b}"),
			`:22: invalid mapping table: row "kestrel.input_tokens": row "kestrel.own" replaces other values of target "gen_ai.request.model"`,
		},
		{
			"a target of which another row replaces other values", inputRow, "from: kestrel.model\n    to: gen_ai.request.model\n    values: {kite: kite-8b}" + inputEnd + inPlace("{kite: kite-7b}"),
			`:22: invalid mapping table: row "kestrel.input_tokens": row "kestrel.own" replaces other values of target "gen_ai.request.model"`,
		},
		{
			"a target of which another row replaces more values", inputRow, "from: kestrel.model\n    to: gen_ai.request.model\n    values: {kite: kite-7b}" + inputEnd + inPlace("{kite: kite-7b, hawk: hawk-7b}"),
			`:22: invalid mapping table: row "kestrel.input_tokens": row "kestrel.own" replaces other values of target "gen_ai.request.model"`,
		},
		{
			"a copy to a target of which another row replaces values", inputRow, "from: kestrel.model\n    to: gen_ai.request.model\n    copy: true" + inputEnd + inPlace("{kite: kite-7b}"),
			`:22: invalid mapping table: row "kestrel.input_tokens": row "kestrel.own" replaces other values of target "gen_ai.request.model"`,
		},
	})
}

func TestValuesThatARowReplacesOnTheWayAndInPlace(t *testing.T) {
	const model, response = "gen_ai.request.model", "gen_ai.response.model"
	for name, table := range map[string]string{
		"the same values":                exact("a", "a.x", model, ", values: {kite: kite-7b}") + exact("b", model, model, ", values: {kite: kite-7b}"),
		"values on the way only":         exact("a", "a.x", model, ", values: {kite: kite-7b}") + exact("b", model, model, ""),
		"other values of another target": exact("a", "a.x", model, "") + exact("b", response, response, ", values: {kite: kite-7b}"),
		"other values in another dialect": exact("a", "a.x", model, ", dialects: [a/1]") +
			exact("b", model, model, ", values: {kite: kite-7b}, dialects: [a/2]"),
	} {
		t.Run(name, func(t *testing.T) {
			rules := compile(t, mapping.Options{}, rows(t, table))
			assert.Equal(t, []string{model}, targets(rules, dialect(t, rules, "a/1"), "a.x"))
		})
	}
}

func TestWhatIsFilledInMayBeATargetAndHaveItsTypeMadeRight(t *testing.T) {
	fills := []string{semconv.ProviderName, semconv.OperationName, semconv.ErrorType, mapping.DialectKey}
	assert.Len(t, fills, mapping.MaxFills)
	assert.Equal(t, "genainormalize.dialect", mapping.DialectKey)
	for _, name := range fills {
		assert.True(t, mapping.IsFill(name), name)
	}
	for _, name := range []string{"", "gen_ai.system", "gen_ai.provider", semconv.RequestModel, "genainormalize", "service.name"} {
		assert.False(t, mapping.IsFill(name), name)
	}
	for _, name := range fills[:3] { // The dialect is not the standard's.
		rules := compile(t, mapping.Options{}, rows(t, exact("a", "a.x", name, ", values: {x: y}")+exact("b", name, name, ", values: {x: y}")))
		assert.Equal(t, []string{name}, targets(rules, dialect(t, rules, "a/1"), "a.x"))
		assert.Equal(t, []string{name}, targets(rules, dialect(t, rules, "a/1"), name))
	}
}

// read parses a table and compiles it for 1.41, with all of its rows in use.
func read(table string) error {
	parsed, err := mapping.ParseTable("test.yaml", []byte(table))
	if err != nil {
		return err
	}
	_, err = mapping.Compile([]*mapping.Table{parsed}, mapping.Options{Target: "1.41", Approximate: true})
	return err
}

func TestFilesThatAreNoTable(t *testing.T) {
	for _, c := range []struct{ name, file, says string }{
		{"an empty file", "", "test.yaml: invalid mapping table: the file is empty"},
		{"a file with a comment and nothing else", "# engine: kestrel\n", "test.yaml: invalid mapping table: the file is empty"},
		{"two documents", valid + "---\nengine: kite\n", "test.yaml: invalid mapping table: one document is expected, there is more"},
		{"a document that says nothing", "---\n", "test.yaml: invalid mapping table: engine is missing"},
		{"an engine of which nothing is said", "engine: kestrel\nlayer: engine\n", "test.yaml: invalid mapping table: there are neither dialects nor rows"},
		{"items that say nothing", "engine: kestrel\nlayer: engine\ndialects: [~]\n", "test.yaml:3: invalid mapping table: an entry of \"dialects\" has no value: write one, or leave the entry out"},
		{"a list", "- engine: kestrel\n", "test.yaml:1: invalid mapping table: a value of the kind !!seq does not belong here"},
		{"a file of another kind", "\x00\x01", "test.yaml: invalid mapping table: control characters are not allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := read(c.file)
			require.EqualError(t, err, c.says)
			require.ErrorIs(t, err, mapping.ErrInvalidTable)
		})
	}
}

func TestAMistakeBehindAnAnchorIsNotForgiven(t *testing.T) {
	table := strings.Replace(valid, "entry: {values: {kestrel.kind: [api]}}", "entry: &api {values: {kestrel.kind: [api]}, scop: [x]}\n    stage: *api", 1)
	require.EqualError(t, read(table), `test.yaml:19: invalid mapping table: unknown key "scop": one of `+conditionKeys+` is expected`)
}

// otherTable is right alone, and wrong beside another table.
type otherTable struct{ name, other, says string }

// requireMistakesBetween reads each table behind a valid one, and expects an error of one line.
func requireMistakesBetween(t *testing.T, valid string, tables []otherTable) {
	t.Helper()
	for _, c := range tables {
		t.Run(c.name, func(t *testing.T) {
			other, err := mapping.ParseTable("other.yaml", []byte(c.other))
			require.NoError(t, err)
			_, err = mapping.Compile([]*mapping.Table{parse(t, valid), other}, mapping.Options{Target: "1.41"})
			require.EqualError(t, err, c.says)
			require.ErrorIs(t, err, mapping.ErrInvalidTable)
		})
	}
}

func TestMistakesBetweenTables(t *testing.T) {
	requireMistakesBetween(t, valid, []otherTable{
		{
			"one engine in two tables", "engine: kestrel\nlayer: gateway\nattributes: [{id: a, keep: a, why: no target}]\n",
			`other.yaml: invalid mapping table: engine "kestrel" is already defined by test.yaml: "extends: kestrel" changes it`,
		},
		{
			"one row id in two tables", "engine: kite\nlayer: engine\nattributes:\n  - {id: kestrel.first, keep: a, why: no target}\n",
			`other.yaml:4: invalid mapping table: row "kestrel.first": the id is taken by test.yaml`,
		},
		{
			"a dialect whose items an engine before claims",
			"engine: kite\nlayer: engine\ndialects:\n  - {id: kite/one, request: {any_key: [kestrel.prompt], span_name: [serve], scope: [kite]}, evidence: https://example.com}\n",
			`other.yaml:4: invalid mapping table: dialect "kite/one": alternative 1 of request: it can never match: dialect "kestrel/one" above claims every such item`,
		},
		{
			"a fallback whose items an engine before claims",
			"engine: kite\nlayer: engine\ndialects:\n  - {id: kite/one, fallback: true, request: {any_key: [kestrel.prompt], span_name: [serve]}, evidence: https://example.com}\n",
			`other.yaml:4: invalid mapping table: dialect "kite/one": alternative 1 of request: it can never match: dialect "kestrel/one" above claims every such item`,
		},
		{
			"a fallback whose items a fallback before claims",
			"engine: kite\nlayer: engine\ndialects:\n  - {id: kite/one, fallback: true, request: {any_key: [kite.x]}, evidence: https://example.com}\n" +
				"  - {id: kite/two, fallback: true, request: {any_key: [kite.x], span_name: [serve]}, evidence: https://example.com}\n",
			`other.yaml:5: invalid mapping table: dialect "kite/two": alternative 1 of request: it can never match: dialect "kite/one" above claims every such item`,
		},
		{
			"a vocabulary whose items an engine before claims",
			"engine: kite\nlayer: engine\nfallback: true\ndialects:\n  - {id: kite/one, request: {any_key: [kestrel.prompt], span_name: [serve]}, evidence: https://example.com}\n",
			`other.yaml:5: invalid mapping table: dialect "kite/one": alternative 1 of request: it can never match: dialect "kestrel/one" above claims every such item`,
		},
	})
}

func TestTheProviderOfAnEngineWhoseTableNamesNone(t *testing.T) {
	another := parse(t, strings.Replace(valid, "    proves: [provider,", "    provider_of: kite\n    proves: [provider,", 1))
	kite := parse(t, "engine: kite\nlayer: engine\nattributes: [{id: kite.a, keep: a, why: no target}]\n")
	_, err := mapping.Compile([]*mapping.Table{another, kite}, mapping.Options{Target: "1.41"})
	require.EqualError(t, err, `test.yaml:10: invalid mapping table: dialect "kestrel/one": provider_of "kite": that engine's table has no provider`)
	require.ErrorIs(t, err, mapping.ErrInvalidTable)
}

func TestAProviderMayBeTheOneOfAnotherTable(t *testing.T) {
	own := strings.Replace(valid, "provider: kestrel\n", "", 1)
	require.EqualError(t, read(own), `test.yaml:9: invalid mapping table: dialect "kestrel/one": proves "provider", but the table has no provider`)

	another := strings.Replace(own, "    proves: [provider,", "    provider_of: kite\n    proves: [provider,", 1)
	kite := parse(t, "engine: kite\nlayer: gateway\nprovider: my-kite\nattributes: [{id: kite.a, keep: a, why: no target}]\n")
	d := dialect(t, compile(t, mapping.Options{}, parse(t, another), kite), "kestrel/one")
	assert.Equal(t, "my-kite", d.Provider)
	assert.True(t, d.ProvesProvider)
	assert.Equal(t, "kestrel", d.Engine)
}

func TestAProviderOfAnEngineWithoutATableIsNoMistakeWhileTheDialectIsOff(t *testing.T) {
	table := parse(t, strings.Replace(valid, "    proves: [provider,", "    provider_of: kite\n    proves: [provider,", 1))
	off := map[string]mapping.EngineOptions{"kestrel": {Enabled: new(false)}}
	assert.Empty(t, compile(t, mapping.Options{Engines: off}, table).Dialects())
}

func TestThereIsAnEndToWhatConditionsMayAskFor(t *testing.T) {
	tableWith := func(keys int) string {
		var b strings.Builder
		b.WriteString("engine: kestrel\nlayer: engine\ndialects:\n  - id: kestrel/one\n    evidence: https://example.com\n    request:\n      any_key:\n")
		for i := range keys {
			fmt.Fprintf(&b, "        - kestrel.%d\n", i)
		}
		return b.String()
	}
	require.NoError(t, read(tableWith(254)))
	require.EqualError(t, read(tableWith(255)),
		`test.yaml:4: invalid mapping table: dialect "kestrel/one": there are more than 254 span names, scopes and keys in the conditions of all enabled tables`)
}

func TestShorterSpellings(t *testing.T) {
	short, err := mapping.ReadTable(kestrelFile)
	require.NoError(t, err)
	assert.Equal(t, []string{"kestrel.prompt", "kestrel.prompt_tokens"}, []string(short.Attributes[0].From), "a list")
	assert.Equal(t, []string{"kestrel.n"}, []string(short.Attributes[1].From), "one value is a list of one")
	assert.Equal(t, []string{"kestrel.id"}, []string(short.RequestIDs.Key), "one value is a list of one")
	assert.Equal(t, []string{"gen_ai.request.id", "rid"}, []string(table(t, "sglang").RequestIDs.Key), "a list")
	assert.Len(t, short.Dialects[0].Request, 1, "one alternative is a list of one")
	assert.Len(t, short.Dialects[0].Entry, 2)
}

func TestTablesOfTheUser(t *testing.T) {
	t.Run("a file that is right is read", func(t *testing.T) {
		table, err := mapping.ReadTable(kestrelFile)
		require.NoError(t, err)
		assert.Equal(t, "kestrel", table.Engine)
		rules := compile(t, mapping.Options{}, append(builtIn(t), table)...)
		assert.Equal(t, []string{"gen_ai.usage.input_tokens"}, targets(rules, dialect(t, rules, "kestrel/one"), "kestrel.prompt"))
	})
	t.Run("a file that is not there is an error", func(t *testing.T) {
		_, err := mapping.ReadTable("testdata/tables/missing.yaml")
		require.EqualError(t, err, "cannot read mapping table: open testdata/tables/missing.yaml: no such file or directory")
		require.ErrorIs(t, err, mapping.ErrReadTable)
		require.ErrorIs(t, err, os.ErrNotExist)
	})
	t.Run("a directory is no table", func(t *testing.T) {
		_, err := mapping.ReadTable("testdata/tables")
		require.EqualError(t, err, `cannot read mapping table: "testdata/tables": a file is expected, not a directory`)
		require.ErrorIs(t, err, mapping.ErrReadTable)
	})
	t.Run("a mistake is reported with the path that was asked for", func(t *testing.T) {
		_, err := mapping.ReadTable("testdata/tables/unknown-key.yaml")
		require.EqualError(t, err, `testdata/tables/unknown-key.yaml:7: invalid mapping table: unknown key "reason": one of `+rowKeys+` is expected`)
		require.ErrorIs(t, err, mapping.ErrInvalidTable)
	})
}

func TestADialectMayBeCalledLikeItsEngine(t *testing.T) {
	require.NoError(t, read(strings.Replace(valid, "- id: kestrel/two", "- id: kestrel", 1)))
}
