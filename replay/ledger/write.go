package ledger

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// mostHolders is the number of holders of one deficit with a row each; the others share one row.
const mostHolders = 8

// A line is the content of one row.
type line struct {
	key
	sum       resource.Share // share·µs
	from      core.Time      // start in the span
	holder    core.PoolID
	operation core.OperationID
	obstacle  scheduling.Obstacle
	blocker   core.PoolID
}

// writeSpan writes the rows of the span that ends, whose sums are complete.
func (l *Ledger) writeSpan(to core.Time) {
	l.shared = l.shared[:0]
	for len(l.nested) < len(l.pools) {
		l.nested = append(l.nested, nesting{})
	}
	for slot := range l.nested {
		l.nested[slot].clear()
	}
	for i := range l.closed {
		var below nesting // of a pool that is gone: nothing
		l.writeAccount(to, &l.closed[i], -1, &below)
	}
	for _, slot := range l.fromTheBottom() {
		l.writeAccount(to, &l.pools[slot], slot, &l.nested[slot])
	}
	for slot := range l.operations {
		l.writeAccount(to, &l.operations[slot], int32(slot), nil)
	}
	clear(l.closed)
	l.closed = l.closed[:0]
	l.sample.clearSurpluses()
	l.spanFrom = to
}

// writeAccount writes the rows of one element and begins its next span. Its slot is -1 if it is
// gone. Of a pool, n is what those below it lack.
func (l *Ledger) writeAccount(to core.Time, a *account, slot int32, n *nesting) {
	var deficits [tables.DebtLevels]int64
	for level := range a.deficits {
		d := &a.deficits[level]
		if d.lacking == 0 {
			d.sums = d.sums[:0]
			continue
		}
		row := tables.ShareDebt{
			Element: tables.ElementPool, Pool: a.pool, Level: tables.DebtLevel(level),
			FromTime: d.from, ToTime: d.to, Lacking: d.lacking,
		}
		if a.isOperation {
			row.Element, row.Operation = tables.ElementOperation, core.Some(a.operation)
		}
		for k := range d.whole {
			if d.whole[k] > d.whole[row.Resource] {
				row.Resource = resource.Kind(k)
			}
		}
		row.Deficit = env.ShareSeconds(d.whole[row.Resource])
		deficits[level] = row.Deficit
		l.list(a, d, slot, int(row.Resource))
		l.writeLines(to, &row, d.whole, n)
		d.reset()
	}
	if !a.isOperation && a.parent > 0 {
		n.pass(deficits, &l.nested[a.parent])
	}
}

// list makes the lines of a deficit, in the order of causes and of size.
func (l *Ledger) list(a *account, d *deficit, slot int32, k int) {
	l.lines = l.lines[:0]
	slices.SortFunc(d.sums, func(x, y part) int {
		return cmp.Or(
			cmp.Compare(x.cause, y.cause), cmp.Compare(x.key.pool, y.key.pool), cmp.Compare(x.obstacle, y.obstacle),
			cmp.Compare(x.target, y.target), cmp.Compare(x.limiting, y.limiting),
		)
	})
	for i := range d.sums {
		p := &d.sums[i]
		if p.cause == tables.OthersOverFairShare {
			l.listHolders(a, p, slot, k)
			continue
		}
		one := line{key: p.key, sum: p.share, from: p.from, holder: core.Unknown, operation: core.Unknown, obstacle: p.obstacle, blocker: core.Unknown}
		if p.key.pool >= 0 {
			one.holder = l.Core.Pool(p.key.pool).ID
		}
		l.lines = append(l.lines, one)
	}
}

// listHolders divides what the children of one pool had among those that had it. The largest have
// a line each; the others are added up.
func (l *Ledger) listHolders(a *account, p *part, slot int32, k int) {
	all := l.holdersOf(p.key.pool, k)
	branch, branchIsPool := l.branchBelow(a, slot, p.key.pool)
	total := 0.0
	for i := range all {
		if !all[i].isIn(branch, branchIsPool) {
			total += all[i].weight
		}
	}
	if total <= 0 {
		l.lines = append(l.lines, line{key: causedBy(tables.Unexplained), sum: p.share, from: p.from,
			holder: core.Unknown, operation: core.Unknown, blocker: core.Unknown})
		return
	}
	rest := p.share
	written := 0
	l.groups = l.groups[:0]
	for i := range all {
		h := &all[i]
		if h.isIn(branch, branchIsPool) {
			continue
		}
		sum := p.share.Scale(h.weight / total)
		one := l.heldBy(a, p, h, sum, slot)
		if written++; written > mostHolders {
			l.addToGroup(h, p.key.pool, &one)
			continue
		}
		rest = rest.Sub(sum)
		l.lines = append(l.lines, one)
	}
	l.listGroups(rest)
}

