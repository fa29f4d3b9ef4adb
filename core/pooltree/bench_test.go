package pooltree

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkAdmission starts and finishes operations in a tree that stays full
// of them: every iteration is one completion, with what it releases, and one
// admission.
func BenchmarkAdmission(b *testing.B) {
	for _, size := range []struct{ pools, operations int }{{10, 500}, {100, 5_000}, {1_000, 50_000}} {
		b.Run(fmt.Sprintf("pools=%d/operations=%d", size.pools, size.operations), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			tree, names := benchTree(b, r, size.pools)
			live := make([]Operation, 0, size.operations)
			for len(live) < size.operations {
				o, err := tree.Start(Request{User: "user", Pool: names[r.IntN(len(names))], Vanilla: r.IntN(4) == 0})
				if err != nil {
					b.Fatal(err)
				}
				live = append(live, o)
			}
			b.ReportAllocs()
			for b.Loop() {
				i := r.IntN(len(live))
				tree.Finish(live[i])
				live[i], _ = tree.Start(Request{User: "user", Pool: names[r.IntN(len(names))], Vanilla: r.IntN(4) == 0})
				tree.ClearChanged()
			}
		})
	}
}

// benchTree returns a tree of pools at five levels, with names that requests
// ask for: half the pools run as many operations as they hold, so that as many
// wait, some are hubs, some hold lightweight operations.
func benchTree(b *testing.B, r *rand.Rand, pools int) (*Tree, []string) {
	tree := NewTree("tree", Documented)
	var config TreeConfig
	config.MaxOperationCount, config.MaxRunningOperationCount = Some[int64](1<<40), Some[int64](1<<40)
	config.MaxOperationCountPerPool = Some[int64](1 << 40)
	config.MaxRunningOperationCountPerPool = Some[int64](25)
	tree.SetConfig(config)
	var changes []Change
	var names []string
	for i := range pools {
		d := Definition{Name: fmt.Sprintf("pool-%d", i)}
		inner := i < pools/5
		if i >= 3 {
			d.Parent = fmt.Sprintf("pool-%d", r.IntN(min(i, pools/5))/2)
		}
		switch {
		case inner:
			d.Config.MaxRunningOperationCount = Some[int64](1 << 40)
		case i%10 == 0:
			d.Config.Mode, d.Config.LightweightOps = Some(FIFO), Some(true)
		case i%10 == 1:
			d.Config.CreateSubpools = true
		}
		if !inner {
			names = append(names, d.Name)
		}
		changes = append(changes, Change{Definition: d})
	}
	if errs := tree.Apply(changes...); len(errs) > 0 {
		b.Fatal(errs[0])
	}
	return tree, names
}

// BenchmarkApply changes one pool of a tree that is full of operations.
func BenchmarkApply(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	tree, names := benchTree(b, r, 1_000)
	for range 50_000 {
		if _, err := tree.Start(Request{User: "user", Pool: names[r.IntN(len(names))]}); err != nil {
			b.Fatal(err)
		}
	}
	change := Change{Definition: tree.definitions[500]}
	b.Run("pools=1000/operations=50000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			change.Config.MaxOperationCount = Some(int64(b.N) + 1<<40)
			if errs := tree.Apply(change); len(errs) > 0 {
				b.Fatal(errs[0])
			}
		}
	})
}
