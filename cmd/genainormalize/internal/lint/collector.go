// SPDX-License-Identifier: Apache-2.0

package lint // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/lint"

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/options"
)

const ownType = "genainormalize"

// signals are those that the processor handles.
var signals = []string{"traces", "metrics", "logs"}

// notBefore are processors that must not stand before this one, with the reason.
var notBefore = map[string]string{
	"batch":         "batches are made last, and one may cut a scrape in two, in which sources compete and proofs are looked for",
	"tail_sampling": "its policies see the engines' own names and units",
	"groupbyattrs":  "it brings several servers into one scope, in which only one source fills a target",
	"interval":      "it keeps series under names that are about to change",
}

// collector checks the instances of the processor in a collector's configuration, and where they stand.
func (l *linter) collector(ctx context.Context, d document) error {
	conf, err := resolve(ctx, d.path)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		l.add(Finding{Place: d.path, Text: err.Error()})
		return nil
	}
	processors, _ := conf.Get("processors").(map[string]any)
	configured := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(processors)) {
		if typeOf(id) != ownType {
			continue
		}
		configured[id] = true
		set, ok := processors[id].(map[string]any)
		path := []string{"processors", id}
		if !ok && processors[id] != nil {
			l.at(d, path, options.Fault{Text: "options are expected, or nothing"})
			continue
		}
		l.options(d, path, confmap.NewFromStringMap(set))
	}
	pipelines, _ := conf.Get("service::pipelines").(map[string]any)
	var used []string
	for _, name := range slices.Sorted(maps.Keys(pipelines)) {
		used = append(used, l.pipeline(d, name, pipelines[name], configured)...)
	}
	for _, id := range slices.Sorted(maps.Keys(configured)) {
		// Pipelines may be in another file.
		if len(pipelines) > 0 && !slices.Contains(used, id) {
			l.warn(d, []string{"processors", id}, "it is in no pipeline, so it does nothing")
		}
	}
	if len(configured)+len(used) == 0 {
		l.warn(d, []string{"processors"}, "there is no "+ownType+" processor")
	}
	return nil
}

// pipeline checks one pipeline and returns the instances that it uses.
func (l *linter) pipeline(d document, name string, pipeline any, configured map[string]bool) (used []string) {
	processors, _ := asMap(pipeline)["processors"].([]any)
	path := []string{"service", "pipelines", name, "processors"}
	for i, p := range processors {
		id := fmt.Sprint(p)
		if typeOf(id) != ownType {
			continue
		}
		if !configured[id] {
			l.at(d, path, options.Fault{Text: fmt.Sprintf("%q is not configured under processors", id)})
		}
		used = append(used, id)
		if !slices.Contains(signals, typeOf(name)) {
			l.at(d, path, options.Fault{Text: fmt.Sprintf("%q handles %s only", id, strings.Join(signals, ", "))})
		}
		for _, before := range processors[:i] {
			if reason, ok := notBefore[typeOf(fmt.Sprint(before))]; ok {
				l.warn(d, path, fmt.Sprintf("%q stands behind %q: %s", id, before, reason))
			}
		}
	}
	return used
}

func (l *linter) warn(d document, path []string, text string) {
	l.add(Finding{Place: d.place(path, text), Key: strings.Join(path, "::"), Text: text, Warning: true})
}

// resolve reads a configuration as the collector does, with ${env:…} and ${file:…}.
func resolve(ctx context.Context, path string) (*confmap.Conf, error) {
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs: []string{"file:" + path},
		ProviderFactories: []confmap.ProviderFactory{
			fileprovider.NewFactory(), envprovider.NewFactory(), yamlprovider.NewFactory(),
		},
		DefaultScheme: "env",
	})
	if err != nil {
		return nil, err
	}
	conf, err := resolver.Resolve(ctx)
	if err != nil {
		return nil, err
	}
	return conf, resolver.Shutdown(ctx)
}

// typeOf is the type of a component or the signal of a pipeline: genainormalize/traces is a genainormalize.
func typeOf(id string) string {
	before, _, _ := strings.Cut(id, "/")
	return before
}

func asMap(value any) map[string]any {
	m, _ := value.(map[string]any)
	return m
}
