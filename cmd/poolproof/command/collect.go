package command

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// gcPercent is the allowed garbage in percent of the live heap. Most of the live heap is a few
// large buffers without pointers, which cost the collector nothing; Go's default would double them.
const gcPercent = 20

// gcSlack is the garbage, in bytes, that is always allowed: a fifth of a few dozen megabytes is
// created quickly, and short commands would mostly collect garbage.
const gcSlack = 64 << 20

// collectSparingly sets, now and after each collection, when the next one begins.
func collectSparingly() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var set func(*[1 << 4]byte)
	set = func(*[1 << 4]byte) {
		metrics.Read(live)
		debug.SetGCPercent(percentOf(live[0].Value.Uint64()))
		// Nothing holds this, so that its finalizer runs after the next collection.
		runtime.SetFinalizer(new([1 << 4]byte), set)
	}
	set(nil)
}

// percentOf returns the allowed garbage in percent of the live heap.
func percentOf(live uint64) int {
	return max(gcPercent, int(100*gcSlack/max(live, leastLive)))
}

// leastLive is the live heap that Go assumes at least.
const leastLive = 4 << 20
