package ingest

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// start is the first second of the test logs.
const start = core.Time(1_600_000_000_000_000)

// second returns the time so many seconds into the log.
func second(s float64) core.Time { return start + core.Time(s*float64(core.Second)) }

// A log writes a trace for a test: one tree t with pools 0 (of t) and 1 (of
// another), operations 0 to 2 and nodes 0 to 2.
type log struct {
	t    testing.TB
	dir  string
	w    *trace.Writer
	tree *trace.TreeWriter
}

func newLog(t testing.TB, o trace.Options) *log {
	t.Helper()
	l := &log{t: t, dir: filepath.Join(t.TempDir(), "trace")}
	var err error
	l.w, err = trace.Create(l.dir, o)
	l.check(err)
	t.Cleanup(l.w.Abort)
	for i := range 3 {
		l.check(l.w.Add(&trace.Operation{Op: core.OperationID(i), ID: fmt.Sprint("op", i), Type: "map", User: "u"}))
		l.check(l.w.Add(&trace.Node{Node: core.NodeID(i), Address: fmt.Sprint("n", i)}))
	}
	l.check(l.w.Add(&trace.Pool{Pool: 0, Tree: "t", Name: "a"}))
	l.check(l.w.Add(&trace.Pool{Pool: 1, Tree: "other", Name: "b"}))
	l.tree = l.w.Tree("t")
	return l
}

func (l *log) check(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// at stamps a row with the next seq.
func (l *log) at(s float64) trace.Stamp { return trace.Stamp{Time: second(s), Seq: l.tree.NextSeq()} }

func (l *log) job(j trace.Job) {
	l.t.Helper()
	l.check(l.tree.Add(&j))
}

// open commits the trace and opens it.
func (l *log) open() *Trace {
	l.t.Helper()
	l.check(l.w.Commit(trace.Manifest{Window: trace.Window{From: start, To: second(1000)}}))
	tr, err := Open(l.dir)
	l.check(err)
	return tr
}

// events returns the events of tree t as text, one a line.
func events(t testing.TB, tr *Trace, o Options) string {
	t.Helper()
	var b strings.Builder
	for e, err := range tr.Events("t", o) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%v %s\n", float64(e.Time-start)/float64(core.Second), describe(e))
	}
	return b.String()
}

// describe tells what an event's kind fills.
func describe(e *core.Event) string {
	switch e.Kind {
	case core.TreeConfigured:
		return fmt.Sprintf("tree %+v", *e.Tree)
	case core.PoolConfigured:
		return fmt.Sprintf("pool %d %+v", e.Pool, *e.Config)
	case core.NodeChanged:
		return fmt.Sprintf("node %d online=%v %v", e.Node, e.Online, e.Limits)
	case core.OperationChanged:
		params := ""
		if e.Params != nil {
			params = fmt.Sprintf(" %+v", *e.Params)
		}
		return fmt.Sprintf("op %d step=%d pool=%d%s", e.Operation, e.Step, e.Pool, params)
	case core.DemandChanged:
		return fmt.Sprintf("demand %d %v min=%v jobs=%d", e.Operation, e.Needed, e.MinNeeded, e.PendingJobs)
	case core.HeartbeatReceived:
		return fmt.Sprintf("heartbeat %d %v of %v", e.Node, e.Usage, e.Limits)
	case core.JobStarted:
		return fmt.Sprintf("start %d %s op=%d pool=%d node=%d %v end=%d", e.Job, e.Name, e.Operation, e.Pool, e.Node, e.Limits, e.End)
	case core.JobFinished:
		return fmt.Sprintf("finish %d end=%d %s", e.Job, e.End, e.Reason)
	case core.JobPreempted:
		return fmt.Sprintf("preempt %d for=%d %s", e.Job, e.Preemptor, e.Reason)
	}
	return "?"
}

func same(t *testing.T, want, got string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimSpace(strings.ReplaceAll(want, "\t", "")), strings.TrimSpace(got)); diff != "" {
		t.Error(diff)
	}
}

