package coretest

import (
	"fmt"
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
)

// Show prints the state of a tree: pools, operations and nodes with what they
// use, want and are granted, in cpu.
func Show(t *core.Tree, d *core.Dimensions) string {
	var b strings.Builder
	fmt.Fprintf(&b, "total %s\n", cores(t.Total()))
	for slot := range t.Pools() {
		p := t.Pool(int32(slot))
		if p.Removed.Set {
			continue
		}
		name := "<Root>"
		if slot > 0 {
			name = d.Pools[p.ID].Name
		}
		fmt.Fprintf(&b, "%spool %s running=%d/%s operations=%d/%s usage=%s demand=%s fair=%.4f\n",
			strings.Repeat("  ", int(p.Depth)), name, p.Running, limit(p.MaxRunning), p.Operations, limit(p.MaxOperations),
			cores(p.Usage), cores(p.Demand), t.Shares(p.Element).FairShare.Total[resource.CPU])
	}
	for slot := range t.Operations() {
		o := t.Operation(int32(slot))
		if !o.Alive {
			continue
		}
		fmt.Fprintf(&b, "operation %s jobs=%d usage=%s demand=%s", d.Operations[o.ID].ID, o.LiveJobs, cores(o.Usage), cores(o.Demand()))
		if o.Enabled() {
			fmt.Fprintf(&b, " fair=%.4f", t.Shares(o.Element).FairShare.Total[resource.CPU])
		}
		if !o.Running {
			b.WriteString(" pending")
		}
		if o.Ended {
			b.WriteString(" ended")
		}
		b.WriteByte('\n')
	}
	for slot := range t.Nodes() {
		n := t.Node(int32(slot))
		fmt.Fprintf(&b, "node %s online=%v usage=%s of %s\n", d.Nodes[n.ID], n.Online, cores(n.Usage), cores(n.Limits))
	}
	return b.String()
}

func cores(v resource.Vector) string { return fmt.Sprintf("%g", v.Real(resource.CPU)) }

func limit(o core.Optional[int64]) string {
	if !o.Set {
		return "-"
	}
	return fmt.Sprint(o.Value)
}
