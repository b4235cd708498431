// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor // import "github.com/genainormalize/genainormalizeprocessor"

import (
	"context"
	"strings"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/genainormalize/genainormalizeprocessor/internal/metadata"
	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// telemetry reports what the normalizer did as the component's own metrics. The sets of attributes are made
// once, because making them costs more than counting.
type telemetry struct {
	builder  *metadata.TelemetryBuilder
	logger   *zap.Logger
	items    [][]metric.AddOption   // by dialect
	outcomes [][][]metric.AddOption // by dialect and reason

	mu       sync.Mutex
	unmapped map[string]map[string]struct{} // names by engine
}

const (
	// maxUnmapped bounds how many names of an engine are remembered. A new release brings a few dozen at most.
	maxUnmapped = 256
	// maxNameLength bounds what is remembered and logged of a name.
	maxNameLength = 128
)

var _ normalize.Reporter = (*telemetry)(nil)

func newTelemetry(set component.TelemetrySettings, rules *mapping.RuleSet, signal normalize.Signal) (*telemetry, error) {
	builder, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	t := &telemetry{builder: builder, logger: set.Logger, unmapped: map[string]map[string]struct{}{}}
	dialects := rules.Dialects()
	if signal == normalize.Metrics {
		dialects = rules.MetricDialects()
	}
	for _, dialect := range dialects {
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

// Unmapped counts and logs a name when it is first seen.
func (t *telemetry) Unmapped(ctx context.Context, dialect *mapping.DialectRules, name string) {
	if len(name) > maxNameLength {
		name = strings.ToValidUTF8(name[:maxNameLength], "")
	}
	if !t.isNew(dialect.Engine, name) {
		return
	}
	t.builder.ProcessorGenainormalizeUnmappedNames.Add(ctx, 1, metric.WithAttributes(attribute.String("engine", dialect.Engine)))
	t.logger.Warn("metric in the namespace of an engine that its mapping table does not know; it passes unchanged",
		zap.String("engine", dialect.Engine), zap.String("metric", name))
}

// isNew tells whether a name is seen for the first time, and remembers it as long as there is room.
func (t *telemetry) isNew(engine, name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	names, ok := t.unmapped[engine]
	if !ok {
		names = map[string]struct{}{}
		t.unmapped[engine] = names
	}
	if _, seen := names[name]; seen || len(names) == maxUnmapped {
		return false
	}
	names[strings.Clone(name)] = struct{}{}
	return true
}

// ruleset says which rules are in force.
func (t *telemetry) ruleset(ctx context.Context, rules *mapping.RuleSet) {
	t.builder.ProcessorGenainormalizeRuleset.Record(ctx, 1, metric.WithAttributes(
		attribute.String("target", rules.Registry().Target),
		attribute.String("tables_hash", rules.Hash()),
	))
}
