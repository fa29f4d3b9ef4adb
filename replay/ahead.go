package replay

import (
	"fmt"
	"iter"
	"runtime/debug"

	"poolproof/core"
)

// A reader reads the events of a tree ahead on a goroutine of its own, so that decoding the
// log and following it overlap. Batches go round between the two, so that memory stays the
// same however long the log is.
type reader struct {
	full, free chan *batch
	stop       chan struct{}
}

const (
	batchEvents = 128 // enough that handing a batch over costs little per event
	batches     = 4   // one that is filled, one that is followed, and two that wait
)

// A batch is some events in a row, with all that they point to.
type batch struct {
	events []core.Event
	err    error // what ended the stream after them
	fault  any   // with what the stream panicked after them

	text        []byte
	preemptions []core.PreemptionRecord
	params      []core.OperationParams
	trees       []core.TreeRecord
	pools       []core.PoolRecord
	operations  []core.OperationRecord
}

// readAhead begins to read events. The reader must be closed.
func readAhead(events iter.Seq2[*core.Event, error]) *reader {
	r := &reader{full: make(chan *batch, batches), free: make(chan *batch, batches), stop: make(chan struct{})}
	for range batches {
		r.free <- &batch{events: make([]core.Event, 0, batchEvents)}
	}
	go r.read(events)
	return r
}

// next returns the next events and takes back those before them, nil after the last.
func (r *reader) next(done *batch) *batch {
	if done != nil {
		r.free <- done
	}
	b := <-r.full
	if b != nil && b.fault != nil {
		panic(b.fault)
	}
	return b
}

// close ends the reading, wherever it is, and waits for its end.
func (r *reader) close() {
	close(r.stop)
	for range r.full {
	}
}

// read fills batches until the stream ends or nobody wants more.
func (r *reader) read(events iter.Seq2[*core.Event, error]) {
	b := <-r.free
	defer close(r.full)
	defer func() {
		if p := recover(); p != nil {
			b.fault = fmt.Sprintf("%v\n%s", p, debug.Stack())
		}
		r.full <- b // which never waits: there is room for all
	}()
	b.reset()
	for e, err := range events {
		if err != nil {
			b.err = err
			return
		}
		if len(b.events) == batchEvents {
			r.full <- b
			select {
			case b = <-r.free:
				b.reset()
			case <-r.stop:
				b = &batch{}
				return
			}
		}
		b.add(e)
	}
}

func (b *batch) reset() {
	b.events, b.text = b.events[:0], b.text[:0]
	b.preemptions, b.params = b.preemptions[:0], b.params[:0]
	b.trees, b.pools, b.operations = b.trees[:0], b.pools[:0], b.operations[:0]
}

// add copies an event, which its stream will reuse.
func (b *batch) add(e *core.Event) {
	b.events = append(b.events, *e)
	own := &b.events[len(b.events)-1]
	own.Name, own.Predecessor = b.keep(e.Name), b.keep(e.Predecessor)
	own.Preemption = kept(&b.preemptions, e.Preemption)
	own.Params = kept(&b.params, e.Params)
	own.TreeRecord = kept(&b.trees, e.TreeRecord)
	own.PoolRecord = kept(&b.pools, e.PoolRecord)
	own.OperationRecord = kept(&b.operations, e.OperationRecord)
}

func (b *batch) keep(text []byte) []byte {
	if text == nil {
		return nil
	}
	from := len(b.text)
	b.text = append(b.text, text...)
	return b.text[from:len(b.text):len(b.text)]
}

// kept copies a value to the end of a list.
func kept[T any](list *[]T, value *T) *T {
	if value == nil {
		return nil
	}
	*list = append(*list, *value)
	return &(*list)[len(*list)-1]
}
