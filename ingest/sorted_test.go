package ingest

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// shuffledSteps are rows of a table that has columns of every kind, nulls included, in any order.
func shuffledSteps(random *rand.Rand, n int) []trace.OpEvent {
	var steps []trace.OpEvent
	for i := range n {
		step := trace.OpEvent{Stamp: trace.Stamp{Time: second(float64(i / 3)), Seq: int64(i)}, Op: core.OperationID(i % 3), Event: "running"}
		if i%2 == 0 {
			step.Pool, step.Weight, step.Tentative = core.Some[core.PoolID](0), core.Some(float64(i)), core.Some(i%4 == 0)
			step.Who, step.Usage = core.Some(fmt.Sprint("user", i%7)), core.Some(sharesFrom(float64(i)))
		}
		steps = append(steps, step)
	}
	random.Shuffle(n, func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	return steps
}

// TestShuffledRowsAreReadInOrder sorts two files of a table in little memory: every value comes
// back, in the order of (time, seq), whatever the order of the batches' beginnings, and a problem
// names the row where it stands.
func TestShuffledRowsAreReadInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	steps := shuffledSteps(random, 9000)
	l := newLog(t, trace.Options{})
	tr := l.open()
	tr.memory.Sorting = 1
	put(t, l.dir, "tree=t/op_events-000.parquet", trace.OpEvents, steps[:5000]...)
	put(t, l.dir, "tree=t/op_events-001.parquet", trace.OpEvents, steps[5000:]...)
	s, err := tr.stream("t", Options{})
	l.check(err)
	r, err := newRows(s, trace.TreeDir("t"), &trace.OpEvents.Table, nil, func(*parquetlog.Batch) {})
	l.check(err)
	sorted, err := r.sortRows()
	l.check(err)
	defer sorted.Close()
	var got []trace.OpEvent
	from := 0
	for {
		b, err := sorted.NextFrom(from)
		if errors.Is(err, io.EOF) {
			break
		}
		l.check(err)
		from = b.Rows - min(random.IntN(5), b.Rows-1)
		if b.First+int64(b.Rows) == b.Of {
			from = b.Rows
		}
		for i := range from {
			var row trace.OpEvent
			trace.OpEvents.Row(b, i, s.intern, &row)
			got = append(got, row)
			at := sorted.origins[i]
			if want := steps[int(at.row)+5000*int(at.file)]; want.Stamp != row.Stamp {
				t.Fatalf("row %d of file %d is said to be %+v, and is %+v", at.row, at.file, row.Stamp, want.Stamp)
			}
		}
	}
	slices.SortFunc(steps, func(a, b trace.OpEvent) int { return int(a.Seq - b.Seq) })
	if diff := cmp.Diff(steps, got); diff != "" {
		t.Error(diff)
	}
}

// TestWhetherFilesAreInOrder: an instant in any order needs no sorting, as far as a batch has it.
func TestWhetherFilesAreInOrder(t *testing.T) {
	for name, c := range map[string]struct {
		files [][]trace.Heartbeat
		want  bool
	}{
		"in order":                   {[][]trace.Heartbeat{beatsAt(1, 2, 3), beatsAt(4, 5)}, true},
		"files the other way round":  {[][]trace.Heartbeat{beatsAt(4, 5), beatsAt(1, 2, 3)}, false},
		"files that overlap":         {[][]trace.Heartbeat{beatsAt(1, 4), beatsAt(3, 5)}, false},
		"files of one instant":       {[][]trace.Heartbeat{instant(0, 5), instant(5, 9)}, true},
		"files of one instant, back": {[][]trace.Heartbeat{instant(5, 9), instant(0, 5)}, false},
	} {
		dir := t.TempDir()
		var files []string
		for i, rows := range c.files {
			file := fmt.Sprintf("heartbeats-%03d.parquet", i)
			put(t, dir, file, trace.Heartbeats, rows...)
			files = append(files, dir+"/"+file)
		}
		if got, err := parquetlog.InOrder(&trace.Heartbeats.Table, files, 0); got != c.want || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func beatsAt(seconds ...float64) (beats []trace.Heartbeat) {
	for _, at := range seconds {
		beats = append(beats, trace.Heartbeat{Stamp: stamp(int64(at))})
	}
	return beats
}

func instant(from, to int64) (beats []trace.Heartbeat) {
	for seq := from; seq < to; seq++ {
		beats = append(beats, trace.Heartbeat{Stamp: trace.Stamp{Time: second(1), Seq: seq}})
	}
	return beats
}
