// SPDX-License-Identifier: Apache-2.0

package main // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize"

import (
	"context"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/stats"
	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
)

func newApplyCommand() *cobra.Command {
	var statsFile string
	var s *source
	cmd := &cobra.Command{
		Use:   "apply [FILE...]",
		Short: "Normalise OTLP/JSON or a Prometheus exposition as the processor would",
		Long: `Read files, or standard input, and write to standard output what the processor makes of them: OTLP/JSON, one document
a line. Signals that the processor does not handle pass unchanged.

A file holds OTLP/JSON, one document or several, or the Prometheus exposition of one server: what it answers on /metrics,
in the text format of Prometheus or in OpenMetrics, which is known by the "# EOF" at its end. Of an exposition the
processor gets what the prometheus receiver would hand it for a first scrape: names and labels as they are, no start
times, the declared type in the metadata of the metric, and no unit but where OpenMetrics has a # UNIT line. --job and
--instance make the attributes of the resource; points have the time of reading, or their own. The receiver's up and
scrape_… are left out.`,
		Example: `  genainormalize apply testdata/captured/vllm/vllm-0.32.0-v1-chat.otlp.json
  genainormalize apply --config genainormalize.yaml --stats stats.json < spans.json
  curl -s localhost:8000/metrics | genainormalize apply --job vllm`,
		RunE: func(cmd *cobra.Command, files []string) error {
			normalizer, documents, err := s.read(cmd.InOrStdin(), files)
			if err != nil {
				return err
			}
			var found stats.Stats
			results, err := applyAll(cmd.Context(), normalizer, documents, &found)
			if err != nil {
				return err
			}
			if statsFile != "" {
				if err := found.WriteFile(statsFile); err != nil {
					return err
				}
			}
			for _, document := range results {
				if err := otlpjson.Write(cmd.OutOrStdout(), document); err != nil {
					return err
				}
			}
			return nil
		},
	}
	s = newSource(cmd)
	cmd.Flags().StringVar(&statsFile, "stats", "", "JSON file for what was recognised and found")
	return cmd
}

// applyAll normalises documents and returns those to pass on: dropped metrics may have been all of one.
func applyAll(ctx context.Context, normalizer *normalize.Normalizer, documents []otlpjson.Document, found *stats.Stats) ([]otlpjson.Document, error) {
	var results []otlpjson.Document
	for _, document := range documents {
		had := itemsIn(document)
		if err := apply(ctx, normalizer, document, found); err != nil {
			return nil, err
		}
		if had == 0 || itemsIn(document) > 0 {
			results = append(results, document)
		}
	}
	return results, nil
}

func apply(ctx context.Context, normalizer *normalize.Normalizer, document otlpjson.Document, found *stats.Stats) error {
	switch d := document.(type) {
	case ptrace.Traces:
		return normalizer.Traces(ctx, d, found.Of(normalize.Traces))
	case pmetric.Metrics:
		return normalizer.Metrics(ctx, d, found.Of(normalize.Metrics))
	case plog.Logs:
		return normalizer.Logs(ctx, d, found.Of(normalize.Logs))
	}
	return nil
}

func itemsIn(document otlpjson.Document) int {
	if md, ok := document.(pmetric.Metrics); ok {
		return md.MetricCount()
	}
	return 1
}
