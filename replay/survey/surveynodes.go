package survey

import (
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/replay/tables"
)

// nodeClaims follows which trees claim which nodes (core/spec/scheduling.md §2.3). The trees that
// have a node record its tags and presence, or rows outside all trees do.
type nodeClaims struct {
	assignment *pooltree.Assignment
	nodes      []claimedNode // by id
	touched    []core.NodeID // of this instant, each once
	tagged     bool          // some node had tags, so that the log records them
}

// A claimedNode holds the claims on a node and its open span.
type claimedNode struct {
	slot        pooltree.Node
	known       bool
	touched     bool
	tags        pooltree.Tags
	undescribed bool  // the log does not record its tags
	sure        bool  // in this instant a tree that has it online recorded its tags
	online      []int // the trees that have it online

	spans [2]claimSpan // by presence, by tags
}

// A claimSpan is the latest claim of a kind, and since when it holds.
type claimSpan struct {
	now  claim
	from core.Time
}

// The kinds of claims.
const (
	byPresence = iota
	byTags
)

var claimKinds = [...]string{"presence", "tags"}

// A claim is the set of trees that use a node, or that its tags select, from a time on.
type claim struct {
	trees  []string // that have it online, or whose filters match
	tags   string
	online bool
}

func (c *claim) equal(d *claim) bool {
	return slices.Equal(c.trees, d.trees) && c.tags == d.tags && c.online == d.online
}

func (c *nodeClaims) open(nodes int) {
	c.assignment = pooltree.NewAssignment()
	c.nodes = make([]claimedNode, nodes)
}

// change notes a change of a node in a tree, or in none. Of one instant, the tags count that are
// recorded by a tree that has the node online.
func (c *nodeClaims) change(tree int, e *core.Event) {
	n := &c.nodes[e.Node]
	c.touch(e.Node)
	n.online = slices.DeleteFunc(n.online, func(t int) bool { return t == tree })
	if e.Online && !e.Undescribed { // else its jobs alone show where it serves
		n.online = append(n.online, tree)
	}
	if e.Online || !n.sure {
		n.tags, n.undescribed, n.sure = e.Tags, e.Undescribed, e.Online
	}
	n.known = true
	if !c.tagged && len(e.Tags) > 0 {
		c.tagged = true
		c.touchAll()
	}
}

func (c *nodeClaims) touch(id core.NodeID) {
	if n := &c.nodes[id]; !n.touched {
		n.touched = true
		c.touched = append(c.touched, id)
	}
}

func (c *nodeClaims) touchAll() {
	for id := range c.nodes {
		if c.nodes[id].known {
			c.touch(core.NodeID(id))
		}
	}
}

// restart forgets the nodes of the assignment.
func (c *nodeClaims) restart() {
	set := c.assignment.Trees()
	c.assignment = pooltree.NewAssignment()
	if _, err := c.assignment.Update(set); err == nil {
		c.touchAll()
	}
}

// assign hands the nodes of this instant to the assignment, once the log has recorded tags.
func (c *nodeClaims) assign(names []string) {
	if !c.tagged {
		return
	}
	for _, id := range c.touched {
		n := &c.nodes[id]
		n.slot = c.assignment.SetNode(names[id], n.tags)
	}
}

// settleNodes processes the nodes that changed in this instant, or whose trees did.
func (s *surveyor) settleNodes() {
	c := &s.nodes
	for _, id := range c.touched {
		n := &c.nodes[id]
		n.touched, n.sure = false, false
		online, tags := len(n.online) > 0, strings.Join(n.tags, ",")
		s.claim(id, byPresence, claim{s.namesOf(n.online), tags, online})
		if c.tagged {
			c.assignment.Process(n.slot)
			by := claim{c.assignment.Claims(n.slot), tags, online}
			if n.undescribed {
				by.trees = nil
			}
			s.claim(id, byTags, by)
		}
	}
	c.touched = c.touched[:0]
}

// namesOf returns the sorted names of trees, without the pseudo-tree of unassigned nodes.
func (s *surveyor) namesOf(trees []int) (names []string) {
	for _, i := range trees {
		if i < len(s.names) {
			names = append(names, s.names[i])
		}
	}
	slices.Sort(names)
	return names
}

// claim begins another span of a node if its claims are other ones.
func (s *surveyor) claim(id core.NodeID, kind int, next claim) {
	n := &s.nodes.nodes[id].spans[kind]
	if next.equal(&n.now) {
		return
	}
	s.closeClaim(id, kind, s.now, false)
	n.now, n.from = next, s.now
}

// closeClaim writes the span that ends for every tree that has or claims the node.
func (s *surveyor) closeClaim(id core.NodeID, kind int, to core.Time, clipped bool) {
	n := &s.nodes.nodes[id].spans[kind]
	from := max(n.from, s.window.From)
	if len(n.now.trees) < 2 || from >= to {
		return
	}
	for _, tree := range n.now.trees {
		others := slices.DeleteFunc(slices.Clone(n.now.trees), func(t string) bool { return t == tree })
		i := s.result.Index[tree] // a tree that the log does not have claims no node
		s.result.Shared[i] = append(s.result.Shared[i], tables.SharedNode{
			Node: id, By: claimKinds[kind], FromTime: from, ToTime: to, ClippedFrom: n.from < s.window.From, ClippedTo: clipped,
			Others: strings.Join(others, ","), Online: n.now.online, Tags: n.now.tags,
		})
	}
}

func (s *surveyor) finishNodes() {
	for id := range s.nodes.nodes {
		for kind := range claimKinds {
			s.closeClaim(core.NodeID(id), kind, s.window.To, true)
		}
	}
}

// A Neighbourhood says what the log holds of the trees beside one.
type Neighbourhood struct {
	State string // none, or whether it records their filters: recorded or no_filters
	Trees int64  // how many there are
}

// neighbours describes the trees beside one of them.
func (s *surveyor) neighbours(tree int) Neighbourhood {
	n := Neighbourhood{"none", int64(len(s.names) - 1)}
	for i, c := range s.configs {
		switch {
		case i == tree:
		case s.nodes.tagged && c != nil && !c.Assumed && !c.NodesFilter.IsEmpty():
			return Neighbourhood{"recorded", n.Trees}
		default:
			n.State = "no_filters"
		}
	}
	return n
}
