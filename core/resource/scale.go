package resource

import "math"

// Times returns a scaled by factor, each amount rounded half away from zero
// to its storage unit (core/spec/fair-share.md §1.3).
func (a Vector) Times(factor float64) Vector {
	for k := range a {
		a[k] = scaled(a[k], factor)
	}
	return a
}

// TimesShare returns a scaled kind by kind, rounded as by Times.
func (a Vector) TimesShare(factors Share) Vector {
	for k := range a {
		a[k] = scaled(a[k], factors[k])
	}
	return a
}

// scaled is one amount times a factor, rounded half away from zero. What
// exceeds an int64 becomes Unlimited, which is more than any total.
func scaled(amount int64, factor float64) int64 {
	x := math.Round(float64(amount) * factor)
	if x >= math.MaxInt64 {
		return Unlimited[Memory]
	}
	return int64(x)
}

// FromReal returns the stored amount of kind k for a real number in the kind's
// natural unit, as an inferred guarantee is stored: cpu rounds to hundredths,
// the other kinds truncate toward zero (core/spec/fair-share.md §1.3).
func FromReal(k Kind, x float64) int64 {
	if k == CPU {
		return ParseCPU(x)
	}
	return int64(x)
}

// ParseCPU returns cores as hundredths, rounded half away from zero
// (core/spec/fair-share.md §1.2).
func ParseCPU(cores float64) int64 { return int64(math.Round(cores * CentsPerCore)) }

// MinRatio returns the smallest amount/total over the kinds with a positive
// total, 0 if there are none (core/spec/fair-share.md §1.5).
func (a Vector) MinRatio(total Vector) float64 {
	ratio, found := math.Inf(1), false
	for k, t := range total {
		if t > 0 {
			ratio, found = min(ratio, a.Real(Kind(k))/total.Real(Kind(k))), true
		}
	}
	if !found {
		return 0
	}
	return ratio
}

// MaxRatio returns the largest amount/total over the kinds with a positive
// total, at least 0 (core/spec/fair-share.md §1.5).
func (a Vector) MaxRatio(total Vector) float64 {
	ratio := 0.0
	for k, t := range total {
		if t > 0 {
			ratio = max(ratio, a.Real(Kind(k))/total.Real(Kind(k)))
		}
	}
	return ratio
}

// DominantKind returns the kind with the largest amount/total among those with
// a positive total; the earlier kind on a tie, cpu if all ratios are zero
// (core/spec/fair-share.md §1.5).
func (a Vector) DominantKind(total Vector) Kind {
	best, ratio := CPU, 0.0
	for k, t := range total {
		if t <= 0 {
			continue
		}
		if r := a.Real(Kind(k)) / total.Real(Kind(k)); r > ratio {
			best, ratio = Kind(k), r
		}
	}
	return best
}
