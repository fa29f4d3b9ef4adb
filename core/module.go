package core

import (
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// assignModules assigns a module to every operation of the segment of modules
// (core/spec/scheduling.md §12): one that the operation's spec allows and that has room for its
// demand; of these the one with the most or the least room left, as the tree configures; of equals
// the one seen first. The room of a module is the devices of all its nodes, which may be moved to
// that segment, less the demand of the operations assigned to it:
//
//	module  devices  assigned  room   demand 8 fits
//	a       32       28        4      no
//	b       32       16        16     yes, 8 left
//
// An operation that has waited too long is assigned again, unless it has jobs. With the option for
// it, an operation without jobs and without a fair share loses its module until it has a share.
//
// A module that the log shows takes precedence: see runIn.
func (t *Tree) assignModules(now Time) {
	if !t.config.Segments.Enable {
		return
	}
	t.resetIdleModules()
	rest := t.roomOfModules()
	for slot := range t.operations {
		o := &t.operations[slot]
		if !o.enabled || o.Segment != scheduling.LargeGPU || o.LiveJobs > 0 || o.Needed.IsZero() || t.isIdle(o) {
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

// resetIdleModules withdraws the modules of idle operations.
func (t *Tree) resetIdleModules() {
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Module != 0 && o.enabled && o.LiveJobs == 0 && t.isIdle(o) {
			o.Module = 0
			t.pushOperation(int32(slot))
		}
	}
}

// isIdle reports whether an enabled operation without jobs has no fair share either, and the tree
// withdraws modules of such operations.
func (t *Tree) isIdle(o *Operation) bool {
	return t.config.Segments.ResetIdle && t.shares.Result(o.Element).FairShare.Total.Dominant() <= noShare
}

// noShare is the largest fair share treated as zero (core/spec/scheduling.md §1.3).
const noShare = 1e-9

// roomOfModules returns the devices of every module less the demand of its operations.
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
