package replay

import (
	"iter"

	"poolproof/core"
	"poolproof/replay/lane"
)

const batchEvents = 128 // enough that handing a batch over costs little per event

// A batch is some events in a row, with all that they point to.
type batch struct {
	events []core.Event
	ended  bool // nobody wants more

	text        []byte
	preemptions []core.PreemptionRecord
	params      []core.OperationParams
	trees       []core.TreeRecord
	pools       []core.PoolRecord
	operations  []core.OperationRecord
}

// readAhead has the events of a stream followed on a lane, some at a time, until the stream ends
// or who follows them has had enough: decoding the log and following it overlap. It returns the
// error that ended the stream.
func readAhead(events iter.Seq2[*core.Event, error], follow func([]core.Event) (ended bool)) error {
	ended := false // the lane's, until Wait
	l := lane.Start(func(b *batch) {
		ended = ended || follow(b.events)
		b.reset()
		b.ended = ended
	})
	defer l.Stop()
	for e, err := range events {
		if err != nil {
			if l.Wait(); ended {
				return nil
			}
			return err
		}
		if len(l.Batch.events) == batchEvents {
			if l.Hand(); l.Batch.ended {
				return nil
			}
		}
		l.Batch.add(e)
	}
	l.Wait()
	return nil
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
