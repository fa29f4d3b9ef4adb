package whatif

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/exit"
)

// answered runs a command in a folder, which has to end with an exit code, and returns what it
// prints.
func answered(t *testing.T, dir string, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	c := exec.Command("poolproof", args...)
	c.Dir = dir
	var out, complaints bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaints
	_ = c.Run()
	if got := c.ProcessState.ExitCode(); got != code {
		t.Fatalf("%v: exit code %d, want %d: %s%s", args, got, code, complaints.String(), out.String())
	}
	return out.String(), complaints.String()
}

// A toldAnswer is what a program reads of an answer.
type toldAnswer struct {
	Explanations []struct {
		Kind     string
		Heading  []string
		Sections []struct {
			Section  string
			Text     []string
			Facts    []struct{ Name, Text string }
			Rows     []map[string]any
			Commands []struct{ Command string }
		}
	}
}

// section returns the rows of a section.
func (a *toldAnswer) section(t *testing.T, name string) []map[string]any {
	t.Helper()
	for _, s := range a.Explanations[0].Sections {
		if s.Section == name {
			return s.Rows
		}
	}
	t.Fatalf("there is no section %s", name)
	return nil
}

func readAnswer(t *testing.T, text string) (a toldAnswer) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &a); err != nil || len(a.Explanations) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	return a
}

// TestWhatIf: an edit that edits nothing is the control, byte for byte; one that does names its
// option as the cause, its runs are kept, and the number of workers changes no byte of them.
func TestWhatIf(t *testing.T) {
	t.Parallel()
	dir := generatedBeside(t, map[string]string{"none.yaml": "", "edit.yaml": "pools: {research: {weight: 20}}"}, "--preset", "small", "--length", "5m")
	out, _ := answered(t, dir, exit.Kept, "what-if", "trace", "--edit", "none.yaml", "--out", "nothing", "--workers", "2", "--quiet")
	if !strings.Contains(out, "Nothing differs: control and edited hold the same decisions and metrics.") || !strings.Contains(out, "All decisions are the same.") {
		t.Errorf("an empty edit: %s", out)
	}
	same := func(a, b string) bool {
		digest := func(run string) string {
			b, err := os.ReadFile(filepath.Join(dir, run, "manifest.json"))
			if err != nil {
				t.Fatal(err)
			}
			var m struct {
				ResultDigest string `json:"result_digest"`
			}
			if err := json.Unmarshal(b, &m); err != nil || m.ResultDigest == "" {
				t.Fatalf("%s: %v", run, err)
			}
			return m.ResultDigest
		}
		return digest(a) == digest(b)
	}
	if !same("nothing/control", "nothing/edited") {
		t.Error("the tables of an empty edit are not those of the control")
	}
	answer, _ := answered(t, dir, exit.Kept, "what-if", "trace", "--edit", "edit.yaml", "--at", "2025-03-03T08:02:00Z", "--subject", "research", "--output", "json", "--workers", "1", "--out", "out", "--quiet")
	if !same("out/control", "nothing/control") {
		t.Error("the control depends on the number of workers")
	}
	if same("out/edited", "out/control") {
		t.Error("the edit changes nothing")
	}
	if passing, _ := answered(t, dir, exit.Kept, "what-if", "trace", "--edit", "edit.yaml", "--at", "2025-03-03T08:02:00Z", "--subject", "research", "--output", "json", "--workers", "2", "--quiet"); passing != answer {
		t.Errorf("runs that are not kept are answered otherwise:\n%s\nand\n%s", passing, answer)
	}
	a := readAnswer(t, answer)
	if a.Explanations[0].Kind != "what-if" || len(a.section(t, "subject")) == 0 || len(a.section(t, "pools")) == 0 {
		t.Errorf("the answer is %v", a.Explanations[0].Heading)
	}
	// Everyone else is all but the subject.
	isResearch := func(r map[string]any) bool { return r["element"] == "research" && r["tree"] == "physical" }
	if !slices.ContainsFunc(a.section(t, "subject"), isResearch) || slices.ContainsFunc(a.section(t, "pools"), isResearch) {
		t.Errorf("pool research is everyone else: %v", a.section(t, "pools"))
	}
	cause := a.section(t, "first_cause")[0]
	if cause["kind"] != "configuration" || cause["of"] != "pool research" || cause["name"] != "weight" || cause["before"] != "2" || cause["after"] != "20" {
		t.Errorf("the first cause is %v", cause)
	}
	if part := a.section(t, "control")[0]["part"].(float64); part < 0.5 || part > 1 {
		t.Errorf("%v of the usage is the same", part)
	}
	// Neither run is one of the trace.
	for _, run := range []string{"out/control", "out/edited"} {
		_, stderr := answered(t, dir, exit.Usage, "explain", run, "research", "--prove", "trace")
		if want := "run " + run + " was decided by what-if; give a run of the trace itself"; !strings.Contains(stderr, want) {
			t.Errorf("prove of %s: %s", run, stderr)
		}
	}
	// What is kept says what it holds.
	if out, _ = answered(t, dir, exit.Kept, "query", "out/edited", "SELECT count(comment) > 0 FROM duckdb_columns() WHERE table_name = 'jobs'", "--output", "csv"); !strings.Contains(out, "true") {
		t.Errorf("the columns of a kept run have no comments: %s", out)
	}
	// The same by compare, of the runs that were kept.
	out, _ = answered(t, dir, exit.Kept, "compare", "out/control", "out/edited", "--output", "json")
	if b := readAnswer(t, out); b.Explanations[0].Kind != "comparison" || b.section(t, "first_cause")[0]["of"] != "pool research" {
		t.Errorf("compare says %v", b.Explanations[0].Heading)
	}
}

