// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

const (
	nanosecondsPerSecond = 1e9
	// nanosecondRatio is the ratio of a latency to the span's length in seconds from which on the latency is in
	// nanoseconds. It lies in the middle between 1 and 1e9 on a logarithmic scale.
	nanosecondRatio = 3e4
	// nanosecondValue is the same for a span without length: 1e5 s are 28 hours, 1e5 ns are 0.1 ms.
	nanosecondValue = 1e5
	// misfitRatio is the ratio from which on a latency in seconds does not fit into its span, not even with clocks
	// that were set. What does not fit and would be 28 hours is in nanoseconds: a short request whose span was held
	// open, which lowers the ratio.
	misfitRatio = 10
)

// convertDurations makes every latency of the item a double in seconds. One decision about the unit holds for
// all of them, because a single one may be 0, or nonsense. The length of the span is in seconds.
func (w *walker) convertDurations(length float64) {
	d := w.dialect.Durations
	if d == nil {
		return
	}
	divisor := 1.0
	if d.MaybeNanoseconds && w.inNanoseconds(d, length) {
		divisor = nanosecondsPerSecond
	}
	w.seen.nanoseconds = divisor != 1
	limit := w.limit(d, length, divisor)
	for i := range w.hits {
		h := &w.hits[i]
		if !isDuration(d, h.name) {
			continue
		}
		seconds, ok := toSeconds(h.value, divisor)
		if !ok {
			w.outcome(NotConvertible)
			w.decideLatency(Unconvertible, h)
			seconds, _ = latency(h.value)
		}
		// Engines have bugs that turn "never happened" into the uptime of the machine; the value is left for whoever looks.
		if (seconds < 0 || seconds > limit) && d.Within(h.key) {
			w.outcome(Implausible)
			w.decideLatency(Unlikely, h)
		}
	}
}

// limit returns the seconds beyond which a latency inside of the request is implausible: it does not fit into it.
func (w *walker) limit(d *mapping.DurationRules, length, divisor float64) float64 {
	whole := length
	if len(d.DecideBy) > 0 {
		whole = max(whole, w.latencyOf(d, d.DecideBy[0])/divisor)
	}
	return 1.1*whole + 1
}

// isDuration tells whether the key is a latency that may be touched.
func isDuration(d *mapping.DurationRules, key string) bool {
	return len(key) > len(d.Prefix) && strings.HasPrefix(key, d.Prefix) && !d.Excluded(key)
}

// toSeconds makes a latency a double in seconds. It reports false where the value is no number, or has no exact double.
func toSeconds(v pcommon.Value, divisor float64) (seconds float64, ok bool) {
	if divisor != 1 {
		if seconds, ok = latency(v); ok {
			// 2386712074 / 1e9 is 2.386712074; multiplied by 1e-9 it would be 2.3867120740000003.
			seconds /= divisor
			v.SetDouble(seconds)
		}
		return seconds, ok
	}
	if v.Type() == pcommon.ValueTypeDouble {
		return v.Double(), true
	}
	if seconds, ok = asDouble(v); ok {
		v.SetDouble(seconds)
	}
	return seconds, ok
}

// latency reads a number. An integer beyond the exact ones is a garbage latency, but one with a unit.
func latency(v pcommon.Value) (float64, bool) {
	if v.Type() == pcommon.ValueTypeInt {
		return float64(v.Int()), true
	}
	return asDouble(v)
}

// inNanoseconds decides between seconds and nanoseconds by what stands for the whole request: the first
// positive one of the keys that the table names, else the largest latency.
func (w *walker) inNanoseconds(d *mapping.DurationRules, length float64) bool {
	l := 0.0
	for _, key := range d.DecideBy {
		if l = w.latencyOf(d, key); l > 0 {
			break
		}
	}
	if !(l > 0) {
		for i := range w.hits {
			if h := &w.hits[i]; isDuration(d, h.name) {
				if f, ok := latency(h.value); ok {
					l = max(l, f)
				}
			}
		}
	}
	// What would still look like nanoseconds after a division was never a latency in either unit. Dividing it
	// would make a second pass divide again.
	return looksLikeNanoseconds(l, length) && !looksLikeNanoseconds(l/nanosecondsPerSecond, length)
}

func looksLikeNanoseconds(latency, length float64) bool {
	if length > 0 {
		ratio := latency / length
		return ratio >= nanosecondRatio || ratio >= misfitRatio && latency >= nanosecondValue
	}
	return latency >= nanosecondValue
}

// latencyOf returns a latency that may be touched, or 0.
func (w *walker) latencyOf(d *mapping.DurationRules, key mapping.KeyID) float64 {
	if h := w.first(key); h != nil && isDuration(d, h.name) {
		f, _ := latency(h.value)
		return f
	}
	return 0
}
