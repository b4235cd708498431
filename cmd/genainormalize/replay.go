// SPDX-License-Identifier: Apache-2.0

package main // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize"

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpclient"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"
)

func newReplayCommand() *cobra.Command {
	protocol := otlpclient.HTTP
	var endpoint string
	var wait time.Duration
	var in *input

	cmd := &cobra.Command{
		Use:   "replay FILE...",
		Short: "Send OTLP/JSON or Prometheus expositions to a collector",
		Long: `Send files to an OTLP endpoint, in the order given. A file holds OTLP/JSON (traces, metrics, logs), one document or
several, one after the other, as the collector's file exporter writes them, or a Prometheus exposition, which becomes
metrics as in genainormalize apply.`,
		Example: `  genainormalize replay testdata/captured/vllm/vllm-0.32.0-v1-chat.otlp.json
  genainormalize replay --protocol grpc --endpoint http://127.0.0.1:4317 spans.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			// Everything is read first: a broken file is reported before anything is sent.
			documents, err := in.readFiles(files)
			if err != nil {
				return err
			}
			if endpoint == "" {
				endpoint = protocol.DefaultEndpoint()
			}
			client, err := otlpclient.New(protocol, endpoint)
			if err != nil {
				return err
			}
			defer client.Close()
			client.WaitUntilUp(wait)

			var sent otlpjson.Count
			for _, document := range documents {
				if err := client.Send(cmd.Context(), document); err != nil {
					return err
				}
				sent.Add(document)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "sent %s to %s\n", sent, endpoint)
			return err
		},
	}
	in = newInput(cmd)
	cmd.Flags().StringVar(&endpoint, "endpoint", "", fmt.Sprintf("OTLP endpoint (default %s, with grpc %s)",
		otlpclient.HTTP.DefaultEndpoint(), otlpclient.GRPC.DefaultEndpoint()))
	cmd.Flags().Var(&protocol, "protocol", "OTLP transport, http or grpc")
	cmd.Flags().DurationVar(&wait, "wait", 10*time.Second, "how long to wait for an endpoint that is not up yet")
	return cmd
}
