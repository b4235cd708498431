// SPDX-License-Identifier: Apache-2.0

// Package stats collects what the processor would report as its own telemetry, and writes it as JSON.
package stats // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/stats"

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"

	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// Stats counts items and outcomes, and collects names. The zero value is empty.
type Stats struct {
	items    map[key]int64
	outcomes map[key]int64
	unmapped map[name]struct{}
}

type key struct {
	signal, dialect, reason string
}

// Of returns the reporter for a signal.
func (s *Stats) Of(signal normalize.Signal) normalize.Reporter {
	if s.items == nil {
		s.items, s.outcomes, s.unmapped = map[key]int64{}, map[key]int64{}, map[name]struct{}{}
	}
	return reporter{stats: s, signal: string(signal)}
}

type reporter struct {
	stats  *Stats
	signal string
}

func (r reporter) Items(_ context.Context, dialect *mapping.DialectRules, n int64) {
	r.stats.items[key{signal: r.signal, dialect: dialect.ID}] += n
}

func (r reporter) Outcomes(_ context.Context, dialect *mapping.DialectRules, reason normalize.Reason, n int64) {
	r.stats.outcomes[key{signal: r.signal, dialect: dialect.ID, reason: reason.String()}] += n
}

// Unmapped takes the name of a metric in the namespace of the dialect's engine that no row is about.
func (r reporter) Unmapped(_ context.Context, dialect *mapping.DialectRules, metric string) {
	r.stats.unmapped[name{Engine: dialect.Engine, Name: metric}] = struct{}{}
}

// count is an entry of the file.
type count struct {
	Signal  string `json:"signal"`
	Dialect string `json:"dialect"`
	Reason  string `json:"reason,omitempty"`
	Count   int64  `json:"count"`
}

// name is that of a metric, see Unmapped. Each is in the file once.
type name struct {
	Engine string `json:"engine"`
	Name   string `json:"name"`
}

// MarshalJSON writes
//
//	{"items": [{"signal", "dialect", "count"}], "outcomes": [{"signal", "dialect", "reason", "count"}], "unmapped": [{"engine", "name"}]}
func (s *Stats) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Items    []count `json:"items"`
		Outcomes []count `json:"outcomes"`
		Unmapped []name  `json:"unmapped"`
	}{sorted(s.items), sorted(s.outcomes), sortedNames(s.unmapped)})
}

// WriteFile writes the counts as JSON.
func (s *Stats) WriteFile(path string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644) //nolint:gosec // The counts are no secret.
}

func sorted(counts map[key]int64) []count {
	list := make([]count, 0, len(counts))
	for _, k := range slices.SortedFunc(maps.Keys(counts), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.signal, b.signal), cmp.Compare(a.dialect, b.dialect), cmp.Compare(a.reason, b.reason))
	}) {
		list = append(list, count{Signal: k.signal, Dialect: k.dialect, Reason: k.reason, Count: counts[k]})
	}
	return list
}

func sortedNames(names map[name]struct{}) []name {
	list := slices.AppendSeq(make([]name, 0, len(names)), maps.Keys(names))
	slices.SortFunc(list, func(a, b name) int {
		return cmp.Or(cmp.Compare(a.Engine, b.Engine), cmp.Compare(a.Name, b.Name))
	})
	return list
}
