// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// fillProvider names who wrote the item where that is proven. A name that is there is never replaced.
func (w *walker) fillProvider() {
	provider := ""
	switch {
	case w.dialect.ProvesProvider:
		provider = w.dialect.Provider
	case w.form == mapping.FormEntry:
		provider = w.opts.EntryProvider
	}
	if provider != "" {
		w.provider.add(provider)
	}
	if w.has(semconv.ProviderName) {
		return
	}
	if provider == "" {
		w.outcome(ProviderUnknown)
		return
	}
	w.fill(semconv.ProviderName, provider)
}

// fillOperation names the operation that the name of an entry span or the request id proves, or the engine's default.
func (w *walker) fillOperation() {
	if w.has(semconv.OperationName) {
		return
	}
	operation := ""
	if w.form == mapping.FormEntry {
		operation = w.dialect.EntryOperation(w.name)
	}
	if operation == "" {
		operation = w.dialect.Operation(w.requestID())
	}
	if operation != "" {
		w.fill(semconv.OperationName, operation)
	}
}

// requestID returns the id that may tell the operation, or nothing.
func (w *walker) requestID() string {
	for _, key := range w.dialect.RequestIDKeys() {
		for i := range w.hits {
			if h := &w.hits[i]; h.key == key && h.value.Type() == pcommon.ValueTypeStr {
				return h.value.Str()
			}
		}
	}
	return ""
}

// fill adds an attribute, unless the configuration excludes it.
func (w *walker) fill(key, v string) {
	if !w.rules.Excluded(key) {
		w.put(key, text(v))
	}
}

// annotate writes the recognised dialect.
func (w *walker) annotate() {
	if v, ok := w.attrs.Get(DialectKey); !ok {
		w.put(DialectKey, text(w.dialect.ID))
	} else if want := text(w.dialect.ID); !want.isIn(v) {
		want.setTo(v)
	}
}
