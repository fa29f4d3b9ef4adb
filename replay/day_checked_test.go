package replay_test

import (
	"fmt"

	"poolproof/core"
	"poolproof/core/resource"
)

// check recounts what the started job's node holds, and compares the usage of its
// operation and of all pools above with their specified limits.
func (d *day) check(e *core.Event) {
	var held resource.Vector
	for _, j := range d.jobs {
		if j.node == e.Node && (!j.gone || j.asked) {
			held = held.Add(j.size)
		}
	}
	if slot, _ := d.tree.NodeOf(e.Node); d.tree.Node(slot).Usage != held {
		d.faults = append(d.faults, fmt.Sprintf("at %d node %d holds %v, the tree says %v", e.Time, e.Node, held, d.tree.Node(slot).Usage))
	} else if !held.FitsIn(d.nodes[e.Node].limits) {
		d.faults = append(d.faults, fmt.Sprintf("at %d node %d holds %v of %v", e.Time, e.Node, held, d.nodes[e.Node].limits))
	}
	slot, _ := d.tree.OperationOf(e.Operation)
	o := d.tree.Operation(slot)
	if !o.Usage.FitsIn(o.Params.ResourceLimits.Value.Or(resource.Unlimited)) {
		d.faults = append(d.faults, fmt.Sprintf("at %d operation %d uses %v", e.Time, e.Operation, o.Usage))
	}
	for p := o.Pool; p >= 0; p = d.tree.Pool(p).Parent {
		if pool := d.tree.Pool(p); !pool.Usage.FitsIn(pool.Config.ResourceLimits.Or(resource.Unlimited)) {
			d.faults = append(d.faults, fmt.Sprintf("at %d pool %d uses %v", e.Time, pool.ID, pool.Usage))
		}
	}
}
