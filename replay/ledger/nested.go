package ledger

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/replay/tables"
)

// A pool and its ancestors lack the same cores, and each has its own rows. Sums over pools must not
// count twice what the pools below already lack.
//	pool a lacks 5, its children b and c lack 2 and 1: 3 of a's 5 are nested, and the sum is 2 + 2 + 1

// A nesting sums the deficits of the children of a pool in the open span: for each child the larger
// of its own deficit and the sum of its children's.
type nesting struct {
	levels [tables.DebtLevels]int64
	held   []heldBelow
}

// A heldBelow is the part of a nesting that one holder had.
type heldBelow struct {
	level     tables.DebtLevel
	holder    core.PoolID
	operation core.OperationID // core.Unknown of a row that stands for several
	below     int64            // of the pools below
	own       int64            // of the pool itself, so far
}

func (n *nesting) entryOf(level tables.DebtLevel, holder core.PoolID, operation core.OperationID) *heldBelow {
	for i := range n.held {
		if h := &n.held[i]; h.level == level && h.holder == holder && h.operation == operation {
			return h
		}
	}
	n.held = append(n.held, heldBelow{level: level, holder: holder, operation: operation})
	return &n.held[len(n.held)-1]
}

// nest fills in how much of a pool's row the pools below lack as well. before is what the rows of
// the level had before it.
func (n *nesting) nest(row *tables.ShareDebt, before int64) {
	row.Nested = min(row.Owed, max(0, n.levels[row.Level]-before))
	row.NestedHeld = 0
	if row.Cause != tables.OthersOverFairShare {
		return
	}
	h := n.entryOf(row.Level, row.Holder.Or(core.Unknown), row.HolderOperation.Or(core.Unknown))
	row.NestedHeld = min(row.Owed, max(0, h.below-h.own))
	h.own += row.Owed
}

// pass adds what a pool lacks with those below it to what the pool above it has below. Deficits are
// the pool's own.
func (n *nesting) pass(deficits [tables.DebtLevels]int64, above *nesting) {
	for level := range n.levels {
		above.levels[level] += max(deficits[level], n.levels[level])
	}
	for _, h := range n.held {
		above.entryOf(h.level, h.holder, h.operation).below += max(h.own, h.below)
	}
}

func (n *nesting) clear() { n.levels, n.held = [tables.DebtLevels]int64{}, n.held[:0] }

// fromTheBottom returns the slots of all pools, each after those below it.
func (l *Ledger) fromTheBottom() []int32 {
	depths := make([]int32, len(l.pools))
	slots := make([]int32, len(l.pools))
	for slot := range slots {
		slots[slot] = int32(slot)
		for p := l.pools[slot].parent; p > 0; p = l.pools[p].parent {
			depths[slot]++
		}
	}
	slices.SortFunc(slots, func(x, y int32) int { return cmp.Or(cmp.Compare(depths[y], depths[x]), cmp.Compare(x, y)) })
	return slots
}
