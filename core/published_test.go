package core_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// pass lets time go on as a replay does.
func pass(t *rapid.T, tree *core.Tree, now, to core.Time) {
	tree.ClearChanges()
	boundary := (now/core.Second + 1) * core.Second
	if !tree.Stale() || boundary > to {
		return
	}
	switch err := tree.Update(boundary); {
	case err == nil:
		checkPublished(t, tree, boundary)
	case !refusable(tree):
		t.Fatalf("update at %d: %v", boundary, err)
	}
	tree.ClearChanges()
}

// checkPublished repeats an update with everything handed on anew: what was
// published by the changes alone is, bit for bit, what follows from the state.
func checkPublished(t *rapid.T, tree *core.Tree, now core.Time) {
	before := published(tree)
	tree.HandOnAll()
	if err := tree.Update(now); err != nil {
		t.Fatalf("update at %d once more: %v", now, err)
	}
	for i, after := range published(tree) {
		if before[i] != after {
			t.Fatalf("at %d: %s", now, difference(before[i], after))
		}
	}
}

// difference names the words in which two lines differ.
func difference(before, after string) string {
	a, b := strings.Fields(before), strings.Fields(after)
	what := strings.Join(a[:2], " ")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			what += fmt.Sprintf(", %s by what changed and %s by everything", a[i], b[i])
		}
	}
	return what
}

// published tells what the last update said of every element and job.
func published(tree *core.Tree) (lines []string) {
	tell := func(what string, id any, e fairshare.Element) {
		r := *tree.Shares(e)
		integral := fairshare.IntegralResult{}
		if r.Integral != nil {
			integral = *r.Integral
			// What flows over, and who could take it, is that of the time since the update
			// before: none of the second one, and none of the first after a restart.
			integral.Overflow, integral.ChildrenOverflow, integral.Acceptable = resource.Volume{}, resource.Volume{}, resource.Volume{}
		}
		r.Integral = nil
		lines = append(lines, fmt.Sprintf("%s %v %+v %+v %+v", what, id, r, integral, tree.Scheduling().Describe(e)))
	}
	for slot := range tree.Pools() {
		if p := tree.Pool(int32(slot)); p.Exists() {
			tell("pool", p.ID, p.Element)
		}
	}
	for slot := range tree.Operations() {
		o := tree.Operation(int32(slot))
		if !o.Alive || !o.Enabled() {
			continue
		}
		tell("operation", o.ID, o.Element)
		if tree.Nodes() > 0 {
			lines = append(lines, fmt.Sprintf("priority of %d: %s", o.ID, tree.Scheduling().Priority(o.Element, 0)))
			for n := range tree.Nodes() {
				lines = append(lines, fmt.Sprintf("node %d of %d: %t", n, o.ID, tree.Scheduling().SegmentFits(o.Element, scheduling.Node(n))))
			}
		}
		tree.Scheduling().OperationJobs(o.Element, func(j scheduling.Job) {
			lines = append(lines, fmt.Sprintf("job of %d: %s %+v", o.ID, tree.Scheduling().List(j), tree.Scheduling().Job(j)))
		})
	}
	return lines
}

// refusable reports whether a FIFO pool holds a pool, or an integral pool another:
// no other input here is wrong (core/spec/fair-share.md §7.12).
func refusable(tree *core.Tree) bool {
	integral := func(slot int32) bool { return tree.Pool(slot).Config.Integral.Type != core.NoIntegral }
	for slot := range tree.Pools() {
		p := tree.Pool(int32(slot))
		if p.Removed.Set {
			continue
		}
		for above := p.Parent; above >= 0; above = tree.Pool(above).Parent {
			if tree.Pool(p.Parent).Config.Mode.Value == core.FIFO || integral(int32(slot)) && integral(above) {
				return true
			}
		}
	}
	return false
}
