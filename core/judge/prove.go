package judge

import "poolproof/core/scheduling"

// A Proof is what is to be said of one preemption besides verdicts, by the best
// estimate. Indexes are those of the batch; -1 stands for none.
type Proof struct {
	// Target is the priority that the stage served. Priority is that of the
	// beneficiary in the configured scope, Own by itself.
	Target, Priority, Own scheduling.Priority

	// Starving is the element in whose name the beneficiary was entitled, by the
	// clock that exceeds its timeout most; Kind is the share it was below,
	// Since from when, and Timeout after what time it counts.
	Starving int32
	Status   scheduling.Status
	Kind     scheduling.Kind
	Since    int64
	Timeout  int64

	List    scheduling.List
	Level   scheduling.Level
	Blocker int32

	// Of the victim's operation, as the batch came to the victim and as it left
	// it: local satisfaction and dominant usage share; and its fair share.
	Before, After           float64
	ShareBefore, ShareAfter float64
	FairShare               float64

	// Candidates is how many jobs of the node the stage could take, Rank the
	// victim's place among them, and Better the first of those that stayed and
	// should have gone before it.
	Candidates, Rank int
	Better           int32

	Room bool  // the beneficiary's job fitted the node without any victim
	Lost int64 // how long the victim had run: work to be done again
}

// Prove tells the full story of one preemption of the batch.
func (b *Batch) Prove(k int) Proof {
	b.read()
	b.turnTo(k)
	b.stage = b.target()
	e := b.beneficiary()
	t, job := b.taken(k)
	p := Proof{
		Target: b.stage, Starving: -1, Since: scheduling.Never, Better: -1, Rank: -1,
		List: job.List, Level: b.level(job), Blocker: b.blocker(job),
		Lost: b.At - job.Start,
	}
	if e >= 0 {
		h := b.starvation()
		p.Priority, p.Own = b.priority(e, b.States[0].Options.Scope), b.priority(e, scheduling.OperationOnly)
		if p.Timeout = h.timeout; h.element >= 0 {
			p.Starving, p.Kind, p.Since = h.element, h.kind, b.At-h.elapsed
			p.Status = b.status(h.element)
		}
	}
	p.Before, p.ShareBefore = b.satisfactionAt(job.Operation, k)
	p.After, p.ShareAfter = b.satisfactionAt(job.Operation, k+1)
	p.FairShare = b.best.Element(job.Operation).Fair.Dominant()
	if b.NoNode {
		return p
	}
	p.Candidates, p.Rank = b.rank()
	p.Better = b.better(false)
	if t.For >= 0 {
		p.Room = b.before.Add(b.Started[t.For].Usage).FitsIn(b.Node.Limits)
	}
	return p
}
