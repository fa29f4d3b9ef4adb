package pooltree

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A history drives a tree through random events and knows what must be in it.
type history struct {
	*Tree
	live map[string]liveOperation // by a name of the test's own
	next int
}

type liveOperation struct {
	Operation
	user             string
	vanilla, running bool
}

var (
	historyPools = []string{"a", "b", "c", "d", "e", "f", "g"}
	historyUsers = []string{"u", "v", "a", "f"} // some are called like pools
)

func newHistory(t *rapid.T) *history {
	h := &history{
		Tree: NewTree("tree", rapid.SampledFrom([]Profile{Documented, Baseline, Current}).Draw(t, "profile")),
		live: map[string]liveOperation{},
	}
	for range 3 {
		h.configure(t)
	}
	return h
}

func (h *history) pick(t *rapid.T) (string, bool) {
	if len(h.live) == 0 {
		return "", false
	}
	return rapid.SampledFrom(slices.Sorted(maps.Keys(h.live))).Draw(t, "operation"), true
}

func (h *history) enter(o Operation, user string, vanilla bool) {
	h.next++
	h.live[fmt.Sprintf("o%d", h.next)] = liveOperation{o, user, vanilla, h.IsRunning(o)}
}

func limitOf(t *rapid.T) Optional[int64] {
	n := rapid.Int64Range(-2, 4).Draw(t, "limit")
	return Optional[int64]{max(n, 0), n >= 0}
}

// The events of a history.

func (h *history) start(t *rapid.T) {
	r := Request{
		User:    rapid.SampledFrom(historyUsers).Draw(t, "user"),
		Pool:    rapid.SampledFrom(append(historyPools, "", "x", "y")).Draw(t, "pool"),
		Vanilla: rapid.Bool().Draw(t, "vanilla"),
	}
	if o, err := h.Start(r); err == nil {
		h.enter(o, r.User, r.Vanilla)
	}
}

func (h *history) finish(t *rapid.T) {
	if name, ok := h.pick(t); ok {
		h.Finish(h.live[name].Operation)
		delete(h.live, name)
	}
}

func (h *history) changePool(t *rapid.T) {
	name, ok := h.pick(t)
	if !ok {
		return
	}
	o := h.live[name].Operation
	if err := h.ChangePool(o, rapid.SampledFrom(append(historyPools, "x")).Draw(t, "pool")); err == nil && h.Queue(o) != NoPool && h.IsRunning(o) {
		t.Fatalf("operation %s moved and waits", name)
	}
}

func (h *history) configure(t *rapid.T) {
	var changes []Change
	for range rapid.IntRange(1, 3).Draw(t, "changes") {
		d := Definition{Name: rapid.SampledFrom(historyPools).Draw(t, "name")}
		d.Parent = rapid.SampledFrom(append(historyPools, "", "")).Draw(t, "parent")
		d.Config.MaxRunningOperationCount, d.Config.MaxOperationCount = limitOf(t), limitOf(t)
		d.Config.Mode = Some(rapid.SampledFrom([]Mode{FairShare, FairShare, FIFO}).Draw(t, "mode"))
		d.Config.CreateSubpools = rapid.Bool().Draw(t, "hub")
		d.Config.LightweightOps = Some(rapid.Bool().Draw(t, "lightweight"))
		if rapid.Bool().Draw(t, "subpool settings") {
			d.Config.Subpools = Some(Subpool{MaxRunningOperationCount: limitOf(t)})
		}
		changes = append(changes, Change{Definition: d, Removed: rapid.IntRange(0, 3).Draw(t, "removed") == 0})
	}
	before := h.definitions
	if errs := h.Apply(changes...); len(errs) > 0 && !slices.EqualFunc(before, h.definitions, func(a, b Definition) bool { return a.Name == b.Name && a.Parent == b.Parent }) {
		t.Fatalf("refused by %v, and changed", errs[0])
	}
}

