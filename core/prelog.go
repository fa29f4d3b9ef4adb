package core

import "poolproof/core/scheduling"

// A log does not contain the volume that integral pools had accumulated when it began, nor the
// historic usage of the children of pools with weights by historic usage. Both are unknown until
// they are recorded (ingest/trace/FORMAT.md §3.7). Records state volumes; the weights that they
// state belong to no particular update.

// preLogState tracks which part of the state at the beginning of the log is unknown.
type preLogState struct {
	logStart          Time // when the log begins
	updatedSinceStart bool // an update has run since then
	unknownPools      int  // pools whose state before the log is not recorded
	learned           bool // something of it became known since the last update
}

// SetLogStart sets when the log begins. Objects with earlier times existed by then. It must be
// called before the first event.
func (p *preLogState) SetLogStart(begins Time) { p.logStart = begins }

// StartsFromKnownState reports whether the shares of the last update depend only on recorded facts:
// on no state before the log, no undescribed node, and no demand of an operation without a record
// in the last snapshot.
func (t *Tree) StartsFromKnownState() bool {
	return t.unknownPools == 0 && !t.unsized && t.HasAllRecords()
}

// hasUnknownState reports whether the volume of a pool, or the historic usage of its children, goes
// back to before the log and is not recorded.
func (p *Pool) hasUnknownState() bool {
	return p.exists && (p.Config.Integral.Type != NoIntegral && !p.volumeKnown || p.Config.InferFromHistory && p.Config.HistoryAlpha.Set && !p.historyKnown)
}

// countUnknownPools counts the pools whose state before the log is not recorded.
func (t *Tree) countUnknownPools() {
	t.unknownPools, t.learned = 0, false
	for slot := range t.pools {
		if t.pools[slot].hasUnknownState() {
			t.unknownPools++
		}
	}
}

// learnVolume adopts the volume of a pool from the first record that states it. The next update
// uses it.
func (t *Tree) learnVolume(r *PoolRecord) {
	slot, ok := t.PoolOf(r.Pool)
	if !ok || !r.RatioVolume.Set || t.unknownPools == 0 {
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
	p.volumeKnown, t.learned, t.stale = true, true, true
}

// markStarvationUnknown marks the starvation of pools that existed before the log began as unknown
// until the first update sees them; an update may skip pools that do not take part
// (core/spec/scheduling.md §7.4).
func (t *Tree) markStarvationUnknown(now Time) {
	if t.updatedSinceStart {
		return
	}
	t.updatedSinceStart = now >= t.logStart
	if t.scheduling.Options().PoolStarvation {
		return
	}
	for slot := range t.pools {
		if p := &t.pools[slot]; slot != 0 && p.exists && p.FirstSeen < t.logStart {
			t.scheduling.SetStarvationUnknown(p.Element)
		}
	}
}

// learnStatus adopts from a record that a pool with unknown starvation does not starve. Records do
// not state since when a pool starves.
func (t *Tree) learnStatus(r *PoolRecord) {
	slot, ok := t.PoolOf(r.Pool)
	if !ok || slot == 0 || r.Status != scheduling.NonStarving.String() {
		return
	}
	if p := &t.pools[slot]; p.exists && t.scheduling.Starvation(p.Element).Unknown {
		t.scheduling.SetNonStarving(p.Element)
	}
}

// resetHistory applies a restart of the scheduler: historic usage starts at zero, and so does the
// volume of a pool without an integral guarantee (core/spec/fair-share.md §6.1).
func (t *Tree) resetHistory() {
	for slot := range t.pools {
		p := &t.pools[slot]
		p.historyKnown = p.historyKnown || t.now >= t.logStart
		p.volumeKnown = p.volumeKnown || p.Config.Integral.Type == NoIntegral
	}
	t.learned = true
}