// A group combines several holders in one line: those below one child of their common pool with the
// element, or in that pool itself, with the same obstacle.
type group struct {
	line
	branch int32 // slot of a pool
	common int32 // slot of the lowest pool that all are in
}

// addToGroup adds a holder below a pool to its group.
func (l *Ledger) addToGroup(h *holder, pool int32, one *line) {
	branch := pool
	if h.branchIsPool {
		branch = h.branch
	}
	i := slices.IndexFunc(l.groups, func(g group) bool {
		return g.branch == branch && g.obstacle == one.obstacle && g.blocker == one.blocker
	})
	if i < 0 {
		l.groups = append(l.groups, group{*one, branch, h.pool})
		return
	}
	g := &l.groups[i]
	g.join(one)
	for !l.Core.IsWithin(h.pool, g.common) {
		g.common = l.Core.Pool(g.common).Parent
	}
	g.holder = l.Core.Pool(g.common).ID
}

// join adds another line to a line.
func (x *line) join(other *line) {
	x.sum, x.from, x.operation = x.sum.Add(other.sum), min(x.from, other.from), core.Unknown
	if x.obstacle != other.obstacle || x.blocker != other.blocker {
		x.obstacle, x.blocker = scheduling.NoObstacle, core.Unknown
	}
}

// listGroups makes the lines of the groups, the largest first, which together book a sum. Small
// groups are one line of no holder: they have no pool in common that the element is not in, too.
func (l *Ledger) listGroups(whole resource.Share) {
	if len(l.groups) == 0 {
		return
	}
	slices.SortStableFunc(l.groups, func(a, b group) int { return cmp.Compare(b.sum.Dominant(), a.sum.Dominant()) })
	for i := range l.groups {
		if g := &l.groups[i].line; i > mostHolders {
			last := &l.lines[len(l.lines)-1]
			last.join(g)
			last.holder = core.Unknown
			continue
		}
		l.lines = append(l.lines, l.groups[i].line)
	}
	lines := l.lines[len(l.lines)-min(len(l.groups), mostHolders+1):]
	for i := range lines[1:] {
		whole = whole.Sub(lines[i+1].sum)
	}
	for x := range whole {
		whole[x] = max(0, whole[x])
	}
	lines[0].sum = whole // the largest gets the rounding error
}

// heldBy is the line of one holder.
func (l *Ledger) heldBy(a *account, p *part, h *holder, sum resource.Share, slot int32) line {
	one := line{key: p.key, sum: sum, from: p.from, holder: l.Core.Pool(h.pool).ID, operation: core.Unknown, obstacle: p.obstacle, blocker: core.Unknown}
	if h.operation == nil {
		return one
	}
	one.operation = h.operation.id
	if p.obstacle != scheduling.NoObstacle {
		return one
	}
	guarded := &h.operation.guarded[p.target]
	one.obstacle, one.blocker, one.from = guarded.obstacle, guarded.blocker, max(p.from, h.operation.guardedFrom[p.target])
	example := slot
	if !a.isOperation && slot >= 0 {
		example = l.sample.pools[slot].example
	}
	if guarded.obstacle != scheduling.IsPreemptible {
		return one
	}
	switch {
	case example >= 0 && h.operation.node >= 0 && l.Core.ObstacleAt(example, h.operation.node) != scheduling.NoObstacle:
		one.obstacle = scheduling.OnExcludedNodes
	// Stages that ran while the element starved could have taken the job: then no backoff excuses it.
	case p.since != scheduling.Never && h.operation.backsOffFrom != scheduling.Never && h.operation.backsOffFrom < p.since:
		one.obstacle = scheduling.WithinBackoff
	}
	return one
}

// branchBelow returns the child of a pool that is an element or contains it.
func (l *Ledger) branchBelow(a *account, slot, above int32) (branch int32, isPool bool) {
	if slot < 0 {
		return -1, false
	}
	branch, isPool = slot, !a.isOperation
	parent := int32(-1)
	if isPool {
		parent = l.Core.Pool(slot).Parent
	} else {
		parent = l.Core.Operation(slot).Pool
	}
	for parent >= 0 && parent != above {
		branch, isPool = parent, true
		parent = l.Core.Pool(parent).Parent
	}
	return branch, isPool
}

// drift is by how many units of 1e-9 share·s the lines of a deficit may miss it for rounding: a
// millionth of a share·s, or a billionth of the whole.
func drift(all int64) int64 { return 1000 + all/1e9 }

// A splitter rounds the lines of a deficit so that the sums of all up to each are rounded: then
// they add up to the whole.
type splitter struct {
	sums    resource.Share
	written tables.ShareSeconds
}

