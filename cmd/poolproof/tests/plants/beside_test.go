package plants

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest/synthetic"
)

// besideKinds are so many look-alikes that share a trace with a preset.
const besideKinds = 14

// TestSweepLookAlikesBesideAPreset: whatever only looks like a violation accuses nobody
// beside the preset small either, whose periods are not those of the look-alikes' own
// cluster: it is recorded every five seconds. POOLPROOF_BESIDE_SEEDS says how many
// seeds are tried, by default one.
func TestSweepLookAlikesBesideAPreset(t *testing.T) {
	part := sweep.Take(t, 8)
	seeds, err := strconv.ParseUint(cmp.Or(os.Getenv("POOLPROOF_BESIDE_SEEDS"), "1"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, p := range synthetic.Plants() {
		if p.Severity == "none" && (!p.OfTheWholeScheduler() || p.HasTurn()) {
			kinds = append(kinds, p.Kind)
		}
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		for i, group := range slices.Collect(slices.Chunk(kinds, besideKinds)) {
			if !part.Has(i) {
				continue
			}
			if part.Sample() {
				group = group[:4]
			}
			t.Run(strconv.FormatUint(seed, 10)+" "+group[0], func(t *testing.T) {
				t.Parallel()
				spec, err := synthetic.Preset("small")
				if err != nil {
					t.Fatal(err)
				}
				planted, v := commandtest.Harvest(t, synthetic.Options{Spec: spec, Plants: group, Seed: seed})
				if len(planted) != len(group) {
					t.Errorf("%d of %d are planted", len(planted), len(group))
				}
				for i := range v.Findings {
					if f := &v.Findings[i]; f.Counts() {
						t.Errorf("%s of %s %s in tree %s from %s: %s", f.Invariant, f.SubjectKind, f.Subject, f.Tree, f.From, f.Reason)
					}
				}
			})
		}
	}
}
