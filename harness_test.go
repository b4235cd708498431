// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"go.yaml.in/yaml/v3"

	"github.com/genainormalize/genainormalizeprocessor/internal/metadatatest"
)

// harness are the processors of a pipeline per signal as the collector builds them, with what came out and what
// they reported.
type harness struct {
	t           testing.TB // ends the processors
	config      *Config
	settings    processor.Settings
	traces      processor.Traces
	sink        *consumertest.TracesSink
	metrics     processor.Metrics
	metricsSink *consumertest.MetricsSink
	records     processor.Logs
	recordsSink *consumertest.LogsSink
	tel         *componenttest.Telemetry
	logs        *observer.ObservedLogs
	// reported are the counts at the last report.
	reported map[count]int64
}

// newHarness builds the processor from the YAML that stands under `genainormalize:`.
func newHarness(t testing.TB, config string) *harness {
	t.Helper()
	factory := NewFactory()
	cfg := factory.CreateDefaultConfig()
	require.NoError(t, unmarshalConfig(config, cfg))
	require.NoError(t, confmap.Validate(cfg))

	h := &harness{
		t:           t,
		config:      cfg.(*Config),
		sink:        new(consumertest.TracesSink),
		metricsSink: new(consumertest.MetricsSink),
		recordsSink: new(consumertest.LogsSink),
		tel:         componenttest.NewTelemetry(),
		reported:    map[count]int64{},
	}
	t.Cleanup(func() { require.NoError(t, h.tel.Shutdown(context.Background())) })
	h.settings = metadatatest.NewSettings(h.tel)
	core, logs := observer.New(zap.DebugLevel)
	h.settings.Logger, h.logs = zap.New(core), logs
	return h
}

// start starts the processor of a signal, which is built when it is first needed.
func (h *harness) start(p component.Component, err error) {
	t := h.t
	t.Helper()
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, p.Shutdown(context.Background())) })
}

// unmarshalConfig reads YAML as the collector reads it.
func unmarshalConfig(config string, cfg any) error {
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(config))
	if err != nil {
		return err
	}
	conf, err := retrieved.AsConf()
	if err != nil {
		return err
	}
	return conf.Unmarshal(cfg)
}

// normalize returns what the processor makes of a copy of td.
func (h *harness) normalize(t testing.TB, td ptrace.Traces) ptrace.Traces {
	t.Helper()
	if h.traces == nil {
		var err error
		h.traces, err = NewFactory().CreateTraces(t.Context(), h.settings, h.config, h.sink)
		h.start(h.traces, err)
	}
	in := ptrace.NewTraces()
	td.CopyTo(in)
	h.sink.Reset()
	require.NoError(t, h.traces.ConsumeTraces(t.Context(), in))
	require.Len(t, h.sink.AllTraces(), 1)
	return h.sink.AllTraces()[0]
}

// normalizeMetrics returns what the processor makes of a copy of md. It is empty where nothing is passed on.
func (h *harness) normalizeMetrics(t testing.TB, md pmetric.Metrics) pmetric.Metrics {
	t.Helper()
	if h.metrics == nil {
		var err error
		h.metrics, err = NewFactory().CreateMetrics(t.Context(), h.settings, h.config, h.metricsSink)
		h.start(h.metrics, err)
	}
	in := pmetric.NewMetrics()
	md.CopyTo(in)
	h.metricsSink.Reset()
	require.NoError(t, h.metrics.ConsumeMetrics(t.Context(), in))
	if len(h.metricsSink.AllMetrics()) == 0 {
		return pmetric.NewMetrics()
	}
	require.Len(t, h.metricsSink.AllMetrics(), 1)
	return h.metricsSink.AllMetrics()[0]
}

// normalizeLogs returns what the processor makes of a copy of ld.
func (h *harness) normalizeLogs(t testing.TB, ld plog.Logs) plog.Logs {
	t.Helper()
	if h.records == nil {
		var err error
		h.records, err = NewFactory().CreateLogs(t.Context(), h.settings, h.config, h.recordsSink)
		h.start(h.records, err)
	}
	in := plog.NewLogs()
	ld.CopyTo(in)
	h.recordsSink.Reset()
	require.NoError(t, h.records.ConsumeLogs(t.Context(), in))
	require.Len(t, h.recordsSink.AllLogs(), 1)
	return h.recordsSink.AllLogs()[0]
}

// report is the self-telemetry of a run: the content of a case's telemetry.yaml.
type report struct {
	Items    []count `yaml:"items"`
	Outcomes []count `yaml:"outcomes"`
	// Unmapped are the numbers of unknown names by engine.
	Unmapped map[string]int64 `yaml:"unmapped,omitempty"`
}