func (h *history) setTree(t *rapid.T) {
	var c TreeConfig
	c.DefaultParentPool = rapid.SampledFrom(append(historyPools, "")).Draw(t, "default parent")
	c.UseUserParents = rapid.Bool().Draw(t, "use map")
	c.MaxRunningOperationCountPerPool, c.MaxEphemeralPoolsPerUser = limitOf(t), Some[int64](2)
	h.SetConfig(c)
	h.SetUserParents(map[string]string{"u": rapid.SampledFrom(historyPools).Draw(t, "u"), "f": "u", "a": "f"})
}

// follow lets the log do what the policy might not.
func (h *history) follow(t *rapid.T) {
	name, ok := h.pick(t)
	switch step := rapid.IntRange(0, 3).Draw(t, "step"); {
	case step == 0:
		user := rapid.SampledFrom(historyUsers).Draw(t, "user")
		p := h.Ensure(rapid.SampledFrom([]string{"a", "b$u", "x", "c$v", "z"}).Draw(t, "pool"), user)
		vanilla := rapid.Bool().Draw(t, "vanilla")
		h.enter(h.Add(p, user, vanilla), user, vanilla)
	case !ok:
	case step == 1:
		on := rapid.Bool().Draw(t, "on")
		h.SetRunning(h.live[name].Operation, on)
		o := h.live[name]
		o.running = on
		h.live[name] = o
	case step == 2:
		o := h.live[name].Operation
		from := h.OperationPool(o)
		h.Move(o, h.Ensure(rapid.SampledFrom([]string{"a", "d$u", "y"}).Draw(t, "pool"), "u"))
		if from != h.OperationPool(o) && !h.IsRunning(o) && h.Queue(o) != h.Blocker(o) {
			t.Fatalf("operation %s waits for %d, blocked by %d", name, h.Queue(o), h.Blocker(o))
		}
	default:
		h.Remove(h.live[name].Operation)
		delete(h.live, name)
	}
}

// check recounts everything and finds every operation, once.
func (h *history) check(t *rapid.T) {
	checkInvariants(t, h.Tree)
	if got := h.Counts(Root).Operations; got != int64(len(h.live)) {
		t.Fatalf("the root counts %d operations of %d", got, len(h.live))
	}
	seen := map[Operation]bool{}
	for name, o := range h.live {
		op := &h.operations[o.Operation]
		if seen[o.Operation] || !op.alive || op.vanilla != o.vanilla || h.userNames[op.user] != o.user {
			t.Fatalf("operation %s is lost, or there twice", name)
		}
		seen[o.Operation] = true
		if o.running && !op.running {
			t.Fatalf("operation %s ran and does not run", name)
		}
		o.running = op.running
		h.live[name] = o
	}
	h.ClearChanged()
}

// TestCountersEqualARecount is the property of every counter and list: after
// each event of any history, the log's included, they are what the operations
// alone say, and no operation is lost or there twice.
func TestCountersEqualARecount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		t.Repeat(map[string]func(*rapid.T){
			"start": h.start, "start again": h.start, "finish": h.finish, "change pool": h.changePool,
			"configure": h.configure, "set tree": h.setTree, "follow": h.follow,
			"rescan": func(*rapid.T) { h.Rescan() }, "": h.check,
		})
	})
}

// TestPolicyKeepsLimits is the property of a tree whose configuration stays: no
// counter ever exceeds its limit, and whoever waits has a full pool above.
func TestPolicyKeepsLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		t.Repeat(map[string]func(*rapid.T){
			"start": h.start, "start again": h.start, "finish": h.finish,
			"rescan": func(*rapid.T) { h.Rescan() },
			"": func(t *rapid.T) {
				h.check(t)
				for i := range h.pools {
					p := Pool(i)
					if running, all := h.Limits(p); h.Counts(p).Running > running.Value || h.Counts(p).Operations > all.Value {
						t.Fatalf("pool %s holds %+v of %d and %d", h.PoolName(p), h.Counts(p), running.Value, all.Value)
					}
				}
				for name, o := range h.live {
					if !h.IsRunning(o.Operation) && (h.Queue(o.Operation) == NoPool || h.Blocker(o.Operation) == NoPool) {
						t.Fatalf("operation %s waits for nothing", name)
					}
				}
			},
		})
	})
}
