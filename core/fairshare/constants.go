package fairshare

// Precisions (core/spec/fair-share.md §1.7).
const (
	computationPrecision = 1e-9 // EPS: feasibility, least weight, zero tests of guarantees
	comparisonPrecision  = 1e-4 // CMP: "is satisfied" tests

	// InfiniteSatisfaction is the satisfaction of an element without fair
	// share, and the largest there is.
	InfiniteSatisfaction = 1e9
)
