// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// RowsAbout returns the rows that are about at least one point of a metric: of its name, its instrument and labels that
// they select. Whether version, options or rows above leave something for them to do makes no difference.
func RowsAbout(rules *mapping.RuleSet, m pmetric.Metric) []*mapping.MetricRow {
	known := rules.Metric(m.Name())
	if known == nil || known.Kind != mapping.KindSource {
		return nil
	}
	instrument := instrumentOf(m)
	var rows []*mapping.MetricRow
	for i := range countPoints(m) {
		labels := labelsOf(m, i)
		for _, source := range known.Sources {
			if matchesAny(source.ForeignPoints, labels) {
				continue
			}
			for _, rule := range source.Rules {
				if rule.Instruments.Has(instrument) && selects(rule, labels) && !slices.Contains(rows, rule.Row) {
					rows = append(rows, rule.Row)
				}
			}
		}
	}
	return rows
}
