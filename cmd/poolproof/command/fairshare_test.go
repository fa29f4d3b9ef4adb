package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode"

	"poolproof/cmd/poolproof/exit"
	"poolproof/ingest/treejson"
)

// calculate runs the calculator on lines of input.
func calculate(t *testing.T, input string, flags ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errout bytes.Buffer
	env := &environment{stdin: strings.NewReader(input), stdout: &out, stderr: &errout}
	err := fairShareCommand(context.Background(), env, flags)
	return out.String(), errout.String(), exitCode(context.Background(), err)
}

// twoPools is the worked example of two pools with guarantees, one of which
// has two operations.
const twoPools = `{"id": "two", "total_resource_limits": {"cpu": 100, "user_slots": 100}, "nodes": [
 {"id": "root", "kind": "root"},
 {"id": "a", "kind": "pool", "parent": "root", "strong_guarantee_resources": {"cpu": 60}},
 {"id": "b", "kind": "pool", "parent": "root", "min_share_resources": {"cpu": 20}},
 {"id": "idle", "kind": "pool", "parent": "root", "max_share": 0.25},
 {"id": "queue", "kind": "pool", "parent": "idle", "mode": "fifo"},
 {"id": "x", "kind": "operation", "parent": "a", "resource_demand": {"cpu": 1000}},
 {"id": "y", "kind": "operation", "parent": "b", "resource_demand": {"cpu": 1000}, "weight": 3},
 {"id": "z", "kind": "operation", "parent": "b", "resource_demand": {"cpu": 2}}]}`

// oneLine puts a tree on one line.
func oneLine(tree string) string { return strings.ReplaceAll(tree, "\n", "") + "\n" }

func TestFairShareResults(t *testing.T) {
	out, _, code := calculate(t, oneLine(twoPools))
	if code != exit.Kept {
		t.Fatalf("exit code %d", code)
	}
	var result struct {
		ID, Status string
		Nodes      []struct {
			ID        string
			FairShare struct{ Total []float64 } `json:"fair_share"`
		}
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatal(err)
	}
	if result.ID != "two" || result.Status != "ok" || len(result.Nodes) != 8 {
		t.Fatalf("got %+v", result)
	}
	for i, want := range []float64{1, 0.7, 0.3, 0, 0, 0.7, 0.28, 0.02} {
		if got := result.Nodes[i].FairShare.Total[1]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: fair share %v, want %v", result.Nodes[i].ID, got, want)
		}
	}
}

func TestFairShareReadsLinesOfTheCorpus(t *testing.T) {
	plain, _, _ := calculate(t, oneLine(twoPools))
	wrapped, _, code := calculate(t, `{"family": "x", "input": `+strings.TrimSpace(oneLine(twoPools))+`, "expected": {}}`+"\n")
	if code != exit.Kept || wrapped != plain {
		t.Errorf("code %d, got %s, want %s", code, wrapped, plain)
	}
}

func TestFairShareCompactLeavesZerosOut(t *testing.T) {
	out, _, _ := calculate(t, oneLine(twoPools), "--compact")
	if strings.Contains(out, "usage_share") || strings.Contains(out, "[0,0,0,0,0]") {
		t.Errorf("zeros are written: %s", out)
	}
	full, _, _ := calculate(t, oneLine(twoPools))
	if !strings.Contains(full, `"usage_share":[0,0,0,0,0]`) {
		t.Errorf("zeros are not written: %s", full)
	}
}

func TestFairShareKeepsToTheLines(t *testing.T) {
	input := oneLine(twoPools) + "\n{\"id\": 7, \"nodes\": 1}\n" + "not json\n" + strings.TrimSpace(oneLine(twoPools))
	out, _, code := calculate(t, input)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != exit.BadInput || len(lines) != 4 {
		t.Fatalf("code %d, %d lines", code, len(lines))
	}
	for i, want := range []string{`"id":"two","status":"ok"`, `"id":7,"status":"abort"`, `"id":null,"status":"abort"`, `"id":"two","status":"ok"`} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %s, want %s", i+1, lines[i], want)
		}
	}
	if !strings.Contains(lines[1], `"line":3`) {
		t.Errorf("the line is not named: %s", lines[1])
	}
}

