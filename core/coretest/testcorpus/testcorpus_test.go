package testcorpus

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A recorder takes how a test ends instead of the test that looks at it.
type recorder struct {
	testing.TB
	failed, skipped bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true; panic(r) }
func (r *recorder) Skipf(string, ...any)  { r.skipped = true; panic(r) }

// listen runs do with a test that notes how it ends.
func listen(t *testing.T, do func(testing.TB)) *recorder {
	r := &recorder{TB: t}
	func() {
		defer func() {
			if x := recover(); x != nil && x != any(r) {
				panic(x)
			}
		}()
		do(r)
	}()
	return r
}

// fails reports whether do fails the test it is given.
func fails(t *testing.T, do func(testing.TB)) bool { return listen(t, do).failed }

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
	if !fails(t, func(t testing.TB) { Scenarios(t, SchedulingScenarios, "judge", nil) }) {
		t.Error("a folder that is not there passes")
	}
}

// Without a project and without a name in the environment nothing is found, which
// is a failure where CI is true and skips the test elsewhere.
func TestMaterialIsAbsent(t *testing.T) {
	for _, f := range []Folder{Cases, Conformance, Data} {
		t.Setenv(f.variable, "")
	}
	t.Chdir(t.TempDir())
	use := map[string]func(testing.TB){
		"File":      func(t testing.TB) { File(t, Data, "name") },
		"Corpus":    func(t testing.TB) { Corpus(t, "scheduling") },
		"Scenarios": func(t testing.TB) { Scenarios(t, SchedulingScenarios, "judge", nil) },
	}
	for name, do := range use {
		for ci, want := range map[string]recorder{"true": {failed: true}, "": {skipped: true}} {
			t.Setenv("CI", ci)
			if r := listen(t, do); r.failed != want.failed || r.skipped != want.skipped {
				t.Errorf("%s with CI=%q: failed %v, skipped %v", name, ci, r.failed, r.skipped)
			}
		}
	}
}

// No scenario is passed over: each has a package that works it, and a kind or a
// format without one fails.
func TestEveryScenarioIsWorked(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(Cases.variable, dir)
	for text, want := range map[string]string{
		`{"format": "scheduling-scenarios", "scenarios": [{"kind": "audit"}, {"kind": "update"}]}`: "audit",
		`{"format": "scheduling-scenarios", "scenarios": [{"kind": "audits"}]}`:                    "fails",
		`{"format": "scheduling", "scenarios": [{"kind": "audit"}]}`:                               "fails",
		`{"cases": [{"kind": "update"}]}`:                                                          "",
	} {
		var packed bytes.Buffer
		packer := gzip.NewWriter(&packed)
		packer.Write([]byte(text))
		packer.Close()
		for name, content := range map[string][]byte{"cases.json": []byte(text), "cases.json.gz": packed.Bytes()} {
			path, worked := filepath.Join(dir, name), ""
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
			if fails(t, func(t testing.TB) {
				Scenarios(t, SchedulingScenarios, "judge", func(kind string, _ json.RawMessage) { worked += kind })
			}) {
				worked = "fails"
			}
			if worked != want {
				t.Errorf("%s: %s: %q, want %q", name, text, worked, want)
			}
			os.Remove(path)
		}
	}
}
