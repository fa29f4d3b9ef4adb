package beside

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A recorder takes a failure instead of the test that looks at it.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Fatalf(string, ...any) { r.failed = true; panic(r) }

// fails reports whether do fails the test it is given.
func fails(t *testing.T, do func(testing.TB)) bool {
	r := &recorder{TB: t}
	func() {
		defer func() { _ = recover() }()
		do(r)
	}()
	return r.failed
}

func TestCorpusIsAllFilesOfItsForm(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(Conformance.variable, dir)
	if err := os.Mkdir(filepath.Join(dir, "scheduling"), 0o755); err != nil {
		t.Fatal(err)
	}
	if !fails(t, func(t testing.TB) { Corpus(t, "scheduling") }) {
		t.Error("a folder without a corpus passes")
	}
	for _, name := range []string{"scheduling/kept.jsonl.gz", "scheduling/README.md", "scheduling/another.jsonl.gz"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := slices.Sorted(maps.Keys(maps.Collect(Corpus(t, "scheduling"))))
	if want := []string{"another", "kept"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
}

func TestNamedFolderMustBeThere(t *testing.T) {
	t.Setenv(Cases.variable, filepath.Join(t.TempDir(), "nowhere"))
	if !fails(t, func(t testing.TB) { Scenarios(t, SchedulingScenarios, nil) }) {
		t.Error("a folder that is not there passes")
	}
}
