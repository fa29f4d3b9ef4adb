package shrink

import (
	"maps"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/rows"
	"poolproof/ingest/trace"
)

// edit keeps a row that concerns the window and refers to nothing that leaves, and turns its
// numbers. Rows of dimensions stay once it is known that others refer to them.
func (c *cutter) edit(table *trace.Table, folder string, row any) bool {
	if table.Order == trace.ByNumber {
		return c.out != nil && c.turn(table, row)
	}
	if c.selected.without[table.Part] || !c.inTime(folder, table, row) || !c.has(table, row) {
		return false
	}
	switch r := row.(type) {
	case *trace.Problem:
		c.problems[r.Code]++
	case *trace.ClusterConfig:
		c.cutTrees(r)
	case *trace.Job:
		if c.over(folder, r) {
			return false
		}
		c.numberJob(r)
	case *trace.Allocation:
		if !c.turnJobs(r) {
			return false
		}
	}
	if c.out == nil {
		c.notePools(table, row)
	}
	return c.turn(table, row)
}

// has reports whether all that a row refers to may stay.
func (c *cutter) has(table *trace.Table, row any) bool {
	for _, to := range table.References {
		if present := to.Present(row); (present == nil || *present) && !c.numbers[to.To].has(*rows.At[int32](to.Column, row)) {
			return false
		}
	}
	return true
}

// turn turns the numbers of all that a row refers to, and reports whether all stays.
func (c *cutter) turn(table *trace.Table, row any) bool {
	for _, to := range table.References {
		if present := to.Present(row); (present == nil || *present) && !c.numbers[to.To].turn(rows.At[int32](to.Column, row)) {
			return false
		}
	}
	return true
}

// cutTrees leaves out the trees that leave.
func (c *cutter) cutTrees(r *trace.ClusterConfig) {
	leaves := func(tree string) bool { return !slices.Contains(c.selected.trees, tree) }
	r.Trees = strings.Join(slices.DeleteFunc(strings.Split(r.Trees, ","), leaves), ",")
	if r.DefaultTree.Set && leaves(r.DefaultTree.Value) {
		r.DefaultTree = core.Optional[string]{}
	}
}

// numberJob gives a job that stays its new number.
func (c *cutter) numberJob(r *trace.Job) {
	if c.out != nil {
		r.Job = c.jobs[r.Job]
		return
	}
	if c.selected.job != "" && r.ID == c.selected.job {
		c.outline.Subject = Job{r.Op, r.Node}
	}
	c.outline.Jobs++
	c.jobs[r.Job] = core.JobID(len(c.jobs))
}

// turnJobs turns the numbers of jobs, and reports whether the job that the row is of stays.
func (c *cutter) turnJobs(r *trace.Allocation) (stays bool) {
	if r.Job, stays = c.jobs[r.Job]; stays && r.ForJob.Set {
		r.ForJob.Value, r.ForJob.Set = c.jobs[r.ForJob.Value]
	}
	return stays
}

// over reports whether a job was over when the window begins, and its operation's demand then
// does not go by its start (ingest/trace/FORMAT.md §3.4).
func (c *cutter) over(folder string, r *trace.Job) bool {
	if !c.late || !r.FinishTime.Set || r.FinishTime.Value >= c.selected.window.From {
		return false
	}
	at, known := c.latest[place{folder, trace.Named(trace.Demands.Name), int32(r.Op)}]
	return !known || r.Time < at.Time
}

// notePools notes the pools of an operation, and the parent of a pool, that a row names, by their
// numbers in the trace that is read.
func (c *cutter) notePools(table *trace.Table, row any) {
	var pools, operations []int32
	for _, to := range table.References {
		if present := to.Present(row); present != nil && !*present {
			continue
		}
		switch id := *rows.At[int32](to.Column, row); to.To.Name {
		case trace.Pools.Name:
			pools = append(pools, id)
		case trace.Operations.Name:
			operations = append(operations, id)
		}
	}
	switch {
	case len(pools) == 2 && pools[1] >= 0:
		note(c.parents, core.PoolID(pools[0]), core.PoolID(pools[1]))
	case len(pools) == 1 && len(operations) > 0:
		note(c.within, core.OperationID(operations[0]), core.PoolID(pools[0]))
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
	err := each(c, trace.Pools, func(r *trace.Pool) {
		if c.pools.used[r.Pool] {
			o.Pools = append(o.Pools, Pool{int(r.Pool), r.Tree, r.Name, c.turned(c.parents[r.Pool])})
		}
	})
	if err == nil {
		err = each(c, trace.Operations, func(r *trace.Operation) {
			if c.operations.used[r.Op] {
				o.Operations = append(o.Operations, Operation{int(r.Op), r.ID, c.turned(c.within[r.Op])})
			}
		})
	}
	if err == nil {
		err = each(c, trace.Nodes, func(r *trace.Node) {
			if c.nodes.used[r.Node] {
				o.Nodes = append(o.Nodes, Node{int(r.Node), r.Address})
			}
		})
	}
	o.Rows += int64(len(o.Pools) + len(o.Operations) + len(o.Nodes))
	if s := &o.Subject; s.Operation >= 0 {
		c.operations.turn((*int32)(&s.Operation))
		c.nodes.turn((*int32)(&s.Node))
	}
	return err
}

// turned are the new numbers of pools.
func (c *cutter) turned(set map[core.PoolID]bool) []core.PoolID {
	var pools []core.PoolID
	for _, pool := range slices.Sorted(maps.Keys(set)) {
		if pool >= 0 && int(pool) < len(c.pools.used) && c.pools.used[pool] {
			pools = append(pools, core.PoolID(c.pools.number[pool]))
		}
	}
	return pools
}
