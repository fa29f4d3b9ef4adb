package pooltree

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// slowTree is the admission of core/spec/scheduling.md §5.3 to §5.6 once more, as
// written: counters are counted when somebody asks, queues are slices. Pools
// and limits it reads from the tree it is compared with.
type slowTree struct {
	*Tree
	pool    map[Operation]Pool
	running map[Operation]bool
	vanilla map[Operation]bool
	queues  map[Pool][]Operation
}

func (s *slowTree) chain(p Pool) (chain []Pool) {
	for ; p != NoPool; p = s.Parent(p) {
		chain = append(chain, p)
	}
	return chain
}

func (s *slowTree) lightweight(o Operation) bool {
	return s.vanilla[o] && s.lightweightBySettings(s.pool[o])
}

func (s *slowTree) counted(p Pool) (all, running int64) {
	for o, at := range s.pool {
		if slices.Contains(s.chain(at), p) {
			all++
			if s.running[o] && !s.lightweight(o) {
				running++
			}
		}
	}
	return all, running
}

func (s *slowTree) room(p Pool) bool {
	_, running := s.counted(p)
	limit, _ := s.Limits(p)
	return running < limit.Value
}

func (s *slowTree) blocker(o Operation) Pool {
	for _, p := range s.chain(s.pool[o]) {
		if !s.lightweight(o) && !s.room(p) {
			return p
		}
	}
	return NoPool
}

func (s *slowTree) admitSlowly(o Operation) {
	if p := s.blocker(o); p != NoPool {
		s.queues[p] = append(s.queues[p], o)
	} else {
		s.running[o] = true
	}
}

func (s *slowTree) serveSlowly(p Pool) {
	for len(s.queues[p]) > 0 && s.room(p) {
		o := s.queues[p][0]
		s.queues[p] = s.queues[p][1:]
		s.admitSlowly(o)
	}
}

func (s *slowTree) finish(o Operation) {
	from, wasRunning := s.pool[o], s.running[o]
	delete(s.pool, o)
	delete(s.running, o)
	for p, queue := range s.queues {
		s.queues[p] = slices.DeleteFunc(queue, func(q Operation) bool { return q == o })
	}
	if wasRunning {
		for _, p := range s.chain(from) {
			s.serveSlowly(p)
		}
	}
}

// compare requires the same operations running and the same queues.
func (s *slowTree) compare(t *rapid.T) {
	for o := range s.pool {
		if s.IsRunning(o) != s.running[o] {
			t.Fatalf("operation %d running: %v, slowly %v", o, s.IsRunning(o), s.running[o])
		}
	}
	for p := range s.pools {
		var queue []Operation
		for o := s.pools[p].queue.head; o != NoOperation; o = s.operations[o].next {
			queue = append(queue, o)
		}
		if !slices.Equal(queue, s.queues[Pool(p)]) {
			t.Fatalf("queue of %s: %v, slowly %v", s.PoolName(Pool(p)), queue, s.queues[Pool(p)])
		}
		all, running := s.counted(Pool(p))
		if c := s.Counts(Pool(p)); s.Exists(Pool(p)) && (c.Operations != all || c.Running != running) {
			t.Fatalf("pool %s: %+v, slowly %d and %d", s.PoolName(Pool(p)), c, all, running)
		}
	}
}

// TestAdmissionEqualsTheSlowOne compares queues and states with those of the
// slow version, while limits of pools that stay rise and fall.
func TestAdmissionEqualsTheSlowOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &slowTree{NewTree("tree", Documented), map[Operation]Pool{}, map[Operation]bool{}, map[Operation]bool{}, map[Pool][]Operation{}}
		parents := map[string]string{"a": "", "b": "", "aa": "a", "ab": "a", "aaa": "aa", "aab": "aa", "ba": "b"}
		names := []string{"a", "b", "aa", "ab", "aaa", "aab", "ba"}
		set := func(name string) {
			d := Definition{Name: name, Parent: parents[name]}
			d.Config.MaxRunningOperationCount = Some(rapid.Int64Range(0, 3).Draw(t, "limit"))
			d.Config.MaxOperationCount = Some[int64](1 << 40)
			if name == "aab" {
				d.Config.Mode, d.Config.LightweightOps = Some(FIFO), Some(true)
			}
			if errs := s.Apply(Change{Definition: d}); len(errs) > 0 {
				t.Fatal(errs[0])
			}
		}
		for _, name := range names {
			set(name)
		}
		pick := func() (Operation, bool) {
			if len(s.pool) == 0 {
				return NoOperation, false
			}
			var all []Operation
			for o := range s.pool {
				all = append(all, o)
			}
			slices.Sort(all)
			return rapid.SampledFrom(all).Draw(t, "operation"), true
		}
		start := func(t *rapid.T) {
			r := Request{"u", rapid.SampledFrom(names).Draw(t, "pool"), rapid.Bool().Draw(t, "vanilla")}
			o, err := s.Start(r)
			if err != nil {
				t.Fatal(err)
			}
			s.pool[o], s.vanilla[o] = s.OperationPool(o), r.Vanilla
			s.admitSlowly(o)
		}
		t.Repeat(map[string]func(*rapid.T){
			"start": start, "start again": start, "start once more": start,
			"finish": func(*rapid.T) {
				if o, ok := pick(); ok {
					s.finish(o)
					s.Finish(o)
				}
			},
			"limit": func(t *rapid.T) { set(rapid.SampledFrom(names).Draw(t, "name")) },
			"rescan": func(*rapid.T) {
				s.Rescan()
				for p := Root + 1; int(p) < len(s.pools); p++ {
					s.serveSlowly(p)
				}
			},
			"": s.compare,
		})
	})
}
