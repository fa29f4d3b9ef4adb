package resource

// Add returns s + t.
func (s Share) Add(t Share) Share {
	return Share{s[0] + t[0], s[1] + t[1], s[2] + t[2], s[3] + t[3], s[4] + t[4]}
}

// Sub returns s - t.
func (s Share) Sub(t Share) Share {
	return Share{s[0] - t[0], s[1] - t[1], s[2] - t[2], s[3] - t[3], s[4] - t[4]}
}

// Max returns the larger share of each kind.
func (s Share) Max(t Share) Share {
	for k := range s {
		s[k] = max(s[k], t[k])
	}
	return s
}

// Scale returns s with every component multiplied by factor. The conversion
// keeps the product from being fused with a sum it goes into.
func (s Share) Scale(factor float64) Share {
	return Share{float64(s[0] * factor), float64(s[1] * factor), float64(s[2] * factor), float64(s[3] * factor), float64(s[4] * factor)}
}

// Over returns s with every component divided by x.
func (s Share) Over(x float64) Share {
	for k := range s {
		s[k] /= x
	}
	return s
}

// Plus returns s with the scalar x added to every component, also those of
// resources that the tree does not have (core/spec/fair-share.md, conventions).
func (s Share) Plus(x float64) Share {
	for k := range s {
		s[k] += x
	}
	return s
}

// Least returns the smallest component.
func (s Share) Least() float64 {
	return min(s[0], s[1], s[2], s[3], s[4])
}

// FitsIn reports whether no component of s exceeds that of t, exactly.
func (s Share) FitsIn(t Share) bool {
	return s[0] <= t[0] && s[1] <= t[1] && s[2] <= t[2] && s[3] <= t[3] && s[4] <= t[4]
}

// Uniform returns the share with x in every component.
func Uniform(x float64) Share { return Share{x, x, x, x, x} }

// IsNear reports whether no component of two shares differs by more than a resolution.
func (s Share) IsNear(t Share, resolution float64) bool {
	for k := range s {
		if diff := s[k] - t[k]; diff > resolution || diff < -resolution {
			return false
		}
	}
	return true
}
