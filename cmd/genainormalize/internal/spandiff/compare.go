// SPDX-License-Identifier: Apache-2.0

package spandiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/spandiff"

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Difference is a pair of spans and what changed between them.
type Difference struct {
	Pair
	Changes []Change
}

// Touched says whether anything of the span itself changed. A scope or resource is shared by spans that have nothing
// else in common, so what changes there does not count.
func (d Difference) Touched() bool {
	return slices.ContainsFunc(d.Changes, func(c Change) bool { return c.Kind != Unchanged && !c.isShared() })
}

func (d Difference) untouched() bool { return !d.Touched() }

// shapeKey is equal for spans of the same scope, name and attribute keys that changed in the same way.
func (d Difference) shapeKey() string {
	parts := []string{d.Before.Scope.Scope().Name(), d.Before.Name()}
	for _, change := range d.Changes {
		parts = append(parts, string(change.Kind)+"\x00"+change.Key+"\x00"+change.NewKey)
	}
	slices.Sort(parts[2:])
	return strings.Join(parts, "\x00")
}

// Comparison is the result of comparing two traces.
type Comparison struct {
	Differences []Difference
	Missing     []Span // only before
	Extra       []Span // only after
}

// Compare pairs the spans of two lists of documents and lists what changed in each pair. Where the values of a span
// leave open which key was renamed to which (input and output tokens may be equally many), the other spans decide.
func Compare(before, after []ptrace.Traces) Comparison {
	pairs, missing, extra := match(flatten(before), flatten(after))
	result := Comparison{Missing: missing, Extra: extra}
	known := certainRenames(pairs)
	for _, pair := range pairs {
		result.Differences = append(result.Differences, Difference{Pair: pair, Changes: diff(pair, known)})
	}
	return result
}

// certainRenames returns the renames that the values of some span prove. A key with two different new ones is left out.
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

// Changed returns how many spans changed.
func (c Comparison) Changed() int {
	n := 0
	for _, difference := range c.Differences {
		if difference.Touched() {
			n++
		}
	}
	return n
}

// shape stands for all differences with one shape key.
type shape struct {
	first Difference
	spans int
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
		shapes[at].spans++
	}
	return shapes
}
