package trace

import (
	"errors"
	"io/fs"
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
		if err := tree.Add(&Job{Stamp: Stamp{core.Time(i), tree.NextSeq()}, ID: "j", EndKind: "completed"}); err != nil {
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
	if got := m.Tables[TableKey("tree=a%2Fb", "jobs")]; got != (Extent{3, 0, 2}) {
		t.Errorf("manifest counts %+v", got)
	}
	if _, err := Create(dir, Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("an existing output gives %v", err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestRowsOutOfPlaceAreRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		add  func(w *Writer) error
	}{
		{"a time before the last", func(w *Writer) error {
			return errors.Join(w.Tree("t").Add(&Demand{Stamp: Stamp{2, 1}}), w.Tree("t").Add(&Demand{Stamp: Stamp{1, 2}}))
		}},
		{"a seq that is taken", func(w *Writer) error {
			return errors.Join(w.Tree("t").Add(&Demand{Stamp: Stamp{2, 1}}), w.Tree("t").Add(&Demand{Stamp: Stamp{2, 1}}))
		}},
		{"a number left out", func(w *Writer) error { return errors.Join(w.Add(&Node{Node: 0}), w.Add(&Node{Node: 2})) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			parent := t.TempDir()
			w, err := Create(filepath.Join(parent, "trace"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.add(w); err == nil {
				t.Error("the row is taken")
			}
			w.Abort()
			if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

func TestATraceIsReplacedOnlyOnRequestAndNothingElseIs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trace")
	write := func(cluster string, o Options) error {
		w, err := Create(dir, o)
		if err != nil {
			return err
		}
		defer w.Abort()
		return w.Commit(Manifest{Cluster: cluster})
	}
	if err := write("first", Options{}); err != nil {
		t.Fatal(err)
	}
	if err := write("second", Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error is %v", err)
	}
	if err := write("second", Options{Replace: true}); err != nil {
		t.Fatal(err)
	}
	if m, err := ReadManifest(dir); err != nil || m.Cluster != "second" {
		t.Errorf("manifest %+v, %v", m, err)
	}
	home := t.TempDir()
	if _, err := Create(home, Options{Replace: true}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a directory that is no trace gives %v", err)
	}
}

func TestAFailureLeavesNothingBehind(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "trace")
	w, err := Create(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(&Node{}); err != nil {
		t.Fatal(err)
	}
	// The folder of dim/ vanishes under the writer, as a full disk would stop it.
	if err := os.RemoveAll(w.dir.Path); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(Manifest{}); err == nil {
		t.Error("a trace without a place is committed")
	}
	w.Abort()
	if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
