package synthetic

import (
	"fmt"
	"slices"
	"testing"

	"poolproof/core"
)

// moves asks for five changes of pool: while the operation is prepared, into a full
// pool, into a hub, out of it again, and into one in a tree that is tried out.
const moves = `
length: 5m
preparation: 5s
trees:
  main: {pools: {narrow: {max_running_operation_count: 1}, roomy: {}, hub: {create_ephemeral_subpools: true}}}
  side: {nodes_filter: side, pools: {roomy: {}, hub: {create_ephemeral_subpools: true}}}
nodes:
  - {name: s, count: 1, tags: [side], resources: {user_slots: 10, cpu: 10, memory: 10GiB, network: 0}}
  - {name: n, count: 2, resources: {user_slots: 10, cpu: 10, memory: 10GiB, network: 0}}
operations:
  - {name: a, at: 5s, pool: narrow, trees: [main], tasks: [{jobs: [4, 4], seconds: [200, 0.1], resources: {cpu: 1, memory: 1GiB}}]}
  - {name: b, at: 10s, pool: roomy, trees: [main], user: ann, tasks: [{jobs: [4, 4], seconds: [200, 0.1], resources: {cpu: 1, memory: 1GiB}}]}
  - {name: c, at: 20s, pool: roomy, trees: [main], tentative_pool_trees: [side], user: ben, tasks: [{jobs: [4, 4], seconds: [200, 0.1], resources: {cpu: 1, memory: 1GiB}}]}
changes:
  - {at: 12s, operation: b, event: pool_changed, pool: hub}
  - {at: 60s, operation: b, event: pool_changed, pool: narrow}
  - {at: 70s, operation: b, event: pool_changed, pool: hub}
  - {at: 80s, operation: b, event: pool_changed, pool: roomy}
  - {at: 90s, operation: c, tree: side, event: pool_changed, pool: hub}
`

// TestMovesThatAreNotAllowedAreRefused holds that the simulated scheduler refuses what
// core/spec/scheduling.md §5.6 forbids, says so, and records nothing of it.
func TestMovesThatAreNotAllowedAreRefused(t *testing.T) {
	spec, err := Parse("moves", []byte(moves))
	if err != nil {
		t.Fatal(err)
	}
	dir, s := generate(t, Options{Spec: spec, Seed: 1})
	var refused []string
	for _, r := range s.Refused {
		refused = append(refused, fmt.Sprintf("%d %s %s %v", r.At/core.Second, r.Operation, r.Tree, r.Why))
	}
	if want := []string{
		"12 b main it is materializing",
		"60 b main Max running operation count 1 of pool narrow is reached",
	}; !slices.Equal(refused, want) {
		t.Errorf("refused %q, want %q", refused, want)
	}
	var moved []string
	for _, tree := range []string{"main", "side"} {
		moved = append(moved, movesOf(newWorld(t, dir, tree))...)
	}
	if want := []string{"70 hub$ann", "80 roomy", "90 hub$ben"}; !slices.Equal(moved, want) {
		t.Errorf("recorded moves %q, want %q", moved, want)
	}
}

// movesOf lists the changes of pool that a tree records, with their seconds.
func movesOf(w *world) (moved []string) {
	for _, e := range w.events {
		if e.Kind == core.OperationChanged && e.Step == core.StepPoolChanged {
			for name, id := range w.pools {
				if id == e.Pool {
					moved = append(moved, fmt.Sprintf("%d %s", (e.Time-w.from)/core.Second, name))
				}
			}
		}
	}
	return moved
}

// An operation that is offloaded into a hub has a subpool there like any other
// (core/spec/scheduling.md §2.4, §5.1).
func TestOffloadingIntoAHub(t *testing.T) {
	spec, err := Parse("offloading", []byte(`
length: 1m
trees:
  main: {pools: {busy: {offloading_settings: {side: {pool: hub}}}}}
  side: {nodes_filter: side, pools: {hub: {create_ephemeral_subpools: true}}}
nodes:
  - {name: s, count: 1, tags: [side], resources: {user_slots: 10, cpu: 10, memory: 10GiB, network: 0}}
  - {name: n, count: 1, resources: {user_slots: 10, cpu: 10, memory: 10GiB, network: 0}}
operations:
  - {name: a, at: 5s, pool: busy, trees: [main], user: ann, tasks: [{jobs: [4, 4], seconds: [20, 0.1], resources: {cpu: 1, memory: 1GiB}}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := generate(t, Options{Spec: spec, Seed: 1})
	w := newWorld(t, dir, "side")
	subpool, there := w.pools["hub$ann"]
	if !there || !w.any(func(e *core.Event) bool {
		return e.Kind == core.OperationChanged && e.Step == core.StepStarted && e.Role == core.RoleOffloading && e.Pool == subpool
	}) {
		t.Error("the operation was not started in the user's subpool")
	}
}
