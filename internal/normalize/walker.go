// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"context"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// walker holds what is needed to normalise one item after the other. Its memory is used again, so that a batch
// costs no allocations but those of the values that are written.
type walker struct {
	batch

	// hits are the attributes of the current item that some rule or dialect names.
	hits []hit
	// mostHits is the largest number that an item of the batch had.
	mostHits int
	// lastKeys are keys by the place that an attribute had.
	lastKeys [64]*mapping.Key
	// firsts holds, by key, the number of its first hit plus one. A hostile item may have a key many times, and then
	// a search would be quadratic.
	firsts []int32
	// steps are the rules to apply, in the order of the tables.
	steps []step
	// puts are the attributes to add, and carried the values that move to them, by the number of the put.
	puts    []put
	carried []pcommon.Value
	// there is the target that was last compared with.
	there there
	item
	// seen is what only an observer asks for.
	seen seenItem
}

// item is the recognised item.
type item struct {
	name    string
	attrs   pcommon.Map
	dialect *mapping.DialectRules
	form    mapping.Form
}

// hit is an attribute that some rule or dialect names.
type hit struct {
	name  string
	value pcommon.Value
	// index is the attribute's place in the item.
	index int
	// key is NoKey for a latency that no row names.
	key mapping.KeyID
	// remove tells that the value was carried over, or is not wanted.
	remove bool
	// put is the number plus one of the put that the value moves to as it is, 0 if there is none.
	put int
}

// step is a rule that applies to a hit.
type step struct {
	order, hit int
	rule       *mapping.Rule
}

// put is an attribute that will be added once the removals have made room.
type put struct {
	name  string
	key   mapping.KeyID
	value value
	// carried tells that the value moves from the attribute that has it.
	carried bool
}

// Pooled memory is kept up to this many entries. A larger item is rare, and must not be paid for ever after.
const maxPooled = 256

func newWalker(n *Normalizer) *walker {
	return &walker{
		batch:  batch{Normalizer: n, tally: make(tally, len(n.rules.Dialects()))},
		hits:   make([]hit, 0, 32),
		firsts: make([]int32, n.rules.Keys()),
		steps:  make([]step, 0, 32),
		puts:   make([]put, 0, 8),
	}
}

// walker returns one that tells the reporter if that wants to know.
func (n *Normalizer) walker(r Reporter) *walker {
	w := n.walkers.Get().(*walker)
	w.observer, _ = r.(Observer)
	return w
}

func (w *walker) report(ctx context.Context, r Reporter) { w.tally.report(ctx, w.rules.Dialects(), r) }

// release gives the walker back without references into the batch.
func (w *walker) release() {
	w.batch.release()
	if cap(w.hits) > maxPooled || cap(w.steps) > maxPooled || cap(w.puts) > maxPooled {
		return
	}
	w.forget()
	clear(w.hits[:w.mostHits])
	w.mostHits = 0
	clear(w.puts[:cap(w.puts)])
	w.item, w.seen = item{}, seenItem{}
	w.walkers.Put(w)
}

// collect finds the attributes that some rule or dialect names, and adds what they are evidence of.
func (w *walker) collect(attrs pcommon.Map, evidence *mapping.Evidence) {
	w.forget()
	rules := w.rules
	index := 0
	for name, v := range attrs.All() {
		// The keys of foreign items come no further, so that they cost little.
		if rules.MayKnow(name) {
			w.note(name, v, index, evidence)
		}
		index++
	}
	if hasOnlyFills(attrs) {
		evidence.AddNoAttributes()
	}
}

// note adds an attribute to the hits if some rule or dialect names it.
func (w *walker) note(name string, v pcommon.Value, index int, evidence *mapping.Evidence) {
	if key := w.key(name, index); key != nil {
		evidence.Add(&key.Evidence)
		if key.Values != nil && v.Type() == pcommon.ValueTypeStr {
			e := key.Values[v.Str()]
			evidence.Add(&e)
		}
		w.hits = append(w.hits, hit{name: name, value: v, index: index, key: key.ID})
		if w.firsts[key.ID] == 0 {
			w.firsts[key.ID] = int32(len(w.hits))
		}
	} else if w.rules.HasDurationPrefix(name) {
		w.hits = append(w.hits, hit{name: name, value: v, index: index, key: mapping.NoKey})
	}
}

