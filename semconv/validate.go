// SPDX-License-Identifier: Apache-2.0

package semconv

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// What can be wrong with a registry file. [Parse] wraps them with the file, the entry and what would be right.
var (
	ErrFormat            = errors.New("not a registry file")
	ErrTargetName        = errors.New("target and file name differ")
	ErrMissing           = errors.New("missing key")
	ErrDuplicate         = errors.New("defined twice")
	ErrName              = errors.New("bad name")
	ErrUnknownType       = errors.New("unknown type")
	ErrUnknownLevel      = errors.New("unknown level")
	ErrUnknownInstrument = errors.New("unknown instrument")
	ErrUnknownCertainty  = errors.New("unknown certainty")
	ErrUnknownAttribute  = errors.New("unknown attribute")
	ErrTemplate          = errors.New("template and name differ")
	ErrEnum              = errors.New("bad enum")
	ErrCondition         = errors.New("level and when differ")
	ErrUnit              = errors.New("bad unit")
	ErrValueType         = errors.New("bad value_type")
	ErrBuckets           = errors.New("bad buckets")
)

// templateKey stands for the last part of a template's name; all other parts are dotted lower case.
const templateKey = "<key>"

var dottedName = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$`)

// attribute checks an entry on its own and turns its words into values.
func (e *attributeEntry) attribute() (a Attribute, err error) {
	if err = present(key{"name", e.Name}, key{"type", e.Type}, key{"brief", e.Brief}); err != nil {
		return a, err
	}
	a = Attribute{Name: e.Name, Values: e.Values, Open: e.Open != nil && *e.Open, When: e.When, Unit: e.Unit, Brief: e.Brief}
	if a.Type, err = read[Type](types, e.Type, ErrUnknownType); err != nil {
		return a, err
	}
	if e.Level != "" {
		if a.Level, err = read[Level](levels, e.Level, ErrUnknownLevel); err != nil {
			return a, err
		}
	}
	if a.Certainty, a.Verified, err = readCertainty(e.Certainty); err != nil {
		return a, err
	}
	return a, cmp.Or(
		checkName(strings.TrimSuffix(a.Name, "."+templateKey)),
		checkTemplate(a),
		checkEnum(a, e.Open != nil),
		checkCondition(a.Level, a.When),
		checkAttributeUnit(a),
	)
}

// metric checks an entry on its own and turns its words into values.
func (e *metricEntry) metric() (m Metric, err error) {
	if err = present(
		key{"name", e.Name}, key{"instrument", e.Instrument}, key{"value_type", e.ValueType},
		key{"unit", e.Unit}, key{"brief", e.Brief},
	); err != nil {
		return m, err
	}
	m = Metric{Name: e.Name, Unit: e.Unit, Buckets: e.Buckets, Brief: e.Brief}
	if m.Instrument, err = read[Instrument](instruments, e.Instrument, ErrUnknownInstrument); err != nil {
		return m, err
	}
	if m.ValueType, err = read[Type](types, e.ValueType, ErrUnknownType); err != nil {
		return m, err
	}
	if m.Certainty, m.Verified, err = readCertainty(e.Certainty); err != nil {
		return m, err
	}
	if m.Attributes, err = readMetricAttributes(e.Attributes); err != nil {
		return m, err
	}
	return m, cmp.Or(checkName(m.Name), checkValueType(m), checkUnit(m.Unit), checkBuckets(m))
}

// event checks an entry on its own.
func (e *eventEntry) event() (event Event, err error) {
	if err = present(key{"name", e.Name}, key{"brief", e.Brief}); err != nil {
		return event, err
	}
	event = Event{Name: e.Name, Brief: e.Brief}
	if event.Certainty, event.Verified, err = readCertainty(e.Certainty); err != nil {
		return event, err
	}
	return event, checkName(event.Name)
}

func readMetricAttributes(entries []metricAttributeEntry) ([]MetricAttribute, error) {
	var attributes []MetricAttribute
	for _, e := range entries {
		attribute, err := e.attribute()
		if err == nil && slices.ContainsFunc(attributes, func(a MetricAttribute) bool { return a.Name == e.Name }) {
			err = ErrDuplicate
		}
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", e.Name, err)
		}
		attributes = append(attributes, attribute)
	}
	return attributes, nil
}

func (e *metricAttributeEntry) attribute() (a MetricAttribute, err error) {
	if err = present(key{"name", e.Name}, key{"level", e.Level}); err != nil {
		return a, err
	}
	a = MetricAttribute{Name: e.Name, When: e.When}
	if a.Level, err = read[Level](levels, e.Level, ErrUnknownLevel); err != nil {
		return a, err
	}
	return a, checkCondition(a.Level, a.When)
}

func readCertainty(word string) (certainty Certainty, verified bool, err error) {
	certainty, err = read[Certainty](certainties, word, ErrUnknownCertainty)
	return certainty, certainty == Tagged || certainty == Published, err
}

// key is a key of an entry with its value.
type key struct{ name, value string }

// present reports the first key that was left out or is empty.
func present(keys ...key) error {
	for _, k := range keys {
		if k.value == "" {
			return fmt.Errorf("%w %q", ErrMissing, k.name)
		}
	}
	return nil
}

func checkName(name string) error {
	if !dottedName.MatchString(name) {
		return fmt.Errorf("%w: want dotted lower case such as gen_ai.request.model", ErrName)
	}
	return nil
}

func checkTemplate(a Attribute) error {
	if (a.Type == StringTemplate) != strings.HasSuffix(a.Name, "."+templateKey) {
		return fmt.Errorf("%w: want a name that ends in .%s with type %s, and only with it", ErrTemplate, templateKey, StringTemplate)
	}
	return nil
}

func checkEnum(a Attribute, saysOpen bool) error {
	switch {
	case len(a.Values) > 0 != saysOpen:
		return fmt.Errorf("%w: want values and open together", ErrEnum)
	case len(a.Values) > 0 && a.Type != String:
		return fmt.Errorf("%w: type %s has values: want type %s", ErrEnum, a.Type, String)
	}
	for i, value := range a.Values {
		if value == "" || slices.Contains(a.Values[:i], value) {
			return fmt.Errorf("%w: value %q is empty or there twice", ErrEnum, value)
		}
	}
	return nil
}

// checkCondition: "conditionally required" means nothing without the condition; "recommended" may have one.
func checkCondition(level Level, when string) error {
	switch {
	case level == ConditionallyRequired && when == "":
		return fmt.Errorf("%w: want when with level %s", ErrCondition, level)
	case when != "" && level != ConditionallyRequired && level != Recommended:
		return fmt.Errorf("%w: want when only with level %s or %s", ErrCondition, ConditionallyRequired, Recommended)
	}
	return nil
}

func checkAttributeUnit(a Attribute) error {
	switch {
	case a.Unit == "":
		return nil
	case a.Type != Int && a.Type != Double:
		return fmt.Errorf("%w %q: want none with type %s", ErrUnit, a.Unit, a.Type)
	default:
		return checkUnit(a.Unit)
	}
}

// checkUnit keeps prose out ("seconds since start"); which units convert into which is for others to know.
func checkUnit(unit string) error {
	if strings.ContainsAny(unit, " \t") {
		return fmt.Errorf(`%w %q: want UCUM such as s or {token}`, ErrUnit, unit)
	}
	return nil
}

func checkValueType(m Metric) error {
	if m.ValueType != Int && m.ValueType != Double {
		return fmt.Errorf("%w %q: want %s or %s", ErrValueType, m.ValueType, Int, Double)
	}
	return nil
}

func checkBuckets(m Metric) error {
	if len(m.Buckets) > 0 && m.Instrument != Histogram {
		return fmt.Errorf("%w: want none with instrument %s", ErrBuckets, m.Instrument)
	}
	for i, bound := range m.Buckets {
		if math.IsNaN(bound) || math.IsInf(bound, 0) || i > 0 && bound <= m.Buckets[i-1] {
			return fmt.Errorf("%w: bound %v at place %d: want finite, rising bounds", ErrBuckets, bound, i+1)
		}
	}
	return nil
}
