// SPDX-License-Identifier: Apache-2.0

package mapping

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestATextThatAllMatchesHave(t *testing.T) {
	for _, c := range []struct{ expression, literal string }{
		{`^\s*(prefill |decode )?Req \S{1,8}$`, "Req "},
		{`^(chat|embeddings) \S`, " "},
		{`a|b`, ""},
		{`(?i)request`, ""},
		{`(abc)+d`, "abc"},
		{`(abc)*d`, "d"},
		{`(abc)?`, ""},
		{`^$`, ""},
		{`\d+`, ""},
		{`é+x`, "é"},
		{`\x{FFFD}`, ""},
	} {
		assert.Equal(t, c.literal, mustPattern(c.expression).literal, c.expression)
	}
	requests := mustPattern(`^\s*(prefill |decode )?Req \S{1,8}$`)
	assert.True(t, requests.matches(" Req 4f1c2a9b"))
	assert.True(t, requests.matches("decode Req 17"))
	assert.False(t, requests.matches("Bootstrap Room"))
	assert.False(t, requests.matches("Sender Req of many"))
}
