package ytsaurus

import (
	"slices"

	"poolproof/core"
)

// usualPreparation is how long operations of the log take from being prepared
// to being materialized, if nothing holds them back: the median.
func (a *assembly) usualPreparation() core.Time {
	if a.preparation.Set {
		return a.preparation.Value
	}
	var all []core.Time
	for _, o := range a.operations {
		if len(o.prepared) > 0 && len(o.materialized) > 0 {
			if took := slices.Min(o.materialized) - slices.Min(o.prepared); took >= 0 {
				all = append(all, took)
			}
		}
	}
	median := core.Second
	if len(all) > 0 {
		slices.Sort(all)
		median = all[(len(all)-1)/2]
	}
	a.preparation = core.Some(median)
	return median
}

// runningSince infers when an operation came to run in the tree, which no row records: between
// its start and the row that it is materialized, its first job or the first snapshot that does
// not say otherwise (ingest/trace/FORMAT.md §4.2). Waits says that it had to wait; known is false
// for one that never ran.
func (t *treeAssembly) runningSince(l *life) (at core.Time, waits, known bool) {
	start := l.startOf()
	var latest core.Time
	bound := func(at core.Time) {
		if at != 0 && at >= start && (!known || at < latest) {
			latest, known = at, true
		}
	}
	if len(l.materialized) > 0 {
		bound(slices.Min(l.materialized))
	}
	bound(l.firstJob)
	bound(l.materializing)
	waiting := l.waiting
	if t.dialect[vectorShares] == 0 && !l.queued {
		waiting = 0 // older logs hold those that wait, and have no word for it
	}
	if l.served > start && waiting != 0 {
		bound(l.served)
	}
	usual := t.usualPreparation()
	prepared := start
	if len(l.prepared) > 0 {
		prepared = max(prepared, slices.Min(l.prepared))
	}
	if at := l.materializing; at != 0 && at >= prepared && waiting <= at {
		// It is materialized as soon as it is prepared and runs in a tree.
		return running(start, prepared, at)
	}
	if !known {
		if waiting != 0 || l.end.time != 0 || len(l.prepared) == 0 && l.first == 0 || t.last-prepared > 3*usual+core.Second {
			return 0, true, false
		}
		return start, false, true // it is being prepared, and nothing says that it waits
	}
	if waiting <= start && latest-prepared <= 3*usual+core.Second {
		return start, false, true
	}
	earliest := max(start, waiting)
	// It ran from when another operation of its pool ended, else as long before
	// it was materialized as others take.
	if freed, ok := t.freedBetween(earliest, latest, t.poolAtStart(l)); ok {
		return freed, true, true
	}
	return max(earliest, latest-usual), true, true
}

// recordsRunning reports whether the log tells which operations of the tree run: its snapshots show the
// disabled ones, and operations are materialized as soon as they are enabled, so that the row
// operation_materialized is the moment at which one began to run (ingest/trace/FORMAT.md §4.2). Where no
// snapshot shows any, all are to be materialized as soon as they start.
func (t *treeAssembly) recordsRunning() bool {
	queued, atOnce := false, len(t.lives) > 0
	for _, l := range t.lives {
		queued = queued || l.queued
		if !t.showsRunning(l) {
			return false
		}
		atOnce = atOnce && len(l.materialized) > 0 && l.materialized[0]-l.startRow <= instantly
	}
	return queued || atOnce
}

// showsRunning reports whether the log tells when an operation began to run.
func (t *treeAssembly) showsRunning(l *life) bool {
	if l.first == 0 || l.startRow == 0 || len(l.prepared) != 1 {
		return false
	}
	if len(l.materialized) == 0 {
		return l.queued && l.served == 0 && l.firstJob == 0 // it never ran
	}
	at := l.materialized[0]
	if len(l.materialized) > 1 || l.served != 0 && l.served < at || l.queued && l.waiting > at {
		return false
	}
	return l.queued || at-l.prepared[0] <= instantly
}

// instantly is within what time an operation is materialized where that takes no time.
const instantly = core.Second / 20

// running says since when an operation runs that was materialized from a moment on.
func running(start, prepared, materializing core.Time) (at core.Time, waits, known bool) {
	if materializing-prepared <= soon {
		return start, false, true
	}
	return materializing, true, true
}

// soon is within what time the scheduler materializes an operation that waits for nothing.
const soon = core.Second

// freedBetween returns when the last operation of a pool ended within a span.
func (t *treeAssembly) freedBetween(from, to core.Time, pool string) (at core.Time, ok bool) {
	if t.endings == nil {
		t.endings = map[string][]core.Time{}
		for _, l := range t.lives {
			if l.end.time != 0 {
				name := t.poolAtStart(l)
				t.endings[name] = append(t.endings[name], l.end.time)
			}
		}
		for _, times := range t.endings {
			slices.Sort(times)
		}
	}
	times := t.endings[pool]
	i, _ := slices.BinarySearch(times, to+1)
	if i == 0 || times[i-1] <= from {
		return 0, false
	}
	return times[i-1], true
}
