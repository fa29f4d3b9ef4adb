package whatif

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest"
)

// An Agreement is how near what the core decided is to what a log records, in a tree. The
// first of two numbers is the log's.
type Agreement struct {
	Tree     string        `json:"tree"`
	Resource string        `json:"resource"` // the tree's main one; user slots where nobody used that
	Usage    [2]float64    `json:"usage"`    // of it, in its unit times seconds
	Overlap  float64       `json:"overlap"`  // of usage, pool by pool over time: the integral of the lesser by that of the greater; 1 if nobody used anything
	Pools    []PoolOverlap `json:"pools"`    // who used most first

	Jobs       [2]int64   `json:"jobs"`          // started
	Preempted  [2]int64   `json:"preempted"`     // jobs
	Completed  [2]int64   `json:"completed"`     // operations
	Waiting    [2]float64 `json:"waiting_s"`     // mean seconds from an operation's start to its first job, of those that got one both times
	WaitingOff float64    `json:"waiting_off_s"` // the middle of how far their waits are apart
	Waited     int64      `json:"waited"`        // how many these are
}

// A PoolOverlap is the same of the operations in one pool.
type PoolOverlap struct {
	Pool    string     `json:"pool"`
	Usage   [2]float64 `json:"usage"`
	Overlap float64    `json:"overlap"`
}

// Compare holds what the core decided of trees of a whole plan against the trace that it is made of.
func Compare(ctx context.Context, t *ingest.Trace, l *Log, trees []string) ([]Agreement, error) {
	all := make([]Agreement, 0, len(trees))
	for i, tree := range l.Plan.Trees {
		if !slices.Contains(trees, tree.Name) {
			continue
		}
		recorded, err := courseOf(ctx, t.Events(tree.Name, ingest.Options{Profile: l.Plan.Profile, Kinds: compared}), t.Window())
		if err != nil {
			return nil, err
		}
		control, err := courseOf(ctx, l.Events(i, compared...), t.Window())
		if err != nil {
			return nil, err
		}
		all = append(all, agree(l.Plan.Dimensions, tree.Name, recorded, control))
	}
	return all, nil
}

var compared = []core.Kind{core.TreeConfigured, core.OperationChanged, core.JobPreempted, core.JobStarted}

// A course is what of a tree is compared.
type course struct {
	main       resource.Kind
	turns      []turn
	sizes      values[resource.Vector] // of jobs
	operations map[core.OperationID]*courseOperation
	jobs       int64
	preempted  int64
	completed  int64
}

type courseOperation struct {
	pool           core.PoolID
	started, first core.Optional[core.Time]
}

// A turn is a change of what a pool uses. There are two of each job.
type turn struct {
	at    core.Time
	pool  core.PoolID
	size  int32 // among those of the course
	gives bool  // back
}

