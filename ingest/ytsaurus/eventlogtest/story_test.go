package eventlogtest

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"poolproof/core"
	"poolproof/ingest/trace"
)

const second = core.Second

// story writes a trace by hand that has what preset small has not: ids that are no
// GUIDs, changes of an operation, a ban, an operation that was refused, a restart, a
// node that moves, and jobs that left in every way.
func story(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "trace")
	w, err := trace.Create(dir, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	room := trace.Resources{UserSlots: 10, CPUMilli: 10000, Memory: 1000, Network: 5}
	one := trace.Resources{UserSlots: 1, CPUMilli: 1500, Memory: 100}
	for i, name := range []string{"alpha", "beta", "refused"} {
		o := trace.Operation{
			Op: core.OperationID(i), ID: name, Type: "map", User: "zoë", StartTime: core.Some(10 * second), MaterializeTime: core.Some(12 * second),
			SpecJSON: core.Some(`{"weight":3}`),
		}
		if name == "alpha" {
			o.FinishTime, o.FinalState = core.Some(80*second), core.Some("completed")
		}
		must(w.Add(&o))
	}
	must(w.Add(&trace.Operation{Op: 3, ID: "came without a master", Type: "map", User: "zoë", StartTime: core.Some(40*second + second/2)}))
	must(w.Add(&trace.Pool{Pool: 0, Tree: "a", Name: "pool"}))
	must(w.Add(&trace.Pool{Pool: 1, Tree: "a", Name: "zoë", Ephemeral: true}))
	must(w.Add(&trace.Pool{Pool: 2, Tree: "b", Name: "pool"}))
	must(w.Add(&trace.Node{Node: 0, Address: "n0"}))
	must(w.Add(&trace.Node{Node: 1, Address: "n1:7"}))
	must(w.Add(&trace.Node{Node: 2, Address: "n2:7"}))
	must(w.Add(&trace.NodeState{Stamp: trace.Stamp{Time: 0, Seq: 1}, Node: 2, Online: true, Limit: room, Tags: "z"}))
	must(w.Add(&trace.NodeState{Stamp: trace.Stamp{Time: 57 * second, Seq: 2}, Node: 0, Limit: room, Tags: "x,y"}))
	must(w.Add(&trace.ClusterConfig{Stamp: trace.Stamp{Time: 0, Seq: 1}, DefaultTree: core.Some("a"), Trees: "a,b"}))
	must(w.Add(&trace.ProcessEvent{Stamp: trace.Stamp{Time: 40 * second, Seq: 1}, Event: "master_disconnected", Address: core.Some("s:1")}))
	must(w.Add(&trace.ProcessEvent{Stamp: trace.Stamp{Time: 41 * second, Seq: 2}, Event: "alert_raised", Alert: core.Some("update_pools")}))
	must(w.Add(&trace.ProcessEvent{Stamp: trace.Stamp{Time: 42 * second, Seq: 3}, Event: "master_connected", Address: core.Some("s:1")}))
	a, b := w.Tree("a"), w.Tree("b")
	stamp := func(t *trace.TreeWriter, at core.Time) trace.Stamp { return trace.Stamp{Time: at, Seq: t.NextSeq()} }
	for _, tree := range []*trace.TreeWriter{a, b} {
		must(tree.Add(&trace.TreeConfig{Stamp: stamp(tree, 0), Source: "export", NodesFilter: core.Some("x"), DefaultParentPool: core.Some("pool"), FairShareStarvationTimeoutMS: core.Some[int64](7000)}))
	}
	must(a.Add(&trace.TreeConfig{Stamp: stamp(a, 30*second), Source: "event", NodesFilter: core.Some("y")}))
	must(a.Add(&trace.PoolConfig{Stamp: stamp(a, 0), Pool: 0, Mode: "fair_share", IntegralType: "none", Strong: trace.PartialResources{CPUMilli: core.Some[int64](2500)}}))
	must(b.Add(&trace.PoolConfig{Stamp: stamp(b, 0), Pool: 2, Mode: "fifo", IntegralType: "none"}))
	must(a.Add(&trace.PoolConfig{Stamp: stamp(a, 50*second), Pool: 0, Mode: "fair_share", IntegralType: "none", Weight: core.Some(4.0)}))
	must(a.Add(&trace.NodeState{Stamp: stamp(a, 0), Node: 0, Online: true, Limit: room, Tags: "x,y"}))
	must(a.Add(&trace.NodeState{Stamp: stamp(a, 0), Node: 1, Online: true, Limit: room, Tags: "x"}))
	must(a.Add(&trace.NodeState{Stamp: stamp(a, 55*second), Node: 0, Limit: room, Tags: "x,y"}))
	must(a.Add(&trace.NodeState{Stamp: stamp(a, 56*second), Node: 1, Limit: room, Tags: "x"}))
	must(b.Add(&trace.NodeState{Stamp: stamp(b, 55*second), Node: 1, Online: true, Limit: room, Tags: "x"}))
	event := func(tree *trace.TreeWriter, e trace.OpEvent, at core.Time) {
		e.Stamp = stamp(tree, at)
		must(tree.Add(&e))
	}
	event(a, trace.OpEvent{Op: 0, Event: "started", Pool: core.Some[core.PoolID](0), PreemptionMode: core.Some("graceful")}, 10*second)
	event(b, trace.OpEvent{Op: 0, Event: "started", Pool: core.Some[core.PoolID](2), Tentative: core.Some(true), MaxShareRatio: core.Some(0.5)}, 10*second)
	event(a, trace.OpEvent{Op: 1, Event: "started", Pool: core.Some[core.PoolID](1)}, 10*second)
	event(a, trace.OpEvent{Op: 2, Event: "rejected", Pool: core.Some[core.PoolID](0)}, 10*second)
	event(a, trace.OpEvent{Op: 0, Event: "suspended"}, 15*second)
	event(a, trace.OpEvent{Op: 0, Event: "params_changed", Weight: core.Some(5.0), Who: core.Some("anna")}, 20*second)
	event(b, trace.OpEvent{Op: 0, Event: "params_changed", Weight: core.Some(6.0), Who: core.Some("anna")}, 20*second)
	event(b, trace.OpEvent{Op: 0, Event: "banned_in_tree"}, 25*second)
	event(a, trace.OpEvent{Op: 1, Event: "pool_changed", Pool: core.Some[core.PoolID](0), Who: core.Some("zoë")}, 26*second)
	event(a, trace.OpEvent{Op: 3, Event: "started", Pool: core.Some[core.PoolID](0)}, 42*second)
	event(a, trace.OpEvent{Op: 0, Event: "completed"}, 80*second)
	jobs := []trace.Job{
		{ID: "left for another", EndKind: "aborted", AbortReason: core.Some("preemption"), PreemptedFor: core.Some[core.OperationID](1), PreemptedForJob: core.Some("other")},
		{ID: "left for a limit", EndKind: "aborted", AbortReason: core.Some("preemption")},
		{ID: "left in peace", EndKind: "completed", Competition: core.Some("speculative"), PreemptedFor: core.Some[core.OperationID](1), PreemptedForJob: core.Some("other")},
		{ID: "ended with its operation", EndKind: "aborted", AbortReason: core.Some("operation_completed"), FinishTime: core.Some(80 * second)},
		{ID: "never told of", EndKind: "failed"},
		{ID: "still there", EndKind: "running"},
		{ID: "left with a tree", EndKind: "aborted", AbortReason: core.Some("operation_finished")},
	}
	for i, j := range jobs {
		j.Stamp, j.Job, j.Limits, j.StartedLogged = stamp(a, 13*second), core.JobID(i), one, i != 4
		if j.EndKind != "running" && !j.FinishTime.Set {
			j.FinishTime = core.Some(core.Time(33+i) * second)
		}
		must(a.Add(&j))
	}
	must(w.Commit(trace.Manifest{Window: trace.Window{From: 0, To: 100 * second}, Trees: []string{"a", "b"}}))
	return dir
}

