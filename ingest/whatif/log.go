package whatif

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/simulate"
)

// A Log holds the events of a simulation in the form of a log: a start has the end of its job, and
// of heartbeats that change nothing one per minute and node is kept. It is in
// memory: some 100 bytes for a start, an end, a heartbeat or a demand.
type Log struct {
	Plan *simulate.Plan

	trees      []*treeLog
	components []*component
}

// A treeLog holds the events of a tree: their order, and the rows of each type.
type treeLog struct {
	*component
	tree int

	order       rows[place]
	starts      rows[start] // by their number in the tree
	finishes    rows[finish]
	reports     rows[report]
	demands     rows[demand]
	preemptions rows[preemption]
	others      rows[core.Event]

	heard   report          // the last report
	limits  resource.Vector // in it
	waiting bool            // whether it changes anything is not known yet
	changes bool            // it changes something, and is recorded
}

// A component holds trees that were decided together, and the values to which numbers in their rows refer.
type component struct {
	plan  *simulate.Plan
	trees []int
	crowd simulate.Crowd
	sizes values[resource.Vector]
	words values[string]
}

// id is the id that a job has in the log: trees take them in turn, each as its jobs start. That of a
// simulation goes by which trees are decided together.
func (c *component) id(tree, start int) core.JobID {
	return core.JobID(start*len(c.plan.Trees) + tree)
}

func (c *component) name(id core.JobID) string { return string(c.appendName(nil, id)) }

func (c *component) appendName(to []byte, id core.JobID) []byte {
	trees := core.JobID(len(c.plan.Trees))
	return c.plan.AppendJobName(to, simulate.Named{ID: core.Unknown, Tree: int(id % trees), Number: int64(id / trees)})
}

// named is the job that has a name: package rerun ends one with the id. It is Unknown if none has.
func (c *component) named(job string) core.JobID {
	n, err := strconv.ParseInt(job[strings.LastIndexByte(job, '-')+1:], 10, 64)
	if id := core.JobID(n); err == nil && id >= 0 && c.name(id) == job {
		return id
	}
	return core.Unknown
}

// A place says where an event is kept.
type place struct {
	kind core.Kind
	at   int32
}

type start struct {
	at                 core.Time
	finish             core.Optional[core.Time]
	after              core.JobID // job whose work it repeats; Unknown if there is none
	operation          core.OperationID
	node               core.NodeID
	size, stage, cause int32
	end                core.EndKind
}

type finish struct {
	at        core.Time
	job       core.JobID
	operation core.OperationID
	node      core.NodeID
	cause     int32
	end       core.EndKind
}

type report struct {
	at                  core.Time
	usage               resource.Vector
	node                core.NodeID
	limits              int32
	skipped, preemptive core.Optional[bool]
}

type demand struct {
	at            core.Time
	needed, least resource.Vector
	pending       int64
	operation     core.OperationID
}

type preemption struct {
	at, timeout            core.Time
	finish                 core.Optional[core.Time]
	job                    core.JobID
	operation, beneficiary core.OperationID
	node                   core.NodeID
	cause                  int32
	end                    core.EndKind
	forJob                 string
	record                 core.PreemptionRecord
}

// A lastReport holds the last recorded report of a node.
type lastReport struct {
	at            core.Time
	limits, after resource.Vector
	known         bool
}

// A placedJob locates the rows of a job that its end completes.
type placedJob struct {
	tree, start int32
	preemption  int32 // -1: it was not preempted
}

// A recorder fills the logs of the trees of a component.
type recorder struct {
	*component
	ctx  context.Context
	tell func(now core.Time) // reports the progress; may be nil
	logs []*treeLog          // by tree
	last []lastReport        // by node
	jobs rows[placedJob]     // by id: a simulation numbers jobs as they start
}

// simulated lets the core decide a component of a plan. Nothing of it is random.
func simulated(ctx context.Context, p *simulate.Plan, trees []int, tell func(now core.Time)) (logs []*treeLog, err error) {
	c := &component{plan: p, trees: trees}
	r := &recorder{component: c, ctx: ctx, tell: tell, logs: make([]*treeLog, len(p.Trees)), last: make([]lastReport, len(p.Dimensions.Nodes))}
	for _, tree := range trees {
		r.logs[tree] = &treeLog{component: c, tree: tree}
		logs = append(logs, r.logs[tree])
	}
	c.crowd, err = simulate.RunTrees(p, trees, r)
	for _, t := range logs {
		r.change(t)
	}
	c.sizes.at, c.words.at = nil, nil
	return logs, err
}

// BeginTrees implements simulate.Recorder.
func (r *recorder) BeginTrees([]*core.Tree) error { return nil }

