package core_test

import (
	"testing"

	"poolproof/core"
	"poolproof/core/coretest"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// oneJob offers jobs of one size as long as an operation needs any.
type oneJob struct{ size resource.Vector }

func (c oneJob) Offer(_ core.OperationID, _ core.NodeID, room resource.Vector) (resource.Vector, scheduling.Refusal) {
	if !c.size.FitsIn(room) {
		return resource.Vector{}, scheduling.NotEnoughResources
	}
	return c.size, scheduling.Accepted
}

// follow replays a story up to its last event and updates the shares every
// second.
func follow(t *testing.T, story string, to core.Time) (*core.Tree, *coretest.Scenario) {
	t.Helper()
	s, err := coretest.Parse(story)
	if err != nil {
		t.Fatal(err)
	}
	return followAs(t, s, to, core.Documented), s
}

func followAs(t *testing.T, s *coretest.Scenario, to core.Time, profile core.Profile) *core.Tree {
	t.Helper()
	tree := core.New(&s.Dimensions, profile)
	at := core.Time(0)
	for now := core.Time(0); now <= to; now += core.Second {
		if err := tree.Update(now); err != nil {
			t.Fatal(err)
		}
		for ; int(at) < len(s.Events) && s.Events[at].Time < now+core.Second; at++ {
			tree.Step(&s.Events[at])
		}
		tree.ClearChanges()
	}
	return tree
}

const rich = `
0 node n1 cpu=16 user_slots=16
0 tree timeout=30
0 pool rich
0 pool poor
1 start a pool=rich
1 running a
1 demand a cpu=16 user_slots=4 jobs=4
2 job a1 op=a node=n1 cpu=4
3 job a2 op=a node=n1 cpu=4
4 job a3 op=a node=n1 cpu=4
5 job a4 op=a node=n1 cpu=4
6 start b pool=poor
6 running b
6 demand b cpu=8 user_slots=2 jobs=2
`

// A full node starts nothing before the newcomer starves, and then takes the
// job that started last; asking changes nothing.
func TestDecide(t *testing.T) {
	c := oneJob{resource.Vector{1, 4 * resource.CentsPerCore, 0, 0, 0}}
	tree, _ := follow(t, rich, 20*core.Second)
	if d := tree.Decide(0, 20*core.Second, c); len(d.Started)+len(d.Preempted) != 0 {
		t.Fatalf("before anybody starves: %+v", d)
	}
	tree, s := follow(t, rich, 60*core.Second)
	before := coretest.Show(tree, &s.Dimensions)
	for range 2 {
		d := tree.Decide(0, 60*core.Second, c)
		if len(d.Started) != 1 || len(d.Preempted) != 1 || !d.Preemptive {
			t.Fatalf("with a starving operation: %+v", d)
		}
		if p := d.Preempted[0]; p.Job != 3 || p.Preemptor != 0 || p.Reason != scheduling.ForPreemption || !p.Proper {
			t.Fatalf("preempted %+v, want a4 for the started job", p)
		}
		if d.Started[0].Operation != 1 {
			t.Fatalf("started %+v, want a job of b", d.Started[0])
		}
	}
	if after := coretest.Show(tree, &s.Dimensions); after != before {
		t.Fatalf("asking changed the tree:\n%s\nwas\n%s", after, before)
	}
	// Within the backoff of the node, which the log tells, nothing is preempted.
	tree.Step(&core.Event{Time: 60 * core.Second, Kind: core.HeartbeatReceived, Node: 0, Preemptive: core.Some(true)})
	if d := tree.Decide(0, 64*core.Second, c); d.Preemptive {
		t.Fatalf("within the backoff: %+v", d)
	}
	if d := tree.Decide(0, 66*core.Second, c); !d.Preemptive {
		t.Fatalf("after the backoff: %+v", d)
	}
}

// A pending operation is due once the one that filled its pool has left.
func TestDue(t *testing.T) {
	story := `
0 tree max_running_per_pool=1
0 pool p
1 start a pool=p
1 running a
2 start b pool=p
2 pending b
3 start c pool=p
3 pending c
`
	tree, _ := follow(t, story, 5*core.Second)
	if o, ok := tree.Due(); ok {
		t.Fatalf("operation %d is due in a full pool", o)
	}
	tree.Step(&core.Event{Time: 6 * core.Second, Kind: core.OperationChanged, Operation: 0, Step: core.StepCompleted, Pool: core.Unknown})
	if o, ok := tree.Due(); !ok || o != 1 {
		t.Fatalf("due is %d, %t; want b", o, ok)
	}
	// c overtakes b, and the policy says so.
	tree.ClearChanges()
	tree.Step(&core.Event{Time: 7 * core.Second, Kind: core.OperationChanged, Operation: 2, Step: core.StepRunning, Pool: core.Unknown})
	admissions := tree.Changes().Admissions
	if len(admissions) != 1 || admissions[0].Overtook != 1 || admissions[0].Full != core.Unknown {
		t.Fatalf("admissions %+v, want that c overtook b", admissions)
	}
	if o, ok := tree.Due(); ok {
		t.Fatalf("operation %d is due in a full pool", o)
	}
}

// Where an operation lands, and why it may not start, is the policy's to say.
func TestPlace(t *testing.T) {
	story := `
0 tree max_operations_per_pool=1 default_parent=hub
0 pool hub
0 pool p
1 start a pool=p
`
	tree, _ := follow(t, story, 2*core.Second)
	if pool, err := tree.Place("alice", "", false); err != nil || pool != "alice" {
		t.Errorf("alice lands in %q, %v", pool, err)
	}
	if pool, err := tree.Place("alice", "p", false); err == nil {
		t.Errorf("the full pool takes another operation: %q", pool)
	}
}

// Where gangs start in FIFO pools only, others are refused nothing (§5.8).
func TestPlaceOfGangs(t *testing.T) {
	story := `
0 tree allow_gang_operations_only_in_fifo_pools=true
0 pool row mode=fifo
0 pool ring
`
	for profile, refused := range map[core.Profile]bool{core.Current: true, core.Baseline: false} {
		s, err := coretest.Parse(story)
		if err != nil {
			t.Fatal(err)
		}
		tree := followAs(t, s, core.Second, profile)
		for pool, want := range map[string]bool{"row": false, "ring": refused} {
			if _, err := tree.Place("alice", pool, true); (err != nil) != want {
				t.Errorf("%v: a gang in pool %s: %v", profile, pool, err)
			}
			if _, err := tree.Place("alice", pool, false); err != nil {
				t.Errorf("%v: no gang in pool %s: %v", profile, pool, err)
			}
		}
	}
}
