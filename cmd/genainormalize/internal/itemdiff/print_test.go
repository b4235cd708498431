// SPDX-License-Identifier: Apache-2.0

package itemdiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/itemdiff"

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func request(id byte, attributes map[string]any) span {
	return span{id: id, name: "llm_request", attributes: attributes}
}

func printed(t *testing.T, before, after []span, options PrintOptions) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, Print(&out, Compare(document(t, before...), document(t, after...)), options))
	return out.String()
}

func TestPrint(t *testing.T) {
	before := []span{
		request(1, map[string]any{"gen_ai.usage.prompt_tokens": 8, "gen_ai.request.temperature": 1, "gen_ai.request.n": 1}),
		request(2, map[string]any{"gen_ai.usage.prompt_tokens": 9, "gen_ai.request.temperature": 1, "gen_ai.request.n": 1}),
		{id: 3, name: "Load model", attributes: map[string]any{"code.function": "load"}},
		{id: 4, name: "lost"},
	}
	after := []span{
		request(1, map[string]any{"gen_ai.usage.input_tokens": 8, "gen_ai.request.temperature": 1.0, "gen_ai.provider.name": "vllm"}),
		request(2, map[string]any{"gen_ai.usage.input_tokens": 9, "gen_ai.request.temperature": 1.0, "gen_ai.provider.name": "vllm"}),
		{id: 3, name: "Load model", attributes: map[string]any{"code.function": "load"}},
	}
	assert.Equal(t, `llm_request  scope engine
  trace 01000000000000000000000000000000 span 0100000000000000 and 1 more like it
  renamed    gen_ai.usage.prompt_tokens   8
             → gen_ai.usage.input_tokens
  converted  gen_ai.request.temperature   1 → 1.0
  added      gen_ai.provider.name         "vllm"
  removed    gen_ai.request.n             1

untouched
  1 × Load model  scope engine, 1 attributes

lost  only before, trace 01000000000000000000000000000000 span 0400000000000000

4 spans in, 2 changed, 1 untouched, 1 missing after
`, printed(t, before, after, PrintOptions{Max: 5, Width: 100}))
}

func TestPrintShowsAtMostMaxShapes(t *testing.T) {
	spans := []span{{id: 1, name: "a"}, {id: 2, name: "b"}, {id: 3, name: "c"}}
	assert.Equal(t, `untouched
  1 × a  scope engine, 0 attributes
  … and 2 more, see --max

3 spans in, 0 changed, 3 untouched
`, printed(t, spans, spans, PrintOptions{Max: 1, Width: 100}))
}

func TestPrintKeepsWithinTheWidth(t *testing.T) {
	long := strings.Repeat("x", 300)
	before := []span{request(1, map[string]any{"renamed": long, "converted": long, "short": "a", "removed": long + "r", "unchanged": long + "u"})}
	after := []span{request(1, map[string]any{"renamed2": long, "converted": long + "c", "short": long + "s", "added": long + "a", "unchanged": long + "u"})}
	for _, width := range []int{60, 80, 100} {
		for line := range strings.Lines(printed(t, before, after, PrintOptions{Max: 5, Width: width})) {
			if !strings.Contains(line, "trace ") {
				assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), width, line)
			}
		}
	}
}

func TestPrintStandsOddOptions(t *testing.T) {
	spans := []span{request(1, map[string]any{"a": "b"})}
	changed := []span{request(1, map[string]any{"a": "c"})}
	for _, options := range []PrintOptions{{}, {Max: -1, Width: -1}, {Max: 1}} {
		assert.NotPanics(t, func() { printed(t, spans, changed, options) })
	}
}
