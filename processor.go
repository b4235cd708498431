// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor // import "github.com/genainormalize/genainormalizeprocessor"

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
)

// genaiProcessor adapts the normalizer to the Collector. It remembers nothing of the items, so it may be used by
// several pipelines at once.
type genaiProcessor struct {
	normalizer *normalize.Normalizer
	telemetry  *telemetry
}

func newProcessor(set processor.Settings, cfg component.Config, signal normalize.Signal) (*genaiProcessor, error) {
	config, ok := cfg.(*Config)
	if !ok {
		return nil, fmt.Errorf("configuration of type %T: *genainormalizeprocessor.Config is expected", cfg)
	}
	normalizer, err := config.NewNormalizer(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	tel, err := newTelemetry(set.TelemetrySettings, normalizer.Rules(), signal)
	if err != nil {
		return nil, err
	}
	return &genaiProcessor{normalizer: normalizer, telemetry: tel}, nil
}

func (p *genaiProcessor) helperOptions() []processorhelper.Option {
	return []processorhelper.Option{
		processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: true}),
		processorhelper.WithStart(p.start),
		processorhelper.WithShutdown(p.shutdown),
	}
}

func (p *genaiProcessor) start(ctx context.Context, _ component.Host) error {
	p.telemetry.ruleset(ctx, p.normalizer.Rules())
	return nil
}

func (p *genaiProcessor) shutdown(context.Context) error {
	p.telemetry.builder.Shutdown()
	return nil
}

func (p *genaiProcessor) processTraces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	return td, refused(p.normalizer.Traces(ctx, td, p.telemetry))
}

func (p *genaiProcessor) processMetrics(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	hadMetrics := md.MetricCount() > 0
	err := p.normalizer.Metrics(ctx, md, p.telemetry)
	if err == nil && hadMetrics && md.MetricCount() == 0 {
		return md, processorhelper.ErrSkipProcessingData
	}
	return md, refused(err)
}

func (p *genaiProcessor) processLogs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	return ld, refused(p.normalizer.Logs(ctx, ld, p.telemetry))
}

// refused makes an error one that the sender need not try again after: a condition fails for the same item each time.
func refused(err error) error {
	if err == nil {
		return nil
	}
	return consumererror.NewPermanent(err)
}
