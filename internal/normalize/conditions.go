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

// SpanConditions are those of traces.
type SpanConditions = Conditions[ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span]

// LogConditions are those of logs.
type LogConditions = Conditions[plog.ResourceLogs, plog.ScopeLogs, plog.LogRecord]

// MetricConditions are those of metrics, which may be asked of single points.
type MetricConditions struct {
	Conditions[pmetric.ResourceMetrics, pmetric.ScopeMetrics, pmetric.Metric]
	Point func(context.Context, PointItem) (bool, error)
}

// PointItem is a data point with what it is in.
type PointItem struct {
	Metric Item[pmetric.ResourceMetrics, pmetric.ScopeMetrics, pmetric.Metric]
	// Point is one of the types of data points of package pmetric.
	Point any
}

// verdict is what the conditions of a level and those above say of all that is below.
type verdict uint8

const (
	process verdict = iota
	ask             // the level below
	skip
)

// ofResource asks the conditions of a resource. An item of which a condition cannot be evaluated is not processed.
func (c *Conditions[R, S, I]) ofResource(ctx context.Context, r R, below bool) (verdict, error) {
	if c.Resource == nil && c.Scope == nil && c.Item == nil && !below {
		return process, nil
	}
	if c.Resource != nil {
		if holds, err := c.Resource(ctx, r); holds || err != nil {
			return verdictOf(holds), err
		}
	}
	if c.Scope == nil && c.Item == nil && !below {
		return skip, nil
	}
	return ask, nil
}

// ofScope asks the conditions of a scope.
func (c *Conditions[R, S, I]) ofScope(ctx context.Context, above verdict, in InScope[R, S], below bool) (verdict, error) {
	if above != ask {
		return above, nil
	}
	if c.Scope != nil {
		if holds, err := c.Scope(ctx, in); holds || err != nil {
			return verdictOf(holds), err
		}
	}
	if c.Item == nil && !below {
		return skip, nil
	}
	return ask, nil
}

// ofItem asks the conditions of an item.
func (c *Conditions[R, S, I]) ofItem(ctx context.Context, above verdict, in Item[R, S, I], below bool) (verdict, error) {
	if above != ask {
		return above, nil
	}
	if c.Item != nil {
		if holds, err := c.Item(ctx, in); holds || err != nil {
			return verdictOf(holds), err
		}
	}
	if !below {
		return skip, nil
	}
	return ask, nil
}

func verdictOf(holds bool) verdict {
	if holds {
		return process
	}
	return skip
}
