package plants

import (
	"slices"
	"testing"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest/synthetic"
)

// TestSweepPlantsTogether: kinds that are planted together are found each, and so are those
// that happen to the whole scheduler: a restart excuses nothing of the others. All of
// these are in the trace, and a part of the rest.
func TestSweepPlantsTogether(t *testing.T) {
	part := sweep.Take(t, 64)
	const long = 600 * 1_000_000 // all the others would go on as long
	var kinds []string
	for i, p := range synthetic.Plants() {
		chosen := !p.OfTheWholeScheduler() && part.Has(i) && (part.All() || p.To < long)
		if p.HasTurn() || chosen {
			kinds = append(kinds, p.Kind)
		}
	}
	planted, v := commandtest.Harvest(t, synthetic.Options{Plants: kinds, Seed: 1})
	m := newMatrix(1)
	for i := range planted {
		p := &planted[i]
		m.add(p, slices.DeleteFunc(slices.Clone(v.Findings), func(f audit.Finding) bool { // what a later restart excuses accuses nobody
			return f.Verdict == audit.Excused && f.To != nil && f.To.After(moment(p.To))
		}), false)
		if p.Severity != "none" && m.found[p.Kind] == 0 {
			t.Errorf("%s is not found", p.Kind)
		}
	}
	examples := make([]string, 0, len(m.example))
	for of, example := range m.example {
		examples = append(examples, of+": "+example)
	}
	slices.Sort(examples)
	for _, example := range examples {
		t.Errorf("not planted, and found: %s", example)
	}
	t.Logf("%d kinds", len(planted))
}
