package ytsaurus_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/ytsaurus"
)

// TestLeavingForASingleTree has an operation of trees a and b that is to keep one, and is
// materialized at 2 s. Snapshots are of 1 s, 6 s and 11 s; in a, all of them show it. It
// left b when it was materialized, unless the log shows it there later.
func TestLeavingForASingleTree(t *testing.T) {
	const (
		id    = "1-2-3e8-4"
		usage = `"resource_usage":{},"resource_demand":{}`
		spec  = `{"pool_trees":["a","b"],"pool":"p","schedule_in_single_tree":%t}`
		times = `"start_time":"2025-03-03T08:00:00.500000Z","finish_time":"2025-03-03T08:00:12.000000Z"`
	)
	row := func(second, event, rest string) []byte {
		return fmt.Appendf(nil, `{"timestamp":"2025-03-03T08:00:%s00000Z","event_type":%q,%s}`, second, event, rest)
	}
	for name, c := range map[string]struct {
		several bool   // the spec does not ask for a single tree
		seen    string // which snapshots show it in b: in the first, in the second
		lost    bool   // no snapshot of a shows it
		job     string // when a job of it starts in b
		finish  string // what the row of its end has besides
		a, b    string // what it does there
	}{
		"seen in the other alone":        {seen: "10", a: "started running materialized completed", b: "started running erased_from_tree@2.0 completed"},
		"erased, says its end":           {seen: "00", lost: true, finish: `,"runtime_parameters":{"erased_trees":["b"],"scheduling_options_per_pool_tree":{"a":{"pool":"p"}}}`, a: "started running materialized completed", b: "started running erased_from_tree@2.0 completed"},
		"seen in both":                   {seen: "11", a: "started running materialized completed", b: "started running materialized completed"},
		"with jobs in both":              {seen: "10", job: "2.5", a: "started running materialized completed", b: "started running materialized erased_from_tree@6.0 completed"},
		"in both until its end":          {seen: "10", finish: `,"runtime_parameters":{"erased_trees":[],"scheduling_options_per_pool_tree":{"a":{"pool":"p"},"b":{"pool":"p"}}}`, a: "started running materialized completed", b: "started running materialized completed"},
		"nothing tells which it kept":    {seen: "10", lost: true, a: "started running completed", b: "started running completed"},
		"an operation for several trees": {several: true, seen: "10", a: "started running materialized completed", b: "started running materialized erased_from_tree@6.0 completed"},
	} {
		t.Run(name, func(t *testing.T) {
			info := `"scheduling_info_per_tree":{"a":{"pool":"p"},"b":{"pool":"p"}}`
			rows := [][]byte{
				row("00.5", "operation_started", fmt.Sprintf(`"operation_id":%q,"operation_type":"map","authenticated_user":"u","spec":%s,%s`, id, fmt.Sprintf(spec, !c.several), info)),
				row("00.6", "operation_prepared", fmt.Sprintf(`"operation_id":%q`, id)),
				row("02.0", "operation_materialized", fmt.Sprintf(`"operation_id":%q`, id)),
				row("12.0", "operation_completed", fmt.Sprintf(`"operation_id":%q,"operation_type":"map",%s%s`, id, times, c.finish)),
			}
			for i, second := range []string{"01.0", "06.0", "11.0", "13.0", "14.0"} {
				for _, tree := range []string{"a", "b"} {
					shown := i < 3 && !c.lost
					if tree == "b" {
						shown = i < len(c.seen) && c.seen[i] == '1'
					} else if c.lost {
						shown = i == 0
					}
					operations := ""
					if shown {
						operations = fmt.Sprintf(`%q:{"pool":"p",%s}`, id, usage)
					}
					rows = append(rows, row(second, "fair_share_info", fmt.Sprintf(`"tree_id":%q,"pool_count":1,"pools":{"<Root>":{%s},"p":{"parent":"<Root>",%s}},"operations":{%s}`, tree, usage, usage, operations)))
				}
			}
			if c.job != "" {
				rows = append(rows, row("0"+c.job, "job_started", fmt.Sprintf(`"job_id":"9-9-9-9","operation_id":%q,"tree_id":"b","node_address":"n","job_type":"map","resource_limits":{"user_slots":1,"cpu":1,"gpu":0,"user_memory":1,"network":0}`, id)))
			}
			dir := t.TempDir()
			export := writeText(t, filepath.Join(dir, "trees.json"), []byte(`{"$attributes":{"default_tree":"a"},"$value":{"a":{"p":{}},"b":{"p":{}}}}`))
			got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(dir, "log"), rows)}, Exports: []ytsaurus.Export{{Path: export}}})
			for _, tree := range joblogtest.Read(t, got.dir).Trees {
				var steps []string
				for i := range tree.OpEvents {
					e := &tree.OpEvents[i]
					switch e.Event {
					case "prepared":
					case "erased_from_tree":
						steps = append(steps, fmt.Sprintf("%s@%.1f", e.Event, float64(e.Time%60_000_000)/1e6))
					default:
						steps = append(steps, e.Event)
					}
				}
				want := map[string]string{"a": c.a, "b": c.b}[tree.Name]
				if did := strings.Join(steps, " "); did != want {
					t.Errorf("in tree %s it %s, want %s", tree.Name, did, want)
				}
			}
		})
	}
}
