package snapshots

import (
	"slices"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/replay/env"
)

// shareRecord compares the recorded shares of an element with the expected ones. Recently changed
// limits may take effect before or after the shares that reflect them.
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
	if !s.Core.IsSized() { // the total of the replay's shares is unknown
		record.Guaranteed, record.Vague = resource.Share{}, true
	}
	unknown := record.Unstated && (shares.Limits.IsZero() || !s.Core.IsSized()) // no update has included it yet
	for k := range record.Limits {
		if unknown || s.total[k] == 0 { // resources that the tree does not have are not limited
			record.Limits[k] = 1
		}
	}
	return record
}

// hasUndatedGuarantee reports whether the record of a pool states less than its configured guarantee, and the log
// dates the configuration in no resource of which it does: another one may be in force.
func (s *Snapshots) hasUndatedGuarantee(slot int32, v *poolView, configured resource.Share) bool {
	recorded := v.state.StrongShare
	if v.state.StrongDetail != core.PerResource || recorded.Plus(s.slacks.Epsilon).Min(configured) == configured {
		return false
	}
	dated := s.Core.DatedOptions()
	for k := range configured {
		if configured[k] > recorded[k]+s.slacks.Epsilon && dated.OfGuarantee(slot, resource.Kind(k)) {
			return false
		}
	}
	return true
}

// unless returns the context of rules that need shares of every resource.
func (s *Snapshots) unless(whole bool) judge.Context {
	c := s.context
	if !whole && c.Missing == judge.NothingMissing {
		c.Missing = judge.FairShares
	}
	return c
}

// judgeShares judges a record of shares. Breaches are judged again by what its tick may have seen:
// another total, demand that only the record itself states (ingest/trace/FORMAT.md §4.3), or jobs
// that end within the slack of clocks, which take at most that much from others (§4.2).
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

// changesDemand reports whether the record changes the demand of an operation, if only records
// state demand.
func (s *Snapshots) changesDemand(t *core.Tree) bool {
	return !s.exactDemand && slices.ContainsFunc(s.seenOps, func(slot int32) bool {
		return s.operations[slot].state.Demand != t.Operation(slot).Demand()
	})
}

func isViolated(x judge.Ruling) bool { return x.Verdict == judge.Violated }