// told writes the story as JSON lines and returns the rows of each kind.
func told(t *testing.T, age Age) (map[string][]Value, Result) {
	r := write(t, story(t), Options{Age: age, Form: JSONL, Seed: 1})
	rows := map[string][]Value{}
	for _, v := range decoded(t, unpacked(t, r.Logs[0])) {
		kind := v.at("event_type").text
		rows[kind] = append(rows[kind], v)
	}
	return rows, r
}

// show writes a value as text of a test.
func show(v *Value) string {
	if v == nil {
		return "nothing"
	}
	return string(appendValue(nil, v, JSONL))
}

func TestNamesBecomeThoseOfACluster(t *testing.T) {
	rows, r := told(t, Age2023)
	for _, name := range []string{"alpha", "beta"} {
		if id := r.Operations[name]; !isGUID(id) {
			t.Errorf("operation %s is %q", name, id)
		}
	}
	for _, name := range []string{"left for another", "still there", "other"} {
		if id := r.Jobs[name]; !isGUID(id) {
			t.Errorf("job %s is %q", name, id)
		}
	}
	if got := fmt.Sprint(r.Nodes); got != "map[n0:n0:9012]" {
		t.Errorf("nodes %s", got)
	}
	started := rows["operation_started"]
	if len(started) != 3 {
		t.Fatalf("%d operations started, want those that were not refused", len(started))
	}
	for i := range started {
		if user := started[i].at("authenticated_user").text; user != "zoë" {
			t.Errorf("user %q", user)
		}
	}
}

