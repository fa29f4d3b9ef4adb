package rerun

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/simulate"
	"poolproof/ingest"
	"poolproof/ingest/trace"
)

const second = core.Second

// written writes a trace of a tree t with a hub, and opens it.
func written(t *testing.T, window trace.Window, write func(w *trace.Writer, tree *trace.TreeWriter, at func(core.Time) trace.Stamp) error) *ingest.Trace {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "trace")
	w, err := trace.Create(dir, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Abort)
	for i, name := range []string{"hub", "hub$u", "plain"} {
		if err := w.Add(&trace.Pool{Pool: core.PoolID(i), Tree: "t", Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	for i, spec := range []string{`{"pool":"hub","pool_trees":["t"]}`, "", `{"erase_trees_with_pool_limit_violations":true}`, ""} {
		row := trace.Operation{Op: core.OperationID(i), ID: fmt.Sprint("op", i), Type: "map", User: "u"}
		if spec != "" {
			row.SpecJSON = core.Some(spec)
		}
		if err := w.Add(&row); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 {
		if err := w.Add(&trace.Node{Node: core.NodeID(i), Address: fmt.Sprint("n", i)}); err != nil {
			t.Fatal(err)
		}
	}
	tree := w.Tree("t")
	if err := write(w, tree, func(at core.Time) trace.Stamp { return trace.Stamp{Time: at, Seq: tree.NextSeq()} }); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(trace.Manifest{Window: window}); err != nil {
		t.Fatal(err)
	}
	log, err := ingest.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

const day = 24 * 3600 * second

// TestPlan: what people and machines did is the plan's, what the scheduler decided is not.
func TestPlan(t *testing.T) {
	from := 1_600_000_000 * second
	log := written(t, trace.Window{From: from, To: from + 1000*second}, func(w *trace.Writer, tree *trace.TreeWriter, at func(core.Time) trace.Stamp) error {
		if err := w.Add(&trace.ClusterConfig{Stamp: trace.Stamp{Time: from - 2*day, Seq: 1}, Trees: "t", FairShareUpdatePeriodMS: core.Some[int64](7000), ConfigJSON: "{}"}); err != nil {
			return err
		}
		if err := tree.Add(&trace.NodeState{Stamp: at(from - 2*day), Node: 0, Online: true, Limit: trace.FromVector(cores(4)), Source: "export"}); err != nil {
			return err
		}
		pool := func(p core.PoolID) core.Optional[core.PoolID] { return core.Some(p) }
		for i, e := range []trace.OpEvent{
			{Op: 0, Event: "started", Pool: pool(1)},
			{Op: 0, Event: "pending"},
			{Op: 0, Event: "running"},
			{Op: 1, Event: "started", Pool: pool(1)},
			{Op: 0, Event: "materialized"},
			{Op: 2, Event: "rejected", Pool: pool(2), ErrorCode: core.Some[int32](500)},
			{Op: 0, Event: "starvation_started"},
			{Op: 1, Event: "pool_changed", Pool: pool(2)},
			{Op: 1, Event: "pool_changed", Pool: pool(1)},
			{Op: 0, Event: "suspended"},
			{Op: 1, Event: "banned_in_tree"},
			{Op: 1, Event: "aborted"},
			{Op: 3, Event: "started", Pool: pool(2), Offloading: core.Some(true)}, // some pool's doing
		} {
			e.Stamp = at(from + core.Time(10*i)*second)
			if err := tree.Add(&e); err != nil {
				return err
			}
		}
		return nil
	})
	p, _, err := Plan(t.Context(), log, core.Documented, log.Window())
	if err != nil {
		t.Fatal(err)
	}
	if want := (core.Span{From: from - day, To: from + 1000*second}); p.Window != want {
		t.Errorf("the window is %v, want %v", p.Window, want)
	}
	if p.UpdatePeriod != 7*second || p.ScanPeriod != 56*second {
		t.Errorf("periods of updates and scans are %d and %d, want 7 s and the longest multiple of it within 60 s", p.UpdatePeriod, p.ScanPeriod)
	}
	if len(p.Phases) != 2 || p.Phases[0] == p.Phases[1] {
		t.Errorf("two nodes report at %v", p.Phases)
	}
	var facts []string
	for _, f := range p.Trees[0].Facts {
		facts = append(facts, fmt.Sprintf("%d kind=%d op=%d step=%d pool=%d", (f.Time-from)/second, f.Kind, f.Operation, f.Step, f.Pool))
	}
	fact := func(at core.Time, o core.OperationID, step core.Step, pool core.PoolID) string {
		return fmt.Sprintf("%d kind=%d op=%d step=%d pool=%d", at, core.OperationChanged, o, step, pool)
	}
	want := []string{
		fmt.Sprintf("%d kind=%d op=-1 step=0 pool=-1", -day/second, core.ClusterConfigured),
		fmt.Sprintf("%d kind=%d op=-1 step=0 pool=-1", -day/second, core.NodeChanged),
		fact(70, 1, core.StepPoolChanged, 2), fact(80, 1, core.StepPoolChanged, 0), // which gives the user's own
		fact(90, 0, core.StepSuspended, core.Unknown), fact(110, 1, core.StepAborted, core.Unknown),
	}
	if got, want := strings.Join(facts, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("facts\n%s\nwant\n%s", got, want)
	}
	var asked []string
	if offloaded := p.Operations[3].Requests; len(offloaded) > 0 {
		t.Errorf("an operation that a pool offloads is asked for: %v", offloaded)
	}
	for _, o := range p.Operations[:3] {
		q := o.Requests[0]
		asked = append(asked, fmt.Sprintf("%d+%d in %q, step %d, pool %d, error %d, erases %v, unnamed %v", (o.Submit-from)/second, o.Preparation/second,
			q.Pool, q.Started.Step, q.Started.Pool, q.Started.ErrorCode, o.Erases, o.Unnamed))
	}
	wantAsked := []string{
		`0+20 in "hub", step 1, pool -1, error 0, erases false, unnamed false`,
		`30+0 in "hub", step 1, pool -1, error 0, erases false, unnamed false`,
		`50+0 in "", step 1, pool -1, error 0, erases true, unnamed true`,
	}
	if got, want := strings.Join(asked, "\n"), strings.Join(wantAsked, "\n"); got != want {
		t.Errorf("asked for\n%s\nwant\n%s", got, want)
	}
}

// TestWhatIsOlderThanADayHasTheRestToDo: jobs that ran when the plan begins run as long
// as they still did, and what was done before is none of its work.
func TestWhatIsOlderThanADayHasTheRestToDo(t *testing.T) {
	from := 1_600_000_000 * second
	log := written(t, trace.Window{From: from, To: from + 1000*second}, func(_ *trace.Writer, tree *trace.TreeWriter, at func(core.Time) trace.Stamp) error {
		if err := tree.Add(&trace.OpEvent{Stamp: at(from - 2*day), Op: 0, Event: "started", Pool: core.Some[core.PoolID](2)}); err != nil {
			return err
		}
		for i, finish := range []core.Time{from - day - 5*second, from - day + 30*second} {
			if err := tree.Add(&trace.Job{Stamp: at(from - 2*day + core.Time(i)), Job: core.JobID(i), ID: fmt.Sprint("j", i), Op: 0, Node: 0,
				Limits: trace.FromVector(cores(1)), FinishTime: core.Some(finish), EndKind: "completed"}); err != nil {
				return err
			}
		}
		return nil
	})
	p, _, err := Plan(t.Context(), log, core.Documented, log.Window())
	if err != nil {
		t.Fatal(err)
	}
	o := p.Operations[0]
	if o.Submit != p.Window.From || len(o.Tasks) != 1 || o.Tasks[0].Jobs != 1 {
		t.Fatalf("submitted at %d with %v, want %d and one job", o.Submit, o.Tasks, p.Window.From)
	}
	if runs, _ := p.Outcome(simulate.Work{}); runs != 30*second {
		t.Errorf("it runs %d, want 30 s", runs)
	}
	if never := p.Operations[1]; never.Submit < p.Window.To {
		t.Errorf("an operation that the log does not start is submitted at %d", never.Submit)
	}
}

// TestPlanOfAWindow: a plan of a part of the log begins a day before it and ends with it. What was
// over then is no part of it, but for how long jobs usually run; of what was demanded the last
// counts.
func TestPlanOfAWindow(t *testing.T) {
	from := 1_600_000_000 * second
	begin := from + 4*day
	log := written(t, trace.Window{From: from, To: from + 10*day}, func(_ *trace.Writer, tree *trace.TreeWriter, at func(core.Time) trace.Stamp) error {
		step := func(time core.Time, o core.OperationID, event string) error {
			return tree.Add(&trace.OpEvent{Stamp: at(time), Op: o, Event: event, Pool: core.Some[core.PoolID](2)})
		}
		jobs := 0
		job := func(start, finish core.Time, o core.OperationID, end string) error {
			jobs++
			row := trace.Job{Stamp: at(start), Job: core.JobID(jobs), ID: fmt.Sprint("j", jobs), Op: o, Node: 0, Limits: trace.FromVector(cores(1)), EndKind: end}
			if finish > 0 {
				row.FinishTime = core.Some(finish)
			}
			return tree.Add(&row)
		}
		demand := func(time core.Time, o core.OperationID, n int64) error {
			return tree.Add(&trace.Demand{Stamp: at(time), Op: o, Needed: trace.FromVector(of(n, 1)), PendingJobs: core.Some(n)})
		}
		return errors.Join(
			step(from+1*second, 0, "started"), step(from+1*second, 1, "started"), step(from+2*second, 3, "rejected"),
			tree.Add(&trace.OpEvent{Stamp: at(from + 20*second), Op: 1, Event: "pool_changed", Pool: core.Some[core.PoolID](0)}), step(from+80*second, 0, "suspended"), step(from+90*second, 0, "completed"),
			step(from+5*day+10*second, 2, "started"),
			job(from+2*second, from+72*second, 0, "completed"), job(from+4*second, begin+50*second, 1, "completed"),
			job(begin+20*second, 0, 1, "running"), job(begin+100*second, begin+130*second, 1, "completed"), job(begin+100*second, begin+140*second, 1, "completed"),
			demand(from+2*second, 1, 9), demand(from+3*second, 1, 4), demand(from+4*second, 1, 3), demand(begin+20*second, 1, 2), demand(begin+100*second, 1, 3), demand(from+5*day+10*second, 2, 1),
		)
	})
	p, _, err := Plan(t.Context(), log, core.Documented, core.Span{From: from + 5*day, To: from + 6*day})
	if err != nil {
		t.Fatal(err)
	}
	if want := (core.Span{From: begin, To: from + 6*day}); p.Window != want {
		t.Errorf("the window is %v, want %v", p.Window, want)
	}
	if o := p.Operations[0]; len(o.Requests) > 0 || len(o.Tasks) > 0 || len(p.Trees[0].Facts) > 0 {
		t.Errorf("of what was over are planned %v and %v", o, p.Trees[0].Facts)
	}
	if o := p.Operations[3]; len(o.Requests) > 0 {
		t.Errorf("what was rejected before is asked for again: %v", o.Requests)
	}
	if pool := p.Operations[1].Requests[0].Pool; pool != "hub" {
		t.Errorf("an operation that was moved to hub before is asked for in %q", pool)
	}
	tell := func(id core.OperationID) string {
		var b strings.Builder
		fmt.Fprintf(&b, "at %d", (p.Operations[id].Submit-begin)/second)
		for i, task := range p.Operations[id].Tasks {
			fmt.Fprintf(&b, ", after %d", task.After/second)
			for n := range task.Jobs {
				runs, _ := p.Outcome(simulate.Work{Operation: id, Task: i, Index: n})
				fmt.Fprintf(&b, " %d", runs/second)
			}
		}
		return b.String()
	}
	for id, want := range map[core.OperationID]string{
		1: fmt.Sprintf("at 0, after 0 50 %d 30, after 100 40, after 100 40", 6*24*3600-20), // the one that was not begun lasts as the median of its operation
		2: fmt.Sprintf("at %d, after 0 70", 24*3600+10),                                    // as the median of the whole log
	} {
		if got := tell(id); got != want {
			t.Errorf("operation %d: %s, want %s", id, got, want)
		}
	}
}

// A startedOrder is the operations in the order of their starts.
type startedOrder []core.OperationID

func (*startedOrder) BeginTrees([]*core.Tree) error { return nil }
func (*startedOrder) Snapshot(int, core.Time) error { return nil }

func (s *startedOrder) Record(_ int, e *core.Event) error {
	if e.Kind == core.OperationChanged && e.Step == core.StepStarted {
		*s = append(*s, e.Operation)
	}
	return nil
}

// TestWhatIsOlderComesAsItCame: operations that are older than the plan begin with it, those first
// that got to run, each as it came.
func TestWhatIsOlderComesAsItCame(t *testing.T) {
	from := 1_600_000_000 * second
	begin := from + 4*day
	log := written(t, trace.Window{From: from, To: from + 10*day}, func(_ *trace.Writer, tree *trace.TreeWriter, at func(core.Time) trace.Stamp) error {
		var errs []error
		for _, e := range []struct {
			after core.Time
			op    core.OperationID
			event string
		}{{10, 0, "started"}, {10, 0, "pending"}, {15, 3, "started"}, {20, 1, "started"}, {21, 1, "running"}, {30, 3, "running"}} {
			errs = append(errs, tree.Add(&trace.OpEvent{Stamp: at(from + e.after*second), Op: e.op, Event: e.event, Pool: core.Some[core.PoolID](2)}))
		}
		return errors.Join(errs...)
	})
	p, _, err := Plan(t.Context(), log, core.Documented, core.Span{From: begin + day, To: begin + 2*day})
	if err != nil {
		t.Fatal(err)
	}
	var came startedOrder
	if err := simulate.Run(p, &came); err != nil {
		t.Fatal(err)
	}
	if want := (startedOrder{3, 1, 0}); !slices.Equal(came, want) {
		t.Errorf("operations come in the order %v, want %v", came, want)
	}
}

// TestPreemptedJobs: one that put away what it had done did part of the work that its
// successor finished, and the next of its operation leaves as it did. The one that it
// made room for ran from when it was gone.
func TestPreemptedJobs(t *testing.T) {
	from := 1_600_000_000 * second
	log := written(t, trace.Window{From: from, To: from + 1000*second}, func(_ *trace.Writer, tree *trace.TreeWriter, at func(core.Time) trace.Stamp) error {
		if err := tree.Add(&trace.OpEvent{Stamp: at(from), Op: 0, Event: "started", Pool: core.Some[core.PoolID](2)}); err != nil {
			return err
		}
		first := trace.Job{Stamp: at(from + 10*second), Job: 0, ID: "first", Op: 0, Limits: trace.FromVector(cores(1)),
			PreemptTime: core.Some(from + 50*second), PreemptMode: core.Some("interrupt"), FinishTime: core.Some(from + 53*second), EndKind: "completed", PreemptedForJob: core.Some("maker")}
		maker := trace.Job{Stamp: at(from + 50*second), Job: 3, ID: "maker", Op: 0, Limits: trace.FromVector(cores(1)),
			FinishTime: core.Some(from + 73*second), EndKind: "completed"}
		rest := trace.Job{Stamp: at(from + 60*second), Job: 1, ID: "rest", Op: 0, Limits: trace.FromVector(cores(1)),
			PredecessorJob: core.Some("first"), FinishTime: core.Some(from + 80*second), EndKind: "completed"}
		copied := trace.Job{Stamp: at(from + 65*second), Job: 2, ID: "copied", Op: 0, Limits: trace.FromVector(cores(1)),
			Competition: core.Some("speculative"), FinishTime: core.Some(from + 80*second), EndKind: "aborted"}
		for _, job := range []*trace.Job{&first, &maker, &rest, &copied} {
			if err := tree.Add(job); err != nil {
				return err
			}
		}
		return nil
	})
	p, _, err := Plan(t.Context(), log, core.Documented, log.Window())
	if err != nil {
		t.Fatal(err)
	}
	if tasks := p.Operations[0].Tasks; len(tasks) != 1 || tasks[0].Jobs != 2 {
		t.Fatalf("the work is %v, want two jobs", tasks)
	}
	if runs, _ := p.Outcome(simulate.Work{Index: 1}); runs != 20*second {
		t.Errorf("who waited for its room runs %d, want 20 s", runs)
	}
	if runs, fails := p.Outcome(simulate.Work{}); runs != 63*second || fails {
		t.Errorf("it runs %d and fails %v, want 63 s", runs, fails)
	}
	if got, want := p.Stop(simulate.Work{}, false), (simulate.Stopping{Interruptible: true, Takes: 3 * second}); got != want {
		t.Errorf("it leaves %+v, want %+v", got, want)
	}
}

// TestNodesOfUnknownSize: what the trace does not record of a node holds nobody back, and what
// it records stays.
func TestNodesOfUnknownSize(t *testing.T) {
	from := 1_600_000_000 * second
	log := written(t, trace.Window{From: from, To: from + 1000*second}, func(_ *trace.Writer, tree *trace.TreeWriter, at func(core.Time) trace.Stamp) error {
		if err := tree.Add(&trace.NodeState{Stamp: at(from), Node: 0, Online: true, Limit: trace.FromVector(cores(4)), Source: "export"}); err != nil {
			return err
		}
		for i := range 3 {
			takes := cores(2)
			takes[resource.UserSlots] = 1
			if err := tree.Add(&trace.Job{Stamp: at(from + core.Time(i)), Job: core.JobID(i), ID: fmt.Sprint("j", i), Op: 0, Node: 0,
				Limits: trace.FromVector(takes), FinishTime: core.Some(from + 30*second), EndKind: "completed"}); err != nil {
				return err
			}
		}
		return nil
	})
	log.Manifest().Resources = []trace.Resource{{Name: "cpu", Capacity: "recorded"}, {Name: "user_slots", Capacity: "unknown"}}
	p, _, err := Plan(t.Context(), log, core.Documented, log.Window())
	if err != nil {
		t.Fatal(err)
	}
	want := cores(4)
	want[resource.UserSlots] = 3
	for _, f := range p.Trees[0].Facts {
		if f.Kind == core.NodeChanged && f.Limits != want {
			t.Errorf("the node has %v, want %v", f.Limits, want)
		}
	}
}
