package judge

import (
	"slices"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// LookAt fills a batch from the current state of a tree: the node, its jobs, their operations and
// pools. It must be called before the heartbeat's own starts and preemptions are applied, and the
// batch must be judged or cloned before that, too, because it reads elements on demand. LookAt
// reuses buffers and keeps Context and the fields that only the caller knows.
func (b *Batch) LookAt(t *scheduling.Tree, n scheduling.Node, at int64) {
	b.followed = true
	b.tree, b.At, b.NoNode = t, at, n == scheduling.NoNode
	b.Jobs, b.Started, b.Taken, b.protective = b.Jobs[:0], b.Started[:0], b.Taken[:0], b.protective[:0]
	b.Regular = resource.Vector{}
	b.resetStates(t)
	b.Node = Node{Limits: resource.Unlimited, SSDSince: scheduling.Never, Overcommitted: scheduling.Never, OvercommittedWithin: scheduling.Never, LastPreemptive: scheduling.Never}
	if b.NoNode {
		return
	}
	info := t.DescribeNode(n)
	b.Node = nodeOf(&info)
	t.Prefetch(n)
	t.NodeJobs(n, func(j scheduling.Job) { b.fetchJob(j) })
}

// nodeOf converts the description of a node, with exact usage.
func nodeOf(i *scheduling.NodeInfo) Node {
	return Node{Limits: i.Limits, Disabled: i.Disabled, SSD: i.SSD, SSDSince: scheduling.Never, Overcommitted: i.Overcommitted, OvercommittedWithin: i.Overcommitted, LastPreemptive: i.LastPreemptive}
}

// LeaveOut excludes a job from the candidates because the heartbeat itself started it in a regular
// stage; the tree of LookAt already contains it.
func (b *Batch) LeaveOut(h scheduling.Job) {
	for i := range b.Jobs {
		if j := &b.Jobs[i]; j.Handle == h {
			b.Regular = b.Regular.Add(j.Usage)
			b.Jobs = slices.Delete(b.Jobs, i, i+1)
			return
		}
	}
}

// Start adds a job that the heartbeat started by preemption; pass Root for an operation that is not
// in the tree.
func (b *Batch) Start(operation scheduling.Element, granted resource.Vector) (preemptor int32) {
	b.Started = append(b.Started, Started{Operation: b.addElement(operation), Usage: granted})
	return int32(len(b.Started)) - 1
}

// AddVictim adds a job that the heartbeat preempted, for a preemptor that Start returned or one of
// the constants from NoPreemptor on.
func (b *Batch) AddVictim(victim scheduling.Job, reason scheduling.Reason, preemptor int32) {
	b.Taken = append(b.Taken, Taken{Job: b.addJob(victim), Reason: reason, Preemptor: preemptor})
}

// LookWithout adds a state in which a job of the node has left, because the log ends it shortly
// after the decision.
func (b *Batch) LookWithout(h scheduling.Job) {
	i := b.indexOf(h)
	if i < 0 || b.isTaken(i) {
		return
	}
	if !slices.ContainsFunc(b.Jobs, func(j Job) bool { return j.Ending }) {
		b.AddState().WithoutEnding = true
	}
	b.Jobs[i].Ending = true
}

// again returns the state with its elements described again. It copies settings because those of
// the tree may change.
func (s *State) again(t *scheduling.Tree, known func(scheduling.Element) bool) State {
	o := *t.Options()
	later := State{Options: &o, Total: t.Total()}
	for _, e := range s.copyElements() {
		if t.IsAlive(e.Handle) && (known == nil || known(e.Handle)) { // removed elements stay as they were
			usage, amount := e.Usage, e.Amount
			e.ElementInfo = t.Describe(e.Handle)
			e.Usage, e.Amount, e.Held = usage, amount, resource.Vector{} // a tick that saw the usage holds nothing
		}
		later.Elements = append(later.Elements, e)
	}
	return later
}

// before returns the state with its elements as they were before the last tick.
func (s *State) before(t *scheduling.Tree) State {
	earlier := s.copy()
	earlier.Total = t.TotalBefore()
	for i := range earlier.Elements {
		e := &earlier.Elements[i]
		t.DescribeBefore(e.Handle, &e.ElementInfo)
		if earlier.Total != s.Total {
			e.Usage = e.Amount.ShareOf(earlier.Total)
		}
	}
	return earlier
}

// Clone returns a copy that later calls of LookAt do not change, with the places of all jobs
// fetched, to be judged again once another state is known.
func (b *Batch) Clone() *Batch {
	b.place()
	c := *b
	c.tree, c.order, c.protective, c.r, c.victim = nil, nil, nil, nil, nil
	c.Jobs = append([]Job(nil), b.Jobs...)
	c.Started = append([]Started(nil), b.Started...)
	c.Taken = append([]Taken(nil), b.Taken...)
	c.States = cloneStates(b.States)
	return &c
}

// cloneStates copies states with their settings, because those of the tree may change.
func cloneStates(states []State) (copies []State) {
	for i := range states {
		copies = append(copies, states[i].copy())
	}
	return copies
}

func (s *State) copy() State {
	o := *s.Options
	return State{Options: &o, Total: s.Total, Node: s.Node, WithoutEnding: s.WithoutEnding, Elements: s.copyElements()}
}

// addJob returns the index of a job, adding it if it is new.
func (b *Batch) addJob(h scheduling.Job) int32 {
	if i := b.indexOf(h); i >= 0 {
		return i
	}
	return b.fetchJob(h)
}

// indexOf returns the index of a job, -1 if the batch does not have it.
func (b *Batch) indexOf(h scheduling.Job) int32 {
	for i := range b.Jobs {
		if b.Jobs[i].Handle == h {
			return int32(i)
		}
	}
	return -1
}

// fetchJob adds a new job.
func (b *Batch) fetchJob(h scheduling.Job) int32 {
	place := len(b.Jobs)
	b.Jobs = slices.Grow(b.Jobs, 1)[:place+1]
	j, info := &b.Jobs[place], b.tree.Job(h)
	*j = Job{}
	j.Handle, j.Operation, j.List = h, b.addElement(info.Operation), b.tree.List(h)
	j.Usage = info.Usage
	j.Granted = info.Limits
	j.Start, j.SSD, j.Forced, j.Interrupted, j.Gone = info.Start, info.SSD, b.tree.IsForced(h), info.Interrupted, info.Preempted
	return int32(place)
}

func (b *Batch) addElement(h scheduling.Element) int32 { return b.States[0].indexElement(b.tree, h) }

// indexElement returns the index of an element, adding it and its ancestors if it is new; -1 for
// the root.
func (s *State) indexElement(t *scheduling.Tree, h scheduling.Element) int32 {
	if h == scheduling.Root {
		return -1
	}
	for int(h) >= len(s.places) {
		s.places = append(s.places, 0)
	}
	if i := int(s.places[h]); i < len(s.Elements) && s.Elements[i].Handle == h {
		return int32(i)
	}
	above, place := s.indexElement(t, t.Parent(h)), len(s.Elements)
	s.Elements = slices.Grow(s.Elements, 1)[:place+1]
	e := &s.Elements[place]
	e.Handle, e.Above, e.lacks = h, above, everything
	s.places[h] = int32(place)
	return int32(place)
}

// reset makes a state that of a tree now, without elements.
func (s *State) reset(t *scheduling.Tree) {
	s.tree, s.Options, s.Total, s.Elements = t, t.Options(), t.Total(), s.Elements[:0]
}

// A part says which part of an element is yet to be fetched.
type part uint8

const (
	nothing part = iota
	theRest      // everything except the standing
	everything
)

// Element returns an element with its full description. Rules read few of the elements above a
// node's jobs, so descriptions are fetched on demand.
func (s *State) Element(e int32) *Element {
	x := &s.Elements[e]
	if x.lacks != nothing {
		x.fetch(s.tree)
	}
	return x
}

// standing returns an element with its standing, at least.
func (s *State) standing(e int32) *Element {
	x := &s.Elements[e]
	if x.lacks == everything {
		x.fetchStanding(s.tree)
	}
	return x
}

//go:noinline
func (x *Element) fetch(t *scheduling.Tree) {
	if x.lacks == everything {
		x.fetchStanding(t)
	}
	x.lacks = nothing
	t.DescribeRest(x.Handle, &x.ElementInfo)
}

//go:noinline
func (x *Element) fetchStanding(t *scheduling.Tree) {
	x.lacks = theRest
	t.DescribeStanding(x.Handle, &x.Standing)
}

func (s *State) fetchAll() {
	for e := range s.Elements {
		s.Element(int32(e))
	}
}

// copyElements returns a copy of the elements with their full descriptions.
func (s *State) copyElements() []Element {
	s.fetchAll()
	return append([]Element(nil), s.Elements...)
}

// place computes the usage ahead of the node's jobs in their operations' lists. Of jobs that
// started together, victims may have been behind those that stayed, and jobs of other nodes
// anywhere; the last of those that stayed on the node had the others ahead of it.
func (b *Batch) place() {
	if b.tree == nil {
		return
	}
	for i := range b.Jobs {
		if b.Jobs[i].Placed {
			continue
		}
		var ahead, last, previous, movable resource.Vector
		operation, start := b.Jobs[i].Operation, int64(scheduling.Never)
		b.tree.OperationJobs(b.States[0].Elements[operation].Handle, func(h scheduling.Job) {
			job := b.tree.Job(h)
			own := b.indexOf(h)
			goes := own >= 0 && b.isTaken(own)
			if job.Start != start {
				start, previous, movable = job.Start, last, resource.Vector{}
			} else if !goes {
				b.tie(operation, start, job.Usage)
			}
			if own >= 0 {
				j := &b.Jobs[own]
				j.Placed, j.Ahead, j.Previous, j.Tied = true, ahead, previous.Add(movable), resource.Vector{}
			}
			if own >= 0 && !goes {
				previous = job.Usage
			} else {
				movable = movable.Add(job.Usage)
			}
			ahead, last = ahead.Add(job.Usage), job.Usage
		})
	}
}

// tie adds usage behind the jobs of an operation that started at the same time.
func (b *Batch) tie(operation int32, start int64, usage resource.Vector) {
	for i := range b.Jobs {
		if j := &b.Jobs[i]; j.Placed && j.Operation == operation && j.Start == start {
			j.Tied = j.Tied.Add(usage)
		}
	}
}
