package ytsaurus

import (
	"math"
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// The most of a resource that an element can have: above any cluster's total,
// and so low that sums of them do not overflow.
const (
	maxAmount = 1 << 60
	maxGPU    = 1 << 30
)

// resources reads a map of resources: absent ones are zero, cpu has a
// fraction, memory its old or its new name (ingest/trace/FORMAT.md §1.2, §1.9).
// It reports false for what is no such map, and for amounts that no cluster
// has.
func (c cursor) resources() (r trace.Resources, ok bool) {
	if c.kind() != mapping {
		return r, false
	}
	newName := false
	for e := range c.children {
		var amount int64
		switch e.key() {
		case keyCPU:
			f, isNumber := e.float()
			if !isNumber || !(f >= 0 && f <= maxAmount/1000) { // no number is neither
				return r, false
			}
			r.CPUMilli = int64(math.Round(f * 1000))
			continue
		case keyUserSlots, keyGPU, keyUserMemory, keyMemory, keyNetwork:
			f, isNumber := e.float()
			if !isNumber || !(f >= 0 && f <= maxAmount) {
				return r, false
			}
			if amount, isNumber = e.int(); !isNumber {
				amount = int64(math.Round(f)) // volumes of newer clusters are doubles
			}
		default:
			continue
		}
		switch e.key() {
		case keyUserSlots:
			r.UserSlots = amount
		case keyGPU:
			if amount > maxGPU {
				return r, false
			}
			r.GPU = int32(amount)
		case keyUserMemory:
			r.Memory, newName = amount, true
		case keyMemory:
			if !newName {
				r.Memory = amount
			}
		case keyNetwork:
			r.Network = amount
		}
	}
	return r, true
}

// holdsResources reports whether a map names some resource, and whether it holds an amount of each: what it lacks is
// unknown, and not zero.
func (c cursor) holdsResources() (some, all bool) {
	var held [5]bool
	for e := range c.children {
		k := 0
		switch e.key() {
		case keyUserSlots:
		case keyCPU:
			k = 1
		case keyGPU:
			k = 2
		case keyUserMemory, keyMemory:
			k = 3
		case keyNetwork:
			k = 4
		default:
			continue
		}
		some, held[k] = true, held[k] || !e.isNull()
	}
	return some, !slices.Contains(held[:], false)
}

// lacksSome reports whether a map of resources holds some of them and not all. One that holds none says that there
// is nothing.
func (c cursor) lacksSome() bool {
	some, all := c.holdsResources()
	return some && !all
}

// limits reads a map of limits. One that lacks some resource is unknown.
func (c cursor) limits() (r core.Optional[trace.Resources], ok bool) {
	r, ok = c.optionalResources()
	if _, all := c.holdsResources(); !all {
		r = core.Optional[trace.Resources]{}
	}
	return r, ok
}

// optionalResources reads a map of resources that may be missing.
func (c cursor) optionalResources() (r core.Optional[trace.Resources], ok bool) {
	if c.isNull() {
		return r, true
	}
	v, ok := c.resources()
	return core.Optional[trace.Resources]{Value: v, Set: ok}, ok
}

// partialResources reads amounts of a configuration: absent is not zero.
func (c cursor) partialResources() (p trace.PartialResources, ok bool) {
	if c.isNull() {
		return p, true
	}
	all, ok := c.resources()
	if !ok {
		return p, false
	}
	for e := range c.children {
		switch e.key() {
		case keyUserSlots:
			p.UserSlots = core.Some(all.UserSlots)
		case keyCPU:
			p.CPUMilli = core.Some(all.CPUMilli)
		case keyGPU:
			p.GPU = core.Some(all.GPU)
		case keyUserMemory, keyMemory:
			p.Memory = core.Some(all.Memory)
		case keyNetwork:
			p.Network = core.Some(all.Network)
		}
	}
	return p, true
}

// shares reads a share vector. One that lacks some component is none.
func (c cursor) shares() (s trace.Shares, ok bool) {
	if c.kind() != mapping || c.lacksSome() {
		return s, false
	}
	for e := range c.children {
		var at *float64
		switch e.key() {
		case keyUserSlots:
			at = &s.UserSlots
		case keyCPU:
			at = &s.CPU
		case keyGPU:
			at = &s.GPU
		case keyUserMemory, keyMemory:
			at = &s.Memory
		case keyNetwork:
			at = &s.Network
		default:
			continue
		}
		f := e.number()
		if !f.Set {
			return s, false
		}
		*at = f.Value
	}
	return s, true
}

// optionalShares reads a share vector that may be missing.
func (c cursor) optionalShares() core.Optional[trace.Shares] {
	s, ok := c.shares()
	if !ok {
		return core.Optional[trace.Shares]{}
	}
	return core.Some(s)
}

// volume reads an amount of every resource times seconds.
func (c cursor) volume() (v trace.Volume, ok bool) {
	if c.kind() != mapping {
		return v, false
	}
	for e := range c.children {
		f, isNumber := e.float()
		switch {
		case e.key() == keyOther:
			continue
		case !isNumber || math.IsNaN(f) || math.IsInf(f, 0):
			return v, false
		}
		switch e.key() {
		case keyUserSlots:
			v.UserSlots = f
		case keyCPU:
			v.CPU = f
		case keyGPU:
			v.GPU = f
		case keyUserMemory, keyMemory:
			v.Memory = f
		case keyNetwork:
			v.Network = f
		}
	}
	return v, true
}

// wholeVolume is volume of a map that holds every resource: what it lacks is unknown, and not zero.
func (c cursor) wholeVolume() (v trace.Volume, ok bool) {
	if _, all := c.holdsResources(); !all {
		return v, false
	}
	return c.volume()
}

// number reads a number that may be missing.
func (c cursor) number() core.Optional[float64] {
	f, ok := c.float()
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return core.Optional[float64]{}
	}
	return core.Some(f)
}

func (c cursor) count() core.Optional[int64] {
	n, ok := c.int()
	if !ok || n < 0 {
		return core.Optional[int64]{}
	}
	return core.Some(n)
}

// index reads a place, which -1 says that there is none.
func (c cursor) index() core.Optional[int32] {
	n, ok := c.int()
	if !ok || n < 0 || n > math.MaxInt32 {
		return core.Optional[int32]{}
	}
	return core.Some(int32(n))
}

func (c cursor) flag() core.Optional[bool] {
	is, ok := c.bool()
	return core.Optional[bool]{Value: is, Set: ok}
}
func (c cursor) moment() core.Optional[core.Time] {
	t, ok := c.time()
	if !ok {
		return core.Optional[core.Time]{}
	}
	return core.Some(t)
}
