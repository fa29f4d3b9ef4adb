package judge

import "poolproof/core/scheduling"

// A Proof holds the facts of one preemption in the best estimate: the preemptor's entitlement, and
// the victim's protection and rank. Indexes are those of the batch; -1 means none.
type Proof struct {
	// Target is the priority that the stage served, Priority that of the preemptor in the
	// configured scope, and Own that of the preemptor itself.
	Target, Priority, Own scheduling.Priority

	// Starving is the element whose starvation entitled the preemptor: the one whose clock exceeds
	// its timeout most. Kind is the share that it was below since Since; Timeout is its timeout.
	Starving int32
	Status   scheduling.Status
	Kind     scheduling.Kind
	Since    int64
	Timeout  int64

	List    scheduling.List
	Level   scheduling.Level
	Blocker int32

	// Local satisfaction and dominant usage share of the victim's operation before the victim and
	// after the batch, and its fair share.
	Before, After           float64
	ShareBefore, ShareAfter float64
	FairShare               float64

	// Candidates is the number of jobs of the node that the stage could take, Rank the victim's
	// rank among them, and Better the first job that stayed and should have gone before it.
	Candidates, Rank int
	Better           int32

	Room bool  // the preemptor's job fitted the node without any victim
	Lost int64 // how long the victim had run
}

// Prove returns the facts of preemption k of the batch.
func (b *Batch) Prove(k int) Proof {
	b.readBatch()
	b.turnTo(k)
	b.stage = b.target()
	e := b.preemptor()
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
	if t.Preemptor >= 0 {
		p.Room = b.before.Add(b.Started[t.Preemptor].Usage).FitsIn(b.Node.Limits)
	}
	return p
}
