package ytsaurus_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/ytsaurus"
)

// TestParentsFollowTheLog moves a pool to another and back. One export, taken at the end,
// tells of neither move; snapshots do each second, and pools_info when the first was made.
func TestParentsFollowTheLog(t *testing.T) {
	const export = `{"$attributes": {"default_tree": "main"}, "$value": {"main": {"a": {"moving": {}}, "b": {}}}}`
	row := func(second float64, event, rest string) []byte {
		return fmt.Appendf(nil, `{"timestamp": "2025-03-03T08:00:%06.3fZ", "event_type": %q, %s}`, second, event, rest)
	}
	pool := func(parent string) string {
		return fmt.Sprintf(`{"parent": %q, "mode": "fair_share", "resource_usage": {}, "resource_demand": {}}`, parent)
	}
	snapshots := func(parents string) (rows [][]byte) {
		for i, parent := range strings.Fields(parents) {
			pools := fmt.Sprintf(`{"a": %s, "b": %s, "moving": %s}`, pool("<Root>"), pool("<Root>"), pool(parent))
			rows = append(rows, row(float64(i+1), "fair_share_info", `"tree_id": "main", "operations": {}, "pools": `+pools))
		}
		return rows
	}
	poolsInfo := func(second float64) []byte {
		return row(second, "pools_info", `"pools": {"main": {"a": {}, "b": {}, "moving": {}}}`)
	}
	usage := func(second float64, parent string) []byte {
		return row(second, "accumulated_usage_info", fmt.Sprintf(`"tree_id": "main", "operations": {}, "pools": {"moving": {"parent": %q}}`, parent))
	}
	started := func(second float64, parent string) []byte {
		return row(second, "operation_started", fmt.Sprintf(`"operation_id": "1-2-3e8-4", "spec": {}, "authenticated_user": "u", "scheduling_info_per_tree": {"main": {"pool": "moving", "ancestor_pools": [%q, "moving"]}}`, parent))
	}
	for _, c := range []struct {
		name, export string
		rows         [][]byte
		want         string // seconds:parent of each version of the pool
	}{
		{"an export from after both moves", export, append(snapshots("a a a b b b a a"), poolsInfo(0.5), poolsInfo(3.25)), "0.500:a 3.250:b 7.000:a"},
		{"no export", "", append(snapshots("a b a"), poolsInfo(0.5)), "0.500:a 2.000:b 3.000:a"},
		{"neither export nor pools_info", "", snapshots("a b a"), "1.000:a 2.000:b 3.000:a"},
		{"an export that the scheduler has not taken up", strings.Replace(strings.Replace(export, `"moving": {}`, "", 1), `"b": {}`, `"b": {"moving": {}}`, 1) + "@08:00:02", snapshots("a a a b b"), "1.000:a 4.000:b"},
		{"a start between snapshots", "", [][]byte{poolsInfo(0.5), snapshots("a")[0], started(1.5, "b"), row(2, "fair_share_info", `"tree_id": "main", "operations": {}, "pools": {}`)}, "0.500:a 1.500:b"},
		{"usage after the last snapshot", "", append(snapshots("a a"), poolsInfo(0.5), usage(2.5, "<Root>")), "0.500:a 2.500:none"},
		{"no snapshots", "", [][]byte{poolsInfo(0.5), usage(2, "a"), usage(4, "b"), usage(6, "a")}, "0.500:a 4.000:b 6.000:a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			o := ytsaurus.Options{Out: filepath.Join(dir, "trace")}
			if text, taken, dated := strings.Cut(c.export, "@"); text != "" {
				e := ytsaurus.Export{Path: writeText(t, filepath.Join(dir, "pool_trees.json"), []byte(text)), At: at(t, "2025-03-03T08:01:00Z")}
				if dated {
					e.At = at(t, "2025-03-03T"+taken+"Z")
				}
				o.Exports = append(o.Exports, e)
			}
			for _, order := range []string{"as written", "newest first"} {
				rows := slices.Clone(c.rows)
				if order == "newest first" {
					slices.Reverse(rows)
				}
				o.Sources, o.Replace = []string{writeRows(t, filepath.Join(dir, "log.jsonl"), rows)}, true
				importLog(t, o)
				tr := joblogtest.Read(t, o.Out)
				var got []string
				for _, v := range tr.Trees[0].PoolConfigs {
					if tr.Pools[v.Pool].Name == "moving" {
						parent := "none"
						if v.Parent.Set {
							parent = tr.Pools[v.Parent.Value].Name
						}
						got = append(got, fmt.Sprintf("%.3f:%s", float64(v.Time-at(t, "2025-03-03T08:00:00Z"))/float64(core.Second), parent))
					}
				}
				if s := strings.Join(got, " "); s != c.want {
					t.Errorf("%s: %s, want %s", order, s, c.want)
				}
			}
		})
	}
}

