// SPDX-License-Identifier: Apache-2.0

// Package exposition makes of a Prometheus exposition what the Collector's prometheus receiver (v0.161) makes of it.
//
// The text is what a server answers on /metrics: the text format of Prometheus, or OpenMetrics 1.0, which ends with
// "# EOF". Prometheus' own parser reads it. The result is what the receiver hands on for the first scrape of a target:
//
//   - Names stay as they are. The description is HELP, the unit is UNIT, which only OpenMetrics has, and the declared
//     type is metadata of the metric, "prometheus.type".
//   - counter is a cumulative, monotonic sum of doubles; gauge, untyped and gaugehistogram are gauges; info and stateset
//     are sums that are not monotonic, an info without its suffix; histogram and summary are what they are.
//   - A declaration counts from its line on. A sample whose name no TYPE line declares belongs to the family of its name
//     without one of _bucket, _count, _sum, _total, _info, _created, if that is declared, else it is a gauge.
//   - Points have the time of the sample or else of the scrape, and a start time only from a _created sample that
//     belongs to their family.
//   - The labels job and instance of a sample become exported_job and exported_instance; labels with an empty value go.
//     Labels that begin with otel_scope_ choose a scope, the labels of target_info are attributes of the resource.
//
// Dropped, as there: a series that stands in the text a second time, unless with a timestamp; points of histograms
// and summaries without _count; buckets and quantiles without a number for a label; samples of one point with different
// timestamps; the exemplars of summaries. A sample that no TYPE line declares, and whose name without its suffix is that of
// a gauge, takes the place of the gauge; if it has an exemplar, both are gone.
//
// Not made: up and scrape_…, which are about the scrape and not in the text, and the version of the receiver's scope.
// What stops a scrape is an error here. So is a count or a start time that no integer can hold, where what the receiver
// makes of it depends on the machine.
package exposition // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/exposition"

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/exemplar"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

var (
	errDuplicateLabel = errors.New("a label is there twice")
	errName           = errors.New("the name of the metric or of a label is empty or no UTF-8")
	errTooLong        = errors.New("longer than 16 MiB")
)

// maxEntry is the number of bytes from which on the label sets of Prometheus cannot hold a label and panic.
const maxEntry = 1 << 24

// Target is what the text would have been scraped from.
type Target struct {
	// Job becomes service.name.
	Job string
	// Instance, a host and a port, becomes service.instance.id, server.port and, if it is not on this machine,
	// server.address.
	Instance string
	// Time of the scrape.
	Time time.Time
}

// Error is what is wrong with a text, and where.
type Error struct {
	// Line is counted from 1.
	Line int
	Err  error
}

// Error returns for example `line 3: invalid metric type "timer"`.
func (e *Error) Error() string {
	const enough = 300 // bytes; the parser quotes what it read, and a line may be long.
	message := e.Err.Error()
	if len(message) > enough {
		message = strings.ToValidUTF8(message[:enough], "") + "…"
	}
	return fmt.Sprintf("line %d: %s", e.Line, message)
}

func (e *Error) Unwrap() error { return e.Err }

// Parse returns the metrics of a text. Each error is an [*Error]. A text without samples, such as an empty one, has none.
func Parse(text []byte, target Target) (pmetric.Metrics, error) {
	s := &scrape{
		source:   newSource(text),
		target:   target,
		declared: declarations{},
		seen:     map[string]labels.Labels{},
		resource: newResource(target),
		scopes:   map[scopeKey]*scope{},
	}
	if err := s.read(); err != nil {
		return pmetric.Metrics{}, err
	}
	return s.metrics()
}

// scrape is a text that is being read.
type scrape struct {
	source   *source
	target   Target
	declared declarations
	// seen holds the labels of series by their text.
	seen     map[string]labels.Labels
	resource resource
	scopes   map[scopeKey]*scope
	// order is that in which the scopes appeared.
	order []*scope
}

func (s *scrape) read() error {
	parser := s.source.parser()
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return s.source.errorAfterEntry(err)
		}
		switch entry {
		case textparse.EntryType:
			name, typ := parser.Type()
			s.declared.of(s.source.enter(name)).typ = typ
		case textparse.EntryHelp:
			name, help := parser.Help()
			s.declared.of(s.source.enter(name)).help = string(help)
		case textparse.EntryUnit:
			name, unit := parser.Unit()
			s.declared.of(s.source.enter(name)).unit = string(unit)
		case textparse.EntryComment:
			s.source.enter(parser.Comment())
		case textparse.EntrySeries:
			if err := s.readSample(parser); err != nil {
				return s.source.errorInEntry(err)
			}
		}
	}
}

