package snapshots

import (
	"slices"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/replay/env"
)

// shareRecord is what a record says of an element's shares. Limits that were set just now
// may be in force before or after the shares that heed them.
func (s *Snapshots) shareRecord(v *view, shares *fairshare.Result, given *env.ShareHistory, set bool) *judge.ShareRecord {
	x := &v.state
	record := &judge.ShareRecord{
		Context: s.unless(v.isWhole()), Fair: x.FairShare, Demand: x.DemandShare, Strong: x.StrongShare,
		Limits: x.Limits.Or(shares.Limits).ShareOf(s.total), Unstated: !x.Limits.Set,
		Guaranteed: shares.StrongShare, Expected: shares.FairShare.Total, Vague: s.vague,
		LeastExpected: given.Between(s.at, s.slacks.Configuration).Least,
		Torn:          v.sharesMoved(),
		Changed:       s.resized(s.Core) || !s.settled(),
		Relimited:     set || s.retagged(s.Core),
	}
	if !s.Core.IsSized() { // of what the replay's shares are fractions is unknown
		record.Guaranteed, record.Vague = resource.Share{}, true
	}
	unknown := record.Unstated && (shares.Limits.IsZero() || !s.Core.IsSized()) // no update has come to it
	for k := range record.Limits {
		if unknown || s.total[k] == 0 { // what the tree does not have limits nothing
			record.Limits[k] = 1
		}
	}
	return record
}

// unless is the context of rules that need shares of every resource, and whether these are
// recorded.
func (s *Snapshots) unless(whole bool) judge.Context {
	c := s.context
	if !whole && c.Missing == judge.NothingMissing {
		c.Missing = judge.FairShares
	}
	return c
}

// judgeShares judges it. What it alleges is judged once more by what its tick may have seen:
// another total, demand that only the record itself holds (ingest/trace/FORMAT.md §4.3), or jobs
// that by the log end within the slack of clocks, which take at most that much from others
// (§4.2).
func (s *Snapshots) judgeShares(record *judge.ShareRecord, rulings []judge.Ruling) []judge.Ruling {
	from := len(rulings)
	if rulings = record.Judge(rulings); !slices.ContainsFunc(rulings[from:], isViolated) {
		return rulings
	}
	left := s.Core.LeftAround(s.at, core.Time(s.slacks.Clock)).ShareOf(s.total)
	record.LeastExpected = record.LeastExpected.Sub(left)
	record.Vague = record.Vague || s.isOfAnotherTotal(s.Core) || s.changesDemand(s.Core)
	return record.Judge(rulings[:from])
}

// changesDemand reports whether the record holds another demand of an operation than was known,
// where records alone hold demand.
func (s *Snapshots) changesDemand(t *core.Tree) bool {
	return !s.exactDemand && slices.ContainsFunc(s.seenOps, func(slot int32) bool {
		return s.operations[slot].state.Demand != t.Operation(slot).Demand()
	})
}

func isViolated(x judge.Ruling) bool { return x.Verdict == judge.Violated }
