package synthetic

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/ingest/trace"
)

// A recorder writes what a simulation does as the tables of a trace.
type recorder struct {
	draft     *draft
	sampled   bool // heartbeats that change nothing are left out
	trees     []treeRecorder
	rows      []trace.Operation                                            // of dim/operations
	started   map[core.OperationID]trace.OpEvent                           // how each started last
	lastNode  []lastHeartbeat                                              // by node
	asides    []aside                                                      // what is recorded and did not happen
	alter     []func(tree int, at core.Time, table string, row any)        // change what is recorded
	strays    []func(tree int, at core.Time) (r trace.SnapPool, told bool) // pools that snapshots hold besides
	stuck     []func(*trace.Job, core.Time) bool                           // say of a job that it waits yet
	status    func(at core.Time, tree int, o core.OperationID, s scheduling.Status) scheduling.Status
	progress  func(core.Time)
	jobs      int64
	snapshots int64
}

// A treeRecorder is the recorder of one tree.
type treeRecorder struct {
	number int
	out    *trace.TreeWriter
	core   *core.Tree

	heartbeat trace.Heartbeat // the last, which is written once it is known what it carried
	waiting   bool
	carries   bool // it tells of a job's state

	// Rows of jobs stand in the order of their start and hold their end: they
	// wait until all before them have ended.
	jobs []jobRow
	at   map[core.JobID]int64 // row of a job that is not over
	gone int64                // rows written

	arriving map[core.NodeID][]arriving // jobs that wait for their room
}

// An arriving job was started in place of others. Heartbeats tell that it waits,
// and then that it runs; of jobs that run from the start they tell nothing.
type arriving struct {
	job   core.JobID
	state string // as told last
}

// An aside is a step that is recorded with the next event, though the simulation
// does not take it.
type aside struct {
	tree int
	step core.Event
}

type jobRow struct {
	trace.Job
	done bool
}

// lastHeartbeat holds the last recorded heartbeat of a node.
type lastHeartbeat struct {
	at    core.Time
	limit trace.Resources
	after trace.Resources
	known bool
}

// sampleEvery is the maximum time between recorded heartbeats of a node
// (ingest/trace/FORMAT.md §3.6).
const sampleEvery = 60 * core.Second

func newRecorder(d *draft, w *trace.Writer, sampled bool) *recorder {
	r := &recorder{draft: d, sampled: sampled, rows: d.dimensionRows(), started: map[core.OperationID]trace.OpEvent{},
		lastNode: make([]lastHeartbeat, len(d.nodes))}
	for i, t := range d.trees {
		r.trees = append(r.trees, treeRecorder{number: i, out: w.Tree(t.name), at: map[core.JobID]int64{}, arriving: map[core.NodeID][]arriving{}})
	}
	return r
}

// BeginTrees implements simulate.Recorder.
func (r *recorder) BeginTrees(trees []*core.Tree) error {
	for i, t := range trees {
		r.trees[i].core = t
	}
	return nil
}

// Record implements simulate.Recorder.
func (r *recorder) Record(tree int, e *core.Event) error {
	t := &r.trees[tree]
	if t.waiting && e.Time > t.heartbeat.Time {
		if err := r.flushHeartbeat(t); err != nil {
			return err
		}
	}
	for _, a := range r.asides {
		if err := r.addOpEvent(a.tree, &a.step); err != nil {
			return err
		}
	}
	r.asides = r.asides[:0]
	switch e.Kind {
	case core.HeartbeatReceived:
		r.addHeartbeat(t, e)
		return r.addStates(t, e)
	case core.JobStarted:
		r.startJob(t, e)
	case core.JobPreempted:
		return r.preemptJob(t, e)
	case core.JobFinished:
		return r.finishJob(t, e)
	case core.DemandChanged:
		return r.addDemand(t, e)
	case core.OperationChanged:
		return r.addOpEvent(tree, e)
	case core.NodeChanged: // of the draft, or the manager of segments moved it
		return t.out.Add(&trace.NodeState{
			Stamp: t.stamp(e.Time), Node: e.Node, Online: e.Online, Limit: trace.FromVector(e.Limits), Tags: strings.Join(e.Tags, ","),
			DataCenter: text(e.Module), InfinibandCluster: text(e.Network), SchedulingSegment: text(e.Segment), Source: "heartbeat",
		})
	case core.ProcessChanged, core.ClusterConfigured: // stand in global/
	default:
		return t.out.AddAt(r.draft.trees[tree].rows[e.Seq-1].data, t.stamp(e.Time))
	}
	return nil
}

