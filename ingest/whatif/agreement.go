package whatif

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest"
)

// An Agreement compares the core's decisions with the recorded ones, in a tree. The
// first of two numbers is the log's.
type Agreement struct {
	Tree     string        `json:"tree"`
	Resource string        `json:"resource"` // the tree's main one; user slots if that was not used
	Usage    [2]float64    `json:"usage"`    // of it, in its unit times seconds
	Overlap  float64       `json:"overlap"`  // of usage, pool by pool over time: the integral of the lesser by that of the greater; 1 if there was no usage
	Pools    []PoolOverlap `json:"pools"`    // in descending order of usage

	Jobs       [2]int64   `json:"jobs"`          // started
	Preempted  [2]int64   `json:"preempted"`     // jobs
	Completed  [2]int64   `json:"completed"`     // operations
	Waiting    [2]float64 `json:"waiting_s"`     // mean seconds from an operation's start to its first job, of those that got one both times
	WaitingOff float64    `json:"waiting_off_s"` // median of the differences of their waits
	Waited     int64      `json:"waited"`        // number of these operations
}

// A PoolOverlap compares the usage of the operations in one pool.
type PoolOverlap struct {
	Pool    string     `json:"pool"`
	Usage   [2]float64 `json:"usage"`
	Overlap float64    `json:"overlap"`
}

// Courses hold the recorded usage of trees, which is compared with that of the core's decisions.
type Courses struct {
	window core.Span
	trees  []*course // as in the trace; nil for a tree that is not wanted
}

// Recorded reads the courses of trees in a window.
func Recorded(ctx context.Context, t *ingest.Trace, profile core.Profile, trees []string, window core.Span) (*Courses, error) {
	all := &Courses{window: window}
	for _, tree := range t.Trees() {
		var c *course
		if slices.Contains(trees, tree) {
			c = newCourse(t.Dimensions(), all.window)
			if err := c.addEvents(ctx, t.Events(tree, ingest.Options{Profile: profile, Kinds: compared}), func(t turn) { c.turns.add(t) }); err != nil {
				return nil, err
			}
		}
		all.trees = append(all.trees, c)
	}
	return all, nil
}

// Compare holds against them what the core decided of a plan of the trace.
func (r *Courses) Compare(ctx context.Context, l *Log) ([]Agreement, error) {
	all := []Agreement{}
	for i, recorded := range r.trees {
		if recorded == nil {
			continue
		}
		s := newSweep(recorded, newCourse(l.Plan.Dimensions, r.window), len(l.Plan.Dimensions.Pools))
		if err := s.control.addEvents(ctx, l.Events(i, compared...), s.addTurn); err != nil {
			return nil, err
		}
		s.end()
		all = append(all, s.agree(l.Plan.Dimensions, l.Plan.Trees[i].Name))
	}
	return all, nil
}

var compared = []core.Kind{core.TreeConfigured, core.OperationChanged, core.JobFinished, core.JobPreempted, core.JobStarted}

// A course holds the compared data of a tree.
type course struct {
	main       resource.Kind
	turns      rows[turn]              // in the order of time; of a recorded one alone
	sizes      values[resource.Vector] // of jobs
	operations []courseOperation       // by id
	jobs       int64
	preempted  int64
	completed  int64

	window core.Span
	live   map[core.JobID]use
}

type courseOperation struct {
	pool           core.PoolID
	started, first core.Optional[core.Time]
}

// A use is the usage of a pool by a job.
type use struct {
	pool core.PoolID
	size int32 // among those of the course
}

// A turn is a change of a pool's usage: a job takes resources or gives them back.
type turn struct {
	at   core.Time
	pool core.PoolID
	size int32 // as of a use; of one that is given back, -1 less that
}

func newCourse(dims *core.Dimensions, window core.Span) *course {
	c := &course{main: resource.CPU, operations: make([]courseOperation, len(dims.Operations)), window: window, live: map[core.JobID]use{}}
	for i := range c.operations {
		c.operations[i].pool = core.Unknown
	}
	return c
}

