package command

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// gcPercent is how much garbage may pile up beside what is alive. Most of that
// are a few large buffers without pointers, which cost the collector nothing;
// Go's default would double them.
const gcPercent = 20

// gcSlack is how much garbage, in bytes, may pile up whatever is alive: a fifth of a few dozen
// megabytes is made in no time, and short commands would do little else than collect it.
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

// percentOf is how much garbage may pile up beside so much that is alive, in percent of it.
func percentOf(live uint64) int {
	return max(gcPercent, int(100*gcSlack/max(live, leastLive)))
}

// leastLive is what Go takes to be alive where there is less.
const leastLive = 4 << 20
