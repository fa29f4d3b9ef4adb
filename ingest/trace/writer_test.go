package trace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"poolproof/core"
)

func TestTheTraceAppearsWholeOrNotAtAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trace")
	w, err := Create(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	tree := w.Tree("a/b")
	for i := range 3 {
		if err := tree.AddJob(&Job{Stamp: Stamp{core.Time(i), tree.NextSeq()}, ID: "j", EndKind: "completed"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the trace is in place before Commit")
	}
	if err := w.Commit(Manifest{Window: Window{0, 3}}); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	m, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Tables[TableKey("tree=a%2Fb", "jobs")]; got != (Table{3, 0, 2}) {
		t.Errorf("manifest counts %+v", got)
	}
	if _, err := Create(dir, Options{}); !errors.Is(err, ErrExists) {
		t.Errorf("an existing output gives %v", err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
