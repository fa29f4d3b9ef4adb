package opspec

// A Set holds specs. Specs with equal scheduling options are held once.
type Set struct {
	specs map[string]*Spec
}

// Parse reads a spec, or returns the one of the set that has the same scheduling options. The
// error says why the text is not a spec: it is not JSON, or not a map.
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