// TestFairShareRefuses replaces a part of a good tree by something bad, and
// expects a message that names it.
func TestFairShareRefuses(t *testing.T) {
	for _, c := range []struct{ what, old, new, message string }{
		{"negative demand", `"cpu": 2}`, `"cpu": -2}`, `node "z": resource_demand: cpu is -2, must not be negative`},
		{"text as a number", `"cpu": 2}`, `"cpu": "two"}`, `node "z": resource_demand: cpu must be a number`},
		{"NaN", `"cpu": 2}`, `"cpu": NaN}`, `node "z": resource_demand: cpu is NaN, must be a finite number`},
		{"infinity", `"weight": 3`, `"weight": -Infinity`, `node "y": weight is -Infinity, must be a finite number`},
		{"infinite slots", `"cpu": 2}`, `"user_slots": Infinity}`, `node "z": resource_demand: user_slots is Infinity, must be a finite number`},
		{"odd numbers beside text that looks like one", `"id": "z"`, `"id": "\"NaN", "weight": NaN`, `weight is NaN, must be a finite number`},
		{"a number too large", `"cpu": 2}`, `"cpu": 1e999}`, `cpu is 1e999, too large`},
		{"a fraction of a slot", `"cpu": 2}`, `"user_slots": 1.5}`, `user_slots is 1.5, must be a whole number`},
		{"an unknown resource", `"cpu": 2}`, `"tpu": 2}`, `"tpu" is not a known resource`},
		{"an unknown field", `"weight": 3`, `"wieght": 3`, `node "y": "wieght" is not a known field`},
		{"a negative weight", `"weight": 3`, `"weight": -3`, `node "y": weight is -3, must not be negative`},
		{"weight zero", `"weight": 3`, `"weight": 0`, `y: weight 0 in a pool that divides by weight`},
		{"a ratio above one", `0.25`, `1.25`, `node "idle": max_share must not exceed 1`},
		{"two of a name", `"id": "z"`, `"id": "y"`, `"y" is given to two nodes`},
		{"no name", `"id": "z", `, ``, `id is missing`},
		{"an unknown parent", `"parent": "a"`, `"parent": "c"`, `node "x": parent "c" is not in the tree`},
		{"an operation as parent", `"parent": "a"`, `"parent": "z"`, `node "x": parent "z" is an operation`},
		{"a cycle", `"id": "idle", "kind": "pool", "parent": "root"`, `"id": "idle", "kind": "pool", "parent": "queue"`, `parents form a cycle`},
		{"an unknown kind", `"kind": "operation", "parent": "a"`, `"kind": "job", "parent": "a"`, `node "x": kind is "job"`},
		{"no root", `"kind": "root"`, `"kind": "pool", "parent": "b"`, `no root`},
		{"two roots", `"kind": "pool", "parent": "root", "max_share"`, `"kind": "root", "max_share"`, `one root`},
		{"a pool in a FIFO pool", `"max_share": 0.25`, `"mode": "fifo"`, `queue: a FIFO pool may hold operations only`},
		{"usage above demand", `"cpu": 2}`, `"cpu": 2}, "resource_usage": {"cpu": 3}`, `z: usage of cpu exceeds demand`},
		{"time running backward", `"nodes"`, `"now_us": 1, "previous_update_time_us": 2, "nodes"`, `previous_update_time_us must lie between`},
		{"no period", `"nodes"`, `"smooth_period_us": 0, "nodes"`, `smooth_period_us must be above 0`},
		{"sums beyond 64 bits", `{"cpu": 2}`, `{"memory": 9000000000000000000}`, `resource_demand of memory adds up to more`},
		{"an unknown mode", `"mode": "fifo"`, `"mode": "lifo"`, `node "queue": mode is "lifo"`},
	} {
		t.Run(c.what, func(t *testing.T) {
			input := strings.Replace(oneLine(twoPools), c.old, c.new, 1)
			if input == oneLine(twoPools) {
				t.Fatal("the tree does not hold what is to be replaced")
			}
			out, _, code := calculate(t, input)
			var result struct {
				Status string
				Errors []struct{ Message string }
			}
			if err := json.Unmarshal([]byte(out), &result); err != nil {
				t.Fatal(err)
			}
			if code != exit.BadInput || result.Status != "abort" || !strings.Contains(result.Errors[0].Message, c.message) {
				t.Errorf("code %d, got %+v, want %q", code, result, c.message)
			}
		})
	}
}

