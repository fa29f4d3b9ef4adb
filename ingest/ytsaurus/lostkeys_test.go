package ytsaurus_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/ytsaurus"
)

// TestAKeyThatTheLogLacksIsNotZero has one snapshot, in which a map of resources lacks keys.
func TestAKeyThatTheLogLacksIsNotZero(t *testing.T) {
	const (
		all  = `{"user_slots":2,"cpu":2.0,"gpu":0,"user_memory":2,"network":0}`
		some = `{"user_slots":2,"gpu":0,"user_memory":2,"network":0}`
	)
	pool := func(key, value string) string {
		keys := map[string]string{"resource_usage": all, "resource_demand": all, "resource_limits": all, "usage_share": `{"user_slots":0.5,"cpu":0.5,"gpu":0,"memory":0.5,"network":0}`}
		keys[key] = value
		text := `"mode":"fair_share"`
		for _, k := range []string{"resource_usage", "resource_demand", "resource_limits", "usage_share"} {
			if keys[k] != "" {
				text += fmt.Sprintf(`,%q:%s`, k, keys[k])
			}
		}
		return `{` + text + `}`
	}
	for _, c := range []struct {
		name, root, pool                     string
		trees, pools, limited, shared, noted int
	}{
		{"nothing lost", pool("", ""), pool("", ""), 1, 1, 1, 1, 0},
		{"no limits", pool("resource_limits", ""), pool("resource_limits", ""), 0, 1, 0, 1, 1},
		{"limits without cores", pool("resource_limits", some), pool("resource_limits", some), 0, 1, 0, 1, 1},
		{"usage without cores", pool("resource_usage", some), pool("resource_usage", some), 0, 0, 0, 0, 2},
		{"no demand", pool("resource_demand", ""), pool("resource_demand", ""), 0, 0, 0, 0, 2},
		{"shares without one of cores", pool("usage_share", `{"user_slots":0.5}`), pool("usage_share", `{"user_slots":0.5}`), 1, 1, 1, 0, 0},
		{"nothing used", pool("resource_usage", "{}"), pool("resource_usage", "{}"), 1, 1, 1, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			row := fmt.Sprintf(`{"timestamp":"2025-03-03T08:00:00.000000Z","event_type":"fair_share_info","tree_id":"main","operations":{},"pools":{"<Root>":%s,"p":%s,"whole":%s}}`, c.root, c.pool, pool("", ""))
			got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log.json"), [][]byte{[]byte(row)})}})
			tree := joblogtest.Read(t, got.dir).Trees[0]
			limited, shared := -1, -1 // the whole one
			for _, p := range tree.SnapPools {
				if p.Limits.Set {
					limited++
				}
				if p.UsageShare.Set {
					shared++
				}
			}
			if n := int(got.manifest(t).Quarantined["missing_field"]); len(tree.SnapTrees) != c.trees || len(tree.SnapPools) != c.pools+1 || limited != c.limited || shared != c.shared || n != c.noted {
				t.Errorf("%d records of the tree, %d of the pool, %d with limits, %d with shares, and %d problems, want %d, %d, %d, %d and %d",
					len(tree.SnapTrees), len(tree.SnapPools)-1, limited, shared, n, c.trees, c.pools, c.limited, c.shared, c.noted)
			}
		})
	}
}
