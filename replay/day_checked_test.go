package replay_test

import (
	"fmt"

	"poolproof/core"
	"poolproof/core/resource"
)

// check compares what the started job's node holds with what it has, and the usage
// of its operation and of all pools above with their specified limits.
func (d *day) check(e *core.Event) {
	if held := d.recount(e.Node); !held.FitsIn(d.nodes[e.Node].limits) {
		d.fault("node %d holds %v of %v", e.Node, held, d.nodes[e.Node].limits)
	}
	slot, _ := d.tree.OperationOf(e.Operation)
	o := d.tree.Operation(slot)
	if !o.Usage.FitsIn(o.Params.ResourceLimits.Value.Or(resource.Unlimited)) {
		d.fault("operation %d uses %v", e.Operation, o.Usage)
	}
	for p := o.Pool; p >= 0; p = d.tree.Pool(p).Parent {
		if pool := d.tree.Pool(p); !pool.Usage.FitsIn(pool.Config.ResourceLimits.Or(resource.Unlimited)) {
			d.fault("pool %d uses %v", pool.ID, pool.Usage)
		}
	}
}

// recount counts what a node's jobs hold, which is what the tree says.
func (d *day) recount(n core.NodeID) (held resource.Vector) {
	for _, j := range d.jobs {
		if j.node == n && (!j.gone || j.asked) {
			held = held.Add(j.size)
		}
	}
	if slot, _ := d.tree.NodeOf(n); d.tree.Node(slot).Usage != held {
		d.fault("node %d holds %v, the tree says %v", n, held, d.tree.Node(slot).Usage)
	}
	return held
}

// checkNodes asks that resources are conserved on every node and in all: what the
// nodes hold is what the operations use.
func (d *day) checkNodes() {
	var held resource.Vector
	for n := range d.nodes {
		held = held.Add(d.recount(core.NodeID(n)))
	}
	if root := d.tree.Pool(0); root.Usage != held {
		d.fault("all nodes hold %v, the root uses %v", held, root.Usage)
	}
}

func (d *day) fault(what string, args ...any) {
	d.faults = append(d.faults, fmt.Sprintf("at %d ", d.now)+fmt.Sprintf(what, args...))
}
