// SPDX-License-Identifier: Apache-2.0

// Package lint finds what is wrong with mapping tables and with configurations of the processor, before a collector
// starts with them.
package lint // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/lint"

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/nearest"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/options"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/yamldoc"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// Finding is something that is wrong, or that a warning is about.
type Finding struct {
	// Place is for example "table.yaml:12", or the file alone.
	Place string
	// Key is the path of keys in a configuration: "processors::genainormalize::exclude".
	Key     string
	Text    string
	Warning bool
}

// String is one line, such as `collector.yaml:12: processors::genainormalize::originals: invalid value "maybe"`.
func (f Finding) String() string {
	parts := []string{f.Place}
	if f.Warning {
		parts = append(parts, "warning")
	}
	if f.Key != "" {
		parts = append(parts, f.Key)
	}
	return oneLine(strings.Join(append(parts, f.Text), ": "))
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Files checks files: mapping tables, which are taken together as those of one configuration, in their order;
// configurations of a collector, of which parts are taken together; and files with what stands under genainormalize: in
// one. A file that cannot be read is a finding. Each file is checked once.
func Files(ctx context.Context, paths []string) ([]Finding, error) {
	l := &linter{}
	seen := map[string]bool{}
	for _, path := range paths {
		if seen[filepath.Clean(path)] {
			continue
		}
		seen[filepath.Clean(path)] = true
		data, err := os.ReadFile(path)
		if err != nil {
			l.add(Finding{Place: path, Text: "it cannot be read: " + reasonOf(err)})
			continue
		}
		if err := l.file(ctx, path, data); err != nil {
			return nil, err
		}
	}
	l.pipelines()
	if err := l.compileTables(); err != nil {
		return nil, err
	}
	return l.findings, nil
}

// reasonOf takes the name of the file, which stands in front, out of an error.
func reasonOf(err error) string {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err.Error()
	}
	return err.Error()
}

type linter struct {
	findings   []Finding
	tables     []*mapping.Table
	collectors []collector
}

// add adds a finding once: a fault of a table is found for each target.
func (l *linter) add(f Finding) {
	if !slices.Contains(l.findings, f) {
		l.findings = append(l.findings, f)
	}
}

func (l *linter) file(ctx context.Context, path string, data []byte) error {
	root, nextLine, err := yamldoc.First(data)
	if err != nil {
		l.add(syntaxFault(path, err))
		return nil
	}
	d := document{path, &root}
	keys := d.keys()
	if containsAny(keys, "engine", "extends", "dialects", "attributes", "metrics") {
		l.table(path, data)
		return nil
	}
	if nextLine > 0 {
		l.add(Finding{Place: fmt.Sprintf("%s:%d", path, nextLine), Text: options.ErrSeveralDocuments.Error()})
	}
	switch {
	case root.IsZero():
		l.add(Finding{Place: path, Text: "it says nothing", Warning: true})
	case containsAny(keys, "processors", "receivers", "exporters", "service"):
		return l.collector(ctx, d)
	case d.isEmptyMap() || slices.ContainsFunc(keys, isOption):
		return l.processor(d, data)
	default:
		l.add(Finding{Place: path, Text: "a mapping table (engine: …), a configuration of a collector (processors: …, service: …) or options of the processor are expected"})
	}
	return nil
}

// isOption tells whether a key is one of the options or seems to be meant for one.
func isOption(key string) bool { return nearest.Word(key, options.Keys()) != "" }

func containsAny(list []string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
}

var syntaxLine = regexp.MustCompile(`^yaml: (?:unmarshal errors: )?line (\d+): `)

// syntaxFault is that of a file that is no YAML.
func syntaxFault(path string, err error) Finding {
	text := oneLine(err.Error())
	if m := syntaxLine.FindStringSubmatch(text); m != nil {
		return Finding{Place: path + ":" + m[1], Text: strings.TrimPrefix(text, m[0])}
	}
	return Finding{Place: path, Text: strings.TrimPrefix(text, "yaml: ")}
}

func (l *linter) table(path string, data []byte) {
	table, faults := mapping.CheckTable(path, data)
	for _, fault := range faults {
		l.add(faultOfTable(fault.Error()))
	}
	if len(faults) == 0 {
		l.tables = append(l.tables, table)
	}
}

// faultOfTable takes the place off the front of the text, where the package mapping puts it.
func faultOfTable(fault string) Finding {
	place, text, _ := strings.Cut(fault, ": ")
	return Finding{Place: place, Text: text}
}

// compileTables compiles the tables that are right alone with those that come with the processor, for every target and
// with every row in use.
func (l *linter) compileTables() error {
	if len(l.tables) == 0 {
		return nil
	}
	tables, err := mapping.Tables()
	if err != nil {
		return err
	}
	tables = append(tables, l.tables...)
	engines := map[string]mapping.EngineOptions{}
	for _, t := range l.tables {
		engines[t.Engine] = mapping.EngineOptions{Enabled: new(true)}
	}
	for _, target := range targets() {
		for _, all := range []bool{false, true} {
			rules, err := mapping.Compile(tables, mapping.Options{Target: target, Approximate: all, Extensions: all, Engines: engines})
			if errors.Is(err, mapping.ErrInvalidTable) {
				for fault := range strings.SplitSeq(err.Error(), "\n") {
					l.add(faultOfTable(fault))
				}
				continue
			}
			if err != nil {
				return err
			}
			l.overlaps(rules)
		}
	}
	return nil
}

func (l *linter) overlaps(rules *mapping.RuleSet) {
	for _, o := range rules.Overlaps() {
		l.add(Finding{
			Place: o.ByAt.String(), Warning: true,
			Text: fmt.Sprintf("dialect %q comes before and hides %s of %s", o.By, o.What, o.At),
		})
	}
}
