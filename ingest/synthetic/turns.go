package synthetic

import (
	"fmt"
	"slices"

	"poolproof/core"
)

// Plants grow in trees of their own, and share the scheduler. What one of them does to
// the whole of it would befall the others too, and excuse what they break: a restart
// therefore waits until all else is over, one after the other, and a setting of the
// whole cluster is refused beside plants that were not made for it.

// HasTurn reports whether the plant waits until the others planted with it are over:
// something happens in it to the scheduler's process, or to the set of trees.
func (p *Plant) HasTurn() bool {
	own, err := p.Description()
	return err == nil && own.disturbs()
}

// disturbs reports whether something happens that concerns all trees.
func (s *Spec) disturbs() bool {
	return slices.ContainsFunc(s.Changes, func(c Change) bool {
		return c.Process != "" || c.ofCluster() || c.Set["nodes_filter"] != nil
	})
}

// Beside is a sentence about what the plant asks of others in its trace; none if
// nothing.
func (p *Plant) Beside() string {
	own, err := p.Description()
	if err != nil {
		return ""
	}
	switch profile, err := core.ParseProfile(own.Profile); {
	case own.MaxStartedJobs != 0:
		return fmt.Sprintf("Only beside kinds of the same max_started_jobs_per_heartbeat of the cluster, %d.", own.MaxStartedJobs)
	case err == nil && profile != core.Documented:
		return fmt.Sprintf("Only beside kinds of the same profile, %v.", profile)
	case own.disturbs():
		return "It happens when all others are over."
	}
	return ""
}

// takeTurns moves the plants that disturb all trees, with what their descriptions say,
// behind the others, each behind the one before it.
func takeTurns(plants []*Plant, own []*Spec) {
	end := Duration(0)
	for _, s := range own {
		if !s.disturbs() {
			end = max(end, s.Length)
		}
	}
	for i, s := range own {
		if s.disturbs() {
			s.moveBy(end)
			plants[i].From += end
			plants[i].To += end
			end = s.Length
		}
	}
}

// moveBy lets all that happens happen later.
func (s *Spec) moveBy(by Duration) {
	s.Length += by
	for i := range s.Operations {
		s.Operations[i].At += by
	}
	for i := range s.Changes {
		s.Changes[i].At += by
	}
}

// agree is an error if a plant limits what heartbeats of the whole cluster start, which
// the description does not, and another was not made for it.
func agree(described *Spec, plants []*Plant, own []*Spec) error {
	for i, s := range own {
		most := s.MaxStartedJobs
		if most == 0 || described != nil && described.MaxStartedJobs == most {
			continue
		}
		for k, other := range own {
			if other.MaxStartedJobs != most {
				return plantErrorf(plants[i].Kind, "its max_started_jobs_per_heartbeat of %d is of the whole cluster, and %s was not made for it: plant them in two traces",
					most, plants[k].Kind)
			}
		}
	}
	return nil
}
