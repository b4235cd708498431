// SPDX-License-Identifier: Apache-2.0

package yamldoc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/yamldoc"
)

func TestFirst(t *testing.T) {
	for name, test := range map[string]struct {
		text     string
		isZero   bool
		nextLine int
	}{
		"nothing":                           {"# a comment\n", true, 0},
		"one document":                      {"---\na: 1\n", false, 0},
		"markers without another document":  {"a: 1\n...\n---\n# a comment\n---\n", false, 0},
		"two documents":                     {"a: 1\n---\nb: 2\n", false, 3},
		"another behind one without a word": {"a: 1\n---\n---\n\nb: 2\n", false, 5},
	} {
		t.Run(name, func(t *testing.T) {
			first, nextLine, err := yamldoc.First([]byte(test.text))
			require.NoError(t, err)
			assert.Equal(t, test.isZero, first.IsZero())
			assert.Equal(t, test.nextLine, nextLine)
		})
	}
	_, _, err := yamldoc.First([]byte("a: 1\n---\nb: c: d\n"))
	require.ErrorContains(t, err, "line 3")
}
