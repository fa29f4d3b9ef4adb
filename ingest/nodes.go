package ingest

import (
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/trace"
)

// nodeChanges is the source of NodeChanged: the node_state of the tree, and of
// that under global/ the rows of nodes that left the tree without a word of it
// there. Of one instant the tree has the last word.
type nodeChanges struct {
	tree, global *nodeStates
	member       []bool // by node: whether the tree's last word has it
	begun        bool
	leaving      bool // the next event is a row under global/
}

func newNodeChanges(s *stream, folder string) (source, error) {
	n := &nodeChanges{member: make([]bool, len(s.trace.dimensions.Nodes))}
	var err error
	if n.tree, err = newNodeStates(s, folder); err == nil {
		n.global, err = newNodeStates(s, globalFolder)
	}
	return n, err
}

func (n *nodeChanges) next() *nodeStates {
	if n.leaving {
		return n.global
	}
	return n.tree
}

func (n *nodeChanges) head() core.Time { return n.next().at }
func (n *nodeChanges) seq() int64      { return n.next().stamp.Seq }

func (n *nodeChanges) emit(e *core.Event) {
	n.next().emit(e)
	e.Online = e.Online && !n.leaving
	n.member[e.Node] = e.Online
}

func (n *nodeChanges) advance() error {
	if !n.begun {
		n.begun = true
		if err := n.global.advance(); err != nil {
			return err
		}
	}
	if err := n.next().advance(); err != nil {
		return err
	}
	// A change of a node elsewhere does not concern a tree that does not have the node.
	for n.precedes() && !n.member[n.global.node.Int32s[n.global.i]] {
		if err := n.global.advance(); err != nil {
			return err
		}
	}
	n.leaving = n.precedes()
	return nil
}

// precedes reports whether a row under global/ is next.
func (n *nodeChanges) precedes() bool { return n.global.at != never && n.global.at <= n.tree.at }

// nodeStates is a table node_state.
type nodeStates struct {
	tableSource
	node        column                  `col:"node_ix"`
	online      column                  `col:"online"`
	limit       group                   `col:"limit"`
	tags        column                  `col:"tags"`
	segment     column                  `col:"scheduling_segment"`
	center      column                  `col:"data_center"`
	infiniband  column                  `col:"infiniband_cluster"`
	undescribed column                  `col:"undescribed"`
	sets        map[int32]pooltree.Tags // by interned text
}

func newNodeStates(s *stream, folder string) (*nodeStates, error) {
	n := &nodeStates{sets: map[int32]pooltree.Tags{}}
	nodes := len(s.trace.dimensions.Nodes)
	return n, n.open(s, folder, &trace.NodeStates.Table, bindColumns(n, &trace.NodeStates.Table), func() bool {
		return n.idOf(&n.node, nodes) && n.resources(&n.limit)
	})
}

func (n *nodeStates) emit(e *core.Event) {
	i := n.i
	e.Node, e.Online, e.Limits = core.NodeID(n.node.Int32s[i]), n.online.Bools[i], n.limit.vector(i)
	e.Undescribed = optionalBool(&n.undescribed, i).Value
	e.Tags, e.Segment = n.tagSet(n.tags.Texts[i]), n.textOf(&n.segment)
	e.Module, e.Network = n.textOf(&n.center), n.textOf(&n.infiniband)
}

// tagSet returns the tags of a text. Nodes that are tagged alike share them.
func (n *nodeStates) tagSet(text int32) pooltree.Tags {
	tags, ok := n.sets[text]
	if !ok {
		var names []string
		for name := range strings.SplitSeq(n.stream.intern.Text(text), ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
		tags = pooltree.NewTags(names...)
		n.sets[text] = tags
	}
	return tags
}