func TestOperationsTellWhatTheyAskedForAndWhatChanged(t *testing.T) {
	rows, r := told(t, Age2023)
	alpha, beta := r.Operations["alpha"], r.Operations["beta"]
	for _, v := range rows["operation_started"] {
		if id := v.at("operation_id").text; id != alpha {
			if got := show(v.at("scheduling_info_per_tree")); id == beta && !strings.Contains(got, `"ancestor_pools":["pool",`) {
				t.Errorf("of a pool that no snapshot shows: trees %s", got)
			}
			continue
		}
		want := `{"scheduling_options_per_pool_tree":{"a":{"preemption_mode":"graceful"},"b":{"max_share_ratio":0.5}},"weight":3}`
		if got := show(v.at("spec")); got != want {
			t.Errorf("spec %s, want %s", got, want)
		}
		if got := show(v.at("scheduling_info_per_tree")); got != `{"a":{"ancestor_pools":["pool"],"pool":"pool"},"b":{"ancestor_pools":["pool"],"pool":"pool"}}` {
			t.Errorf("trees %s", got)
		}
		if got := show(v.at("pool")); got != `"pool"` {
			t.Errorf("pool of the default tree %s", got)
		}
	}
	changes := rows["runtime_parameters_info"]
	if len(changes) != 2 {
		t.Fatalf("%d changes told, want one of each operation", len(changes))
	}
	options := show(changes[0].at("runtime_parameters").at("scheduling_options_per_pool_tree"))
	if !strings.Contains(options, `"weight":5.0`) || !strings.Contains(options, `"weight":6.0`) || changes[0].at("authenticated_user").text != "anna" {
		t.Errorf("changed by %s to %s", show(changes[0].at("authenticated_user")), options)
	}
	if bans := rows["operation_banned_in_tree"]; len(bans) != 1 || bans[0].at("tree_id").text != "b" {
		t.Errorf("bans %v", bans)
	}
	end := rows["operation_completed"]
	if len(end) != 1 {
		t.Fatalf("%d operations completed", len(end))
	}
	if got := show(end[0].at("runtime_parameters").at("erased_trees")) + show(end[0].at("scheduling_info_per_tree")); got != `["b"]{"a":{"ancestor_pools":["pool"],"pool":"pool"}}` {
		t.Errorf("trees at the end %s", got)
	}
}

func TestJobsTellWhyTheyLeft(t *testing.T) {
	rows, r := told(t, Age2023)
	byID := map[string]*Value{}
	for i := range rows["job_aborted"] {
		v := &rows["job_aborted"][i]
		byID[v.at("job_id").text] = v
	}
	got := show(byID[r.Jobs["left for another"]].at("preempted_for"))
	if want := fmt.Sprintf(`{"job_id":"%s","operation_id":"%s"}`, r.Jobs["other"], r.Operations["beta"]); got != want {
		t.Errorf("preempted for %s, want %s", got, want)
	}
	if limit := byID[r.Jobs["left for a limit"]]; limit.at("preempted_for") != nil || limit.at("reason").text != "preemption" {
		t.Errorf("left for a limit: %s", show(limit))
	}
	if completed := rows["job_completed"]; len(completed) != 1 || completed[0].at("preempted_for") != nil || completed[0].at("has_competitors").number != 1 || completed[0].at("has_probing_competitors").number != 0 {
		t.Errorf("a job that left in peace is no plain completion: %v", completed)
	}
	started := map[string]bool{}
	for _, v := range rows["job_started"] {
		started[v.at("job_id").text] = true
	}
	if len(started) != 6 || started[r.Jobs["never told of"]] {
		t.Errorf("%d jobs started: %v", len(started), started)
	}
}

