// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"context"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// tally counts what happens in a batch, by dialect, so that instruments are touched once per batch.
type tally []struct {
	items    int64
	outcomes [numReasons]int64
}

func (t tally) item(d *mapping.DialectRules) { t[d.Index].items++ }

func (t tally) outcomes(d *mapping.DialectRules, reason Reason, n int64) {
	t[d.Index].outcomes[reason] += n
}

func (t tally) outcome(d *mapping.DialectRules, reason Reason) { t[d.Index].outcomes[reason]++ }

// report hands the counts over.
func (t tally) report(ctx context.Context, dialects []*mapping.DialectRules, r Reporter) {
	for i, d := range dialects {
		if t[i].items > 0 {
			r.Items(ctx, d, t[i].items)
		}
		for reason, n := range t[i].outcomes {
			if n > 0 {
				r.Outcomes(ctx, d, Reason(reason), n)
			}
		}
	}
}