// Snapshot implements simulate.Recorder: the replay computes what the scheduler saw.
func (r *recorder) Snapshot(int, core.Time) error { return r.ctx.Err() }

// Record implements simulate.Recorder.
func (r *recorder) Record(tree int, e *core.Event) error {
	t := r.logs[tree]
	switch e.Kind {
	case core.JobStarted, core.JobPreempted: // of the report before
		r.change(t)
	default:
		r.dropUnchanged(t)
	}
	switch e.Kind {
	case core.HeartbeatReceived:
		t.heard = report{at: e.Time, usage: e.Usage, node: e.Node, skipped: e.Skipped, preemptive: e.Preemptive}
		t.limits, t.waiting, t.changes = e.Limits, true, false
	case core.JobStarted:
		after := core.JobID(core.Unknown)
		if e.Predecessor != nil {
			after = r.named(string(e.Predecessor))
		}
		at := t.starts.add(start{
			at: e.Time, after: after, operation: e.Operation, node: e.Node,
			size: r.sizes.number(e.Limits), stage: r.words.number(e.Stage), cause: r.words.number(""), end: core.EndRunning,
		})
		r.jobs.add(placedJob{tree: int32(tree), start: int32(at), preemption: -1})
		t.addPlace(e.Kind, at)
	case core.JobFinished:
		r.finish(t, e)
	case core.JobPreempted:
		at := t.preemptions.add(preemption{e.Time, e.Timeout, e.Finish, r.idOf(e.Job), e.Operation, e.Preemptor, e.Node,
			r.words.number(e.Reason), e.End, e.PreemptorJob, *e.Preemption})
		r.jobs.row(int(e.Job)).preemption = int32(at)
		t.addPlace(e.Kind, at)
	case core.DemandChanged:
		t.addPlace(e.Kind, t.demands.add(demand{e.Time, e.Needed, e.MinNeeded, e.PendingJobs, e.Operation}))
	default:
		own := *e
		own.Seq = int64(t.order.len()) + 1
		t.addPlace(e.Kind, t.others.add(own))
	}
	if t.order.len()%1024 == 0 {
		if r.tell != nil {
			r.tell(e.Time)
		}
		return r.ctx.Err()
	}
	return nil
}

// idOf is the id in the log of a job of the simulation.
func (r *recorder) idOf(job core.JobID) core.JobID {
	j := r.jobs.row(int(job))
	return r.id(int(j.tree), int(j.start))
}

// finish notes the end of a job, and completes the rows that tell it beforehand.
func (r *recorder) finish(t *treeLog, e *core.Event) {
	id := r.idOf(e.Job)
	t.addPlace(e.Kind, t.finishes.add(finish{e.Time, id, e.Operation, e.Node, r.words.number(e.Reason), e.End}))
	job := r.jobs.row(int(e.Job))
	own := r.logs[job.tree]
	s := own.starts.row(int(job.start))
	s.finish, s.end, s.cause = e.Finish, e.End, r.words.number(e.Reason)
	if job.preemption >= 0 {
		p := own.preemptions.row(int(job.preemption))
		p.record.End, p.record.EndReason = e.End, e.Reason
		s.end = core.EndPreempted
	}
}

// change keeps the last report: something follows from it.
func (r *recorder) change(t *treeLog) {
	if t.waiting && !t.changes {
		t.changes, t.heard.limits = true, r.sizes.number(t.limits)
		t.addPlace(core.HeartbeatReceived, t.reports.add(t.heard))
	}
}

// dropUnchanged leaves the last report out if it changes nothing.
func (r *recorder) dropUnchanged(t *treeLog) {
	if !t.waiting {
		return
	}
	h, last := &t.heard, &r.last[t.heard.node]
	if !t.changes && last.known && last.limits == t.limits && last.after == h.usage && !h.skipped.Value && h.at < last.at+sampleEvery {
		t.waiting = false
		return
	}
	r.change(t)
	t.waiting = false
	after := h.usage
	for i := t.order.len() - 1; t.order.row(i).kind != core.HeartbeatReceived; i-- {
		switch p := t.order.row(i); p.kind {
		case core.JobStarted:
			after = after.Add(r.sizes.list[t.starts.row(int(p.at)).size])
		case core.JobPreempted:
			if e := t.preemptions.row(int(p.at)); e.record.Mode != "graceful" {
				if job := t.starts.row(int(e.job) / len(r.logs)); !job.finish.Set {
					after = after.Sub(r.sizes.list[job.size])
				}
			}
		}
	}
	*last = lastReport{h.at, t.limits, after, true}
}

