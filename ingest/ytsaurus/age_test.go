package ytsaurus_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/ytsaurus"
)

// TestAgeOfTheExport: a log that shows nothing of today's schedulers is of one if the export has an option that
// only they know, unless the user says otherwise.
func TestAgeOfTheExport(t *testing.T) {
	for _, c := range []struct {
		name, tree, pool, asked, want string
	}{
		{"options of 2023", `"nodes_filter": "a", "job_interrupt_timeout": 5000`, `"resource_limits": {"cpu": 1}`, "", "baseline"},
		{"new names", `"node_tag_filter": "a"`, `"allow_regular_allocations_on_ssd_nodes": true`, "", "baseline"},
		{"an option of a tree", `"enable_step_function_for_gang_operations": true`, ``, "", "current"},
		{"an option of a pool", ``, `"enable_priority_strong_guarantee_adjustment": true`, "", "current"},
		{"the user knows", `"enable_step_function_for_gang_operations": true`, ``, "documented", "documented"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			export := `{"$attributes": {"default_tree": "main"}, "$value": {"main": {"$attributes": {` + c.tree + `}, "$value": {"a": {"$attributes": {` + c.pool + `}, "$value": {}}}}}}`
			o := ytsaurus.Options{
				Profile: c.asked,
				Exports: []ytsaurus.Export{{Path: writeText(t, filepath.Join(dir, "pool_trees.json"), []byte(export))}},
				Sources: []string{writeRows(t, filepath.Join(dir, "log.jsonl"), [][]byte{
					[]byte(`{"timestamp": "2025-03-03T08:00:01.000Z", "event_type": "operation_started", "operation_id": "1-2-3e8-4", "spec": {}, "authenticated_user": "u", "pool": "a"}`),
					[]byte(`{"timestamp": "2025-03-03T08:00:02.000Z", "event_type": "fair_share_info", "tree_id": "main", "operations": {}, "pools": {"<Root>": {"resource_usage": {}, "resource_demand": {}}}}`),
				})},
			}
			m := joblogtest.Read(t, importLog(t, o).dir).Manifest
			if m.Profile != c.want {
				t.Errorf("profile %s, want %s", m.Profile, c.want)
			}
			told := slices.ContainsFunc(m.Dialect, func(s string) bool { return strings.Contains(s, "in the export") })
			if told != (c.want != "baseline") {
				t.Errorf("marks of the age: %v", m.Dialect)
			}
		})
	}
}
