// SPDX-License-Identifier: Apache-2.0

package lint // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/lint"

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.uber.org/zap"

	"github.com/genainormalize/genainormalizeprocessor"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/options"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// processor checks options that stand in a file of their own.
func (l *linter) processor(d document, data []byte) error {
	conf, err := options.Parse(data)
	if err != nil {
		return err
	}
	l.options(d, nil, conf)
	return nil
}

// options checks what stands under a path of keys as the collector would.
func (l *linter) options(d document, path []string, conf *confmap.Conf) {
	cfg, faults := options.Decode(conf)
	for _, f := range faults {
		l.at(d, path, fault{Fault: f})
	}
	if len(faults) > 0 {
		return
	}
	if found := l.tablesOf(d, path, cfg); found {
		return
	}
	rules, err := cfg.RuleSet()
	if err != nil {
		for _, f := range options.FaultsOf(err) {
			l.at(d, path, fault{Fault: f})
		}
	} else {
		l.overlaps(rules)
	}
	for _, only := range []func(to *genainormalizeprocessor.Config){
		func(to *genainormalizeprocessor.Config) { to.TraceConditions = cfg.TraceConditions },
		func(to *genainormalizeprocessor.Config) { to.MetricConditions = cfg.MetricConditions },
		func(to *genainormalizeprocessor.Config) { to.LogConditions = cfg.LogConditions },
	} {
		conditions := options.Default()
		only(conditions)
		if _, err := conditions.NewNormalizer(component.TelemetrySettings{Logger: zap.NewNop()}); err != nil {
			for _, f := range options.FaultsOf(err) {
				l.at(d, path, fault{Fault: f})
			}
		}
	}
}

// tablesOf checks the files of an instance one by one, and tells whether something is wrong with them.
func (l *linter) tablesOf(d document, path []string, cfg *genainormalizeprocessor.Config) (found bool) {
	for _, file := range cfg.Tables {
		data, err := os.ReadFile(file) //nolint:gosec // The configuration names it.
		if err != nil {
			// As the collector says it.
			_, err = mapping.ReadTable(file)
			l.at(d, path, fault{Fault: options.Fault{Key: []string{"tables"}, Text: err.Error()}, about: file})
			found = true
			continue
		}
		_, faults := mapping.CheckTable(file, data)
		for _, err := range faults {
			l.at(d, path, fault{Fault: options.Fault{Key: []string{"tables"}, Text: err.Error()}, about: file})
			found = true
		}
	}
	return found
}

// fault is something wrong below the path of an instance's keys.
type fault struct {
	options.Fault
	// about is the value that is wrong, if the text does not quote it.
	about string
}

func (l *linter) at(d document, path []string, f fault) {
	path = slices.Concat(path, f.Key)
	place := d.place(path, f.Text)
	if f.about != "" {
		place = d.place(path, fmt.Sprintf("%q", f.about))
	}
	l.add(Finding{Place: place, Key: strings.Join(path, "::"), Text: f.Text})
}

func targets() []string {
	targets := semconv.Targets()
	slices.Reverse(targets) // The default first.
	return targets
}
