// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// FuzzParseTable reads anything as a table: it is one, or there is an error that says which file is wrong. What is
// a table compiles for every target, or there is such an error, and whatever compiles may be used.
func FuzzParseTable(f *testing.F) {
	for _, pattern := range []string{"tables/*.yaml", "testdata/tables/*.yaml"} {
		files, err := filepath.Glob(pattern)
		require.NoError(f, err)
		require.NotEmpty(f, files)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(f, err)
			f.Add(data)
		}
	}
	f.Add([]byte(valid))
	for _, file := range []string{
		"", "---\n", "[]", "engine", "engine: [a]", "dialects: [~]", "attributes: [~, {}]", "attributes: {a: b}", "dialects: a",
		"a: &a [*a]", "engine: a\nlayer: engine\n<<: {attributes: [{id: a, keep: a, why: b}]}\n",
		"engine: a\nlayer: engine\nattributes: &x [{id: a, keep: a, why: b}]\ndialects: *x\n",
		"engine: a\nlayer: engine\nattributes: [{id: a, from: a, to: {1.41: gen_ai.request.seed}, basis: exact, evidence: https://a, omit_when: 9223372036854775808}]\n",
	} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := mapping.ParseTable("fuzz.yaml", data)
		if err != nil {
			require.ErrorIs(t, err, mapping.ErrInvalidTable)
			require.ErrorContains(t, err, "fuzz.yaml:")
			return
		}
		for _, target := range semconv.Targets() {
			rules, err := mapping.Compile([]*mapping.Table{table}, mapping.Options{
				Target: target, Approximate: true,
				Engines: map[string]mapping.EngineOptions{table.Engine: {Enabled: new(true), Version: "0.11.1rc2"}},
			})
			if err != nil {
				require.ErrorIs(t, err, mapping.ErrInvalidTable)
				require.ErrorContains(t, err, "fuzz.yaml:")
				continue
			}
			use(rules)
		}
	})
}

// use asks a rule set everything that package normalize asks it.
func use(rules *mapping.RuleSet) {
	names := []string{"", "a", "gen_ai.request.seed", "gen_ai.latency.e2e", "kestrel.prompt", semconv.ProviderName}
	var all mapping.Evidence
	for _, name := range names {
		scope, span := rules.Scope(name), rules.SpanName(name)
		all.Add(&scope)
		all.Add(&span)
		rules.HasDurationPrefix(name)
		if key := rules.Key(name); key != nil {
			all.Add(&key.Evidence)
		}
	}
	rules.Match(all, "llm_request")
	for _, d := range rules.Dialects() {
		d.Operation("12_chat-1")
		for _, name := range names {
			if key := rules.Key(name); key != nil {
				d.Rules(key.ID)
			}
		}
	}
}
