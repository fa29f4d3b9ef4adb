package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/coretest/sweep"
	"poolproof/core/coretest/testcorpus"
	"poolproof/ingest/poolconf"
)

// An edit makes a log of the simulator one of a scheduler that breaks a rule: it changes the settings, or what the
// scheduler wrote.
type edit struct {
	name     string
	log      string            // of testdata/simulator, without what was edited in it, or one of longLogs
	settings map[string]string // replaces texts of the export
	row      func(event string, row object)
	all      func(rows []object) // after row
	violated string              // the rules that are, and no others
	suspect  string              // a rule that is at least
	problem  string              // of the import
}

// The logs of ../shared that take 15 to 25 minutes, of which edits see the first eight.
var longLogs = []string{"ordinary", "relaxed", "ephemeral", "protected"}

// An object is a map of a row.
type object = map[string]any

// TestSweepCasesOfEditedLogs edits logs that the scheduler's own code wrote, one thing at a time, and
// asks which rules are found broken.
func TestSweepCasesOfEditedLogs(t *testing.T) {
	part := sweep.Take(t, 6)
	for i, c := range slices.Concat(edits, editsOfDecisions) {
		if !part.Has(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			worst := map[string]string{}
			v, problems := c.run(t)
			for i := range v.Findings {
				f := &v.Findings[i]
				if f.Verdict == audit.Violated || f.Verdict == audit.Suspect && worst[f.Invariant] == "" {
					worst[f.Invariant] = string(f.Verdict)
				}
			}
			var violated []string
			for _, rule := range slices.Sorted(maps.Keys(worst)) {
				if worst[rule] == string(audit.Violated) {
					violated = append(violated, rule)
				}
			}
			if got := strings.Join(violated, " "); got != c.violated {
				t.Errorf("%q are violated, want %q: %v", got, c.violated, worst)
			}
			if c.suspect != "" && worst[c.suspect] == "" {
				t.Errorf("nothing is found of %s: %v", c.suspect, worst)
			}
			if c.problem != "" && !slices.Contains(problems, c.problem) {
				t.Errorf("no problem %s in %q", c.problem, problems)
			}
		})
	}
}

// TestTheReadmeCountsEdits: README.md says how many edits there are that have the scheduler misbehave, and how many of
// them TestSweepCasesOfEditedLogs finds violated.
func TestTheReadmeCountsEdits(t *testing.T) {
	t.Parallel()
	all, violated := 0, 0
	for _, c := range slices.Concat(edits, editsOfDecisions) {
		if c.row != nil || c.all != nil || c.violated != "" || c.suspect != "" {
			all++
		}
		if c.violated != "" {
			violated++
		}
	}
	page, err := os.ReadFile(commandtest.InProject("README.md"))
	if err != nil {
		t.Fatal(err)
	}
	text, want := strings.Join(strings.Fields(string(page)), " "), fmt.Sprintf("Of %d edits that make the scheduler's own logs those of one that misbehaves, %d are found violated", all, violated)
	if !strings.Contains(text, want) {
		t.Errorf("README.md does not say %q", want)
	}
}

// files are the paths of the log and of the export before it.
func (c *edit) files(t *testing.T) (log, export string) {
	t.Helper()
	base := commandtest.InProject("ingest/ytsaurus/testdata/simulator/" + c.log)
	if slices.Contains(longLogs, c.log) {
		base = filepath.Join(testcorpus.File(t, testcorpus.Data, "ytsaurus-simulator"), c.log)
	}
	if _, err := os.Stat(base); err == nil {
		return filepath.Join(base, "event_log.yson.zst"), filepath.Join(base, "pool_trees.yson")
	}
	return base + ".yson.zst", base + ".pool_trees.yson"
}

// rows are those of the edited log.
func (c *edit) rows(t *testing.T, log string) (rows []object) {
	t.Helper()
	packed, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	text, err := d.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		value, err := poolconf.ParseValue("row", bytes.TrimRight(line, ";\n"))
		if err != nil {
			t.Fatal(err)
		}
		row := value.(object)
		if len(rows) > 0 && row["timestamp"].(string) > minutesOf(rows[0]) && slices.Contains(longLogs, c.log) {
			break
		}
		if c.row != nil {
			c.row(row["event_type"].(string), row)
		}
		rows = append(rows, row)
	}
	if c.all != nil {
		c.all(rows)
	}
	return rows
}

