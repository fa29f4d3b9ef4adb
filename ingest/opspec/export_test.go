package opspec

// Len returns how many different specs the set holds.
func (s *Set) Len() int { return len(s.specs) }
