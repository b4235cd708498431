// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// validateMetricNames checks what holds for all metrics of the table.
func (t *Table) validateMetricNames(add func(error)) {
	if slices.Contains(t.MetricPrefixes, "") || slices.Contains(t.ForeignMetrics, "") {
		add(t.errorf("metric_prefixes and foreign_metrics take no empty name: it begins every name"))
	}
	for i := range t.ForeignPoints {
		if err := t.ForeignPoints[i].validate(); err != nil {
			add(t.errorf("foreign_points: %w", err))
		}
	}
	for _, l := range t.MetricLabels {
		if err := l.validate(); err != nil {
			add(t.errorf("metric_labels: %w", err))
		}
	}
}

func (l *LabelRow) validate() error {
	switch {
	case len(l.From) == 0 || slices.Contains(l.From, ""):
		return errors.New("from is missing: the label is expected")
	case l.To == "":
		return fmt.Errorf("to of %q is missing: the target attribute is expected", l.From)
	default:
		return nil
	}
}

func (r *MetricRow) validate() error {
	if r.ID == "" {
		return errors.New("id is missing")
	}
	switch {
	case (len(r.From) > 0) == (len(r.Keep) > 0):
		return errors.New("either from or keep is needed, and not both")
	case slices.Contains(r.sources(), ""):
		return errors.New("a source has no name")
	case len(r.Instrument) == 0:
		return errors.New("instrument is missing")
	case r.Unit == "":
		return errors.New(`unit is missing: "1" is expected for what has none`)
	}
	for _, instrument := range r.Instrument {
		if !slices.Contains(instruments, instrument) {
			return fmt.Errorf("instrument %q: one of %s is expected", instrument, joined(instruments))
		}
	}
	if _, err := parseVersionRange(r.Versions); err != nil {
		return err
	}
	if err := checkEvidence(r.Evidence); err != nil {
		return err
	}
	if len(r.Keep) > 0 {
		return r.validateKeep()
	}
	return r.validateMove()
}

func (r *MetricRow) validateKeep() error {
	switch {
	case r.Why == "":
		return errors.New("why is missing: a kept name says why it has no target")
	case !r.To.isZero() || r.Basis != "" || r.ProvenBy != nil || r.DisprovenBy != nil || len(r.OneOf) > 0 || len(r.Add) > 0 || r.Alias:
		return errors.New("a kept name has no to, basis, proven_by, disproven_by, one_of, add or alias")
	}
	return r.validateSelectors()
}

// maxAdded is how many attributes a row may add: what becomes of a point's labels is a 64-bit number at run time.
const maxAdded = 8

func (r *MetricRow) validateMove() error {
	switch {
	case r.To.isZero():
		return errors.New("to is missing: the target metric is expected")
	case r.Basis != BasisExact && r.Basis != BasisApproximate:
		return fmt.Errorf("basis %q: %s or %s is expected", r.Basis, BasisExact, BasisApproximate)
	case r.Basis == BasisApproximate && r.Why == "":
		return errors.New("why is missing: an approximate row says what differs")
	case len(r.Instrument) > 1:
		return fmt.Errorf("instrument %s: one is expected, that of the target", joined(r.Instrument))
	case len(r.Add) > maxAdded:
		return fmt.Errorf("add: more than %d attributes", maxAdded)
	case slices.Contains(r.OneOf, ""):
		return errors.New("one_of: a label has no name")
	}
	if err := r.To.checkTargets(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.Add)) {
		value := r.Add[name]
		if name == "" || value == "" {
			return fmt.Errorf("add %q: %q: a name and a value are expected", name, value)
		}
	}
	for _, p := range []struct {
		key string
		*Presence
	}{{"proven_by", r.ProvenBy}, {"disproven_by", r.DisprovenBy}} {
		switch {
		case p.Presence == nil:
		case r.Versions == "":
			return fmt.Errorf("%s without versions: there is nothing to prove", p.key)
		case len(p.AnyMetric) == 0 || slices.Contains(p.AnyMetric, ""):
			return fmt.Errorf("%s: any_metric is missing", p.key)
		}
	}
	return r.validateSelectors()
}

func (r *MetricRow) validateSelectors() error {
	for _, selectors := range [][]PointSelector{r.Only, r.Never} {
		for i := range selectors {
			if err := selectors[i].validate(); err != nil {
				return err
			}
		}
	}
	return nil
}

// validate rejects a selector that says nothing, or what no point can be.
func (s *PointSelector) validate() error {
	if len(s.Has)+len(s.Lacks)+len(s.Labels) == 0 {
		return errors.New("a selector needs has, lacks or labels")
	}
	if slices.Contains(slices.Concat(s.Has, s.Lacks), "") {
		return errors.New("a selector takes no empty label name")
	}
	for _, label := range slices.Sorted(maps.Keys(s.Labels)) {
		values := s.Labels[label]
		if label == "" || len(values) == 0 || slices.Contains(values, "") {
			return fmt.Errorf("labels of %q: values are expected; for an empty one use lacks", label)
		}
		if slices.Contains(s.Lacks, label) {
			return fmt.Errorf("label %q: it can never match: it is asked for and must be missing", label)
		}
	}
	for _, label := range s.Has {
		if slices.Contains(s.Lacks, label) {
			return fmt.Errorf("label %q: it can never match: it is asked for and must be missing", label)
		}
	}
	return nil
}

// checkTargets finds a target that no registry is for.
func (p *perTarget) checkTargets() error {
	for _, target := range slices.Sorted(maps.Keys(p.byTarget)) {
		if targets := semconv.Targets(); !slices.Contains(targets, target) {
			return fmt.Errorf("to: target %q is unknown: one of %s is expected", target, quoted(targets))
		}
	}
	return nil
}

func joined[T ~string](words []T) string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = string(word)
	}
	return strings.Join(list, ", ")
}
