package ytsaurus_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"poolproof/ingest/ytsaurus"
)

// A check imports a log of hundreds of rows, once or twice: -rapid.checks asks for more of them.
func init() {
	if err := flag.Set("rapid.checks", "30"); err != nil {
		panic(err)
	}
}

// Whatever the order of the rows, however often they come and however they are cut
// into files, the trace is the same.
func TestOrderChangesNothing(t *testing.T) {
	type wanted struct {
		log
		bundle map[string]string
	}
	var logs []wanted
	for _, age := range ages {
		for _, l := range []log{sampleLog(t, age), writtenLog(t, age)} {
			one := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log.json"), l.rows)}, Exports: []ytsaurus.Export{{Path: l.export}}})
			logs = append(logs, wanted{l, one.bundle(t)})
		}
	}
	spilled := 0
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		l := logs[rapid.IntRange(0, len(logs)-1).Draw(rt, "log")]
		o := arrange(rt, t, filepath.Join(dir, "in"), l.rows)
		o.Exports, o.Out = []ytsaurus.Export{{Path: l.export}}, filepath.Join(dir, "out", "trace")
		if err := os.Mkdir(filepath.Dir(o.Out), 0o777); err != nil {
			t.Fatal(err)
		}
		o.Progress = func(at ytsaurus.Progress) {
			if at.Step == "jobs sorted" {
				runs, _ := filepath.Glob(filepath.Join(dir, "out", ".*", "new", "scratch", "*", "run-*"))
				spilled += min(len(runs), 1)
			}
		}
		got := importLog(t, o)
		if d := difference(l.bundle, got.bundle(t)); d != "" {
			rt.Fatal(d)
		}
	})
	if spilled == 0 {
		t.Error("no import had so little memory that rows went to files")
	}
}

// arrange writes rows in some order, some of them twice, into files and folders of
// any depth, and draws how much memory the import has.
func arrange(rt *rapid.T, t *testing.T, dir string, rows [][]byte) (o ytsaurus.Options) {
	rows = slices.Clone(rows)
	switch rapid.SampledFrom([]string{"as they are", "reversed", "shuffled"}).Draw(rt, "order") {
	case "reversed":
		slices.Reverse(rows)
	case "shuffled":
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	if again := rapid.IntRange(0, 3).Draw(rt, "again"); again > 0 {
		from := rapid.IntRange(0, len(rows)-1).Draw(rt, "from")
		to := rapid.IntRange(from, len(rows)).Draw(rt, "to")
		rows = slices.Insert(rows, rapid.IntRange(0, len(rows)).Draw(rt, "into"), slices.Clone(rows[from:to])...)
	}
	o.Memory = rapid.SampledFrom([]int64{1, 300_000, 1 << 30}).Draw(rt, "memory")
	cuts := rapid.SliceOfN(rapid.IntRange(1, len(rows)-1), 0, 4).Draw(rt, "cuts")
	slices.Sort(cuts)
	cuts = slices.Compact(cuts) // an empty file would be told as one
	from := 0
	for i, to := range append(cuts, len(rows)) {
		folder := rapid.SampledFrom([]string{"a", "b", "b/c"}).Draw(rt, "folder")
		name := fmt.Sprintf("%s/%d.json%s", folder, 9-i, rapid.SampledFrom([]string{"", ".gz", ".zst"}).Draw(rt, "packed"))
		path := writeRows(t, filepath.Join(dir, name), rows[from:to])
		if rapid.IntRange(0, 4).Draw(rt, "copied") == 0 {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			writeText(t, filepath.Join(dir, "copies", fmt.Sprint(i)), b)
		}
		if rapid.Bool().Draw(rt, "named") {
			o.Sources = append(o.Sources, path)
		}
		from = to
	}
	o.Sources = append(o.Sources, dir)
	return o
}

// Standard input is one more source.
func TestStandardInput(t *testing.T) {
	l := sampleLog(t, "2023")
	dir := t.TempDir()
	exports := []ytsaurus.Export{{Path: l.export}}
	want := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(dir, "all.gz"), l.rows)}, Exports: exports})
	half := len(l.rows) / 2
	in, err := os.Open(writeRows(t, filepath.Join(dir, "half"), l.rows[:half]))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer func(was *os.File) { os.Stdin = was }(os.Stdin)
	os.Stdin = in
	got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(dir, "rest"), l.rows[half:]), "-"}, Exports: exports})
	if d := difference(want.bundle(t), got.bundle(t)); d != "" {
		t.Error(d)
	}
	if sources := got.manifest(t).Sources; len(sources) != 3 || sources[0].Path != "-" || sources[0].Rows != int64(half) {
		t.Errorf("sources %v", sources)
	}
}

// Rows that come twice are counted, whatever their kind and the form they stand in.
func TestDuplicatesAreCounted(t *testing.T) {
	l := sampleLog(t, "2025")
	dir := t.TempDir()
	writeRows(t, filepath.Join(dir, "all.gz"), l.rows)
	writeRows(t, filepath.Join(dir, "some"), l.rows[100:300])
	got := importLog(t, ytsaurus.Options{Sources: []string{dir}, Exports: []ytsaurus.Export{{Path: l.export}}})
	m := got.manifest(t)
	if m.Log == nil || m.Log.Rows != int64(len(l.rows)+200) || m.Log.Duplicates != 200 {
		t.Errorf("counts %+v", m.Log)
	}
	if !slices.Contains(got.summary.Notes, "200 rows say word for word what others say; each counts once.") {
		t.Errorf("notes %q", got.summary.Notes)
	}
}
