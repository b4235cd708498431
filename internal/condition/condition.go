// SPDX-License-Identifier: Apache-2.0

// Package condition reads the OTTL conditions that say which items are processed.
//
// The context of each condition is found by its paths, as the filter processor does it: `resource.attributes["a"] == "b"`
// is asked once per resource, `span.name == "a"` of each span. Items of whose resource or scope a condition holds are
// asked nothing.
package condition // import "github.com/genainormalize/genainormalizeprocessor/internal/condition"

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottldatapoint"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottllog"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlmetric"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlresource"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlscope"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
)

// ForSpans reads conditions for spans. The error says which condition is wrong and how.
func ForSpans(conditions []string, mode ottl.ErrorMode, set component.TelemetrySettings) (normalize.SpanConditions, error) {
	spanFuncs := ottlfuncs.StandardConverters[*ottlspan.TransformContext]()
	isRoot := ottlfuncs.NewIsRootSpanFactory()
	spanFuncs[isRoot.Name()] = isRoot
	p := parser{conditions, mode, set}
	levels, err := p.parse(contextOf(ottlspan.ContextName, spanFuncs, ottlspan.NewParser, ottlspan.EnablePathContextNames,
		func(l *levels, c []*ottl.Condition[*ottlspan.TransformContext]) { l.span = append(l.span, c...) }))
	if err != nil {
		return normalize.SpanConditions{}, err
	}
	return normalize.SpanConditions{
		Resource: ask(levels, levels.resource, func(rs ptrace.ResourceSpans) *ottlresource.TransformContext {
			return ottlresource.NewTransformContext(rs.Resource(), rs)
		}),
		Scope: ask(levels, levels.scope, func(i normalize.InScope[ptrace.ResourceSpans, ptrace.ScopeSpans]) *ottlscope.TransformContext {
			return ottlscope.NewTransformContext(i.Scope.Scope(), i.Resource.Resource(), i.Scope, i.Resource)
		}),
		Item: ask(levels, levels.span, func(i normalize.Item[ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span]) *ottlspan.TransformContext {
			return ottlspan.NewTransformContext(i.Resource, i.Scope, i.Item)
		}),
	}, nil
}

// ForLogs reads conditions for log records.
func ForLogs(conditions []string, mode ottl.ErrorMode, set component.TelemetrySettings) (normalize.LogConditions, error) {
	p := parser{conditions, mode, set}
	levels, err := p.parse(contextOf(ottllog.ContextName, ottlfuncs.StandardConverters[*ottllog.TransformContext](), ottllog.NewParser, ottllog.EnablePathContextNames,
		func(l *levels, c []*ottl.Condition[*ottllog.TransformContext]) { l.log = append(l.log, c...) }))
	if err != nil {
		return normalize.LogConditions{}, err
	}
	return normalize.LogConditions{
		Resource: ask(levels, levels.resource, func(rl plog.ResourceLogs) *ottlresource.TransformContext {
			return ottlresource.NewTransformContext(rl.Resource(), rl)
		}),
		Scope: ask(levels, levels.scope, func(i normalize.InScope[plog.ResourceLogs, plog.ScopeLogs]) *ottlscope.TransformContext {
			return ottlscope.NewTransformContext(i.Scope.Scope(), i.Resource.Resource(), i.Scope, i.Resource)
		}),
		Item: ask(levels, levels.log, func(i normalize.Item[plog.ResourceLogs, plog.ScopeLogs, plog.LogRecord]) *ottllog.TransformContext {
			return ottllog.NewTransformContext(i.Resource, i.Scope, i.Item)
		}),
	}, nil
}

// ForMetrics reads conditions for metrics and data points.
func ForMetrics(conditions []string, mode ottl.ErrorMode, set component.TelemetrySettings) (normalize.MetricConditions, error) {
	p := parser{conditions, mode, set}
	levels, err := p.parse(
		contextOf(ottlmetric.ContextName, ottlfuncs.StandardConverters[*ottlmetric.TransformContext](), ottlmetric.NewParser, ottlmetric.EnablePathContextNames,
			func(l *levels, c []*ottl.Condition[*ottlmetric.TransformContext]) { l.metric = append(l.metric, c...) }),
		contextOf(ottldatapoint.ContextName, ottlfuncs.StandardConverters[*ottldatapoint.TransformContext](), ottldatapoint.NewParser, ottldatapoint.EnablePathContextNames,
			func(l *levels, c []*ottl.Condition[*ottldatapoint.TransformContext]) { l.point = append(l.point, c...) }))
	if err != nil {
		return normalize.MetricConditions{}, err
	}
	type metricItem = normalize.Item[pmetric.ResourceMetrics, pmetric.ScopeMetrics, pmetric.Metric]
	return normalize.MetricConditions{
		Conditions: normalize.Conditions[pmetric.ResourceMetrics, pmetric.ScopeMetrics, pmetric.Metric]{
			Resource: ask(levels, levels.resource, func(rm pmetric.ResourceMetrics) *ottlresource.TransformContext {
				return ottlresource.NewTransformContext(rm.Resource(), rm)
			}),
			Scope: ask(levels, levels.scope, func(i normalize.InScope[pmetric.ResourceMetrics, pmetric.ScopeMetrics]) *ottlscope.TransformContext {
				return ottlscope.NewTransformContext(i.Scope.Scope(), i.Resource.Resource(), i.Scope, i.Resource)
			}),
			Item: ask(levels, levels.metric, func(i metricItem) *ottlmetric.TransformContext {
				return ottlmetric.NewTransformContext(i.Resource, i.Scope, i.Item)
			}),
		},
		Point: ask(levels, levels.point, func(i normalize.PointItem) *ottldatapoint.TransformContext {
			return ottldatapoint.NewTransformContext(i.Metric.Resource, i.Metric.Scope, i.Metric.Item, i.Point)
		}),
	}, nil
}

