package ytsaurus_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest"
	"poolproof/ingest/ytsaurus"
)

// Reports of what operations accumulated, and the rests that their ends hold, become volumes since the report of the
// tree before, whatever the order of the rows. A distribution that is not whole is none.
func TestAccumulatedDistributions(t *testing.T) {
	volume := func(cpu float64) string {
		return fmt.Sprintf(`{"user_slots": 1, "cpu": %g, "gpu": 0, "user_memory": 1e15, "network": 0}`, cpu)
	}
	distribution := func(fair, usage, deficit float64) string {
		return fmt.Sprintf(`{"fair_resources": %s, "usage": %s, "usage_deficit": %s}`, volume(fair), volume(usage), volume(deficit))
	}
	row := func(clock, event, rest string) []byte {
		return fmt.Appendf(nil, `{"timestamp": "2025-03-03T08:%sZ", "event_type": %q, %s}`, clock, event, rest)
	}
	report := func(clock, tree, operations string) []byte {
		return row(clock, "accumulated_usage_info", fmt.Sprintf(`"tree_id": %q, "pools": {"p": {}}, "operations": {%s}`, tree, operations))
	}
	of := func(id int, usage float64, distribution string) string {
		return fmt.Sprintf(`"%d-2-3e8-4": {"pool": "p", "accumulated_resource_usage": %s, "accumulated_resource_distribution": %s}`, id, volume(usage), distribution)
	}
	started := func(clock string, id int) []byte {
		return row(clock, "operation_started", fmt.Sprintf(`"operation_id": "%d-2-3e8-4", "spec": {}, "authenticated_user": "u", "scheduling_info_per_tree": {"main": {"pool": "p"}, "other": {"pool": "p"}}`, id))
	}
	rows := [][]byte{
		started("00:01", 1), started("00:02", 2),
		report("01:00", "main", of(1, 20, distribution(100, 20, 80))+","+of(2, 5, `{"usage": `+volume(5)+`}`)), // of an early build
		report("01:01", "other", of(1, 1, distribution(2, 1, 1))),
		report("02:00", "main", of(1, 30, distribution(110, 30, 80.01))+","+of(2, 5, fmt.Sprintf(`{"fair_resources": {"cpu": 1}, "usage": %s, "usage_deficit": %s}`, volume(5), volume(0)))),
		row("02:30.5", "operation_completed", fmt.Sprintf(`"operation_id": "1-2-3e8-4", "start_time": "2025-03-03T08:00:01Z", "finish_time": "2025-03-03T08:02:30Z",
			"scheduling_info_per_tree": {"main": {"pool": "p"}, "other": {"pool": "p"}},
			"accumulated_resource_usage_per_tree": {"main": %s}, "accumulated_resource_distribution_per_tree": {"main": %s, "other": %s}`,
			volume(9), distribution(50, 9, 41), distribution(0, 0, 0))),
		report("03:00", "main", of(2, 0, distribution(-1, 0, 0))),
	}
	for i := range rows {
		rows[i] = []byte(strings.NewReplacer("\n", "", "\t", "").Replace(string(rows[i])))
	}
	for _, order := range []string{"as written", "newest first"} {
		if order == "newest first" {
			slices.Reverse(rows)
		}
		dir := t.TempDir()
		export := writeText(t, filepath.Join(dir, "trees.json"), []byte(`{"$attributes": {"default_tree": "main"}, "$value": {"main": {"p": {}}, "other": {"p": {}}}}`))
		in := importLog(t, ytsaurus.Options{Exports: []ytsaurus.Export{{Path: export}}, Sources: []string{writeRows(t, filepath.Join(dir, "log.jsonl"), rows)}})
		tr, err := ingest.Open(in.dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		from := at(t, "2025-03-03T08:00:00Z")
		for _, tree := range []string{"main", "other"} {
			for e, err := range tr.Events(tree, ingest.Options{Kinds: []core.Kind{core.VolumesRecorded}}) {
				if err != nil {
					t.Fatal(err)
				}
				since, x := "?", e.VolumeRecord
				if x.Since.Set {
					since = fmt.Sprint((x.Since.Value - from) / core.Second)
				}
				if x.Fair[resource.Memory] != 1e15 || x.Deficit[resource.UserSlots] != 1 {
					t.Errorf("%s: %+v", order, x)
				}
				got = append(got, fmt.Sprintf("%s %s-%d %s: %g %g %g", tree, since, (e.Time-from)/core.Second, tr.Dimensions().Operations[x.Operation].ID,
					x.Fair[resource.CPU], x.Usage[resource.CPU], x.Deficit[resource.CPU]))
			}
		}
		want := []string{ // in hundredths of a core·s
			"main ?-60 1-2-3e8-4: 10000 2000 8000", "main 60-120 1-2-3e8-4: 11000 3000 8001", "main 120-150 1-2-3e8-4: 5000 900 4100",
			"main 120-180 2-2-3e8-4: -100 0 0", "other ?-61 1-2-3e8-4: 200 100 100", "other 61-150 1-2-3e8-4: 0 0 0",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", order, d)
		}
		if n := in.noted("bad_amount"); n != 1 {
			t.Errorf("%s: %d distributions are not whole", order, n)
		}
	}
}
