package judge

// A Fact is a yes or no that a log may leave open.
type Fact uint8

// The facts.
const (
	Unknown Fact = iota
	Yes
	No
)

// FactOf returns Yes for true and No for false.
func FactOf(b bool) Fact {
	if b {
		return Yes
	}
	return No
}

// finding returns the finding of a rule that requires the fact to be Yes.
func (f Fact) finding(input Input) finding {
	if f == Unknown {
		return finding{missing: input}
	}
	return held(f == Yes)
}
