// SPDX-License-Identifier: Apache-2.0

package main // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize"

import (
	"github.com/spf13/cobra"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/itemdiff"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/terminal"
)

func newCompareCommand() *cobra.Command {
	var options itemdiff.PrintOptions
	var in *input

	cmd := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Show what changed between two files of traces, metrics or logs",
		Long: `Pair the items of two files and show, for one of each shape, what came in and what came out. Items are spans, log records
and data points. Those of one shape have the same scope, name and attribute keys, and were changed in the same way.

Spans are paired by their ids, log records by their times, ids and body, data points by name and labels or, where these
changed, by times, instrument and values, also in another unit. A file holds OTLP/JSON or, as for apply, a Prometheus
exposition; --job and --instance are those that apply was told.

A key that went and a key that came with the same value are shown as a rename if no other key of the item could be
meant, or if other items show which one is; otherwise as one removed and one added.`,
		Example: `  genainormalize compare before.json after.json
  genainormalize compare --max 20 before.json after.json
  genainormalize compare --job vllm metrics.prom after.json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, files []string) error {
			after, err := in.readFiles(files[1:])
			if err != nil {
				return err
			}
			// Points are paired by their times. An exposition that has none gets those it got then.
			if at, ok := itemdiff.FirstPoint(after); ok {
				in.target.Time = at
			}
			before, err := in.readFiles(files[:1])
			if err != nil {
				return err
			}
			options.Style = terminal.StyleFor(cmd.OutOrStdout())
			return itemdiff.Print(cmd.OutOrStdout(), itemdiff.Compare(before, after), options)
		},
	}
	in = newInput(cmd)
	cmd.Flags().IntVar(&options.Max, "max", 6, "show at most this many items")
	cmd.Flags().IntVar(&options.Width, "width", 100, "columns of the terminal")
	return cmd
}
