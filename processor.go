// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor // import "github.com/genainormalize/genainormalizeprocessor"

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// tracesProcessor adapts the normalizer to the Collector. It holds no state of its own, so it may be used by
// several pipelines at once.
type tracesProcessor struct {
	normalizer *normalize.Normalizer
	rules      *mapping.RuleSet
	telemetry  *telemetry
}

func newTracesProcessor(set component.TelemetrySettings, cfg *Config) (*tracesProcessor, error) {
	rules, err := cfg.RuleSet()
	if err != nil {
		return nil, err
	}
	tel, err := newTelemetry(set, rules, normalize.Traces)
	if err != nil {
		return nil, err
	}
	return &tracesProcessor{normalizer: normalize.New(rules, cfg.Options()), rules: rules, telemetry: tel}, nil
}

func (p *tracesProcessor) start(ctx context.Context, _ component.Host) error {
	p.telemetry.ruleset(ctx, p.rules)
	return nil
}

func (p *tracesProcessor) shutdown(context.Context) error {
	p.telemetry.builder.Shutdown()
	return nil
}

func (p *tracesProcessor) processTraces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	p.normalizer.Traces(ctx, td, p.telemetry)
	return td, nil
}
