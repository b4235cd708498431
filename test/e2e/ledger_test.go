// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"fmt"
	"sync"
)

// ledger holds what became of each request. A request of number n has the batch n modulo the number of batches.
type ledger struct {
	batches []batch
	// want is what has to arrive, by batch, with 0 as the number of the request.
	want []string

	mu       sync.Mutex
	requests map[uint64]*fate
	// wrong is what arrived and should not have, the first few of it.
	wrong []string
}

// fate is what became of one request.
type fate struct {
	accepted bool
	arrivals int
	// unheard is how many arrivals the sink did not answer in time, after which the exporter sends again.
	unheard int
}

func newLedger(batches []batch, want []string) *ledger {
	return &ledger{batches: batches, want: want, requests: map[uint64]*fate{}}
}

func (l *ledger) batchOf(request uint64) int { return int(request % uint64(len(l.batches))) }

// update changes what is known of a request.
func (l *ledger) update(request uint64, change func(*fate)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.requests[request]
	if f == nil {
		f = &fate{}
		l.requests[request] = f
	}
	change(f)
}

// arrive notes a batch at the sink and returns the number of its request. It compares it with what has to arrive.
func (l *ledger) arrive(b batch) uint64 {
	request, err := l.check(b)
	l.update(request, func(f *fate) { f.arrivals++ })
	if err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if len(l.wrong) < 10 {
			l.wrong = append(l.wrong, err.Error())
		}
	}
	return request
}

func (l *ledger) check(b batch) (request uint64, err error) {
	first := true
	for number := range b.numbers() {
		if !first && number != request {
			return request, fmt.Errorf("an item of request %d arrived with those of request %d", number, request)
		}
		request, first = number, false
	}
	text, err := b.numbered(0).text()
	if err != nil {
		return request, err
	}
	if want := l.want[l.batchOf(request)]; text != want {
		return request, fmt.Errorf("request %d arrived as\n%s\nnot as\n%s", request, text, want)
	}
	return request, nil
}

// tally counts items.
type tally struct {
	sent, accepted, refused, arrived int
	// lost were accepted and did not arrive; uninvited were refused and did.
	lost, uninvited int
	// duplicated is how many arrived again, and resent how many the exporter sent again because it heard no answer.
	duplicated, resent int
}

func (l *ledger) tally() (sum tally) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for request, f := range l.requests {
		items := l.batches[l.batchOf(request)].itemCount()
		sum.sent += items
		sum.resent += f.unheard * items
		if f.accepted {
			sum.accepted += items
		} else {
			sum.refused += items
		}
		if f.arrivals > 0 {
			sum.arrived += items
			sum.duplicated += (f.arrivals - 1) * items
		}
		switch {
		case f.accepted && f.arrivals == 0:
			sum.lost += items
		case !f.accepted && f.arrivals > 0:
			sum.uninvited += items
		}
	}
	return sum
}

// isThrough tells whether all that is to arrive has arrived.
func (t tally) isThrough() bool { return t.lost == 0 && t.duplicated >= t.resent }