// One instant, all kinds: the order is that of causes.
func TestEventsOfOneInstantFollowTheirCauses(t *testing.T) {
	l := newLog(t, trace.Options{})
	cores := trace.Resources{UserSlots: 1, CPUMilli: 1500}
	done := func(s float64) core.Optional[core.Time] { return core.Some(second(s)) }
	l.job(trace.Job{Stamp: l.at(0), Job: 0, ID: "j0", Op: 0, Node: 0, Limits: cores, EndKind: "completed", FinishTime: done(5)})
	l.job(trace.Job{Stamp: l.at(1), Job: 1, ID: "j1", Op: 0, Node: 1, Limits: cores, EndKind: "aborted", FinishTime: done(9),
		PreemptTime: done(5), AbortReason: core.Some("preemption"), PreemptedFor: core.Some[core.OperationID](2)})
	l.job(trace.Job{Stamp: l.at(5), Job: 2, ID: "j2", Op: 2, Node: -1, Pool: core.Some[core.PoolID](0), Limits: cores, EndKind: "running"})
	l.check(l.tree.Add(&trace.Heartbeat{Stamp: l.at(5), Node: 1, Kind: "recorded", Limit: cores, Usage: cores}))
	l.check(l.tree.Add(&trace.Demand{Stamp: l.at(5), Op: 2, Needed: cores}))
	l.check(l.tree.Add(&trace.OpEvent{Stamp: l.at(5), Op: 2, Event: "started", Pool: core.Some[core.PoolID](0)}))
	l.check(l.tree.Add(&trace.NodeState{Stamp: l.at(5), Node: 2, Online: true, Limit: cores}))
	l.check(l.tree.Add(&trace.PoolConfig{Stamp: l.at(5), Pool: 0, Deleted: true}))
	l.check(l.tree.Add(&trace.TreeConfig{Stamp: l.at(5), Source: "assumed"}))
	got := events(t, l.open(), Options{})
	var kinds []string
	for line := range strings.Lines(got) {
		f := strings.Fields(line)
		kinds = append(kinds, f[0]+" "+f[1])
	}
	want := []string{"0 start", "1 start", "5 tree", "5 pool", "5 node", "5 op", "5 demand", "5 finish", "5 heartbeat", "5 preempt", "5 start", "9 finish"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
	for _, line := range []string{
		"5 preempt 1 for=2 preemption\n", "5 finish 0 end=2 \n",
		"5 start 2 j2 op=2 pool=0 node=-1 [1 150 0 0 0] end=1\n", "5 node 2 online=true [1 150 0 0 0]\n",
		"5 demand 2 [1 150 0 0 0] min=[0 0 0 0 0] jobs=-1\n", "5 op 2 step=1 pool=0\n", "5 heartbeat 1 [1 150 0 0 0] of [1 150 0 0 0]\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("missing: %s in\n%s", line, got)
		}
	}
}

