package commandtest

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"poolproof/audit"
	"poolproof/ingest/synthetic"
	"poolproof/queries"
)

// Harvest generates a trace, replays and audits it, by one worker unless the options
// name more, and returns what was planted and what was found.
func Harvest(t *testing.T, o synthetic.Options) ([]synthetic.Planted, *audit.Verdict) {
	t.Helper()
	dir := t.TempDir()
	o.Out = filepath.Join(dir, "trace")
	summary, err := synthetic.Generate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	v := VerdictOn(t, o.Out, filepath.Join(dir, "run"), max(o.Workers, 1))
	os.RemoveAll(dir) // many of them are more than a small disk has
	return summary.Planted, v
}

// VerdictOn replays a trace and audits the run, of which nothing is kept.
func VerdictOn(t *testing.T, trace, out string, workers int) *audit.Verdict {
	t.Helper()
	Succeed(t, "replay", trace, "--out", out, "--workers", fmt.Sprint(workers), "--quiet")
	defer os.RemoveAll(out)
	v, err := audit.Run(t.Context(), audit.Options{Dir: out, Queries: queries.Files, Workers: workers, Only: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, outcome := range v.Outcomes {
		if outcome.Verdict == audit.Failed {
			t.Errorf("audit %s failed in tree %s: %s", outcome.Audit.ID, outcome.Tree, outcome.Reason)
		}
	}
	return v
}

// bedSize is the number of plants in a trace. Each has trees of its own, which are
// judged separately; only the cost of a run is shared.
const bedSize = 9

// Beds groups plants into traces. Plants of about the same length share a trace, so that traces
// are not longer than they must be. A plant that affects the whole scheduler is alone.
func Beds(plants []synthetic.Plant) (all [][]synthetic.Plant) {
	plants = slices.Clone(plants)
	slices.SortStableFunc(plants, func(a, b synthetic.Plant) int { return cmp.Compare(a.To, b.To) })
	var shared []synthetic.Plant
	for _, p := range plants {
		if p.OfTheWholeScheduler() {
			all = append(all, []synthetic.Plant{p})
		} else {
			shared = append(shared, p)
		}
	}
	return slices.AppendSeq(all, slices.Chunk(shared, bedSize))
}

// KindsOf are the kinds of plants.
func KindsOf(bed []synthetic.Plant) (kinds []string) {
	for _, p := range bed {
		kinds = append(kinds, p.Kind)
	}
	return kinds
}
