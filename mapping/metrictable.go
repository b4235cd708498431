// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

// MetricRow says what one metric means.
type MetricRow struct {
	ID string `yaml:"id"`
	// From are the source names without the prefixes of the table; several are spellings of one thing. Keep are
	// sources that stay as they are. Counters are named as they are exposed, with `_total`.
	From oneOrMany[string] `yaml:"from"`
	Keep oneOrMany[string] `yaml:"keep"`
	// Instrument is what the source is. A kept name may have been several things.
	Instrument oneOrMany[Instrument] `yaml:"instrument"`
	// Unit is the unit of the values (UCUM), whatever the name says.
	Unit string `yaml:"unit"`
	// To is the target: a metric of the standard, or of the vocabulary for what the standard has no name for.
	To perTarget `yaml:"to"`
	// Basis, Why and Evidence justify the row. Why is asked of kept and approximate rows.
	Basis    Basis  `yaml:"basis"`
	Why      string `yaml:"why"`
	Evidence string `yaml:"evidence"`
	// Versions is a PEP 440 specifier of the releases in which the row is right.
	Versions string `yaml:"versions"`
	// ProvenBy is what proves those releases where the configuration does not tell the version.
	ProvenBy *Presence `yaml:"proven_by"`
	// DisprovenBy is what proves that it is not one of those releases.
	DisprovenBy *Presence `yaml:"disproven_by"`
	// Only are the points that the row is about, Never those it is not about. Any selector of a list may match.
	// All other points keep the old name.
	Only  oneOrMany[PointSelector] `yaml:"only"`
	Never oneOrMany[PointSelector] `yaml:"never"`
	// OneOf are labels that tell copies of one value apart: of points that differ in nothing else, the one with
	// the lowest values is meant.
	OneOf []string `yaml:"one_of"`
	// Add are attributes that the target has and the source says by its name.
	Add map[string]string `yaml:"add"`
	// Alias is an engine's old name beside its new one, with the same values: it yields without a word.
	Alias bool `yaml:"alias"`
	// Caveats are remarks for whoever reads the number. They are printed in the docs.
	Caveats []string `yaml:"caveats"`

	at Place
}

// Instrument is the kind of a metric as it arrives.
type Instrument string

// The instruments. A histogram may be explicit or exponential.
const (
	InstrumentHistogram     Instrument = "histogram"
	InstrumentSum           Instrument = "sum" // one that only rises
	InstrumentUpDownCounter Instrument = "updowncounter"
	InstrumentGauge         Instrument = "gauge"
	InstrumentSummary       Instrument = "summary"
)

var instruments = []Instrument{
	InstrumentHistogram, InstrumentSum, InstrumentUpDownCounter, InstrumentGauge, InstrumentSummary,
}

// Presence is proof by another metric.
type Presence struct {
	// AnyMetric are names, without prefix, of which one must be in the same scope.
	AnyMetric []string `yaml:"any_metric"`
	// SameLabel is a label that, where a point has it, the other metric must have with the same value.
	SameLabel string `yaml:"same_label"`
}

// PointSelector selects data points by their labels. All of its parts must hold. An empty label is none.
type PointSelector struct {
	Has    []string                     `yaml:"has"`
	Lacks  []string                     `yaml:"lacks"`
	Labels map[string]oneOrMany[string] `yaml:"labels"`
}

// LabelRow says which standard attribute a label is.
type LabelRow struct {
	// From are the labels, best first: where a point has several, the others stay.
	From oneOrMany[string] `yaml:"from"`
	To   string            `yaml:"to"`
	// Not are values that say nothing: such a label stays as it is.
	Not []string `yaml:"not"`
}

// sources returns the names the row is about.
func (r *MetricRow) sources() []string {
	if len(r.Keep) > 0 {
		return r.Keep
	}
	return r.From
}
