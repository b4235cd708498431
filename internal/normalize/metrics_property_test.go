// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatautil"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// newMetricNormalizer returns a normalizer with the tables and one more, in which every verb for metrics occurs.
func newMetricNormalizer(t testing.TB, opts Options, mappingOpts mapping.Options) *Normalizer {
	t.Helper()
	tables, err := mapping.Tables()
	require.NoError(t, err)
	kestrel, err := mapping.ReadTable("../../testdata/tables/kestrel.yaml")
	require.NoError(t, err)
	if mappingOpts.Target == "" {
		mappingOpts.Target = "1.41"
	}
	rules, err := mapping.Compile(append(tables, kestrel), mappingOpts)
	require.NoError(t, err)
	return New(rules, opts)
}

func (n *Normalizer) runMetrics(md pmetric.Metrics) counts {
	c := counts{}
	if err := n.Metrics(context.Background(), md, c); err != nil {
		panic(err) // There are no conditions.
	}
	return c
}

func cloneMetrics(md pmetric.Metrics) pmetric.Metrics {
	c := pmetric.NewMetrics()
	md.CopyTo(c)
	return c
}

func protoMetrics(t testing.TB, md pmetric.Metrics) []byte {
	t.Helper()
	data, err := new(pmetric.ProtoMarshaler).MarshalMetrics(md)
	require.NoError(t, err)
	return data
}

// TestRandomMetrics holds metrics of all names, types and labels to the promises: nothing is lost, no two series
// become one, and a second processor with the same options changes neither the data nor what is counted.
func TestRandomMetrics(t *testing.T) {
	names := metricNames(t)
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 7))
		for _, originals := range []Originals{DropOriginals, KeepOriginals} {
			for variant := range 8 {
				mappingOpts := mapping.Options{Approximate: variant&1 > 0, Extensions: variant&2 > 0}
				if variant&4 > 0 {
					mappingOpts.Target = "0.1.0"
				}
				n := newMetricNormalizer(t, Options{Originals: originals, SchemaURL: SchemaURLWhenEmpty}, mappingOpts)
				for range 60 {
					in := randomMetrics(random, names)
					out := requireMetricPromises(t, n, in)
					if originals == KeepOriginals {
						require.Equal(t, protoMetrics(t, in), protoMetrics(t, withoutNew(in, out)), "an original was changed")
					}
				}
			}
		}
	}
}

// requireMetricPromises holds metrics to what is promised for all telemetry, and series to staying apart.
func requireMetricPromises(t testing.TB, n *Normalizer, in pmetric.Metrics) pmetric.Metrics {
	t.Helper()
	out := requirePromises(t, metricKind, n, in)
	if n.opts.Originals == KeepOriginals {
		require.LessOrEqual(t, duplicates(out), 2*duplicates(in), "series were merged")
		require.GreaterOrEqual(t, out.DataPointCount(), in.DataPointCount(), "points were lost")
		return out
	}
	require.LessOrEqual(t, duplicates(out), duplicates(in), "series were merged")
	removed := 0
	if n.opts.CreatedSeries == DropCreatedSeries {
		removed = createdPoints(in) - createdPoints(out)
	}
	require.Equal(t, in.DataPointCount(), out.DataPointCount()+removed, "points were lost or made")
	return out
}

// createdPoints counts the points that say when a series began, or may do so.
func createdPoints(md pmetric.Metrics) (n int) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				if strings.HasSuffix(m.Name(), createdSuffix) && m.Type() == pmetric.MetricTypeGauge {
					n += countPoints(m)
				}
			}
		}
	}
	return n
}

// withoutNew returns what there was before of what there is now: new metrics come behind, new points behind old ones.
func withoutNew(in, out pmetric.Metrics) pmetric.Metrics {
	old := cloneMetrics(out)
	before := in.ResourceMetrics().At(0).ScopeMetrics().At(0)
	sm := old.ResourceMetrics().At(0).ScopeMetrics().At(0)
	sm.SetSchemaUrl(before.SchemaUrl())
	i := -1
	sm.Metrics().RemoveIf(func(m pmetric.Metric) bool {
		i++
		if i >= before.Metrics().Len() {
			return true
		}
		points := countPoints(before.Metrics().At(i))
		trimmed := pmetric.NewMetric()
		m.CopyTo(trimmed)
		empty := pmetric.NewMetric()
		makeLike(empty, m)
		transfer(trimmed, empty, func(p int) bool { return p >= points }, DropOriginals)
		trimmed.MoveTo(m)
		return false
	})
	return old
}

// duplicates counts the points whose identity another point of the scope has.
func duplicates(md pmetric.Metrics) (n int) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			seen := map[string]bool{}
			for _, m := range sm.Metrics().All() {
				for i := range countPoints(m) {
					hash := pdatautil.MapHash(labelsOf(m, i))
					key := m.Name() + "\x00" + string(hash[:])
					if seen[key] {
						n++
					}
					seen[key] = true
				}
			}
		}
	}
	return n
}

// metricNames lists names in many spellings: of all rows that lead somewhere, some that stay, targets and others.
func metricNames(t testing.TB) []string {
	t.Helper()
	names := []string{
		"http_requests_total", "http_requests_created", "kestrel_request_milliseconds_bucket", "kestrel_first_token_seconds_created",
		"gen_ai.server.request.duration", "gen_ai.server.time_per_output_token", "inference.server.requests.running",
	}
	kestrel, err := mapping.ReadTable("../../testdata/tables/kestrel.yaml")
	require.NoError(t, err)
	tables, err := mapping.Tables()
	require.NoError(t, err)
	for _, table := range append(tables, kestrel) {
		prefixes := slices.Concat(table.MetricPrefixes, []string{""})
		for _, row := range table.Metrics {
			for _, name := range row.From {
				if name == "request_time_per_output_token_seconds" {
					// It is the only proof here that gets another name. A metric that it proved something about, and that
					// kept its name all the same, is not counted in a second pass: the data stays, the count does not.
					continue
				}
				for range 3 {
					names = append(names, prefixes[len(names)%len(prefixes)]+name)
				}
			}
		}
	}
	return names
}

