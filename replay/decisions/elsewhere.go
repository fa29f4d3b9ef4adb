package decisions

import (
	"poolproof/core"
	"poolproof/core/scheduling"
)

// oldEnough is the run time of a victim from which younger jobs on other nodes are searched for,
// and elsewhereAt the number of jobs of an operation that are visited there.
const (
	oldEnough   = 300 * core.Second
	elsewhereAt = 16
)

// lookElsewhere finds the latest job of the victim's operation that could have made the same room
// for the preemptor on another node (PRE-29).
func (r *Referee) lookElsewhere(row *preemption, victim scheduling.Job, target scheduling.Priority) {
	if !row.For.Set || row.Time-row.StartTime < oldEnough {
		return
	}
	preemptor, ok := r.Core.OperationOf(row.For.Value)
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
		if j.Node >= 0 && j.Node != needed.Node && r.Core.Admits(preemptor, j.Node) {
			node := r.Core.Node(j.Node)
			candidacy, _ := s.Candidacy(h, target)
			if candidacy == scheduling.Unconditional && needed.Usage.FitsIn(node.Limits.Sub(node.Usage).Add(j.Usage)) {
				row.Younger, row.YoungerStart = r.texts.copyOf(j.Name), core.Some(j.Start)
				return false
			}
		}
		return true
	})
}