// minutesOf is the time eight minutes after a row, which is of the first minute of an hour.
func minutesOf(first object) string {
	return strings.Replace(first["timestamp"].(string), "T00:00:", "T00:08:", 1)
}

// run imports and judges the edited log.
func (c *edit) run(t *testing.T) (v *audit.Verdict, problems []string) {
	t.Helper()
	dir := t.TempDir()
	original, trees := c.files(t)
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	for _, row := range c.rows(t, original) {
		if len(row) == 0 {
			continue // taken out
		}
		if err := out.Encode(row); err != nil {
			t.Fatal(err)
		}
	}
	export, err := os.ReadFile(trees)
	if err != nil {
		t.Fatal(err)
	}
	var pairs []string
	for from, to := range c.settings {
		if !strings.Contains(string(export), from) {
			t.Fatalf("the export has no %s", from)
		}
		pairs = append(pairs, from, to)
	}
	export = []byte(strings.NewReplacer(pairs...).Replace(string(export))) // at once: none replaces what another put there
	log, made, run := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "trace"), filepath.Join(dir, "run")
	trees = filepath.Join(dir, "trees.yson")
	if err := os.WriteFile(log, lines.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(trees, export, 0o666); err != nil {
		t.Fatal(err)
	}
	commandtest.Succeed(t, "import", "ytsaurus", log, "--pool-trees", trees, "--out", made, "--quiet")
	commandtest.Run(t, "run", made, "--out", run, "--quiet", "--min-coverage", "0")
	if v, err = audit.ReadVerdict(run); err != nil {
		t.Fatal(err)
	}
	return v, problemsOf(t, made)
}

// elements calls visit with each record of pools or operations in a row of fair_share_info.
func elements(event string, row object, of string, visit func(name string, e object)) {
	if event != "fair_share_info" {
		return
	}
	all, _ := row[of].(object)
	for name, e := range all {
		visit(name, e.(object))
	}
}

// configs calls visit with each pool in a row of pools_info.
func configs(event string, row object, visit func(name string, pool object)) {
	if event != "pools_info" {
		return
	}
	for _, tree := range row["pools"].(object) {
		for name, pool := range tree.(object) {
			visit(name, pool.(object))
		}
	}
}

// configure sets an option of a pool in pools_info.
func configure(pool, option string, value any) func(string, object) {
	return func(event string, row object) {
		configs(event, row, func(name string, p object) {
			if name == pool {
				p[option] = value
			}
		})
	}
}

func scale(share any, by float64) {
	for k, x := range share.(object) {
		if f, ok := x.(float64); ok {
			share.(object)[k] = f * by
		}
	}
}

// The log backoff was edited itself: its scheduler had a backoff of five seconds.
const (
	kept        = `"preemptive_scheduling_backoff"=60000`
	fiveSeconds = `"preemptive_scheduling_backoff"=5000`
)