func (t *treeRecorder) stamp(at core.Time) trace.Stamp {
	return trace.Stamp{Time: at, Seq: t.out.NextSeq()}
}

func (r *recorder) addHeartbeat(t *treeRecorder, e *core.Event) {
	usage := trace.FromVector(e.Usage)
	t.waiting = true
	t.heartbeat = trace.Heartbeat{
		Stamp: t.stamp(e.Time), Node: e.Node, Kind: "recorded", Skipped: e.Skipped,
		Limit: trace.FromVector(e.Limits), Usage: usage, After: core.Some(usage), WithPreemption: e.Preemptive,
	}
	if slot, ok := t.core.NodeOf(e.Node); ok {
		t.heartbeat.Running = t.core.Node(slot).LiveJobs
	}
}

// addStates tells of the jobs on a node that waited for their room: while some
// that were preempted are not gone, the heartbeat is skipped.
func (r *recorder) addStates(t *treeRecorder, e *core.Event) error {
	kept := t.arriving[e.Node][:0]
	for _, a := range t.arriving[e.Node] {
		if _, there := t.at[a.job]; !there {
			continue
		}
		row, state := t.job(a.job), core.JobRunning
		if e.Skipped.Value || slices.ContainsFunc(r.stuck, func(waits func(*trace.Job, core.Time) bool) bool { return waits(&row.Job, e.Time) }) {
			state = core.JobWaiting
		}
		if state != a.state {
			t.carries = true
			news := trace.Allocation{
				Stamp: t.stamp(e.Time), Heartbeat: core.Some(t.heartbeat.Seq), Node: e.Node, Job: a.job, Op: row.Op,
				Action: "state", State: core.Some(state),
			}
			if err := t.out.Add(&news); err != nil {
				return err
			}
		}
		if a.state = state; state == core.JobWaiting {
			kept = append(kept, a)
		}
	}
	if len(kept) == 0 {
		delete(t.arriving, e.Node)
	} else {
		t.arriving[e.Node] = kept
	}
	return nil
}

// flushHeartbeat writes the last report, unless it changes nothing.
func (r *recorder) flushHeartbeat(t *treeRecorder) error {
	carries := t.carries
	t.waiting, t.carries = false, false
	h := &t.heartbeat
	r.altered(t, h.Time, trace.Heartbeats.Name, h)
	last := &r.lastNode[h.Node]
	same := last.known && h.Limit == last.limit && h.Usage == last.after && h.Started+h.Preempted == 0 && !h.Skipped.Value && !carries
	if r.sampled && same && h.Time < last.at+sampleEvery {
		return nil
	}
	*last = lastHeartbeat{h.Time, h.Limit, h.After.Value, true}
	return t.out.Add(h)
}

// altered lets faults change a row before it is written.
func (r *recorder) altered(t *treeRecorder, at core.Time, table string, row any) {
	for _, change := range r.alter {
		change(t.number, at, table, row)
	}
}

// use changes what the node of the last report uses after it.
func (t *treeRecorder) use(v resource.Vector, sign int64) {
	for k := range v {
		v[k] *= sign
	}
	t.heartbeat.After.Value = trace.FromVector(t.heartbeat.After.Value.Vector().Add(v))
}

func (r *recorder) startJob(t *treeRecorder, e *core.Event) {
	t.heartbeat.Started++
	t.use(e.Limits, 1)
	row := trace.Job{
		Stamp: t.stamp(e.Time), Job: e.Job, ID: string(e.Name), Op: e.Operation, Node: e.Node,
		Limits: trace.FromVector(e.Limits), StartedLogged: true, EndKind: "running", SchedulingStage: text(e.Stage),
		Type: text(r.draft.operations[e.Operation].kind.Type), Competition: core.Some("none"),
	}
	if e.Predecessor != nil {
		row.PredecessorJob = core.Some(string(e.Predecessor))
	}
	if slot, ok := t.core.OperationOf(e.Operation); ok {
		row.Pool = core.Some(t.core.Pool(t.core.Operation(slot).Pool).ID)
	}
	if strings.HasPrefix(e.Stage, "preemptive") && t.heartbeat.Preempted > 0 {
		t.arriving[e.Node] = append(t.arriving[e.Node], arriving{job: e.Job})
	}
	t.at[e.Job] = t.gone + int64(len(t.jobs))
	t.jobs = append(t.jobs, jobRow{Job: row})
	r.jobs++
}