// A tree that somebody wrote over several lines is told of once.
func TestFairShareWantsATreeOnALine(t *testing.T) {
	for _, input := range []string{twoPools, "\n" + twoPools + "\n", strings.ReplaceAll(twoPools, "\n", "\r\n"), twoPools + "\n" + twoPools, "[\n" + twoPools + "]", "{\n\"weight\": NaN}"} {
		var out, errout bytes.Buffer
		env := &environment{stdin: strings.NewReader(input), stdout: &out, stderr: &errout}
		code := execute(context.Background(), env, []string{"fair-share"})
		if want := "poolproof fair-share: one tree per line: write the object on a single line\n"; code != exit.BadInput || out.Len() > 0 || errout.String() != want {
			t.Errorf("code %d, %s%s", code, out.String(), errout.String())
		}
	}
}

// A first line that is cut short does not cost the lines after it.
func TestFairShareReadsOnAfterALineCutShort(t *testing.T) {
	out, _, code := calculate(t, "{\"id\": 1,\n"+oneLine(twoPools)+oneLine(twoPools))
	if code != exit.BadInput || strings.Count(out, `"status":"abort"`) != 1 || strings.Count(out, `"status":"ok"`) != 2 {
		t.Errorf("code %d, %s", code, out)
	}
}

func TestFairShareSaysThatThereWasNoTree(t *testing.T) {
	for _, input := range []string{"", "\n \n"} {
		if out, errout, code := calculate(t, input); code != exit.Kept || out != "" || !strings.Contains(errout, "no tree was read") {
			t.Errorf("code %d, %s%s", code, out, errout)
		}
	}
}

func TestFairShareTimesEveryTree(t *testing.T) {
	_, errout, _ := calculate(t, oneLine(twoPools)+oneLine(twoPools), "--time", "--repeat", "3")
	lines := strings.Split(strings.TrimSpace(errout), "\n")
	for _, line := range lines {
		var took struct {
			ID     string
			Median float64 `json:"median_us"`
			Min    float64 `json:"min_us"`
		}
		if err := json.Unmarshal([]byte(line), &took); err != nil {
			t.Fatal(err)
		}
		if took.ID != "two" || took.Min <= 0 || took.Median < took.Min {
			t.Errorf("got %+v", took)
		}
	}
	if len(lines) != 2 {
		t.Errorf("%d lines, want one per tree", len(lines))
	}
}

func TestFairShareTimingKeepsResults(t *testing.T) {
	tree := strings.Replace(oneLine(twoPools), `"max_share": 0.25`,
		`"integral_guarantees": {"guarantee_type": "relaxed", "resource_flow": {"cpu": 10}}`, 1)
	tree = strings.Replace(tree, `"nodes"`, `"now_us": 9000000, "previous_update_time_us": 1, "nodes"`, 1)
	once, _, _ := calculate(t, tree)
	timed, _, _ := calculate(t, tree, "--time", "--repeat", "5")
	if once != timed || !strings.Contains(once, `"accumulated_volume":[89.99999`) {
		t.Errorf("got %s, want %s", timed, once)
	}
}

func TestFairShareUsage(t *testing.T) {
	for _, flags := range [][]string{{"--repeat", "0"}, {"--table", "--compact"}, {"a", "b"}, {"--no-such-flag"}} {
		if _, _, code := calculate(t, "", flags...); code != exit.Usage {
			t.Errorf("%v: exit code %d, want %d", flags, code, exit.Usage)
		}
	}
	if _, _, code := calculate(t, "", "/no/such/file"); code != exit.IO {
		t.Errorf("a missing file: exit code %d, want %d", code, exit.IO)
	}
}

