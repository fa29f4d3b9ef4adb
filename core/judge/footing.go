package judge

// A Footing is what rules rest on besides what the log states of a decision itself.
type Footing uint8

// The footings.
const (
	OnState         Footing = 1 << iota // what runs where, who starves and for how long, lists and shares
	OnConfiguration                     // that of the tree and its pools, and which operations are in them
	OnDemand                            // what its operations ask for, and so who starves and what shares are fair
)

// restsOn is the footing of a rule: what is shaken there shakes the rule. Only rules that
// are known to need less rest on less than all.
func (i Invariant) restsOn() Footing {
	switch i {
	case PRE13, PRE25:
		return 0
	case HB01, HB02, HB03, HB04, PRE01, PRE02, PRE12, LOG01:
		return OnState
	case HB08, PRE26:
		return OnConfiguration
	case HB06, PRE03, PRE04, PRE05, PRE06, PRE08, PRE09, PRE10, PRE15, PRE16, GUA07:
		return OnState | OnConfiguration | OnDemand
	}
	return OnState | OnConfiguration
}
