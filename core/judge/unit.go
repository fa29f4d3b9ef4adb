package judge

import (
	"strconv"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A Unit says what the two sides of a ruling are.
type Unit uint8

// The units.
const (
	NoUnit        Unit = iota // nothing is measured
	Amounts                   // of the resource that is fullest, in its own unit
	Shares                    // of the tree, dominant
	PartShares                // of the tree, of the resource that decides
	Satisfactions             // local satisfaction ratios
	Times                     // microseconds
	Counts                    // operations, jobs or trees
	Positions                 // in an order: of operations in a FIFO pool, of jobs that go from a node
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

// show prints one side of a ruling for a person; kind is the resource of amounts.
func (u Unit) show(x float64, kind resource.Kind) string {
	switch u {
	case Amounts:
		return ShowAmount(x, kind)
	case Times:
		return strconv.FormatFloat(x/second, 'f', 3, 64) + " s"
	case Volumes:
		return strconv.FormatFloat(x, 'f', 3, 64)
	case Shares, PartShares, Satisfactions:
		return strconv.FormatFloat(x, 'f', 4, 64)
	case Priorities:
		return scheduling.Priority(x).String()
	case Levels:
		return scheduling.Level(x).String()
	case Lists:
		return scheduling.List(x).String()
	case Statuses:
		return scheduling.Status(x).String()
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// ShowAmount prints an amount of a resource: cores and GiB, and others as they are
// counted.
func ShowAmount(x float64, kind resource.Kind) string {
	switch kind {
	case resource.CPU:
		return strconv.FormatFloat(x/resource.CentsPerCore, 'f', 2, 64) + " cores"
	case resource.Memory:
		return strconv.FormatFloat(x/(1<<30), 'f', 2, 64) + " GiB of memory"
	}
	return strconv.FormatFloat(x, 'f', -1, 64) + " " + countedAs[kind]
}

// countedAs are the words for amounts of resources that are counted.
var countedAs = [resource.Kinds]string{resource.UserSlots: "user slots", resource.GPU: "devices", resource.Network: "units of network"}
