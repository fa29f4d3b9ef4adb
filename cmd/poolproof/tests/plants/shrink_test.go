package plants

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest"
	"poolproof/ingest/anonymize"
	"poolproof/ingest/synthetic"
	"poolproof/ingest/trace"
)

// fewOperations is how many operations the smallest example of what is planted has at most.
const fewOperations = 9

// manyOperations are the kinds whose smallest example has more of them, and why.
var manyOperations = map[string]string{}

// TestSweepShrink shrinks traces to what shows the violation that is planted in them.
func TestSweepShrink(t *testing.T) {
	part := sweep.Take(t, 1)
	if part.Sample() {
		t.Skip("its sample is TestShrink")
	}
	var plants []synthetic.Plant
	for i, p := range synthetic.Plants() {
		if part.Has(i) && p.Severity != "none" {
			plants = append(plants, p)
		}
	}
	if len(plants) == 0 {
		t.Skip("no kind of this part is a violation")
	}
	for _, bed := range commandtest.Beds(plants) {
		t.Run(strings.Join(commandtest.KindsOf(bed), " "), func(t *testing.T) { shrinkBed(t, bed) })
	}
}

func shrinkBed(t *testing.T, bed []synthetic.Plant) {
	dir := t.TempDir()
	path, run := filepath.Join(dir, "trace"), filepath.Join(dir, "run")
	s, err := synthetic.Generate(t.Context(), synthetic.Options{Seed: 1, Plants: commandtest.KindsOf(bed), Out: path, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := commandtest.Run(t, "run", path, "--out", run, "--quiet"); code != exit.Violated && code != exit.Kept {
		t.Fatalf("run: exit code %d: %s", code, stderr)
	}
	v, err := audit.ReadVerdict(run)
	if err != nil {
		t.Fatal(err)
	}
	// What is wrong with a name goes with the name.
	if !slices.Contains(commandtest.KindsOf(bed), "bad_pool_name") {
		checkAnonymous(t, path, v)
	}
	for i := range s.Planted {
		p := &s.Planted[i]
		j := slices.IndexFunc(v.Findings, func(f audit.Finding) bool { return inTrees(&f, p) && tells(&f, p) })
		if j < 0 {
			t.Errorf("%s is not found", p.Kind)
			continue
		}
		out := filepath.Join(dir, p.Kind)
		code, stdout, stderr := commandtest.Run(t, "shrink", path, v.Findings[j].ID, "--run", run, "--out", out)
		if code != exit.Kept {
			t.Errorf("%s: exit code %d: %s", p.Kind, code, stderr)
			continue
		}
		checkShrunk(t, p.Kind, out, stdout)
	}
}

// checkAnonymous wants the copy of a trace under other names to be judged as the trace is.
func checkAnonymous(t *testing.T, path string, v *audit.Verdict) {
	t.Helper()
	w, err := trace.Create(path+".anonymous", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	result, to, err := anonymize.Copy(t.Context(), path, []byte("key"), w)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(to); err != nil {
		t.Fatal(err)
	}
	list := func(v *audit.Verdict, name func(string) string, subject func(kind, text string) string) (found []string) {
		for _, f := range v.Findings {
			if strings.Contains(f.Reason, "is explained in words that contradict") {
				continue // explanations are full of names: the copy has none
			}
			found = append(found, fmt.Sprintf("%s %s of %s %s %s in %s from %s to %s", f.Verdict, f.Audit, f.Invariant, f.SubjectKind, subject(f.SubjectKind, f.Subject), name(f.Tree), f.From, f.To))
		}
		slices.Sort(found)
		return found
	}
	want := list(v, result.Name, func(kind, text string) string {
		to, err := result.Subject(kind, text)
		if err != nil {
			t.Fatal(err)
		}
		return to
	})
	got := list(commandtest.VerdictOn(t, path+".anonymous", path+".run", 1), func(tree string) string { return tree }, func(_, text string) string { return text })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("under other names the findings are others (-trace +copy):\n%s", diff)
	}
}

var foundAgain = regexp.MustCompile(`; poolproof explain run ([0-9a-f]{12})\n`)

// checkShrunk wants a trace with few operations whose run has the finding that its README
// tells of.
func checkShrunk(t *testing.T, kind, out, stdout string) {
	t.Helper()
	in, err := ingest.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	n := len(in.Dimensions().Operations)
	t.Logf("%s: %d operations, %d pools, %d nodes, %d trees", kind, n, len(in.Dimensions().Pools), len(in.Dimensions().Nodes), len(in.Trees()))
	if why, many := manyOperations[kind]; many != (n > fewOperations) {
		t.Errorf("%s: %d operations are left; known to need many: %q\n%s", kind, n, why, stdout)
	}
	readme, err := os.ReadFile(filepath.Join(out, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	told := foundAgain.FindSubmatch(readme)
	if told == nil {
		t.Fatalf("%s: README.md does not say how to see the finding:\n%s", kind, readme)
	}
	run := out + ".run"
	if code, _, stderr := commandtest.Run(t, "run", out, "--out", run, "--quiet", "--min-coverage", "0"); code != exit.Violated && code != exit.Kept {
		t.Fatalf("%s: run: exit code %d: %s", kind, code, stderr)
	}
	v, err := audit.ReadVerdict(run)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(v.Findings, func(f audit.Finding) bool { return f.ID == string(told[1]) }) {
		t.Errorf("%s: the run has no finding %s", kind, told[1])
	}
}

// TestShrink shrinks a trace in which a job starts over a limit.
func TestShrink(t *testing.T) {
	dir := commandtest.Made(t, commandtest.StartOverLimit)
	path, run := filepath.Join(dir, "trace"), filepath.Join(dir, "run")
	v, err := audit.ReadVerdict(run)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("anonymously, the same for any number of workers", func(t *testing.T) { shrinkAnonymously(t, path, run, &v.Findings[0]) })
	t.Run("says what it lacks", func(t *testing.T) { shrinkLacking(t, path, run) })
}

// shrinkAnonymously shrinks with a run and without, where the trace is replayed and audited first:
// no name of the trace is in what is given away, it shows the finding still, and the number of
// workers changes nothing.
func shrinkAnonymously(t *testing.T, path, run string, f *audit.Finding) {
	dir := t.TempDir()
	out, again := filepath.Join(dir, "out"), filepath.Join(dir, "again")
	for _, args := range [][]string{
		{"shrink", path, f.Fingerprint, "--out", out, "--workers", "4"},
		{"shrink", path, f.ID, "--run", run, "--out", again, "--workers", "1"},
	} {
		if code, stdout, stderr := commandtest.Run(t, append(args, "--anonymize", "--quiet")...); code != exit.Kept || stdout != "" {
			t.Fatalf("%q: exit code %d: %s%s", args, code, stdout, stderr)
		}
	}
	if many, one := commandtest.Digests(t, out), commandtest.Digests(t, again); !maps.Equal(many, one) {
		t.Errorf("four workers leave %v, one %v", many, one)
	}
	checkShrunk(t, "anonymous", out, "")
	readme, err := os.ReadFile(filepath.Join(out, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	in, err := ingest.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range in.Dimensions().Pools {
		if strings.Contains(string(readme), p.Name) || strings.Contains(string(readme), p.Tree) || strings.Contains(string(readme), f.ID) {
			t.Errorf("README.md names %s or its tree, or the id of the finding in the trace:\n%s", p.Name, readme)
		}
	}
}

func shrinkLacking(t *testing.T, path, run string) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{path, "abc"}, exit.Usage, "--out TRACE is missing"},
		{[]string{path, "no-such", "--run", run, "--out", filepath.Join(dir, "out")}, exit.Usage, `no finding is called "no-such"`},
		{[]string{path, "x", "--run", path, "--out", filepath.Join(dir, "out")}, exit.BadInput, ""},
		{[]string{filepath.Join(dir, "none"), "x", "--out", filepath.Join(dir, "out")}, exit.IO, ""},
		{[]string{path, "x", "--run", run, "--out", filepath.Join(dir, "no", "out")}, exit.IO, "does not exist; create it first"},
	} {
		code, _, stderr := commandtest.Run(t, append([]string{"shrink"}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%q: exit code %d, want %d: %s", c.args, code, c.code, stderr)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
