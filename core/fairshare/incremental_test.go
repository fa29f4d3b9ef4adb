package fairshare

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"poolproof/core/resource"
)

// TestIncrementalEqualsFull drives long random sequences of changes, and
// compares every update with full ones of the same state, bit for bit: with
// that of a tree of the same history, and with that of a tree built anew.
func TestIncrementalEqualsFull(t *testing.T) {
	for seed := range uint64(25) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			if err := checkSequence(seededChooser(seed), 200); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestIncrementalEqualsFullOnSmallTrees does the same with short sequences,
// which are shrunk when they fail.
func TestIncrementalEqualsFullOnSmallTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if err := checkSequence(rapidChooser(t), 6); err != nil {
			t.Fatal(err)
		}
	})
}

// TestNoTruncationAnyMore takes from a pool the order that truncates: the gang in
// it, of which nothing else changed, gets back what was cut (§7.7).
func TestNoTruncationAnyMore(t *testing.T) {
	for _, still := range []struct {
		name string
		pool Pool
	}{
		{"other mode", Pool{Mode: FairShare}},
		{"not enabled", Pool{Mode: FIFO, TruncateFIFO: Off}},
	} {
		t.Run(still.name, func(t *testing.T) {
			tree := New(Options{Profile: Baseline, MainResource: resource.CPU, TruncateFIFO: true})
			tree.SetTotal(resource.Vector{100, 10_000, 0, 1000, 100})
			pool := tree.AddPool(Root, Pool{Mode: FIFO})
			gang := tree.AddOperation(pool, Operation{Gang: true, Settings: Settings{MaxShareRatio: Some(0.5)}})
			tree.SetDemand(gang, resource.Vector{80, 8_000, 0, 800, 80})
			for i, want := range []float64{0, 0.5} {
				if err := tree.Update(int64(i), NoUpdate); err != nil {
					t.Fatal(err)
				}
				if got := tree.Result(gang).FairShare.Total[resource.CPU]; got != want {
					t.Fatalf("update %d gives the gang %v, want %v", i, got, want)
				}
				tree.SetPool(pool, still.pool)
			}
		})
	}
}

func checkSequence(c chooser, steps int) error {
	w := newWorld(c, 2)
	w.grow(c(6), c(12))
	previous := NoUpdate
	for step := range steps {
		for range c(4) {
			w.change()
		}
		w.now += int64(c(3)) * 700_000
		if err := w.compareUpdates(previous); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
		previous = w.now
		if c.oneIn(30) {
			previous = NoUpdate
		}
	}
	return nil
}

// compareUpdates updates both trees, the second in full, and a clone.
func (w *world) compareUpdates(previous int64) error {
	incremental, full := w.trees[0], w.trees[1]
	fresh := new(Tree)
	if w.clones++; w.clones%2 == 0 { // one that was reset is as good as a new one
		fresh = &w.used
	}
	handles := cloneInto(fresh, incremental)
	before := snapshot(incremental)
	full.Recompute()
	err, errFull, errFresh := incremental.Update(w.now, previous), full.Update(w.now, previous), fresh.Update(w.now, previous)
	if (err == nil) != (errFull == nil) || (err == nil) != (errFresh == nil) {
		return fmt.Errorf("refused by some: %v, %v, %v", err, errFull, errFresh)
	}
	var changed []Element
	for e := range Element(len(incremental.nodes)) {
		h, alive := handles[e]
		if !alive {
			continue
		}
		got := incremental.Result(e)
		if d := difference(got, full.Result(e)); d != "" {
			return fmt.Errorf("element %d: not the same as in full: %s", e, d)
		}
		if err == nil {
			if d := difference(got, fresh.Result(h)); d != "" {
				return fmt.Errorf("element %d: not the same as in a new tree: %s", e, d)
			}
		}
		if difference(got, before[e]) != "" {
			changed = append(changed, e)
		}
	}
	if !slices.Equal(changed, incremental.Changed()) {
		return fmt.Errorf("changed are %v, reported %v", changed, incremental.Changed())
	}
	if err == nil {
		return compareErrors(incremental, full)
	}
	return nil
}

func compareErrors(a, b *Tree) error {
	if len(a.Errors()) != len(b.Errors()) {
		return fmt.Errorf("errors %v, in full %v", a.Errors(), b.Errors())
	}
	for i, e := range a.Errors() {
		if !reflect.DeepEqual(e, b.Errors()[i]) {
			return fmt.Errorf("error %+v, in full %+v", e, b.Errors()[i])
		}
	}
	return nil
}

// snapshot copies all results.
func snapshot(t *Tree) []*Result {
	list := make([]*Result, len(t.results))
	for i, r := range t.results {
		list[i] = new(Result)
		*list[i] = *r
		if r.Integral != nil {
			list[i].Integral = new(IntegralResult)
			*list[i].Integral = *r.Integral
		}
	}
	return list
}

// difference names the first field in which two results differ by a bit.
func difference(a, b *Result) string {
	return differs("", reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
}

func differs(path string, a, b reflect.Value) string {
	switch a.Kind() {
	case reflect.Float64:
		if math.Float64bits(a.Float()) != math.Float64bits(b.Float()) {
			return fmt.Sprintf("%s is %v, not %v", path, a, b)
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if d := differs(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i)); d != "" {
				return d
			}
		}
	case reflect.Array:
		for i := range a.Len() {
			if d := differs(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)); d != "" {
				return d
			}
		}
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				return path + " is not of the same kind"
			}
			return ""
		}
		return differs(path, a.Elem(), b.Elem())
	default:
		if !a.Equal(b) {
			return fmt.Sprintf("%s is %v, not %v", path, a, b)
		}
	}
	return ""
}
