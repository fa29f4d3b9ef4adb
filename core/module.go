package core

import (
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// assignModules gives operations of the segment of modules the module in which
// they shall run: one of those that their spec names, with room for what they
// demand, and of these the one that keeps most, or least, as the tree says; of
// equals the one seen first. A module has the devices of all its nodes, which may be
// moved to that segment, less the demand of those assigned to it
// (core/spec/scheduling.md §12). One that has
// waited for too long is assigned anew, unless it has jobs. Where the tree says so,
// one without jobs and without a fair share loses its module, and is assigned one
// once it has a share: until then it takes no room from others.
//
// What a log shows goes first: see runIn.
func (t *Tree) assignModules(now Time) {
	if !t.config.Segments.Enable {
		return
	}
	t.resetIdleModules()
	rest := t.roomOfModules()
	for slot := range t.operations {
		o := &t.operations[slot]
		if !o.enabled || o.Segment != scheduling.LargeGPU || o.LiveJobs > 0 || o.Needed.IsZero() || t.idles(o) {
			continue
		}
		need := o.Demand()[resource.GPU]
		if o.Module != 0 {
			if o.WaitingSince == Never || now-o.WaitingSince < t.ModuleReset() {
				continue
			}
			rest[o.Module] += need
			o.WaitingSince = now
		}
		if module := t.chooseModule(o, rest, need); module != o.Module {
			o.Module = module
			t.pushOperation(int32(slot))
		}
		if o.Module != 0 {
			rest[o.Module] -= need
		}
	}
}

// resetIdleModules takes their modules from operations that idle.
func (t *Tree) resetIdleModules() {
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Module != 0 && o.enabled && o.LiveJobs == 0 && t.idles(o) {
			o.Module = 0
			t.pushOperation(int32(slot))
		}
	}
}

// idles reports whether an enabled operation without jobs has no fair share either,
// where that costs it its module.
func (t *Tree) idles(o *Operation) bool {
	return t.config.Segments.ResetIdle && t.shares.Result(o.Element).FairShare.Total.Dominant() <= noShare
}

// noShare is the greatest fair share that is none (core/spec/scheduling.md §1.3).
const noShare = 1e-9

// roomOfModules returns the devices of every module that nobody assigned to it
// demands.
func (t *Tree) roomOfModules() []int64 {
	rest := t.rooms[:0]
	for range len(t.modules) + 1 {
		rest = append(rest, 0)
	}
	t.rooms = rest
	for i := range t.nodes {
		n := &t.nodes[i]
		rest[t.moduleOf(n)] += t.contribution(n)[resource.GPU]
	}
	for slot := range t.operations {
		if o := &t.operations[slot]; o.enabled && o.Module != 0 {
			rest[o.Module] -= o.Demand()[resource.GPU]
		}
	}
	return rest
}

// chooseModule returns the module for an operation, 0 if none has room.
func (t *Tree) chooseModule(o *Operation, rest []int64, need int64) (best int32) {
	for i := 1; i < len(rest); i++ {
		m := int32(i)
		if rest[m] < need || !o.mayUse(t.modules[m-1]) {
			continue
		}
		if best == 0 || t.config.Segments.LeastRest && rest[m] < rest[best] || !t.config.Segments.LeastRest && rest[m] > rest[best] {
			best = m
		}
	}
	return best
}

// mayUse reports whether an operation's spec lets it use a module.
func (o *Operation) mayUse(module string) bool {
	list := o.Params.Modules
	if list == nil || len(*list) == 0 {
		return true
	}
	for _, name := range *list {
		if name == module {
			return true
		}
	}
	return false
}
