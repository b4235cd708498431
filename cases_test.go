// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/ptracetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

var update = flag.Bool("update", false, "write the outputs of the cases; they are to be read by a person before they are committed")

// TestCases runs every folder of testdata/cases: config.yaml and input.* make output.yaml and telemetry.yaml.
func TestCases(t *testing.T) {
	entries, err := os.ReadDir("testdata/cases")
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, entry := range entries {
		t.Run(entry.Name(), func(t *testing.T) { runCase(t, filepath.Join("testdata", "cases", entry.Name())) })
	}
}

func runCase(t *testing.T, dir string) {
	t.Helper()
	config, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
	require.NoError(t, err)
	inputs, err := filepath.Glob(filepath.Join(dir, "input.*"))
	require.NoError(t, err)
	require.Len(t, inputs, 1)
	data, err := os.ReadFile(inputs[0])
	require.NoError(t, err)
	switch {
	case strings.Contains(string(data), "resourceMetrics"):
		runMetricsCase(t, dir, inputs[0], string(config))
		return
	case strings.Contains(string(data), "resourceLogs"):
		runLogsCase(t, dir, inputs[0], string(config))
		return
	}
	in := readTraces(t, inputs[0])

	h := newHarness(t, string(config))
	out := h.normalize(t, in)
	got := h.report(t)

	wantFile := filepath.Join(dir, outputFile)
	if *update {
		require.NoError(t, golden.WriteTracesToFile(wantFile, out))
	}
	requireTelemetry(t, dir, got)
	assert.NoError(t, ptracetest.CompareTraces(readTraces(t, wantFile), out))

	requireConformant(t, h.config, in, out)
	requireStable(t, newHarness(t, string(config)), out, got)
	requireCuttable(t, h, in, out)
}

const (
	outputFile    = "output.yaml"
	telemetryFile = "telemetry.yaml"
)

// requireTelemetry compares self-telemetry with that of the case.
func requireTelemetry(t *testing.T, dir string, got report) {
	t.Helper()
	path := filepath.Join(dir, telemetryFile)
	if *update {
		writeTelemetry(t, path, got)
	}
	var want report
	readYAML(t, path, &want)
	assert.Equal(t, want, got, "self-telemetry")
}

func writeTelemetry(t *testing.T, path string, got report) {
	t.Helper()
	data, err := yaml.Marshal(got)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	t.Log("golden files were written: read them before they are committed")
}

// requireStable runs an output through the processor again: neither data nor self-telemetry may change.
func requireStable(t testing.TB, h *harness, out ptrace.Traces, first report) {
	t.Helper()
	again := h.normalize(t, out)
	require.Equal(t, canonical(t, out), canonical(t, again), "a second pass changed the data")
	require.Equal(t, first, h.report(t), "a second pass changed the self-telemetry")
}

// requireCuttable cuts the input in two at every span: no span may come out differently.
func requireCuttable(t testing.TB, h *harness, in, out ptrace.Traces) {
	t.Helper()
	want := make([][]byte, 0, out.SpanCount())
	for _, s := range spansOf(out) {
		want = append(want, wire(t, s))
	}
	for at := 1; at < in.SpanCount(); at++ {
		i := 0
		for _, half := range []ptrace.Traces{cut(in, 0, at), cut(in, at, in.SpanCount())} {
			for _, s := range spansOf(h.normalize(t, half)) {
				require.Equal(t, want[i], wire(t, s), "cut before span %d", at)
				i++
			}
		}
		require.Len(t, want, i)
	}
}

// cut returns the spans from a number up to another with their resources and scopes.
func cut(td ptrace.Traces, from, to int) ptrace.Traces {
	half := ptrace.NewTraces()
	td.CopyTo(half)
	i := -1
	half.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			ss.Spans().RemoveIf(func(ptrace.Span) bool {
				i++
				return i < from || i >= to
			})
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
	return half
}

// requireConformant checks the attributes of changed spans against the registry: a name in the namespace of the
// standard is either the standard's, with its type, or one that a table keeps on purpose.
func requireConformant(t testing.TB, config *Config, in, out ptrace.Traces) {
	t.Helper()
	registry, err := semconv.Load(config.Semconv)
	require.NoError(t, err)
	kept := keptNames(t)
	before := spansOf(in)
	for i, s := range spansOf(out) {
		if before[i].Attributes().Equal(s.Attributes()) {
			continue
		}
		for key, v := range s.Attributes().All() {
			attr, standard := registry.Attribute(key)
			switch {
			case standard && hasType(v, attr.Type):
			case isUnchanged(before[i], key, v) && (standard || !strings.HasPrefix(key, "gen_ai.") || kept[key]):
				// What could not be made right was left as it was, and is counted.
			case !standard && hasKey(before[i], key) && v.Type() == pcommon.ValueTypeDouble:
				// A latency without a standard name, in seconds now.
			case key == "genainormalize.dialect":
			case slices.Contains(config.Exclude, key) && isUnchanged(before[i], key, v):
			case strings.HasPrefix(key, "gen_ai.completions.") && isUnchanged(before[i], key, v):
				// Numbered keys of tool calls: too many for rows, and sensitive.
			default:
				t.Errorf("span %d: %q = %v is not in the %s registry, or of another type", i, key, v.AsRaw(), config.Semconv)
			}
		}
	}
}

// isUnchanged tells whether the span had the attribute before. A key may be there twice.
func isUnchanged(before ptrace.Span, key string, v pcommon.Value) bool {
	for oldKey, old := range before.Attributes().All() {
		if oldKey == key && old.Equal(v) {
			return true
		}
	}
	return false
}

func hasKey(s ptrace.Span, key string) bool {
	_, ok := s.Attributes().Get(key)
	return ok
}

// keptNames are the names that tables know.
func keptNames(t testing.TB) map[string]bool {
	t.Helper()
	tables, err := mapping.Tables()
	require.NoError(t, err)
	kept := map[string]bool{}
	for _, table := range tables {
		for _, row := range table.Attributes {
			for _, name := range append(row.Keep, row.From...) {
				kept[name] = true
			}
		}
	}
	return kept
}

func hasType(v pcommon.Value, t semconv.Type) bool {
	switch t {
	case semconv.String:
		return v.Type() == pcommon.ValueTypeStr
	case semconv.Int:
		return v.Type() == pcommon.ValueTypeInt
	case semconv.Double:
		return v.Type() == pcommon.ValueTypeDouble
	case semconv.Boolean:
		return v.Type() == pcommon.ValueTypeBool
	case semconv.Any:
		return true
	case semconv.StringArray:
		if v.Type() != pcommon.ValueTypeSlice {
			return false
		}
		for _, element := range v.Slice().All() {
			if element.Type() != pcommon.ValueTypeStr {
				return false
			}
		}
		return true
	default:
		return false
	}
}
