package judge

import (
	"poolproof/core/quantity"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A Unit is the unit of the two sides of a ruling.
type Unit uint8

// The units.
const (
	NoUnit        Unit = iota // nothing is measured
	Amounts                   // of the resource with the highest use, in its own unit
	Shares                    // of the tree, dominant
	PartShares                // of the tree, of the resource that decides
	Satisfactions             // local satisfaction ratios
	Times                     // microseconds
	Counts                    // operations, jobs or trees
	Positions                 // ranks: of operations in a FIFO pool, or of jobs in preemption order
	Priorities                // scheduling.Priority
	Levels                    // scheduling.Level
	Lists                     // scheduling.List
	Statuses                  // scheduling.Status
	Volumes                   // seconds of the whole tree
)

var unitNames = [...]string{
	"", "amount", "share", "share", "ratio", "µs", "number", "position", "priority", "level", "list", "status", "s",
}

func (u Unit) String() string { return unitNames[u] }

// HasResource reports whether the sides are of one resource.
func (u Unit) HasResource() bool { return u == Amounts || u == PartShares }

// show formats one side of a ruling for users; kind is the resource of amounts.
func (u Unit) show(x float64, kind resource.Kind, units *resource.Units) string {
	switch u {
	case Amounts:
		return ShowAmount(x, kind, units)
	case Times:
		return quantity.Seconds(x / second)
	case Volumes:
		return quantity.Number(x, 3)
	case Shares, PartShares:
		return quantity.Share(x)
	case Satisfactions:
		return quantity.Ratio(x)
	case Positions:
		return quantity.Ordinal(int64(x))
	case Priorities:
		return scheduling.Priority(x).String()
	case Levels:
		return scheduling.Level(x).String()
	case Lists:
		return scheduling.List(x).String()
	case Statuses:
		return scheduling.Status(x).String()
	}
	return quantity.Number(x, 3)
}

// ShowAmount formats an amount of a resource that the core counts in units.
func ShowAmount(x float64, kind resource.Kind, units *resource.Units) string {
	return quantity.Amount(kind.String(), x/units[kind])
}