// job returns the row of a job that is not over.
func (t *treeRecorder) job(id core.JobID) *jobRow { return &t.jobs[t.at[id]-t.gone] }

func (r *recorder) preemptJob(t *treeRecorder, e *core.Event) error {
	row, p := t.job(e.Job), e.Preemption
	t.heartbeat.Preempted++
	if p.Mode != "graceful" {
		t.use(row.Limits.Vector(), -1)
	}
	row.PreemptTime, row.PreemptReason, row.PreemptMode = core.Some(e.Time), text(p.Reason), text(p.Mode)
	if e.Preemptor >= 0 {
		row.PreemptedFor = core.Some(e.Preemptor)
	}
	row.PreemptedForJob = text(e.PreemptorJob)
	row.TargetPriority, row.PreemptorPriority = text(p.TargetPriority), text(p.PreemptorPriority)
	row.ProperlyStarving, row.Conditional, row.Forced = p.ProperlyStarving, p.Conditional, core.Some(p.Forced.Value)
	row.PreemptionLevel = text(p.Level)
	row.Explanation = core.Some(r.explain(e))
	return t.out.Add(&trace.Allocation{
		Stamp: t.stamp(e.Time), Heartbeat: core.Some(t.heartbeat.Seq), Node: e.Node, Job: e.Job, Op: e.Operation, Action: "preempt",
		Reason: text(p.Reason), TimeoutMS: core.Some(int64(e.Timeout) / 1000), PreemptedFor: row.PreemptedFor,
	})
}

// explain says of a preemption what the scheduler says of it in words
// (core/spec/scheduling.md §10.5).
func (r *recorder) explain(e *core.Event) string {
	p := e.Preemption
	if e.Preemptor < 0 {
		return "Node resource limits violated"
	}
	said := fmt.Sprintf("Preempted to start job %s of operation %s; this job had level %q, preemptor operation local priority was %q, and scheduling stage target priority was %q",
		e.PreemptorJob, r.draft.operations[e.Preemptor].id, p.Level, p.PreemptorPriority, p.TargetPriority)
	if p.Conditional.Value {
		said += "; this job was conditionally preemptible"
	}
	return said
}

func (r *recorder) finishJob(t *treeRecorder, e *core.Event) error {
	row := t.job(e.Job)
	row.done, row.FinishTime = true, core.Some(e.Time)
	row.TotalTimeMS = core.Some(int64(e.Time-row.Time) / 1000)
	row.EndKind = endWords[e.End]
	switch {
	case e.End == core.EndAborted:
		row.AbortReason = text(e.Reason)
		if row.PreemptTime.Set {
			row.LostTimeMS = row.TotalTimeMS
		}
	case e.Reason != "":
		row.InterruptionReason = text(e.Reason)
	}
	r.altered(t, e.Time, trace.Jobs.Name, &row.Job)
	delete(t.at, e.Job)
	return t.flushJobs(false)
}

var endWords = map[core.EndKind]string{
	core.EndCompleted: "completed", core.EndFailed: "failed", core.EndAborted: "aborted",
}

// flushJobs writes the rows before which all have ended; at the window's end,
// all.
func (t *treeRecorder) flushJobs(all bool) error {
	n := 0
	for n < len(t.jobs) && (all || t.jobs[n].done) {
		if err := t.out.Add(&t.jobs[n].Job); err != nil {
			return err
		}
		n++
	}
	t.gone += int64(n)
	t.jobs = t.jobs[n:]
	return nil
}

func (r *recorder) addDemand(t *treeRecorder, e *core.Event) error {
	row := trace.Demand{
		Stamp: t.stamp(e.Time), Op: e.Operation, Needed: trace.FromVector(e.Needed),
		PendingJobs: core.Some(e.PendingJobs), Source: "recorded",
	}
	if e.PendingJobs > 0 {
		row.MinNeeded = core.Some(trace.FromVector(e.MinNeeded))
	}
	return t.out.Add(&row)
}

