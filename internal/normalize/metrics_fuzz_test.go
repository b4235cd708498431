// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// FuzzMetrics feeds anything that is OTLP to normalizers of several options: none panics, loses a point, merges series
// or changes anything in a second pass.
func FuzzMetrics(f *testing.F) {
	for _, file := range []string{vllmScrape, sglangScrape} {
		for _, m := range scrape(f, file).ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
			one := pmetric.NewMetrics() // Small seeds mutate faster.
			m.CopyTo(one.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty())
			f.Add(protoMetrics(f, one))
		}
	}
	random, names := rand.New(rand.NewPCG(3, 5)), metricNames(f)
	for range 200 {
		f.Add(protoMetrics(f, randomMetrics(random, names)))
	}
	normalizers := map[string]*Normalizer{
		"default":     newMetricNormalizer(f, Options{}, mapping.Options{}),
		"all options": newMetricNormalizer(f, Options{SchemaURL: AlwaysSchemaURL, ServiceName: FillServiceName}, mapping.Options{Approximate: true, Extensions: true}),
		"keep":        newMetricNormalizer(f, Options{Originals: KeepOriginals}, mapping.Options{Approximate: true, Extensions: true, Target: "0.1.0"}),
		"drop":        newMetricNormalizer(f, Options{CreatedSeries: DropCreatedSeries}, mapping.Options{Extensions: true}),
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		md, err := new(pmetric.ProtoUnmarshaler).UnmarshalMetrics(data)
		if err != nil {
			return
		}
		for name, n := range normalizers {
			once := cloneMetrics(md)
			n.runMetrics(once)
			switch name {
			case "keep":
				require.GreaterOrEqual(t, once.DataPointCount(), md.DataPointCount(), name)
			case "drop":
				require.LessOrEqual(t, once.DataPointCount(), md.DataPointCount(), name)
			default:
				require.Equal(t, md.DataPointCount(), once.DataPointCount(), name)
			}
			twice := cloneMetrics(once)
			n.runMetrics(twice)
			require.True(t, bytes.Equal(protoMetrics(t, once), protoMetrics(t, twice)), name)
		}
	})
}
