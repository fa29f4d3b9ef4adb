package plants

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest/synthetic"
)

// TestSweepInnocence has clusters of many kinds judged that the scheduler served by its own
// rules, with nothing planted: whoever is accused above info is accused wrongly, or the
// scheduler of the core errs.
func TestSweepInnocence(t *testing.T) {
	part := sweep.Take(t, 10)
	const dir = "testdata/innocent"
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no clusters in %s", dir)
	}
	for i, file := range files {
		if !part.Has(i) {
			continue
		}
		t.Run(strings.TrimSuffix(file.Name(), ".yaml"), func(t *testing.T) {
			t.Parallel()
			spec, err := synthetic.Read(filepath.Join(dir, file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			_, v := commandtest.Harvest(t, synthetic.Options{Spec: spec, Seed: 1})
			judged := false
			for _, o := range v.Outcomes {
				judged = judged || o.Seen > 0
			}
			if !judged {
				t.Error("nothing was judged")
			}
			for i := range v.Findings {
				if f := &v.Findings[i]; f.Counts() {
					t.Errorf("%s of %s %s from %s: %s", f.Invariant, f.SubjectKind, f.Subject, f.From, f.Reason)
				}
			}
		})
	}
}
