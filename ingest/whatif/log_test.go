package whatif

import (
	"cmp"
	"iter"
	"reflect"
	"testing"

	"poolproof/core"
	"poolproof/core/simulate"
)

// TestLogIsALog: events stand in the order of a log, every start knows its end, and what is
// left out of heartbeats changes nothing.
func TestLogIsALog(t *testing.T) {
	w := theSmall(t)
	counts := map[core.Kind]int{}
	again := 0             // starts that begin a job's work again
	skipped := 0           // heartbeats that the scheduler passed over
	var lasts []core.Event // by tree
	for tree := range w.control.trees {
		var before core.Event
		ends := map[core.JobID]core.Event{}
		last := map[core.NodeID]core.Time{}
		for e := range w.control.Events(tree) {
			if c := cmp.Or(cmp.Compare(before.Time, e.Time), cmp.Compare(before.Kind, e.Kind), cmp.Compare(before.Seq, e.Seq)); c >= 0 {
				t.Fatalf("%s follows %s", told(e), told(&before))
			}
			before = *e
			counts[e.Kind]++
			switch e.Kind {
			case core.TreeRecorded, core.PoolRecorded, core.OperationRecorded: // env.Log.NoSnapshots
				t.Fatalf("%s is of a snapshot", told(e))
			case core.JobStarted:
				ends[e.Job] = *e
				if e.Predecessor != nil {
					again++
				}
			case core.JobFinished:
				if s := ends[e.Job]; s.Finish != core.Some(e.Time) || s.End != e.End && s.End != core.EndPreempted {
					t.Fatalf("%s, and its start says %s", told(e), told(&s))
				}
				delete(ends, e.Job)
			case core.HeartbeatReceived:
				if gap := e.Time - last[e.Node]; last[e.Node] > 0 && gap > sampleEvery+w.plan.HeartbeatPeriod && gap < 3*60*core.Second { // longer, and it was away
					t.Fatalf("node %d is silent for %d s", e.Node, gap/core.Second)
				}
				last[e.Node] = e.Time
				if e.Skipped.Value {
					skipped++
				}
			}
		}
		lasts = append(lasts, before)
		for _, s := range ends {
			if s.End != core.EndRunning {
				t.Fatalf("%s does not end", told(&s))
			}
		}
	}
	raw := &counter{last: make([]core.Event, len(w.control.trees))}
	if err := simulate.Run(w.plan, raw); err != nil {
		t.Fatal(err)
	}
	if counts[core.HeartbeatReceived] >= raw.counts[core.HeartbeatReceived] {
		t.Errorf("all %d heartbeats are kept", counts[core.HeartbeatReceived])
	}
	if again != raw.again || again == 0 {
		t.Errorf("%d starts name a predecessor, want %d", again, raw.again)
	}
	if skipped != raw.skipped || skipped == 0 {
		t.Errorf("%d heartbeats are skipped, want %d", skipped, raw.skipped)
	}
	for tree, last := range lasts {
		if want := raw.last[tree]; last.Time != want.Time || last.Kind != want.Kind || last.Node != want.Node {
			t.Errorf("the last event of tree %d is %s, want %s", tree, told(&last), told(&want))
		}
	}
	for k := range raw.counts {
		if kind := core.Kind(k); kind != core.HeartbeatReceived && counts[kind] != raw.counts[k] {
			t.Errorf("of kind %d are %d events, want %d", kind, counts[kind], raw.counts[k])
		}
	}
}

// A counter counts what a simulation records.
type counter struct {
	counts  [core.JobStarted + 1]int
	again   int
	skipped int
	last    []core.Event // by tree
}

func (c *counter) BeginTrees([]*core.Tree) error { return nil }
func (c *counter) Record(tree int, e *core.Event) error {
	c.counts[e.Kind]++
	if e.Predecessor != nil {
		c.again++
	}
	if e.Skipped.Value {
		c.skipped++
	}
	c.last[tree] = *e
	return nil
}
func (c *counter) Snapshot(int, core.Time) error { return nil }

// TestDrain: a log that is drained tells the same, and nothing is left of it but the last blocks and
// its facts.
func TestDrain(t *testing.T) {
	w := theSmall(t)
	l := w.edited(t, "")
	for tree := range l.trees {
		next, stop := iter.Pull2(w.control.Events(tree))
		defer stop()
		n := 0
		for e := range l.Drain(tree) {
			n++
			if want, _, _ := next(); !reflect.DeepEqual(e, want) {
				t.Fatalf("%s, want %s", told(e), told(want))
			}
		}
		own := l.trees[tree]
		if n != own.order.len() || n < blockRows {
			t.Errorf("of %d events of tree %d are told %d", own.order.len(), tree, n)
		}
		for kind, left := range map[string]int{
			"all": own.order.left(), "starts": own.starts.left(), "ends": own.finishes.left(), "heartbeats": own.reports.left(),
			"demands": own.demands.left(), "preemptions": own.preemptions.left(),
		} {
			if left > 1 {
				t.Errorf("of tree %d are left %d blocks of %s", tree, left, kind)
			}
		}
	}
}

// left is how many blocks there are.
func (r *rows[T]) left() (n int) {
	for _, block := range r.blocks {
		if block != nil {
			n++
		}
	}
	return n
}

// TestNamed: the log names a job by its id, and knows it by its name.
func TestNamed(t *testing.T) {
	c := theSmall(t).control.trees[1].component
	for id := range core.JobID(7) {
		if got := c.named(c.name(id)); got != id {
			t.Errorf("job %d is named %s, which is job %d", id, c.name(id), got)
		}
	}
	for _, name := range []string{"", "5", "other-5", "rerun-", "rerun--5", "rerun-05", "rerun-99999999999999999999"} {
		if got := c.named(name); got != core.Unknown {
			t.Errorf("%q is job %d", name, got)
		}
	}
}

// TestRows: rows stay where they are while more come.
func TestRows(t *testing.T) {
	var r rows[int]
	first := r.row(r.add(-1))
	for i := 1; i < 5*blockRows; i++ {
		if at := r.add(i); at != i {
			t.Fatalf("row %d is at %d", i, at)
		}
	}
	*first = 0
	for i := range r.len() {
		if *r.row(i) != i {
			t.Fatalf("at %d is row %d", i, *r.row(i))
		}
	}
	if r.len() != 5*blockRows || len(r.blocks) != 5 {
		t.Errorf("%d rows are in %d blocks", r.len(), len(r.blocks))
	}
}