// TestWhatIfRefuses: what is wrong is said before anything is decided, and nothing is left behind.
func TestWhatIfRefuses(t *testing.T) {
	t.Parallel()
	spec := strings.NewReplacer("{a: {}, b: {}}", "{research: {}, prod: {pools: {etl: {}}}}", "pool: a", "pool: research").Replace(limited)
	dir := limitedTrace(t, spec, map[string]string{"edit.yaml": "pools: {reserch: {weight: 20}}", "good.yaml": "pools: {research: {weight: 20}}", "fifo.yaml": "pools: {prod: {mode: fifo}}",
		"grid.yaml": "vary: {pools.prod.mode: [fair_share, fifo]}\nmeasure: [jobs of prod]"})
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{exit.Usage, []string{"trace"}, "--edit FILE is missing"},
		{exit.BadInput, []string{"trace", "--edit", "edit.yaml"}, `edit.yaml:1: the trace configures no pool "reserch"; did you mean "research"?`},
		{exit.BadInput, []string{"trace", "--edit", "fifo.yaml"}, "fifo.yaml:1: the scheduler refuses the configuration with these edits, from 2025-03-03T08:00:00Z on: CFG-02: tree main: pool etl: a FIFO pool cannot have child pools (its parent prod is one)"},
		{exit.Usage, []string{"trace", "--edit", "good.yaml", "--at", "noon"}, `invalid time "noon" in --at`},
		{exit.Usage, []string{"trace", "--edit", "good.yaml", "--output", "perfetto"}, "text, markdown, json, html"},
		{exit.BadInput, []string{"trace", "--edit", "good.yaml", "--at", "2026-01-01T00:00:00Z"}, "are after the end of the window"},
		{exit.Usage, []string{"trace", "--edit", "good.yaml", "--subject", "reserch"}, `the runs have no tree, pool or operation "reserch"; did you mean "research"?`},
		{exit.Usage, []string{"trace", "--edit", "good.yaml", "--output", "csv"}, `--output "csv" is unknown`},
		{exit.Usage, []string{"trace", "--edit", "good.yaml", "--tree", "mian"}, `the trace has no tree "mian"`},
	} {
		if _, stderr := answered(t, dir, c.code, append([]string{"what-if", "--out", "out"}, c.args...)...); !strings.Contains(stderr, c.want) || strings.Contains(stderr, "Deciding") {
			t.Errorf("%v: %s", c.args, stderr)
		}
	}
	// Of several edits the others are tried.
	out, _ := answered(t, dir, exit.Kept, "what-if", "trace", "--grid", "grid.yaml", "--output", "json", "--quiet")
	a := readAnswer(t, out)
	rows := a.section(t, "trials")
	if refused := fmt.Sprint(rows[2]["refused"]); rows[1]["refused"] != "" && rows[1]["refused"] != nil || !strings.Contains(refused, "pool etl: a FIFO pool cannot have child pools") || rows[2]["jobs of prod"] != nil {
		t.Errorf("a grid with an edit that is refused: %v", rows)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*out*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind are %v, %v", left, err)
	}
}

