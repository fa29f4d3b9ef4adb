package ytsaurus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// settle brings what the loader holds in memory into one order, each thing once, and reports
// problems that no single row is to blame for.
func (a *assembly) settle() error {
	a.useArchive()
	for id, o := range a.operations {
		if to := a.options.To; to != 0 && o.startOf() >= to {
			delete(a.operations, id) // only its end is recorded
			continue
		}
		o.changes = distinct(o.changes, a.compareChanges)
		o.banned = distinct(o.banned, func(s, t treeStep) int { return cmp.Or(cmp.Compare(s.time, t.time), a.compareTrees(s.tree, t.tree)) })
	}
	a.starvation = distinct(a.starvation, func(s, t starvationStep) int {
		return cmp.Or(cmp.Compare(s.time, t.time), slices.Compare(s.operation[:], t.operation[:]), a.compareTrees(s.tree, t.tree),
			compareBools(s.finished, t.finished), strings.Compare(s.status, t.status), compareOptional(s.fair, t.fair, compareShares), compareOptional(s.usage, t.usage, compareShares))
	})
	a.processes = distinct(a.processes, func(p, q process) int {
		return cmp.Or(cmp.Compare(p.time, q.time), cmp.Compare(p.event, q.event), strings.Compare(p.address, q.address))
	})
	for _, at := range distinct(a.anonymous, cmp.Compare[core.Time]) {
		a.problems.Note(wholeLog, -1, "operation_id", nobodysChange, formatTime(at))
	}
	for _, name := range sortedKeys(a.unknown) {
		a.problems.Note(wholeLog, -1, "event_type", unknownType, fmt.Sprintf("%s: %d rows", name, a.unknown[name]))
	}
	a.noteUnread()
	if a.foreign > 0 {
		a.problems.Note(wholeLog, -1, "", foreignLines, fmt.Sprintf("%d lines", a.foreign))
	}
	return a.countDuplicates()
}

// noteMissing reports what the log lacks as a whole, tree by tree.
func (a *assembly) noteMissing() error {
	if a.exporting == nil {
		a.problems.Note(wholeLog, -1, "", noExports, "")
	}
	groups := a.sorter.Prefixes()
	for _, id := range a.published {
		t := a.byTree[id]
		if a.exporting != nil && !t.configured {
			a.problems.Note(wholeLog, -1, "tree_id", unknownConfig, t.name)
		}
		if !slices.Contains(groups, prefixOf(nodeRecords, id)) {
			a.problems.Note(wholeLog, -1, "tree_id", noNodes, t.name)
		}
		if !slices.Contains(groups, prefixOf(snapshotRecords, id)) {
			a.problems.Note(wholeLog, -1, "tree_id", noSnapshots, t.name)
		}
	}
	return nil
}

func (a *assembly) compareTrees(x, y treeID) int { return strings.Compare(a.trees[x], a.trees[y]) }

// distinct sorts a list and keeps of equal items one.
func distinct[T comparable](all []T, compare func(T, T) int) []T {
	slices.SortFunc(all, compare)
	return slices.Compact(all)
}

func (a *assembly) compareChanges(c, d change) int {
	return cmp.Or(cmp.Compare(c.time, d.time), a.compareTrees(c.tree, d.tree), strings.Compare(c.who, d.who), c.options.compare(&d.options))
}

// compare orders the parameters that several rows record.
func (o *treeOptions) compare(p *treeOptions) int {
	return cmp.Or(strings.Compare(o.pool, p.pool), compareOptional(o.weight, p.weight, cmp.Compare[float64]), comparePartial(&o.limit, &p.limit),
		compareOptional(o.tentative, p.tentative, compareBools), compareOptional(o.probing, p.probing, compareBools),
		compareOptional(o.offloading, p.offloading, compareBools), compareOptional(o.tagFilter, p.tagFilter, strings.Compare))
}

func comparePartial(a, b *trace.PartialResources) int {
	return cmp.Or(compareOptional(a.UserSlots, b.UserSlots, cmp.Compare[int64]), compareOptional(a.CPUMilli, b.CPUMilli, cmp.Compare[int64]),
		compareOptional(a.GPU, b.GPU, cmp.Compare[int32]), compareOptional(a.Memory, b.Memory, cmp.Compare[int64]),
		compareOptional(a.Network, b.Network, cmp.Compare[int64]))
}

func compareShares(a, b trace.Shares) int {
	return cmp.Or(cmp.Compare(a.UserSlots, b.UserSlots), cmp.Compare(a.CPU, b.CPU), cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.Memory, b.Memory), cmp.Compare(a.Network, b.Network))
}

func compareOptional[T any](a, b core.Optional[T], compare func(T, T) int) int {
	if c := compareBools(a.Set, b.Set); c != 0 || !a.Set {
		return c
	}
	return compare(a.Value, b.Value)
}

func compareCounts(a, b int64) int { return cmp.Compare(a, b) }

func compareBools(a, b bool) int { return boolOf(a) - boolOf(b) }

// greater returns the set one of two values that rows record, the greater if both are.
func greater[T any](a, b core.Optional[T], compare func(T, T) int) core.Optional[T] {
	if compareOptional(a, b, compare) < 0 {
		return b
	}
	return a
}
