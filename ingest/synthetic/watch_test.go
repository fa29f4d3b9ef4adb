package synthetic

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		{"a count of the whole cluster", "started_in_full_cluster", "snapshot_period", "max_operation_count: 3000\nsnapshot_period", "max_operation_count is 2"},
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
			var plant *PlantError
			if !errors.As(err, &plant) || plant.Kind != c.kind || !strings.Contains(plant.Why, c.want) || !plant.BadInput() {
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

// TestWhichKindsGrowBesidesAPreset: all but the one that is about how many operations
// the whole cluster may have, which a preset states itself.
func TestWhichKindsGrowBesidesAPreset(t *testing.T) {
	alone := map[string]string{
		"started_in_full_cluster": "max_operation_count is 2",
	}
	spec, err := Preset("small")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Plants() {
		_, _, err := withPlants(spec, []string{p.Kind})
		switch why, is := alone[p.Kind]; {
		case !is && err != nil:
			t.Errorf("%s: %v", p.Kind, err)
		case is && (err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "--preset none")):
			t.Errorf("%s: error %v, want %q and what to do", p.Kind, err, why)
		}
	}
}

// TestLookAlikesGrowBesideEachOther: more nodes move when the others report, and no
// look-alike depends on that.
func TestLookAlikesGrowBesideEachOther(t *testing.T) {
	var kinds []string
	for _, p := range legalPlants {
		kinds = append(kinds, p.Kind)
	}
	if _, s := generate(t, Options{Plants: kinds, Seed: 1}); len(s.Planted) != len(kinds) {
		t.Errorf("%d of %d are planted", len(s.Planted), len(kinds))
	}
}
