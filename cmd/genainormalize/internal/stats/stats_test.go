// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

func TestUnmappedNamesAreSortedAndDistinct(t *testing.T) {
	var found Stats
	vllm, vllmToo := &mapping.DialectRules{ID: "vllm/v1", Engine: "vllm"}, &mapping.DialectRules{ID: "vllm/v0", Engine: "vllm"}
	sglang := &mapping.DialectRules{ID: "sglang/native", Engine: "sglang"}
	reporter := found.Of(normalize.Metrics)
	reporter.Unmapped(t.Context(), vllm, "vllm:b")
	reporter.Unmapped(t.Context(), vllm, "vllm:a")
	reporter.Unmapped(t.Context(), vllmToo, "vllm:b")
	reporter.Unmapped(t.Context(), sglang, "sglang:c")
	data, err := json.Marshal(&found)
	require.NoError(t, err)
	assert.JSONEq(t, `{"items": [], "outcomes": [], "unmapped": [
		{"engine": "sglang", "name": "sglang:c"}, {"engine": "vllm", "name": "vllm:a"}, {"engine": "vllm", "name": "vllm:b"}
	]}`, string(data))
}

func TestNothingIsWrittenAsEmptyLists(t *testing.T) {
	data, err := json.Marshal(new(Stats))
	require.NoError(t, err)
	assert.JSONEq(t, `{"items": [], "outcomes": [], "unmapped": []}`, string(data))
}
