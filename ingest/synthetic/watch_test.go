package synthetic

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/ingest/input"
	"poolproof/ingest/trace"
)

// What planted.json would claim and the trace would not show is refused, and
// nothing is written.
func TestAPlantThatCannotHappenIsAnErrorAndNoTrace(t *testing.T) {
	const filtered = "snapshot_period: 1s" + `
trees:
  t: {nodes_filter: own, pools: {a: {}}}
nodes:
  - {name: n, count: 2, tags: [own], resources: {cpu: 1}}
`
	for _, c := range []struct{ name, kind, from, to, want string }{
		{"a tree takes the plant's nodes", "start_over_pool_limit", "nodes_filter: own, ", "", "nodes_filter of tree t"},
		{"no snapshots", "share_below_guarantee", "snapshot_period: 1s", "snapshot_period: 0s", "snapshot_period"},
		{"another profile", "fifo_inversion", "snapshot_period", "profile: legacy\nsnapshot_period", "of the profile documented, and that of the cluster of the profile legacy"},
		{"the plant's own profile", "gang_outside_fifo", "snapshot_period", "profile: documented\nsnapshot_period", "of the profile current"},
		{"no node reports", "job_on_shared_node", "snapshot_period", "heartbeat_period: 10h\nsnapshot_period", "no node of its tree reported"},
		{"a decision never comes", "guarantee_ignored", "snapshot_period", "preparation: 20m\nsnapshot_period", "found no moment"},
		{"a snapshot never comes", "share_below_guarantee", "period: 1s", "period: 50s", "found no moment"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(filtered, c.from, c.to, 1)
			spec, err := Parse("f", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			_, err = Generate(context.Background(), Options{Spec: spec, Plants: []string{c.kind}, Out: filepath.Join(dir, "trace")})
			if !input.IsBad(err) || !strings.HasPrefix(err.Error(), "plant "+c.kind+": ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %q in it", err, c.want)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%s is left", left[0].Name())
			}
		})
	}
	spec, err := Parse("f", []byte(filtered))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"start_over_pool_limit", "share_below_guarantee", "fifo_inversion", "legal_limit_lowered"} {
		generate(t, Options{Spec: spec, Plants: []string{kind}})
	}
}

// TestEveryKindGrowsBesideAPreset by itself.
func TestEveryKindGrowsBesideAPreset(t *testing.T) {
	spec, err := Preset("small")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Plants() {
		if _, _, err := withPlants(spec, []string{p.Kind}, nil); err != nil {
			t.Errorf("%s: %v", p.Kind, err)
		}
	}
}

// TestALimitOfTheClusterIsLowForAWhile: whatever the description has, the plant's
// limit holds in its time only, and the rest of the description's operations start.
func TestALimitOfTheClusterIsLowForAWhile(t *testing.T) {
	for described, want := range map[string]core.Optional[int64]{"": {}, "max_operation_count: 700\n": core.Some[int64](700)} {
		spec, err := Parse("f", []byte(described+`
length: 1m
trees: {t: {nodes_filter: own, pools: {a: {}}}}
nodes: [{name: n, count: 2, tags: [own], resources: {user_slots: 8, cpu: 8}}]
`))
		if err != nil {
			t.Fatal(err)
		}
		dir, _ := generate(t, Options{Spec: spec, Plants: []string{"started_in_full_cluster"}})
		var limits []core.Optional[int64]
		eachRow(t, filepath.Join(dir, "global", "cluster_config.parquet"), trace.ClusterConfigs, func(r *trace.ClusterConfig) { limits = append(limits, r.MaxOperationCount) })
		if all := []core.Optional[int64]{want, core.Some[int64](2), want}; !slices.Equal(limits, all) {
			t.Errorf("described %q: limits are %v, want %v", described, limits, all)
		}
	}
}

// TestLookAlikesGrowBesideEachOther: more nodes move when the others report, and no
// look-alike depends on that.
func TestLookAlikesGrowBesideEachOther(t *testing.T) {
	var kinds []string
	for _, p := range Plants() {
		if p.Severity == "none" && !p.OfTheWholeScheduler() {
			kinds = append(kinds, p.Kind)
		}
	}
	if _, s := generate(t, Options{Plants: kinds, Seed: 1}); len(s.Planted) != len(kinds) {
		t.Errorf("%d of %d are planted", len(s.Planted), len(kinds))
	}
}
