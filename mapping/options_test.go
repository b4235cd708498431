// SPDX-License-Identifier: Apache-2.0

package mapping_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

func TestMistakesInOptions(t *testing.T) {
	for _, c := range []struct {
		name string
		opts mapping.Options
		is   error
		says string
	}{
		{
			"no target",
			mapping.Options{},
			semconv.ErrUnknownTarget, `unknown target "": want one of 0.1.0, 1.41`,
		},
		{
			"an unknown target",
			mapping.Options{Target: "1.40"},
			semconv.ErrUnknownTarget, `unknown target "1.40": want one of 0.1.0, 1.41`,
		},
		{
			"an unknown engine",
			mapping.Options{Target: "1.41", Engines: map[string]mapping.EngineOptions{"kestrle": {}}},
			mapping.ErrUnknownEngine, `unknown engine "kestrle": one of "kestrel", "vllm" is expected`,
		},
		{
			"a version that is none",
			mapping.Options{Target: "1.41", Engines: map[string]mapping.EngineOptions{"kestrel": {Version: "latest"}}},
			mapping.ErrInvalidVersion, `engine "kestrel": invalid version: "latest": a release such as 0.11.0 or 0.3.5.post1 (PEP 440) is expected`,
		},
		{
			"a range where a version is expected",
			mapping.Options{Target: "1.41", Engines: map[string]mapping.EngineOptions{"kestrel": {Version: ">=0.11"}}},
			mapping.ErrInvalidVersion, `engine "kestrel": invalid version: ">=0.11": a release such as 0.11.0 or 0.3.5.post1 (PEP 440) is expected`,
		},
		{
			"an unknown exclusion",
			mapping.Options{Target: "1.41", Exclude: []string{"kestrel.model", "kestrel.inptu_tokens"}},
			mapping.ErrUnknownExclude, `unknown row id or source name "kestrel.inptu_tokens": a row id, a source name, a standard attribute or a metric is expected`,
		},
		{
			"the exclusion of an attribute that only another target has",
			mapping.Options{Target: "1.41", Exclude: []string{"gen_ai.usage.cache_write.input_tokens"}},
			mapping.ErrUnknownExclude, `unknown row id or source name "gen_ai.usage.cache_write.input_tokens": a row id, a source name, a standard attribute or a metric is expected`,
		},
		{
			"the exclusion of all latencies",
			mapping.Options{Target: "1.41", Exclude: []string{"kestrel.time."}},
			mapping.ErrUnknownExclude, `unknown row id or source name "kestrel.time.": a row id, a source name, a standard attribute or a metric is expected`,
		},
		{
			"the exclusion of a latency of no engine",
			mapping.Options{Target: "1.41", Exclude: []string{"kestrel.times.queue"}},
			mapping.ErrUnknownExclude, `unknown row id or source name "kestrel.times.queue": a row id, a source name, a standard attribute or a metric is expected`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			kestrel, err := mapping.ReadTable(kestrelFile)
			require.NoError(t, err)
			_, err = mapping.Compile([]*mapping.Table{table(t, "vllm"), kestrel}, c.opts)
			require.EqualError(t, err, c.says)
			require.ErrorIs(t, err, c.is)
		})
	}
}

func TestOptionsForAnEngineThatIsOffAreChecked(t *testing.T) {
	off := map[string]mapping.EngineOptions{"vllm": {Enabled: new(false), Version: "x"}}
	_, err := mapping.Compile(builtIn(t), mapping.Options{Target: "1.41", Engines: off})
	require.ErrorIs(t, err, mapping.ErrInvalidVersion)
	require.EqualError(t, err, `engine "vllm": invalid version: "x": a release such as 0.11.0 or 0.3.5.post1 (PEP 440) is expected`)
}

func TestWhatIsExcludedMayBelongToAnEngineThatIsOff(t *testing.T) {
	for _, name := range []string{"vllm.input_tokens", "gen_ai.usage.num_sequences", "gen_ai.latency.time_in_scheduler", "gen_ai.latency.of_a_later_release"} {
		rules := compile(t, mapping.Options{
			Exclude: []string{name},
			Engines: map[string]mapping.EngineOptions{"vllm": {Enabled: new(false)}},
		}, table(t, "vllm"))
		assert.Empty(t, rules.Dialects())
		assert.True(t, rules.Excluded(name))
	}
}
