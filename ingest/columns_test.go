package ingest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// of returns what pick says of the events of a kind in tree t.
func of[T any](t *testing.T, tr *Trace, kind core.Kind, pick func(*core.Event) T) (all []T) {
	t.Helper()
	for e, err := range tr.Events("t", Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == kind {
			all = append(all, pick(e))
		}
	}
	return all
}

func seconds(e *core.Event) float64 { return float64(e.Time-start) / float64(core.Second) }

func TestAHeartbeatSaysHowItWasAnswered(t *testing.T) {
	l := newLog(t, trace.Options{})
	yes, no := core.Some(true), core.Some(false)
	for i, row := range []trace.Heartbeat{{Skipped: yes}, {WithPreemption: no}, {}, {Skipped: no, WithPreemption: yes}} {
		row.Stamp = stamp(int64(i))
		l.check(l.tree.Add(&row))
	}
	got := of(t, l.open(), core.HeartbeatReceived, func(e *core.Event) [2]core.Optional[bool] {
		return [2]core.Optional[bool]{e.Skipped, e.Preemptive}
	})
	none := core.Optional[bool]{}
	if diff := cmp.Diff([][2]core.Optional[bool]{{yes, none}, {none, no}, {none, none}, {no, yes}}, got); diff != "" {
		t.Error(diff)
	}
}