// next rounds a line of a deficit. The last one is what is left, which is nothing below zero.
func (s *splitter) next(share, whole resource.Share, last bool) (v tables.ShareSeconds) {
	for k := range share {
		s.sums[k] += share[k]
		upTo, all := env.ShareSeconds(s.sums[k]), env.ShareSeconds(whole[k])
		if may := drift(all); (last || upTo > all) && upTo-all <= may && all-upTo <= may {
			upTo = all
		}
		v[k] = upTo - s.written[k]
		s.written[k] = upTo
	}
	return v
}

// writeLines writes the lines with the rest of a row. Of a pool, n is what those below it lack.
func (l *Ledger) writeLines(to core.Time, row *tables.ShareDebt, whole resource.Share, n *nesting) {
	var split splitter
	written := int64(0)
	for i := range l.lines {
		one := &l.lines[i]
		row.Vector = split.next(one.sum, whole, i == len(l.lines)-1)
		if row.Vector == (tables.ShareSeconds{}) && whole != (resource.Share{}) {
			continue
		}
		row.From = min(max(one.from, row.FromTime), row.ToTime)
		row.Cause, row.Owed, row.Obstacle = one.cause, row.Vector[row.Resource], one.obstacle
		row.Holder = core.Optional[core.PoolID]{Value: one.holder, Set: one.holder != core.Unknown}
		row.HolderOperation = core.Optional[core.OperationID]{Value: one.operation, Set: one.operation != core.Unknown}
		row.Blocker = core.Optional[core.PoolID]{Value: one.blocker, Set: one.blocker != core.Unknown}
		row.Limiting = core.Optional[resource.Kind]{Value: resource.Kind(max(one.limiting, 0)), Set: one.limiting >= 0}
		if row.Element == tables.ElementPool {
			n.nest(row, written)
			written += row.Owed
		}
		l.debts.Add(to, row)
	}
}

// A holder is an operation, or a pool without operations in the log, that had more than its fair
// share in the span.
type holder struct {
	operation    *operationSample // nil if it is a pool
	pool         int32            // slot: of the operation's pool, or the pool itself
	branch       int32            // slot of the child of the pool asked about
	branchIsPool bool
	weight       float64 // what it had of the surpluses of the children
}

func (h *holder) isIn(branch int32, isPool bool) bool {
	return h.branch == branch && h.branchIsPool == isPool
}

// sharedBy are the holders below a pool of a resource.
type sharedBy struct {
	pool, k int32
}

// holdersOf returns who had the surpluses of a pool's children in the span, the largest first.
func (l *Ledger) holdersOf(pool int32, k int) []holder {
	for i := range l.shared {
		if x := &l.shared[i]; x.pool == pool && int(x.k) == k {
			return l.holders[i]
		}
	}
	at := len(l.shared)
	l.shared = append(l.shared, sharedBy{pool: pool, k: int32(k)})
	if at == len(l.holders) {
		l.holders = append(l.holders, nil)
	}
	list := l.holders[at][:0]
	list = l.addHolders(list, pool, k, 1, holder{branch: -1})
	slices.SortFunc(list, func(a, b holder) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(l.Core.Pool(a.pool).ID, l.Core.Pool(b.pool).ID), cmp.Compare(a.id(), b.id()))
	})
	l.holders[at] = list
	return list
}

func (h *holder) id() core.OperationID {
	if h.operation == nil {
		return core.Unknown
	}
	return h.operation.id
}

// addHolders adds the holders below a pool, whose surpluses count by a factor. Those of pools are
// of their children, in proportion.
func (l *Ledger) addHolders(list []holder, pool int32, k int, factor float64, under holder) []holder {
	s := &l.sample
	add := func(own *operationSample, slot int32) {
		if own.pool == pool && own.sum[k] > 0 {
			h := holder{operation: own, pool: pool, branch: under.branch, branchIsPool: under.branchIsPool, weight: own.sum[k] * factor}
			if h.branch < 0 {
				h.branch, h.branchIsPool = slot, false
			}
			list = append(list, h)
		}
	}
	for slot := range s.operations {
		add(&s.operations[slot], int32(slot))
	}
	for i := range s.gone {
		add(&s.gone[i], -2-int32(i))
	}
	for slot := 1; slot < len(s.pools); slot++ {
		child := &s.pools[slot]
		if child.sum[k] <= 0 || l.Core.Pool(int32(slot)).Parent != pool {
			continue
		}
		down := under
		if down.branch < 0 {
			down = holder{branch: int32(slot), branchIsPool: true}
		}
		before := len(list)
		list = l.addHolders(list, int32(slot), k, 1, down)
		below := 0.0
		for i := before; i < len(list); i++ {
			below += list[i].weight
		}
		if below <= 0 {
			list = append(list[:before], holder{pool: int32(slot), branch: down.branch, branchIsPool: down.branchIsPool, weight: child.sum[k] * factor})
			continue
		}
		for i := before; i < len(list); i++ {
			list[i].weight *= child.sum[k] * factor / below
		}
	}
	return list
}
