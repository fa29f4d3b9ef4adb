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

// finding is that of a rule which a fact must keep.
func (f Fact) finding(input Input) finding {
	if f == Unknown {
		return finding{missing: input}
	}
	return held(f == Yes)
}
