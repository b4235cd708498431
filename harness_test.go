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
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.yaml.in/yaml/v3"

	"github.com/genainormalize/genainormalizeprocessor/internal/metadatatest"
)

// harness is a processor as the collector builds it, with what came out and what it reported.
type harness struct {
	config *Config
	traces processor.Traces
	sink   *consumertest.TracesSink
	tel    *componenttest.Telemetry
}

// newHarness builds the processor from the YAML that stands under `genainormalize:`.
func newHarness(t testing.TB, config string) *harness {
	t.Helper()
	factory := NewFactory()
	cfg := factory.CreateDefaultConfig()
	require.NoError(t, unmarshalConfig(config, cfg))
	require.NoError(t, confmap.Validate(cfg))

	var err error
	h := &harness{config: cfg.(*Config), sink: new(consumertest.TracesSink), tel: componenttest.NewTelemetry()}
	t.Cleanup(func() { require.NoError(t, h.tel.Shutdown(context.Background())) })
	h.traces, err = factory.CreateTraces(t.Context(), metadatatest.NewSettings(h.tel), cfg, h.sink)
	require.NoError(t, err)
	require.NoError(t, h.traces.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, h.traces.Shutdown(context.Background())) })
	return h
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
	in := ptrace.NewTraces()
	td.CopyTo(in)
	h.sink.Reset()
	require.NoError(t, h.traces.ConsumeTraces(t.Context(), in))
	require.Len(t, h.sink.AllTraces(), 1)
	return h.sink.AllTraces()[0]
}

// report is the self-telemetry of a run: the content of a case's telemetry.yaml.
type report struct {
	Items    []count `yaml:"items"`
	Outcomes []count `yaml:"outcomes"`
}

type count struct {
	Signal  string `yaml:"signal"`
	Dialect string `yaml:"dialect"`
	Reason  string `yaml:"reason,omitempty"`
	Count   int64  `yaml:"count"`
}

// report reads the counters. They are cumulative.
func (h *harness) report(t testing.TB) report {
	t.Helper()
	return report{
		Items:    h.counts(t, "otelcol_processor_genainormalize_items"),
		Outcomes: h.counts(t, "otelcol_processor_genainormalize_outcomes"),
	}
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
		counts = append(counts, count{Signal: attr("signal"), Dialect: attr("dialect"), Reason: attr("reason"), Count: dp.Value})
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
