package simulate

import (
	"testing"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/scheduling"
)

// A ledger is a watch that keeps the books of work, by what the plan says of it and by
// nothing else: how long every job has to last, and what is left to do when it is gone.
type ledger struct {
	*watch
	plan  *Plan
	asked *Work // whose outcome was asked for, and nobody has begun it yet

	entries map[core.JobID]*entry
	pieces  map[Work]*account     // Attempt is 0
	names   map[string]core.JobID // of jobs
	room    map[string]int        // preempted jobs that are not gone, by the name of the job that they make room for

	patience core.Time // how long a job may wait for its room

	completed, failed, lost, interrupted, resumed, slowed, waited, gaveUp int // jobs
}

// An account is of a piece of work.
type account struct {
	work Work       // as it was begun last
	last core.JobID // that did something of it
	left core.Time  // what an interrupted job left of it; 0: all
	done bool
}

// An entry is of a job.
type entry struct {
	*account
	name    string
	start   core.Time // when it came to run, or began to wait for that
	slow    float64   // its tree
	lasts   core.Time // if it is let
	fails   bool      // then
	taken   bool      // preempted
	goes    core.Time // then
	forJob  string    // then
	putAway bool      // likewise
}

func newLedger(t *testing.T, p *Plan) *ledger {
	l := &ledger{watch: newWatch(t), plan: p, entries: map[core.JobID]*entry{}, pieces: map[Work]*account{}, names: map[string]core.JobID{}, room: map[string]int{}}
	outcome := p.Outcome
	p.Outcome = func(w Work) (core.Time, bool) {
		l.asked = &w
		return outcome(w)
	}
	return l
}

func (l *ledger) Record(tree int, e *core.Event) error {
	switch e.Kind {
	case core.JobStarted:
		l.begin(tree, e)
	case core.JobPreempted:
		j := l.entries[e.Job]
		stop := l.plan.Stop(j.work, e.Preemption.Mode == "graceful")
		j.taken, j.putAway = true, stop.Interruptible && stop.Takes <= e.Timeout
		j.goes, j.forJob = e.Time+stop.Takes, e.PreemptorJob
		if stop.Interruptible {
			j.goes = min(j.goes, e.Time+e.Timeout)
		}
		l.room[e.PreemptorJob]++
	case core.JobFinished:
		l.end(e)
	}
	return l.watch.Record(tree, e)
}

// begin enters a job. One that does work over again names the job that did not do it.
func (l *ledger) begin(tree int, e *core.Event) {
	if l.asked == nil {
		l.t.Fatalf("job %d begins, and nobody asked how long it lasts", e.Job)
	}
	w := *l.asked
	a, again := l.pieces[Work{w.Operation, w.Task, w.Index, 0}]
	if !again {
		a = &account{last: core.Unknown, work: Work{w.Operation, w.Task, w.Index, -1}}
		l.pieces[Work{w.Operation, w.Task, w.Index, 0}] = a
	}
	a.work.Attempt++
	if a.done || a.work != w {
		l.t.Errorf("job %d begins %+v, and that is %+v, done: %v", e.Job, w, a.work, a.done)
	}
	before := core.JobID(core.Unknown)
	if len(e.Predecessor) > 0 {
		before = l.names[string(e.Predecessor)]
	}
	if before != a.last {
		l.t.Errorf("job %d is said to do what %d did not, and does what %d did not", e.Job, before, a.last)
	}
	j := &entry{account: a, name: string(e.Name), start: e.Time, slow: 1}
	for _, r := range l.plan.Operations[w.Operation].Requests {
		if r.Tree == tree && r.Slow > 0 {
			j.slow = r.Slow
			l.slowed++
		}
	}
	j.lasts, j.fails = l.plan.Outcome(w)
	if a.left > 0 {
		j.lasts, j.fails = a.left, false
		l.resumed++
	}
	j.lasts = core.Time(float64(j.lasts) * j.slow)
	a.last, l.asked = e.Job, nil
	l.names[string(e.Name)], l.entries[e.Job] = e.Job, j
}

// end strikes a job off, and from the work what it did of it.
func (l *ledger) end(e *core.Event) {
	j := l.entries[e.Job]
	if j.taken && j.forJob != "" {
		if l.room[j.forJob]--; l.room[j.forJob] == 0 {
			if b := l.entries[l.names[j.forJob]]; b.start != e.Time {
				b.start = e.Time
				l.waited++
			}
		}
	}
	lasted, completed := e.Time-j.start, e.End == core.EndCompleted
	j.left = 0
	switch waits := l.room[j.name] > 0; {
	case waits && e.Reason == waitingTimeout:
		l.gaveUp++
		if lasted != l.patience {
			l.t.Errorf("job %d waits for %d, and may for %d", e.Job, lasted, l.patience)
		}
	case waits && completed:
		l.t.Errorf("job %d completes at %d and has no room yet", e.Job, e.Time)
	case e.End == core.EndAborted && (!j.taken || e.Reason == nodeOffline || e.Reason == nodeDisabled): // with its node
	case j.taken:
		if e.Time != j.goes || completed != j.putAway {
			l.t.Errorf("job %d is gone at %d, completed: %v; it was to be at %d, completed: %v", e.Job, e.Time, completed, j.goes, j.putAway)
		}
		if !completed {
			l.lost++
			return
		}
		l.interrupted++
		if lasted < j.lasts {
			j.left = max(1, core.Time(float64(j.lasts-lasted)/j.slow))
		}
		j.done = j.left == 0
	case lasted != j.lasts || completed == j.fails:
		l.t.Errorf("job %d lasts %d, completed: %v; it was to last %d, completed: %v", e.Job, lasted, completed, j.lasts, !j.fails)
	case completed:
		l.completed++
		j.done = true
	default:
		l.failed++
	}
}

