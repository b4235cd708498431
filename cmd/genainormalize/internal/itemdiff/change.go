// SPDX-License-Identifier: Apache-2.0

package itemdiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/itemdiff"

import (
	"cmp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Kind is what happened to a key.
type Kind string

// The kinds of change, in the order in which they are shown.
const (
	Renamed   Kind = "renamed"
	Converted Kind = "converted" // same key, another value or type
	Added     Kind = "added"
	Removed   Kind = "removed"
	Unchanged Kind = "unchanged"
)

// order is the one in which changes are shown.
var order = map[Kind]int{Renamed: 0, Converted: 1, Added: 2, Removed: 3, Unchanged: 4}

// Change is what happened to one attribute, or to one other field of an item, its scope or its resource.
// Key is empty for what was added, NewKey for what was removed. The values are as they are shown.
type Change struct {
	Kind          Kind
	Key, NewKey   string
	Before, After string
}

// isShared tells whether the change is one of the item's scope or resource.
func (c Change) isShared() bool {
	key := cmp.Or(c.Key, c.NewKey)
	return strings.HasPrefix(key, scopePrefix) || strings.HasPrefix(key, resourcePrefix)
}

// renames holds the new key of an old one.
type renames map[string]string

// diff lists what happened to every attribute of an item, and to those other fields that changed.
func diff(pair Pair, known renames) []Change {
	changes := diffAttributes(pair.Before.Attributes, pair.After.Attributes, known)
	changes = append(changes, diffFields(pair.Before.fields, pair.After.fields)...)
	slices.SortStableFunc(changes, func(a, b Change) int { return order[a.Kind] - order[b.Kind] })
	return changes
}

type attribute struct {
	key   string
	value pcommon.Value
}

func diffAttributes(before, after pcommon.Map, known renames) []Change {
	var changes []Change
	var gone, come []attribute
	for key, value := range before.All() {
		now, ok := after.Get(key)
		switch {
		case !ok:
			gone = append(gone, attribute{key, value})
		case value.Equal(now):
			changes = append(changes, Change{Kind: Unchanged, Key: key, NewKey: key, Before: format(value), After: format(now)})
		default:
			changes = append(changes, Change{Kind: Converted, Key: key, NewKey: key, Before: format(value), After: format(now)})
		}
	}
	for key, value := range after.All() {
		if _, ok := before.Get(key); !ok {
			come = append(come, attribute{key, value})
		}
	}

	equal := func(old, now attribute) bool { return old.value.Equal(now.value) }
	// "16" and 16, 1 and 1.0, or a list and its JSON text: carried over, in another type.
	convertible := func(old, now attribute) bool { return old.value.AsString() == now.value.AsString() }
	expected := func(old, now attribute) bool { return known[old.key] == now.key && convertible(old, now) }
	for _, same := range []func(old, now attribute) bool{expected, equal, convertible} {
		var found []Change
		found, gone, come = pairRenames(gone, come, same)
		changes = append(changes, found...)
	}

	for _, a := range gone {
		changes = append(changes, Change{Kind: Removed, Key: a.key, Before: format(a.value)})
	}
	for _, a := range come {
		changes = append(changes, Change{Kind: Added, NewKey: a.key, After: format(a.value)})
	}
	return changes
}

// pairRenames takes a key that went and a key that came for a rename if they are the same and no other key that went or
// came could be meant. It returns the renames and the attributes that are left.
func pairRenames(gone, come []attribute, same func(old, now attribute) bool) (found []Change, goneLeft, comeLeft []attribute) {
	taken := make(map[string]bool)
	for _, old := range gone {
		targets := filter(come, func(now attribute) bool { return same(old, now) })
		if len(targets) != 1 || len(filter(gone, func(other attribute) bool { return same(other, targets[0]) })) != 1 {
			goneLeft = append(goneLeft, old)
			continue
		}
		now := targets[0]
		taken[now.key] = true
		found = append(found, Change{
			Kind: Renamed, Key: old.key, NewKey: now.key, Before: format(old.value), After: format(now.value),
		})
	}
	return found, goneLeft, filter(come, func(a attribute) bool { return !taken[a.key] })
}

func filter(attributes []attribute, keep func(attribute) bool) []attribute {
	var kept []attribute
	for _, a := range attributes {
		if keep(a) {
			kept = append(kept, a)
		}
	}
	return kept
}
