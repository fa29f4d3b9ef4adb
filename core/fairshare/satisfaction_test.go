package fairshare

import (
	"math"
	"slices"
	"testing"

	"poolproof/core/resource"
)

// cores is an amount of cpu alone.
func cores(n int64) resource.Vector { return resource.Vector{resource.CPU: n * resource.CentsPerCore} }

// hundredCores returns a tree of 100 cores.
func hundredCores(o Options) *Tree {
	o.MainResource = resource.CPU
	t := New(o)
	t.SetTotal(cores(100))
	return t
}

// addDemand adds an operation that demands some cores.
func addDemand(t *Tree, parent Element, o Operation, n int64) Element {
	e := t.AddOperation(parent, o)
	t.SetDemand(e, cores(n))
	return e
}

func updateNow(t *testing.T, tree *Tree) {
	t.Helper()
	if err := tree.Update(1, NoUpdate); err != nil {
		t.Fatal(err)
	}
}

// TestQueueOpensWhenItsHeadLeaves looks at a FIFO pool in which one operation
// may be scheduled: the second becomes schedulable when the first no longer is,
// although nothing else of it changes.
func TestQueueOpensWhenItsHeadLeaves(t *testing.T) {
	tree := hundredCores(Options{MaxSchedulableInFIFOPool: 1})
	queue := tree.AddPool(Root, Pool{Mode: FIFO})
	head := Operation{ID: 1}
	first := addDemand(tree, queue, head, 200)
	second := addDemand(tree, queue, Operation{ID: 2}, 200)
	updateNow(t, tree)
	if !tree.Result(first).Schedulable || tree.Result(second).Schedulable {
		t.Error("only the head of the queue may be schedulable")
	}
	head.Unschedulable = true
	tree.SetOperation(first, head)
	updateNow(t, tree)
	if tree.Result(first).Schedulable || !tree.Result(second).Schedulable || !slices.Contains(tree.Changed(), second) {
		t.Errorf("the second must become schedulable, changed are %v", tree.Changed())
	}
}

func TestPoolIsAsSatisfiedAsItsNeediestChild(t *testing.T) {
	tree := hundredCores(Options{})
	pool := tree.AddPool(Root, Pool{})
	needy := addDemand(tree, pool, Operation{}, 200)
	content := addDemand(tree, pool, Operation{}, 200)
	tree.SetUsage(content, cores(50))
	tree.SetUsage(needy, cores(10))
	updateNow(t, tree)
	for e, want := range map[Element]float64{needy: 0.2, content: 1, pool: 0.2, Root: 0.2} {
		if got := tree.Result(e).Satisfaction; math.Abs(got-want) > 1e-15 {
			t.Errorf("element %d: satisfaction %v, want %v", e, got, want)
		}
	}
	tree.SetOperation(needy, Operation{Unschedulable: true})
	updateNow(t, tree)
	if got := tree.Result(Root); math.Abs(got.Satisfaction-1) > 1e-15 || !slices.Contains(tree.Changed(), Root) {
		t.Errorf("satisfaction %v without the needy one, changed are %v", got.Satisfaction, tree.Changed())
	}
	tree.SetOperation(content, Operation{Unschedulable: true})
	updateNow(t, tree)
	if got := tree.Result(pool); got.Schedulable || got.Satisfaction != got.LocalSatisfaction {
		t.Errorf("a pool without schedulable children has satisfaction %v, schedulable %v", got.Satisfaction, got.Schedulable)
	}
	tree.SetPool(pool, Pool{UsePoolSatisfaction: On})
	tree.SetOperation(content, Operation{})
	updateNow(t, tree)
	if got := tree.Result(pool).Satisfaction; got != 0.6 {
		t.Errorf("satisfaction %v, want the pool's own 0.6", got)
	}
}

func TestFIFOPoolIsAsSatisfiedAsItsHead(t *testing.T) {
	tree := hundredCores(Options{ScheduleFIFOPoolsInFIFOOrder: true})
	queue := tree.AddPool(Root, Pool{Mode: FIFO})
	head := addDemand(tree, queue, Operation{ID: 1}, 60)
	addDemand(tree, queue, Operation{ID: 2}, 60)
	tree.SetUsage(head, cores(30))
	updateNow(t, tree)
	if got := tree.Result(queue).Satisfaction; got != 0.5 {
		t.Errorf("satisfaction %v, want that of the head", got)
	}
	tree.SetPool(queue, Pool{Mode: FIFO, ScheduleInFIFOOrder: Off})
	updateNow(t, tree)
	if got := tree.Result(queue).Satisfaction; got != 0 {
		t.Errorf("satisfaction %v, want that of the neediest", got)
	}
}