// An older file lacks the columns that came later: they say nothing.
func TestColumnsThatAFileLacksAreAbsent(t *testing.T) {
	type oldHeartbeat struct {
		trace.Stamp
		Node      core.NodeID     `col:"node_ix" doc:"the node"`
		Kind      string          `col:"kind" doc:"how"`
		Limit     trace.Resources `col:"limit" doc:"has"`
		Usage     trace.Resources `col:"usage" doc:"uses"`
		Running   int32           `col:"running" doc:"n"`
		Started   int32           `col:"started" doc:"n"`
		Preempted int32           `col:"preempted" doc:"n"`
		Aborted   int32           `col:"aborted" doc:"n"`
		Finished  int32           `col:"finished" doc:"n"`
	}
	type oldNode struct {
		trace.Stamp
		Node   core.NodeID     `col:"node_ix" doc:"the node"`
		Online bool            `col:"online" doc:"serves"`
		Limit  trace.Resources `col:"limit" doc:"has"`
		Tags   string          `col:"tags" doc:"tags"`
		Source string          `col:"source" doc:"from"`
	}
	type oldStep struct {
		trace.Stamp
		Op    core.OperationID `col:"op_ix" doc:"the operation"`
		Event string           `col:"event" doc:"what"`
	}
	l := newLog(t, trace.Options{})
	l.check(l.tree.Add(&trace.Heartbeat{Stamp: stamp(0)}))
	tr := l.open()
	put(t, l.dir, "tree=t/heartbeats-000.parquet", parquetlog.Declare[oldHeartbeat]("heartbeats", ""), oldHeartbeat{Stamp: stamp(1), Node: 1})
	put(t, l.dir, "tree=t/node_state.parquet", parquetlog.Declare[oldNode]("node_state", ""), oldNode{Stamp: stamp(2), Node: 2, Tags: "a"})
	put(t, l.dir, "tree=t/op_events-000.parquet", parquetlog.Declare[oldStep]("op_events", ""), oldStep{Stamp: stamp(3), Op: 1, Event: "starvation_started"})
	var got []core.Event
	for e, err := range tr.Events("t", Options{}) {
		l.check(err)
		got = append(got, *e)
	}
	unknown := core.Event{Pool: core.Unknown, Operation: core.Unknown, Node: core.Unknown, Job: core.Unknown, Preemptor: core.Unknown}
	want := []core.Event{unknown, unknown, unknown}
	want[0].Time, want[0].Seq, want[0].Kind, want[0].Node = second(1), 1, core.HeartbeatReceived, 1
	want[1].Time, want[1].Seq, want[1].Kind, want[1].Node, want[1].Tags = second(2), 2, core.NodeChanged, 2, pooltree.Tags{"a"}
	want[2].Time, want[2].Seq, want[2].Kind, want[2].Operation, want[2].Step = second(3), 3, core.OperationChanged, 1, core.StepStarvationStarted
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if p := tr.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

func TestAStepCarriesAllItsSettings(t *testing.T) {
	l := newLog(t, trace.Options{})
	ms := core.Some[int64]
	l.check(l.tree.Add(&trace.OpEvent{
		Stamp: stamp(1), Op: 1, Event: "started", Pool: core.Some[core.PoolID](0), Weight: core.Some(2.0), MaxShareRatio: core.Some(0.5),
		Limit: trace.PartialResources{CPUMilli: ms(15)}, Strong: trace.PartialResources{Memory: ms(7)}, SchedulingTagFilter: core.Some("ssd"),
		FairShareStarvationTolerance: core.Some(0.9), FairShareStarvationTimeoutMS: ms(1000), MinSharePreemptionTimeoutMS: ms(2000),
		EnableAggressiveStarvation: core.Some(false), PreemptionMode: core.Some("graceful"), MaxUnpreemptibleJobs: ms(3), ApplyLimitsToDemand: core.Some(true),
	}))
	l.check(l.tree.Add(&trace.OpEvent{Stamp: stamp(2), Op: 1, Event: "params_changed", PreemptionMode: core.Some("normal")}))
	l.check(l.tree.Add(&trace.OpEvent{Stamp: stamp(3), Op: 1, Event: "starvation_started", StarvationStatus: core.Some("aggressively_starving")}))
	l.check(l.tree.Add(&trace.OpEvent{Stamp: stamp(4), Op: 1, Event: "starvation_finished"}))
	l.check(l.tree.Add(&trace.OpEvent{Stamp: stamp(5), Op: 1, Event: "banned_in_tree", ErrorCode: core.Some[int32](217)}))
	tr := l.open()
	type step struct {
		Step   core.Step
		Error  int32
		Status string
		Params core.OperationParams
	}
	got := of(t, tr, core.OperationChanged, func(e *core.Event) step {
		s := step{Step: e.Step, Error: e.ErrorCode, Status: e.Status}
		if e.Params != nil {
			s.Params = *e.Params
		}
		return s
	})
	filter, err := pooltree.ParseTagFilter("ssd")
	l.check(err)
	one := func(k resource.Kind, amount int64) core.Optional[resource.Partial] {
		var p resource.Partial
		p.Amounts[k], p.Set[k] = amount, true
		return core.Some(p)
	}
	if diff := cmp.Diff([]step{
		{Step: core.StepStarted, Params: core.OperationParams{
			OperationSettings: pooltree.OperationSettings{
				Weight: core.Some(2.0), MaxShareRatio: core.Some(0.5), FairShareStarvationTolerance: core.Some(0.9),
				FairShareStarvationTimeout: core.Some[pooltree.Milliseconds](1000), MinSharePreemptionTimeout: core.Some[pooltree.Milliseconds](2000),
				EnableAggressiveStarvation: core.Some(false), MaxUnpreemptibleJobs: core.Some[int64](3),
			},
			ResourceLimits: one(resource.CPU, 2), StrongGuarantee: one(resource.Memory, 7),
			TagFilter: &filter, Graceful: core.Some(true), ApplyLimitsToDemand: core.Some(true),
		}},
		{Step: core.StepParamsChanged, Params: core.OperationParams{Graceful: core.Some(false)}},
		{Step: core.StepStarvationStarted, Status: "aggressively_starving"},
		{Step: core.StepStarvationFinished},
		{Step: core.StepBanned, Error: 217},
	}, got, formulas); diff != "" {
		t.Error(diff)
	}
	if p := tr.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

type nodeEvent struct {
	At              float64
	Node            core.NodeID
	Online          bool
	Tags            string
	Segment         string
	Module, Network string
}

func nodeEvents(t *testing.T, tr *Trace) []nodeEvent {
	return of(t, tr, core.NodeChanged, func(e *core.Event) nodeEvent {
		return nodeEvent{seconds(e), e.Node, e.Online, fmt.Sprint(e.Tags), e.Segment, e.Module, e.Network}
	})
}

func TestANodeHasTagsASegmentAndAModule(t *testing.T) {
	l := newLog(t, trace.Options{})
	some := core.Some[string]
	for i, row := range []trace.NodeState{
		{Online: true, Tags: "b, a,b", DataCenter: some("east"), InfinibandCluster: some("ib1"), SchedulingSegment: some("large_gpu")},
		{Tags: "", InfinibandCluster: some("ib2")},
		{Online: true, Tags: "b, a,b"},
	} {
		row.Stamp = stamp(int64(i))
		l.check(l.tree.Add(&row))
	}
	if diff := cmp.Diff([]nodeEvent{
		{0, 0, true, "[a b]", "large_gpu", "east", "ib1"}, {1, 0, false, "[]", "", "", "ib2"}, {2, 0, true, "[a b]", "", "", ""},
	}, nodeEvents(t, l.open())); diff != "" {
		t.Error(diff)
	}
}

// A node of no tree or of several is offline in the one that had it.
func TestANodeLeavesItsTreeForNoneOrSeveral(t *testing.T) {
	l := newLog(t, trace.Options{})
	node := func(add func(any) error, s int64, n core.NodeID, online bool) {
		l.check(add(&trace.NodeState{Stamp: stamp(s), Node: n, Online: online}))
	}
	tree, global := l.tree.Add, l.w.Add
	node(global, 0, 0, true) // not in the tree yet
	node(tree, 1, 0, true)
	l.check(tree(&trace.NodeState{Stamp: trace.Stamp{Time: second(1), Seq: 100}, Node: 1, Online: true}))
	node(global, 2, 1, true) // leaves
	node(global, 3, 1, true) // and changes, elsewhere
	node(tree, 4, 1, true)   // is back
	node(global, 4, 2, true)
	node(tree, 5, 0, false)
	node(global, 6, 0, true) // was not serving anyway
	node(global, 7, 1, true) // back and forth in an instant: the tree has the last word
	node(tree, 7, 1, true)
	node(tree, 9, 2, true)
	node(global, 10, 2, false)
	tr := l.open()
	var got []string
	for _, e := range nodeEvents(t, tr) {
		got = append(got, fmt.Sprint(e.At, " ", e.Node, " ", e.Online))
	}
	if diff := cmp.Diff([]string{"1 0 true", "1 1 true", "2 1 false", "4 1 true", "5 0 false", "7 1 false", "7 1 true", "9 2 true", "10 2 false"}, got); diff != "" {
		t.Error(diff)
	}
	if p := tr.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

func TestTheSchedulersProcessesConcernEveryTree(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.check(l.w.Tree("other").Add(&trace.Heartbeat{Stamp: stamp(1)}))
	l.check(l.tree.Add(&trace.TreeConfig{Stamp: stamp(2)}))
	for i, row := range []trace.ProcessEvent{{Event: "scheduler_started"}, {Event: "master_disconnected"}, {Event: "exploded"},
		{Event: "master_connected"}, {Event: "alert_raised", Alert: core.Some("no nodes")}, {Event: "alert_cleared"}} {
		row.Stamp = stamp(int64(i) + 1)
		l.check(l.w.Add(&row))
	}
	tr := l.open()
	for range 2 { // reading again changes nothing
		for _, tree := range tr.Trees() {
			var got []string
			for e, err := range tr.Events(tree, Options{}) {
				l.check(err)
				if e.Kind == core.ProcessChanged || tree == "t" {
					got = append(got, fmt.Sprint(seconds(e), " ", e.Process, e.Alert))
				}
			}
			want := []string{"1 scheduler_started", "2 master_disconnected", "4 master_connected", "5 alert_raisedno nodes", "6 alert_cleared"}
			if tree == "t" {
				want = slices.Insert(want, 2, "2 ") // the configuration of the instant comes after
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("tree %s: %s", tree, diff)
			}
		}
		if diff := cmp.Diff([]Problem{{"global/process_events.parquet", 2, "event", unknownEnum, "exploded"}}, tr.Problems()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]ProblemCount{{"global/process_events.parquet", unknownEnum, 1}}, tr.ProblemCounts()); diff != "" {
			t.Error(diff)
		}
	}
}

// All that the log says of a preemption reaches the core, and of each its own,
// though the places of those that are over are used again.
func TestAPreemptionCarriesWhatTheLogSaysOfIt(t *testing.T) {
	l := newLog(t, trace.Options{})
	some := core.Some[string]
	at := func(s float64) core.Optional[core.Time] { return core.Some(second(s)) }
	for i, j := range []trace.Job{
		{EndKind: "completed", FinishTime: at(9), SchedulingStage: some("regular_high"), InterruptionReason: some("preemption"),
			PreemptTime: at(5), PreemptReason: some("aggressive_preemption"), PreemptMode: some("interrupt"), PreemptedFor: core.Some[core.OperationID](2),
			PreemptedForJob: some("j3"), TargetPriority: some("aggressive"), PreemptorPriority: some("normal"), ProperlyStarving: core.Some(false),
			PreemptionLevel: some("preemptible"), Conditional: core.Some(true), Forced: core.Some(false), LostTimeMS: core.Some[int64](1500), Explanation: some("for j3")},
		{EndKind: "aborted", FinishTime: at(6), PreemptMode: some("abort")}, // at its end, for nobody knows whom
		{EndKind: "running", PreemptTime: at(3), PreemptMode: some("graceful")},
		{EndKind: "running", SchedulingStage: some("preemptive_normal")},
		{EndKind: "aborted", FinishTime: at(8), AbortReason: some("preemption"), PreemptTime: at(7), LostTimeMS: core.Some[int64](0)},
	} {
		j.Stamp, j.Job, j.ID = stamp(int64(i)), core.JobID(i), fmt.Sprint("j", i)
		l.job(j)
	}
	tr := l.open()
	type end struct {
		At     float64
		Kind   core.Kind
		Job    core.JobID
		End    core.EndKind
		Reason string
		For    core.OperationID
		ForJob string
		Record core.PreemptionRecord
	}
	var got []end
	var stages []string
	for e, err := range tr.Events("t", Options{}) {
		l.check(err)
		if e.Kind == core.JobStarted {
			stages = append(stages, e.Stage)
			continue
		}
		x := end{seconds(e), e.Kind, e.Job, e.End, e.Reason, e.Preemptor, e.PreemptorJob, core.PreemptionRecord{}}
		if e.Preemption != nil {
			x.Record = *e.Preemption
		}
		got = append(got, x)
	}
	if diff := cmp.Diff([]end{
		{3, core.JobPreempted, 2, core.EndPreempted, "", core.Unknown, "", core.PreemptionRecord{Mode: "graceful", End: core.EndRunning}},
		{5, core.JobPreempted, 0, core.EndPreempted, "aggressive_preemption", 2, "j3", core.PreemptionRecord{
			Reason: "aggressive_preemption", Mode: "interrupt", TargetPriority: "aggressive", PreemptorPriority: "normal", Level: "preemptible",
			ProperlyStarving: core.Some(false), Conditional: core.Some(true), Forced: core.Some(false), LostTime: core.Some[core.Time](1_500_000), Explanation: "for j3",
			End: core.EndCompleted, EndReason: "preemption"}},
		{6, core.JobPreempted, 1, core.EndPreempted, "", core.Unknown, "", core.PreemptionRecord{Mode: "abort", End: core.EndAborted}},
		{7, core.JobPreempted, 4, core.EndPreempted, "preemption", core.Unknown, "", core.PreemptionRecord{LostTime: core.Some[core.Time](0), End: core.EndAborted, EndReason: "preemption"}},
		{8, core.JobFinished, 4, core.EndAborted, "preemption", core.Unknown, "", core.PreemptionRecord{}},
		{9, core.JobFinished, 0, core.EndCompleted, "preemption", core.Unknown, "", core.PreemptionRecord{}},
	}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"regular_high", "", "", "preemptive_normal", ""}, stages); diff != "" {
		t.Error(diff)
	}
	if p := tr.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

// A preemption whose time no row records has that of the job that was started in its place,
// or is taken to have been at the end and said to be untimed. One that asked the job to
// finish let it keep its resources meanwhile.
func TestAPreemptionWithoutATimeIsUntimed(t *testing.T) {
	l := newLog(t, trace.Options{})
	some := core.Some[string]
	at := func(s float64) core.Optional[core.Time] { return core.Some(second(s)) }
	for i, j := range []trace.Job{
		{EndKind: "aborted", FinishTime: at(11), AbortReason: some("preemption"), PreemptTime: at(10)},
		{EndKind: "aborted", FinishTime: at(12), AbortReason: some("preemption")},
		{EndKind: "aborted", FinishTime: at(13), AbortReason: some("preemption"), PreemptedForJob: some("j5")},
		{EndKind: "aborted", FinishTime: at(14), AbortReason: some("preemption"), PreemptedForJob: some("j9")},
		{EndKind: "completed", FinishTime: at(15), PreemptMode: some("graceful")},
		{EndKind: "running"},
	} {
		j.Stamp, j.Job, j.ID = stamp(int64(i)), core.JobID(i), fmt.Sprint("j", i)
		l.job(j)
	}
	type moment struct {
		At      float64
		Untimed bool
	}
	pick := func(e *core.Event) moment { return moment{seconds(e), e.Untimed} }
	tr := l.open()
	if diff := cmp.Diff([]moment{{0, false}, {1, true}, {2, true}, {3, true}, {4, false}, {5, false}}, of(t, tr, core.JobStarted, pick)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]moment{{5, false}, {10, false}, {12, true}, {14, true}, {15, true}}, of(t, tr, core.JobPreempted, pick)); diff != "" {
		t.Error(diff)
	}
}

// Of a job whose start is not known the event tells how much later it may have been, and a
// preemption for it is where it may have started, untimed. Of one that may have made room
// it tells how much earlier than its end.
func TestAStartMayBeVague(t *testing.T) {
	l := newLog(t, trace.Options{})
	for i, j := range []trace.Job{
		{EndKind: "aborted", FinishTime: core.Some(second(13)), AbortReason: core.Some("preemption"), PreemptedForJob: core.Some("j1")},
		{EndKind: "running", StartUncertaintyUS: core.Some[int64](2_500_000)},
		{EndKind: "completed", FinishTime: core.Some(second(9)), ReleaseUncertainty: core.Some[int64](1_500_000)},
		{EndKind: "running", StartUncertaintyUS: core.Some[int64](-1)},
	} {
		j.Stamp, j.Job, j.ID = stamp(int64(i)), core.JobID(i), fmt.Sprint("j", i)
		l.job(j)
	}
	tr := l.open()
	within := of(t, tr, core.JobStarted, func(e *core.Event) [2]core.Time { return [2]core.Time{e.StartsWithin, e.ReleasesWithin} })
	if diff := cmp.Diff([][2]core.Time{{}, {2_500_000, 0}, {0, 1_500_000}, {}}, within); diff != "" {
		t.Error(diff)
	}
	taken := of(t, tr, core.JobPreempted, func(e *core.Event) string { return fmt.Sprint(seconds(e), e.Untimed) })
	if diff := cmp.Diff([]string{"1 true"}, taken); diff != "" {
		t.Error(diff)
	}
}

// A heartbeat takes some time: the preemptions for a job that it started bear the moment of
// that start, where the log records another one close to it, however many starts of other nodes
// lie between. What is further apart, on another node or of a job gone by then stays.
func TestAPreemptionIsAtTheStartOfItsHeartbeat(t *testing.T) {
	l := newLog(t, trace.Options{})
	const heartbeat = 10.0
	rows := []trace.Job{}
	victim := func(node core.NodeID, preempted, finish float64, forJob string) {
		rows = append(rows, trace.Job{Stamp: l.at(1), Node: node, EndKind: "aborted", FinishTime: core.Some(second(finish)), PreemptTime: core.Some(second(preempted)), PreemptedForJob: core.Some(forJob)})
	}
	victim(0, 10.012, 20, "early")   // told after the start
	victim(0, 10.009, 20, "early")   // before it
	victim(0, 10.059, 20, "early")   // as late as the heartbeat lasts
	victim(0, 10.061, 20, "early")   // later than that
	victim(0, 9.959, 20, "early")    // too early
	victim(1, 10.012, 20, "early")   // on another node
	victim(1, 10.005, 20, "late")    // before many other starts
	victim(1, 10.001, 10.02, "late") // gone before its preemptor came
	victim(1, 10.045, 10.045, "late")
	victim(0, 10.002, 20, "nobody")
	for i, id := range []string{"early", "x", "y", "z", "late"} {
		node := core.NodeID(0)
		if i > 0 {
			node = 1
		}
		rows = append(rows, trace.Job{Stamp: l.at(heartbeat + 0.01*float64(i+1)), ID: id, Node: node, EndKind: "running"})
	}
	for i := range rows {
		rows[i].Job = core.JobID(i)
		if rows[i].ID == "" {
			rows[i].ID = fmt.Sprint("victim", i)
		}
		l.job(rows[i])
	}
	type moment struct {
		Job core.JobID
		At  float64
	}
	pick := func(e *core.Event) moment { return moment{e.Job, seconds(e)} }
	tr := l.open()
	if diff := cmp.Diff([]moment{{4, 9.959}, {7, 10.001}, {9, 10.002}, {0, 10.01}, {1, 10.01}, {2, 10.01}, {5, 10.012}, {8, 10.045}, {6, 10.05}, {3, 10.061}},
		of(t, tr, core.JobPreempted, pick)); diff != "" {
		t.Error(diff)
	}
	var ends []moment
	for e, err := range tr.Events("t", Options{}) {
		l.check(err)
		if e.Kind == core.JobFinished {
			ends = append(ends, pick(e))
		}
	}
	if diff := cmp.Diff([]moment{{7, 10.02}, {0, 20}, {1, 20}, {2, 20}, {3, 20}, {4, 20}, {5, 20}, {6, 20}, {9, 20}}, ends); diff != "" {
		t.Error(diff)
	}
	if p := tr.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

// A file that leaves out a column of a group tells nothing of the group.
func TestAGroupWithoutAColumnIsNull(t *testing.T) {
	type demand struct {
		trace.Stamp
		Op      core.OperationID     `col:"op_ix" doc:"the operation"`
		Needed  trace.Resources      `col:"needed" doc:"what it could use"`
		Slots   core.Optional[int64] `col:"min_needed_user_slots" doc:"of its smallest job"`
		CPU     core.Optional[int64] `col:"min_needed_cpu_milli" doc:"of its smallest job"`
		Network core.Optional[int64] `col:"min_needed_network" doc:"of its smallest job"`
		GPU     core.Optional[int32] `col:"min_needed_gpu" doc:"of its smallest job"`
		Source  string               `col:"source" doc:"how"`
	}
	l := newLog(t, trace.Options{})
	l.check(l.tree.Add(&trace.Demand{Stamp: stamp(0), Source: "recorded"}))
	tr := l.open()
	one := core.Some[int64](1)
	put(t, l.dir, "tree=t/demand-000.parquet", parquetlog.Declare[demand]("demand", ""), demand{
		Stamp: stamp(1), Op: 1, Needed: trace.Resources{UserSlots: 2, CPUMilli: 2000}, Slots: one, CPU: core.Some[int64](1000), Network: one, GPU: core.Some[int32](0), Source: "recorded",
	})
	for _, got := range of(t, tr, core.DemandChanged, func(e *core.Event) [2]resource.Vector { return [2]resource.Vector{e.Needed, e.MinNeeded} }) {
		if got != [2]resource.Vector{{2, 200}} {
			t.Errorf("needed and smallest job: %v", got)
		}
	}
	if p := tr.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

// A record of a pool without a parent stands under the root, but not where the file has
// no column for parents.
func TestParentsThatNoColumnTells(t *testing.T) {
	type orphan struct {
		trace.Stamp
		Snapshot string      `col:"snapshot_id" enc:"plain" doc:"id"`
		Pool     core.PoolID `col:"pool_ix" doc:"the pool"`
		Mode     string      `col:"mode" doc:"how"`
		Weight   float64     `col:"weight" doc:"weight"`
		trace.SnapShares
	}
	for _, told := range []bool{true, false} {
		l := newLog(t, trace.Options{})
		l.check(l.tree.Add(&trace.SnapPool{Stamp: stamp(1), Snapshot: "a", Pool: 0, Mode: "fair_share", Weight: 1}))
		tr := l.open()
		if !told {
			put(t, l.dir, "tree=t/snap_pools-000.parquet", parquetlog.Declare[orphan]("snap_pools", ""), orphan{Stamp: stamp(1), Snapshot: "a", Pool: 0, Mode: "fair_share", Weight: 1})
		}
		want := core.RootPool
		if !told {
			want = core.Unknown
		}
		got := of(t, tr, core.PoolRecorded, func(e *core.Event) core.PoolID { return e.PoolRecord.Parent })
		if diff := cmp.Diff([]core.PoolID{want}, got); diff != "" {
			t.Error(diff)
		}
	}
}
