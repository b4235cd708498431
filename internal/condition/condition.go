// SPDX-License-Identifier: Apache-2.0

// Package condition reads the OTTL conditions that say which items are processed.
//
// The context of each condition is found by its paths, as the filter processor does it: `resource.attributes["a"] == "b"`
// is asked once per resource, `span.name == "a"` of each span. Items of whose resource or scope a condition holds are
// asked nothing.
package condition // import "github.com/genainormalize/genainormalizeprocessor/internal/condition"

import (
	"context"
	"errors"
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
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
)

// ForSpans reads conditions for spans. The error says which condition is wrong and how.
func ForSpans(conditions []string, mode ottl.ErrorMode, set component.TelemetrySettings) (normalize.SpanConditions, error) {
	functions := ottlfuncs.StandardConverters[*ottlspan.TransformContext]()
	isRoot := ottlfuncs.NewIsRootSpanFactory()
	functions[isRoot.Name()] = isRoot
	l, err := parse(conditions, mode, set, contextOf(ottlspan.ContextName, functions, ottlspan.NewParser, ottlspan.EnablePathContextNames,
		func(l *levels, c []*ottl.Condition[*ottlspan.TransformContext]) { l.span = append(l.span, c...) }))
	if err != nil {
		return normalize.SpanConditions{}, err
	}
	c := above[ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span](l)
	c.Item = ask(l, l.span, func(i normalize.Item[ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span]) *ottlspan.TransformContext {
		return ottlspan.NewTransformContext(i.Resource, i.Scope, i.Item)
	})
	return c, nil
}

// ForLogs reads conditions for log records.
func ForLogs(conditions []string, mode ottl.ErrorMode, set component.TelemetrySettings) (normalize.LogConditions, error) {
	l, err := parse(conditions, mode, set,
		contextOf(ottllog.ContextName, ottlfuncs.StandardConverters[*ottllog.TransformContext](), ottllog.NewParser, ottllog.EnablePathContextNames,
			func(l *levels, c []*ottl.Condition[*ottllog.TransformContext]) { l.log = append(l.log, c...) }))
	if err != nil {
		return normalize.LogConditions{}, err
	}
	c := above[plog.ResourceLogs, plog.ScopeLogs, plog.LogRecord](l)
	c.Item = ask(l, l.log, func(i normalize.Item[plog.ResourceLogs, plog.ScopeLogs, plog.LogRecord]) *ottllog.TransformContext {
		return ottllog.NewTransformContext(i.Resource, i.Scope, i.Item)
	})
	return c, nil
}

// ForMetrics reads conditions for metrics and data points.
func ForMetrics(conditions []string, mode ottl.ErrorMode, set component.TelemetrySettings) (normalize.MetricConditions, error) {
	l, err := parse(conditions, mode, set,
		contextOf(ottlmetric.ContextName, ottlfuncs.StandardConverters[*ottlmetric.TransformContext](), ottlmetric.NewParser, ottlmetric.EnablePathContextNames,
			func(l *levels, c []*ottl.Condition[*ottlmetric.TransformContext]) { l.metric = append(l.metric, c...) }),
		contextOf(ottldatapoint.ContextName, ottlfuncs.StandardConverters[*ottldatapoint.TransformContext](), ottldatapoint.NewParser, ottldatapoint.EnablePathContextNames,
			func(l *levels, c []*ottl.Condition[*ottldatapoint.TransformContext]) { l.point = append(l.point, c...) }))
	if err != nil {
		return normalize.MetricConditions{}, err
	}
	c := above[pmetric.ResourceMetrics, pmetric.ScopeMetrics, pmetric.Metric](l)
	c.Item = ask(l, l.metric, func(i normalize.Item[pmetric.ResourceMetrics, pmetric.ScopeMetrics, pmetric.Metric]) *ottlmetric.TransformContext {
		return ottlmetric.NewTransformContext(i.Resource, i.Scope, i.Item)
	})
	c.Point = ask(l, l.point, func(i normalize.Point[pmetric.ResourceMetrics, pmetric.ScopeMetrics, pmetric.Metric]) *ottldatapoint.TransformContext {
		return ottldatapoint.NewTransformContext(i.Resource, i.Scope, i.Item.Item, i.Point)
	})
	return c, nil
}

// withResource is what holds a resource, withScope what holds a scope: what OTTL wants to know of them.
type (
	withResource interface {
		Resource() pcommon.Resource
		SchemaUrl() string
		SetSchemaUrl(string)
	}
	withScope interface {
		Scope() pcommon.InstrumentationScope
		SchemaUrl() string
		SetSchemaUrl(string)
	}
)

// above returns the conditions about resources and scopes, which are the same for all signals.
func above[R withResource, S withScope, I any](l *levels) normalize.Conditions[R, S, I] {
	return normalize.Conditions[R, S, I]{
		Resource: ask(l, l.resource, func(r R) *ottlresource.TransformContext {
			return ottlresource.NewTransformContext(r.Resource(), r)
		}),
		Scope: ask(l, l.scope, func(i normalize.InScope[R, S]) *ottlscope.TransformContext {
			return ottlscope.NewTransformContext(i.Scope.Scope(), i.Resource.Resource(), i.Scope, i.Resource)
		}),
	}
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

// parse reads all conditions, about resources, scopes and the given contexts.
func parse(conditions []string, mode ottl.ErrorMode, set component.TelemetrySettings, contexts ...ottl.ParserCollectionOption[adder]) (*levels, error) {
	options := append([]ottl.ParserCollectionOption[adder]{
		contextOf(ottlresource.ContextName, ottlfuncs.StandardConverters[*ottlresource.TransformContext](), ottlresource.NewParser, ottlresource.EnablePathContextNames,
			func(l *levels, c []*ottl.Condition[*ottlresource.TransformContext]) {
				l.resource = append(l.resource, c...)
			}),
		contextOf(ottlscope.ContextName, ottlfuncs.StandardConverters[*ottlscope.TransformContext](), ottlscope.NewParser, ottlscope.EnablePathContextNames,
			func(l *levels, c []*ottl.Condition[*ottlscope.TransformContext]) { l.scope = append(l.scope, c...) }),
	}, contexts...)
	collection, err := ottl.NewParserCollection(set, options...)
	if err != nil {
		return nil, err
	}
	l := &levels{mode: mode, logger: set.Logger}
	for _, condition := range conditions {
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

// ErrNotEvaluated is what the error wraps of a condition that cannot be evaluated for an item.
var ErrNotEvaluated = errors.New("cannot be evaluated")

// ask returns a function that tells whether any of the conditions holds for an item, nil if there are none.
//
// The conditions are not put into a sequence of the library's, which logs the items themselves at debug level: they
// hold prompts. For the same reason no error of theirs is told, which may quote the item.
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
				return false, fmt.Errorf("condition %q %w for an item; error_mode ignore would let such items pass as they are", condition, ErrNotEvaluated)
			case !logged[i].Swap(true):
				l.logger.Warn("a condition cannot be evaluated for some items and counts as false", zap.String("condition", condition.String()))
			}
		}
		return false, nil
	}
}
