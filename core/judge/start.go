package judge

import (
	"slices"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A Start is a started job with the evidence to judge it: the state before the start. Fill it by
// hand, or with LookAt from a scheduling.Tree; the caller adds the fields that the tree does not
// know.
type Start struct {
	Decision
	Size      resource.Vector
	SSD       Fact  // its operation requests a medium of ssd_priority_preemption
	Operation int32 // index of the element, -1 for an operation that no longer takes part in the tree or not yet
	Ended     int64 // when that operation last took part, scheduling.Never if it has not yet

	NodeUsage    resource.Vector // before the start; for a preemptive start without its victims
	NodeDoubt    resource.Vector // the part of NodeUsage used by jobs that may have left
	Doubtful     bool            // such a job is on the node or below an element, or NoneWaits
	Waiting      bool            // a job on the node waits to start
	NoneWaits    bool            // although shortly after, by a clock that may differ, none waits
	Offline      bool
	OfflineSince int64 // when it went offline by the log, or scheduling.Never
	RowLag       int64 // how early or late that may be recorded, if more than the difference of clocks
	BackSince    int64 // first heartbeat of the node after that, or scheduling.Never
	Skipped      bool  // the log marks the heartbeat as skipped
	Unrecorded   Input // the unrecorded input for whether the node was offered
	Preemptive   bool  // it started by preemption
	MayPreempt   bool  // it may have, although it has no victims
	Earlier      int   // jobs that the same heartbeat had started
	InPlace      int   // its number among the starts with a recorded preemptive stage and no victims, else 0
	Running      Fact  // the operation runs in this tree and is enabled
	Suspended    bool  // although it runs
	Pending      Fact  // it waits in a queue of this tree
	Demand       Fact  // Yes: every change of its demand is recorded; No: only snapshots record it; Unknown: not recorded
	DemandOld    bool  // the last snapshot of its demand is more than a tick old
	InTree       Fact  // this tree is one of the operation's
	OwnNode      Fact  // the node served this tree
	Tags         Fact  // the tag filters of the operation and all its pools match the node
	TagsSince    int64 // last change of tags or filters, or scheduling.Never
	Segment      Fact  // segment and module of the operation are those of the node
	SegmentSince int64 // last change of either, or scheduling.Never
	Elsewhere    Fact  // the operation has jobs that started in another segment or module; Unknown also if it has no jobs
	RunsSince    int64 // when that was last found to be doubtful, or scheduling.Never
	Reset        bool  // it has waited so long that its module may have been reset

	LimitedSince int64 // last change of the operation's own limits, or scheduling.Never
	MovedSince   int64 // nearest change of its pool, before or after, or scheduling.Never
	Joined       int32 // number of its lowest pools that it was not in before that change, or is not in after it

	Sought     Fact       // whether a competitor was searched for: Yes or Unknown
	Competitor Competitor // the first operation that could have started instead
}

// LookAt fills a start from the current state of a tree, before the job is added; pass Root for an
// operation that is not in the tree. It reuses buffers and keeps Context and the fields that only
// the caller knows, except the competitor.
func (s *Start) LookAt(t *scheduling.Tree, n scheduling.Node, at int64, operation scheduling.Element, size resource.Vector) {
	s.At, s.Size, s.NoNode, s.Sought, s.Competitor = at, size, n == scheduling.NoNode, Unknown, Competitor{}
	best := s.resetStates(t)
	best.indexElement(t, operation)
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

// Clone returns a copy that later calls of LookAt do not change.
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
		if s.States[0].Options.GPUPolicy && c.invariant.IsClassic() {
			continue
		}
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

// not returns the finding of a rule that requires the fact to be No.
func (f Fact) not(input Input) finding {
	if f == Unknown {
		return finding{missing: input}
	}
	return held(f == No)
}
