// SPDX-License-Identifier: Apache-2.0

package itemdiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/itemdiff"

import (
	"slices"
	"strings"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"
)

// Difference is a pair of items and what changed between them.
type Difference struct {
	Pair
	Changes []Change
}

// Touched says whether anything of the item itself changed. A scope or resource is shared by items that have nothing
// else in common, so what changes there does not count.
func (d Difference) Touched() bool {
	return slices.ContainsFunc(d.Changes, func(c Change) bool { return c.Kind != Unchanged && !c.isShared() })
}

func (d Difference) untouched() bool { return !d.Touched() }

// shapeKey is equal for items of the same kind, scope, name and attribute keys that changed in the same way.
func (d Difference) shapeKey() string {
	parts := []string{string(d.Before.Kind), d.Before.Scope, d.Before.Name}
	for _, change := range d.Changes {
		parts = append(parts, string(change.Kind)+"\x00"+change.Key+"\x00"+change.NewKey)
	}
	slices.Sort(parts[3:])
	return strings.Join(parts, "\x00")
}

// Comparison is the result of comparing two lists of documents.
type Comparison struct {
	Differences []Difference
	Missing     []Item // only before
	Extra       []Item // only after
}

// Compare pairs the items of two lists of documents and lists what changed in each pair. Where the values of an item
// leave open which key was renamed to which (input and output tokens may be equally many), the other items decide.
func Compare(before, after []otlpjson.Document) Comparison {
	pairs, missing, extra := match(itemsIn(before), itemsIn(after))
	result := Comparison{Missing: missing, Extra: extra}
	known := certainRenames(pairs)
	for _, pair := range pairs {
		result.Differences = append(result.Differences, Difference{Pair: pair, Changes: diff(pair, known)})
	}
	return result
}

// certainRenames returns the renames that the values of some item prove. A key with two different new ones is left out.
func certainRenames(pairs []Pair) renames {
	known := make(renames)
	for _, pair := range pairs {
		for _, change := range diff(pair, nil) {
			if change.Kind != Renamed {
				continue
			}
			if now, ok := known[change.Key]; ok && now != change.NewKey {
				known[change.Key] = ""
				continue
			}
			known[change.Key] = change.NewKey
		}
	}
	return known
}

// Changed returns how many items changed.
func (c Comparison) Changed() int {
	n := 0
	for _, difference := range c.Differences {
		if difference.Touched() {
			n++
		}
	}
	return n
}

// of returns the part that is about items of a kind.
func (c Comparison) of(kind ItemKind) (part Comparison) {
	for _, d := range c.Differences {
		if d.Before.Kind == kind {
			part.Differences = append(part.Differences, d)
		}
	}
	isOther := func(item Item) bool { return item.Kind != kind }
	part.Missing = slices.DeleteFunc(slices.Clone(c.Missing), isOther)
	part.Extra = slices.DeleteFunc(slices.Clone(c.Extra), isOther)
	return part
}

func (c Comparison) size() int { return len(c.Differences) + len(c.Missing) + len(c.Extra) }

// shape stands for all differences with one shape key.
type shape struct {
	first Difference
	items int
}

// shapes groups the differences that are wanted by shape, in the order in which the shapes come.
func (c Comparison) shapes(wanted func(Difference) bool) []shape {
	var shapes []shape
	index := make(map[string]int)
	for _, difference := range c.Differences {
		if !wanted(difference) {
			continue
		}
		key := difference.shapeKey()
		at, ok := index[key]
		if !ok {
			at = len(shapes)
			index[key] = at
			shapes = append(shapes, shape{first: difference})
		}
		shapes[at].items++
	}
	return shapes
}
