package ingest

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A place is where an event stands in the stream, and whose it is.
type place struct {
	time core.Time
	kind core.Kind
	seq  int64
	who  int64
}

// TestTheStreamIsTheSortedLog merges random logs in which many things happen at
// once, and compares with the obvious way: collect all events and sort them.
func TestTheStreamIsTheSortedLog(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := newLog(t, trace.Options{RowGroupRows: rapid.IntRange(1, 50).Draw(rt, "row group")})
		instant := rapid.IntRange(0, 12)
		var want []place
		add := func(at trace.Stamp, kind core.Kind, who int) {
			want = append(want, place{at.Time, kind, at.Seq, int64(who)})
		}
		// Each table is in the order of time; seqs run through all of them.
		times := func(name string) []int {
			s := rapid.SliceOfN(instant, 0, 30).Draw(rt, name)
			slices.Sort(s)
			return s
		}
		for i, s := range times("heartbeats") {
			at := l.at(float64(s))
			l.check(l.tree.Add(&trace.Heartbeat{Stamp: at, Node: core.NodeID(i % 3)}))
			add(at, core.HeartbeatReceived, i%3)
		}
		for i, s := range times("jobs") {
			at := l.at(float64(s))
			job := trace.Job{Stamp: at, Job: core.JobID(i), ID: fmt.Sprint(i), EndKind: "unknown"}
			add(at, core.JobStarted, i)
			// Every end lies after the start; a job of no length has a test of its own.
			end := trace.Stamp{Time: at.Time + core.Time(rapid.IntRange(1, 5).Draw(rt, "length"))*core.Second, Seq: at.Seq}
			switch rapid.IntRange(0, 2).Draw(rt, "end") {
			case 1:
				job.FinishTime, job.EndKind = core.Some(end.Time), "completed"
				add(end, core.JobFinished, i)
			case 2:
				job.PreemptTime, job.EndKind = core.Some(end.Time), "aborted"
				if rapid.Bool().Draw(rt, "named") { // nothing starts a moment before or after
					job.PreemptedForJob = core.Some(fmt.Sprint(rapid.IntRange(0, 30).Draw(rt, "preemptor")))
				}
				stop := trace.Stamp{Time: end.Time + core.Time(rapid.IntRange(0, 3).Draw(rt, "grace"))*core.Second, Seq: at.Seq}
				job.FinishTime = core.Some(stop.Time)
				add(end, core.JobPreempted, i)
				if stop.Time > end.Time {
					add(stop, core.JobFinished, i)
				}
			}
			l.job(job)
		}
		for i, s := range times("demand") {
			at := l.at(float64(s))
			l.check(l.tree.Add(&trace.Demand{Stamp: at, Op: core.OperationID(i % 3)}))
			add(at, core.DemandChanged, i%3)
		}
		for i, s := range times("nodes") {
			at := l.at(float64(s))
			l.check(l.tree.Add(&trace.NodeState{Stamp: at, Node: core.NodeID(i % 3)}))
			add(at, core.NodeChanged, i%3)
		}
		// The other tables have nothing to tell but their place.
		for _, table := range []struct {
			name string
			kind core.Kind
			add  func(at trace.Stamp) error
		}{
			{"processes", core.ProcessChanged, func(at trace.Stamp) error {
				return l.w.Add(&trace.ProcessEvent{Stamp: at, Event: "master_connected"})
			}},
			{"tree snapshots", core.TreeRecorded, func(at trace.Stamp) error { return l.tree.Add(&trace.SnapTree{Stamp: at}) }},
			{"pool snapshots", core.PoolRecorded, func(at trace.Stamp) error { return l.tree.Add(&trace.SnapPool{Stamp: at}) }},
			{"operation snapshots", core.OperationRecorded, func(at trace.Stamp) error { return l.tree.Add(&trace.SnapOp{Stamp: at}) }},
			{"volumes", core.VolumesRecorded, func(at trace.Stamp) error {
				return l.tree.Add(&trace.Accumulated{Stamp: at, Fair: core.Some(trace.Volume{}), Deficit: core.Some(trace.Volume{})})
			}},
			{"tree configurations", core.TreeConfigured, func(at trace.Stamp) error { return l.tree.Add(&trace.TreeConfig{Stamp: at}) }},
			{"pool configurations", core.PoolConfigured, func(at trace.Stamp) error { return l.tree.Add(&trace.PoolConfig{Stamp: at}) }},
			{"steps", core.OperationChanged, func(at trace.Stamp) error { return l.tree.Add(&trace.OpEvent{Stamp: at, Event: "running"}) }},
			{"usages", core.JobReported, func(at trace.Stamp) error {
				return l.tree.Add(&trace.Allocation{Stamp: at, Action: "usage", Usage: core.Some(trace.Resources{})})
			}},
		} {
			for _, s := range times(table.name) {
				at := l.at(float64(s))
				l.check(table.add(at))
				add(at, table.kind, 0)
			}
		}
		slices.SortFunc(want, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.kind, b.kind), cmp.Compare(a.seq, b.seq))
		})
		tr := l.open()
		defer os.RemoveAll(l.dir)
		var got []place
		for e, err := range tr.Events("t", Options{}) {
			l.check(err)
			who := map[core.Kind]int64{
				core.HeartbeatReceived: int64(e.Node), core.NodeChanged: int64(e.Node), core.DemandChanged: int64(e.Operation),
				core.JobStarted: int64(e.Job), core.JobFinished: int64(e.Job), core.JobPreempted: int64(e.Job),
			}[e.Kind]
			got = append(got, place{e.Time, e.Kind, e.Seq, who})
		}
		if !slices.Equal(want, got) {
			rt.Fatalf("the stream is\n%v\nthe sorted log\n%v", got, want)
		}
		if p := tr.Problems(); len(p) > 0 {
			rt.Fatal(p)
		}
	})
}