func TestJobsEndAsTheLogSays(t *testing.T) {
	some := func(s float64) core.Optional[core.Time] { return core.Some(second(s)) }
	l := newLog(t, trace.Options{})
	job := func(s float64, id string, j trace.Job) {
		j.Stamp, j.Job, j.ID = l.at(s), core.JobID(s), id
		l.job(j)
	}
	job(0, "unknown end", trace.Job{EndKind: "unknown"})
	job(1, "running at the end", trace.Job{EndKind: "running"})
	job(2, "unknown how, known when", trace.Job{EndKind: "unknown", FinishTime: some(20)})
	job(3, "no length", trace.Job{EndKind: "completed", FinishTime: some(3)})
	job(4, "failed", trace.Job{EndKind: "failed", FinishTime: some(21)})
	job(5, "aborted", trace.Job{EndKind: "aborted", AbortReason: core.Some("node_offline"), FinishTime: some(22)})
	job(6, "preempted at a time", trace.Job{EndKind: "aborted", PreemptTime: some(16), PreemptReason: core.Some("aggressive_preemption"), FinishTime: some(30)})
	job(7, "preempted for a job", trace.Job{EndKind: "aborted", AbortReason: core.Some("preemption"), PreemptedForJob: core.Some("preemptor"), FinishTime: some(31)})
	job(8, "preempted for a job, too", trace.Job{EndKind: "aborted", PreemptedForJob: core.Some("preemptor"), PreemptedFor: core.Some[core.OperationID](1)})
	job(9, "gone before its preemptor", trace.Job{EndKind: "aborted", PreemptedForJob: core.Some("preemptor"), FinishTime: some(10)})
	job(11, "preempted for a job nobody saw", trace.Job{EndKind: "aborted", PreemptedForJob: core.Some("nobody"), FinishTime: some(17)})
	job(12, "preempted gracefully", trace.Job{EndKind: "completed", PreemptTime: some(13), PreemptMode: core.Some("graceful")})
	job(18, "preemptor", trace.Job{Op: 1, EndKind: "running"})
	got := events(t, l.open(), Options{})
	var ends []string
	for line := range strings.Lines(got) {
		if strings.Contains(line, " finish ") || strings.Contains(line, "preempt ") || strings.Contains(line, "start 18") {
			ends = append(ends, strings.TrimSpace(line))
		}
	}
	want := []string{
		"3 finish 3 end=2",
		"10 preempt 9 for=-1",
		"13 preempt 12 for=-1",
		"16 preempt 6 for=-1 aggressive_preemption",
		"17 preempt 11 for=-1",
		"18 preempt 7 for=-1 preemption",
		"18 preempt 8 for=1",
		"18 start 18 preemptor op=1 pool=-1 node=0 [0 0 0 0 0] end=1",
		"20 finish 2 end=0",
		"21 finish 4 end=3",
		"22 finish 5 end=4 node_offline",
		"30 finish 6 end=4", // let go later than it was preempted
		"31 finish 7 end=4 preemption",
	}
	if diff := cmp.Diff(want, ends); diff != "" {
		t.Error(diff)
	}
}

func TestAStreamEndsBeforeAGivenTime(t *testing.T) {
	l := newLog(t, trace.Options{RowGroupRows: 2})
	for i := range 10 {
		l.job(trace.Job{Stamp: l.at(float64(i)), Job: core.JobID(i), ID: "j", EndKind: "completed", FinishTime: core.Some(second(float64(i) + 1.5))})
	}
	got := events(t, l.open(), Options{To: second(3)})
	same(t, `
		0 start 0 j op=0 pool=-1 node=0 [0 0 0 0 0] end=2
		1 start 1 j op=0 pool=-1 node=0 [0 0 0 0 0] end=2
		1.5 finish 0 end=2
		2 start 2 j op=0 pool=-1 node=0 [0 0 0 0 0] end=2
		2.5 finish 1 end=2
	`, strings.ReplaceAll(got, " \n", "\n"))
}

// Streams of different trees share nothing that changes.
func TestTreesMayBeReadAtTheSameTime(t *testing.T) {
	l := newLog(t, trace.Options{})
	other := l.w.Tree("other")
	for i := range 2000 {
		bad := core.NodeID(i % 5) // 3 and 4 are not there
		l.check(l.tree.Add(&trace.Heartbeat{Stamp: stamp(int64(i)), Node: bad}))
		l.check(other.Add(&trace.Heartbeat{Stamp: stamp(int64(i)), Node: bad}))
	}
	tr := l.open()
	counts := make([]int, 2)
	var group sync.WaitGroup
	for i, tree := range tr.Trees() {
		group.Go(func() {
			for _, err := range tr.Events(tree, Options{}) {
				if err != nil {
					t.Error(err)
					return
				}
				counts[i]++
			}
		})
	}
	group.Wait()
	if diff := cmp.Diff([]int{1200, 1200}, counts); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]ProblemCount{
		{"tree=other/heartbeats-000.parquet", idOutOfRange, 800}, {"tree=t/heartbeats-000.parquet", idOutOfRange, 800},
	}, tr.ProblemCounts()); diff != "" {
		t.Error(diff)
	}
}