// limited is a cluster in which one operation of twelve jobs of a core and a minute has five
// minutes. It ends in them if three of its jobs run at a time, and not if two do.
const limited = `
cluster: limited
start: 2025-03-03T08:00:00Z
length: 5m
trees: {main: {nodes_filter: cpu, pools: {a: {}, b: {}}}}
nodes: [{name: n, count: 2, tags: [cpu], resources: {user_slots: 8, cpu: 8, memory: 64GiB}}]
operations: [{name: twelve, at: 1s, user: anna, pool: a, trees: [main], tasks: [{jobs: [12, 12], resources: {cpu: 1}, seconds: [60, 0]}]}]
`

// limitedTrace generates what a description says as trace in a folder, with files beside it.
func limitedTrace(t *testing.T, spec string, files map[string]string) (dir string) {
	t.Helper()
	all := map[string]string{"spec.yaml": spec}
	maps.Copy(all, files)
	return generatedBeside(t, all, "--spec", "spec.yaml")
}

// generatedBeside generates trace in a folder of files.
func generatedBeside(t *testing.T, files map[string]string, args ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	answered(t, dir, exit.Kept, append([]string{"generate", "--out", "trace", "--quiet"}, args...)...)
	return dir
}

// TestWhatIfFinds: the limit that lets an operation end in time is found, from below and from
// above; a range without one has none.
func TestWhatIfFinds(t *testing.T) {
	t.Parallel()
	dir := limitedTrace(t, limited, nil)
	for _, c := range []struct{ find, until, want string }{
		{"pools.a.resource_limits.cpu=1..4", "completed of a >= 1", "pools.a.resource_limits.cpu = 3 is the first value found from 1 on that has completed of a >= 1, in steps of 1."},
		{"pools.a.resource_limits.cpu=4..1", "completed of a < 1", "pools.a.resource_limits.cpu = 2 is the first value found from 4 on that has completed of a < 1, in steps of 1."},
		{"pools.a.resource_limits.cpu=4..6", "completed of a >= 1", "pools.a.resource_limits.cpu = 4, where the range begins, has completed of a >= 1 already."},
		{"pools.b.weight=1..3", "completed of a >= 2", "Not found: of 3 values tried from 1 to 3 none has completed of a >= 2."},
	} {
		out, _ := answered(t, dir, exit.Kept, "what-if", "trace", "--find", c.find, "--until", c.until, "--quiet", "--output", "json")
		if a := readAnswer(t, out); a.Explanations[0].Heading[1] != c.want {
			t.Errorf("%s until %s: %s", c.find, c.until, a.Explanations[0].Heading)
		}
	}
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{exit.Usage, []string{"--find", "pools.a.weight=1..3"}, "belong together"},
		{exit.Usage, []string{"--find", "pools.a.weight", "--until", "wait of a < 1"}, "write it as pools.prod.weight=1..10"},
		{exit.Usage, []string{"--find", "pools.a.weight=1..3", "--step", "5", "--until", "wait of a < 1"}, "--step 5 does not divide"},
		{exit.BadInput, []string{"--find", "pools.a.weight=1..3", "--until", "wait of a"}, "invalid condition"},
		{exit.BadInput, []string{"--find", "pools.a.weight=1..3", "--until", "weight of a < 1"}, `unknown metric "weight"`},
		{exit.BadInput, []string{"--find", "pools.a.weight=1..3", "--until", "wait of c < 1"}, `the run has no tree, pool or operation "c"`},
		{exit.BadInput, []string{"--find", "pools.a.wieght=1..3", "--until", "wait of a < 1"}, "did you mean weight?"},
	} {
		if _, stderr := answered(t, dir, c.code, append([]string{"what-if", "trace", "--quiet"}, c.args...)...); !strings.Contains(stderr, c.want) {
			t.Errorf("%v: %s", c.args, stderr)
		}
	}
}

