// SPDX-License-Identifier: Apache-2.0

// Package normalize is the only place where rules meet telemetry: it recognises items and applies the rules of
// their dialect to them, in place.
package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// Signal is a kind of telemetry.
type Signal string

// The signals.
const (
	Traces  Signal = "traces"
	Metrics Signal = "metrics"
	Logs    Signal = "logs"
)

// Reason is why an operator should look at an item. Whatever the reason, the value concerned kept its name.
type Reason uint8

const (
	// Collision: another source, or the target itself, has the name that the metric would get.
	Collision Reason = iota
	// Conflict: source and target are both there with different values.
	Conflict
	// Implausible: a latency that is negative, or longer than the request it lies in.
	Implausible
	// NotConvertible: the value cannot become one of the target's type or unit without loss.
	NotConvertible
	// ProviderUnknown: nothing in the item proves who wrote it.
	ProviderUnknown
	// TypeMismatch: a metric of a known name is another instrument.
	TypeMismatch
	numReasons
)

var reasons = [numReasons]string{"collision", "conflict", "implausible", "not_convertible", "provider_unknown", "type_mismatch"}

// String returns the reason as self-telemetry spells it.
func (r Reason) String() string { return reasons[r] }

// Reasons lists all reasons.
func Reasons() []Reason {
	all := make([]Reason, numReasons)
	for i := range all {
		all[i] = Reason(i)
	}
	return all
}

// Reporter is told what was done: a few times per batch, and never a number that is zero.
type Reporter interface {
	// Unmapped reports a metric in the engine's namespace that no row is about, as often as it comes.
	Unmapped(ctx context.Context, dialect *mapping.DialectRules, name string)
	// Items reports how many items of a dialect were normalised.
	Items(ctx context.Context, dialect *mapping.DialectRules, n int64)
	// Outcomes reports how often an operator should look at something.
	Outcomes(ctx context.Context, dialect *mapping.DialectRules, reason Reason, n int64)
}

// Normalizer applies a rule set. It is safe for concurrent use.
type Normalizer struct {
	rules   *mapping.RuleSet
	opts    Options
	kinds   [len(spanKinds)]mapping.Evidence
	own     ownKeys
	walkers sync.Pool

	metricWalkers sync.Pool
	variants      variants
}

// ownKeys are the attributes that the processor knows the role of.
type ownKeys struct {
	provider, operation, model, errorType *mapping.Key
}

var spanKinds = [...]string{
	ptrace.SpanKindUnspecified: "unspecified",
	ptrace.SpanKindInternal:    "internal",
	ptrace.SpanKindServer:      "server",
	ptrace.SpanKindClient:      "client",
	ptrace.SpanKindProducer:    "producer",
	ptrace.SpanKindConsumer:    "consumer",
}

// New returns a normalizer.
func New(rules *mapping.RuleSet, opts Options) *Normalizer {
	n := &Normalizer{rules: rules, opts: opts, own: ownKeys{
		provider:  rules.Key(semconv.ProviderName),
		operation: rules.Key(semconv.OperationName),
		model:     rules.Key(semconv.RequestModel),
		errorType: rules.Key(semconv.ErrorType),
	}}
	for i, kind := range spanKinds {
		n.kinds[i] = rules.Kind(kind)
	}
	n.walkers.New = func() any { return newWalker(n) }
	n.metricWalkers.New = func() any { return newMetricWalker(n) }
	return n
}

// Rules returns the rule set.
func (n *Normalizer) Rules() *mapping.RuleSet { return n.rules }

// Traces normalises spans in place. An error comes of the first condition that cannot be evaluated, if conditions are
// such that they fail. The batch is to be refused then: some of it may be changed, and nothing was reported.
func (n *Normalizer) Traces(ctx context.Context, td ptrace.Traces, r Reporter) error {
	return eachResource(ctx, n, r, (*Normalizer).walker, td.ResourceSpans(), func(w *walker, _ int, rs ptrace.ResourceSpans) error {
		return w.resourceSpans(ctx, rs)
	})
}
