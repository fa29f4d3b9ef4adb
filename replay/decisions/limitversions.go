package decisions

import (
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
)

// limitVersions holds former limits of pools, so that a start is compared with the least strict of
// those that may have been in force (two-sided evaluation, core/spec/invariants.md §1).
type limitVersions struct {
	pools [][]limitVersion // by slot, the oldest first
	noted core.Time        // time of the last check
}

// A limitVersion is a limit that is no longer in force.
type limitVersion struct {
	until  core.Time
	limits resource.Partial
	parent int32
}

// noteLimits saves the limits of all pools before a configuration takes effect, and drops versions
// that are too old to matter.
func (r *Referee) noteLimits(now core.Time) {
	v := &r.versions
	if v.noted == now {
		return
	}
	v.noted = now
	r.Core.Changes() // applies earlier events
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

// since returns the former versions of a pool that were in force after the given time.
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

// addFormerLimits adds to a start the state with the least strict of all versions that may have
// been in force. A moved pool may have been below other pools.
func (h *held) addFormerLimits(r *Referee) {
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
		unknown = unknown || p.Ephemeral && p.FirstSeen > since && r.Core.Reconfigured() > since // with other settings it may have another parent
		changed = changed || limits[x] != elements[x].Specified
	}
	if changed {
		h.lookAtLimits(limits)
	}
}

// loosenLimits compares a start between a change of a pool's limit and the next update, which
// applies the change (core/spec/scheduling.md §6.1), with the less strict of both limits: either
// may have been in force.
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

// lookAtLimits adds a state with other specified limits of elements.
func (h *held) lookAtLimits(limits []resource.Partial) {
	other := h.start.AddState()
	for e := range other.Elements {
		other.Elements[e].Specified = limits[e]
	}
}

// leavePools adds to a held start the state in which pools that are no longer above its operation,
// because a pool was moved, do not limit it.
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

// haveMoved reports whether a pool was moved or removed since the given time.
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

// looser returns the looser of two limits, by component.
func looser(a, b resource.Partial) (most resource.Partial) {
	for k := range a.Set {
		if a.Set[k] && b.Set[k] {
			most.Set[k], most.Amounts[k] = true, max(a.Amounts[k], b.Amounts[k])
		}
	}
	return most
}
