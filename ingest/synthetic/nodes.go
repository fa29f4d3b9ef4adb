package synthetic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/trace"
)

// A nodeMoment is a change of a node at a time.
type nodeMoment struct {
	at     core.Time
	node   int
	change func(*node)
}

// placeNodes makes the nodes, with their failures and the changes that people
// make, and tells the trees that they serve (core/spec/scheduling.md §2.3).
func (d *draft) placeNodes(seed uint64) {
	for g := range d.spec.Nodes {
		group := &d.spec.Nodes[g]
		for i := range group.Count {
			d.nodes = append(d.nodes, node{
				address: fmt.Sprintf("%s-%d", group.Name, i), group: group, tags: group.Tags, segment: group.Segment,
				online: true, size: group.Resources.vector(),
			})
		}
	}
	moments := d.nodeMoments(seed)
	for n := range d.nodes {
		d.tellNode(n, d.window.From, nil)
	}
	for _, m := range moments {
		before := d.nodes[m.node]
		m.change(&d.nodes[m.node])
		d.tellNode(m.node, m.at, &before)
	}
	slices.SortStableFunc(d.strays, func(a, b trace.NodeState) int { return cmp.Compare(a.Time, b.Time) })
	for i := range d.strays {
		d.strays[i].Seq = int64(i) + 1
	}
}

// nodeMoments are the failures of nodes and the changes of the description, in
// order.
func (d *draft) nodeMoments(seed uint64) []nodeMoment {
	var moments []nodeMoment
	for n := range d.nodes {
		f := d.nodes[n].group.Failures
		if f.Every == 0 {
			continue
		}
		r := random(seed, "failures of "+d.nodes[n].address, 0)
		for t := d.window.From; ; {
			t += core.Time(r.ExpFloat64() * float64(f.Every))
			back := t + core.Time((0.5+r.Float64())*float64(f.Repair))
			if t >= d.window.To {
				break
			}
			moments = append(moments, nodeMoment{t, n, func(n *node) { n.online = false }},
				nodeMoment{back, n, func(n *node) { n.online = true }})
			t = back
		}
	}
	for _, c := range d.spec.Changes {
		if c.ofCluster() && c.Remove { // its nodes go with it
			tree := d.tree(c.Tree)
			for n := range d.nodes {
				if slices.Contains(d.treesOf(&d.nodes[n]), tree) {
					moments = append(moments, nodeMoment{d.window.From + core.Time(c.At), n, func(n *node) { n.online = false }})
				}
			}
		}
		n := slices.IndexFunc(d.nodes, func(n node) bool { return n.address == c.Node })
		if c.Node == "" || n < 0 {
			continue
		}
		moments = append(moments, nodeMoment{d.window.From + core.Time(c.At), n, func(n *node) {
			if c.Tags != nil {
				n.tags = *c.Tags
			}
			if c.Online != nil {
				n.online = *c.Online
			}
			if c.Size != nil {
				n.size = c.Size.vector()
			}
			if c.Segment != "" {
				n.segment = c.Segment
			}
		}})
	}
	slices.SortStableFunc(moments, func(a, b nodeMoment) int { return cmp.Compare(a.at, b.at) })
	return slices.DeleteFunc(moments, func(m nodeMoment) bool { return m.at >= d.window.To })
}

// tellNode tells the tree that a node serves how it is now, and the one that it
// served before that it is gone.
func (d *draft) tellNode(n int, at core.Time, before *node) {
	was := []int(nil)
	if before != nil {
		was = d.treesOf(before)
	}
	now := d.treesOf(&d.nodes[n])
	r := d.nodeRow(n)
	for _, tree := range was {
		if len(was) == 1 && !slices.Equal(was, now) {
			gone := r
			gone.Online = false
			d.add(tree, at, core.NodeChanged, &gone)
		}
	}
	if len(now) == 1 {
		d.add(now[0], at, core.NodeChanged, &r)
		return
	}
	stray := r
	stray.Time, stray.Online = at, stray.Online && len(now) == 0
	d.strays = append(d.strays, stray)
}

// treesOf are the trees whose filter a node's tags match.
func (d *draft) treesOf(n *node) (trees []int) {
	tags := pooltree.NewTags(n.tags...)
	for i := range d.trees {
		if d.trees[i].filter.Match(tags) {
			trees = append(trees, i)
		}
	}
	return trees
}

func (d *draft) nodeRow(n int) trace.NodeState {
	own := &d.nodes[n]
	return trace.NodeState{
		Node: core.NodeID(n), Online: own.online, Limit: trace.FromVector(own.size),
		Tags:       strings.Join(pooltree.NewTags(own.tags...), ","),
		DataCenter: text(own.group.DataCenter), InfinibandCluster: text(own.group.Network), SchedulingSegment: text(own.segment), Source: "heartbeat",
	}
}
