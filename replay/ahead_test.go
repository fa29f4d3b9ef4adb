package replay

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"poolproof/core"
)

// reusing is a stream of n events that reuses its event and all that it points to, as
// streams do, and then ends as the last function says. It notes that it has ended.
func reusing(n int, ended *bool, last func(yield func(*core.Event, error) bool)) iter.Seq2[*core.Event, error] {
	return func(yield func(*core.Event, error) bool) {
		defer func() { *ended = true }()
		var e core.Event
		name := make([]byte, 0, 8)
		var preemption core.PreemptionRecord
		var params core.OperationParams
		var pool core.PoolRecord
		for i := range n {
			name = fmt.Appendf(name[:0], "j%d", i)
			preemption.Explanation, params.Weight, pool.Weight = string(name), core.Some(float64(i)), float64(i)
			e = core.Event{Seq: int64(i), Name: name}
			switch i % 3 {
			case 0:
				e.Preemption = &preemption
			case 1:
				e.Params = &params
			case 2:
				e.PoolRecord = &pool
			}
			if !yield(&e, nil) {
				return
			}
		}
		last(yield)
	}
}

// TestReadAhead: what is followed is what the stream said, to the end of many batches and with
// how the stream ended, whatever it has reused meanwhile.
func TestReadAhead(t *testing.T) {
	const n = 10*batchEvents + 7
	broken := errors.New("broken")
	for _, c := range []struct {
		name string
		last func(yield func(*core.Event, error) bool)
		want string
	}{
		{"ends", func(func(*core.Event, error) bool) {}, ""},
		{"fails", func(yield func(*core.Event, error) bool) { yield(nil, broken) }, "broken"},
		{"panics", func(func(*core.Event, error) bool) { panic("out of order") }, "out of order"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ended, seen := false, 0
			how := func() (err error) {
				defer recoverTo(&err)
				return readAhead(reusing(n, &ended, c.last), func(events []core.Event) bool {
					for i := range events {
						checkKept(t, &events[i], seen)
						seen++
					}
					return false
				})
			}()
			if !ended || seen != n && c.name != "panics" {
				t.Errorf("%d events of %d; the stream has ended: %v", seen, n, ended)
			}
			if got := fmt.Sprint(how); c.want == "" && how != nil || !strings.Contains(got, c.want) {
				t.Errorf("ended by %v, want %q", got, c.want)
			}
		})
	}
}

// checkKept checks an event that is a number of reusing.
func checkKept(t *testing.T, e *core.Event, i int) {
	t.Helper()
	if want := fmt.Sprintf("j%d", i); e.Seq != int64(i) || string(e.Name) != want {
		t.Fatalf("event %d is number %d, named %s", i, e.Seq, e.Name)
	}
	switch {
	case i%3 == 0 && e.Preemption.Explanation != string(e.Name), i%3 == 1 && e.Params.Weight != core.Some(float64(i)), i%3 == 2 && e.PoolRecord.Weight != float64(i):
		t.Fatalf("event %d points to another one's: %+v", i, e)
	}
}

// TestReadAheadIsGivenUp: once who follows has had enough, or panics, the stream ends, and is no
// further ahead than batches go round.
func TestReadAheadIsGivenUp(t *testing.T) {
	for name, enough := range map[string]func() bool{"enough": func() bool { return true }, "panics": func() bool { panic("planted") }} {
		t.Run(name, func(t *testing.T) {
			ended, calls := false, 0
			err := func() (err error) {
				defer recoverTo(&err)
				toTheEnd := func(func(*core.Event, error) bool) { t.Error("read to the end") }
				return readAhead(reusing(1000*batchEvents, &ended, toTheEnd), func([]core.Event) bool {
					calls++
					return enough()
				})
			}()
			if !ended || calls != 1 {
				t.Errorf("the stream has ended: %v; followed %d times", ended, calls)
			}
			if (err != nil) != (name == "panics") {
				t.Errorf("ended by %v", err)
			}
		})
	}
}

// TestEnoughGoesBeforeAnError: an error of the stream behind what anybody wants is none.
func TestEnoughGoesBeforeAnError(t *testing.T) {
	ended := false
	broken := func(yield func(*core.Event, error) bool) { yield(nil, errors.New("broken")) }
	if err := readAhead(reusing(7, &ended, broken), func([]core.Event) bool { return true }); err != nil {
		t.Error(err)
	}
}
