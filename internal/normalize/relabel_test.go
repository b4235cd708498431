// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// TestLabelsAreRenamedAtOnce has rules of which one's name is the other's label, in both orders, and two that want the
// same label: what a rule writes is no label of another.
func TestLabelsAreRenamedAtOnce(t *testing.T) {
	label := func(from, to string) mapping.LabelRule {
		return mapping.LabelRule{From: []string{from}, To: to, Not: map[string]struct{}{"": {}}}
	}
	for _, c := range []struct {
		name         string
		rules        []mapping.LabelRule
		before, want map[string]any
	}{
		{"a chain", []mapping.LabelRule{label("a", "b"), label("b", "c")}, map[string]any{"a": "1"}, map[string]any{"b": "1"}},
		{"a chain the other way", []mapping.LabelRule{label("b", "c"), label("a", "b")}, map[string]any{"a": "1"}, map[string]any{"b": "1"}},
		{"one label for two", []mapping.LabelRule{label("a", "b"), label("a", "c")}, map[string]any{"a": "1"}, map[string]any{"b": "1"}},
		{"an empty attribute", []mapping.LabelRule{label("a", "b")}, map[string]any{"b": "", "a": "1"}, map[string]any{"b": "1"}},
		{"a label beside", []mapping.LabelRule{label("a", "b")}, map[string]any{"a": "1", "x": "y"}, map[string]any{"b": "1", "x": "y"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			attrs := pcommon.NewMap()
			require.NoError(t, attrs.FromRaw(c.before))
			relabel(attrs, &mapping.MetricRule{Labels: c.rules})
			assert.Equal(t, c.want, attrs.AsRaw())
		})
	}
}
