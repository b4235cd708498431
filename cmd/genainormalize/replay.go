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

	cmd := &cobra.Command{
		Use:   "replay FILE...",
		Short: "Send OTLP/JSON files to a collector",
		Long: `Send OTLP/JSON files (traces, metrics, logs) to an OTLP endpoint, in the order given.
A file holds one document or several, one after the other, as the collector's file exporter writes them.`,
		Example: `  genainormalize replay testdata/captured/vllm/vllm-0.32.0-v1-chat.otlp.json
  genainormalize replay --protocol grpc --endpoint http://127.0.0.1:4317 spans.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			// Everything is read first: a broken file is reported before anything is sent.
			documents, err := readAll(files)
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
	cmd.Flags().StringVar(&endpoint, "endpoint", "", fmt.Sprintf("OTLP endpoint (default %s, with grpc %s)",
		otlpclient.HTTP.DefaultEndpoint(), otlpclient.GRPC.DefaultEndpoint()))
	cmd.Flags().Var(&protocol, "protocol", "OTLP transport, http or grpc")
	cmd.Flags().DurationVar(&wait, "wait", 10*time.Second, "how long to wait for an endpoint that is not up yet")
	return cmd
}

func readAll(files []string) ([]otlpjson.Document, error) {
	var all []otlpjson.Document
	for _, file := range files {
		documents, err := otlpjson.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, documents...)
	}
	return all, nil
}
