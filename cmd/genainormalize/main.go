// SPDX-License-Identifier: Apache-2.0

// Command genainormalize helps to try, check and understand the genainormalize processor from a terminal.
package main // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize"

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	os.Exit(run(os.Stdin, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes the command line and returns the exit code: 1 for an error, 2 for what --strict does not
// let pass. Both are one line on stderr.
func run(stdin io.Reader, args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	cmd := newRootCommand()
	cmd.SetArgs(args)
	cmd.SetIn(stdin)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	if err := cmd.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(stderr, "genainormalize:", oneLine(err))
		if errors.Is(err, errStrict) {
			return 2
		}
		return 1
	}
	return 0
}

func newRootCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:           "genainormalize",
		Short:         "Try, check and understand the genainormalize processor",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.AddCommand(newApplyCommand(), newExplainCommand(), newCompareCommand(), newReplayCommand(), newTablesCommand(),
		newLintCommand(), newDocsCommand())
	return cmd
}

func oneLine(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}
