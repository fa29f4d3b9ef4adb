package core

import "poolproof/core/scheduling"

// A log does not tell what integral pools had accumulated when it began, nor what the
// children of pools with weights by historic usage had used: that is not known
// until it is seen (ingest/trace/FORMAT.md §3.7). Records tell volumes; the weights that
// they tell are of no update in particular.

// A past is what was before the log began.
type past struct {
	begins  Time // when the log does
	entered bool // an update since then has been
	unknown int  // pools with something before it that the log does not record
	told    bool // something of it is known since the last update
}

// BeginAt says when the log begins: what it tells from before was there by then. It comes
// before the first event.
func (p *past) BeginAt(begins Time) { p.begins = begins }

// KnowsPast reports whether the shares of the last update rest only on what the log
// records: on nothing before it began, on no node that it does not describe, and on the demand of no
// operation whose record the last snapshot lacks.
func (t *Tree) KnowsPast() bool { return t.unknown == 0 && !t.unsized && t.HasAllRecords() }

// hasUnknownPast reports it of a pool that was there when the log began: what volume it
// has, or how its children share it.
func (p *Pool) hasUnknownPast() bool {
	return p.exists && (p.Config.Integral.Type != NoIntegral && !p.volumeKnown || p.Config.InferFromHistory && p.Config.HistoryAlpha.Set && !p.historyKnown)
}

// countUnknown counts the pools with something before the log that it does not record.
func (t *Tree) countUnknown() {
	t.unknown, t.told = 0, false
	for slot := range t.pools {
		if t.pools[slot].hasUnknownPast() {
			t.unknown++
		}
	}
}

// learnVolume takes over the volume of a pool where a record is the first to tell it. The
// next update goes by it.
func (t *Tree) learnVolume(r *PoolRecord) {
	slot, ok := t.PoolOf(r.Pool)
	if !ok || !r.RatioVolume.Set || t.unknown == 0 {
		return
	}
	p := &t.pools[slot]
	if !p.exists || p.volumeKnown || p.Config.Integral.Type == NoIntegral {
		return
	}
	last := 0.0 // granted, and charged by the next update
	if r.FairIntegral.Set {
		last = r.FairIntegral.Value.Dominant()
	}
	t.shares.SetIntegralState(p.Element, t.ShareTotal().Over(r.RatioVolume.Value), last)
	p.volumeKnown, t.told, t.stale = true, true, true
}

// leaveUntold has nobody know, until an update since the log began looks at them, how pools
// starve that were there before and are looked at no more (core/spec/scheduling.md §7.4).
func (t *Tree) leaveUntold(now Time) {
	if t.entered {
		return
	}
	t.entered = now >= t.begins
	if t.scheduling.Options().PoolStarvation {
		return
	}
	for slot := range t.pools {
		if p := &t.pools[slot]; slot != 0 && p.exists && p.FirstSeen < t.begins {
			t.scheduling.LeaveUntold(p.Element)
		}
	}
}

// learnStatus takes over that a pool which stands still does not starve where a record tells
// it. Since when one starves no record tells.
func (t *Tree) learnStatus(r *PoolRecord) {
	slot, ok := t.PoolOf(r.Pool)
	if !ok || slot == 0 || r.Status != scheduling.NonStarving.String() {
		return
	}
	if p := &t.pools[slot]; p.exists && t.scheduling.Starvation(p.Element).Untold {
		t.scheduling.TellNonStarving(p.Element)
	}
}

// forgetPast follows a restart of the scheduler: historic usage begins anew, and so does
// the volume of a pool that is of no integral type (core/spec/fair-share.md §6.1).
func (t *Tree) forgetPast() {
	for slot := range t.pools {
		p := &t.pools[slot]
		p.historyKnown = p.historyKnown || t.now >= t.begins
		p.volumeKnown = p.volumeKnown || p.Config.Integral.Type == NoIntegral
	}
	t.told = true
}