// addOpEvent writes a step of an operation: the row of the draft where people
// took it, otherwise one of its own.
func (r *recorder) addOpEvent(tree int, e *core.Event) error {
	t := &r.trees[tree]
	row := trace.OpEvent{Op: e.Operation, Event: stepWords[e.Step]}
	switch {
	case e.Seq != 0:
		row = *r.draft.trees[tree].rows[e.Seq-1].data.(*trace.OpEvent)
		if e.Step == core.StepStarted {
			r.started[e.Operation] = row
		}
	case e.Step == core.StepStarted && e.Role == core.RoleOffloading: // with its options elsewhere
		row = r.started[e.Operation]
		row.Tentative, row.Offloading = core.Some(false), core.Some(true)
	}
	row.Stamp = t.stamp(e.Time)
	if e.Pool >= 0 {
		row.Pool = core.Some(e.Pool)
	}
	if e.ErrorCode != 0 {
		row.ErrorCode = core.Some(e.ErrorCode)
	}
	if row.StarvationStatus = text(e.Status); e.Status != "" {
		if slot, ok := t.core.OperationOf(e.Operation); ok && t.core.Operation(slot).Enabled() {
			now := t.core.Shares(t.core.Operation(slot).Element)
			row.FairShare, row.Usage = core.Some(sharesOf(now.FairShare.Total)), core.Some(sharesOf(now.UsageShare))
		}
	}
	r.updateOperation(e)
	return t.out.Add(&row)
}

// updateOperation updates the times and the final state of an operation in dim/operations.
func (r *recorder) updateOperation(e *core.Event) {
	row := &r.rows[e.Operation]
	switch e.Step {
	case core.StepMaterialized:
		if !row.MaterializeTime.Set {
			row.MaterializeTime = core.Some(e.Time)
		}
	case core.StepCompleted, core.StepFailed, core.StepAborted:
		row.FinishTime, row.FinalState = core.Some(e.Time), core.Some(stepWords[e.Step])
	case core.StepRejected:
		row.FinishTime, row.FinalState = core.Some(e.Time), core.Some("failed")
		row.ErrorCode = core.Some(e.ErrorCode)
	}
}

// stepWords are the words of op_events.event that a simulation has use for
// (ingest/trace/FORMAT.md §3.4).
var stepWords = map[core.Step]string{
	core.StepMaterialized: "materialized", core.StepRunning: "running", core.StepPending: "pending",
	core.StepRejected: "rejected", core.StepCompleted: "completed", core.StepFailed: "failed", core.StepAborted: "aborted",
	core.StepStarvationStarted: "starvation_started", core.StepStarvationFinished: "starvation_finished",
	core.StepErased: "erased_from_tree", core.StepBanned: "banned_in_tree",
}

// close writes what still waits, and the dimensions.
func (r *recorder) close(ctx context.Context, w *trace.Writer) error {
	for i := range r.trees {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := &r.trees[i]
		if t.waiting {
			if err := r.flushHeartbeat(t); err != nil {
				return err
			}
		}
		if err := t.flushJobs(true); err != nil {
			return err
		}
	}
	for i := range r.rows {
		if err := w.Add(&r.rows[i]); err != nil {
			return err
		}
	}
	for i := range r.draft.pools {
		if err := w.Add(&r.draft.pools[i]); err != nil {
			return err
		}
	}
	for i, n := range r.draft.nodes {
		row := trace.Node{Node: core.NodeID(i), Address: n.address, FirstSeen: r.draft.window.From, LastSeen: r.draft.window.To}
		if err := w.Add(&row); err != nil {
			return err
		}
	}
	return r.draft.writeGlobal(w)
}

// sharesOf is a share in the columns of a trace.
func sharesOf(s resource.Share) trace.Shares {
	return trace.Shares{
		UserSlots: s[resource.UserSlots], CPU: s[resource.CPU], GPU: s[resource.GPU],
		Memory: s[resource.Memory], Network: s[resource.Network],
	}
}

// sinceOf returns the time since which an element is below one of its shares; absent if it is not.
func sinceOf(t *scheduling.Tree, e scheduling.Element) core.Optional[core.Time] {
	h := t.Starvation(e)
	at, below := h.Since()
	return core.Optional[core.Time]{Value: core.Time(at), Set: below}
}
