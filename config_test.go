// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor

import (
	"path/filepath"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"

	"github.com/genainormalize/genainormalizeprocessor/internal/metadata"
	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
)

// withDefaults returns the default configuration with changes.
func withDefaults(change func(*Config)) *Config {
	cfg := createDefaultConfig().(*Config)
	change(cfg)
	return cfg
}

func TestLoadConfig(t *testing.T) {
	conf, err := confmaptest.LoadConf(filepath.Join("testdata", "config.yaml"))
	require.NoError(t, err)
	yes, no, provider, none := true, false, "my-vllm", ""
	tests := map[string]*Config{
		"":      withDefaults(func(*Config) {}),
		"empty": withDefaults(func(*Config) {}),
		"null_engines": withDefaults(func(c *Config) {
			c.Engines = map[string]EngineConfig{"vllm": {}}
		}),
		"partial_engines": withDefaults(func(c *Config) {
			c.Engines = map[string]EngineConfig{"vllm": {DefaultOperation: "chat"}}
		}),
		"no_provider": withDefaults(func(c *Config) {
			c.Engines = map[string]EngineConfig{"vllm": {Provider: &none}}
		}),
		"all": {
			Semconv:          "0.1.0",
			Originals:        normalize.KeepOriginals,
			Approximate:      true,
			Extensions:       true,
			CreatedSeries:    normalize.DropCreatedSeries,
			Exclude:          []string{"vllm.input_tokens", "gen_ai.request.top_k"},
			SpanName:         normalize.SemconvSpanName,
			SchemaURL:        normalize.NeverSchemaURL,
			EngineUsage:      normalize.DropEngineUsage,
			ServiceName:      normalize.FillServiceName,
			EntryProvider:    "vllm",
			Annotate:         true,
			ErrorMode:        ottl.PropagateError,
			TraceConditions:  []string{`resource.attributes["service.name"] == "llm"`, `span.name == "llm_request"`},
			MetricConditions: []string{`metric.name == "a"`, `datapoint.attributes["engine"] == "0"`},
			LogConditions:    []string{`log.severity_number > 0`},
			Engines: map[string]EngineConfig{
				"vllm":    {Enabled: &yes, Provider: &provider, Version: "0.11.1rc2", DefaultOperation: "chat", Approximate: &no},
				"kestrel": {Enabled: &no},
			},
			Tables: []string{"testdata/tables/kestrel.yaml"},
		},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			sub, err := conf.Sub(component.NewIDWithName(metadata.Type, name).String())
			require.NoError(t, err)
			cfg := createDefaultConfig()
			require.NoError(t, sub.Unmarshal(cfg))
			require.NoError(t, confmap.Validate(cfg))
			assert.Equal(t, want, cfg)
		})
	}
}

func TestConfigErrors(t *testing.T) {
	tests := []struct{ name, config, want string }{
		{"a target that is not there", `semconv: "1.40"`, `unknown target "1.40": want one of 0.1.0, 1.41`},
		{"a target that is not quoted", `semconv: 1.41`, `semconv: a number is read where a version is expected: quote it, as in "1.41"`},
		{"a target that is a whole number", `semconv: 1`, `semconv: a number is read where a version is expected: quote it, as in "1.41"`},
		{"a target that is null", `semconv:`, `semconv: unknown target "": want one of 0.1.0, 1.41`},
		{"a version that is not quoted", `engines: {vllm: {version: 0.11}}`, `engines::vllm::version: a number is read where a version is expected: quote it, as in "0.11.0"`},
		{"a version that is none", `engines: {vllm: {version: latest}}`, `engines::vllm::version: invalid version: "latest": a release such as 0.11.0 or 0.3.5.post1 (PEP 440) is expected`},
		{"originals of an unknown kind", `originals: maybe`, `'originals' invalid value "maybe": one of drop, keep is expected`},
		{"a span name of an unknown kind", `span_name: otel`, `'span_name' invalid value "otel": one of keep, semconv is expected`},
		{"a schema URL of an unknown kind", `schema_url: https://opentelemetry.io/schemas/1.41.0`, `'schema_url' invalid value "https://opentelemetry.io/schemas/1.41.0": one of auto, when_empty, always, never is expected`},
		{"engine usage of an unknown kind", `engine_usage: "no"`, `'engine_usage' invalid value "no": one of keep, drop is expected`},
		{"a service name of an unknown kind", `service_name: vllm`, `'service_name' invalid value "vllm": one of keep, fill is expected`},
		{"created series of an unknown kind", `created_series: remove`, `'created_series' invalid value "remove": one of keep, drop is expected`},
		{"an error mode of an unknown kind", `error_mode: loud`, `error_mode: invalid value "loud": one of ignore, silent, propagate is expected`},
		{"a condition of another signal", `metric_conditions: ['span.name == "a"']`, `metric_conditions: condition "span.name == \"a\"": context "span" inferred from the conditions`},
		{"a condition that is none", `log_conditions: [""]`, `log_conditions: condition "": condition has invalid syntax`},
		{"an engine nobody knows", `engines: {vlm: {}}`, `unknown engine "vlm": one of "agent", "otel", "sglang", "vllm" is expected`},
		{"an exclusion nobody knows", `exclude: [vllm.inptu_tokens]`, `unknown row id or source name "vllm.inptu_tokens"`},
		{"a table that is not there", `tables: [testdata/tables/missing.yaml]`, `tables[0]: cannot read mapping table: open testdata/tables/missing.yaml: no such file or directory`},
		{"a table that is broken", `tables: [testdata/tables/broken.yaml]`, `tables[0]: testdata/tables/broken.yaml:5: invalid mapping table: unknown key "metrcs"`},
		{"a table without a name", `tables: [""]`, `tables[0]: cannot read mapping table: "": the name of a file is expected`},
		{"a directory of tables", `tables: [testdata/tables/kestrel.yaml, testdata/tables]`, `tables[1]: cannot read mapping table: "testdata/tables": a file is expected, not a directory`},
		{"a table that is named twice", `tables: [testdata/tables/kestrel.yaml, testdata/../testdata/tables/kestrel.yaml]`, `tables[1]: "testdata/../testdata/tables/kestrel.yaml" is the file of tables[0]: each file is expected once`},
		{"a table of an engine that is there", `tables: [mapping/tables/vllm.yaml]`, `mapping/tables/vllm.yaml: invalid mapping table: engine "vllm" is already defined by tables/vllm.yaml`},
		{"an option nobody knows", `originls: keep`, `has invalid keys: originls`},
		{"an option of an engine that nobody knows", `engines: {vllm: {prvider: x}}`, `has invalid keys: prvider`},
		{"a switch that is none", `approximate: sometimes`, `'approximate' expected type 'bool', got unconvertible type 'string'`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg := createDefaultConfig()
			err := unmarshalConfig(tt.config, cfg)
			if err == nil {
				err = confmap.Validate(cfg)
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}