type count struct {
	Signal  string `yaml:"signal"`
	Dialect string `yaml:"dialect"`
	Reason  string `yaml:"reason,omitempty"`
	Count   int64  `yaml:"count"`
}

// report reads what was counted since it was last called. Names that were seen before are not counted again.
func (h *harness) report(t testing.TB) report {
	t.Helper()
	return report{
		Items:    h.counts(t, "otelcol_processor_genainormalize_items"),
		Outcomes: h.counts(t, "otelcol_processor_genainormalize_outcomes"),
		Unmapped: h.unmapped(),
	}
}

func (h *harness) unmapped() map[string]int64 {
	m, err := h.tel.GetMetric("otelcol_processor_genainormalize_unmapped_names")
	if err != nil {
		return nil
	}
	names := map[string]int64{}
	for _, dp := range m.Data.(metricdata.Sum[int64]).DataPoints {
		engine, _ := dp.Attributes.Value("engine")
		names[engine.AsString()] = dp.Value
	}
	return names
}

func (h *harness) counts(t testing.TB, metric string) []count {
	t.Helper()
	counts := []count{}
	m, err := h.tel.GetMetric(metric)
	if err != nil {
		return counts // An instrument that was not used is not reported.
	}
	for _, dp := range m.Data.(metricdata.Sum[int64]).DataPoints {
		attr := func(key string) string {
			v, _ := dp.Attributes.Value(attribute.Key(key))
			return v.AsString()
		}
		c := count{Signal: attr("signal"), Dialect: attr("dialect"), Reason: attr("reason")}
		if c.Count = dp.Value - h.reported[c]; c.Count > 0 {
			counts = append(counts, c)
		}
		c.Count = 0
		h.reported[c] = dp.Value
	}
	slices.SortFunc(counts, func(a, b count) int {
		return cmp.Or(cmp.Compare(a.Dialect, b.Dialect), cmp.Compare(a.Reason, b.Reason))
	})
	return counts
}

func readTraces(t testing.TB, path string) ptrace.Traces {
	t.Helper()
	td, err := golden.ReadTraces(path)
	require.NoError(t, err, path)
	return td
}

// captured returns the captured trace files by name.
func captured(t testing.TB) map[string]ptrace.Traces {
	t.Helper()
	paths, err := filepath.Glob("testdata/captured/*/*.otlp.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	files := map[string]ptrace.Traces{}
	for _, path := range paths {
		files[filepath.Base(path)] = readTraces(t, path)
	}
	return files
}

// spansOf lists the spans of a batch in order.
func spansOf(td ptrace.Traces) []ptrace.Span {
	var spans []ptrace.Span
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				spans = append(spans, s)
			}
		}
	}
	return spans
}

// canonical is the whole content of a batch as JSON values, attributes ordered by key: what has the same
// canonical form differs in the order of attributes at most.
func canonical(t testing.TB, td ptrace.Traces) any {
	t.Helper()
	data, err := new(ptrace.JSONMarshaler).MarshalTraces(td)
	require.NoError(t, err)
	return canonicalJSON(t, data)
}

// canonicalMetrics is the same for metrics.
func canonicalMetrics(t testing.TB, md pmetric.Metrics) any {
	t.Helper()
	data, err := new(pmetric.JSONMarshaler).MarshalMetrics(md)
	require.NoError(t, err)
	return canonicalJSON(t, data)
}

// canonicalLogs is the same for log records.
func canonicalLogs(t testing.TB, ld plog.Logs) any {
	t.Helper()
	data, err := new(plog.JSONMarshaler).MarshalLogs(ld)
	require.NoError(t, err)
	return canonicalJSON(t, data)
}

func canonicalJSON(t testing.TB, data []byte) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(data, &v))
	sortAttributes(v)
	return v
}

// wire is the span as it goes over the wire, the order of attributes included.
func wire(t testing.TB, s ptrace.Span) []byte {
	t.Helper()
	td := ptrace.NewTraces()
	s.CopyTo(td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	data, err := new(ptrace.ProtoMarshaler).MarshalTraces(td)
	require.NoError(t, err)
	return data
}

func sortAttributes(v any) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			sortAttributes(element)
		}
	case map[string]any:
		for key, element := range v {
			sortAttributes(element)
			if attrs, ok := element.([]any); ok && key == "attributes" {
				slices.SortStableFunc(attrs, func(a, b any) int {
					return strings.Compare(a.(map[string]any)["key"].(string), b.(map[string]any)["key"].(string))
				})
			}
		}
	}
}

func readYAML(t testing.TB, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, v))
}
