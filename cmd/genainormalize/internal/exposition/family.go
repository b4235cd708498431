// SPDX-License-Identifier: Apache-2.0

package exposition // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/exposition"

import (
	"strconv"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/exemplar"
	"github.com/prometheus/prometheus/model/labels"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

const (
	sumSuffix     = "_sum"
	countSuffix   = "_count"
	totalSuffix   = "_total"
	createdSuffix = "_created"
)

// familySuffixes are looked for in this order.
var familySuffixes = []string{"_bucket", countSuffix, sumSuffix, totalSuffix, "_info", createdSuffix}

// withoutSuffix returns the name of the family that a sample may belong to: a for a_bucket.
func withoutSuffix(name string) string {
	for _, suffix := range familySuffixes {
		if base, ok := strings.CutSuffix(name, suffix); ok && base != "" {
			return base
		}
	}
	return name
}

// declaration is what HELP, TYPE and UNIT lines say about a name.
type declaration struct {
	name       string
	typ        model.MetricType
	help, unit string
}

type declarations map[string]*declaration

// of returns the declaration of a name, a new one if it has none.
func (d declarations) of(name string) *declaration {
	if _, ok := d[name]; !ok {
		d[name] = &declaration{name: name, typ: model.MetricTypeUnknown}
	}
	return d[name]
}

// ofSample returns what is known of a sample, and the name of the metric that it becomes a part of.
func (d declarations) ofSample(name string) (declaration, string) {
	if known, ok := scrapeMetrics[name]; ok {
		return known, name
	}
	if known, ok := d[name]; ok {
		return *known, name
	}
	base := withoutSuffix(name)
	known, ok := d[base]
	switch {
	case !ok:
		return declaration{name: name, typ: model.MetricTypeUnknown}, name
	case known.typ != model.MetricTypeCounter:
		return *known, base
	case strings.HasSuffix(name, createdSuffix):
		return *known, base + totalSuffix
	default:
		return *known, name
	}
}

// scrapeMetrics are the metrics about a scrape. A text holds them if it is what a Prometheus or a collector passes on,
// and the receiver describes them itself.
var scrapeMetrics = map[string]declaration{
	"up": {name: "up", typ: model.MetricTypeGauge, help: "The scraping was successful"},
	"scrape_duration_seconds": {
		name: "scrape_duration_seconds", typ: model.MetricTypeGauge, help: "Duration of the scrape", unit: "seconds",
	},
	"scrape_samples_scraped": {
		name: "scrape_samples_scraped", typ: model.MetricTypeGauge, help: "The number of samples the target exposed",
	},
	"scrape_series_added": {
		name: "scrape_series_added", typ: model.MetricTypeGauge, help: "The approximate number of new series in this scrape",
	},
	"scrape_samples_post_metric_relabeling": {
		name: "scrape_samples_post_metric_relabeling", typ: model.MetricTypeGauge,
		help: "The number of samples remaining after metric relabeling was applied",
	},
}

// family is a metric to be: what is known of it and its points.
type family struct {
	name     string
	declared declaration
	typ      pmetric.MetricType
	points   map[string]*point
	// order is that in which the points appeared.
	order []*point
}

// point is the samples that make one data point.
type point struct {
	// labels, at (milliseconds) and line are those of the first.
	labels    labels.Labels
	at        int64
	line      int
	value     *float64
	sum       *float64
	count     *float64
	created   float64
	parts     []part
	exemplars []exemplar.Exemplar
}

// part is a bucket with its upper bound, or a quantile.
type part struct {
	bound, value float64
}

type sample struct {
	name   string
	labels labels.Labels
	at     int64
	value  float64
	line   int
}

func newFamily(name string, declared declaration) *family {
	return &family{name: name, declared: declared, typ: typeOf(declared.typ), points: map[string]*point{}}
}

// typeOf returns no type for what is written as a gauge, but whose samples are put together by name as those of a
// histogram are.
func typeOf(declared model.MetricType) pmetric.MetricType {
	switch declared {
	case model.MetricTypeCounter, model.MetricTypeInfo, model.MetricTypeStateset:
		return pmetric.MetricTypeSum
	case model.MetricTypeGauge, model.MetricTypeUnknown:
		return pmetric.MetricTypeGauge
	case model.MetricTypeHistogram:
		return pmetric.MetricTypeHistogram
	case model.MetricTypeSummary:
		return pmetric.MetricTypeSummary
	default: // model.MetricTypeGaugeHistogram
		return pmetric.MetricTypeEmpty
	}
}

// includes tells whether a sample belongs to the family.
func (f *family) includes(sample string) bool {
	switch f.typ {
	case pmetric.MetricTypeSum:
		return withoutSuffix(sample) == f.declared.name
	case pmetric.MetricTypeGauge:
		return sample == f.name
	default:
		return withoutSuffix(sample) == f.name
	}
}

// partLabel returns the label that tells the parts of a point apart, if the type has parts.
func (f *family) partLabel() string {
	switch f.typ {
	case pmetric.MetricTypeHistogram:
		return model.BucketLabel
	case pmetric.MetricTypeSummary:
		return model.QuantileLabel
	default:
		return ""
	}
}

// key returns what the samples of a point have in common.
func (f *family) key(ls labels.Labels) string {
	var key strings.Builder
	ls.Range(func(l labels.Label) {
		if !f.isAttribute(l.Name) {
			return
		}
		// Neither names nor values can hold this byte: they are UTF-8.
		for _, text := range []string{l.Name, "\xff", l.Value, "\xff"} {
			key.WriteString(text)
		}
	})
	return key.String()
}

// isAttribute tells whether a label becomes an attribute of the point.
func (f *family) isAttribute(label string) bool {
	switch label {
	case model.MetricNameLabel, model.SchemeLabel, model.MetricsPathLabel, f.partLabel():
		return false
	default:
		return !strings.HasPrefix(label, scopePrefix)
	}
}

// add takes a sample into its point, unless it does not fit.
func (f *family) add(s sample) {
	key := f.key(s.labels)
	p, ok := f.points[key]
	if !ok {
		p = &point{labels: s.labels, at: s.at, line: s.line}
		f.points[key] = p
		f.order = append(f.order, p)
	}
	if p.at != s.at {
		return
	}
	created := s.name == f.declared.name+createdSuffix
	switch f.typ {
	case pmetric.MetricTypeHistogram, pmetric.MetricTypeSummary:
		switch {
		case strings.HasSuffix(s.name, sumSuffix):
			p.sum = &s.value
		case strings.HasSuffix(s.name, countSuffix):
			p.count = &s.value
		case created:
			p.created = s.value
		default:
			bound, err := strconv.ParseFloat(s.labels.Get(f.partLabel()), 64)
			if err == nil {
				p.parts = append(p.parts, part{bound: bound, value: s.value})
			}
		}
	case pmetric.MetricTypeSum:
		if created {
			p.created = s.value
		} else {
			p.value = &s.value
		}
	default:
		p.value = &s.value
	}
}

func (f *family) addExemplar(ls labels.Labels, e exemplar.Exemplar) {
	if p, ok := f.points[f.key(ls)]; ok {
		p.exemplars = append(p.exemplars, e)
	}
}