// TestEphemeralPoolsStandWhereTheRulesPutThem: a pool that no configuration has stands
// below its hub or the default parent of the time where the next snapshot lacks it, and moves
// when a snapshot shows it below another default parent. One that has it elsewhere configures nothing.
func TestEphemeralPoolsStandWhereTheRulesPutThem(t *testing.T) {
	dir := t.TempDir()
	var exports []ytsaurus.Export
	for moment, parent := range map[string]string{"08:00:00": "a", "08:00:05": "b"} {
		text := fmt.Sprintf(`{"$attributes": {"default_tree": "main"}, "$value": {"main": {"$attributes": {"default_parent_pool": %q}, "$value": {"a": {}, "b": {}, "hub": {}}}}}`, parent)
		exports = append(exports, ytsaurus.Export{Path: writeText(t, filepath.Join(dir, parent+".json"), []byte(text)), At: at(t, "2025-03-03T"+moment+"Z")})
	}
	row := func(second float64, event, rest string) []byte {
		return fmt.Appendf(nil, `{"timestamp": "2025-03-03T08:00:%06.3fZ", "event_type": %q, %s}`, second, event, rest)
	}
	operation := func(second float64, id int, pool string) []byte {
		return row(second, "operation_started", fmt.Sprintf(`"operation_id": "%d-2-3e8-4", "spec": {}, "authenticated_user": "u", "pool": %q`, id, pool))
	}
	snapshot := func(second float64, pools string) []byte {
		return row(second, "fair_share_info", `"tree_id": "main", "operations": {}, "pools": {"<Root>": {"resource_usage": {}, "resource_demand": {}}`+pools+`}`)
	}
	const late = `, "early": {"parent": "b", "is_ephemeral": true, "resource_usage": {}, "resource_demand": {}}, "late": {"parent": "b", "is_ephemeral": true, "resource_usage": {}, "resource_demand": {}}`
	o := ytsaurus.Options{Exports: exports, Sources: []string{writeRows(t, filepath.Join(dir, "log.jsonl"), [][]byte{
		operation(1, 1, "early"), operation(1.5, 2, "hub$u"), snapshot(2, ""), operation(5.5, 3, "late"), snapshot(6, late), snapshot(7, strings.ReplaceAll(late, `"b"`, `"hub"`)),
		row(8, "pools_info", `"pools": {"main": {"a": {}, "b": {}, "hub": {}, "early": {}}}`),
	})}}
	tr := joblogtest.Read(t, importLog(t, o).dir)
	got := map[string]string{}
	for _, v := range tr.Trees[0].PoolConfigs {
		if v.Ephemeral && v.Parent.Set {
			got[tr.Pools[v.Pool].Name] += tr.Pools[v.Parent.Value].Name
		}
	}
	if want := map[string]string{"early": "ab", "hub$u": "hub", "late": "b"}; !maps.Equal(got, want) {
		t.Errorf("ephemeral pools stand below %v, want %v", got, want)
	}
}
