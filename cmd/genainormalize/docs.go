// SPDX-License-Identifier: Apache-2.0

package main // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize"

import (
	"github.com/spf13/cobra"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/docs"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

func newDocsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "docs",
		Short: "Write pages of documentation that follow from the mapping tables",
	}
	cmd.AddCommand(newCoverageCommand(), newMappingCommand())
	return cmd
}

func newCoverageCommand() *cobra.Command {
	var captured string
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "Write which rows were seen in captured payloads",
		Long: `Write to standard output, as Markdown, which rows of the mapping tables are about something in payloads of real servers,
and of which releases. In the repository it is docs/coverage.md.`,
		Example: `  genainormalize docs coverage > docs/coverage.md`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			tables, err := mapping.Tables()
			if err != nil {
				return err
			}
			return docs.Coverage(cmd.OutOrStdout(), tables, captured)
		},
	}
	cmd.Flags().StringVar(&captured, "captured", "testdata/captured", "directory with a folder of payloads for each engine")
	return cmd
}

func newMappingCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "mapping",
		Short: "Write a page for each mapping table",
		Long: `Write, as Markdown, a page for each built-in table with its dialects and rows, and an index. Pages of other tables are
removed from the directory. In the repository it is docs/mapping.`,
		Example: `  genainormalize docs mapping --dir docs/mapping`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			tables, err := mapping.Tables()
			if err != nil {
				return err
			}
			return docs.Mapping(dir, tables)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "docs/mapping", "directory of the pages")
	return cmd
}
