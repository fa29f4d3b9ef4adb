package parquetlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"poolproof/core"
)

// A sampleRow has every type, required and nullable, and a group of each kind.
type sampleRow struct {
	Time  core.Time `col:"time" doc:"when"`
	Seq   int64     `col:"seq" enc:"delta" doc:"order"`
	Small int32     `col:"small" doc:"a number that repeats"`
	Mixed int64     `col:"mixed" enc:"dict" doc:"a number that stops repeating"`
	Share float64   `col:"share" doc:"a fraction"`
	Flag  bool      `col:"flag" doc:"yes or no"`
	Word  string    `col:"word" doc:"text that repeats"`
	ID    string    `col:"id" enc:"plain" bloom:"yes" doc:"text that does not"`

	OptTime  core.Optional[core.Time] `col:"opt_time" doc:"when"`
	OptSmall core.Optional[int32]     `col:"opt_small" doc:"a number that repeats"`
	OptMixed core.Optional[int64]     `col:"opt_mixed" enc:"dict" doc:"a number"`
	OptShare core.Optional[float64]   `col:"opt_share" doc:"a fraction"`
	OptFlag  core.Optional[bool]      `col:"opt_flag" doc:"yes or no"`
	OptWord  core.Optional[string]    `col:"opt_word" doc:"text that repeats"`
	OptID    core.Optional[string]    `col:"opt_id" enc:"plain" doc:"text that does not"`

	Pair    samplePair                `col:"pair" doc:"a group"`
	OptPair core.Optional[samplePair] `col:"opt_pair" doc:"a group that may be missing"`
}

type samplePair struct {
	A int64 `col:"a" enc:"dict" doc:"one"`
	B int32 `col:"b" doc:"the other"`
}

var sample = Declare[sampleRow]("sample", "One row per row.")

// nullPattern says of row i whether its optional fields are set.
type nullPattern struct {
	name string
	set  func(i int) bool
}

var nullPatterns = []nullPattern{
	{"none", func(int) bool { return true }},
	{"all", func(int) bool { return false }},
	{"every other", func(i int) bool { return i%2 == 0 }},
	{"long runs", func(i int) bool { return i/3000%2 == 0 }},
	{"random", func(i int) bool { return rand.New(rand.NewPCG(uint64(i), 1)).IntN(3) == 0 }},
}

func sampleRows(n int, set func(int) bool) []sampleRow {
	r := rand.New(rand.NewPCG(1, 2))
	rows := make([]sampleRow, n)
	for i := range rows {
		s := set(i)
		mixed := int64(i % 7)
		if i > n/2 {
			mixed = r.Int64()
		}
		rows[i] = sampleRow{
			Time: core.Time(1_600_000_000_000_000 + i*1000), Seq: int64(i), Small: int32(r.IntN(50)), Mixed: mixed,
			Share: r.Float64(), Flag: r.IntN(2) == 0, Word: fmt.Sprint("word", r.IntN(20)), ID: fmt.Sprintf("id-%d-%x", i, r.Uint32()),
			Pair: samplePair{int64(r.IntN(5)), int32(i)},
		}
		if s {
			rows[i].OptTime, rows[i].OptSmall = core.Some(core.Time(i)), core.Some(int32(r.IntN(9)))
			rows[i].OptMixed, rows[i].OptShare = core.Some(mixed), core.Some(r.Float64())
			rows[i].OptFlag, rows[i].OptWord = core.Some(r.IntN(2) == 0), core.Some(fmt.Sprint("w", r.IntN(9)))
			rows[i].OptID = core.Some(fmt.Sprint("x", r.Uint64()))
			rows[i].OptPair = core.Some(samplePair{int64(i), 3})
		}
	}
	return rows
}

