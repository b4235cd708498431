// SPDX-License-Identifier: Apache-2.0

package itemdiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/itemdiff"

import (
	"math"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Pair is one item before and after.
type Pair struct {
	Before, After Item
}

// pass is one attempt to find partners: by which key, and what else must hold.
type pass struct {
	key   int
	holds func(before, after Item) bool
}

// passes begin with the most telling key. Spans and log records have ids or a text in both; of a data point the values
// have to be the same, or the same in another unit, and the values of the labels have to be there.
var passes = []pass{
	{0, func(Item, Item) bool { return true }},
	{1, func(before, after Item) bool {
		return slices.Equal(before.values, after.values) && keepsLabels(before, after)
	}},
	{1, func(before, after Item) bool {
		return isScaled(before.values, after.values) && keepsLabels(before, after)
	}},
}

// match pairs items. Of several that could be meant the order decides: engines that seed their random numbers repeat span
// ids, even within one trace. The pairs follow the order of before.
func match(before, after []Item) (pairs []Pair, missing, extra []Item) {
	partners := make([]*Item, len(before))
	taken := make([]bool, len(after))
	for _, pass := range passes {
		waiting := map[string][]int{}
		for j := range after {
			if !taken[j] {
				waiting[after[j].keys[pass.key]] = append(waiting[after[j].keys[pass.key]], j)
			}
		}
		for i := range before {
			if partners[i] != nil {
				continue
			}
			for _, j := range waiting[before[i].keys[pass.key]] {
				if !taken[j] && pass.holds(before[i], after[j]) {
					partners[i], taken[j] = &after[j], true
					break
				}
			}
		}
	}
	for i, partner := range partners {
		if partner == nil {
			missing = append(missing, before[i])
			continue
		}
		pairs = append(pairs, Pair{Before: before[i], After: *partner})
	}
	for j := range after {
		if !taken[j] {
			extra = append(extra, after[j])
		}
	}
	return pairs, missing, extra
}

// keepsLabels tells whether the values of a data point's labels are there after, under whichever name.
func keepsLabels(before, after Item) bool {
	return before.Kind != DataPoint || hasValuesOf(after.Attributes, before.Attributes)
}

// isScaled tells whether all values were divided by the same power of ten.
func isScaled(before, after []float64) bool {
	if len(before) != len(after) {
		return false
	}
	factor := 1.0
	for i := range before {
		if before[i] != 0 && after[i] != 0 {
			factor = before[i] / after[i]
			break
		}
	}
	if power := math.Log10(factor); math.Abs(power-math.Round(power)) > 1e-9 {
		return false
	}
	for i := range before {
		if math.Abs(before[i]-after[i]*factor) > 1e-9*math.Abs(before[i]) {
			return false
		}
	}
	return true
}

func hasValuesOf(all, some pcommon.Map) bool {
	values := map[string]bool{}
	for _, v := range all.All() {
		values[v.AsString()] = true
	}
	for _, v := range some.All() {
		if !values[v.AsString()] {
			return false
		}
	}
	return true
}
