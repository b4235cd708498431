// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"context"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Conditions say which items are processed: those for which any function is true, at their own level or above. Nil
// functions ask nothing; without any, all items are processed.
type Conditions[R, S, I any] struct {
	Resource func(context.Context, R) (bool, error)
	Scope    func(context.Context, InScope[R, S]) (bool, error)
	Item     func(context.Context, Item[R, S, I]) (bool, error)
	// Point is asked of the data points of metrics. Other items have none.
	Point func(context.Context, Point[R, S, I]) (bool, error)
}

// InScope is a scope with what it is in.
type InScope[R, S any] struct {
	Resource R
	Scope    S
}

// Item is an item with what it is in.
type Item[R, S, I any] struct {
	Resource R
	Scope    S
	Item     I
}

// Point is a data point with what it is in.
type Point[R, S, I any] struct {
	Item[R, S, I]
	// Point is one of the types of data points of package pmetric.
	Point any
}

// SpanConditions are those of traces.
type SpanConditions = Conditions[ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span]

// LogConditions are those of logs.
type LogConditions = Conditions[plog.ResourceLogs, plog.ScopeLogs, plog.LogRecord]

// MetricConditions are those of metrics.
type MetricConditions = Conditions[pmetric.ResourceMetrics, pmetric.ScopeMetrics, pmetric.Metric]

// verdict is what the conditions of a level and those above say of all that is below.
type verdict uint8

const (
	process verdict = iota
	skip
	// ask means that it depends on the conditions below.
	ask
)

// ofResource asks the conditions of a resource.
func (c *Conditions[R, S, I]) ofResource(ctx context.Context, r R) (verdict, error) {
	below := c.Scope != nil || c.Item != nil || c.Point != nil
	if c.Resource == nil && !below {
		return process, nil
	}
	return decideBy(ctx, c.Resource, r, below)
}

// ofScope asks the conditions of a scope if those of the resource did not decide.
func (c *Conditions[R, S, I]) ofScope(ctx context.Context, above verdict, in InScope[R, S]) (verdict, error) {
	if above != ask {
		return above, nil
	}
	return decideBy(ctx, c.Scope, in, c.Item != nil || c.Point != nil)
}

// ofItem asks the conditions of an item, which those of its scope left open.
func (c *Conditions[R, S, I]) ofItem(ctx context.Context, r R, s S, item I) (verdict, error) {
	return decideBy(ctx, c.Item, Item[R, S, I]{r, s, item}, c.Point != nil)
}

// ofPoint asks the conditions of a data point, which those of its metric left open.
func (c *Conditions[R, S, I]) ofPoint(ctx context.Context, r R, s S, item I, point any) (bool, error) {
	return c.Point(ctx, Point[R, S, I]{Item[R, S, I]{r, s, item}, point})
}

// decideBy asks the conditions of one level. What none of them holds for is left to those below, if there are any.
func decideBy[T any](ctx context.Context, holds func(context.Context, T) (bool, error), of T, below bool) (verdict, error) {
	if holds != nil {
		if yes, err := holds(ctx, of); err != nil {
			return skip, err
		} else if yes {
			return process, nil
		}
	}
	if below {
		return ask, nil
	}
	return skip, nil
}
