package fairshare

import "math"

// largest returns the largest number in [lo, hi] for which ok holds, where ok
// holds up to some number and not beyond; lo where it holds nowhere. It
// bisects the bit patterns of doubles, which for numbers that are not
// negative stand in the order of the numbers: 64 steps at most, and the
// number returned satisfies ok as evaluated (§7.9).
func largest(lo, hi float64, ok func(float64) bool) float64 {
	if ok(hi) {
		return hi
	}
	good, bad := math.Float64bits(lo), math.Float64bits(hi)
	for bad-good > 1 {
		middle := good + (bad-good)/2
		if ok(math.Float64frombits(middle)) {
			good = middle
		} else {
			bad = middle
		}
	}
	return math.Float64frombits(good)
}

// largestBelow is largest for a result that is expected to lie a few doubles
// below hi: it first widens its step, then bisects.
func largestBelow(hi float64, ok func(float64) bool) float64 {
	if hi <= 0 || ok(hi) {
		return hi
	}
	top := math.Float64bits(hi)
	for step := uint64(1); step < top; step *= 2 {
		if x := math.Float64frombits(top - step); ok(x) {
			return largest(x, math.Float64frombits(top-step/2), ok)
		}
	}
	return largest(0, hi, ok)
}
