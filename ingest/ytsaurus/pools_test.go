package ytsaurus_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/ytsaurus"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// TestThePoolAtTheEndIsNotThatAtTheStart moves operations into another pool before they
// end: they began where their start, or else the first snapshot, puts them.
func TestThePoolAtTheEndIsNotThatAtTheStart(t *testing.T) {
	for _, age := range []eventlogtest.Age{eventlogtest.Age2020, eventlogtest.Age2023} {
		l := sampleLog(t, age)
		exports := []ytsaurus.Export{{Path: l.export}}
		pools := func(rows [][]byte) map[string]string {
			got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), rows)}, Exports: exports})
			tr, all := joblogtest.Read(t, got.dir), map[string]string{}
			for _, tree := range tr.Trees {
				for _, e := range tree.OpEvents {
					if e.Event == "started" && e.Pool.Set {
						all[tree.Name+" "+tr.Operations[e.Op].ID] = tr.Pools[e.Pool.Value].Name
					}
				}
			}
			return all
		}
		moved := slices.Clone(l.rows)
		for i, row := range moved {
			f := fieldsOf(t, row)
			if f["event_type"] != "operation_completed" {
				continue
			}
			f["pool"] = "zebra"
			if trees, ok := f["scheduling_info_per_tree"].(map[string]any); ok {
				for _, in := range trees {
					in.(map[string]any)["pool"] = "zebra"
				}
			}
			moved[i] = lineOf(t, f)
		}
		want := pools(l.rows)
		for name, rows := range map[string][][]byte{"whole": moved, "without starts": without(moved, "operation_started")} {
			got, unseen := pools(rows), 0
			for operation, pool := range want {
				if got[operation] != pool {
					if name == "without starts" && (got[operation] == "zebra" || got[operation] == "") {
						unseen++ // no snapshot shows it
						continue
					}
					t.Errorf("%s, %s: operation %s began in %q, not in %q", age, name, operation, got[operation], pool)
				}
			}
			if len(want) < 20 || unseen > len(want)/4 {
				t.Errorf("%s, %s: of %d operations %d are in no snapshot", age, name, len(want), unseen)
			}
		}
	}
}

// TestAChangeIsToldBeforeTheNextExport sets a limit at 2 s and removes a pool at 3 s. An
// export of 5 s, after both, tells neither sooner.
func TestAChangeIsToldBeforeTheNextExport(t *testing.T) {
	row := func(second, event, rest string) []byte {
		return fmt.Appendf(nil, `{"timestamp":"2025-03-03T08:00:0%s.000000Z","event_type":%q,%s}`, second, event, rest)
	}
	tree := func(pools string) string {
		return `{"$attributes":{"default_tree":"t"},"$value":{"t":{` + pools + `}}}`
	}
	dir := t.TempDir()
	exports := []ytsaurus.Export{
		{Path: writeText(t, filepath.Join(dir, "0.json"), []byte(tree(`"a":{},"b":{}`))), At: at(t, "2025-03-03T08:00:00Z")},
		{Path: writeText(t, filepath.Join(dir, "5.json"), []byte(tree(`"a":{"$attributes":{"resource_limits":{"cpu":45}},"$value":{}}`))), At: at(t, "2025-03-03T08:00:05Z")},
	}
	const limited = `"a":{"resource_limits":{"cpu":45.0}}`
	rows := [][]byte{
		row("1", "fair_share_info", `"tree_id":"t","pool_count":0,"pools":{},"operations":{}`),
		row("2", "pools_info", `"pools":{"t":{`+limited+`,"b":{}}}`), row("3", "pools_info", `"pools":{"t":{`+limited+`}}`),
		row("9", "fair_share_info", `"tree_id":"t","pool_count":0,"pools":{},"operations":{}`),
	}
	got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(dir, "log"), rows)}, Exports: exports})
	tr := joblogtest.Read(t, got.dir)
	var versions []string
	for _, v := range tr.Trees[0].PoolConfigs {
		word := fmt.Sprintf("%s@%d", tr.Pools[v.Pool].Name, v.Time%60_000_000/1_000_000)
		if v.Limit.CPUMilli.Set {
			word += " limited"
		}
		if v.Deleted {
			word += " deleted"
		}
		versions = append(versions, word)
	}
	if told, want := strings.Join(versions, ", "), "a@1, b@1, a@2 limited, b@3 deleted"; told != want {
		t.Errorf("told %s, want %s", told, want)
	}
}
