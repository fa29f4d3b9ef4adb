package decisions

import (
	"poolproof/core"
	"poolproof/core/scheduling"
)

// oldEnough is how long a victim must have run for a younger one to be looked
// for on other nodes, and elsewhereAt how many jobs of an operation are looked at there.
const (
	oldEnough   = 300 * core.Second
	elsewhereAt = 16
)

// lookElsewhere finds the latest job of the victim's operation that could have
// made the same room for the beneficiary on another node (PRE-29).
func (r *Referee) lookElsewhere(row *preemption, victim scheduling.Job, target scheduling.Priority) {
	if !row.For.Set || row.Time-row.StartTime < oldEnough {
		return
	}
	beneficiary, ok := r.Core.OperationOf(row.For.Value)
	own, live := r.Core.JobBehind(victim)
	if !ok || !live {
		return
	}
	needed, s, left := r.Core.Job(own), r.Core.Scheduling(), elsewhereAt
	s.LatestJobs(r.Core.Operation(needed.Operation).Element, func(h scheduling.Job) (more bool) {
		slot, live := r.Core.JobBehind(h)
		if !live {
			return true
		}
		j := r.Core.Job(slot)
		if left--; left < 0 || j.Start <= needed.Start {
			return false
		}
		if j.Node >= 0 && j.Node != needed.Node && r.Core.Admits(beneficiary, j.Node) {
			node := r.Core.Node(j.Node)
			candidacy, _ := s.Candidacy(h, target)
			if candidacy == scheduling.Unconditional && needed.Usage.FitsIn(node.Limits.Sub(node.Usage).Add(j.Usage)) {
				row.Younger, row.YoungerStart = r.texts.of(j.Name), core.Some(j.Start)
				return false
			}
		}
		return true
	})
}
