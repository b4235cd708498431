// SPDX-License-Identifier: Apache-2.0

package lint // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/lint"

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/nearest"
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

// collector is the configuration of one, or a part of it.
type collector struct {
	document
	// processors are those that are configured, nil if that is done in another file.
	processors map[string]any
	pipelines  map[string]any
}

// instances are the ids of the processor in a file.
func (c collector) instances() (ids []string) {
	for id := range c.processors {
		if typeOf(id) == ownType {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// collector checks the instances of the processor in a collector's configuration. Where they stand is checked when all
// files are known.
func (l *linter) collector(ctx context.Context, d document) error {
	conf, err := resolve(ctx, d.path)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		l.add(Finding{Place: d.path, Text: err.Error()})
		return nil
	}
	c := collector{document: d}
	var hasProcessors, hasPipelines bool
	c.processors, hasProcessors = l.asMap(d, []string{"processors"}, conf.Get("processors"))
	service, hasService := l.asMap(d, []string{"service"}, conf.Get("service"))
	c.pipelines, hasPipelines = l.asMap(d, []string{"service", "pipelines"}, service["pipelines"])
	for _, id := range c.instances() {
		path := []string{"processors", id}
		if err := new(component.ID).UnmarshalText([]byte(id)); err != nil {
			l.at(d, path, options.Fault{Text: err.Error()})
		}
		set, ok := c.processors[id].(map[string]any)
		if !ok && c.processors[id] != nil {
			l.at(d, path, options.Fault{Text: "options are expected, or nothing"})
			continue
		}
		l.options(d, path, confmap.NewFromStringMap(set))
	}
	if hasProcessors && hasService && hasPipelines {
		l.collectors = append(l.collectors, c)
	}
	return nil
}

// pipelines checks where the instances stand.
func (l *linter) pipelines() {
	all := map[string]any{}
	for _, c := range l.collectors {
		maps.Copy(all, c.processors)
	}
	for _, c := range l.collectors {
		own := c.instances()
		if c.processors == nil {
			c.processors = all
		}
		used, ok := l.usedIn(c)
		for _, id := range own {
			// Pipelines may be in another file.
			if ok && len(c.pipelines) > 0 && !slices.Contains(used, id) {
				l.warn(c.document, []string{"processors", id}, "it is in no pipeline, so it does nothing")
			}
		}
		if ok && len(c.instances())+len(used) == 0 {
			l.warn(c.document, []string{"processors"}, "there is no "+ownType+" processor")
		}
	}
}

// usedIn checks the pipelines of a file and returns the instances in them, and whether those are all.
func (l *linter) usedIn(c collector) (used []string, ok bool) {
	ok = true
	for _, name := range slices.Sorted(maps.Keys(c.pipelines)) {
		ids, isList := l.idsOf(c.document, name, c.pipelines[name])
		ok = ok && isList
		used = append(used, l.pipeline(c, name, ids)...)
	}
	return used, ok
}

// idsOf returns the processors of a pipeline, and false if something else stands there.
func (l *linter) idsOf(d document, name string, pipeline any) (ids []string, ok bool) {
	path := []string{"service", "pipelines", name}
	parts, ok := l.asMap(d, path, pipeline)
	path = append(path, "processors")
	list, isList := parts["processors"].([]any)
	if !isList && parts["processors"] != nil {
		l.at(d, path, options.Fault{Text: "a list is expected, not " + kindOf(parts["processors"])})
		return nil, false
	}
	for _, processor := range list {
		id, isText := processor.(string)
		if !isText {
			l.at(d, path, options.Fault{Text: "a name is expected, not " + kindOf(processor)})
			ok = false
		}
		if isText && slices.Contains(ids, id) {
			l.at(d, path, options.Fault{Text: strconv.Quote(id) + " stands there more than once"})
		}
		ids = append(ids, id)
	}
	return ids, ok
}

// pipeline checks one pipeline and returns the instances that it uses, or is meant to.
func (l *linter) pipeline(c collector, name string, ids []string) (used []string) {
	path := []string{"service", "pipelines", name, "processors"}
	for i, id := range ids {
		if !c.isMeant(id) {
			continue
		}
		used = append(used, c.instanceOf(id))
		if _, ok := c.processors[id]; !ok {
			l.at(c.document, path, options.Fault{Text: fmt.Sprintf("%q is not configured under processors", id) + c.expected()})
		}
		if !slices.Contains(signals, typeOf(name)) {
			l.at(c.document, path, options.Fault{Text: fmt.Sprintf("%q handles %s only", id, strings.Join(signals, ", "))})
		}
		for _, before := range ids[:i] {
			if reason, ok := notBefore[typeOf(before)]; ok {
				l.warn(c.document, path, fmt.Sprintf("%q stands behind %q: %s", id, before, reason))
			}
		}
	}
	return used
}

// isMeant tells whether an id is one of the processor, or a misspelt one.
func (c collector) isMeant(id string) bool {
	if typeOf(id) == ownType {
		return true
	}
	_, isAnother := c.processors[id]
	return !isAnother && len(c.instances()) > 0 && nearest.Word(typeOf(id), []string{ownType}) != ""
}

// instanceOf returns the instance that a pipeline means.
func (c collector) instanceOf(id string) string { return cmp.Or(nearest.Word(id, c.instances()), id) }

// expected is the end of a sentence about an instance that there is not.
func (c collector) expected() string {
	ids := c.instances()
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf(": one of %s is expected", strings.Join(quoted(ids), ", "))
}

func quoted(list []string) []string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	return quoted
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

// asMap returns what stands under a path, and false if it is no map. Nothing is an empty one.
func (l *linter) asMap(d document, path []string, value any) (map[string]any, bool) {
	m, ok := value.(map[string]any)
	if !ok && value != nil {
		l.at(d, path, options.Fault{Text: "a map is expected, not " + kindOf(value)})
		return nil, false
	}
	return m, true
}

// kindOf says in the words of a reader of YAML what a value is.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "nothing"
	case string:
		return "a text"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	case map[string]any:
		return "a map"
	default:
		return "a number"
	}
}
