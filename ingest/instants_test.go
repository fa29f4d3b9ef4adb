package ingest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/ingest/input"
	"poolproof/ingest/trace"
)

// manyAtOnce are rows of heartbeats and jobs, more than a batch has, of which up to a
// given number share an instant. Jobs make room for others of their instant and of the
// next ones, so that their starts are looked ahead for.
func manyAtOnce(r *rand.Rand, most int) (beats []trace.Heartbeat, jobs []trace.Job) {
	at, seq := core.Time(0), int64(0)
	for len(jobs) < 10_000 {
		at += core.Time(1+r.IntN(3)) * 100_000
		for range 1 + r.IntN(most) {
			i := len(jobs)
			job := trace.Job{Stamp: trace.Stamp{Time: start + at, Seq: seq}, Job: core.JobID(i), ID: fmt.Sprint("job", i),
				Op: core.OperationID(r.IntN(3)), Node: core.NodeID(r.IntN(2)), EndKind: "aborted",
				FinishTime: core.Some(start + at + core.Time(r.IntN(20))*100_000)}
			if i%3 == 0 {
				job.PreemptTime = job.FinishTime
				job.PreemptedForJob = core.Some(fmt.Sprint("job", i+r.IntN(2*most)))
			}
			jobs = append(jobs, job)
			beats = append(beats, trace.Heartbeat{Stamp: trace.Stamp{Time: start + at, Seq: seq + 1}, Node: core.NodeID(i % 3), Kind: "recorded"})
			seq += 2
		}
	}
	return beats, jobs
}

// shuffleInstants shuffles the rows of each instant.
func shuffleInstants[T any](r *rand.Rand, rows []T, time func(*T) core.Time) {
	for from, to := 0, 0; from < len(rows); from = to {
		for to = from; to < len(rows) && time(&rows[to]) == time(&rows[from]); {
			to++
		}
		r.Shuffle(to-from, func(i, j int) { rows[from+i], rows[from+j] = rows[from+j], rows[from+i] })
	}
}

// withRows is a trace of tree t with these rows.
func withRows(t *testing.T, beats []trace.Heartbeat, jobs []trace.Job) *Trace {
	l := newLog(t, trace.Options{})
	l.check(l.tree.Add(&trace.Heartbeat{}))
	tr := l.open()
	put(t, l.dir, "tree=t/heartbeats-000.parquet", trace.Heartbeats, beats...)
	put(t, l.dir, "tree=t/jobs-000.parquet", trace.Jobs, jobs...)
	return tr
}

func TestRowsOfAnInstantComeInTheOrderOfSeq(t *testing.T) {
	for _, most := range []int{1, 5, 700, 4000} {
		t.Run(fmt.Sprint("most=", most), func(t *testing.T) {
			r := rand.New(rand.NewPCG(23, uint64(most)))
			beats, jobs := manyAtOnce(r, most)
			want := events(t, withRows(t, beats, jobs), Options{})
			if n := strings.Count(want, "\n"); n < 3*len(jobs) {
				t.Fatalf("%d events of %d jobs", n, len(jobs))
			}
			shuffleInstants(r, beats, func(b *trace.Heartbeat) core.Time { return b.Time })
			shuffleInstants(r, jobs, func(j *trace.Job) core.Time { return j.Time })
			shuffled := withRows(t, beats, jobs)
			if got := events(t, shuffled, Options{}); got != want {
				t.Error("the events differ from those of the rows in order")
			}
			if p := shuffled.Problems(); len(p) > 0 {
				t.Error(p[0])
			}
		})
	}
}

// A problem names the row of the file, wherever it stands in the order.
func TestAProblemOfAnInstantOutOfOrderNamesItsRow(t *testing.T) {
	beat := func(at, seq int64, node core.NodeID) trace.Heartbeat {
		return trace.Heartbeat{Stamp: trace.Stamp{Time: second(float64(at)), Seq: seq}, Node: node}
	}
	tr := withRows(t, []trace.Heartbeat{beat(1, 1, 0), beat(2, 4, 1), beat(2, 2, 77), beat(2, 3, 2), beat(2, 3, 1)}, nil)
	same(t, `
		1 heartbeat 0 [0 0 0 0 0] of [0 0 0 0 0]
		2 heartbeat 2 [0 0 0 0 0] of [0 0 0 0 0]
		2 heartbeat 1 [0 0 0 0 0] of [0 0 0 0 0]
	`, events(t, tr, Options{}))
	const file = "tree=t/heartbeats-000.parquet"
	want := fmt.Sprint([]Problem{{file, 2, "node_ix", idOutOfRange, "77"}, {file, 4, "seq", duplicateSeq, "3"}})
	if got := fmt.Sprint(tr.Problems()); got != want {
		t.Errorf("the problems are %s, want %s", got, want)
	}
}

// An instant of more rows than a batch has, or of several files, is read in the order of
// seq or not at all.
func TestAnInstantTooLargeToSortIsRefused(t *testing.T) {
	const many = 10_000
	beats := make([]trace.Heartbeat, many)
	for i := range beats {
		beats[i] = trace.Heartbeat{Stamp: trace.Stamp{Time: second(1), Seq: int64(i)}}
	}
	if n := strings.Count(events(t, withRows(t, beats, nil), Options{}), "\n"); n != many {
		t.Fatalf("%d events of %d rows in order", n, many)
	}
	refused := func(tr *Trace, file string) {
		t.Helper()
		err := drain(tr.dir)
		if !input.IsBad(err) || !strings.Contains(err.Error(), file+": column seq: row") || !strings.Contains(err.Error(), "Sort the table by (time, seq).") {
			t.Errorf("error is %v", err)
		}
	}
	beats[0], beats[many-1] = beats[many-1], beats[0]
	refused(withRows(t, beats, nil), "heartbeats-000.parquet")

	tr := withRows(t, []trace.Heartbeat{{Stamp: trace.Stamp{Time: second(1), Seq: 2}}}, nil)
	put(t, tr.dir, "tree=t/heartbeats-001.parquet", trace.Heartbeats, trace.Heartbeat{Stamp: trace.Stamp{Time: second(1), Seq: 1}})
	if n := strings.Count(events(t, tr, Options{}), "\n"); n != 2 || len(tr.Problems()) > 0 {
		t.Errorf("%d events of two files of one instant, %v", n, tr.Problems()) // they are sorted
	}
}

// Rows out of order cost no allocation, either.
func TestNothingIsAllocatedPerRowOutOfOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	beats, _ := manyAtOnce(r, 50)
	allocations := func() float64 {
		tr := withRows(t, beats, nil)
		return testing.AllocsPerRun(1, func() {
			for _, err := range tr.Events("t", Options{}) {
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	inOrder := allocations()
	shuffleInstants(r, beats, func(b *trace.Heartbeat) core.Time { return b.Time })
	if shuffled := allocations(); shuffled > inOrder+50 {
		t.Errorf("%v allocations, and %v with %d rows in order", shuffled, inOrder, len(beats))
	}
}
