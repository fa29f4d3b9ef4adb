package command

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core"
	"poolproof/ingest/trace"
)

// writeEverything makes a trace with rows in every table, many of one instant.
func writeEverything(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "trace")
	w, err := trace.Create(dir, trace.Options{})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	defer w.Abort()
	tree := w.Tree("t")
	at := func(s int) trace.Stamp {
		return trace.Stamp{Time: epoch + core.Time(s)*core.Second, Seq: tree.NextSeq()}
	}
	time := func(s int) core.Optional[core.Time] { return core.Some(epoch + core.Time(s)*core.Second) }
	size := trace.Resources{UserSlots: 10, CPUMilli: 10_000, Memory: 1 << 30}
	job := trace.Resources{UserSlots: 1, CPUMilli: 1000, Memory: 1 << 20}
	pool := core.Some[core.PoolID](0)
	for i := range 2 {
		check(w.Add(&trace.Operation{Op: core.OperationID(i), ID: string(rune('o' + i)), Type: "vanilla", User: "u", IsGang: core.Some(i == 1)}))
		check(w.Add(&trace.Node{Node: core.NodeID(i), Address: string(rune('m' + i))}))
	}
	check(w.Add(&trace.Pool{Pool: 0, Tree: "t", Name: "a"}))
	check(w.Add(&trace.Pool{Pool: 1, Tree: "t", Name: "b"}))
	check(w.Add(&trace.ProcessEvent{Stamp: at(0), Event: "scheduler_started"}))
	check(w.Add(&trace.ProcessEvent{Stamp: at(20), Event: "master_disconnected"}))
	check(w.Add(&trace.ProcessEvent{Stamp: at(25), Event: "master_connected"}))
	check(tree.Add(&trace.TreeConfig{Stamp: at(0), Source: "export", MainResource: core.Some("cpu"), ValidTo: time(40)}))
	for i := range 2 {
		check(tree.Add(&trace.PoolConfig{Stamp: at(0), Pool: core.PoolID(i), Mode: "fair_share", IntegralType: "none", ValidTo: time(40 + 5*i),
			Strong: trace.PartialResources{CPUMilli: core.Some[int64](2000)}}))
		check(tree.Add(&trace.NodeState{Stamp: at(0), Node: core.NodeID(i), Online: true, Limit: size, Tags: "x,y",
			SchedulingSegment: core.Some("default"), DataCenter: core.Some("east")}))
	}
	check(w.Add(&trace.NodeState{Stamp: at(30), Node: 1, Limit: size}))
	for i := range 2 {
		check(tree.Add(&trace.OpEvent{Stamp: at(1), Op: core.OperationID(i), Event: "started", Pool: core.Some(core.PoolID(i)), PreemptionMode: core.Some("normal")}))
	}
	for i, step := range []string{"materialized", "starvation_started", "starvation_finished", "banned_in_tree"} {
		check(tree.Add(&trace.OpEvent{Stamp: at(2 + 10*i), Op: 1, Event: step}))
	}
	check(tree.Add(&trace.Demand{Stamp: at(2), Op: 0, Needed: job}))
	check(tree.Add(&trace.Heartbeat{Stamp: at(3), Node: 0, Kind: "recorded", Limit: size, Skipped: core.Some(false), WithPreemption: core.Some(true)}))
	check(tree.Add(&trace.Job{Stamp: at(3), Job: 0, ID: "j0", Op: 0, Pool: pool, Limits: job, EndKind: "aborted", FinishTime: time(15),
		PreemptTime: time(10), PreemptReason: core.Some("preemption"), PreemptMode: core.Some("interrupt"), PreemptedForJob: core.Some("j1"),
		PreemptedFor: core.Some[core.OperationID](1), SchedulingStage: core.Some("regular_high")}))
	check(tree.Add(&trace.Job{Stamp: at(10), Job: 1, ID: "j1", Op: 1, Node: 1, Limits: job, EndKind: "unknown"}))
	check(tree.Add(&trace.Allocation{Stamp: at(3), Job: 0, Op: 0, Action: "start"}))
	check(tree.Add(&trace.Allocation{Stamp: at(5), Job: 0, Op: 0, Action: "usage", Usage: core.Some(trace.Resources{UserSlots: 1, CPUMilli: 2000})}))
	check(tree.Add(&trace.Allocation{Stamp: at(12), Job: 0, Op: 0, Action: "usage", Usage: core.Some(job)})) // it is leaving
	for s := 4; s < 50; s += 9 {
		check(tree.Add(&trace.SnapTree{Stamp: at(s), Snapshot: "s", Limits: size}))
		check(tree.Add(&trace.SnapPool{Stamp: at(s), Snapshot: "s", Pool: core.RootPool}))
		check(tree.Add(&trace.SnapPool{Stamp: at(s), Snapshot: "s", Pool: 0}))
		check(tree.Add(&trace.SnapOp{Stamp: at(s), Snapshot: "s", Op: 0, Pool: 0}))
	}
	check(tree.Add(&trace.Accumulated{Stamp: at(49), Op: 0, Pool: 0})) // of an older scheduler
	check(tree.Add(&trace.Accumulated{Stamp: at(50), Op: 0, Pool: 0, Fair: core.Some(trace.Volume{}), Deficit: core.Some(trace.Volume{})}))
	check(w.Add(&trace.ClusterConfig{Stamp: at(50), Trees: "t"}))
	check(w.Commit(trace.Manifest{Profile: "baseline", Window: trace.Window{From: epoch, To: epoch + 60*core.Second}}))
	return dir
}

// TestATraceWithEveryTable reads one row of each kind and follows them all.
func TestATraceWithEveryTable(t *testing.T) {
	dir := writeEverything(t)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"validate", dir}, "Tree t: 3 process events, 6 tree records, 12 pool records, 6 operation records, 1 volume record, 1 cluster configuration, " +
			"2 tree configurations, 4 pool configurations, 3 node changes, 6 operation steps, 1 demand record, 1 job end, 1 heartbeat, " +
			"2 job reports, 1 preemption, 2 job starts, 1 other allocation change\n"},
		{[]string{"replay", dir, "--out", filepath.Join(t.TempDir(), "run")}, "by profile baseline"},
	} {
		var stdout strings.Builder
		command := exec.Command("poolproof", c.args...)
		command.Stdout = &stdout
		if code, stderr, _ := commandtest.Process(t, command); code != exit.Kept || !strings.Contains(stdout.String(), c.says) {
			t.Errorf("%s ends with %d: %s%s", c.args[0], code, stdout.String(), stderr)
		}
	}
}