func TestFairShareExplains(t *testing.T) {
	gang := strings.Replace(oneLine(twoPools), `"mode": "fifo"`, `"mode": "fifo", "enable_fair_share_truncation_in_fifo_pool": true`, 1)
	gang = strings.Replace(gang, `]}`, `, {"id": "q1", "kind": "operation", "parent": "queue", "resource_demand": {"cpu": 5}, "weight": 2},
		{"id": "q2", "kind": "operation", "parent": "queue", "gang": true, "resource_demand": {"cpu": 50}}]}`, 1)
	short := strings.Replace(oneLine(twoPools), `"strong_guarantee_resources": {"cpu": 60}`,
		`"integral_guarantees": {"guarantee_type": "burst", "resource_flow": {"cpu": 10}, "burst_guarantee_resources": {"cpu": 30}},
		"integral_resources_state": {"accumulated_volume": {"cpu": 600, "user_slots": 600}}`, 1)
	limit := strings.Replace(oneLine(twoPools), `"min_share_resources": {"cpu": 20}`, `"resource_limits": {"cpu": 10}`, 1)
	for _, c := range []struct{ tree, node, words string }{
		{twoPools, "z", "Its own demand bounds it"},
		{twoPools, "a", "Its strong guarantee is 60.00 %; its fair share takes 60.00 % of it."},
		{twoPools, "a", `In "root" it competes with weight 1 against "b" (weight 1, share 30.00 %).`},
		{twoPools, "y", `In "b" it competes with weight 3 against "z" (weight 1, share 2.00 %).`},
		{twoPools, "y", `In "root" it competes through "b" with weight 1 against "a"`},
		{twoPools, "y", "The tree has no more cpu to give."},
		{twoPools, "idle", "It demands nothing that the tree has."},
		{limit, "b", "Its own limit is reached: cpu 10.00 %."},
		{limit, "y", `The limit of "b" above it is reached: cpu 10.00 %.`},
		{gang, "q2", `It stands at position 2 of the FIFO pool "queue" and gets what the 1 before it leave.`},
		{gang, "q2", "It is a gang, all or nothing"},
		{short, "a", "Volume is missing: the accumulated volume of 6 s of the whole tree pays for 10.00 % only."},
	} {
		out, _, _ := calculate(t, oneLine(c.tree), "--explain", c.node)
		if !strings.Contains(out, c.words) {
			t.Errorf("%s: got\n%swant %q", c.node, out, c.words)
		}
	}
	if out, _, code := calculate(t, oneLine(twoPools), "--explain", "nobody"); code != exit.BadInput || !strings.Contains(out, "nobody") {
		t.Errorf("code %d, got %s", code, out)
	}
}

func TestFairShareTable(t *testing.T) {
	out, _, _ := calculate(t, oneLine(twoPools), "--table")
	want := `tree two
  demand %  guarantee %  limit %  fair share %  of it strong  integral  by weight  usage %  satisfaction  dominant   node
   2002.00        80.00   100.00        100.00         80.00         0      20.00        0          0.00       cpu   root
`
	if !strings.HasPrefix(out, want) {
		t.Errorf("got\n%swant\n%s", out, want)
	}
	if !strings.Contains(out, "      z\n") && !strings.Contains(out, "    z\n") {
		t.Errorf("children are not indented:\n%s", out)
	}
}

