package resource

import "math"

// A Volume is amount × time of every kind: resource·seconds as a double,
// except cpu, which is a whole number of hundredths of a core·second
// (core/spec/fair-share.md §1.6).
type Volume [Kinds]float64

// Seconds returns a span of microseconds in seconds. It multiplies, as the
// reference does: a division would decide some ties of cpu volumes otherwise.
func Seconds(us int64) float64 { return float64(us) * 1e-6 }

// Over returns the volume of holding a for the given number of seconds.
func (a Vector) Over(seconds float64) Volume {
	var v Volume
	for k := range a {
		v[k] = float64(a[k]) * seconds
	}
	v[CPU] = math.Round(v[CPU])
	return v
}

// VolumeOf returns the volume with the given natural numbers: core·seconds for
// cpu, which are rounded to hundredths.
func VolumeOf(natural [Kinds]float64) Volume {
	v := Volume(natural)
	v[CPU] = math.Round(natural[CPU] * CentsPerCore)
	return v
}

// Natural returns v in natural numbers: core·seconds for cpu.
func (v Volume) Natural() [Kinds]float64 {
	v[CPU] /= CentsPerCore
	return v
}

// Times returns v scaled by factor, cpu rounded to whole hundredths. The
// conversion keeps the product from being fused with a sum it goes into.
func (v Volume) Times(factor float64) Volume {
	for k := range v {
		v[k] = float64(v[k] * factor)
	}
	v[CPU] = math.Round(v[CPU])
	return v
}

// Add returns v + w.
func (v Volume) Add(w Volume) Volume {
	for k := range v {
		v[k] += w[k]
	}
	return v
}

// Sub returns v - w.
func (v Volume) Sub(w Volume) Volume {
	for k := range v {
		v[k] -= w[k]
	}
	return v
}

// Min returns the smaller volume of each kind.
func (v Volume) Min(w Volume) Volume {
	for k := range v {
		v[k] = min(v[k], w[k])
	}
	return v
}

// Max returns the larger volume of each kind.
func (v Volume) Max(w Volume) Volume {
	for k := range v {
		v[k] = max(v[k], w[k])
	}
	return v
}

// IsZero reports whether every component is zero.
func (v Volume) IsZero() bool { return v == Volume{} }

// MinRatio returns the smallest volume/total, in seconds of the whole tree,
// over the kinds with a positive total; 0 if there are none.
func (v Volume) MinRatio(total Vector) float64 {
	ratio, found := math.Inf(1), false
	natural := v.Natural()
	for k, t := range total {
		if t > 0 {
			ratio, found = min(ratio, natural[k]/total.Real(Kind(k))), true
		}
	}
	if !found {
		return 0
	}
	return ratio
}

// MaxRatio returns the largest, as MinRatio does the smallest.
func (v Volume) MaxRatio(total Vector) float64 {
	ratio, natural := 0.0, v.Natural()
	for k, t := range total {
		if t > 0 {
			ratio = max(ratio, natural[k]/total.Real(Kind(k)))
		}
	}
	return ratio
}
