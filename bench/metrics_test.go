// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/pmetrictest"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/metricstransformprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/transformprocessor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/genainormalize/genainormalizeprocessor"
)

// scrape is what the prometheus receiver made of a running server, and what has to be done with it.
type scrape struct {
	name string
	// file is empty for the scrape of a service that is no engine.
	file   string
	config map[string]any
	// rules are the files, below transform or metricstransform, that do the same.
	transform, metricstransform []string
}

func scrapes() []scrape {
	const (
		vllm   = "testdata/captured/vllm/metrics/vllm-0.32.0-live.otlp.json"
		sglang = "testdata/captured/sglang/metrics/sglang-0.5.23-live.otlp.json"
	)
	extensions := map[string]any{"extensions": true}
	return []scrape{
		{"vllm", vllm, nil, []string{"transform/vllm-metrics.yaml"}, []string{"metricstransform/vllm.yaml"}},
		{"sglang", sglang, nil, []string{"transform/sglang-metrics.yaml"}, []string{"metricstransform/sglang.yaml"}},
		{
			"vllm-extensions", vllm, extensions,
			[]string{"transform/vllm-metrics.yaml", "transform/vllm-metrics-extensions.yaml"},
			[]string{"metricstransform/vllm.yaml", "metricstransform/vllm-extensions.yaml"},
		},
		{
			"sglang-extensions", sglang, extensions,
			[]string{"transform/sglang-metrics.yaml", "transform/sglang-metrics-extensions.yaml"},
			[]string{"metricstransform/sglang.yaml", "metricstransform/sglang-extensions.yaml"},
		},
		{"foreign", "", nil, []string{"transform/vllm-metrics.yaml"}, []string{"metricstransform/vllm.yaml"}},
	}
}

func (s scrape) payload(tb testing.TB) payload[pmetric.Metrics] {
	tb.Helper()
	if s.file == "" {
		return metricsPayload(tb, s.name, foreignMetrics())
	}
	data, err := os.ReadFile(repository(s.file))
	require.NoError(tb, err)
	md, err := new(pmetric.JSONUnmarshaler).UnmarshalMetrics(data)
	require.NoError(tb, err)
	return metricsPayload(tb, s.name, md)
}

func metricsPayload(tb testing.TB, name string, batch pmetric.Metrics) payload[pmetric.Metrics] {
	tb.Helper()
	data, err := new(pmetric.ProtoMarshaler).MarshalMetrics(batch)
	require.NoError(tb, err)
	return payload[pmetric.Metrics]{name: name, data: data, decode: new(pmetric.ProtoUnmarshaler).UnmarshalMetrics, copies: 10}
}

// foreignMetrics returns 100 metrics of a service that is no engine.
func foreignMetrics() pmetric.Metrics {
	md := pmetric.NewMetrics()
	metrics := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
	for i := range 100 {
		m := metrics.AppendEmpty()
		m.SetName(fmt.Sprintf("http_server_something_%d_seconds", i))
		p := m.SetEmptyHistogram().DataPoints().AppendEmpty()
		p.Attributes().PutStr("method", "GET")
		p.Attributes().PutStr("route", "/items")
		p.BucketCounts().FromRaw([]uint64{1, 2, 3, 4})
		p.ExplicitBounds().FromRaw([]float64{0.1, 1, 10})
	}
	return md
}

// newMetrics returns a processor.
func newMetrics(tb testing.TB, factory processor.Factory, cfg component.Config, next consumer.Metrics) consumer.Metrics {
	tb.Helper()
	p, err := factory.CreateMetrics(tb.Context(), settings(tb, factory.Type()), cfg, next)
	require.NoError(tb, err)
	start(tb, p)
	return p
}

func normalizeMetrics(tb testing.TB, next consumer.Metrics, config map[string]any) consumer.Metrics {
	tb.Helper()
	factory := genainormalizeprocessor.NewFactory()
	return newMetrics(tb, factory, configureFrom(tb, factory, config), next)
}

func transformMetrics(tb testing.TB, factory processor.Factory, next consumer.Metrics, files ...string) consumer.Metrics {
	tb.Helper()
	return newMetrics(tb, factory, configure(tb, factory, files...), next)
}

// passMetrics returns what every processor has around it.
func passMetrics(tb testing.TB) consumer.Metrics {
	tb.Helper()
	factory := genainormalizeprocessor.NewFactory()
	pass := func(_ context.Context, md pmetric.Metrics) (pmetric.Metrics, error) { return md, nil }
	p, err := processorhelper.NewMetrics(tb.Context(), settings(tb, factory.Type()), nil, consumertest.NewNop(), pass,
		processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: true}))
	require.NoError(tb, err)
	start(tb, p)
	return p
}

func TestSameOutputForMetrics(t *testing.T) {
	// Its value is NaN, which is not even equal to itself.
	notANumber := pmetrictest.IgnoreMetricValues("sglang:fwd_occupancy")
	for _, s := range scrapes() {
		t.Run(s.name, func(t *testing.T) {
			p := s.payload(t)
			batches := p.fresh(t)
			outputOf := func(process consumer.Metrics, sink *consumertest.MetricsSink, batch pmetric.Metrics) pmetric.Metrics {
				require.NoError(t, process.ConsumeMetrics(t.Context(), batch))
				return sink.AllMetrics()[0]
			}
			sink := func() *consumertest.MetricsSink { return new(consumertest.MetricsSink) }
			a, b, c := sink(), sink(), sink()
			ours := outputOf(normalizeMetrics(t, a, s.config), a, batches[0])
			ottl := outputOf(transformMetrics(t, transformprocessor.NewFactory(), b, s.transform...), b, batches[1])
			renamed := outputOf(transformMetrics(t, metricstransformprocessor.NewFactory(), c, s.metricstransform...), c, batches[2])

			require.NoError(t, pmetrictest.CompareMetrics(ottl, ours, notANumber))
			changed := pmetrictest.CompareMetrics(batches[3], ours, notANumber)
			if s.file == "" {
				require.NoError(t, changed)
			} else {
				assert.Error(t, changed, "something was there to do")
			}
			// metricstransform has no way to set them.
			forgetUnits(ours)
			forgetUnits(renamed)
			require.NoError(t, pmetrictest.CompareMetrics(renamed, ours, notANumber))
		})
	}
}

func forgetUnits(md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				m.SetUnit("")
				m.SetDescription("")
			}
		}
	}
}

func BenchmarkMetrics(b *testing.B) {
	nop := consumertest.NewNop()
	for _, s := range scrapes() {
		b.Run("payload="+s.name, func(b *testing.B) {
			compare(b, s.payload(b),
				contender[pmetric.Metrics]{"passing", passMetrics(b).ConsumeMetrics},
				contender[pmetric.Metrics]{"genainormalize", normalizeMetrics(b, nop, s.config).ConsumeMetrics},
				contender[pmetric.Metrics]{"metricstransform", transformMetrics(b, metricstransformprocessor.NewFactory(), nop, s.metricstransform...).ConsumeMetrics},
				contender[pmetric.Metrics]{"transform", transformMetrics(b, transformprocessor.NewFactory(), nop, s.transform...).ConsumeMetrics},
			)
		})
	}
}
