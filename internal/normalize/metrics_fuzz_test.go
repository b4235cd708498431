// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"math/rand/v2"
	"testing"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// FuzzMetrics holds whatever the OTLP decoder accepts to the promises, under every option.
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
	normalizers := everyOption(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		md, err := new(pmetric.ProtoUnmarshaler).UnmarshalMetrics(data)
		if err != nil {
			return
		}
		for _, n := range normalizers {
			requireMetricPromises(t, n, md)
		}
	})
}
