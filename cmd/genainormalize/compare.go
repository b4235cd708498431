// SPDX-License-Identifier: Apache-2.0

package main // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize"

import (
	"fmt"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/spandiff"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/terminal"
)

func newCompareCommand() *cobra.Command {
	var options spandiff.PrintOptions

	cmd := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Show what changed between two OTLP/JSON trace files",
		Long: `Pair the spans of two OTLP/JSON trace files and show, for one span of each shape, what came in and what came out.
Spans of one shape have the same scope, name and attribute keys, and were changed in the same way.

A key that went and a key that came with the same value are shown as a rename if no other key of the span could be
meant, or if other spans show which one is; otherwise as one removed and one added.`,
		Example: `  genainormalize compare before.json after.json
  genainormalize compare --max 20 before.json after.json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, files []string) error {
			before, err := readTraces(files[0])
			if err != nil {
				return err
			}
			after, err := readTraces(files[1])
			if err != nil {
				return err
			}
			options.Style = terminal.StyleFor(cmd.OutOrStdout())
			return spandiff.Print(cmd.OutOrStdout(), spandiff.Compare(before, after), options)
		},
	}
	cmd.Flags().IntVar(&options.Max, "max", 6, "show at most this many spans")
	cmd.Flags().IntVar(&options.Width, "width", 100, "columns of the terminal")
	return cmd
}

func readTraces(file string) ([]ptrace.Traces, error) {
	documents, err := otlpjson.ReadFile(file)
	if err != nil {
		return nil, err
	}
	traces := make([]ptrace.Traces, 0, len(documents))
	for i, document := range documents {
		td, ok := document.(ptrace.Traces)
		if !ok {
			return nil, fmt.Errorf("%s: document %d: compare reads traces only", file, i+1)
		}
		traces = append(traces, td)
	}
	return traces, nil
}