// levels are the conditions by what they are asked of.
type levels struct {
	mode     ottl.ErrorMode
	logger   *zap.Logger
	resource []*ottl.Condition[*ottlresource.TransformContext]
	scope    []*ottl.Condition[*ottlscope.TransformContext]
	span     []*ottl.Condition[*ottlspan.TransformContext]
	log      []*ottl.Condition[*ottllog.TransformContext]
	metric   []*ottl.Condition[*ottlmetric.TransformContext]
	point    []*ottl.Condition[*ottldatapoint.TransformContext]
}

// adder adds a parsed condition to its level.
type adder = func(*levels)

type parser struct {
	conditions []string
	mode       ottl.ErrorMode
	set        component.TelemetrySettings
}

// parse reads all conditions.
func (p parser) parse(contexts ...ottl.ParserCollectionOption[adder]) (*levels, error) {
	options := append([]ottl.ParserCollectionOption[adder]{
		contextOf(ottlresource.ContextName, ottlfuncs.StandardConverters[*ottlresource.TransformContext](), ottlresource.NewParser, ottlresource.EnablePathContextNames,
			func(l *levels, c []*ottl.Condition[*ottlresource.TransformContext]) {
				l.resource = append(l.resource, c...)
			}),
		contextOf(ottlscope.ContextName, ottlfuncs.StandardConverters[*ottlscope.TransformContext](), ottlscope.NewParser, ottlscope.EnablePathContextNames,
			func(l *levels, c []*ottl.Condition[*ottlscope.TransformContext]) { l.scope = append(l.scope, c...) }),
	}, contexts...)
	collection, err := ottl.NewParserCollection(p.set, options...)
	if err != nil {
		return nil, err
	}
	l := &levels{mode: p.mode, logger: p.set.Logger}
	for _, condition := range p.conditions {
		add, err := collection.ParseConditions(ottl.NewConditionsGetter([]string{condition}))
		if err != nil {
			return nil, fmt.Errorf("condition %q: %w", condition, err)
		}
		add(l)
	}
	return l, nil
}

// contextOf lets conditions be asked of a context.
func contextOf[K any](
	name string,
	functions map[string]ottl.Factory[K],
	newParser func(map[string]ottl.Factory[K], component.TelemetrySettings, ...ottl.Option[K]) (ottl.Parser[K], error),
	pathNames func() ottl.Option[K],
	add func(*levels, []*ottl.Condition[K]),
) ottl.ParserCollectionOption[adder] {
	return func(collection *ottl.ParserCollection[adder]) error {
		p, err := newParser(functions, collection.Settings, pathNames())
		if err != nil {
			return err
		}
		convert := func(_ *ottl.ParserCollection[adder], _ ottl.ConditionsGetter, parsed []*ottl.Condition[K]) (adder, error) {
			return func(l *levels) { add(l, parsed) }, nil
		}
		return ottl.WithParserCollectionContext(name, &p, ottl.WithConditionConverter(convert))(collection)
	}
}

// ask returns a function that tells whether any of the conditions holds for an item, nil if there are none.
//
// The conditions are not put into a sequence of the library's, which logs the items themselves at debug level: they
// hold prompts.
func ask[K interface{ Close() }, I any](l *levels, conditions []*ottl.Condition[K], contextFor func(I) K) func(context.Context, I) (bool, error) {
	if len(conditions) == 0 {
		return nil
	}
	logged := make([]atomic.Bool, len(conditions))
	return func(ctx context.Context, item I) (bool, error) {
		t := contextFor(item)
		defer t.Close()
		for i, condition := range conditions {
			switch holds, err := condition.Eval(ctx, t); {
			case err == nil && holds:
				return true, nil
			case err == nil, l.mode == ottl.SilentError:
			case l.mode == ottl.PropagateError:
				return false, fmt.Errorf("condition %q: %w", condition, err)
			case !logged[i].Swap(true):
				// Not the error, which may quote the item.
				l.logger.Warn("a condition cannot be evaluated for some items and counts as false; with error_mode propagate the sender gets to know why",
					zap.String("condition", condition.String()))
			}
		}
		return false, nil
	}
}
