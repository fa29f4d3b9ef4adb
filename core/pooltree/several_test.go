package pooltree

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestOperationsOfSeveralTreesAreLostNowhere starts operations in several
// trees, erases trees from them, removes trees under them: every tree holds
// exactly the operations whose roster names it, and everybody who lost all
// trees is aborted.
func TestOperationsOfSeveralTreesAreLostNowhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b", "c"}
		trees := map[string]*Tree{}
		for i, name := range names {
			trees[name] = NewTree(name, Documented)
			trees[name].Apply(definition("p", "", Attributes{"max_operation_count": float64(2 + i), "max_running_operation_count": 1.0}))
		}
		roster := NewRoster[int]()
		in := map[int]map[string]Operation{}
		next := 0
		leave := func(id int, tree string) {
			trees[tree].Finish(in[id][tree])
			delete(in[id], tree)
			if len(in[id]) == 0 {
				delete(in, id)
			}
		}
		subset := func(t *rapid.T, label string) []string {
			return rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID).Draw(t, label)
		}
		t.Repeat(map[string]func(*rapid.T){
			"start": func(t *rapid.T) {
				var entries []entry
				tentative := subset(t, "tentative")
				for _, name := range subset(t, "trees") {
					if trees[name] != nil {
						entries = append(entries, entry{trees[name], rapid.SampledFrom([]string{"p", ""}).Draw(t, "pool"), slices.Contains(tentative, name)})
					}
				}
				before := map[string]int64{}
				for name, tree := range trees {
					before[name] = tree.Counts(Root).Operations
				}
				a, err := startInTrees(entries, "u", false, rapid.Bool().Draw(t, "erase"))
				if err != nil {
					for name, tree := range trees {
						if tree.Counts(Root).Operations != before[name] {
							t.Fatalf("refused, and registered in %s", name)
						}
					}
					return
				}
				next++
				in[next] = map[string]Operation{}
				var kept []string
				for i, e := range entries {
					if a.Operations[i] != NoOperation {
						in[next][e.Tree.Name()] = a.Operations[i]
						kept = append(kept, e.Tree.Name())
					}
				}
				roster.Add(next, kept)
			},
			"erase": func(t *rapid.T) {
				id, name := rapid.IntRange(1, next+1).Draw(t, "id"), rapid.SampledFrom(names).Draw(t, "tree")
				_, has := in[id][name]
				if has {
					leave(id, name)
				}
				if orphaned := roster.Erase(id, name); orphaned != (has && in[id] == nil) {
					t.Fatalf("orphaned: %v", orphaned)
				}
			},
			"remove tree": func(t *rapid.T) {
				name := rapid.SampledFrom(names).Draw(t, "tree")
				aborted, left := roster.RemoveTree(name)
				for _, id := range slices.Concat(aborted, left) {
					leave(id, name)
				}
				for _, id := range aborted {
					if in[id] != nil {
						t.Fatalf("operation %d is aborted and runs in %v", id, in[id])
					}
				}
				if trees[name].Counts(Root) != (Counts{}) {
					t.Fatalf("the removed tree holds %+v", trees[name].Counts(Root))
				}
			},
			"": func(t *rapid.T) {
				held := map[string]int64{}
				for id, at := range in {
					if got := roster.Trees(id); len(got) != len(at) {
						t.Fatalf("operation %d is in %v, the roster says %v", id, at, got)
					}
					for name := range at {
						held[name]++
					}
				}
				for name, tree := range trees {
					checkInvariants(t, tree)
					if tree.Counts(Root).Operations != held[name] {
						t.Fatalf("tree %s counts %d operations of %d", name, tree.Counts(Root).Operations, held[name])
					}
				}
			},
		})
	})
}
