// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

func TestAnotherHashMeansOtherRules(t *testing.T) {
	reference := compile(t, mapping.Options{}, parse(t, valid)).Hash()
	assert.Regexp(t, "^[0-9a-f]{16}$", reference)
	hashes := map[string]string{reference: "the reference"}
	differs := func(name, hash string) {
		t.Run(name, func(t *testing.T) {
			assert.NotContains(t, hashes, hash, "it has the hash of %q", hashes[hash])
			hashes[hash] = name
		})
	}

	for _, c := range []struct{ name, old, mine string }{
		{"another target attribute", "to: gen_ai.usage.input_tokens", "to: gen_ai.usage.output_tokens"},
		{"another target attribute for one of the targets", `{"1.41": gen_ai.request.choice.count, `, `{"1.41": gen_ai.request.max_tokens, `},
		{"another source", "from: kestrel.prompt", "from: kestrel.prompts"},
		{"another basis", "    basis: approximate", "    basis: exact"},
		{"a unit", "unit: ms", "unit: us"},
		{"an omitted value", "omit_when: 1", "omit_when: 2"},
		{"a copy that is a move", "    copy: true\n", ""},
		{"a condition", "span_name: [serve]", "span_name: [serving]"},
		{"a value of a condition", "kestrel.kind: [api]", "kestrel.kind: [http]"},
		{"the units of latencies", "units: [ns, s]", "units: [s]"},
		{"a prefix of request ids", "{chat-: chat}", "{talk-: chat}"},
		{"another attribute with request ids", "key: kestrel.id", "key: kestrel.rid"},
		{"one more attribute with request ids", "key: kestrel.id", "key: [kestrel.id, kestrel.rid]"},
		{"operations of entry spans", "layer: engine", "layer: engine\nentry_operations: [chat]"},
		{"a dialect that is asked after the others", "  - id: kestrel/two\n", "  - id: kestrel/two\n    fallback: true\n"},
		{"a table that is asked last", "layer: engine", "layer: engine\nfallback: true"},
		{"the engine's provider", "provider: kestrel", "provider: kite"},
		{"a range of versions", "    unit: ms", "    unit: ms\n    versions: \">=1\""},
		{"a dialect less", "  - id: kestrel/two\n    entry: {values: {kestrel.kind: [api]}}\n    evidence: https://example.com/two\n", ""},
	} {
		require.Equal(t, 1, strings.Count(valid, c.old), c.name)
		differs(c.name, compile(t, mapping.Options{}, parse(t, strings.Replace(valid, c.old, c.mine, 1))).Hash())
	}

	engine := func(e mapping.EngineOptions) map[string]mapping.EngineOptions {
		return map[string]mapping.EngineOptions{"kestrel": e}
	}
	for _, c := range []struct {
		name string
		opts mapping.Options
	}{
		{"another target", mapping.Options{Target: "0.1.0"}},
		{"approximate rows", mapping.Options{Approximate: true}},
		{"an excluded row", mapping.Options{Exclude: []string{"kestrel.first"}}},
		{"an excluded source", mapping.Options{Exclude: []string{"kestrel.prompt"}}},
		{"two exclusions", mapping.Options{Exclude: []string{"kestrel.first", "kestrel.prompt"}}},
		{"no engine", mapping.Options{Engines: engine(mapping.EngineOptions{Enabled: new(false)})}},
		{"another provider", mapping.Options{Engines: engine(mapping.EngineOptions{Provider: new("my-kestrel")})}},
		{"no provider", mapping.Options{Engines: engine(mapping.EngineOptions{Provider: new("")})}},
		{"a version", mapping.Options{Engines: engine(mapping.EngineOptions{Version: "1.0"})}},
		{"a default operation", mapping.Options{Engines: engine(mapping.EngineOptions{DefaultOperation: "chat"})}},
	} {
		differs(c.name, compile(t, c.opts, parse(t, valid)).Hash())
	}
	ofKite := parse(t, strings.Replace(valid, "    proves: [provider,", "    provider_of: kite\n    proves: [provider,", 1))
	kite := parse(t, "engine: kite\nlayer: engine\nprovider: my-kite\nattributes: [{id: kite.a, keep: a, why: no target}]\n")
	differs("the provider of another table", compile(t, mapping.Options{}, ofKite, kite).Hash())
	kitesProvider := map[string]mapping.EngineOptions{"kite": {Provider: new("your-kite")}}
	differs("another provider of another table", compile(t, mapping.Options{Engines: kitesProvider}, ofKite, kite).Hash())
	kiteIsOff := map[string]mapping.EngineOptions{"kite": {Enabled: new(false)}}
	differs("the provider of a table that is off", compile(t, mapping.Options{Engines: kiteIsOff}, ofKite, kite).Hash())
	kiteIsOff["kite"] = mapping.EngineOptions{Enabled: new(false), Provider: new("your-kite")}
	differs("another provider of a table that is off", compile(t, mapping.Options{Engines: kiteIsOff}, ofKite, kite).Hash())
	kiteIsOff["kite"] = mapping.EngineOptions{Enabled: new(false), Provider: new("")}
	differs("no provider of a table that is off", compile(t, mapping.Options{Engines: kiteIsOff}, ofKite, kite).Hash())
	differs("another table", compile(t, mapping.Options{}, parse(t, valid), rows(t, keep("a", "a.x", ""))).Hash())
	differs("another order of the tables", compile(t, mapping.Options{}, rows(t, keep("a", "a.x", "")), parse(t, valid)).Hash())
}