// addEvents reads the events of a tree, and passes on the turns. Resources that are never given back are in
// use until the end.
func (c *course) addEvents(ctx context.Context, events iter.Seq2[*core.Event, error], turned func(turn)) error {
	for e, err := range events {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		at := min(max(e.Time, c.window.From), c.window.To)
		within := e.Time >= c.window.From && e.Time < c.window.To
		gives := e.Kind == core.JobFinished
		switch e.Kind {
		case core.TreeConfigured:
			c.main = e.Tree.MainResource.Or(c.main)
		case core.OperationChanged:
			c.change(e, within)
		case core.JobPreempted:
			if within {
				c.preempted++
			}
			// A job that stops gracefully uses its resources until it finishes. That is another event,
			// unless it finishes at once.
			gives = e.Preemption == nil || e.Preemption.Mode != "graceful" || e.Finish == core.Some(e.Time)
		case core.JobStarted:
			if within {
				c.jobs++
			}
			u := c.start(e)
			turned(turn{at, u.pool, u.size})
		}
		if u, uses := c.live[e.Job]; gives && uses {
			delete(c.live, e.Job)
			turned(turn{at, u.pool, -1 - u.size})
		}
	}
	return nil
}

// start notes a job.
func (c *course) start(e *core.Event) use {
	o := &c.operations[e.Operation]
	if !o.first.Set {
		o.first = core.Some(e.Time)
	}
	u := use{o.pool, c.sizes.number(e.Limits)}
	if e.Pool >= 0 {
		u.pool = e.Pool
	}
	c.live[e.Job] = u
	return u
}

// uses reports whether a job used a resource.
func (c *course) uses(kind resource.Kind) bool {
	return slices.ContainsFunc(c.sizes.list, func(v resource.Vector) bool { return v[kind] > 0 })
}

func (c *course) change(e *core.Event, within bool) {
	o := &c.operations[e.Operation]
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

// amount returns the change of the usage of a resource by a turn.
func (c *course) amount(t turn, kind resource.Kind) int64 {
	if t.size < 0 {
		return -c.sizes.list[-1-t.size][kind]
	}
	return c.sizes.list[t.size][kind]
}

// agree compares the courses.
func (s *sweep) agree(dims *core.Dimensions, tree string) Agreement {
	recorded, control := s.recorded, s.control
	a := Agreement{
		Tree: tree, Resource: s.kind.String(), Overlap: 1, Pools: []PoolOverlap{},
		Jobs: [2]int64{recorded.jobs, control.jobs}, Preempted: [2]int64{recorded.preempted, control.preempted},
		Completed: [2]int64{recorded.completed, control.completed},
	}
	least, most := 0.0, 0.0
	for i := range s.sums {
		sum := &s.sums[i]
		if !sum.used {
			continue
		}
		own := PoolOverlap{Overlap: sum.overlap()}
		if i > 0 {
			own.Pool = dims.Pools[i-1].Name
		}
		for i := range own.Usage {
			own.Usage[i] = sum.usage[i]
			a.Usage[i] += own.Usage[i]
		}
		least, most = least+sum.least, most+sum.most
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

// wait compares how long operations that came in the window waited for their first job.
func (a *Agreement) wait(recorded, control *course) {
	var off []float64
	for id := range recorded.operations {
		o, other := &recorded.operations[id], &control.operations[id]
		if !o.started.Set || !o.first.Set || !other.started.Set || !other.first.Set || o.started.Value < recorded.window.From {
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
	used        bool
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

// A sweep sums up what pools use of a resource while the time passes in both courses: the turns of
// the one are known, and those of the other come.
type sweep struct {
	recorded, control *course
	next              int // turn of the recorded one

	kind resource.Kind
	unit float64
	sums []sum // by pool; before the first those of no known pool
}

func newSweep(recorded, control *course, pools int) *sweep {
	s := &sweep{recorded: recorded, control: control, kind: recorded.main, sums: make([]sum, 1+pools)}
	if !recorded.uses(s.kind) {
		s.kind = resource.UserSlots
	}
	var one resource.Vector
	one[s.kind] = 1
	s.unit = one.Real(s.kind)
	return s
}

// addTurn adds a turn of the control, after the recorded ones before it.
func (s *sweep) addTurn(t turn) {
	s.pass(t.at)
	s.add(1, t, s.control.amount(t, s.kind))
}

// pass adds the recorded turns up to a time.
func (s *sweep) pass(at core.Time) {
	for r := s.recorded; s.next < r.turns.len() && r.turns.row(s.next).at <= at; s.next++ {
		t := *r.turns.row(s.next)
		s.add(0, t, r.amount(t, s.kind))
	}
}

func (s *sweep) add(course int, t turn, amount int64) {
	sum := &s.sums[1+t.pool]
	if !sum.used {
		sum.since, sum.used = t.at, true
	}
	sum.to(t.at, s.unit)
	sum.now[course] += amount
}

// end lets the window end.
func (s *sweep) end() {
	end := s.recorded.window.To
	s.pass(end)
	for i := range s.sums {
		if sum := &s.sums[i]; sum.used {
			sum.to(end, s.unit)
		}
	}
}