// key returns what is known of an attribute key, or nil. The items of an emitter have their attributes in one order
// mostly, so that the key in the same place of the item before is tried first, which costs less than a look-up.
func (w *walker) key(name string, index int) *mapping.Key {
	last := &w.lastKeys[index%len(w.lastKeys)]
	if *last == nil || (*last).Name != name {
		*last = w.rules.Key(name)
	}
	return *last
}

// forget ends the work on an item.
func (w *walker) forget() {
	for i := range w.hits {
		if key := w.hits[i].key; key != mapping.NoKey {
			w.firsts[key] = 0
		}
	}
	w.mostHits = max(w.mostHits, len(w.hits))
	w.hits = w.hits[:0]
}

// hasOnlyFills tells whether an item has no attributes but those that are filled in. It counts as one without
// attributes, so that it is recognised a second time.
func hasOnlyFills(attrs pcommon.Map) bool {
	if attrs.Len() > mapping.MaxFills {
		return false
	}
	for name := range attrs.All() {
		if !mapping.IsFill(name) {
			return false
		}
	}
	return true
}

// first returns the first attribute with a key, or nil.
func (w *walker) first(key mapping.KeyID) *hit {
	if i := w.firsts[key]; i > 0 {
		return &w.hits[i-1]
	}
	return nil
}

// lookup returns the value that an attribute will have after the commit.
func (w *walker) lookup(key mapping.KeyID) (value, bool) {
	if h := w.first(key); h != nil && !h.remove {
		return valueOf(h.value), true
	}
	for i := range w.puts {
		if w.puts[i].key == key {
			return w.puts[i].value, true
		}
	}
	return value{}, false
}

func (w *walker) has(key *mapping.Key) bool {
	_, ok := w.lookup(key.ID)
	return ok
}

// text returns a string attribute, or nothing.
func (w *walker) text(key *mapping.Key) string {
	v, _ := w.lookup(key.ID)
	if v.Type != semconv.String {
		return ""
	}
	return v.Str
}

func (w *walker) put(name string, key mapping.KeyID, v value) {
	w.puts = append(w.puts, put{name: name, key: key, value: v})
}

func (w *walker) outcome(reason Reason) { w.tally.outcome(w.dialect, reason) }

// commit removes and adds what was decided. Removing comes first, so that adding finds room. A value that is removed
// under one name and added as it is under another moves, which costs less than a copy.
func (w *walker) commit() {
	for i := range w.puts {
		if p := &w.puts[i]; p.carried {
			w.reserve(i)
		} else {
			p.value.detach()
		}
	}
	w.removeHits()
	for i := range w.puts {
		p := &w.puts[i]
		dest := w.attrs.PutEmpty(p.name)
		if p.carried {
			w.carried[i].MoveTo(dest)
		} else {
			p.value.setTo(dest)
		}
	}
	w.puts = w.puts[:0]
}

// reserve makes room for the value of a put.
func (w *walker) reserve(put int) {
	for len(w.carried) <= put {
		w.carried = append(w.carried, pcommon.NewValueEmpty())
	}
}

// removeHits removes the attributes that are not wanted any more, and keeps those of their values that move.
func (w *walker) removeHits() {
	next := slices.IndexFunc(w.hits, func(h hit) bool { return h.remove })
	if next < 0 {
		return
	}
	index := 0
	w.attrs.RemoveIf(func(_ string, v pcommon.Value) bool {
		// Hits are in the order of the attributes.
		for next < len(w.hits) && w.hits[next].index < index {
			next++
		}
		index++
		if next == len(w.hits) || w.hits[next].index != index-1 || !w.hits[next].remove {
			return false
		}
		if put := w.hits[next].put; put > 0 {
			v.MoveTo(w.carried[put-1])
		}
		return true
	})
}