// A name of a tree or a node stands in its cell, whatever it holds.
func TestFairShareTableOfHostileNames(t *testing.T) {
	const tree = `{"id": "t\u001b[31m\nforged", "total_resource_limits": {"cpu": 10}, "nodes": [{"id": "r\tforged\u001b[2J", "kind": "root"},
		{"id": "a\nforged\u009b31m\u202e", "kind": "operation", "parent": "r\tforged\u001b[2J", "resource_demand": {"cpu": 10}}]}`
	out, _, code := calculate(t, oneLine(tree), "--table")
	if n := strings.Count(out, "forged"); code != exit.Kept || n != 3 {
		t.Errorf("code %d, %d names in\n%s", code, n, out)
	}
	if n := strings.Count(out, "\n"); n != 4 {
		t.Errorf("%d lines, want 4:\n%s", n, out)
	}
	if at := strings.IndexFunc(out, func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) }); at >= 0 {
		t.Errorf("a control character at %d of %q", at, out)
	}
	if line := strings.Split(out, "\n")[2]; !strings.HasSuffix(line, `cpu   r\x09forged\x1b[2J`) {
		t.Errorf("the root's line is %q", line)
	}
}

func TestFairShareDeepTrees(t *testing.T) {
	deep := func(levels int) string {
		var b strings.Builder
		b.WriteString(`{"total_resource_limits": {"cpu": 10}, "nodes": [{"id": "p0", "kind": "root"}`)
		for i := range levels {
			fmt.Fprintf(&b, `, {"id": "p%d", "kind": "pool", "parent": "p%d"}`, i+1, i)
		}
		b.WriteString("]}\n")
		return b.String()
	}
	if out, _, code := calculate(t, deep(treejson.Deepest)); code != exit.Kept {
		t.Errorf("code %d: %.200s", code, out)
	}
	if out, _, code := calculate(t, deep(treejson.Deepest+1)); code != exit.BadInput || !strings.Contains(out, "levels deep") {
		t.Errorf("code %d: %.200s", code, out)
	}
}

// gangs is a FIFO pool of 60 cores, before a competitor that wants the tree: the gang at its head wants 70.
const gangs = `{"total_resource_limits": {"cpu": 100}, "enable_step_function_for_gang_operations": true, "nodes": [
 {"id": "root", "kind": "root"},
 {"id": "a", "kind": "pool", "parent": "root", "mode": "fifo", "strong_guarantee_resources": {"cpu": 60}},
 {"id": "b", "kind": "pool", "parent": "root", "strong_guarantee_resources": {"cpu": 40}},
 {"id": "x", "kind": "operation", "parent": "a", "resource_demand": {"cpu": 70}, "gang": true},
 {"id": "y", "kind": "operation", "parent": "b", "resource_demand": {"cpu": 100}}]}`

// TestFairShareProfiles computes what schedulers of an age make of options that others do not have.
func TestFairShareProfiles(t *testing.T) {
	capped := strings.Replace(twoPools, `"b", "kind": "pool", "parent": "root"`, `"b", "kind": "pool", "parent": "root", "max_share": 0.25`, 1)
	for _, c := range []struct {
		tree, profile string
		node, share   string // of it in percent
		complaint     string
	}{
		{tree: gangs, profile: "current", node: "x", share: "0"},
		{tree: strings.Replace(gangs, "true, \"nodes\"", "false, \"nodes\"", 1), profile: "current", node: "x", share: "60.00"},
		{tree: gangs, profile: "baseline", complaint: "enable_step_function_for_gang_operations is an option of newer schedulers: give --profile current"},
		{tree: capped, profile: "baseline", node: "b", share: "25.00"},
		{tree: capped, profile: "current", complaint: "max_share limits nothing with --profile current: leave it out"},
	} {
		out, _, code := calculate(t, oneLine(c.tree), "--profile", c.profile, "--table")
		share := ""
		for line := range strings.Lines(out) {
			if fields := strings.Fields(line); len(fields) > 4 && fields[len(fields)-1] == c.node {
				share = fields[3]
			}
		}
		if share != c.share || !strings.Contains(out, c.complaint) || (code == exit.Kept) != (c.complaint == "") {
			t.Errorf("%s: exit code %d, node %s has %q, want %q and %q:\n%s", c.profile, code, c.node, share, c.share, c.complaint, out)
		}
	}
	if _, _, code := calculate(t, oneLine(twoPools), "--profile", "2026"); code != exit.Usage {
		t.Errorf("an unknown profile: exit code %d", code)
	}
}
