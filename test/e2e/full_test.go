// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheFullCollectorHasItsComponents(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), full(t), "components").Output()
	require.NoError(t, err)
	var names []string
	for _, match := range regexp.MustCompile(`- name: (\S+)`).FindAllSubmatch(out, -1) {
		names = append(names, string(match[1]))
	}
	assert.ElementsMatch(t, []string{
		"otlp", "prometheus", // receivers
		"batch", "filter", "genainormalize", "memory_limiter", "metrics_transform", "tail_sampling", "transform",
		"debug", "file", "otlp_grpc", "otlp_http", "prometheus", // exporters
		"health_check",
	}, names)
}