// The agent proves the provider of SGLang, whether the table of SGLang is on or off.
func TestTheHashCoversTheProviderOfSGLangAlsoWhenItIsOff(t *testing.T) {
	hash := func(provider *string, agent bool) string {
		engines := map[string]mapping.EngineOptions{"sglang": {Enabled: new(false), Provider: provider}, "agent": {Enabled: new(agent)}}
		return compile(t, mapping.Options{Engines: engines}, builtIn(t)...).Hash()
	}
	assert.Equal(t, hash(nil, true), hash(new("sglang"), true))
	assert.NotEqual(t, hash(nil, true), hash(new("my-sglang"), true))
	assert.NotEqual(t, hash(nil, true), hash(new(""), true))
	assert.Equal(t, hash(nil, false), hash(new("my-sglang"), false), "nothing proves it")
}

func TestTheSameHashMeansTheSameRules(t *testing.T) {
	several := strings.Replace(valid, "{chat-: chat}", "{a-: chat, b-: chat, c-: chat, d-: chat, e-: chat}", 1)
	several = strings.Replace(several, "{kestrel.kind: [api]}", "{kestrel.a: [x], kestrel.b: [x], kestrel.c: [x], kestrel.d: [x]}", 1)
	hash := func(opts mapping.Options, tables ...*mapping.Table) string { return compile(t, opts, tables...).Hash() }
	reference := hash(mapping.Options{}, parse(t, several))

	t.Run("of a table that is read again", func(t *testing.T) {
		for range 20 {
			require.Equal(t, reference, hash(mapping.Options{}, parse(t, several)))
		}
	})
	t.Run("of a table of another file name", func(t *testing.T) {
		elsewhere, err := mapping.ParseTable("elsewhere.yaml", []byte("# moved\n"+several))
		require.NoError(t, err)
		assert.Equal(t, reference, hash(mapping.Options{}, elsewhere))
	})
	t.Run("of an engine that is named and not changed", func(t *testing.T) {
		for _, same := range []mapping.EngineOptions{{}, {Enabled: new(true)}, {Provider: new("kestrel")}, {Approximate: new(false)}} {
			assert.Equal(t, reference, hash(mapping.Options{Engines: map[string]mapping.EngineOptions{"kestrel": same}}, parse(t, several)))
		}
	})
	t.Run("of an empty list of exclusions", func(t *testing.T) {
		assert.Equal(t, reference, hash(mapping.Options{Exclude: []string{}, Engines: map[string]mapping.EngineOptions{}}, parse(t, several)))
	})
	t.Run("of a table beside one that is off", func(t *testing.T) {
		off := parse(t, "engine: kite\nlayer: gateway\nattributes: [{id: kite.a, keep: a, why: no target}]\n")
		assert.Equal(t, reference, hash(mapping.Options{}, parse(t, several), off))
	})
	t.Run("of exclusions in another order", func(t *testing.T) {
		assert.Equal(t,
			hash(mapping.Options{Exclude: []string{"kestrel.first", "kestrel.prompt"}}, parse(t, several)),
			hash(mapping.Options{Exclude: []string{"kestrel.prompt", "kestrel.first", "kestrel.first"}}, parse(t, several)))
	})
}
