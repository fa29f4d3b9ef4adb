package coretest

import (
	"poolproof/core"
	"poolproof/core/scheduling"
)

// names maps the handles of a tree's scheduling to their names in a scenario.
type names struct {
	elements map[scheduling.Element]string
	jobs     map[scheduling.Job]string
}

func (s *Scenario) names(t *core.Tree) names {
	n := names{map[scheduling.Element]string{scheduling.None: "nobody", scheduling.Root: "<Root>"}, map[scheduling.Job]string{}}
	for slot := range t.Pools() {
		if p := t.Pool(int32(slot)); slot > 0 && !p.Removed.Set {
			n.elements[p.Element] = "pool " + s.Dimensions.Pools[p.ID].Name
		}
	}
	for slot := range t.Operations() {
		if o := t.Operation(int32(slot)); o.Alive && o.Enabled() {
			n.elements[o.Element] = s.Dimensions.Operations[o.ID].ID
		}
	}
	t.EachJob(func(job int32) { n.jobs[t.JobHandle(job)] = string(t.Job(job).Name) })
	return n
}
