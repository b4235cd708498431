// SPDX-License-Identifier: Apache-2.0

package lint // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/lint"

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.uber.org/zap"

	"github.com/genainormalize/genainormalizeprocessor"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/options"
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
		l.at(d, path, f)
	}
	if len(faults) > 0 {
		return
	}
	rules, err := cfg.RuleSet()
	if err != nil {
		l.allOf(d, path, err)
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
			l.allOf(d, path, err)
		}
	}
}

// allOf adds each fault that an error lists.
func (l *linter) allOf(d document, path []string, err error) {
	for _, f := range options.FaultsOf(err) {
		l.at(d, path, f)
	}
}

func (l *linter) at(d document, path []string, f options.Fault) {
	path = slices.Concat(path, f.Key)
	l.add(Finding{Place: d.place(path, f.Text), Key: strings.Join(path, "::"), Text: f.Text})
}

func targets() []string {
	targets := semconv.Targets()
	slices.Reverse(targets) // The default first.
	return targets
}
