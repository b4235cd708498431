// SPDX-License-Identifier: Apache-2.0

package itemdiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/itemdiff"

import (
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// format shows a value so that its type can be told: 16, 16.0, "16", ["16"].
func format(value pcommon.Value) string {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		return strconv.Quote(value.Str())
	case pcommon.ValueTypeDouble:
		return formatDouble(value.Double())
	case pcommon.ValueTypeSlice:
		parts := make([]string, 0, value.Slice().Len())
		for _, element := range value.Slice().All() {
			parts = append(parts, format(element))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case pcommon.ValueTypeEmpty:
		return "(no value)"
	default:
		return value.AsString()
	}
}

// formatDouble writes all digits, and always a point or an exponent: a double does not look like an int.
func formatDouble(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if strings.Trim(text, "-0123456789") == "" {
		return text + ".0"
	}
	return text
}
