// SPDX-License-Identifier: Apache-2.0

package semconv

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fileEntry is a registry file. Sections only group entries that share a source or a certainty; names are unique
// in the whole file.
type fileEntry struct {
	Target     string                    `yaml:"target"`
	Source     string                    `yaml:"source"`
	SchemaURL  schemaURLEntry            `yaml:"schema_url"`
	Certainty  string                    `yaml:"certainty"` // of all entries that do not give their own
	Attributes []section[attributeEntry] `yaml:"attributes"`
	Metrics    []section[metricEntry]    `yaml:"metrics"`
	Events     []section[eventEntry]     `yaml:"events"`
}

type schemaURLEntry struct {
	URL      string `yaml:"url"`
	Verified bool   `yaml:"verified"`
}

type section[E any] struct {
	Section   string `yaml:"section"`
	Source    string `yaml:"source"`    // default: the file's
	Certainty string `yaml:"certainty"` // default: the file's
	Entries   []E    `yaml:"entries"`
}

type attributeEntry struct {
	Name      string   `yaml:"name"`
	Type      string   `yaml:"type"`
	Values    []string `yaml:"values"`
	Open      *bool    `yaml:"open"` // a pointer, so that an enum cannot leave the question open
	Level     string   `yaml:"level"`
	When      string   `yaml:"when"`
	Unit      string   `yaml:"unit"`
	Brief     string   `yaml:"brief"`
	Certainty string   `yaml:"certainty"` // default: the section's
}

type metricEntry struct {
	Name       string                 `yaml:"name"`
	Instrument string                 `yaml:"instrument"`
	ValueType  string                 `yaml:"value_type"`
	Unit       string                 `yaml:"unit"`
	Buckets    []float64              `yaml:"buckets"`
	Attributes []metricAttributeEntry `yaml:"attributes"`
	Brief      string                 `yaml:"brief"`
	Certainty  string                 `yaml:"certainty"` // default: the section's
}

type eventEntry struct {
	Name      string `yaml:"name"`
	Brief     string `yaml:"brief"`
	Certainty string `yaml:"certainty"` // default: the section's
}

type metricAttributeEntry struct {
	Name  string `yaml:"name"`
	Level string `yaml:"level"`
	When  string `yaml:"when"`
}

// Parse reads a registry file. The name is only used in errors; each error is one line that says the name, the
// entry and what would be right, and wraps one of the Err values.
func Parse(name string, data []byte) (*Registry, error) {
	var file fileEntry
	if err := decode(data, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	registry, err := file.registry()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return registry, nil
}

func (f *fileEntry) registry() (*Registry, error) {
	if err := present(key{"target", f.Target}, key{"source", f.Source}, key{"certainty", f.Certainty}); err != nil {
		return nil, err
	}
	r := &Registry{
		Target:            f.Target,
		Source:            f.Source,
		SchemaURL:         f.SchemaURL.URL,
		SchemaURLVerified: f.SchemaURL.Verified,
		attributeByName:   map[string]Attribute{},
		metricByName:      map[string]Metric{},
	}
	for _, section := range f.Attributes {
		for i, entry := range section.Entries {
			entry.Certainty = cmp.Or(entry.Certainty, section.Certainty, f.Certainty)
			attribute, err := entry.attribute()
			if err == nil {
				attribute.Source = cmp.Or(section.Source, f.Source)
				err = r.addAttribute(attribute)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", label("attribute", entry.Name, i, section.Section), err)
			}
		}
	}
	slices.SortStableFunc(r.templates, func(a, b Attribute) int { return len(b.Name) - len(a.Name) })
	for _, section := range f.Metrics {
		for i, entry := range section.Entries {
			entry.Certainty = cmp.Or(entry.Certainty, section.Certainty, f.Certainty)
			metric, err := entry.metric()
			if err == nil {
				metric.Source = cmp.Or(section.Source, f.Source)
				err = r.addMetric(metric)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", label("metric", entry.Name, i, section.Section), err)
			}
		}
	}
	for _, section := range f.Events {
		for i, entry := range section.Entries {
			entry.Certainty = cmp.Or(entry.Certainty, section.Certainty, f.Certainty)
			event, err := entry.event()
			if _, ok := r.Event(entry.Name); err == nil && ok {
				err = ErrDuplicate
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", label("event", entry.Name, i, section.Section), err)
			}
			event.Source = cmp.Or(section.Source, f.Source)
			r.events = append(r.events, event)
		}
	}
	return r, nil
}

func (r *Registry) addAttribute(attribute Attribute) error {
	if _, ok := r.attributeByName[attribute.Name]; ok {
		return ErrDuplicate
	}
	r.attributes = append(r.attributes, attribute)
	r.attributeByName[attribute.Name] = attribute
	if attribute.Type == StringTemplate {
		r.templates = append(r.templates, attribute)
	}
	return nil
}

// addMetric comes after all attributes: a metric may only name what the registry has.
func (r *Registry) addMetric(metric Metric) error {
	if _, ok := r.metricByName[metric.Name]; ok {
		return ErrDuplicate
	}
	for _, attribute := range metric.Attributes {
		if _, ok := r.Attribute(attribute.Name); !ok {
			return fmt.Errorf("%w %q: want one that the file defines under attributes", ErrUnknownAttribute, attribute.Name)
		}
	}
	r.metrics = append(r.metrics, metric)
	r.metricByName[metric.Name] = metric
	return nil
}

// label names an entry in an error, one without a name by its place.
func label(kind, name string, index int, section string) string {
	if name == "" {
		return fmt.Sprintf("%s %d of section %q", kind, index+1, section)
	}
	return fmt.Sprintf("%s %q", kind, name)
}

// decode reads exactly one YAML document and rejects keys that the structs do not have.
func decode(data []byte, into *fileEntry) error {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	switch err := decoder.Decode(into); {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w: the file is empty", ErrFormat)
	case err != nil:
		return fmt.Errorf("%w: %s", ErrFormat, explain(err))
	}
	if !errors.Is(decoder.Decode(&yaml.Node{}), io.EOF) {
		return fmt.Errorf("%w: want one YAML document", ErrFormat)
	}
	return nil
}

// unknownField is how the decoder reports a key that a struct does not have. It names the Go type, which a reader
// of YAML does not know.
var unknownField = regexp.MustCompile(`^(line \d+): field (.+) not found in type (\S+)$`)

// explain reduces an error of the decoder to its first line, and lists the keys that would be known.
func explain(err error) string {
	var several *yaml.TypeError
	if !errors.As(err, &several) {
		return strings.TrimPrefix(err.Error(), "yaml: ")
	}
	first := several.Errors[0]
	if m := unknownField.FindStringSubmatch(first); m != nil {
		return fmt.Sprintf("%s: unknown key %q: want one of %s", m[1], m[2], strings.Join(keysOf(m[3]), ", "))
	}
	return first
}

// keysOf lists the keys of the struct that the decoder calls goType.
func keysOf(goType string) []string {
	for _, entry := range []any{
		fileEntry{},
		schemaURLEntry{},
		section[attributeEntry]{},
		section[metricEntry]{},
		section[eventEntry]{},
		attributeEntry{},
		metricEntry{},
		metricAttributeEntry{},
		eventEntry{},
	} {
		t := reflect.TypeOf(entry)
		if t.String() != goType {
			continue
		}
		keys := make([]string, t.NumField())
		for i := range keys {
			keys[i] = t.Field(i).Tag.Get("yaml")
		}
		return keys
	}
	return nil
}
