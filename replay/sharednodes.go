package replay

import (
	"cmp"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/replay/tables"
)

// A membership is what a tree's log tells of the nodes that it may have: its
// filters, and the tags and presence of nodes, in the order of time. Which trees
// claim a node is known only when all trees are followed.
type membership struct {
	tree    string
	filters []filterVersion
	nodes   []nodeVersion
	last    []int32 // by node slot: its last version
	seen    int64   // configurations when the filter was looked at last
}

type filterVersion struct {
	at     core.Time
	filter pooltree.Formula
	known  bool
}

type nodeVersion struct {
	at     core.Time
	node   core.NodeID
	tags   pooltree.Tags
	online bool
}

// follow notes what changed in an instant.
func (m *membership) follow(t *core.Tree, now core.Time) {
	if n := t.Configurations(); n != m.seen || len(m.filters) == 0 {
		m.seen = n
		c := t.Config()
		last := len(m.filters) - 1
		if last < 0 || m.filters[last].known == c.Assumed || m.filters[last].filter.String() != c.NodesFilter.String() {
			m.filters = append(m.filters, filterVersion{now, c.NodesFilter, !c.Assumed})
		}
	}
	for _, slot := range t.Changes().Nodes {
		for int(slot) >= len(m.last) {
			m.last = append(m.last, -1)
		}
		n := t.Node(slot)
		if at := m.last[slot]; at >= 0 && m.nodes[at].online == n.Online && slices.Equal(m.nodes[at].tags, n.Tags) {
			continue
		}
		m.last[slot] = int32(len(m.nodes))
		m.nodes = append(m.nodes, nodeVersion{now, n.ID, n.Tags, n.Online})
	}
}

// A claim is what a node's tags make of it from a moment on.
type claim struct {
	trees  []int // indexes of those whose filters match
	tags   string
	online bool
}

func (c *claim) equal(d *claim) bool {
	return slices.Equal(c.trees, d.trees) && c.tags == d.tags && c.online == d.online
}

// sharedNodes returns, by tree, the spans of the window in which the tags of a
// node matched the filters of several trees.
func sharedNodes(members []*membership, window core.Span) [][]tables.SharedNode {
	rows := make([][]tables.SharedNode, len(members))
	if !slices.ContainsFunc(members, (*membership).isTagged) {
		return rows // nothing is known of tags
	}
	versions := map[core.NodeID][]nodeVersion{}
	tree := map[core.NodeID][]int{}
	var nodes []core.NodeID
	for i, m := range members {
		for _, v := range m.nodes {
			if len(versions[v.node]) == 0 {
				nodes = append(nodes, v.node)
			}
			versions[v.node] = append(versions[v.node], v)
			tree[v.node] = append(tree[v.node], i)
		}
	}
	slices.Sort(nodes)
	for _, node := range nodes {
		s := nodeSweep{members: members, window: window, rows: rows, node: node}
		s.sweep(versions[node], tree[node])
	}
	for i := range rows {
		slices.SortStableFunc(rows[i], func(a, b tables.SharedNode) int {
			return cmp.Or(cmp.Compare(a.ToTime, b.ToTime), cmp.Compare(a.Node, b.Node))
		})
	}
	return rows
}

func (m *membership) isTagged() bool {
	return slices.ContainsFunc(m.nodes, func(v nodeVersion) bool { return len(v.tags) > 0 })
}

// A nodeSweep goes through what is known of one node.
type nodeSweep struct {
	members []*membership
	window  core.Span
	rows    [][]tables.SharedNode
	node    core.NodeID

	now  claim
	from core.Time
}

func (s *nodeSweep) sweep(versions []nodeVersion, tree []int) {
	order := make([]int, len(versions))
	times := []core.Time{}
	for i := range order {
		order[i] = i
		times = append(times, versions[i].at)
	}
	// Of one instant, who has the node online knows its tags.
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(versions[a].at, versions[b].at), compareBools(versions[a].online, versions[b].online))
	})
	for _, m := range s.members {
		for _, f := range m.filters {
			times = append(times, f.at)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	online := make([]bool, len(s.members))
	var tags pooltree.Tags
	next := 0
	for _, at := range times {
		for ; next < len(order) && versions[order[next]].at <= at; next++ {
			v := &versions[order[next]]
			online[tree[order[next]]] = v.online
			tags = v.tags
		}
		s.take(at, s.claims(tags, at), slices.Contains(online, true), tags)
	}
	s.close(s.window.To, true)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// claims returns the trees whose filters match tags at a moment.
func (s *nodeSweep) claims(tags pooltree.Tags, at core.Time) (trees []int) {
	for i, m := range s.members {
		var f *filterVersion
		for k := range m.filters {
			if m.filters[k].at <= at {
				f = &m.filters[k]
			}
		}
		if f != nil && f.known && f.filter.Match(tags) {
			trees = append(trees, i)
		}
	}
	return trees
}

func (s *nodeSweep) take(at core.Time, trees []int, online bool, tags pooltree.Tags) {
	next := claim{trees, strings.Join(tags, ","), online}
	if next.equal(&s.now) {
		return
	}
	s.close(at, false)
	s.now, s.from = next, at
}

// close writes the span that ends for every tree that claims the node.
func (s *nodeSweep) close(to core.Time, clipped bool) {
	from := max(s.from, s.window.From)
	to = min(to, s.window.To)
	if len(s.now.trees) < 2 || from >= to {
		return
	}
	for _, i := range s.now.trees {
		var others []string
		for _, k := range s.now.trees {
			if k != i {
				others = append(others, s.members[k].tree)
			}
		}
		s.rows[i] = append(s.rows[i], tables.SharedNode{
			Node: s.node, FromTime: from, ToTime: to, ClippedFrom: s.from < s.window.From, ClippedTo: clipped,
			Others: strings.Join(others, ","), Online: s.now.online, Tags: s.now.tags,
		})
	}
}