// TestWorkTakesAsLongAsThePlanSays: a job lasts as long as the plan says, and in a tree
// where it runs slower so many times as long, unless it is preempted: then it is gone
// when it has stopped. One that was started in its place runs from then on. What an aborted or failed one did is done again, all of it; of
// what an interrupted one did only the rest is. In the end all is done, and once.
func TestWorkTakesAsLongAsThePlanSays(t *testing.T) {
	p := contended()
	p.Window.To += 3000 * core.Second
	p.Operations[2].Requests[1].Slow = 1.5
	l := newLedger(t, p)
	if err := Run(p, l); err != nil {
		t.Fatal(err)
	}
	for what, n := range map[string]int{
		"completes": l.completed, "fails": l.failed, "loses what it did": l.lost, "is interrupted": l.interrupted,
		"does what one left": l.resumed, "runs in the slow tree": l.slowed, "waits for its room": l.waited,
	} {
		if n == 0 {
			t.Errorf("no job %s: the plan tests too little", what)
		}
	}
	l.checkDone()
}

// checkDone holds that all work of the plan is done.
func (l *ledger) checkDone() {
	for id, o := range l.plan.Operations {
		for k, task := range o.Tasks {
			for i := range task.Jobs {
				w := Work{Operation: core.OperationID(id), Task: k, Index: i}
				if a := l.pieces[w]; a == nil || !a.done {
					l.t.Errorf("%+v is not done", w)
				}
			}
		}
	}
}

// TestWhoWaitsForTooLongIsGivenUp: a node aborts a job that waits for longer than
// waiting_job_timeout, which one that gets its room at that very moment does not. What it
// was to do is done later (core/spec/scheduling.md §10.7).
func TestWhoWaitsForTooLongIsGivenUp(t *testing.T) {
	const stops = 2500 // of 10000 ms that it may take
	for timeout, givenUp := range map[int64]bool{stops - 1: true, stops: false} {
		p := contended()
		p.Window.To += 3000 * core.Second
		for i := range p.Trees {
			p.Trees[i].Facts[0].Tree = &core.TreeConfig{WaitingJobTimeout: core.Some(pooltree.Milliseconds(timeout))}
		}
		l := newLedger(t, p)
		l.patience = core.Time(timeout) * 1000
		if err := Run(p, l); err != nil {
			t.Fatal(err)
		}
		if got := l.gaveUp > 0; got != givenUp || l.gaveUp+l.waited == 0 {
			t.Errorf("%d jobs are given up after %d ms, and %d wait", l.gaveUp, timeout, l.waited)
		}
		l.checkDone()
	}
}

// TestHowAJobLeaves: one that does not run yet, or that puts nothing away, is aborted at once,
// which takes its node a while if there is something to end; one that runs on leaves when its work
// is done. Of several requests the earliest deadline counts (core/spec/scheduling.md §10.7).
func TestHowAJobLeaves(t *testing.T) {
	const second = int64(core.Second)
	patient, hurried := scheduling.Interruption{At: 100 * second, Timeout: 60 * second}, scheduling.Interruption{At: 120 * second, Timeout: 10 * second}
	putsAway, aborted := Stopping{Interruptible: true, Takes: 25 * core.Second}, Stopping{Takes: core.Second}
	runsOn := Stopping{Interruptible: true, Takes: -1}
	for name, c := range map[string]struct {
		job  job
		plan Stopping
		want Ending
	}{
		"it puts away what it did":        {job{asked: []scheduling.Interruption{patient}}, putsAway, Ending{After: 25 * core.Second, Interruptible: true, Completed: true}},
		"a second request leaves 5 s":     {job{asked: []scheduling.Interruption{patient, hurried}}, putsAway, Ending{After: 5 * core.Second, Interruptible: true, Completed: true}},
		"its time is over":                {job{asked: []scheduling.Interruption{hurried}}, putsAway, Ending{After: 10 * core.Second, Interruptible: true}},
		"it is not done in time":          {job{asked: []scheduling.Interruption{hurried}, runs: 1000 * core.Second}, runsOn, Ending{After: 10 * core.Second, Interruptible: true}},
		"it is done in time":              {job{asked: []scheduling.Interruption{patient}, began: 90 * core.Second, runs: 30 * core.Second}, runsOn, Ending{After: 20 * core.Second, Interruptible: true, Completed: true}},
		"it fails in time":                {job{asked: []scheduling.Interruption{patient}, began: 90 * core.Second, runs: 30 * core.Second, end: core.EndFailed}, runsOn, Ending{After: 20 * core.Second, Interruptible: true, Failed: true}},
		"it puts nothing away":            {job{asked: []scheduling.Interruption{hurried}}, aborted, Ending{After: core.Second}},
		"it waits for its room":           {job{asked: []scheduling.Interruption{hurried}, awaits: 1}, putsAway, Ending{}},
		"it waits, and puts nothing away": {job{asked: []scheduling.Interruption{hurried}, awaits: 1}, aborted, Ending{}},
	} {
		last := c.job.asked[len(c.job.asked)-1]
		if got := c.job.stopping(c.plan, core.Time(last.At)); got != c.want {
			t.Errorf("%s: it leaves %+v, want %+v", name, got, c.want)
		}
	}
}
