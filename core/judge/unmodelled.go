package judge

import (
	"slices"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// unmodelledRules lists the rules that go by what an option may change that is not modelled
// (core/spec/scheduling.md §3.7).
var unmodelledRules = []struct {
	changes scheduling.Unmodelled
	rules   []string
}{
	{scheduling.UnmodelledShares, []string{
		"GUA-01", "GUA-02", "GUA-03", "GUA-04", "GUA-05", "GUA-08", "GUA-10", "GUA-11", "STV-01", "STV-02", "STV-04", "STV-09", "STV-12",
		"LST-01", "LST-02", "LST-03", "LST-04", "LST-05", "HB-05", "HB-06", "HB-09", "FIFO-02", "FIFO-03", "GRC-01", "OVC-02",
		"PRE-03", "PRE-04", "PRE-05", "PRE-06", "PRE-08", "PRE-09", "PRE-10", "PRE-11", "PRE-15", "PRE-16", "PRE-17", "PRE-18", "PRE-20",
	}},
	{scheduling.UnmodelledModules, []string{"SEG-02"}},
	{scheduling.UnmodelledLists, []string{"LST-01", "LST-02", "LST-03", "LST-04", "LST-05", "GRC-01", "OVC-02", "PRE-06", "PRE-11", "PRE-15", "PRE-16"}},
}

// fullHostRules are the rules that the last stage for jobs that take all GPUs of a node may break.
var fullHostRules = []string{
	"PRE-03", "PRE-06", "PRE-07", "PRE-08", "PRE-09", "PRE-10", "PRE-11", "PRE-15", "PRE-16", "PRE-17", "PRE-18", "PRE-26", "LST-05",
}

// unmodelledBy holds for each invariant the changes by which options make it undecidable, the stage only for
// victims of it.
var unmodelledBy = func() (all [len(declared)]scheduling.Unmodelled) {
	for i := range declared {
		at := &all[declared[i].invariant]
		for _, u := range unmodelledRules {
			if slices.Contains(u.rules, declared[i].id) {
				*at |= u.changes
			}
		}
		if slices.Contains(fullHostRules, declared[i].id) {
			*at |= scheduling.UnmodelledStage
		}
	}
	return all
}()

// GoesByShares reports whether the rule of an id goes by recomputed fair shares.
func GoesByShares(id string) bool {
	return slices.Contains(unmodelledRules[0].rules, id)
}

// withholdStage makes rulings on the victim undecidable that the last stage for jobs that take all GPUs of a node
// explains: the preemptor wants them, or is not known.
func (b *Batch) withholdStage(r *Ruling) {
	if r.Verdict <= Undecidable || b.Unmodelled&unmodelledBy[r.Invariant]&scheduling.UnmodelledStage == 0 {
		return
	}
	p := b.Taken[b.turn].Preemptor
	if p == PreemptorUnknown || p >= 0 && b.Started[p].Usage[resource.GPU] >= scheduling.FullHostGPUs {
		*r = Ruling{Invariant: r.Invariant, Verdict: Undecidable, Evidence: r.Evidence, Victim: r.Victim, Missing: UnmodelledOptions}
	}
}