func (s *scrape) readSample(parser textparse.Parser) error {
	series, timestamp, value := parser.Series()
	text := s.source.enter(series)
	if s.source.end-s.source.start >= maxEntry {
		return errTooLong
	}
	ls, again := s.seen[text]
	if again && timestamp == nil {
		return nil
	}
	if !again {
		var err error
		if ls, err = readLabels(parser); err != nil {
			return fmt.Errorf("%w: %s", err, series)
		}
		s.seen[text] = ls
	}
	at := s.target.Time.UnixMilli()
	if timestamp != nil {
		at = *timestamp
	}

	name := ls.Get(model.MetricNameLabel)
	if name == targetInfo {
		s.resource.addInfo(ls)
		return nil
	}
	sc := s.scopeOf(ls)
	sc.family(name, s.declared).add(sample{name: name, labels: ls, at: at, value: value, line: s.source.line})
	for e := (exemplar.Exemplar{}); parser.Exemplar(&e); e = (exemplar.Exemplar{}) {
		if !e.Labels.IsValid(model.UTF8Validation) {
			return errName
		}
		if !e.HasTs {
			e.Ts = at
		}
		// The family is looked for again, as in the receiver: one that does not take the sample goes with its points.
		sc.family(name, s.declared).addExemplar(ls, e)
	}
	return nil
}

// readLabels returns the labels of a sample as they are after the labels of the target were added.
func readLabels(parser textparse.Parser) (labels.Labels, error) {
	var ls labels.Labels
	parser.Labels(&ls)
	b := labels.NewBuilder(ls) // It drops the empty ones.
	for _, name := range []string{model.JobLabel, model.InstanceLabel} {
		value := b.Get(name)
		if value == "" {
			continue
		}
		exported := model.ExportedLabelPrefix + name
		for b.Get(exported) != "" {
			exported = model.ExportedLabelPrefix + exported
		}
		b.Set(exported, value)
		b.Del(name)
	}
	ls = b.Labels()
	if !ls.Has(model.MetricNameLabel) || !ls.IsValid(model.UTF8Validation) {
		return ls, errName
	}
	if _, duplicate := ls.HasDuplicateLabelNames(); duplicate {
		return ls, errDuplicateLabel
	}
	return ls, nil
}

func (s *scrape) scopeOf(ls labels.Labels) *scope {
	key := scopeKeyOf(ls)
	sc, ok := s.scopes[key]
	if !ok {
		sc = &scope{key: key, labels: ls, families: map[string]*family{}}
		s.scopes[key] = sc
		s.order = append(s.order, sc)
	}
	return sc
}

func (s *scrape) metrics() (pmetric.Metrics, error) {
	md := pmetric.NewMetrics()
	if len(s.order) == 0 {
		return md, nil
	}
	rm := md.ResourceMetrics().AppendEmpty()
	s.resource.attributes.MoveTo(rm.Resource().Attributes())
	for _, sc := range s.order {
		if err := sc.writeTo(rm.ScopeMetrics().AppendEmpty()); err != nil {
			return pmetric.Metrics{}, err
		}
	}
	if md.MetricCount() == 0 {
		return pmetric.NewMetrics(), nil
	}
	return md, nil
}

// Is tells whether a text looks like an exposition rather than like JSON. Both may begin with a brace: an exposition
// where a name is quoted, as in {"a.b",x="y"} 1.
func Is(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) == 0 {
		return false
	}
	if text[0] != '{' {
		return text[0] == '#' || isNameStart(text[0])
	}
	text = bytes.TrimLeft(text[1:], " \t\r\n")
	switch {
	case len(text) == 0:
		return false
	case text[0] != '"':
		return isNameStart(text[0])
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			rest := bytes.TrimLeft(text[i+1:], " \t\r\n")
			return len(rest) > 0 && bytes.IndexByte([]byte(`,}=`), rest[0]) >= 0
		}
	}
	return false
}

func isNameStart(c byte) bool {
	return c == '_' || c == ':' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
