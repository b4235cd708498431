// SPDX-License-Identifier: Apache-2.0

package main // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize"

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/explain"
)

func newExplainCommand() *cobra.Command {
	var strict bool
	var s *source
	format := explain.Table
	cmd := &cobra.Command{
		Use:   "explain [FILE...]",
		Short: "Say what the processor makes of OTLP/JSON or a Prometheus exposition, and why",
		Long: `Read files, or standard input, as apply does, and write what becomes of each attribute and metric: the dialect and what
it was recognised by, source and target with unit and basis, the row of the table that says so, what stays and why, which
setting would change that, and what no row is about. Rows are added up over all files.

Of the data only names of attributes, labels and metrics are shown, numbers, and words that are the standard's or the
tables' own. --format is table, json, markdown or html, which is one page without anything from elsewhere.

Exit code 0: explained. 1: an error, in one line on standard error. 2: with --strict, something was counted that an
operator should look at (conflict, collision, not_convertible, type_mismatch, implausible, provider_unknown), or a name
was found that looks like an engine's or the standard's and that no row is about.`,
		Example: `  genainormalize explain testdata/captured/vllm/vllm-0.32.0-v1-chat.otlp.json
  curl -s localhost:8000/metrics | genainormalize explain --format html > explained.html
  genainormalize explain --strict --config genainormalize.yaml spans.json > /dev/null`,
		RunE: func(cmd *cobra.Command, files []string) error {
			normalizer, documents, err := s.read(cmd.InOrStdin(), files)
			if err != nil {
				return err
			}
			report, err := explain.Documents(cmd.Context(), normalizer, documents)
			if err != nil {
				return err
			}
			if err := report.Write(cmd.OutOrStdout(), format); err != nil {
				return err
			}
			if outcomes, unmapped := report.Losses(); strict && outcomes+unmapped > 0 {
				return fmt.Errorf("%w: outcomes: %d, names that no row is about: %d", errStrict, outcomes, unmapped)
			}
			return nil
		},
	}
	s = newSource(cmd)
	cmd.Flags().Var(&format, "format", "table, json, markdown or html")
	cmd.Flags().BoolVar(&strict, "strict", false, "exit code 2 if something was counted or no row is about a name")
	return cmd
}

// errStrict makes the exit code 2.
var errStrict = errors.New("--strict")
