// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor // import "github.com/genainormalize/genainormalizeprocessor"

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/genainormalize/genainormalizeprocessor/internal/metadata"
	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// telemetry reports what the normalizer did as the component's own metrics. The sets of attributes are made
// once, because making them costs more than counting.
type telemetry struct {
	builder  *metadata.TelemetryBuilder
	items    [][]metric.AddOption   // by dialect
	outcomes [][][]metric.AddOption // by dialect and reason
}

var _ normalize.Reporter = (*telemetry)(nil)

func newTelemetry(set component.TelemetrySettings, rules *mapping.RuleSet, signal normalize.Signal) (*telemetry, error) {
	builder, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	t := &telemetry{builder: builder}
	for _, dialect := range rules.Dialects() {
		attrs := []attribute.KeyValue{attribute.String("signal", string(signal)), attribute.String("dialect", dialect.ID)}
		t.items = append(t.items, addOption(attrs...))
		var outcomes [][]metric.AddOption
		for _, reason := range normalize.Reasons() {
			outcomes = append(outcomes, addOption(append(attrs, attribute.String("reason", reason.String()))...))
		}
		t.outcomes = append(t.outcomes, outcomes)
	}
	return t, nil
}

func addOption(attrs ...attribute.KeyValue) []metric.AddOption {
	return []metric.AddOption{metric.WithAttributeSet(attribute.NewSet(attrs...))}
}

func (t *telemetry) Items(ctx context.Context, dialect *mapping.DialectRules, n int64) {
	t.builder.ProcessorGenainormalizeItems.Add(ctx, n, t.items[dialect.Index]...)
}

func (t *telemetry) Outcomes(ctx context.Context, dialect *mapping.DialectRules, reason normalize.Reason, n int64) {
	t.builder.ProcessorGenainormalizeOutcomes.Add(ctx, n, t.outcomes[dialect.Index][reason]...)
}

// ruleset says which rules are in force.
func (t *telemetry) ruleset(ctx context.Context, rules *mapping.RuleSet) {
	t.builder.ProcessorGenainormalizeRuleset.Record(ctx, 1, metric.WithAttributes(
		attribute.String("target", rules.Registry().Target),
		attribute.String("tables_hash", rules.Hash()),
	))
}
