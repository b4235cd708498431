// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

// Evidence is a set of facts about an item: a bit for each span name, scope, kind, key and value that some
// dialect asks for. Collecting them takes one look-up per attribute; matching a dialect is then a few ANDs,
// whatever the number of keys it asks for.
type Evidence [4]uint64

const maxEvidence = len(Evidence{}) * 64

// Facts that no table spells out.
const (
	// factSemconvName: the span is called "{operation} {model}" after its own attributes.
	factSemconvName = iota
	// factNoAttributes: the item has no attribute but those that are filled in.
	factNoAttributes
	firstFact
)

// AddSemconvName adds that the span is called "{operation} {model}" after its own attributes.
func (e *Evidence) AddSemconvName() { e[0] |= 1 << factSemconvName }

// AddNoAttributes adds that the item has no attributes.
func (e *Evidence) AddNoAttributes() { e[0] |= 1 << factNoAttributes }

func fact(bit int) (e Evidence) {
	e[bit/64] = 1 << (bit % 64)
	return e
}

// Add puts the facts of o into the set.
func (e *Evidence) Add(o *Evidence) {
	e[0] |= o[0]
	e[1] |= o[1]
	e[2] |= o[2]
	e[3] |= o[3]
}

// or returns the union of both sets.
func (e Evidence) or(o Evidence) Evidence {
	e.Add(&o)
	return e
}

// isEmpty tells whether nothing is known.
func (e Evidence) isEmpty() bool { return e == Evidence{} }

// meets tells whether the sets have a fact in common.
func (e *Evidence) meets(o *Evidence) bool {
	return e[0]&o[0]|e[1]&o[1]|e[2]&o[2]|e[3]&o[3] != 0
}

// holds tells whether every fact of o is in the set.
func (e Evidence) holds(o Evidence) bool {
	return o[0]&^e[0]|o[1]&^e[1]|o[2]&^e[2]|o[3]&^e[3] == 0
}

// facts hands out bits while tables are compiled.
type facts struct {
	bits map[string]int
}

// of returns the bit of a fact such as "scope" "vllm.llm_engine". It reports false when there are too many.
func (f *facts) of(kind, name string) (Evidence, bool) {
	id := kind + "\x00" + name
	bit, ok := f.bits[id]
	if !ok {
		bit = firstFact + len(f.bits)
		if bit >= maxEvidence {
			return Evidence{}, false
		}
		f.bits[id] = bit
	}
	return fact(bit), true
}
