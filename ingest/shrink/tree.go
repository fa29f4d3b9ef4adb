package shrink

import (
	"maps"
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

func (c *cutter) TreeConfig(folder string, r *trace.TreeConfig) bool {
	return c.holds(folder, trace.TreeConfigs.Name, 0, r.Stamp)
}

func (c *cutter) Heartbeat(_ string, r *trace.Heartbeat) bool {
	return c.recorded(heartbeats, r.Stamp) && c.nodes.turn(&r.Node)
}

func (c *cutter) Demand(folder string, r *trace.Demand) bool {
	return c.holds(folder, trace.Demands.Name, int32(r.Op), r.Stamp) && c.operations.turn(&r.Op)
}

func (c *cutter) SnapTree(_ string, r *trace.SnapTree) bool { return c.recorded(snapshots, r.Stamp) }

func (c *cutter) Accumulated(_ string, r *trace.Accumulated) bool {
	return c.recorded(accumulated, r.Stamp) && c.stays(&r.Op, &r.Pool)
}

// stays turns the numbers of an operation and its pool, if both stay.
func (c *cutter) stays(op *core.OperationID, pool *core.PoolID) bool {
	return c.operations.has(*op) && c.pools.has(*pool) && c.operations.turn(op) && c.pools.turn(pool)
}

func (c *cutter) PoolConfig(folder string, r *trace.PoolConfig) bool {
	if !c.holds(folder, trace.PoolConfigs.Name, int32(r.Pool), r.Stamp) || !c.pools.has(r.Pool) || r.Parent.Set && !c.pools.has(r.Parent.Value) {
		return false
	}
	c.noteParent(r.Pool, r.Parent)
	return c.pools.turn(&r.Pool) && c.pools.turnOptional(&r.Parent)
}

func (c *cutter) SnapPool(_ string, r *trace.SnapPool) bool {
	if !c.pools.has(r.Pool) || r.Parent.Set && !c.pools.has(r.Parent.Value) || !c.recorded(snapshots, r.Stamp) {
		return false
	}
	c.noteParent(r.Pool, r.Parent)
	return c.pools.turn(&r.Pool) && c.pools.turnOptional(&r.Parent)
}

func (c *cutter) SnapOp(_ string, r *trace.SnapOp) bool {
	if !c.operations.has(r.Op) || !c.pools.has(r.Pool) || !c.recorded(snapshots, r.Stamp) {
		return false
	}
	c.notePool(r.Op, core.Some(r.Pool))
	return c.stays(&r.Op, &r.Pool)
}

func (c *cutter) OpEvent(_ string, r *trace.OpEvent) bool {
	if r.Time >= c.selected.window.To || !c.operations.has(r.Op) || r.Pool.Set && !c.pools.has(r.Pool.Value) {
		return false
	}
	c.notePool(r.Op, r.Pool)
	return c.operations.turn(&r.Op) && c.pools.turnOptional(&r.Pool)
}

// Job keeps a job whose operation, node and pool stay, and for whose preemption there is
// still a preemptor.
func (c *cutter) Job(folder string, r *trace.Job) bool {
	switch {
	case r.Time >= c.selected.window.To, c.over(folder, r):
		return false
	case !c.operations.has(r.Op), !c.nodes.has(r.Node), r.Pool.Set && !c.pools.has(r.Pool.Value),
		r.PreemptedFor.Set && !c.operations.has(r.PreemptedFor.Value):
		return false
	}
	if c.out == nil {
		c.notePool(r.Op, r.Pool)
		if c.selected.job != "" && r.ID == c.selected.job {
			c.outline.Subject = Job{r.Op, r.Node}
		}
		c.outline.Jobs++
		c.jobs[r.Job] = core.JobID(len(c.jobs))
	} else {
		r.Job = c.jobs[r.Job]
	}
	return c.operations.turn(&r.Op) && c.nodes.turn(&r.Node) && c.pools.turnOptional(&r.Pool) && c.operations.turnOptional(&r.PreemptedFor)
}

// over reports whether a job was over when the window begins, and its operation's demand then
// does not go by its start (ingest/trace/FORMAT.md §3.4).
func (c *cutter) over(folder string, r *trace.Job) bool {
	if !c.late || !r.FinishTime.Set || r.FinishTime.Value >= c.selected.window.From {
		return false
	}
	at, known := c.latest[place{folder, trace.Demands.Name, int32(r.Op)}]
	return !known || r.Time < at.Time
}

// Allocation keeps what concerns a job that stays.
func (c *cutter) Allocation(_ string, r *trace.Allocation) bool {
	number, stays := c.jobs[r.Job]
	if !stays || c.selected.without[allocations] || r.Time >= c.selected.window.To || r.PreemptedFor.Set && !c.operations.has(r.PreemptedFor.Value) {
		return false
	}
	r.Job = number
	if r.ForJob.Set {
		r.ForJob.Value, r.ForJob.Set = c.jobs[r.ForJob.Value], c.has(r.ForJob.Value)
	}
	return c.operations.turn(&r.Op) && c.nodes.turn(&r.Node) && c.operations.turnOptional(&r.PreemptedFor)
}

func (c *cutter) has(job core.JobID) bool {
	_, has := c.jobs[job]
	return has
}

// noteParent notes that a pool was below another, by their numbers in the trace that is read.
func (c *cutter) noteParent(pool core.PoolID, parent core.Optional[core.PoolID]) {
	if c.out == nil && parent.Set && parent.Value >= 0 {
		note(c.parents, pool, parent.Value)
	}
}

// notePool notes that an operation was in a pool.
func (c *cutter) notePool(op core.OperationID, pool core.Optional[core.PoolID]) {
	if c.out == nil && pool.Set {
		note(c.within, op, pool.Value)
	}
}

func note[K comparable, V comparable](sets map[K]map[V]bool, of K, member V) {
	if sets[of] == nil {
		sets[of] = map[V]bool{}
	}
	sets[of][member] = true
}

// draw fills the outline with the elements that are referred to.
func (c *cutter) draw() error {
	o := c.outline
	err := each(c, "dim", trace.Pools, func(r *trace.Pool) error {
		from := r.Pool
		if c.pools.used[from] {
			o.Pools = append(o.Pools, Pool{int(from), r.Tree, r.Name, c.turned(c.parents[from])})
		}
		return nil
	})
	if err == nil {
		err = each(c, "dim", trace.Operations, func(r *trace.Operation) error {
			if c.operations.used[r.Op] {
				o.Operations = append(o.Operations, Operation{int(r.Op), r.ID, c.turned(c.within[r.Op])})
			}
			return nil
		})
	}
	if err == nil {
		err = each(c, "dim", trace.Nodes, func(r *trace.Node) error {
			if c.nodes.used[r.Node] {
				o.Nodes = append(o.Nodes, Node{int(r.Node), r.Address})
			}
			return nil
		})
	}
	o.Rows += int64(len(o.Pools) + len(o.Operations) + len(o.Nodes))
	if s := &o.Subject; s.Operation >= 0 {
		c.operations.turn(&s.Operation)
		c.nodes.turn(&s.Node)
	}
	return err
}

// turned are the new numbers of pools.
func (c *cutter) turned(set map[core.PoolID]bool) []core.PoolID {
	var pools []core.PoolID
	for _, pool := range slices.Sorted(maps.Keys(set)) {
		if pool >= 0 && int(pool) < len(c.pools.used) && c.pools.used[pool] {
			pools = append(pools, c.pools.number[pool])
		}
	}
	return pools
}
