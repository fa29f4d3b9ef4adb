package judge

import (
	"slices"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A Start is a job that started, with the evidence to judge it: the state before
// it started. Fill it by hand, or with Look from a scheduling.Tree; what no tree
// knows is for the caller to add.
type Start struct {
	Decision
	Size      resource.Vector
	SSD       Fact  // its operation asks for a medium of ssd_priority_preemption
	Operation int32 // index of the element, -1 for one that takes part in the tree no more, or not yet
	Ended     int64 // when such a one did last, scheduling.Never if it had not begun

	NodeUsage    resource.Vector // before; of a preemptive start without what was taken for it
	NodeDoubt    resource.Vector // of it, what jobs use that may have been gone
	Doubtful     bool            // there is such a job on the node, or of an element, or NoneWaits
	Waiting      bool            // a job on the node waits to start
	NoneWaits    bool            // though a moment later the log tells of none, by a clock that may differ
	Offline      bool
	OfflineSince int64 // when the log told that, scheduling.Never if not known
	RowLag       int64 // how much earlier or later than it happened the log may tell that, if it is more than clocks differ
	BackSince    int64 // when the node sent a heartbeat first after that, scheduling.Never if it did not
	Skipped      bool  // the log marks the heartbeat as skipped
	Untold       Input // what the log does not record of whether the node was offered
	Preemptive   bool  // it started with preemption
	MayPreempt   bool  // or may have, though nothing was taken for it
	Earlier      int   // jobs that the same heartbeat had started
	InPlace      int   // it is which of those whose stage the log tells to be preemptive; 0 if none, or their victims tell
	Running      Fact  // the operation runs in this tree and is enabled
	Suspended    bool  // though it runs
	Pending      Fact  // it waits in a queue of this tree
	Demand       Fact  // the log tells every change of its demand: No if snapshots tell of it, Unknown if nothing does
	DemandOld    bool  // the last snapshot that tells of it is more than a tick old
	InTree       Fact  // this tree is one of the operation's
	OwnNode      Fact  // the node served this tree
	Tags         Fact  // the tag filters of the operation and all its pools match the node
	TagsSince    int64 // when tags or filters changed last; scheduling.Never if not known to
	Segment      Fact  // segment and module of the operation are those of the node
	SegmentSince int64 // when either changed last; scheduling.Never if not known to
	Elsewhere    Fact  // the operation has jobs that started in another segment or module; Unknown where it has none, too
	RunsSince    int64 // when the log told last that they may not have; scheduling.Never if it did not
	Reset        bool  // it has waited so long that its module may have been given up

	LimitedSince int64 // when the operation's own limits changed last; scheduling.Never if not known to
	MovedSince   int64 // when its pool did, or did next, likewise
	Joined       int32 // how many pools above it, the lowest ones, it was not in before that, or is not in after it

	Sought     Fact       // whether an operation that could have started instead was looked for: Yes or Unknown
	Competitor Competitor // the one that goes first among them
}

// Look fills the start of a job with what a tree knows before the job is added
// to it; the root stands for an operation that the tree does not have. Buffers are used
// again; Context and what only the caller knows stay, the competitor apart.
func (s *Start) Look(t *scheduling.Tree, n scheduling.Node, at int64, operation scheduling.Element, size resource.Vector) {
	s.At, s.Size, s.NoNode, s.Sought, s.Competitor = at, size, n == scheduling.NoNode, Unknown, Competitor{}
	best := s.begin(t)
	best.look(t, operation)
	s.Operation = int32(len(best.Elements)) - 1
	s.SSD, s.Segment, s.Elsewhere, s.Reset = Unknown, Unknown, Unknown, false
	if s.Operation >= 0 {
		s.SSD = FactOf(best.Element(s.Operation).RequestsSSD)
	}
	s.Node, s.NodeUsage = Node{Limits: resource.Unlimited, SSDSince: scheduling.Never}, resource.Vector{}
	if s.NoNode {
		return
	}
	info := t.DescribeNode(n)
	s.Node, s.NodeUsage = nodeOf(&info), info.Usage
	if s.Operation >= 0 {
		s.Segment = FactOf(t.SegmentFits(operation, n))
	}
}

// Clone returns a copy that later calls of Look leave alone.
func (s *Start) Clone() *Start {
	c := *s
	c.States = cloneStates(s.States)
	return &c
}

var startRules = touched(func(r *rule) startCheck { return r.start })

// Judge judges the start by every invariant that it touches and appends the
// rulings.
func (s *Start) Judge(rulings []Ruling) []Ruling {
	s.best = hypothesis{State: &s.States[0]}
	s.under(&s.best)
	var f finding
	for i := range startRules {
		c := &startRules[i]
		if s.Operation < 0 && c.invariant.About() != AboutNode || c.applies != nil && !c.applies(s) {
			continue
		}
		if evaluate(&f, &c.check, s); !f.untouched {
			rulings = slices.Grow(rulings, 1)[:len(rulings)+1]
			s.fill(&rulings[len(rulings)-1], c.invariant, &f)
		}
	}
	return rulings
}

func (s *Start) under(r *hypothesis) {
	r.measure(s.Slacks)
	s.r = r
}

func (s *Start) open(d doubts) doubts {
	if !s.Inexact || s.Slacks.OnUsage == 0 {
		d &^= onUsage
	}
	if s.Doubtful {
		d |= onLeft
	}
	return d
}

func (s *Start) missing(n needs) Input {
	return s.MissingInputs.Missing(MissingInputs(n / needConfiguration))
}

func (s *Start) unproven(_, _ needs, _ bool) Input { return NothingMissing }

// not is the finding of a rule which a fact would break.
func (f Fact) not(input Input) finding {
	if f == Unknown {
		return finding{missing: input}
	}
	return held(f == No)
}
