// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lintFiles runs the command on files of a new directory, given by name and content in turn. Paths in the output are
// those in the directory.
func lintFiles(t *testing.T, flags []string, files ...string) (code int, lines []string) {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{"lint"}, flags...)
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if files[i] == "folder" {
			require.NoError(t, os.Mkdir(path, 0o700))
		} else {
			require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(files[i+1], "DIR", dir)), 0o600))
		}
		args = append(args, path)
	}
	code, stdout, stderr := runWith(args...)
	if code == 0 {
		assert.Empty(t, stderr)
	}
	for line := range strings.Lines(strings.ReplaceAll(stdout, dir+"/", "")) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return code, lines
}

const goodTable = `engine: kite
layer: engine
provider: kite
dialects:
  - id: kite/one
    request: {span_name: [serve], any_key: [kite.in]}
    proves: [provider]
    evidence: https://example.com/one
attributes:
  - id: kite.in
    from: kite.in
    to: gen_ai.usage.input_tokens
    basis: exact
    evidence: https://example.com/in
metric_prefixes: [kite_]
metrics:
  - id: kite.took
    from: took_ms
    instrument: histogram
    unit: ms
    to: gen_ai.server.request.duration
    basis: exact
    evidence: https://example.com/took
`

func TestATableWithoutAFaultIsNoLine(t *testing.T) {
	code, lines := lintFiles(t, []string{"--strict"}, "kite.yaml", goodTable)
	assert.Zero(t, code)
	assert.Empty(t, lines)
	files, err := filepath.Glob("testdata/cases/*/config.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	examples, err := filepath.Glob("examples/*/collector*.yaml")
	require.NoError(t, err)
	code, stdout, stderr := runWith(slices.Concat([]string{"lint", "testdata/tables/kestrel.yaml"}, examples, files)...)
	assert.Zero(t, code, stdout+stderr)
}

// Most mistakes that a table can hold are tested in the package mapping; here they go through the command.
func TestFaultsOfTables(t *testing.T) {
	for name, c := range map[string]struct{ old, mine, says string }{
		"an unknown key": {
			"proves: [provider]", "prove: [provider]",
			`kite.yaml:7: invalid mapping table: unknown key "prove": one of id, summary, request, entry, stage, record, event, fallback, provider_of, proves, durations, evidence is expected`,
		},
		"YAML that is none": {
			"layer: engine", "layer: engine: x",
			"kite.yaml:2: mapping values are not allowed in this context",
		},
		"an unknown layer": {
			"layer: engine", "layer: backend",
			`kite.yaml: invalid mapping table: layer "backend": engine, frontend, gateway or client is expected`,
		},
		"a condition that takes everybody's spans": {
			"{span_name: [serve], any_key: [kite.in]}", "{span_name: [serve]}",
			`kite.yaml:5: invalid mapping table: dialect "kite/one": a condition needs any_key, all_keys or values, or a span name together with a scope`,
		},
		"a target that one of the targets does not have": {
			"to: gen_ai.usage.input_tokens", "to: gen_ai.usage.cache_write.input_tokens",
			`kite.yaml:10: invalid mapping table: row "kite.in": target "gen_ai.usage.cache_write.input_tokens" is not an attribute of the 1.41 registry`,
		},
		"a row without evidence": {
			"    evidence: https://example.com/in\n", "",
			`kite.yaml:10: invalid mapping table: row "kite.in": evidence "": the https URL of a public source is expected`,
		},
		"an approximate row that does not say what differs": {
			"basis: exact\n    evidence: https://example.com/took", "basis: approximate\n    evidence: https://example.com/took",
			`kite.yaml:17: invalid mapping table: row "kite.took": why is missing: an approximate row says what differs`,
		},
		"another instrument than the target's": {
			"instrument: histogram", "instrument: sum",
			`kite.yaml:17: invalid mapping table: row "kite.took": instrument "sum": target "gen_ai.server.request.duration" is a histogram`,
		},
		"a unit that does not lead to the target's": {
			"unit: ms", "unit: By",
			`kite.yaml:17: invalid mapping table: row "kite.took": unit "By": there is no factor to "s", the unit of target "gen_ai.server.request.duration"`,
		},
		"an engine that is there": {
			"engine: kite\nlayer: engine\nprovider: kite\ndialects:\n  - id: kite/one", "engine: vllm\nlayer: engine\nprovider: kite\ndialects:\n  - id: vllm/one",
			`kite.yaml: invalid mapping table: engine "vllm" is already defined by tables/vllm.yaml: "extends: vllm" changes it`,
		},
		"an engine to extend that is not there": {
			"layer: engine", "extends: vlm",
			`kite.yaml: invalid mapping table: extends "vlm": no table before it is of that engine: one of "agent", "otel", "sglang", "vllm" is expected`,
		},
		"a row to leave out that is not there": {
			"engine: kite\nlayer: engine\n", "engine: kite\nextends: vllm\ndisable: [vllm.inputs]\n",
			`kite.yaml: invalid mapping table: disable "vllm.inputs": it is not the id of a row of engine "vllm"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, 1, strings.Count(goodTable, c.old))
			code, lines := lintFiles(t, nil, "kite.yaml", strings.Replace(goodTable, c.old, c.mine, 1))
			assert.Equal(t, 1, code)
			assert.Equal(t, []string{c.says}, lines)
		})
	}
}

func TestEveryFaultOfATableIsALine(t *testing.T) {
	table := strings.Replace(goodTable, "    evidence: https://example.com/in\n", "", 1)
	table = strings.Replace(table, "    unit: ms\n", "", 1)
	code, lines := lintFiles(t, nil, "kite.yaml", table)
	assert.Equal(t, 1, code)
	assert.Equal(t, []string{
		`kite.yaml:10: invalid mapping table: row "kite.in": evidence "": the https URL of a public source is expected`,
		`kite.yaml:16: invalid mapping table: row "kite.took": unit is missing: "1" is expected for what has none`,
	}, lines)
}

// goodConfig has an instance for each signal, as a collector would start with it.
const goodConfig = `receivers:
  otlp: {protocols: {http: {endpoint: "127.0.0.1:${env:NO_SUCH_PORT:-0}"}}}
processors:
  batch:
  genainormalize:
    originals: keep
    exclude: [vllm.input_tokens]
    engines:
      vllm: {version: "0.11.0"}
    trace_conditions:
      - span.name == "llm_request"
  genainormalize/metrics:
exporters: {debug: }
service:
  pipelines:
    traces: {receivers: [otlp], processors: [genainormalize, batch], exporters: [debug]}
    metrics:
      receivers: [otlp]
      processors: [genainormalize/metrics, batch]
      exporters: [debug]
`

func TestAConfigurationWithoutAFaultIsNoLine(t *testing.T) {
	code, lines := lintFiles(t, []string{"--strict"}, "collector.yaml", goodConfig)
	assert.Zero(t, code)
	assert.Empty(t, lines)
}

func TestFaultsOfConfigurations(t *testing.T) {
	const at = "processors::genainormalize::"
	for name, c := range map[string]struct{ old, mine, says string }{
		"a word that is not an option": {
			"originals: keep", "originals: maybe",
			`collector.yaml:6: ` + at + `originals: invalid value "maybe": one of drop, keep is expected`,
		},
		"an unknown key": {
			"originals: keep", "originls: keep",
			`collector.yaml:6: ` + at + `originls: unknown key: one of semconv, originals, approximate, extensions, exclude, span_name, schema_url, created_series, engine_usage, service_name, entry_provider, annotate, engines, tables, trace_conditions, metric_conditions, log_conditions, error_mode is expected, perhaps "originals"`,
		},
		"an unknown key of an engine": {
			"{version:", "{release:",
			`collector.yaml:9: ` + at + `engines::vllm::release: unknown key: one of enabled, provider, version, default_operation, approximate is expected`,
		},
		"an unknown engine": {
			"vllm: {", "vlm: {",
			`collector.yaml:9: ` + at + `engines: unknown engine "vlm": one of "agent", "otel", "sglang", "vllm" is expected`,
		},
		"a version that YAML takes for a number": {
			`"0.11.0"`, "0.11",
			`collector.yaml:9: ` + at + `engines::vllm::version: a number is read where a version is expected: quote it, as in "0.11.0"`,
		},
		"a version that is none": {
			`"0.11.0"`, "eleven",
			`collector.yaml:9: ` + at + `engines::vllm::version: invalid version: "eleven": a release such as 0.11.0 or 0.3.5.post1 (PEP 440) is expected`,
		},
		"an unknown target": {
			"originals: keep", `semconv: "1.40"`,
			`collector.yaml:6: ` + at + `semconv: unknown target "1.40": want one of 0.1.0, 1.41`,
		},
		"a target that YAML takes for a number": {
			"originals: keep", `semconv: 1.41`,
			`collector.yaml:6: ` + at + `semconv: a number is read where a version is expected: quote it, as in "1.41"`,
		},
		"a row that is not there": {
			"vllm.input_tokens", "vllm.inputs",
			`collector.yaml:7: ` + at + `exclude: unknown row id or source name "vllm.inputs": a row id, a source name, a standard attribute or a metric is expected`,
		},
		"a condition that cannot be read": {
			`span.name ==`, `span.name =`,
			`collector.yaml:11: ` + at + `trace_conditions: condition "span.name = \"llm_request\"": condition has invalid syntax at 1:11 near ` + "`= \"llm_req`: (expected <opcomparison> Value)",
		},
		"a table that is not there": {
			"exclude: [vllm.input_tokens]", "tables: [none.yaml]",
			`collector.yaml:7: ` + at + `tables[0]: cannot read mapping table: open none.yaml: no such file or directory`,
		},
		"a table with a fault": {
			"exclude: [vllm.input_tokens]", "tables: [testdata/tables/kestrel.yaml, mapping/testdata/tables/unknown-key.yaml]",
			`collector.yaml:7: ` + at + `tables[1]: mapping/testdata/tables/unknown-key.yaml:7: invalid mapping table: unknown key "reason": one of id, from, keep, to, basis, why, evidence, copy, omit_when, values, unit, versions, dialects, caveats is expected`,
		},
		"a table without a name": {
			"exclude: [vllm.input_tokens]", "tables:\n      - testdata/tables/kestrel.yaml\n      - \"\"",
			`collector.yaml:9: ` + at + `tables[1]: cannot read mapping table: "": the name of a file is expected`,
		},
		"a directory of tables": {
			"exclude: [vllm.input_tokens]", "tables: [testdata/tables]",
			`collector.yaml:7: ` + at + `tables[0]: cannot read mapping table: "testdata/tables": a file is expected, not a directory`,
		},
		"a table that is named twice": {
			"exclude: [vllm.input_tokens]", "tables: [testdata/tables/kestrel.yaml, ./testdata/tables/kestrel.yaml]",
			`collector.yaml:7: ` + at + `tables[1]: "./testdata/tables/kestrel.yaml" is the file of tables[0]: each file is expected once`,
		},
		"a list where a text is expected": {
			"originals: keep", "entry_provider: [vllm]",
			`collector.yaml:6: ` + at + `entry_provider: a text is expected, not a list`,
		},
		"a switch that is none": {
			"originals: keep", "approximate: maybe",
			`collector.yaml:6: ` + at + `approximate: true or false is expected, not a text`,
		},
		"options that are none": {
			"genainormalize/metrics:", "genainormalize/metrics: [vllm]",
			`collector.yaml:12: processors::genainormalize/metrics: options are expected, or nothing`,
		},
		"an instance that is not there": {
			"processors: [genainormalize, batch]", "processors: [genainormalize, genainormalize/traces, batch]",
			`collector.yaml:16: service::pipelines::traces::processors: "genainormalize/traces" is not configured under processors: one of "genainormalize", "genainormalize/metrics" is expected`,
		},
		"a misspelt instance": {
			"processors: [genainormalize, batch]", "processors: [genainormalise, batch]",
			`collector.yaml:16: service::pipelines::traces::processors: "genainormalise" is not configured under processors: one of "genainormalize", "genainormalize/metrics" is expected`,
		},
		"one processor where a list is expected": {
			"processors: [genainormalize, batch]", "processors: genainormalize",
			`collector.yaml:16: service::pipelines::traces::processors: a list is expected, not a text`,
		},
		"options where a name is expected": {
			"processors: [genainormalize, batch]", "processors: [{genainormalize: }, batch]",
			`collector.yaml:16: service::pipelines::traces::processors: a name is expected, not a map`,
		},
		"a pipeline that is none": {
			"{receivers: [otlp], processors: [genainormalize, batch], exporters: [debug]}", "[genainormalize]",
			`collector.yaml:16: service::pipelines::traces: a map is expected, not a list`,
		},
		"a second document": {
			"      exporters: [debug]\n", "      exporters: [debug]\n---\nservice: {pipelines: {traces: {processors: [genainormalize/more]}}}\n",
			"collector.yaml:22: one YAML document is expected: a collector does not read what is behind the first",
		},
		"a pipeline of another signal": {
			"    metrics:\n", "    profiles:\n",
			`collector.yaml:19: service::pipelines::profiles::processors: "genainormalize/metrics" handles traces, metrics, logs only`,
		},
		"a file that is not there": {
			"  batch:\n", "  batch: ${file:DIR/none.yaml}\n",
			`collector.yaml: unable to read the file file:none.yaml: open none.yaml: no such file or directory`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, 1, strings.Count(goodConfig, c.old))
			code, lines := lintFiles(t, nil, "collector.yaml", strings.Replace(goodConfig, c.old, c.mine, 1))
			assert.Equal(t, 1, code)
			assert.Equal(t, []string{c.says}, lines)
		})
	}
}

func TestAllFaultsOfAConfigurationAreFound(t *testing.T) {
	config := strings.Replace(goodConfig, "originals: keep", "originals: maybe\n    span_name: x", 1)
	config = strings.Replace(config, "genainormalize/metrics:", `genainormalize/metrics: {metric_conditions: [a], log_conditions: [b], exclude: [c]}`, 1)
	code, lines := lintFiles(t, nil, "collector.yaml", config)
	assert.Equal(t, 1, code)
	require.Len(t, lines, 5)
	for i, begin := range []string{
		"collector.yaml:6: processors::genainormalize::originals: ",
		"collector.yaml:7: processors::genainormalize::span_name: ",
		"collector.yaml:13: processors::genainormalize/metrics::exclude: ",
		"collector.yaml:13: processors::genainormalize/metrics::metric_conditions: ",
		"collector.yaml:13: processors::genainormalize/metrics::log_conditions: ",
	} {
		assert.True(t, strings.HasPrefix(lines[i], begin), lines[i])
	}
}

// Warnings fail with --strict only.
func TestWarnings(t *testing.T) {
	fork := "engine: fork\nlayer: engine\nmetric_prefixes: [fork_, \"vllm:\"]\nmetrics:\n" +
		"  - {id: fork.requests, keep: num_requests_running, instrument: gauge, unit: \"1\", why: no target, evidence: \"https://example.com\"}\n"
	for name, c := range map[string]struct {
		file, text, says string
	}{
		"behind batch": {
			"collector.yaml", strings.Replace(goodConfig, "[genainormalize, batch]", "[batch, genainormalize]", 1),
			`collector.yaml:16: warning: service::pipelines::traces::processors: "genainormalize" stands behind "batch": batches are made last, and one may cut a scrape in two, in which sources compete and proofs are looked for`,
		},
		"behind tail sampling": {
			"collector.yaml", strings.Replace(goodConfig, "[genainormalize, batch]", "[tail_sampling/own, genainormalize]", 1),
			`collector.yaml:16: warning: service::pipelines::traces::processors: "genainormalize" stands behind "tail_sampling/own": its policies see the engines' own names and units`,
		},
		"in no pipeline": {
			"collector.yaml", strings.Replace(goodConfig, "[genainormalize/metrics, batch]", "[batch]", 1),
			`collector.yaml:12: warning: processors::genainormalize/metrics: it is in no pipeline, so it does nothing`,
		},
		"not there": {
			"collector.yaml", "receivers: {nop: }\nexporters: {nop: }\nservice: {pipelines: {traces: {receivers: [nop], exporters: [nop]}}}\n",
			`collector.yaml: warning: processors: there is no genainormalize processor`,
		},
		"a metric that another table knows": {
			"fork.yaml", fork,
			`fork.yaml:5: warning: dialect "fork/metrics" comes before and hides metric "vllm:num_requests_running" of row "vllm.requests_running" of tables/vllm.yaml:`,
		},
		"a dialect that another table takes": {
			"fork.yaml", "engine: fork\nlayer: engine\ndialects:\n  - {id: fork/one, request: {any_key: [gen_ai.pd_role, gen_ai.latency.time_in_tokenize, gen_ai.latency.time_in_detokenize, gen_ai.latency.time_in_kv_transfer, gen_ai.request.preemption_count]}, evidence: \"https://example.com\"}\n",
			`fork.yaml:4: warning: dialect "fork/one" comes before and hides an alternative of dialect "vllm/v1-agent" of tables/vllm.yaml:`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			code, lines := lintFiles(t, nil, c.file, c.text)
			assert.Zero(t, code)
			require.Len(t, lines, 1)
			assert.True(t, strings.HasPrefix(lines[0], c.says), lines[0])
			code, _ = lintFiles(t, []string{"--strict"}, c.file, c.text)
			assert.Equal(t, 1, code)
		})
	}
}

func TestFilesOfOtherKinds(t *testing.T) {
	const expected = ": a mapping table (engine: …), a configuration of a collector (processors: …, service: …) or options of the processor are expected"
	for name, text := range map[string]string{"list.yaml": "- engine\n", "other.yaml": "name: kite\n"} {
		code, lines := lintFiles(t, nil, name, text)
		assert.Equal(t, 1, code)
		assert.Equal(t, []string{name + expected}, lines)
	}
	code, lines := lintFiles(t, nil, "empty.yaml", "# nothing\n")
	assert.Zero(t, code)
	assert.Equal(t, []string{"empty.yaml: warning: it says nothing"}, lines)
	code, lines = lintFiles(t, nil, "options.yaml", "approximate: true\nspan_name: own\n")
	assert.Equal(t, 1, code)
	assert.Equal(t, []string{`options.yaml:2: span_name: invalid value "own": one of keep, semconv is expected`}, lines)
	code, lines = lintFiles(t, nil, "options.yaml", "originls: keep\n")
	assert.Equal(t, 1, code)
	require.Len(t, lines, 1)
	assert.True(t, strings.HasPrefix(lines[0], "options.yaml:1: originls: unknown key: one of semconv, originals, "), lines[0])
}

func TestShapesAroundPipelines(t *testing.T) {
	for text, says := range map[string]string{
		"processors: [genainormalize]\nservice: {pipelines: {traces: {processors: [batch]}}}\n":                            "c.yaml:1: processors: a map is expected, not a list",
		"processors: {genainormalize: }\nservice: [pipelines]\n":                                                           "c.yaml:2: service: a map is expected, not a list",
		"processors: {genainormalize: }\nservice:\n  pipelines: traces\n":                                                  "c.yaml:3: service::pipelines: a map is expected, not a text",
		"processors: {genainormalize: }\nservice: {pipelines: {traces: {processors: [1]}}}\n":                              "c.yaml:2: service::pipelines::traces::processors: a name is expected, not a number",
		"processors: {genainormalize: }\nservice: {pipelines: {traces: {processors: [genainormalize, genainormalize]}}}\n": `c.yaml:2: service::pipelines::traces::processors: "genainormalize" stands there more than once`,
		"processors: {genainormalize/: }\nservice: {pipelines: {traces: {processors: [genainormalize/]}}}\n":               `c.yaml:1: processors::genainormalize/: in "genainormalize/" id: the part after / should not be empty`,
	} {
		code, lines := lintFiles(t, nil, "c.yaml", text)
		assert.Equal(t, 1, code)
		assert.Equal(t, []string{says}, lines)
	}
}

func TestAFileThatCannotBeReadDoesNotHideTheOthers(t *testing.T) {
	code, lines := lintFiles(t, nil, "other.yaml", "name: kite\n", "folder", "", "kite.yaml", strings.Replace(goodTable, "layer: engine", "layer: backend", 1))
	assert.Equal(t, 1, code)
	require.Len(t, lines, 3)
	assert.True(t, strings.HasPrefix(lines[0], "other.yaml: "), lines[0])
	assert.Equal(t, "folder: it cannot be read: is a directory", lines[1])
	assert.True(t, strings.HasPrefix(lines[2], `kite.yaml: invalid mapping table: layer "backend"`), lines[2])

	code, stdout, stderr := runWith("lint", "none.yaml", "testdata/tables/broken.yaml")
	assert.Equal(t, 1, code)
	assert.Equal(t, "none.yaml: it cannot be read: no such file or directory\n"+
		`testdata/tables/broken.yaml:5: invalid mapping table: unknown key "metrcs"`, strings.SplitAfter(stdout, `"metrcs"`)[0])
	assert.Equal(t, "genainormalize: 2 faults, 0 warnings\n", stderr)
}

// A collector takes several files for one configuration, and so do we where a file alone is none.
func TestPartsOfAConfiguration(t *testing.T) {
	const processors = "receivers: {nop: }\nexporters: {nop: }\nprocessors: {genainormalize/own: }\n"
	pipelines := "service: {pipelines: {traces: {receivers: [nop], processors: [genainormalize/own], exporters: [nop]}}}\n"
	for _, files := range [][]string{{"a.yaml", processors, "b.yaml", pipelines}, {"b.yaml", pipelines, "a.yaml", processors}} {
		code, lines := lintFiles(t, []string{"--strict"}, files...)
		assert.Zero(t, code)
		assert.Empty(t, lines)
	}
	code, lines := lintFiles(t, nil, "b.yaml", pipelines)
	assert.Equal(t, 1, code)
	assert.Equal(t, []string{`b.yaml:1: service::pipelines::traces::processors: "genainormalize/own" is not configured under processors`}, lines)
	// A file that has both is judged by itself.
	code, lines = lintFiles(t, nil, "a.yaml", processors, "whole.yaml", "processors: {genainormalize: }\n"+strings.ReplaceAll(pipelines, "[genainormalize/own]", "[genainormalize, genainormalize/own]"))
	assert.Equal(t, 1, code)
	assert.Equal(t, []string{`whole.yaml:2: service::pipelines::traces::processors: "genainormalize/own" is not configured under processors: one of "genainormalize" is expected`}, lines)
}

func TestAFileThatIsNamedTwiceIsCheckedOnce(t *testing.T) {
	code, stdout, stderr := runWith("lint", "testdata/tables/kestrel.yaml", "./testdata/tables/kestrel.yaml")
	assert.Zero(t, code, stdout+stderr)
}

func TestTablesAreTakenTogether(t *testing.T) {
	child := "engine: kite-two\nextends: kite\nattributes:\n  - {id: two.seed, from: seed, to: gen_ai.request.seed, basis: exact, evidence: \"https://example.com\"}\n"
	code, lines := lintFiles(t, nil, "kite.yaml", goodTable, "two.yaml", child)
	assert.Zero(t, code)
	assert.Empty(t, lines)
	code, lines = lintFiles(t, nil, "two.yaml", child)
	assert.Equal(t, 1, code)
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], `two.yaml: invalid mapping table: extends "kite": no table before it is of that engine`)
}
