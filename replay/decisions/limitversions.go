package decisions

import (
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
)

// limitVersions are the limits that pools had, so that a start is held against the least
// strict of those that may have been in force (two-sided evaluation, core/spec/invariants.md §1).
type limitVersions struct {
	pools [][]limitVersion // by slot, the oldest first
	noted core.Time        // when they were last looked at
}

// A limitVersion is one that is in force no more.
type limitVersion struct {
	until  core.Time
	limits resource.Partial
	parent int32
}

// noteLimits keeps the limits of all pools before a configuration takes effect, and forgets
// those that can bear on nothing any more.
func (r *Referee) noteLimits(now core.Time) {
	v := &r.versions
	if v.noted == now {
		return
	}
	v.noted = now
	r.Core.Changes() // what came before is in force
	since := r.Excuses.VersionsSince(now, core.Time(r.slacks.Configuration))
	for len(v.pools) < r.Core.Pools() {
		v.pools = append(v.pools, nil)
	}
	for slot := range v.pools {
		own := slices.DeleteFunc(v.pools[slot], func(x limitVersion) bool { return x.until <= since })
		if p := r.Core.Pool(int32(slot)); !p.Removed.Set {
			last := limitVersion{now, p.Config.ResourceLimits, p.Parent}
			if n := len(own) - 1; n >= 0 && own[n].limits == last.limits && own[n].parent == last.parent {
				own[n].until = now
			} else {
				own = append(own, last)
			}
		}
		v.pools[slot] = own
	}
}

// since returns the versions of a pool that have been in force since a moment, and are no more.
func (v *limitVersions) since(slot int32, since core.Time) []limitVersion {
	if int(slot) >= len(v.pools) {
		return nil
	}
	own := v.pools[slot]
	first := slices.IndexFunc(own, func(x limitVersion) bool { return x.until > since })
	if first < 0 {
		return nil
	}
	return own[first:]
}

// takeLimits adds to a start the state in which of all versions that may have been in force
// the least strict was. A pool that was moved may have stood below others.
func (h *held) takeLimits(r *Referee) {
	if h.start == nil || h.start.Operation < 0 {
		return
	}
	slack := core.Time(r.slacks.Configuration)
	since := r.Excuses.VersionsSince(h.at, slack)
	refused := r.Excuses.IsSuperseded(r.Core.Reconfigured(), h.at, slack)
	unknown := refused && (r.Excuses.Single || r.haveMoved(since))
	elements := h.start.States[0].Elements
	limits, changed := make([]resource.Partial, len(elements)), false
	for x := h.start.Operation; x >= 0; x = elements[x].Above {
		limits[x] = elements[x].Specified
		if h.owners[x].Operation != core.Unknown {
			continue
		}
		slot, ok := r.Core.PoolOf(h.owners[x].Pool)
		if !ok {
			continue
		}
		p := r.Core.Pool(slot)
		if unknown || refused && p.FirstSeen > since {
			limits[x] = resource.Partial{}
		}
		for _, version := range r.versions.since(slot, since) {
			limits[x] = looser(limits[x], version.limits)
			unknown = unknown || version.parent != p.Parent
		}
		unknown = unknown || p.Ephemeral && p.FirstSeen > since && r.Core.Reconfigured() > since // by other settings it may stand elsewhere
		changed = changed || limits[x] != elements[x].Specified
	}
	if changed {
		h.lookAtLimits(limits)
	}
}

// loosenLimits holds a start between a change of a pool's limit and the next update, which takes the
// change over (core/spec/scheduling.md §6.1), against the less strict of both: either may have been
// in force.
func (r *Referee) loosenLimits(s *judge.Start) {
	updated := r.Core.Updated()
	if s.Operation < 0 || r.versions.noted <= updated {
		return
	}
	best := &s.States[0]
	for x := s.Operation; x >= 0; x = best.Elements[x].Above {
		own := best.Element(x)
		id, _ := r.Core.Owner(own.Handle)
		if slot, ok := r.Core.PoolOf(id); ok {
			for _, version := range r.versions.since(slot, updated) {
				own.Specified = looser(own.Specified, version.limits)
			}
		}
	}
}

// lookAtLimits adds a state in which elements have other specified limits.
func (h *held) lookAtLimits(limits []resource.Partial) {
	other := h.start.Other()
	for e := range other.Elements {
		other.Elements[e].Specified = limits[e]
	}
}

// leavePools adds to a held start the state in which pools that are above its operation's no
// more, since one of those was moved, do not limit it.
func (h *held) leavePools(r *Referee) {
	slot, ok := r.takesPart(h.row.Operation)
	if !ok || h.start.Operation < 0 {
		return
	}
	elements := h.start.States[0].Elements
	limits, changed := make([]resource.Partial, len(elements)), false
	for x := h.start.Operation; x >= 0; x = elements[x].Above {
		limits[x] = elements[x].Specified
		if h.owners[x].Operation == core.Unknown && !r.isIn(r.Core.Operation(slot).Pool, h.owners[x].Pool) {
			changed = changed || limits[x] != resource.Partial{}
			limits[x] = resource.Partial{}
		}
	}
	if changed {
		h.lookAtLimits(limits)
	}
}

// haveMoved reports whether a pool stands elsewhere than at some time since a moment, or is
// gone since.
func (r *Referee) haveMoved(since core.Time) bool {
	for slot := range r.versions.pools {
		p := r.Core.Pool(int32(slot))
		for _, version := range r.versions.since(int32(slot), since) {
			if version.parent != p.Parent || p.Removed.Set {
				return true
			}
		}
	}
	return false
}

// looser returns of two limits the one that allows more, by component.
func looser(a, b resource.Partial) (most resource.Partial) {
	for k := range a.Set {
		if a.Set[k] && b.Set[k] {
			most.Set[k], most.Amounts[k] = true, max(a.Amounts[k], b.Amounts[k])
		}
	}
	return most
}
