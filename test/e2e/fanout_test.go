// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAnotherPipelineGetsWhatWasSent has a pipeline beside that of the processor, which shares its receiver.
func TestAnotherPipelineGetsWhatWasSent(t *testing.T) {
	c := start(t, setup{binary: small(t), configs: []string{"testdata/fan-out.yaml"}, ports: []string{otlpPort}})
	in := readTraces(t, path("vllm-0.32.0-v1-completion"))
	c.send(t, in)
	for _, file := range []string{"changed.json", "untouched.json"} {
		c.await(t, file, func() bool {
			data, err := os.ReadFile(c.file(file))
			return err == nil && len(data) > 0
		})
	}
	c.stop(t)
	assert.Equal(t, text(t, in), text(t, readTraces(t, c.file("untouched.json"))))
	assert.NotEqual(t, text(t, in), text(t, readTraces(t, c.file("changed.json"))))
}
