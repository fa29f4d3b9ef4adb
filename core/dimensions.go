package core

// Dimensions say what the ids of a trace mean. Slices are indexed by id.
type Dimensions struct {
	Operations []OperationInfo
	Pools      []PoolInfo // pools of all trees; a pool belongs to one
	Nodes      []string   // addresses
}

// An OperationInfo describes an operation in all its trees.
type OperationInfo struct {
	ID   string
	Type string // map, vanilla, ... in the source's words
	User string
	Jobs Optional[int64] // that its spec asks for
	// Start is the time of its start, which may be before its first event.
	Start Optional[Time]
}

// A PoolInfo describes a pool, without its settings.
type PoolInfo struct {
	Tree string
	Name string
	// Ephemeral says that no configuration contains it: it exists while it has operations.
	Ephemeral bool
}

// A Span is the half-open time [From, To).
type Span struct{ From, To Time }
