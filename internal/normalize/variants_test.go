// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

func resourceOf(version string) pcommon.Resource {
	r := pcommon.NewResource()
	r.Attributes().PutStr("sglang.version", version)
	return r
}

// TestAnyNumberOfVersionsMakesFewVariants states any number of versions, most of them nonsense: what is remembered is
// bounded, and a version that comes late still selects its rows.
func TestAnyNumberOfVersionsMakesFewVariants(t *testing.T) {
	n := newMetricNormalizer(t, Options{}, mapping.Options{})
	for i := range 10 * maxVersions {
		assert.Same(t, n, n.forResource(resourceOf(fmt.Sprintf("nonsense %d", i))))
		n.forResource(resourceOf(fmt.Sprintf("0.5.22+build%d", i)))
	}
	newer, older := n.forResource(resourceOf("0.5.23")), n.forResource(resourceOf("0.4.6"))
	assert.NotSame(t, n, newer)
	assert.NotSame(t, newer, older)
	assert.Same(t, newer, n.forResource(resourceOf("0.5.22")), "the same rows hold")
	assert.Same(t, n, n.forResource(resourceOf("0.5.23\x00vllm\x000.9")), "no version, and not two")
	assert.LessOrEqual(t, len(n.variants.byVersions), maxVersions)
	assert.LessOrEqual(t, len(n.variants.bySignature), 4)
}
