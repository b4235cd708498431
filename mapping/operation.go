// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// operations reads the operation off a request id.
type operations struct {
	keys     []KeyID
	prefixes []operationPrefix // longest first
}

// operationPrefix is a prefix of request ids; without an operation it marks ids that have none.
type operationPrefix struct {
	prefix    string
	operation string
}

func newOperations(ids *RequestIDs, keys []KeyID) *operations {
	o := &operations{keys: keys}
	for _, prefix := range slices.Sorted(maps.Keys(ids.Operations)) {
		o.prefixes = append(o.prefixes, operationPrefix{prefix: prefix, operation: ids.Operations[prefix]})
	}
	for _, prefix := range ids.None {
		o.prefixes = append(o.prefixes, operationPrefix{prefix: prefix})
	}
	slices.SortStableFunc(o.prefixes, func(a, b operationPrefix) int { return cmp.Compare(len(b.prefix), len(a.prefix)) })
	return o
}

// of returns the operation of a request id. It reports true where the id settles the question, also when
// the answer is that there is no standard operation.
//
//	chatcmpl-5c2f → chat, true
//	0_cmpl-7d3a-0 → text_completion, true
//	score-9e1b-0  → "", true
//	17            → "", false
func (o *operations) of(id string) (operation string, settled bool) {
	id = trimIndex(id)
	for _, p := range o.prefixes {
		if strings.HasPrefix(id, p.prefix) {
			return p.operation, true
		}
	}
	return "", false
}

// trimIndex removes the number of a choice that engines put before the id of the request: 0_cmpl-… → cmpl-….
func trimIndex(id string) string {
	digits := 0
	for digits < len(id) && id[digits] >= '0' && id[digits] <= '9' {
		digits++
	}
	if digits > 0 && digits < len(id) && id[digits] == '_' {
		return id[digits+1:]
	}
	return id
}

// RequestIDKeys returns the keys of which the first that an item has holds what [DialectRules.Operation] wants.
func (d *DialectRules) RequestIDKeys() []KeyID {
	if d.operations == nil {
		return nil
	}
	return d.operations.keys
}

// EntryOperation returns the operation that the name of an entry span begins with, or nothing.
//
//	chat qwen3 → chat
func (d *DialectRules) EntryOperation(spanName string) string {
	first, _, _ := strings.Cut(spanName, " ")
	if !slices.Contains(d.entryOperations, first) {
		return ""
	}
	return first
}

// Operation returns the operation that a request id proves, else the engine's default, else nothing. The
// default does not apply to an id that says the request is of another kind. An item without an id has "".
func (d *DialectRules) Operation(requestID string) string {
	if d.operations != nil {
		if operation, settled := d.operations.of(requestID); settled {
			return operation
		}
	}
	return d.defaultOperation
}