func randomMetrics(random *rand.Rand, names []string) pmetric.Metrics {
	md := pmetric.NewMetrics()
	metrics := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
	// Few names, so that they meet.
	few := make([]string, 1+random.IntN(6))
	for i := range few {
		few[i] = names[random.IntN(len(names))]
	}
	for range 1 + random.IntN(8) {
		m := metrics.AppendEmpty()
		m.SetName(few[random.IntN(len(few))])
		m.SetUnit([]string{"", "", "", "s", "ms", "seconds", "{token}", "By", "1"}[random.IntN(9)])
		randomPoints(random, m)
	}
	return md
}

func randomPoints(random *rand.Rand, m pmetric.Metric) {
	points := 1 + random.IntN(4)
	temporality := pmetric.AggregationTemporality(random.IntN(2) + 1)
	switch random.IntN(8) {
	case 0:
		gauge := m.SetEmptyGauge()
		for range points {
			p := gauge.DataPoints().AppendEmpty()
			p.SetIntValue(random.Int64N(5))
			randomLabels(random, p.Attributes())
		}
	case 1:
		sum := m.SetEmptySum()
		sum.SetIsMonotonic(random.IntN(4) > 0)
		sum.SetAggregationTemporality(temporality)
		for range points {
			p := sum.DataPoints().AppendEmpty()
			p.SetDoubleValue(float64(random.IntN(5)))
			randomLabels(random, p.Attributes())
		}
	case 2:
		h := m.SetEmptyExponentialHistogram()
		h.SetAggregationTemporality(temporality)
		for range points {
			p := h.DataPoints().AppendEmpty()
			p.SetScale(int32(random.IntN(30) - 10))
			p.Positive().SetOffset(int32(random.Uint32()))
			p.Positive().BucketCounts().FromRaw([]uint64{1})
			randomLabels(random, p.Attributes())
		}
	case 3:
		summary := m.SetEmptySummary()
		for range points {
			randomLabels(random, summary.DataPoints().AppendEmpty().Attributes())
		}
	case 4: // A metric of no type.
	default:
		h := m.SetEmptyHistogram()
		h.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		for range points {
			p := h.DataPoints().AppendEmpty()
			p.SetSum(float64(random.IntN(3)))
			p.ExplicitBounds().FromRaw([]float64{1, 2})
			randomLabels(random, p.Attributes())
		}
	}
}

// randomLabels adds labels that tables know, few of a kind, so that series meet.
func randomLabels(random *rand.Rand, labels pcommon.Map) {
	for _, label := range labelValues() {
		if random.IntN(5) == 0 {
			labels.PutStr(label.name, label.values[random.IntN(len(label.values))])
		}
	}
}

type valuesOfLabel struct {
	name   string
	values []string
}

func labelValues() []valuesOfLabel {
	return []valuesOfLabel{
		{"model_name", []string{"m", "n", "", "unknown"}},
		{"model", []string{"m", "n", "unset"}},
		{"model_id", []string{"m"}},
		{"gen_ai.request.model", []string{"m", "n"}},
		{"gen_ai.provider.name", []string{"vllm", "sglang", "kestrel", "openai"}},
		{"gen_ai.token.type", []string{"input", "output"}},
		{"engine_type", []string{"prefill", "decode", "unified"}},
		{"is_streaming", []string{"true", "false"}},
		{"streaming", []string{"yes", "no"}},
		{"role", []string{"half", "whole"}},
		{"node", []string{"a", "b"}},
		{"worker_addr", []string{"a", "b"}},
		{"rank", []string{"0", "1", "10"}},
		{"tp_rank", []string{"0", "1"}},
		{"priority", []string{"", "1"}},
		{"server", []string{"x"}},
		{"via", []string{"x"}},
		{"callType", []string{"gen_ai"}},
		{"op", []string{"chat", "any"}},
		{"operation", []string{"chat", "unknown"}},
	}
}

// TestAnyNameMayBeExcluded excludes each name and label of the tables alone, and all labels at once.
func TestAnyNameMayBeExcluded(t *testing.T) {
	tables, err := mapping.Tables()
	require.NoError(t, err)
	var names, labels []string
	for _, table := range tables {
		for _, label := range table.MetricLabels {
			labels = append(labels, label.From...)
			labels = append(labels, label.To)
		}
		for _, row := range table.Metrics {
			if len(row.From) > 0 {
				names = append(names, row.ID)
				names = append(names, row.From...)
			}
			for add := range row.Add {
				names = append(names, add)
			}
		}
	}
	slices.Sort(labels)
	labels = slices.Compact(labels)
	exclusions := [][]string{labels}
	for _, name := range slices.Concat(names, labels) {
		exclusions = append(exclusions, []string{name})
	}
	for _, exclude := range exclusions {
		for _, target := range []string{"1.41", "0.1.0"} {
			opts := mapping.Options{Target: target, Approximate: true, Extensions: true, Exclude: exclude}
			if target == "1.41" && slices.Contains(exclude, "gen_ai.token.modality") {
				continue // Only the other target has it, and start-up says so.
			}
			n := newMetricNormalizer(t, Options{}, opts)
			for _, file := range []string{vllmScrape, sglangScrape} {
				md := scrape(t, file)
				before := md.DataPointCount()
				n.runMetrics(md)
				require.Equal(t, before, md.DataPointCount(), exclude)
			}
		}
	}
}
