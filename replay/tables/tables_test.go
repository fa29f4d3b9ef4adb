package tables

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables/tablestest"
)

var update = flag.Bool("update", false, "rewrite README.md")

// TestReference keeps README.md equal to the declarations.
func TestReference(t *testing.T) {
	if *update {
		if err := os.WriteFile("README.md", []byte(Reference()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != Reference() {
		t.Error("README.md is not what the declarations say: run go generate ./replay/tables")
	}
}

// TestColumnsAreExplained fails for a column without a name or a sentence, and
// for a number without a unit.
func TestColumnsAreExplained(t *testing.T) {
	for _, table := range All() {
		seen := map[string]bool{}
		for _, c := range table.Columns {
			if why := unexplained(c); why != "" {
				t.Errorf("%s.%s %s", table.Name, c.Name, why)
			}
			if seen[c.Name] {
				t.Errorf("%s.%s stands twice", table.Name, c.Name)
			}
			seen[c.Name] = true
		}
	}
	planted := Column{Name: "x", Sentence: "a number", Type: arrow.PrimitiveTypes.Int64}
	if unexplained(planted) == "" {
		t.Error("a number without a unit goes unnoticed")
	}
}

func unexplained(c Column) string {
	switch {
	case c.Name == "" || strings.ToLower(c.Name) != c.Name:
		return "has no snake_case name"
	case c.Sentence == "":
		return "has no sentence"
	case c.Unit == "" && arrow.IsPrimitive(c.Type.ID()) && c.Type.ID() != arrow.BOOL:
		return "is a number without a unit"
	}
	return ""
}

var testDimensions = &core.Dimensions{
	Operations: []core.OperationInfo{{ID: "op-0"}, {ID: "op-1"}},
	Pools:      []core.PoolInfo{{Tree: "t", Name: "prod"}},
	Nodes:      []string{"n0"},
}

// TestRoundTrip writes rows of every shape over several batches and reads them
// back by column.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	d := NewDictionaries(testDimensions)
	defer d.Release()
	w, err := NewWriter[Job](dir, "a/b", d)
	if err != nil {
		t.Fatal(err)
	}
	const n = 2*batchRows + 5
	for i := range n {
		row := Job{
			Job: "job", JobIx: core.JobID(i), Operation: core.OperationID(i % 2), Pool: core.RootPool,
			StartTime: core.Time(i), Resources: resource.Vector{1, 250, 0, int64(i), 0},
		}
		if i%3 == 0 {
			row.Node = core.Some(core.NodeID(0))
			row.EndTime = core.Some(core.Time(i + 1))
			row.End = core.EndPreempted
		}
		if i%5 == 0 {
			row.Pool, row.OvertookFits = 0, core.Some(i%10 == 0)
		}
		if err := w.Append(&row); err != nil {
			t.Fatal(err)
		}
	}
	file, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	if file.Path != "tables/jobs/tree=a%2Fb.arrow" || file.Rows != n || len(file.SHA256) != 64 {
		t.Errorf("file = %+v", file)
	}
	records := tablestest.Read(t, filepath.Join(dir, "jobs", "tree=a%2Fb.arrow"))
	if len(records) != 3 || records[0].NumRows() != batchRows {
		t.Fatalf("%d batches, the first of %d rows", len(records), records[0].NumRows())
	}
	at := 0
	for _, r := range records {
		text := func(name string, row int) string { return r.Column(r.Schema().FieldIndices(name)[0]).ValueStr(row) }
		for row := range int(r.NumRows()) {
			want := map[string]string{
				"tree": "a/b", "job": "job", "operation": []string{"op-0", "op-1"}[at%2], "pool": "<Root>",
				"node": "(null)", "end_kind": "unknown", "end_time": "(null)", "overtook_fits": "(null)",
				"resources_cpu": "2.5", "resources_user_slots": "1",
			}
			if at%3 == 0 {
				want["node"], want["end_kind"] = "n0", "preempted"
				delete(want, "end_time")
			}
			if at%5 == 0 {
				want["pool"] = "prod"
				want["overtook_fits"] = map[bool]string{true: "true", false: "false"}[at%10 == 0]
			}
			for name, w := range want {
				if got := text(name, row); got != w {
					t.Fatalf("row %d: %s = %s, want %s", at, name, got, w)
				}
			}
			at++
		}
	}
	if at != n {
		t.Errorf("read %d rows, want %d", at, n)
	}
}

// TestEmptyTable is a file all the same: the table exists without rows. It holds no batch,
// since polars panics at a compressed one without rows.
func TestEmptyTable(t *testing.T) {
	dir := t.TempDir()
	d := NewDictionaries(testDimensions)
	defer d.Release()
	w, err := NewWriter[Problem](dir, "t", d)
	if err != nil {
		t.Fatal(err)
	}
	if file, err := w.Close(); err != nil || file.Rows != 0 {
		t.Fatalf("%+v, %v", file, err)
	}
	if batches := tablestest.Read(t, filepath.Join(dir, "problems", "tree=t.arrow")); len(batches) != 0 {
		t.Errorf("%d batches", len(batches))
	}
}

// TestHolds: a column is held by an extract that chooses it, and by all of the table; one that the
// table does not have is a mistake.
func TestHolds(t *testing.T) {
	pool := Extract(func(t *Table, column int) bool { return t.Columns[column].Name == "pool" })
	if !Holds[Job](nil, "operation") || Holds[Job](pool, "operation") || !Holds[Job](pool, "operation", "pool") {
		t.Error("an extract holds something else than it chooses")
	}
	defer func() {
		if recover() == nil {
			t.Error("a column that no table has is asked for")
		}
	}()
	Holds[Job](pool, "pol")
}

// TestExtract holds the columns that are chosen, as they are in the whole table, and has no digest.
func TestExtract(t *testing.T) {
	d := NewDictionaries(testDimensions)
	defer d.Release()
	written := func(e Extract) (File, []arrow.Record) {
		d.Extract = e
		dir := t.TempDir()
		w, err := NewWriter[Job](dir, "t", d)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			if err := w.Append(&Job{Job: strings.Repeat("job", i), Operation: core.OperationID(i % 2), StartTime: core.Time(i)}); err != nil {
				t.Fatal(err)
			}
		}
		file, err := w.Close()
		if err != nil {
			t.Fatal(err)
		}
		return file, tablestest.Read(t, filepath.Join(dir, "jobs", "tree=t.arrow"))
	}
	names := []string{"job", "operation", "start_time"}
	_, whole := written(nil)
	file, some := written(func(t *Table, column int) bool {
		return t.Name == "jobs" && slices.Contains(names, t.Columns[column].Name)
	})
	if file.Rows != 10 || file.SHA256 != "" || len(some) != 1 || some[0].NumCols() != 3 {
		t.Fatalf("%+v with %v", file, some)
	}
	for i, name := range names {
		if own := whole[0].Column(whole[0].Schema().FieldIndices(name)[0]); some[0].ColumnName(i) != name || !array.Equal(some[0].Column(i), own) {
			t.Errorf("column %s is %v, of the whole table %v", name, some[0].Column(i), own)
		}
	}
}

// TestAbortLeavesNothing: a file given up is gone.
func TestAbortLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	d := NewDictionaries(testDimensions)
	defer d.Release()
	w, err := NewWriter[Problem](dir, "t", d)
	if err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if files, _ := filepath.Glob(filepath.Join(dir, "problems", "*")); len(files) != 0 {
		t.Errorf("%v is left", files)
	}
}

