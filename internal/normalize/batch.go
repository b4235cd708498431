// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"context"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// batchWalker goes through resources and counts what it does there.
type batchWalker interface {
	normalizer() *Normalizer
	// report tells what was done.
	report(context.Context, Reporter)
	// release gives the walker back for another batch.
	release()
}

// slice is one of pdata's.
type slice[E any] interface {
	Len() int
	At(int) E
}

// eachResource walks each resource of a batch by the rules for the engine versions that the resource states. What was
// done is reported at the end. It stops at the first error, and reports nothing then, because the batch is refused: who
// sends it again would count it twice.
func eachResource[W batchWalker, S slice[R], R interface{ Resource() pcommon.Resource }](
	ctx context.Context, n *Normalizer, r Reporter,
	walkerOf func(*Normalizer, Reporter) W, resources S, walk func(W, int, R) error,
) (err error) {
	walkers := make([]W, 0, 4)
	for i := range resources.Len() {
		resource := resources.At(i)
		variant := n.forResource(resource.Resource())
		k := slices.IndexFunc(walkers, func(w W) bool { return w.normalizer() == variant })
		if k < 0 {
			k = len(walkers)
			walkers = append(walkers, walkerOf(variant, r))
		}
		if err = walk(walkers[k], i, resource); err != nil {
			break
		}
	}
	for _, w := range walkers {
		if err == nil {
			w.report(ctx, r)
		}
		w.release()
	}
	return err
}

// batch is what the walkers of all signals have.
type batch struct {
	*Normalizer
	tally tally
	// provider is that of the current resource's items.
	provider resourceProvider
	observer Observer
}

func (b *batch) normalizer() *Normalizer { return b.Normalizer }

// release forgets the batch.
func (b *batch) release() {
	clear(b.tally)
	b.observer = nil
}

// fillServiceName names the service of a resource after the provider of its items, where that is wanted.
func (b *batch) fillServiceName(resource pcommon.Resource) {
	if b.opts.ServiceName == FillServiceName && b.provider.fillServiceName(resource.Attributes()) {
		observeServiceName(b.observer, b.provider.name)
	}
}

// setSchemaURL names the target's schema in a scope that has none, or another if that is to be replaced.
func setSchemaURL[S interface {
	SchemaUrl() string
	SetSchemaUrl(string)
}](b *batch, scope S) {
	if b.opts.SchemaURL == NeverSchemaURL || b.opts.SchemaURL != AlwaysSchemaURL && scope.SchemaUrl() != "" {
		return
	}
	observeSchemaURL(b.observer, scope.SchemaUrl(), b.rules.Registry().SchemaURL)
	scope.SetSchemaUrl(b.rules.Registry().SchemaURL)
}
