// SPDX-License-Identifier: Apache-2.0

package nearest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/nearest"
)

func TestWord(t *testing.T) {
	words := []string{"originals", "semconv", "span_name", "service_name"}
	for misspelt, want := range map[string]string{
		"originals":    "originals", // the word itself
		"originls":     "originals", // a letter too few
		"originnals":   "originals", // one too many
		"orginalz":     "originals", // both
		"spam_name":    "span_name", // another letter
		"server_names": "service_name",
		"approximate":  "",
		"name":         "",
		"":             "",
	} {
		assert.Equal(t, want, nearest.Word(misspelt, words), misspelt)
	}
}