// TestMuchText ends batches early, so that no offset of a text overflows.
func TestMuchText(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run[1]")
	d := NewDictionaries(testDimensions)
	defer d.Release()
	w, err := NewWriter[LimitEpisode](filepath.Join(dir, Directory), "t", d)
	if err != nil {
		t.Fatal(err)
	}
	jobs := strings.Repeat("x", 1<<20)
	const n = 150
	for range n {
		if err := w.Append(&LimitEpisode{Jobs: jobs}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	records, rows := tablestest.Read(t, filepath.Join(dir, Directory, FileName("limit_episodes", "t"))), int64(0)
	for _, r := range records {
		rows += r.NumRows()
	}
	if len(records) != 3 || rows != n {
		t.Errorf("%d rows in %d batches", rows, len(records))
	}
}

func interval(i int) *PoolInterval {
	return &PoolInterval{
		Pool: 0, Interval: Interval{FromTime: core.Time(i), ToTime: core.Time(i + 60), UsageRatio: math.Sqrt(float64(i))},
		MaxRunning: core.Some(int64(8)),
	}
}

// BenchmarkAppend measures rows per second into a file, and that a row
// allocates nothing.
func BenchmarkAppend(b *testing.B) {
	b.Run("table=pool_intervals", func(b *testing.B) {
		d := NewDictionaries(testDimensions)
		defer d.Release()
		w, err := NewWriter[PoolInterval](b.TempDir(), "t", d)
		if err != nil {
			b.Fatal(err)
		}
		defer w.Abort()
		row := interval(1)
		b.ReportAllocs()
		for b.Loop() {
			row.FromTime += 60
			if err := w.Append(row); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}

// TestFilesHoldTheirOwnWords: a file of one batch holds the words that its rows use, in
// the order of the run's, whatever other trees have; one of several holds all of them.
func TestFilesHoldTheirOwnWords(t *testing.T) {
	dims := &core.Dimensions{Operations: make([]core.OperationInfo, 50_000), Nodes: []string{"n0"}, Pools: []core.PoolInfo{{Tree: "t", Name: "prod"}}}
	for i := range dims.Operations {
		dims.Operations[i].ID = fmt.Sprintf("operation-%d", i)
	}
	dir := t.TempDir()
	d := NewDictionaries(dims)
	defer d.Release()
	write := func(tree string, operations ...core.OperationID) File {
		w, err := NewWriter[Job](dir, tree, d)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range operations {
			row := Job{Job: "job", JobIx: core.JobID(i), Operation: o, Pool: core.RootPool}
			if i%2 == 1 {
				row.Node = core.Some(core.NodeID(0))
			}
			if err := w.Append(&row); err != nil {
				t.Fatal(err)
			}
		}
		f, err := w.Close()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	long := make([]core.OperationID, batchRows+1)
	long[0] = 49_999
	for _, c := range []struct {
		tree, words, column string
		count               int
		operations          []core.OperationID
	}{
		{"some", "operation-7 operation-9 operation-41", "operation-41 operation-7 operation-41 operation-9", 3, []core.OperationID{41, 7, 41, 9}},
		{"long", "", "operation-49999 operation-0", 50_000, long},
	} {
		file := write(c.tree, c.operations...)
		records := tablestest.Read(t, filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(file.Path, Directory+"/"))))
		at := records[0].Schema().FieldIndices("operation")[0]
		column := records[0].Column(at).(*array.Dictionary)
		words := column.Dictionary().(*array.String)
		if words.Len() != c.count {
			t.Errorf("%s: %d words, want %d", c.tree, words.Len(), c.count)
		}
		var all, values []string
		for i := range min(words.Len(), 3) {
			all = append(all, words.Value(i))
		}
		if c.words != "" && strings.Join(all, " ") != c.words {
			t.Errorf("%s: words %s, want %s", c.tree, all, c.words)
		}
		for i := range min(column.Len(), len(strings.Fields(c.column))) {
			values = append(values, words.Value(column.GetValueIndex(i)))
		}
		if strings.Join(values, " ") != c.column {
			t.Errorf("%s: values %s, want %s", c.tree, values, c.column)
		}
		node := records[0].Column(records[0].Schema().FieldIndices("node")[0]).(*array.Dictionary)
		for i := range min(node.Len(), 4) {
			if node.IsNull(i) != (i%2 == 0) {
				t.Errorf("%s: row %d has a node: %v", c.tree, i, node.IsValid(i))
			}
		}
	}
}
