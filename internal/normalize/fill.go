// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// fillProvider names who wrote the item where that is proven. A name that is there is never replaced.
func (w *walker) fillProvider() {
	if w.has(w.own.provider) {
		w.provider.add(w.text(w.own.provider))
		return
	}
	provider := ""
	switch {
	case w.dialect.ClaimsProvider:
		provider = w.dialect.Provider
	case w.form == mapping.FormEntry || w.form == mapping.FormRecord:
		provider = w.opts.EntryProvider
	}
	if provider == "" {
		w.outcome(ProviderUnknown)
		w.decide(&AttributeFate{Fate: Unproven, Target: w.own.provider.Name})
		return
	}
	w.provider.add(provider)
	w.fill(w.own.provider, provider)
}

// fillOperation names the operation that the name of an entry span or the request id proves, or the engine's default.
func (w *walker) fillOperation() {
	if w.has(w.own.operation) {
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
		w.fill(w.own.operation, operation)
	}
}

// requestID returns the id that may tell the operation, or nothing.
func (w *walker) requestID() string {
	for _, key := range w.dialect.RequestIDKeys() {
		if h := w.first(key); h != nil && h.value.Type() == pcommon.ValueTypeStr {
			return h.value.Str()
		}
	}
	return ""
}

// fill adds an attribute, unless the configuration excludes it.
func (w *walker) fill(key *mapping.Key, v string) {
	if !w.rules.Excluded(key.Name) {
		w.put(key.Name, key.ID, text(v))
		w.decideFill(key.Name, v)
	}
}

// annotate writes the recognised dialect.
func (w *walker) annotate() {
	if v, ok := w.attrs.Get(mapping.DialectKey); !ok {
		w.put(mapping.DialectKey, mapping.NoKey, text(w.dialect.ID))
		w.decideFill(mapping.DialectKey, w.dialect.ID)
	} else if want := text(w.dialect.ID); !want.isIn(v) {
		want.setTo(v)
		w.decide(&AttributeFate{Fate: Converted, Source: mapping.DialectKey, Target: mapping.DialectKey, After: v})
	}
}
