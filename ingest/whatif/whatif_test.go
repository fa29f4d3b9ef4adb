package whatif

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"poolproof/core"
	"poolproof/core/simulate"
	"poolproof/ingest"
	"poolproof/ingest/rerun"
	"poolproof/ingest/synthetic"
)

// A whole is a trace, its plan, and what the core makes of that.
type whole struct {
	trace   *ingest.Trace
	plan    *simulate.Plan
	control *Log
}

// small is the trace of preset small and its control.
var small = sync.OnceValues(func() (*whole, error) {
	spec, err := synthetic.Preset("small")
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(testFolder, "small")
	if _, err := synthetic.Generate(testContext, synthetic.Options{Spec: spec, Seed: 1, Out: dir, Workers: 2}); err != nil {
		return nil, err
	}
	w := &whole{}
	if w.trace, err = ingest.Open(dir); err != nil {
		return nil, err
	}
	if w.plan, _, err = rerun.Plan(testContext, w.trace, core.Documented, w.trace.Window()); err != nil {
		return nil, err
	}
	w.control, err = Simulate(testContext, w.plan, Options{})
	return w, err
})

func theSmall(t *testing.T) *whole {
	t.Helper()
	w, err := small()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// edited applies edits to a plan and simulates it.
func (w *whole) edited(t *testing.T, text string) *Log {
	t.Helper()
	e, err := Parse("edit.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Apply(w.plan, e)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Simulate(t.Context(), plan, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// told is what an event is about, for people.
func told(e *core.Event) string {
	return fmt.Sprintf("%s kind %d, operation %d, step %d, node %d, job %d, pool %d, %v %v", timeText(e.Time), e.Kind, e.Operation, e.Step, e.Node, e.Job, e.Pool, e.Limits, e.Usage)
}

// same compares two logs up to a time, and returns when and where they first differ. How a
// job ends is told when it starts: of jobs that end later that is left out. Jobs go by their number
// in the tree: ids go by which trees were decided together.
func same(a, b *Log, to core.Time) error {
	for tree := range a.trees {
		of := func(l *Log) (all []core.Event) {
			number := map[core.JobID]core.JobID{}
			for e := range l.Events(tree) {
				if e.Time >= to {
					break
				}
				c := *e
				if c.Kind == core.JobStarted {
					number[c.Job] = core.JobID(len(number))
				}
				if c.Job != core.Unknown {
					c.Job = number[c.Job]
				}
				if !c.Finish.Set || c.Finish.Value >= to {
					c.Finish, c.End, c.Reason = core.Optional[core.Time]{}, 0, ""
					if c.Kind == core.JobPreempted {
						p := *c.Preemption
						p.End, p.EndReason = 0, ""
						c.Preemption = &p
					}
				}
				all = append(all, c)
			}
			return all
		}
		x, y := of(a), of(b)
		for i := range max(len(x), len(y)) {
			switch {
			case i >= len(x):
				return fmt.Errorf("more: %s", told(&y[i]))
			case i >= len(y):
				return fmt.Errorf("less: %s", told(&x[i]))
			case !reflect.DeepEqual(x[i], y[i]):
				return fmt.Errorf("%s is not %s", told(&x[i]), told(&y[i]))
			}
		}
	}
	return nil
}

const forever = core.Time(1<<63 - 1)

// all are the events of a log of which something holds.
func (l *Log) all(is func(e *core.Event) bool) (found []core.Event) {
	for tree := range l.trees {
		for e := range l.Events(tree) {
			if is(e) {
				own := *e
				own.Name = bytes.Clone(e.Name)
				found = append(found, own)
			}
		}
	}
	return found
}

// TestNoEditIsTheControl: edits that edit nothing decide the same to the last event, and so
// does the same plan once more.
func TestNoEditIsTheControl(t *testing.T) {
	w := theSmall(t)
	for _, text := range []string{"", "at: 2025-03-03T08:10:00Z", "pools: {}", "pools: {prod: {}}"} {
		if err := same(w.control, w.edited(t, text), forever); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if n := len(w.control.all(func(e *core.Event) bool { return e.Kind == core.JobPreempted })); n == 0 {
		t.Error("nothing is preempted: the trace tests too little")
	}
	if err := same(w.control, w.edited(t, "pools: {prod: {weight: 3}}"), forever); err == nil {
		t.Error("another weight goes unnoticed")
	}
}
