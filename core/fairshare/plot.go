package fairshare

// A point of a plot. Of F, x is the fit factor; of S, x is the suggestion and
// f the fit factor at which F has this value.
type point struct {
	x, f float64
	y    vector
}

// A vector has a value for each kind of Tree.kinds, in that order; the rest
// is unused.
type vector [5]float64

// scratch is the memory that an update needs and the next one reuses.
type scratch struct{}