func TestOlderLogsTellLess(t *testing.T) {
	rows, r := told(t, Age2020)
	for kind, want := range map[string]int{
		"operation_banned_in_tree": 0, "accumulated_usage_info": 0, "job_aborted": 3, "runtime_parameters_info": 2, "nodes_info": 4,
	} {
		if got := len(rows[kind]); got != want {
			t.Errorf("%d rows of %s, want %d", got, kind, want)
		}
	}
	for kind, columns := range map[string][]string{
		"job_started": {"tree_id"}, "job_aborted": {"tree_id"}, "operation_started": {"scheduling_info_per_tree"},
		"operation_completed": {"pool", "runtime_parameters", "scheduling_info_per_tree"}, "runtime_parameters_info": {"operation_id"}, "nodes_info": {"tree_id"},
	} {
		for _, v := range rows[kind] {
			for _, column := range columns {
				if v.at(column) != nil {
					t.Errorf("%s tells %s", kind, column)
				}
			}
		}
	}
	if memory := rows["nodes_info"][0].at("nodes").at("n0:9012").at("resource_limits").at("memory"); memory == nil || memory.number != 1000 {
		t.Errorf("memory by its old name: %s", show(memory))
	}
	export := string(unpacked(t, r.PoolTrees))
	for _, name := range []string{`"fair_share_preemption_timeout":7000`, `"min_share_resources":{"cpu":2.5}`} {
		if !strings.Contains(export, name) {
			t.Errorf("no %s in %s", name, export)
		}
	}
}

