// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strconv"
)

// group is a table: targets that compare the same two.
type group struct {
	words           string
	subject, object string
	targets         []target
}

// target is a ratio that should not be exceeded.
type target struct {
	words string
	unit  string
	// subject and object are benchmarks. The ratio is that of the subject to the object.
	subject, object string
	limit           float64
	// limitWords is the limit as a person says it.
	limitWords string
}

const (
	ours         = "/by=genainormalize"
	ottl         = "/by=transform"
	renaming     = "/by=metricstransform"
	decoding     = "/by=decoding"
	walking      = "/by=walking"
	passing      = "/by=passing"
	fourLines    = "/by=four-statements"
	noTarget     = 0
	tenfold      = 12 // A tenth more work per item, and what is measured wrong.
	measuredFlat = 1.2
)

func groups() []group {
	items := []string{"vllm-v1", "vllm-v1-agent", "sglang-trace", "entry", "mixed"}
	spans := func(unit, against string, limit float64, limitWords string) []target {
		return targets("Traces/payload=", items, unit, against, limit, limitWords)
	}
	metrics := func(payloads []string, unit, against string, limit float64, limitWords string) []target {
		return targets("Metrics/payload=", payloads, unit, against, limit, limitWords)
	}
	standard, extended := []string{"vllm", "sglang"}, []string{"vllm-extensions", "sglang-extensions"}
	return []group{
		{"Spans: time of a batch, against OTTL that does the same", "genainormalize", "transform", spans(seconds, ottl, 1.0/4, "¼")},
		{"Spans: allocations of a batch, against OTTL that does the same", "genainormalize", "transform", spans(allocs, ottl, 1.0/4, "¼")},
		{"Spans: time of a batch, against decoding it", "genainormalize", "decoding", spans(seconds, decoding, 1.0/3, "⅓")},
		{
			"Spans: time of a batch, against the four statements that rename the token counts and do nothing else",
			"genainormalize", "four statements", spans(seconds, fourLines, noTarget, ""),
		},
		{"Foreign spans: time of a batch, against looking at each key once", "genainormalize", "walking", targets("Traces/payload=", []string{"foreign"}, seconds, walking, 4, "4")},
		{"Foreign spans: time of a batch, against OTTL that finds nothing to do", "genainormalize", "transform", targets("Traces/payload=", []string{"foreign"}, seconds, ottl, noTarget, "")},
		{
			"Foreign spans and metrics: allocations of a batch, against a processor that does nothing", "genainormalize", "nothing",
			[]target{
				{"spans", allocs, "Traces/payload=foreign" + ours, "Traces/payload=foreign" + passing, 1, "1"},
				{"metrics", allocs, "Metrics/payload=foreign" + ours, "Metrics/payload=foreign" + passing, 1, "1"},
			},
		},
		{"Scrapes: time, against metricstransform with the same three names and their labels", "genainormalize", "metricstransform", metrics(standard, seconds, renaming, 1, "1")},
		{"Scrapes: allocations, against metricstransform with the same three names and their labels", "genainormalize", "metricstransform", metrics(standard, allocs, renaming, 1, "1")},
		{"Scrapes: time, against decoding", "genainormalize", "decoding", metrics(standard, seconds, decoding, 0.05, "0.05")},
		{"Scrapes with `extensions: true`: time, against metricstransform with the same names and labels", "genainormalize", "metricstransform", metrics(extended, seconds, renaming, 0.1, "0.1")},
		{"Scrapes with `extensions: true`: time, against OTTL that does the same", "genainormalize", "transform", metrics(extended, seconds, ottl, noTarget, "")},
		{
			"The floor: time of a processor that does nothing, which is in the times above", "nothing", "another",
			[]target{
				{"vllm, against decoding", seconds, "Metrics/payload=vllm" + passing, "Metrics/payload=vllm" + decoding, noTarget, ""},
				{"sglang, against decoding", seconds, "Metrics/payload=sglang" + passing, "Metrics/payload=sglang" + decoding, noTarget, ""},
				{"vllm-extensions, against metricstransform", seconds, "Metrics/payload=vllm-extensions" + passing, "Metrics/payload=vllm-extensions" + renaming, noTarget, ""},
				{"sglang-extensions, against metricstransform", seconds, "Metrics/payload=sglang-extensions" + passing, "Metrics/payload=sglang-extensions" + renaming, noTarget, ""},
				{"foreign spans, against walking", seconds, "Traces/payload=foreign" + passing, "Traces/payload=foreign" + walking, noTarget, ""},
			},
		},
		{
			"A hundred times as many rows in the tables: time", "× 100", "× 1",
			[]target{
				growth("vllm-v1", "Rows/payload=vllm-v1/rows=100", "Rows/payload=vllm-v1/rows=1", measuredFlat, "1 (flat)"),
				growth("vllm scrape", "Rows/payload=vllm-scrape/rows=100", "Rows/payload=vllm-scrape/rows=1", measuredFlat, "1 (flat)"),
			},
		},
		{
			"Ten times as many parts of an item: time", "× 10", "× 1",
			[]target{
				growth("attributes of a span, 200 and 20", "Attributes/attributes=200", "Attributes/attributes=20", tenfold, "10 (linear)"),
				growth("attributes of a span, 2000 and 200", "Attributes/attributes=2000", "Attributes/attributes=200", tenfold, "10 (linear)"),
				growth("points of a histogram, 100 and 10", "Points/points=100", "Points/points=10", tenfold, "10 (linear)"),
				growth("points of a histogram, 1000 and 100", "Points/points=1000", "Points/points=100", tenfold, "10 (linear)"),
			},
		},
	}
}

// targets returns one for each payload, of the processor against another contender.
func targets(benchmark string, payloads []string, unit, against string, limit float64, limitWords string) []target {
	list := make([]target, 0, len(payloads))
	for _, p := range payloads {
		list = append(list, target{p, unit, benchmark + p + ours, benchmark + p + against, limit, limitWords})
	}
	return list
}

// growth returns the target of the processor against itself with less to do.
func growth(words, more, less string, limit float64, limitWords string) target {
	return target{words, seconds, more + ours, less + ours, limit, limitWords}
}

// row returns the target's row of the table.
func (t target) row(best measured) (string, error) {
	subject, err := best.of(t.subject, t.unit)
	if err != nil {
		return "", err
	}
	object, err := best.of(t.object, t.unit)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("| %s | %s | %s | %.3g | %s | %s |",
		t.words, quantity(subject, t.unit), quantity(object, t.unit), subject/object, t.limitWords, t.verdict(subject/object)), nil
}

func (t target) verdict(ratio float64) string {
	switch {
	case t.limit == noTarget:
		return ""
	case ratio <= t.limit:
		return "met"
	default:
		return "missed"
	}
}

// quantity writes a value as a person reads it.
func quantity(v float64, unit string) string {
	if unit == seconds {
		return fmt.Sprintf("%.3g µs", v*1e6)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}
