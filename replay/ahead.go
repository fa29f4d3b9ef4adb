package replay

import (
	"iter"

	"poolproof/core"
	"poolproof/replay/lane"
)

const batchEvents = 128 // enough that handing a batch over costs little per event

// A batch is some events in a row.
type batch struct {
	core.EventBuffer
	ended bool // the consumer has stopped
}

// readAhead has the events of a stream followed on a lane, some at a time, until the stream ends
// or who follows them has had enough: decoding the log and following it overlap. It returns the
// error that ended the stream.
func readAhead(events iter.Seq2[*core.Event, error], follow func([]core.Event) (ended bool)) error {
	ended := false // the lane's, until Wait
	l := lane.Start(func(b *batch) {
		ended = ended || follow(b.Events)
		b.Reset()
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
		if len(l.Batch.Events) == batchEvents {
			if l.Hand(); l.Batch.ended {
				return nil
			}
		}
		l.Batch.Add(e)
	}
	l.Wait()
	return nil
}
