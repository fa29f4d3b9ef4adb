package ingest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"testing"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// BenchmarkEvents streams a log of heartbeats, with a job and a change of demand
// for every tenth. What is allocated is for files, pages and dictionaries: the
// number per event falls as the log grows.
//
//	POOLPROOF_BENCH_ROWS=20000000 go test -run '^$' -bench Events ./ingest
func BenchmarkEvents(b *testing.B) {
	n := 500_000
	if s := os.Getenv("POOLPROOF_BENCH_ROWS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	tr := benchLog(b, n)
	b.Run(fmt.Sprintf("heartbeats=%d", n), func(b *testing.B) {
		b.ReportAllocs()
		events, cpu := 0, cpuSeconds(b)
		for b.Loop() {
			for _, err := range tr.Events("t", Options{}) {
				if err != nil {
					b.Fatal(err)
				}
				events++
			}
		}
		b.ReportMetric(float64(events)/(cpuSeconds(b)-cpu)/1e6, "Mevents/cpu-s")
		if p := tr.Problems(); len(p) > 0 {
			b.Fatalf("the log has problems: %v", p[0])
		}
	})
}

func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func benchLog(b testing.TB, n int) *Trace {
	const nodes, step = 3, 1000
	r := rand.New(rand.NewPCG(1, 2))
	l := newLog(b, trace.Options{})
	size := trace.Resources{UserSlots: 40, CPUMilli: 40_000, Memory: 1 << 38}
	for i := range n {
		at := trace.Stamp{Time: start + core.Time(i)*step, Seq: l.tree.NextSeq()}
		l.check(l.tree.Add(&trace.Heartbeat{Stamp: at, Node: core.NodeID(i % nodes), Kind: "recorded", Limit: size,
			Usage: trace.Resources{UserSlots: int64(r.IntN(40)), CPUMilli: int64(r.IntN(40)) * 1000, Memory: r.Int64N(1 << 38)}}))
		if i%10 != 0 {
			continue
		}
		at.Seq = l.tree.NextSeq()
		op := core.OperationID(r.IntN(3))
		l.job(trace.Job{Stamp: at, Job: core.JobID(i / 10), ID: fmt.Sprintf("%x-%x", r.Uint64(), i), Op: op, Node: core.NodeID(i % nodes),
			Limits: trace.Resources{UserSlots: 1, CPUMilli: 1000}, EndKind: "completed",
			FinishTime: core.Some(at.Time + core.Time(r.IntN(10_000_000)))})
		at.Seq = l.tree.NextSeq()
		l.check(l.tree.Add(&trace.Demand{Stamp: at, Op: op, Needed: trace.Resources{UserSlots: int64(r.IntN(100))}, Source: "derived"}))
	}
	return l.open()
}

// A stream allocates for files and pages, not for events.
func TestNothingIsAllocatedPerEvent(t *testing.T) {
	tr := benchLog(t, 60_000)
	events := 0
	allocations := testing.AllocsPerRun(1, func() {
		events = 0
		for _, err := range tr.Events("t", Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			events++
		}
	})
	if allocations > 4500 {
		t.Errorf("%v allocations for %d events", allocations, events)
	}
}
