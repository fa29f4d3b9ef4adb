package replay

import (
	"poolproof/core"
	"poolproof/core/scheduling"
)

// oldEnough is how long a victim must have run for a younger one to be looked
// for on other nodes, and elsewhereAt how many jobs are looked at.
const (
	oldEnough   = 300 * core.Second
	elsewhereAt = 16
)

// lookElsewhere finds the latest job of the victim's operation that could have
// made the same room for the beneficiary on another node (PRE-29).
func (r *referee) lookElsewhere(row *preemption, victim scheduling.Job, target scheduling.Priority) {
	if !row.For.Set || row.Time-row.StartTime < oldEnough {
		return
	}
	beneficiary, ok := r.core.OperationOf(row.For.Value)
	own, live := r.core.JobOf(r.core.JobBehind(victim))
	if !ok || !live {
		return
	}
	needed := r.core.Job(own)
	slot := r.core.LatestJob(needed.Operation)
	for n := 0; slot >= 0 && slot != own && n < elsewhereAt; n++ {
		j := r.core.Job(slot)
		if j.Start <= needed.Start {
			return
		}
		if j.Node >= 0 && j.Node != needed.Node && r.core.Admits(beneficiary, j.Node) {
			node := r.core.Node(j.Node)
			candidacy, _ := r.core.Scheduling().Candidacy(r.core.JobHandle(slot), target)
			if candidacy == scheduling.Unconditional && needed.Usage.FitsIn(node.Limits.Sub(node.Usage).Add(j.Usage)) {
				row.Younger, row.YoungerStart = r.texts.of(j.Name), core.Some(j.Start)
				return
			}
		}
		slot = r.core.JobBefore(slot)
	}
}
