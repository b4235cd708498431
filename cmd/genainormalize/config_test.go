// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFaultsOfAnOptionsFile holds for every command that takes one.
func TestFaultsOfAnOptionsFile(t *testing.T) {
	const keys = "semconv, originals, approximate, extensions, exclude, span_name, schema_url, created_series, engine_usage, " +
		"service_name, entry_provider, annotate, engines, tables, trace_conditions, metric_conditions, log_conditions, error_mode"
	for name, c := range map[string]struct{ options, says string }{
		"a misspelt key":                        {"originls: keep", `FILE: originls: unknown key: one of ` + keys + ` is expected, perhaps "originals"`},
		"a key that is none":                    {"processors: {}", `FILE: processors: unknown key: one of ` + keys + ` is expected`},
		"a misspelt key of an engine":           {"engines: {vllm: {versio: x}}", `FILE: engines::vllm::versio: unknown key: one of enabled, provider, version, default_operation, approximate is expected, perhaps "version"`},
		"a list where a text is expected":       {"entry_provider: [vllm]", `FILE: entry_provider: a text is expected, not a list`},
		"a second document":                     {"originals: keep\n---\nextensions: true", `FILE:3: one YAML document is expected: a collector does not read what is behind the first`},
		"what is no YAML":                       {"originals: keep: drop", `FILE: yaml: mapping values are not allowed in this context`},
		"a list":                                {"- originals", `FILE: options are expected, as key: value`},
		"nothing at all is the default, though": {"# nothing", ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "options.yaml")
			require.NoError(t, os.WriteFile(file, []byte(c.options), 0o600))
			for _, args := range [][]string{{"apply", chat}, {"explain", chat}, {"tables", "gen_ai.request.n"}} {
				code, _, stderr := runWith(append(args, "--config", file)...)
				if c.says == "" {
					assert.Zero(t, code, stderr)
					continue
				}
				assert.Equal(t, 1, code)
				assert.Equal(t, "genainormalize: "+c.says+"\n", strings.ReplaceAll(stderr, file, "FILE"))
			}
		})
	}
}

func TestOneOptionsFileIsExpected(t *testing.T) {
	for _, command := range []string{"apply", "explain", "tables"} {
		code, _, stderr := runWith(command, "--config", "a.yaml", "--config", "b.yaml")
		assert.Equal(t, 1, code)
		assert.Equal(t, `genainormalize: invalid argument "b.yaml" for "--config" flag: one file is expected: there is a.yaml already`+"\n", stderr)
		code, _, stderr = runWith(command, "--config", "")
		assert.Equal(t, 1, code)
		assert.Equal(t, `genainormalize: invalid argument "" for "--config" flag: the name of a file is expected`+"\n", stderr)
	}
}