// TestWhatIfGrid: the table of a grid has the control and every edit, in one order, and is the
// same for any number of workers.
func TestWhatIfGrid(t *testing.T) {
	t.Parallel()
	dir := limitedTrace(t, limited, map[string]string{
		"grid.yaml": "edits: {more: {nodes: {more: {like: n-0}}}, less: {nodes: {n-0: {remove: true}}}}\nvary: {pools.a.resource_limits.cpu: [1, 3]}\nmeasure: [completed of a, wait of main]",
		"bad.yaml":  "edit: {}",
		"none.yaml": "vary: {pools.a.weight: 3}",
	})
	one, _ := answered(t, dir, exit.Kept, "what-if", "trace", "--grid", "grid.yaml", "--workers", "1", "--quiet", "--output", "json")
	two, _ := answered(t, dir, exit.Kept, "what-if", "trace", "--grid", "grid.yaml", "--workers", "2", "--quiet", "--output", "json")
	if one != two {
		t.Error("the table depends on the number of workers")
	}
	var rows []string
	a := readAnswer(t, one)
	for _, r := range a.section(t, "trials") {
		rows = append(rows, fmt.Sprint(r["edit"], ": ", r["completed of a"]))
	}
	want := "control: 1\nless, pools.a.resource_limits.cpu = 1: 0\nless, pools.a.resource_limits.cpu = 3: 1\nmore, pools.a.resource_limits.cpu = 1: 0\nmore, pools.a.resource_limits.cpu = 3: 1"
	if got := strings.Join(rows, "\n"); got != want {
		t.Errorf("the table is\n%s\nwant\n%s", got, want)
	}
	for file, want := range map[string]string{"bad.yaml": `it has no key "edit"`, "none.yaml": "vary: pools.a.weight must be a list of values"} {
		if _, stderr := answered(t, dir, exit.BadInput, "what-if", "trace", "--grid", file, "--quiet"); !strings.Contains(stderr, want) {
			t.Errorf("%s: %s", file, stderr)
		}
	}
}

// TestWhatIfOfJobsOfUnknownLength: a log without a completed job does not say how long jobs last;
// the answer says for how many operations, and room for them does not complete them at once.
func TestWhatIfOfJobsOfUnknownLength(t *testing.T) {
	t.Parallel()
	dir := limitedTrace(t, strings.Replace(limited, "a: {}", "a: {resource_limits: {cpu: 0}}", 1), map[string]string{
		"edit.yaml": "pools: {a: {resource_limits: {cpu: 100}}}",
	})
	out, _ := answered(t, dir, exit.Kept, "what-if", "trace", "--edit", "edit.yaml", "--subject", "a", "--quiet", "--output", "json")
	a := readAnswer(t, out)
	want := "The log records no completed job: the unfinished jobs of 1 operation are assumed to last to the end of the window."
	if !slices.Contains(a.Explanations[0].Heading, want) {
		t.Errorf("the heading is %q", a.Explanations[0].Heading)
	}
	for _, r := range a.section(t, "subject") {
		if r["metric"] == "completed" && r["after"] != 0.0 {
			t.Errorf("of the operation it says %v", r)
		}
	}
}
