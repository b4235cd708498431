// SPDX-License-Identifier: Apache-2.0

package main // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize"

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/lint"
)

func newLintCommand() *cobra.Command {
	var strict bool
	cmd := &cobra.Command{
		Use:   "lint FILE...",
		Short: "Check mapping tables and configurations of collectors",
		Long: `Check files and write one line for each fault, and for each warning, to standard output. The exit code is 1 if there is
a fault; with --strict also if there is a warning.

A file is one of
  - a mapping table. Several tables are taken together, in their order, as those of one configuration. They are compiled
    with the built-in ones for every target and with every row in use. What a table hides of another is a warning.
  - the configuration of a collector. Every instance of the processor in it is checked as the collector would, with
    ${env:…} and ${file:…} replaced and the paths of tables taken from the current directory. That an instance is in no
    pipeline, or behind a processor that should come after it, is a warning. A file that configures no processors is a
    part: those that its pipelines name are looked for in the other files.
  - what stands under genainormalize: in one, as for apply --config.`,
		Example: `  genainormalize lint tables/kestrel.yaml
  genainormalize lint --strict collector.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			findings, err := lint.Files(cmd.Context(), files)
			if err != nil {
				return err
			}
			faults := 0
			for _, f := range findings {
				fmt.Fprintln(cmd.OutOrStdout(), f)
				if !f.Warning {
					faults++
				}
			}
			warnings := len(findings) - faults
			if faults > 0 || strict && warnings > 0 {
				return errors.New(counted(faults, "fault") + ", " + counted(warnings, "warning"))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "fail if there are warnings, too")
	return cmd
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
