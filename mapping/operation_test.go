// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

func TestOperationsFromTheRequestIDsOfVLLM(t *testing.T) {
	const byDefault = "generate_content"
	ids := []struct{ name, id, want string }{
		{"chat", "chatcmpl-5c2f6c0f8d6e4d3b", "chat"},
		{"chat with an id of the client's", "chatcmpl-my-req-42", "chat"},
		{"chat whose client calls it a completion", "chatcmpl-cmpl-1", "chat"},
		{"the responses API", "resp_7a3e91f0c2b84d56_0", "chat"},
		{"text completion", "cmpl-7d3a-0", "text_completion"},
		{"the second of several prompts", "cmpl-7d3a-1", "text_completion"},
		{"the first of several choices", "0_cmpl-7d3a-0", "text_completion"},
		{"the eleventh of several choices", "10_chatcmpl-5c2f", "chat"},
		{"a sample of the V0 engine", "cmpl-7d3a-0_parallel_sample_2", "text_completion"},
		{"a beam of a completion", "cmpl-7d3a91f0c2b84d56-5c2f6c0f8d6e4d3b-beam-0", "text_completion"},
		{"embeddings", "embd-9e1b-0", "embeddings"},

		{"a score", "score-9e1b-0", ""},
		{"the third pair of a score", "2_score-9e1b-0", ""},
		{"pooling", "pooling-9e1b-0", ""},
		{"a classification", "classify-9e1b-0", ""},
		{"a ranking", "rerank-9e1b-0", ""},
		{"a check of the server's health", "HEALTH_CHECK_1730000000", ""},

		{"a beam that does not say of what", "beam_search-7d3a-0", byDefault},
		{"a request from Python", "17", byDefault},
		{"no id", "", byDefault},
		{"an index and nothing behind", "12_", byDefault},
		{"an index without a number", "_x", byDefault},
		{"an index without a number before a prefix", "_cmpl-7d3a", byDefault},
		{"an index that is no number", "a_cmpl-7d3a", byDefault},
		{"two indexes", "0_1_cmpl-7d3a", byDefault},
		{"an index with another separator", "0-cmpl-7d3a", byDefault},
		{"a prefix that is not complete", "cmpl", byDefault},
		{"a prefix in the middle", "x-cmpl-7d3a", byDefault},
		{"a prefix in capitals", "CMPL-7d3a", byDefault},
		{"a prefix behind a space", " cmpl-7d3a", byDefault},
		{"digits only up to the separator", "0123456789_", byDefault},
	}
	plain := compile(t, mapping.Options{}, builtIn(t)...)
	defaulted := compile(t, mapping.Options{Engines: map[string]mapping.EngineOptions{"vllm": {DefaultOperation: byDefault}}}, builtIn(t)...)
	for _, id := range ids {
		t.Run(id.name, func(t *testing.T) {
			for i, d := range defaulted.Dialects() {
				if d.Engine != "vllm" {
					continue
				}
				assert.Equal(t, id.want, d.Operation(id.id), "with a default in %s", d.ID)
				want := id.want
				if want == byDefault {
					want = ""
				}
				assert.Equal(t, want, plain.Dialects()[i].Operation(id.id), "without a default in %s", d.ID)
			}
		})
	}
}

func TestOperationsOfATable(t *testing.T) {
	const byDefault = "generate_content"
	options := mapping.Options{Engines: map[string]mapping.EngineOptions{"kestrel": {DefaultOperation: byDefault}}}
	rules := compile(t, options, kestrel(t))
	proven, unproven := dialect(t, rules, "kestrel/one"), dialect(t, rules, "kestrel/copy")
	for _, c := range []struct{ name, id, proven, unproven string }{
		{"a prefix", "chat-1", "chat", byDefault},
		{"the longest of several prefixes", "chat-embed-1", "embeddings", byDefault},
		{"a prefix of what has no operation", "score-1", "", ""},
		{"another id", "1", byDefault, byDefault},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.proven, proven.Operation(c.id))
			assert.Equal(t, c.unproven, unproven.Operation(c.id), "where request ids are no proof")
		})
	}
	assert.Equal(t, []mapping.KeyID{rules.Key("kestrel.id").ID}, proven.RequestIDKeys())
}

func TestRequestIDsMayBeInOneOfSeveralAttributes(t *testing.T) {
	rules := compile(t, mapping.Options{}, parse(t, strings.Replace(valid, "key: kestrel.id", "key: [kestrel.z, kestrel.a]", 1)))
	ids := []mapping.KeyID{rules.Key("kestrel.z").ID, rules.Key("kestrel.a").ID}
	assert.Equal(t, ids, dialect(t, rules, "kestrel/one").RequestIDKeys(), "in the order of the table")
}

func TestEntryOperationsOfATable(t *testing.T) {
	rules := compile(t, mapping.Options{}, parse(t, "entry_operations: [chat, embeddings]\n"+valid))
	for _, d := range rules.Dialects() {
		assert.Equal(t, "embeddings", d.EntryOperation("embeddings m"), d.ID)
		assert.Empty(t, d.EntryOperation("rerank m"), "%s: it is not in the list", d.ID)
	}
	for _, d := range compile(t, mapping.Options{}, parse(t, valid)).Dialects() {
		assert.Empty(t, d.EntryOperation("chat m"), "%s: there is no list", d.ID)
	}
}

func TestATableWithoutRequestIDsHasTheDefaultOnly(t *testing.T) {
	table := rows(t, keep("a", "a.x", ""))
	for _, byDefault := range []string{"", "chat"} {
		rules := compile(t, mapping.Options{Engines: map[string]mapping.EngineOptions{"a": {DefaultOperation: byDefault}}}, table)
		d := dialect(t, rules, "a/1")
		assert.Empty(t, d.RequestIDKeys())
		assert.Equal(t, byDefault, d.Operation("cmpl-1"))
	}
}
