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
	for _, setting := range clusterSettings {
		if value := setting.of(own); value != 0 {
			return fmt.Sprintf("Only beside kinds of the same %s of the cluster, %d.", setting.name, value)
		}
	}
	switch profile, err := core.ParseProfile(own.Profile); {
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

// A clusterSetting is one of the whole cluster that a plant may be about; 0 is none.
type clusterSetting struct {
	name string
	of   func(*Spec) int64
}

var clusterSettings = []clusterSetting{
	{"max_started_jobs_per_heartbeat", func(s *Spec) int64 { return int64(s.MaxStartedJobs) }},
}

// agree is an error if a plant sets something of the whole cluster that the description
// does not, and another was not made for it.
func agree(described *Spec, plants []*Plant, own []*Spec) error {
	for _, setting := range clusterSettings {
		for i, s := range own {
			value := setting.of(s)
			if value == 0 || described != nil && setting.of(described) == value {
				continue
			}
			for k, other := range own {
				if setting.of(other) != value {
					return &PlantError{plants[i].Kind, fmt.Sprintf("its %s of %d is of the whole cluster, and %s was not made for it: plant them in two traces",
						setting.name, value, plants[k].Kind)}
				}
			}
		}
	}
	return nil
}
