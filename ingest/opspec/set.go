package opspec

// A Set holds specs, those that say the same to scheduling once.
type Set struct {
	specs map[string]*Spec
}

// Parse reads a spec, and returns the one that says the same if the set has it. The
// error says why the text is none: it is no JSON, or no map.
func (s *Set) Parse(text []byte) (*Spec, error) {
	kept, err := keep(text)
	if err != nil {
		return nil, err
	}
	if known, ok := s.specs[string(kept)]; ok {
		return known, nil
	}
	spec, err := decode(kept)
	if err != nil {
		return nil, err
	}
	if s.specs == nil {
		s.specs = map[string]*Spec{}
	}
	s.specs[string(kept)] = spec
	return spec, nil
}