func courseOf(ctx context.Context, events iter.Seq2[*core.Event, error], window core.Span) (*course, error) {
	c := &course{main: resource.CPU, operations: map[core.OperationID]*courseOperation{}}
	ends := map[core.JobID]int{} // the turn by which a job gives back
	for e, err := range events {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		within := e.Time >= window.From && e.Time < window.To
		switch e.Kind {
		case core.TreeConfigured:
			c.main = e.Tree.MainResource.Or(c.main)
		case core.OperationChanged:
			c.change(e, within)
		case core.JobPreempted:
			if within {
				c.preempted++
			}
			if at, ok := ends[e.Job]; ok && (e.Preemption == nil || e.Preemption.Mode != "graceful") {
				c.turns[at].at = min(c.turns[at].at, e.Time)
			}
		case core.JobStarted:
			o := c.operation(e.Operation)
			if !o.first.Set {
				o.first = core.Some(e.Time)
			}
			if within {
				c.jobs++
			}
			pool := o.pool
			if e.Pool >= 0 {
				pool = e.Pool
			}
			size := c.sizes.number(e.Limits)
			c.turns = append(c.turns, turn{e.Time, pool, size, false}, turn{cmp.Or(e.Finish, window.To), pool, size, true})
			ends[e.Job] = len(c.turns) - 1
		}
	}
	for i := range c.turns {
		c.turns[i].at = min(max(c.turns[i].at, window.From), window.To)
	}
	slices.SortStableFunc(c.turns, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
	return c, nil
}

// uses reports whether a job used a resource.
func (c *course) uses(kind resource.Kind) bool {
	return slices.ContainsFunc(c.sizes.list, func(v resource.Vector) bool { return v[kind] > 0 })
}

func (c *course) operation(id core.OperationID) *courseOperation {
	o := c.operations[id]
	if o == nil {
		o = &courseOperation{pool: core.Unknown}
		c.operations[id] = o
	}
	return o
}

func (c *course) change(e *core.Event, within bool) {
	o := c.operation(e.Operation)
	if e.Pool >= 0 {
		o.pool = e.Pool
	}
	switch {
	case e.Step == core.StepStarted && !o.started.Set:
		o.started = core.Some(e.Time)
	case e.Step == core.StepCompleted && within:
		c.completed++
	}
}

// agree compares two courses of a tree.
func agree(dims *core.Dimensions, tree string, recorded, control *course) Agreement {
	main := recorded.main
	if !recorded.uses(main) {
		main = resource.UserSlots
	}
	a := Agreement{
		Tree: tree, Resource: main.String(), Overlap: 1, Pools: []PoolOverlap{},
		Jobs: [2]int64{recorded.jobs, control.jobs}, Preempted: [2]int64{recorded.preempted, control.preempted},
		Completed: [2]int64{recorded.completed, control.completed},
	}
	least, most := 0.0, 0.0
	sums := sweep(main, recorded, control)
	for _, pool := range slices.Sorted(maps.Keys(sums)) {
		s := sums[pool]
		name := "" // not known
		if pool >= 0 {
			name = dims.Pools[pool].Name
		}
		own := PoolOverlap{Pool: name, Overlap: s.overlap()}
		for i := range own.Usage {
			own.Usage[i] = s.usage[i]
			a.Usage[i] += own.Usage[i]
		}
		least, most = least+s.least, most+s.most
		a.Pools = append(a.Pools, own)
	}
	slices.SortFunc(a.Pools, func(a, b PoolOverlap) int {
		return cmp.Or(cmp.Compare(b.Usage[0], a.Usage[0]), cmp.Compare(a.Pool, b.Pool))
	})
	if most > 0 {
		a.Overlap = least / most
	}
	a.wait(recorded, control)
	return a
}

// wait compares how long operations waited for their first job.
func (a *Agreement) wait(recorded, control *course) {
	var off []float64
	for _, id := range slices.Sorted(maps.Keys(recorded.operations)) { // sums of floats in one order
		o := recorded.operations[id]
		other := control.operations[id]
		if other == nil || !o.started.Set || !o.first.Set || !other.started.Set || !other.first.Set {
			continue
		}
		was, is := float64(o.first.Value-o.started.Value)/1e6, float64(other.first.Value-other.started.Value)/1e6
		off = append(off, max(was-is, is-was))
		a.Waiting[0], a.Waiting[1] = a.Waiting[0]+was, a.Waiting[1]+is
	}
	if a.Waited = int64(len(off)); a.Waited == 0 {
		return
	}
	slices.Sort(off)
	a.Waiting[0], a.Waiting[1], a.WaitingOff = a.Waiting[0]/float64(a.Waited), a.Waiting[1]/float64(a.Waited), off[len(off)/2]
}

// A sum is usage of a pool over time, of both courses.
type sum struct {
	now         [2]int64
	usage       [2]float64 // integrals
	least, most float64
	since       core.Time
}

// to lets the time come.
func (s *sum) to(at core.Time, unit float64) {
	seconds := float64(at-s.since) / 1e6
	for i := range s.now {
		s.usage[i] += float64(s.now[i]) * unit * seconds
	}
	s.least += float64(min(s.now[0], s.now[1])) * unit * seconds
	s.most += float64(max(s.now[0], s.now[1])) * unit * seconds
	s.since = at
}

func (s *sum) overlap() float64 {
	if s.most == 0 {
		return 1
	}
	return s.least / s.most
}

// sweep sums up what pools use of a resource.
func sweep(kind resource.Kind, courses ...*course) map[core.PoolID]*sum {
	var one resource.Vector
	one[kind] = 1
	unit := one.Real(kind)
	sums, next := map[core.PoolID]*sum{}, make([]int, len(courses))
	for {
		first := -1
		for i, c := range courses {
			if next[i] < len(c.turns) && (first < 0 || c.turns[next[i]].at < courses[first].turns[next[first]].at) {
				first = i
			}
		}
		if first < 0 {
			return sums
		}
		t := &courses[first].turns[next[first]]
		next[first]++
		s := sums[t.pool]
		if s == nil {
			s = &sum{since: t.at}
			sums[t.pool] = s
		}
		s.to(t.at, unit)
		amount := courses[first].sizes.list[t.size][kind]
		if t.gives {
			amount = -amount
		}
		s.now[first] += amount
	}
}
