package scheduling

// A Priority is the strength with which an operation may preempt for its own jobs
// (core/spec/scheduling.md §10.1). The constants are ordered.
type Priority uint8

// The priorities.
const (
	NoPriority Priority = iota
	Normal
	Aggressive
	SSDNormal
	SSDAggressive

	priorities = 5 // how many there are
)

var priorityNames = [...]string{"none", "normal", "aggressive", "ssd_normal", "ssd_aggressive"}

func (p Priority) String() string { return priorityNames[p] }

// onSSD returns the variant of a priority for an operation that requests an SSD
// medium, on an SSD-priority node.
func (p Priority) onSSD() Priority {
	if p == Normal || p == Aggressive {
		return p + SSDNormal - Normal
	}
	return p
}

// forSSD reports whether a stage of this priority serves SSD requests.
func (p Priority) forSSD() bool { return p >= SSDNormal }

// Priority returns the priority of an operation on a node in the configured scope (§10.1); for
// NoNode, without SSD.
func (t *Tree) Priority(e Element, n Node) Priority {
	return t.PriorityIn(e, n, t.options.Scope)
}

// PriorityIn returns the priority of an operation on a node in a scope.
func (t *Tree) PriorityIn(e Element, n Node, scope Scope) Priority {
	own := &t.elements[e]
	starving, aggressive := own.lowestStarving, own.lowestAggressive
	if scope == OperationOnly {
		starving, aggressive = onlyItself(starving, e), onlyItself(aggressive, e)
	}
	p := NoPriority
	switch {
	case !own.seen.schedulable:
	case aggressive != None:
		p = Aggressive
	case starving != None:
		p = Normal
	}
	if n != NoNode && t.nodes[n].SSD && own.operation.RequestsSSD {
		p = p.onSSD()
	}
	return p
}

func onlyItself(found, e Element) Element {
	if found == e {
		return e
	}
	return None
}

// ProperlyStarving reports whether a preemptor has the priority of the stage by itself, not through
// a pool above it (§10.5).
func ProperlyStarving(target, own Priority) bool { return target == own }

// A Level grades how easily a job can be preempted (§10.2). The constants are ordered: the least
// protected is the greatest.
type Level uint8

// The levels.
const (
	LevelSSDNonPreemptible Level = iota
	LevelSSDAggressivelyPreemptible
	LevelNonPreemptible
	LevelAggressivelyPreemptible
	LevelPreemptible
)

var levelNames = [...]string{
	"ssd_non_preemptible", "ssd_aggressively_preemptible", "non_preemptible", "aggressively_preemptible", "preemptible",
}

func (l Level) String() string { return levelNames[l] }

// forSSD reports whether the level is that of a job which holds SSD.
func (l Level) forSSD() bool { return l <= LevelSSDAggressivelyPreemptible }

// LevelOf returns the level of a job in a list, given whether its operation may
// be preempted aggressively, and whether it holds SSD on an SSD-priority node.
func LevelOf(l List, aggressiveAllowed, ssd bool) Level {
	if l == AggressivelyPreemptible && !aggressiveAllowed {
		l = NonPreemptible
	}
	switch {
	case l == Preemptible:
		return LevelPreemptible
	case ssd:
		return LevelSSDNonPreemptible + Level(l)
	}
	return LevelNonPreemptible + Level(l)
}

// Level returns the level of a job on its node (§10.2).
func (t *Tree) Level(j Job) Level {
	own := &t.jobs[j]
	ssd := own.ssd && own.node != NoNode && t.nodes[own.node].SSD
	return LevelOf(own.list(), t.elements[own.operation].own.AllowsAggressivePreemption, ssd)
}

// LeastLevel returns the lowest level that a stage of this priority may take
// (§10.2).
func (p Priority) LeastLevel() Level {
	switch p {
	case SSDAggressive:
		return LevelSSDAggressivelyPreemptible
	case SSDNormal:
		return LevelNonPreemptible
	case Aggressive:
		return LevelAggressivelyPreemptible
	}
	return LevelPreemptible
}

// A Reason is the scheduler's code for preempting a job (§10.9).
type Reason uint8

// The reasons.
const (
	NoReason Reason = iota
	ForPreemption
	ForAggressivePreemption
	ForSSDPreemption
	ForSSDAggressivePreemption
	ForGracefulPreemption
	ForOvercommit
	ForViolatedLimits
	ForOther // a code that no stage of the classic policy uses, and no repair
)

var reasonNames = [...]string{
	"", "preemption", "aggressive_preemption", "ssd_preemption", "ssd_aggressive_preemption",
	"graceful_preemption", "resource_overcommit", "resource_limits_violated", "other",
}

func (r Reason) String() string { return reasonNames[r] }

// ParseReason returns the reason of a code, NoReason if there is none.
func ParseReason(code string) Reason {
	for r := ForPreemption; r <= ForViolatedLimits; r++ {
		if reasonNames[r] == code {
			return r
		}
	}
	if code != "" {
		return ForOther
	}
	return NoReason
}

// IsOfStage reports whether only preemptive stages take jobs for the reason.
func (r Reason) IsOfStage() bool {
	return r >= ForPreemption && r <= ForSSDAggressivePreemption || r == ForViolatedLimits
}

// Stage returns the preemptive stage that takes jobs for the reason to make room. ok is false for
// other reasons: every stage repairs limits.
func (r Reason) Stage() (s Stage, ok bool) {
	for s = PreemptiveSSDAggressive; s <= PreemptiveNormal; s++ {
		if s.Target().Reason() == r {
			return s, true
		}
	}
	return 0, false
}

// Reason returns the reason code of the jobs that a stage takes.
func (p Priority) Reason() Reason {
	return [priorities]Reason{NoReason, ForPreemption, ForAggressivePreemption, ForSSDPreemption, ForSSDAggressivePreemption}[p]
}
