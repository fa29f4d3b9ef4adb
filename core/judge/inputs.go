package judge

import "strings"

// Inputs are what rules rest on besides what the log states of a decision itself.
type Inputs uint8

// The inputs of rules.
const (
	OnState         Inputs = 1 << iota // what runs where, who starves and for how long, lists and shares
	OnConfiguration                    // that of the tree and its pools, and which operations are in them
	OnDemand                           // what its operations ask for, and so who starves and what shares are fair
	OnVersions                         // that the versions in force are those replayed: one of the pools concerned changed just now
	OnShares                           // what anybody in the tree asks for, and so all fair shares, lists and orders by them
	OnOperations                       // which operations there are: of some the log does not tell the start or the end
)

// restsOn returns the inputs of a rule; a doubt about one of them is a doubt about the rule. Only rules that
// are known to need less rest on less than all.
func (i Invariant) restsOn() Inputs {
	switch i {
	case PRE13, PRE25:
		return OnVersions
	case LIM01, LIM03: // each version that may be in force is tried
		return OnState
	case HB01, HB02, HB03, HB04, PRE01, PRE02, PRE12, LOG01:
		return OnState | OnVersions
	case HB08, PRE26:
		return OnConfiguration | OnVersions
	case HB06, PRE03, PRE04, PRE05, PRE06, PRE08, PRE09, PRE10, PRE15, PRE16, GUA07:
		return OnState | OnConfiguration | OnVersions | OnDemand | OnShares
	case LST03, PRE11, PRE17, PRE18, PRE20, GRC01, OVC02:
		return OnState | OnConfiguration | OnVersions | OnShares
	case CNT01, CNT02, CNT03, CNT06, CNT08, LW03, LW04, PEND07, POOL03, POOL05:
		return OnState | OnConfiguration | OnVersions | OnOperations
	}
	return OnState | OnConfiguration | OnVersions
}

// isExcused reports whether the window that a decision fell in excuses a breach of a rule.
// While the scheduler cannot take its configuration over, limits of resources and of counts
// and guarantees are those of the version that was accepted last (core/spec/invariants.md §1):
// where that is the one that was replayed, or is broken, too, nothing is excused.
func (c *Context) isExcused(i Invariant, f *finding) bool {
	switch {
	case c.Excuse == NoExcuse || !i.HonoursWindows():
		return false
	case c.Excuse != PoolsAlert || !i.goesByLimits():
		return true
	case i == LIM01 || i == LIM03:
		return f.may
	}
	return c.Shaken&OnConfiguration != 0
}

// goesByLimits reports whether a rule is about limits of resources or of counts, or about
// guarantees.
func (i Invariant) goesByLimits() bool {
	switch i {
	case CNT01, CNT02, CNT06, LW02, LW03, LW04:
		return true
	}
	section, _, _ := strings.Cut(entries[i].id, "-")
	return section == "LIM" || section == "GUA"
}
