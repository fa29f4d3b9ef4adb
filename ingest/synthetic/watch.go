package synthetic

import (
	"poolproof/core"
	"poolproof/ingest/input"
)

// plantErrorf says why a plant cannot grow in a cluster, or did not: what it claims would not be in
// the trace.
func plantErrorf(kind, format string, args ...any) error {
	return input.Errorf("plant %s: "+format, append([]any{kind}, args...)...)
}

// usualHeartbeats is the heartbeat_period that plants were made for.
const usualHeartbeats = 5 * core.Second

// missing is an error if nothing of the plant came to be: its nodes did not
// report, or its fault found no moment. What a fault changes of the plan is
// there from the start.
func (f *field) missing() error {
	switch {
	case !f.reported && f.to-f.from >= 4*usualHeartbeats:
		return plantErrorf(f.plant.Kind, "no node of its tree reported from %s to %s, when it is to happen; plant it with --preset none, or shorten heartbeat_period", clock(f.from), clock(f.to))
	case f.watched && !f.happened:
		return plantErrorf(f.plant.Kind, "what it does found no moment from %s to %s in this cluster, and the trace would not show it; plant it alone, with --preset none, whose periods suit it, or with another --seed: more nodes beside its own move when those report",
			clock(f.from), clock(f.to))
	}
	return nil
}

// fits is an error if the plant cannot grow beside the trees of a description:
// all they share is the scheduler.
func (p *Plant) fits(own, all *Spec) error {
	asked, err := core.ParseProfile(own.Profile)
	if err != nil {
		return err
	}
	switch given, err := core.ParseProfile(all.Profile); {
	case err != nil:
		return err
	case given != asked:
		return plantErrorf(p.Kind, "its scheduler is of the profile %v, and that of the cluster of the profile %v: plant it alone, with --preset none", asked, given)
	case own.MaxStartedJobs != all.MaxStartedJobs && own.MaxStartedJobs > 0:
		return plantErrorf(p.Kind, "it is about a cluster whose max_started_jobs_per_heartbeat is %d: plant it alone, with --preset none", own.MaxStartedJobs)
	}
	for _, t := range all.trees {
		for i := range own.Nodes {
			group := &own.Nodes[i]
			if filter, err := t.filter(); err == nil && filter.Match(group.tagSet()) {
				return plantErrorf(p.Kind, "the nodes_filter of tree %s matches its nodes %s (tags %v), which would serve two trees and get no job: give that tree a nodes_filter of tags of its own",
					t.name, group.Name, group.Tags)
			}
		}
	}
	return nil
}
