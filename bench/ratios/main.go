// SPDX-License-Identifier: Apache-2.0

// Command ratios reads what the benchmarks of this module print and writes the table of docs/performance.md: how the
// processor compares with the others, and whether it is what it should be.
//
// usage: ratios RESULTS PAGE
//
// The table replaces what stands in the page between the two markers. A missed target is no error; a benchmark that
// did not run is.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	begin = "<!-- ratios -->\n"
	end   = "<!-- /ratios -->\n"
)

var errMarkers = errors.New("the page has no place for the table: the lines <!-- ratios --> and <!-- /ratios --> are expected, in this order")

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: ratios RESULTS PAGE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(1)
	}
}

func run(results, page string) error {
	f, err := os.Open(results) //nolint:gosec // Reading the file that it is given is what the command is for.
	if err != nil {
		return err
	}
	defer f.Close()
	best, err := read(f, results)
	if err != nil {
		return err
	}
	var table bytes.Buffer
	if err := write(&table, best); err != nil {
		return err
	}
	text, err := os.ReadFile(page) //nolint:gosec // As above.
	if err != nil {
		return err
	}
	if text, err = insert(text, table.Bytes()); err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	return os.WriteFile(page, text, 0o644) //nolint:gosec // A page of the documentation is for everybody.
}

// insert returns the page with the table between its markers.
func insert(page, table []byte) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(begin))
	if !ok {
		return nil, errMarkers
	}
	_, after, ok := bytes.Cut(rest, []byte(end))
	if !ok {
		return nil, errMarkers
	}
	return bytes.Join([][]byte{before, []byte(begin), table, []byte(end), after}, nil), nil
}

// write writes one table for each group of targets.
func write(w io.Writer, best measured) error {
	for _, g := range groups() {
		fmt.Fprintf(w, "\n%s\n\n", g.words)
		fmt.Fprintf(w, "| | %s | %s | ratio | target | |\n|---|---|---|---|---|---|\n", g.subject, g.object)
		for _, t := range g.targets {
			row, err := t.row(best)
			if err != nil {
				return err
			}
			fmt.Fprintln(w, row)
		}
	}
	fmt.Fprintln(w)
	return nil
}