func write(t testing.TB, rows []sampleRow, o Options) []byte {
	t.Helper()
	var out bytes.Buffer
	w := newWriter(sample, &out, o)
	for i := range rows {
		if err := w.Add(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func read(name string, b []byte) ([]sampleRow, error) {
	in := NewInterner(0)
	r, err := newReader(&sample.Table, name, bytes.NewReader(b), int64(len(b)), ReadOptions{Interner: in})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var rows []sampleRow
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range b.Rows {
			var row sampleRow
			sample.Row(b, i, in, &row)
			rows = append(rows, row)
		}
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for _, p := range nullPatterns {
		for _, o := range []Options{{}, {RowGroupRows: 1000}, {RowGroupRows: 4096}, {PageBytes: 512}, {RowGroupRows: 7777, PageBytes: 3000}} {
			t.Run(fmt.Sprintf("nulls=%s/%+v", p.name, o), func(t *testing.T) {
				rows := sampleRows(20_000, p.set)
				got, err := read("f", write(t, rows, o))
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(rows, got) {
					t.Errorf("rows differ:\n%.2000s", cmp.Diff(rows, got))
				}
			})
		}
	}
}

// A dictionary that outgrows its limit leaves dictionary pages and plain pages
// in one chunk.
func TestDictionaryAndPlainPagesInOneChunk(t *testing.T) {
	rows := sampleRows(300_000, nullPatterns[4].set)
	b := write(t, rows, Options{PageBytes: 1 << 16})
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[bool]int{}
	pages := f.RowGroups()[0].ColumnChunks()[sample.Column("mixed")].Pages()
	for {
		p, err := pages.ReadPage()
		if err != nil {
			break
		}
		kinds[p.Dictionary() != nil]++
	}
	if kinds[true] == 0 || kinds[false] == 0 {
		t.Fatalf("the chunk has %d dictionary pages and %d plain ones", kinds[true], kinds[false])
	}
	got, err := read("f", b)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rows, got) {
		t.Error("rows differ")
	}
}

func TestEqualRowsMakeEqualBytes(t *testing.T) {
	rows := sampleRows(5000, nullPatterns[4].set)
	if !bytes.Equal(write(t, rows, Options{}), write(t, rows, Options{})) {
		t.Error("two files of the same rows differ")
	}
}

func TestBatchesDoNotFollowRowGroups(t *testing.T) {
	b := write(t, sampleRows(10_000, nullPatterns[0].set), Options{RowGroupRows: 999})
	r, err := newReader(&sample.Table, "f", bytes.NewReader(b), int64(len(b)), ReadOptions{Columns: []string{"seq"}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var sizes []int
	for {
		b, err := r.Next()
		if err != nil {
			break
		}
		if b.Columns[sample.Column("time")].Int64s != nil {
			t.Fatal("a column was read that nobody wanted")
		}
		sizes = append(sizes, b.Rows)
	}
	if diff := cmp.Diff([]int{4096, 4096, 1808}, sizes); diff != "" {
		t.Error(diff)
	}
}

// A batch that begins with rows of the last one holds them as they were, in every column.
func TestRowsAreKeptForTheNextBatch(t *testing.T) {
	for _, nulls := range nullPatterns {
		t.Run(nulls.name, func(t *testing.T) {
			want := sampleRows(9000, nulls.set)
			b := write(t, want, Options{RowGroupRows: 1000})
			in := NewInterner(0)
			r, err := newReader(&sample.Table, "f", bytes.NewReader(b), int64(len(b)), ReadOptions{Interner: in, Rows: 64})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			next := rand.New(rand.NewPCG(3, 4))
			from, done, kept := 0, int64(0), 0
			for {
				batch, err := r.NextFrom(from)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if batch.First != done || batch.Of != int64(len(want)) {
					t.Fatalf("the batch begins with row %d of %d, want %d of %d", batch.First, batch.Of, done, len(want))
				}
				from = batch.Rows
				if end := int(batch.First) + batch.Rows; end < len(want) {
					from = 1 + next.IntN(batch.Rows)
				}
				for i := range batch.Rows {
					var got sampleRow
					sample.Row(batch, i, in, &got)
					if diff := cmp.Diff(want[int(batch.First)+i], got); diff != "" {
						t.Fatalf("row %d: %s", int(batch.First)+i, diff)
					}
				}
				done, kept = done+int64(from), kept+batch.Rows-from
			}
			if done != int64(len(want)) || kept < 1000 {
				t.Errorf("%d rows of %d are read, %d of them twice", done, len(want), kept)
			}
		})
	}
}

func TestRowGroupsAfterTheWindowAreNotRead(t *testing.T) {
	b := write(t, sampleRows(10_000, nullPatterns[0].set), Options{RowGroupRows: 1000})
	// Row 2500 stands at that time; its row group is the last one needed.
	r, err := newReader(&sample.Table, "f", bytes.NewReader(b), int64(len(b)), ReadOptions{Before: 1_600_000_000_000_000 + 2500*1000})
	if err != nil {
		t.Fatal(err)
	}
	if r.Rows() != 3000 {
		t.Errorf("%d rows are read, want 3000", r.Rows())
	}
}

func TestAFileOfNoBytesHasNoRows(t *testing.T) {
	rows, err := read("f", nil)
	if err != nil || len(rows) != 0 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestAFileWithoutRowsHasNoRows(t *testing.T) {
	rows, err := read("f", write(t, nil, Options{}))
	if err != nil || len(rows) != 0 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestCreateLeavesNothingHalfMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	w, err := Create(sample, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file has its name before it is whole")
	}
	w.Abort()
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestNothingIsAllocatedPerRow reads many rows with the allocations of few.
func TestNothingIsAllocatedPerRow(t *testing.T) {
	b := write(t, sampleRows(200_000, nullPatterns[4].set), Options{})
	allocations := testing.AllocsPerRun(1, func() {
		r, err := newReader(&sample.Table, "f", bytes.NewReader(b), int64(len(b)), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := r.Next(); err != nil {
				break
			}
		}
		r.Close()
	})
	if allocations > 4000 {
		t.Errorf("%v allocations for 200,000 rows of %d columns", allocations, len(sample.Columns))
	}
}
