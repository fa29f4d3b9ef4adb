package env

import (
	"testing"

	"poolproof/core"
	"poolproof/replay/tables"
)

// What the lane cannot write ends the output, while rows are added still.
func TestAnErrorOfTheLaneSticks(t *testing.T) {
	d := tables.NewDictionaries(&core.Dimensions{})
	defer d.Release()
	out := NewOutput(t.TempDir(), "a", d)
	defer out.Stop()
	rows := Open[tables.Problem](out)
	rows.writer.Abort()
	const most = 1 << 20 // many batches
	added := 0
	for ; added < most && out.Err == nil; added++ {
		rows.Add(&tables.Problem{Source: "core", Row: -1, Code: "refused_update"})
	}
	if added == most {
		t.Fatalf("%d rows were added", added)
	}
	if _, err := out.Close(); err != out.Err || err == nil {
		t.Errorf("closed with %v", err)
	}
}

// Rows of one table stay in their order, those of the last sheet among them.
func TestEveryRowIsWritten(t *testing.T) {
	d := tables.NewDictionaries(&core.Dimensions{})
	defer d.Release()
	for _, n := range []int64{0, 1, sheetRows, sheetRows + 1, 10*sheetRows + 7} {
		out := NewOutput(t.TempDir(), "a", d)
		rows := Open[tables.Problem](out)
		for i := range n {
			rows.Add(&tables.Problem{Source: "core", Row: i})
		}
		files, err := out.Close()
		if err != nil || len(files) != 1 || files[0].Rows != n {
			t.Errorf("of %d rows: %v, %v", n, files, err)
		}
		var all []tables.Problem
		for i := range n {
			all = append(all, tables.Problem{Source: "core", Row: i})
		}
		want, err := WriteTable(t.TempDir(), "a", d, all)
		if err != nil || len(files) == 1 && files[0].SHA256 != want.SHA256 {
			t.Errorf("%d rows are %v, not %v (%v)", n, files, want, err)
		}
	}
}