func TestNodesMoveAndLeave(t *testing.T) {
	rows, _ := told(t, Age2023)
	var got []string
	for _, v := range rows["nodes_info"] {
		for i, address := range v.at("nodes").keys {
			node := &v.at("nodes").items[i]
			got = append(got, fmt.Sprintf("%s %s %s %s %s", v.at("timestamp").text[14:19], v.at("tree_id").text, address, node.at("state").text, show(node.at("tree"))))
		}
	}
	slices.Sort(got)
	// An offline node still names its tree; one that no tree wants names none.
	want := []string{
		`00:01 <unknown> n2:7 online nothing`, `00:01 a n0:9012 online "a"`, `00:01 a n1:7 online "a"`,
		`00:31 <unknown> n2:7 online nothing`, `00:31 a n0:9012 online "a"`, `00:31 a n1:7 online "a"`,
		`01:01 <unknown> n0:9012 offline "a"`, `01:01 <unknown> n2:7 online nothing`, `01:01 b n1:7 online "b"`,
		`01:31 <unknown> n0:9012 offline "a"`, `01:31 <unknown> n2:7 online nothing`, `01:31 b n1:7 online "b"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestUsageAddsUpToWhatJobsHeld(t *testing.T) {
	rows, _ := told(t, Age2023)
	sum, until := 0.0, 0.0
	for _, v := range rows["accumulated_usage_info"] {
		at, err := time.Parse(time.RFC3339Nano, v.at("timestamp").text)
		if err != nil {
			t.Fatal(err)
		}
		if v.at("tree_id").text == "a" {
			until = float64(at.UnixMicro()) / 1e6
		}
		for i := range v.at("operations").items {
			sum += v.at("operations").items[i].at("accumulated_resource_usage").at("cpu").real
		}
	}
	// Two jobs hold until later.
	want := 1.5 * (20 + 21 + 22 + (until - 13) + 24 + (until - 13) + 26)
	if math.Abs(sum-want) > 1e-6 || until < 60 {
		t.Errorf("cpu·s %v until %v s, want %v", sum, until, want)
	}
}

func TestProcessesAndConfigurations(t *testing.T) {
	rows, r := told(t, Age2025)
	if len(rows["master_disconnected"]) != 1 || len(rows["master_connected"]) != 1 || rows["master_connected"][0].at("address").text != "s:1" {
		t.Errorf("processes %v %v", rows["master_disconnected"], rows["master_connected"])
	}
	if got := len(rows["cluster_info"]); got != 98 {
		t.Errorf("%d rows of cluster_info, want one a second but for the two without a master", got)
	}
	if len(rows["alert_raised"]) != 0 {
		t.Error("the log records an alert")
	}
	pools := rows["pools_info"]
	if len(pools) != 2 || pools[0].at("pools").at("a").at("pool").at("weight") != nil ||
		pools[1].at("pools").at("a").at("pool").at("weight").real != 4 || pools[1].at("pools").at("a").at("pool").at("mode").text != "fair_share" {
		t.Errorf("pools %v", pools)
	}
	if len(r.LaterPoolTrees) != 1 || r.LaterPoolTrees[0].At != 30*second || !strings.Contains(string(unpacked(t, r.LaterPoolTrees[0].Path)), `"nodes_filter":"y"`) {
		t.Errorf("later exports %v", r.LaterPoolTrees)
	}
	if export := string(unpacked(t, r.PoolTrees)); !strings.Contains(export, `"nodes_filter":"x"`) || strings.Contains(export, "weight") {
		t.Errorf("export %s", export)
	}
}

// An operation that came while the scheduler had no master is told of once it is in its
// trees (ingest/trace/FORMAT.md §1.3).
func TestSchedulersTellNothingWithoutAMaster(t *testing.T) {
	for _, age := range []Age{Age2020, Age2025} {
		rows, r := told(t, age)
		for kind, all := range rows {
			for i := range all {
				if at := all[i].at("timestamp").text[14:]; !strings.HasPrefix(kind, "job_") && "00:40.000000Z" < at && at < "00:42.000000Z" {
					t.Errorf("%s: %s at %s", age, kind, at)
				}
			}
		}
		for _, v := range rows["operation_started"] {
			if v.at("operation_id").text == r.Operations["came without a master"] && age == Age2025 {
				if got := show(v.at("scheduling_info_per_tree")); got != `{"a":{"ancestor_pools":["pool"],"pool":"pool"}}` {
					t.Errorf("trees %s", got)
				}
			}
		}
	}
}

func TestBatchesHoldTogetherWhatOneRowDoes(t *testing.T) {
	dir := small(t)
	gather := func(o Options) (elements, nodes map[string]string, largest int) {
		elements, nodes = map[string]string{}, map[string]string{}
		next := map[string]int64{} // batch index by snapshot and what it holds
		rows := decoded(t, unpacked(t, write(t, dir, o).Logs[0]))
		for i := range slices.Backward(rows) {
			v := &rows[i]
			for _, what := range []string{"pools", "operations", "nodes"} {
				index := v.at(what + "_batch_index")
				if index == nil {
					continue
				}
				key, to := what, elements
				if what == "nodes" {
					key, to = v.at("nodes_info_event_id").text+v.at("tree_id").text, nodes
				} else {
					key += v.at("tree_snapshot_id").text
				}
				if index.number != next[key] {
					t.Fatalf("batch %d of %s stands where batch %d belongs", index.number, key, next[key])
				}
				next[key]++
				largest = max(largest, len(v.at(what).keys))
				for j, name := range v.at(what).keys {
					to[key+" "+name] = show(&v.at(what).items[j])
				}
			}
		}
		return elements, nodes, largest
	}
	elements, nodes, _ := gather(Options{Age: Age2025, Form: JSONL, Seed: 1})
	inBatches, nodesInBatches, largest := gather(Options{Age: Age2025, Form: JSONL, Seed: 1, ElementsPerRow: 3, NodesPerRow: 2})
	if largest != 3 || !maps.Equal(elements, inBatches) || !maps.Equal(nodes, nodesInBatches) || len(nodes) == 0 {
		t.Errorf("%d elements and %d nodes in batches of at most %d, %d and %d without", len(inBatches), len(nodesInBatches), largest, len(elements), len(nodes))
	}
}
