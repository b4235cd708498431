// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Units as benchfmt calls them, which reads ns/op as sec/op.
const (
	seconds = "sec/op"
	allocs  = "allocs/op"
)

// measurement is one value of one benchmark.
type measurement struct{ benchmark, unit string }

// measured holds the least value of all runs. Others on the machine make a run slower, nothing makes it faster.
type measured map[measurement]float64

// read reads the output of go test -bench.
func read(r io.Reader, name string) (measured, error) {
	best := measured{}
	reader := benchfmt.NewReader(r, name)
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, record
		case *benchfmt.Result:
			best.add(record)
		}
	}
	return best, reader.Err()
}

func (best measured) add(result *benchfmt.Result) {
	name := result.Name.String()
	if _, parts := result.Name.Parts(); len(parts) > 0 {
		if last := string(parts[len(parts)-1]); strings.HasPrefix(last, "-") { // the number of processors
			name = strings.TrimSuffix(name, last)
		}
	}
	for _, v := range result.Values {
		key := measurement{benchmark: name, unit: v.Unit}
		if have, ok := best[key]; !ok || v.Value < have {
			best[key] = v.Value
		}
	}
}

// of returns a value, or an error that says which benchmark did not run.
func (best measured) of(benchmark, unit string) (float64, error) {
	v, ok := best[measurement{benchmark: benchmark, unit: unit}]
	if !ok {
		return 0, fmt.Errorf("no %s of %q: run all benchmarks, with -benchmem", unit, benchmark)
	}
	return v, nil
}
