package swf

import "math/bits"

// processors returns what a job was given, or asked for where that is not said,
// 0 if neither is.
func (r *record) processors() int64 {
	if r.allocated > 0 && !r.neverStarted() {
		return r.allocated
	}
	if n := r.placedProcessors(); n > 0 {
		return n
	}
	return max(0, r.requested, r.allocated)
}

func (r *record) placedProcessors() int64 {
	var n int64
	for _, p := range r.placement {
		n += int64(p.processors)
	}
	return n
}

// neverStarted reports whether the job left the queue without running: it was
// cancelled, or failed without a processor, and ran no time anywhere.
func (r *record) neverStarted() bool {
	if len(r.placement) > 0 || r.run > 0 {
		return false
	}
	return r.status == cancelled || r.status == failed && r.allocated <= 0
}

// maxMemory bounds the memory of a job, bytes: 8 PiB.
const maxMemory = 1 << 53

// memory returns the memory of a whole job in bytes: what it asked for, or used
// where it did not ask. The standard counts KB per processor; Alea counts bytes
// of the whole job, and leaves the used memory at a constant.
func (l *log) memory(r *record) int64 {
	if l.alea {
		return max(0, r.requestedMemory)
	}
	amount := r.requestedMemory
	if amount <= 0 {
		amount = r.usedMemory
	}
	if amount <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(amount)*1024, uint64(r.processors()))
	if high > 0 || low > maxMemory {
		return maxMemory + 1
	}
	return int64(low)
}

// part returns which part of an amount falls to processors from, inclusive, to
// to, exclusive, of a job. The parts of a job sum up to the amount exactly.
func part(amount, from, to, processors int64) int64 {
	return portion(amount, to, processors) - portion(amount, from, processors)
}

// portion returns amount·n/of, rounded down.
func portion(amount, n, of int64) int64 {
	high, low := bits.Mul64(uint64(amount), uint64(n))
	quotient, _ := bits.Div64(high, low, uint64(of))
	return int64(quotient)
}