var edits = []edit{
	{name: "nothing", log: "backoff", settings: map[string]string{kept: fiveSeconds}},
	{name: "nothing, and an operation waits", log: "waiting"},
	{
		name: "a resource limit is lowered and ignored", log: "backoff", violated: "GUA-11 LIM-01 LIM-02 LIM-03 LIM-09",
		settings: map[string]string{kept: fiveSeconds, `"a"=<id="1-1-1-1">`: `"a"=<id="1-1-1-1";resource_limits={"cpu"=2.0}>`},
		row:      configure("a", "resource_limits", object{"cpu": 2.0}),
	},
	{
		name: "starvation is unnoticed", log: "tree-setting", violated: "STV-02",
		row: func(event string, row object) { // the timeout did not change
			for _, of := range []string{"pools", "operations"} {
				elements(event, row, of, func(_ string, e object) { e["effective_fair_share_starvation_timeout"] = 5000 })
			}
		},
	},
	{
		name: "the victim is graceful", log: "backoff", violated: "HB-06 PRE-07",
		settings: map[string]string{kept: fiveSeconds},
		row: func(_ string, row object) {
			if spec, ok := row["spec"].(object); ok && spec["title"] == "op1" {
				spec["preemption_mode"] = "graceful"
			}
		},
	},
	{
		name: "the node is too small", log: "backoff", violated: "HB-01 PRE-02 TREE-08",
		settings: map[string]string{kept: fiveSeconds},
		row: func(event string, row object) {
			if event == "nodes_info" {
				for _, n := range row["nodes"].(object) {
					n.(object)["resource_limits"].(object)["cpu"] = 3.0
				}
			}
		},
	},
	{
		name: "the pool wants nodes of another tag", log: "backoff", violated: "LIM-09 TREE-11",
		settings: map[string]string{kept: fiveSeconds, `"a"=<id="1-1-1-1">`: `"a"=<id="1-1-1-1";scheduling_tag_filter="other">`},
		row:      configure("a", "scheduling_tag_filter", "other"),
	},
	{
		name: "jobs below a threshold are taken", log: "backoff", violated: "LST-01 LST-05 PRE-06 STV-05", suspect: "LST-05",
		settings: map[string]string{kept: fiveSeconds, `"a"=<id="1-1-1-1">`: `"a"=<id="1-1-1-1";non_preemptible_resource_usage_threshold={"cpu"=100.0}>`},
		row:      configure("a", "non_preemptible_resource_usage_threshold", object{"cpu": 100.0}),
	},
	{
		name: "fair shares are too small", log: "backoff", violated: "GUA-01",
		settings: map[string]string{kept: fiveSeconds},
		row: func(event string, row object) {
			for _, of := range []string{"pools", "operations"} {
				elements(event, row, of, func(_ string, e object) {
					if d, ok := e["detailed_fair_share"].(object); ok {
						scale(d["total"], 0.6)
					}
				})
			}
		},
	},
	{
		name: "a guarantee is missing", log: "backoff", violated: "GUA-01 GUA-07 GUA-11 PRE-04 PRE-06 PRE-09 PRE-16",
		settings: map[string]string{kept: fiveSeconds, `"cpu"=6.0`: `"cpu"=1.0`, `"a"=<id="1-1-1-1">`: `"a"=<id="1-1-1-1";strong_guarantee_resources={"cpu"=6.0}>`},
		row: func(event string, row object) {
			configure("a", "strong_guarantee_resources", object{"cpu": 6.0})(event, row)
			configure("b", "strong_guarantee_resources", object{"cpu": 1.0})(event, row)
		},
	},
	{
		name: "a pool's timeout is raised", log: "backoff", violated: "STV-01 STV-05",
		settings: map[string]string{kept: fiveSeconds, `"b"=<id="1-1-1-2";`: `"b"=<id="1-1-1-2";fair_share_starvation_timeout=60000;`},
		row:      configure("b", "fair_share_starvation_timeout", 60000),
	},
	{ // or it was raised after the export, which has no date in the log: records tell that 3 s were in force
		name: "the tree's timeout is raised", log: "backoff", suspect: "STV-05",
		settings: map[string]string{kept: fiveSeconds, `"fair_share_starvation_timeout"=3000`: `"fair_share_starvation_timeout"=60000`},
	},
	{name: "a backoff is not kept", log: "backoff", violated: "PRE-14"},
	{name: "a weight is ignored", log: "weight", violated: "GUA-11"},
	{name: "a volume grows by half of its flow", log: "volume", violated: "GUA-06"},
	{name: "normal preemption takes jobs where it is forbidden", log: "normal-forbidden", violated: "PRE-26"},
	{name: "a waiting operation has jobs", log: "waiting", violated: "CNT-03", suspect: "PEND-05", row: giveJobs()},
	{
		name: "two operations run where one may", log: "two-nodes", violated: "CNT-02 CNT-04",
		settings: map[string]string{`"slots"=<id="1-1-1-1";resource_limits={"user_slots"=11}>`: `"slots"=<id="1-1-1-1";resource_limits={"user_slots"=11};max_running_operation_count=1>`},
		row:      configure("slots", "max_running_operation_count", 1),
	},
	{
		name: "two operations are there where one may be", log: "two-nodes", violated: "CNT-01 CNT-02 CNT-04 CNT-05",
		settings: map[string]string{`"slots"=<id="1-1-1-1";resource_limits={"user_slots"=11}>`: `"slots"=<id="1-1-1-1";resource_limits={"user_slots"=11};max_operation_count=1;max_running_operation_count=1>`},
		row: func(event string, row object) {
			configure("slots", "max_operation_count", 1)(event, row)
			configure("slots", "max_running_operation_count", 1)(event, row)
		},
	},
}

// giveJobs has the first job of a log be of the operation that waits, which is the second.
func giveJobs() func(string, object) {
	var operations []any
	var job any
	return func(event string, row object) {
		switch event {
		case "operation_started":
			operations = append(operations, row["operation_id"])
		case "job_started", "job_completed":
			if job == nil {
				job = row["job_id"]
			}
			if row["job_id"] == job {
				row["operation_id"] = operations[1]
			}
		}
	}
}
