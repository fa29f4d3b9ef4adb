package scheduling

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A cluster is a tree with the nodes, operations and controllers around it, as
// the corpus and the end-to-end cases describe them by name.
type cluster struct {
	t      testing.TB
	shares *fairshare.Tree
	tree   *Tree
	now    int64
	last   int64 // time of the last update, negative before the first

	total   resource.Vector // of the tree, where it is not the sum of the nodes
	updates int
	refused bool       // an update was
	exact   bool       // shares of the corpus are taken over
	noise   *rand.Rand // moves fair shares by some ulps

	pools      []string // in order of creation
	operations []*testOperation
	nodes      []string
	byName     map[string]Element
	nodeOf     map[string]Node
	names      map[Element]string

	jobs     []*testJob
	jobOf    map[Job]*testJob
	jobNamed map[string]*testJob
	created  int
}

// A testOperation is an operation with its controller.
type testOperation struct {
	id            string
	element       Element
	kinds         []kind
	spec, runtime object
	start         int64
	blocked       bool // made unschedulable by the test
	shares        fairshare.Operation
	calls, failed int
}

type kind struct {
	resources resource.Vector
	count     int64
	ssd       bool
}

type testJob struct {
	id   string
	op   *testOperation
	job  Job
	kind int // index in the operation's kinds, -1 if none
	node string
}

func newCluster(t testing.TB, p Profile, tree, scheduler object) *cluster {
	c := &cluster{
		t: t, last: -1, byName: map[string]Element{"<Root>": Root, "root": Root}, nodeOf: map[string]Node{},
		names: map[Element]string{Root: "root"}, jobOf: map[Job]*testJob{}, jobNamed: map[string]*testJob{},
	}
	c.shares = fairshare.New(shareOptions(p, tree))
	c.tree = New(c.shares, treeOptions(p, tree, scheduler))
	return c
}

func (c *cluster) name(e Element, id string) { c.byName[id], c.names[e] = e, id }

func (c *cluster) addNode(id string, limits resource.Vector) {
	c.nodes = append(c.nodes, id)
	c.nodeOf[id] = c.tree.AddNode(NodeSettings{Limits: limits})
}

func (c *cluster) setNode(id string, limits resource.Vector) {
	s := c.tree.nodes[c.nodeOf[id]].NodeSettings
	s.Limits = limits
	c.tree.SetNode(c.nodeOf[id], s)
}

func (c *cluster) addPool(id, parent string, config object) {
	shares, pool := poolOf(config)
	above := Root
	if parent != "" {
		above = c.byName[parent]
	}
	e := c.shares.AddPool(above, shares)
	c.tree.AddPool(e, above, pool)
	c.name(e, id)
	c.pools = append(c.pools, id)
}

func (c *cluster) addOperation(id, pool string, start int64, kinds []kind, spec, runtime object) *testOperation {
	op := &testOperation{id: id, kinds: kinds, spec: spec, runtime: runtime, start: start}
	merged := op.options()
	op.shares = fairshare.Operation{
		Settings: shareSettings(merged), Gang: spec.flag("is_gang", false),
		StartTime: start, ID: int64(len(c.operations)),
	}
	above := Root
	if pool != "" {
		above = c.byName[pool]
	}
	op.element = c.shares.AddOperation(above, op.shares)
	c.tree.AddOperation(op.element, above, operationOf(merged))
	c.name(op.element, id)
	c.operations = append(c.operations, op)
	return op
}

// options are those of the spec, and over them those that were changed since.
func (op *testOperation) options() object {
	merged := object{}
	maps.Copy(merged, op.spec)
	maps.Copy(merged, op.runtime)
	return merged
}

func (c *cluster) operation(id string) *testOperation {
	for _, op := range c.operations {
		if op.id == id {
			return op
		}
	}
	c.t.Fatalf("no operation %q", id)
	return nil
}

func (c *cluster) ownerOf(e Element) *testOperation { return c.operation(c.names[e]) }

func (c *cluster) addJob(id string, op *testOperation, node string, granted, usage resource.Vector, start int64, kind int) *testJob {
	j := c.tree.AddJob(op.element, c.nodeOf[node], granted, usage, start, false)
	return c.register(id, op, node, j, kind)
}

func (c *cluster) register(id string, op *testOperation, node string, j Job, kind int) *testJob {
	job := &testJob{id: id, op: op, job: j, kind: kind, node: node}
	c.jobs = append(c.jobs, job)
	c.jobOf[j], c.jobNamed[id] = job, job
	c.created++
	return job
}

// finish removes a job; its work may go back to the controller.
func (c *cluster) finish(job *testJob, giveBack bool) {
	c.tree.RemoveJob(job.job)
	delete(c.jobOf, job.job)
	delete(c.jobNamed, job.id)
	for i := range c.jobs {
		if c.jobs[i] == job {
			c.jobs = append(c.jobs[:i], c.jobs[i+1:]...)
			break
		}
	}
	if giveBack && job.kind >= 0 {
		job.op.kinds[job.kind].count++
	}
}

// needed is what the controller would use besides.
func (op *testOperation) needed() (v resource.Vector) {
	for _, k := range op.kinds {
		for i := range v {
			v[i] += k.resources[i] * k.count
		}
	}
	return v
}

// smallest lists the kinds that are waited for, without those that dominate an
// earlier one.
func (op *testOperation) smallest() (list []resource.Vector) {
next:
	for _, k := range op.kinds {
		if k.count <= 0 {
			continue
		}
		for _, earlier := range list {
			if earlier.FitsIn(k.resources) {
				continue next
			}
		}
		list = append(list, k.resources)
	}
	return list
}

// pushNeeds hands what the controllers need to the tree and the shares.
func (c *cluster) pushNeeds() {
	for _, op := range c.operations {
		needed := op.needed()
		needs := Needs{Smallest: op.smallest()}
		switch {
		case op.blocked:
			needs.Unschedulable = Suspended
		case needed[resource.UserSlots] == 0:
			needs.Unschedulable = NoPendingJobs
		}
		c.tree.SetNeeds(op.element, needs)
		usage := c.tree.elements[op.element].usage
		demand := usage.Add(needed)
		if op.spec.flag("apply_specified_resource_limits_to_demand", false) {
			limits := op.shares.ResourceLimits.Or(resource.Unlimited)
			demand = demand.Min(limits).Max(usage)
		}
		op.shares.PendingJobs, op.shares.Unschedulable = needed[resource.UserSlots], needs.Unschedulable != NoObstacle
		c.shares.SetOperation(op.element, op.shares)
		c.shares.SetUsage(op.element, usage)
		c.shares.SetDemand(op.element, demand)
	}
}

// update runs one fair-share tick.
func (c *cluster) update() error {
	err := c.updateShares()
	c.tree.Tick(c.now)
	return err
}

func (c *cluster) updateShares() error {
	total := c.total
	for _, id := range c.nodes {
		if c.total.IsZero() {
			total = total.Add(c.tree.nodes[c.nodeOf[id]].Limits)
		}
	}
	c.shares.SetTotal(total)
	c.pushNeeds()
	if err := c.shares.Update(c.now, c.last); err != nil {
		return fmt.Errorf("update shares: %w", err)
	}
	c.last = c.now
	c.updates++
	return nil
}
