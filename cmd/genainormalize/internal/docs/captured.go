// SPDX-License-Identifier: Apache-2.0

package docs // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/docs"

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/exposition"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/stats"
	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

const (
	otlpSuffix = ".otlp.json"
	promSuffix = ".prom"
)

var errNothingCaptured = errors.New("there are no captured payloads")

// sightings are the releases in whose data the rows of tables were seen, by row id.
type sightings map[string][]release

// observe reads all captured payloads in the folders of a directory, one for each engine.
func observe(dir string, tables []*mapping.Table) (sightings, error) {
	rules, err := rulesOf(tables)
	if err != nil {
		return nil, err
	}
	o := &observer{
		tables: tables, rules: rules, seen: sightings{}, engines: map[string]string{},
		normalizer: normalize.New(rules, normalize.Options{Annotate: true}),
	}
	for _, t := range tables {
		for i := range t.Metrics {
			o.engines[t.Metrics[i].ID] = t.Engine
		}
	}
	files, err := capturedFiles(dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if err := o.file(file); err != nil {
			return nil, err
		}
	}
	return o.seen, nil
}

// rulesOf compiles all tables. Rows that the options switch off are known as well, and the target makes no difference.
func rulesOf(tables []*mapping.Table) (*mapping.RuleSet, error) {
	engines := map[string]mapping.EngineOptions{}
	for _, t := range tables {
		engines[t.Engine] = mapping.EngineOptions{Enabled: new(true)}
	}
	return mapping.Compile(tables, mapping.Options{Target: targets()[0], Engines: engines})
}

// capturedFiles lists traces ({engine}/*.otlp.json) and metrics ({engine}/metrics/*) in order.
func capturedFiles(dir string) ([]string, error) {
	var files []string
	for _, pattern := range []string{"*/*" + otlpSuffix, "*/metrics/*" + otlpSuffix, "*/metrics/*" + promSuffix} {
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w", dir, errNothingCaptured)
	}
	return files, nil
}

type observer struct {
	tables     []*mapping.Table
	engines    map[string]string // by the id of a row of metrics
	rules      *mapping.RuleSet
	normalizer *normalize.Normalizer
	seen       sightings
}

func (o *observer) file(path string) error {
	from, err := releaseOf(path)
	if err != nil || !isReal(path) {
		return err
	}
	documents, err := read(path)
	if err != nil {
		return err
	}
	for _, document := range documents {
		switch d := document.(type) {
		case ptrace.Traces:
			if err := o.traces(from, d); err != nil {
				return err
			}
		case pmetric.Metrics:
			o.metrics(from, d)
		}
	}
	return nil
}

func read(path string) ([]otlpjson.Document, error) {
	if !strings.HasSuffix(path, promSuffix) {
		return otlpjson.ReadFile(path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	md, err := exposition.Parse(text, exposition.Target{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return []otlpjson.Document{md}, nil
}

func (o *observer) metrics(from release, md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				for _, row := range normalize.RowsAbout(o.rules, m) {
					if row.Holds(from.engineVersion(o.engines[row.ID])) {
						o.see(row.ID, from)
					}
				}
			}
		}
	}
}

// traces notes the attributes of spans that are recognised. Which dialect a span is in the processor writes to it.
func (o *observer) traces(from release, td ptrace.Traces) error {
	annotated := ptrace.NewTraces()
	td.CopyTo(annotated)
	if err := o.normalizer.Traces(context.Background(), annotated, new(stats.Stats).Of(normalize.Traces)); err != nil {
		return err
	}
	spans, marked := spansOf(td), spansOf(annotated)
	for i, span := range spans {
		dialect, ok := marked[i].Attributes().Get(mapping.DialectKey)
		if !ok {
			continue
		}
		for _, t := range o.tables {
			if slices.ContainsFunc(t.Dialects, func(d mapping.Dialect) bool { return d.ID == dialect.Str() }) {
				o.attributes(from, t, dialect.Str(), span)
			}
		}
	}
	return nil
}

func (o *observer) attributes(from release, t *mapping.Table, dialect string, span ptrace.Span) {
	for i := range t.Attributes {
		row := &t.Attributes[i]
		if len(row.Dialects) > 0 && !slices.Contains(row.Dialects, dialect) || !row.Holds(from.engineVersion(t.Engine)) {
			continue
		}
		for _, source := range sources(row.From, row.Keep) {
			if _, ok := span.Attributes().Get(source); ok {
				o.see(row.ID, from)
			}
		}
	}
}

func (o *observer) see(id string, from release) {
	if !slices.Contains(o.seen[id], from) {
		o.seen[id] = append(o.seen[id], from)
		slices.SortFunc(o.seen[id], compareReleases)
	}
}

func spansOf(td ptrace.Traces) (spans []ptrace.Span) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				spans = append(spans, s)
			}
		}
	}
	return spans
}
