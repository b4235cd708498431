// SPDX-License-Identifier: Apache-2.0

package semconv

import (
	"iter"
	"slices"
	"strings"
)

// Attribute defines one attribute of a target.
type Attribute struct {
	Name string // of a template with its placeholder: gen_ai.prompt.variable.<key>
	Type Type
	// Values are the well-known values of an enum in the order of the file, nil for any other attribute.
	Values []string
	// Open says that an enum also takes values of one's own where no well-known one applies.
	Open bool
	// Level is the level on the inference span, Unspecified if the attribute is not on it.
	Level Level
	When  string // the condition of the level, empty if it has none
	Unit  string // UCUM, for example "s" or "{token}"; empty for attributes that have none
	Brief string // the definition in one sentence

	Source    string // URL of the page that defines it
	Certainty Certainty
	Verified  bool // the name was read in the release itself: Certainty is Tagged or Published
}

// Metric defines one metric of a target.
type Metric struct {
	Name       string
	Instrument Instrument
	ValueType  Type      // Int or Double
	Unit       string    // UCUM, for example "s" or "{token}"
	Buckets    []float64 // explicit bounds advised for a histogram, rising; nil if there is no advice
	Attributes []MetricAttribute
	Brief      string // the definition in one sentence

	Source    string // URL of the page that defines it
	Certainty Certainty
	Verified  bool // the name was read in the release itself: Certainty is Tagged or Published
}

// MetricAttribute names an attribute of the same registry that belongs on the points of a metric.
type MetricAttribute struct {
	Name  string
	Level Level
	When  string // the condition of the level, empty if it has none
}

// Registry is everything one target can say. It never changes once parsed and may be used by several goroutines;
// the slices in what it returns are shared and must not be written to.
type Registry struct {
	Target            string // "1.41", the name of the file without ending
	Source            string // URL of the conventions
	SchemaURL         string // empty if the target has none
	SchemaURLVerified bool   // false: the URL is only expected, so an operator must be able to set another one

	attributes      []Attribute
	attributeByName map[string]Attribute
	templates       []Attribute // longest name first: the nearest template wins
	metrics         []Metric
	metricByName    map[string]Metric
	events          []Event
}

// Event defines one event of a target: a log record with a name.
type Event struct {
	Name  string
	Brief string // the definition in one sentence

	Source    string // URL of the page that defines it
	Certainty Certainty
	Verified  bool // the name was read in the release itself: Certainty is Tagged or Published
}

// Attribute looks up the definition of name. A name that a template covers is answered as an attribute of its own:
//
//	gen_ai.prompt.variable.city → {Name: "gen_ai.prompt.variable.city", Type: String, …}
func (r *Registry) Attribute(name string) (Attribute, bool) {
	if attribute, ok := r.attributeByName[name]; ok {
		return attribute, true
	}
	for _, template := range r.templates {
		prefix := strings.TrimSuffix(template.Name, templateKey)
		if strings.HasPrefix(name, prefix) && len(name) > len(prefix) {
			template.Name, template.Type = name, String
			return template, true
		}
	}
	return Attribute{}, false
}

// Metric looks up the definition of name.
func (r *Registry) Metric(name string) (Metric, bool) {
	metric, ok := r.metricByName[name]
	return metric, ok
}

// Attributes yields every attribute in the order of the file.
func (r *Registry) Attributes() iter.Seq[Attribute] { return slices.Values(r.attributes) }

// Metrics yields every metric in the order of the file.
func (r *Registry) Metrics() iter.Seq[Metric] { return slices.Values(r.metrics) }

// Event looks up the definition of name.
func (r *Registry) Event(name string) (Event, bool) {
	i := slices.IndexFunc(r.events, func(e Event) bool { return e.Name == name })
	if i < 0 {
		return Event{}, false
	}
	return r.events[i], true
}

// Events yields every event in the order of the file.
func (r *Registry) Events() iter.Seq[Event] { return slices.Values(r.events) }