// sampleEvery is the maximum time between recorded heartbeats of a node (ingest/trace/FORMAT.md §3.1).
const sampleEvery = 60 * core.Second

func (t *treeLog) addPlace(kind core.Kind, at int) {
	t.order.add(place{kind, int32(at)})
}

// Len returns the number of events of a tree.
func (l *Log) Len(tree int) int { return l.trees[tree].order.len() }

// Events returns the events of a tree, as ingest.Trace does: each is valid until the next. If kinds are
// named, it returns only those.
func (l *Log) Events(tree int, kinds ...core.Kind) iter.Seq2[*core.Event, error] {
	return func(yield func(*core.Event, error) bool) {
		t := l.trees[tree]
		var events [core.JobStarted + 1]core.Event // by kind: those of one fill the same fields
		for kind := range events {
			events[kind] = core.Event{Kind: core.Kind(kind), Pool: core.Unknown, Operation: core.Unknown,
				Node: core.Unknown, Job: core.Unknown, Preemptor: core.Unknown}
		}
		for i := range t.order.len() {
			p := *t.order.row(i)
			if len(kinds) > 0 && !slices.Contains(kinds, p.kind) {
				continue
			}
			e := &events[p.kind]
			t.fill(e, p)
			e.Seq = int64(i) + 1
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Facts returns the events of a tree other than those of jobs, demand and heartbeats. They are few,
// and stay when the rest is drained.
func (l *Log) Facts(tree int) iter.Seq2[*core.Event, error] {
	return func(yield func(*core.Event, error) bool) {
		t := l.trees[tree]
		for i := range t.others.len() {
			e := *t.others.row(i)
			if !yield(&e, nil) {
				return
			}
		}
	}
}

// Drain returns the events of a tree as Events does, and releases them on the way, except for Facts: a
// replay writes tables of the same size, and then the log is not needed any more.
func (l *Log) Drain(tree int) iter.Seq2[*core.Event, error] {
	return func(yield func(*core.Event, error) bool) {
		t := l.trees[tree]
		i := 0
		for e := range l.Events(tree) {
			t.pass(i)
			if i++; !yield(e, nil) {
				return
			}
		}
	}
}

// pass forgets what is before an event.
func (t *treeLog) pass(i int) {
	p := *t.order.row(i)
	t.order.pass(i)
	switch at := int(p.at); p.kind {
	case core.HeartbeatReceived:
		t.reports.pass(at)
	case core.JobStarted:
		t.starts.pass(at)
	case core.JobFinished:
		t.finishes.pass(at)
	case core.JobPreempted:
		t.preemptions.pass(at)
	case core.DemandChanged:
		t.demands.pass(at)
	}
}

// fill makes an event anew, out of an earlier one of its kind.
func (t *treeLog) fill(e *core.Event, p place) {
	switch p.kind {
	case core.HeartbeatReceived:
		h := t.reports.row(int(p.at))
		e.Time, e.Node, e.Limits, e.Usage, e.Skipped, e.Preemptive = h.at, h.node, t.sizes.list[h.limits], h.usage, h.skipped, h.preemptive
	case core.JobStarted:
		s := t.starts.row(int(p.at))
		e.Time, e.Finish, e.End, e.Job, e.Operation, e.Node = s.at, s.finish, s.end, t.id(t.tree, int(p.at)), s.operation, s.node
		e.Limits, e.Stage, e.Reason = t.sizes.list[s.size], t.words.list[s.stage], t.words.list[s.cause]
		e.Name = t.appendName(e.Name[:0], e.Job)
		if e.Predecessor = nil; s.after != core.Unknown {
			e.Predecessor = t.appendName(nil, s.after)
		}
	case core.JobFinished:
		f := t.finishes.row(int(p.at))
		e.Time, e.Finish, e.End, e.Job, e.Operation, e.Node, e.Reason = f.at, core.Some(f.at), f.end, f.job, f.operation, f.node, t.words.list[f.cause]
	case core.JobPreempted:
		q := t.preemptions.row(int(p.at))
		e.Time, e.Finish, e.Timeout, e.End, e.Job, e.Operation, e.Preemptor, e.Node = q.at, q.finish, q.timeout, q.end, q.job, q.operation, q.beneficiary, q.node
		e.Reason, e.PreemptorJob, e.Preemption = t.words.list[q.cause], q.forJob, &q.record
	case core.DemandChanged:
		d := t.demands.row(int(p.at))
		e.Time, e.Operation, e.Needed, e.MinNeeded, e.PendingJobs = d.at, d.operation, d.needed, d.least, d.pending
	default:
		*e = *t.others.row(int(p.at))
	}
}
