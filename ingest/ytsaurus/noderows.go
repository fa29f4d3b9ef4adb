package ytsaurus

import (
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A nodeSample is what a row of nodes_info says of a node.
type nodeSample struct {
	time                            core.Time
	address                         string `record:"name"`
	online                          bool
	undescribed                     bool // it does not say what the node has
	untagged                        bool // it does not say which tags it has
	limits, usage                   trace.Resources
	tags                            string // sorted, joined by commas
	dataCenter, infiniband, segment string
}

var nodeSamples = layoutOf[nodeSample]()

// unknownTreeName is what the source calls the tree of a node that has none.
const unknownTreeName = "<unknown>"

// gpuCategory is the category of the structured log that the GPU scheduling policy writes.
const gpuCategory = "SchedulerGpuStructuredLog"

// isOfGPUPolicy reports whether the GPU scheduling policy wrote a row. Its rows of nodes_info hold
// its plan: they say nothing of tags, states and trees of nodes, and are no samples of them
// (ingest/trace/FORMAT.md §1.3).
func isOfGPUPolicy(event eventType, c *columnSet) bool {
	if string(c[keyCategory].bytes()) == gpuCategory {
		return true
	}
	if event != nodesInfo || !c[keyTree].isNull() {
		return false
	}
	for n := range c[keyNodes].children {
		if !n.get(keyAssignments).isNull() {
			return true
		}
	}
	return false
}

// nodes keeps samples of nodes, of a tree that the row names or that they do.
func (l *loader) nodes(of []byte, nodes cursor) {
	for n := range nodes.children {
		if !usable(n.name()) {
			l.quarantine("nodes", badID, string(n.name()))
			continue
		}
		s := nodeSample{time: l.at, address: l.names.of(n.name())}
		var limitsOK, usageOK bool
		s.limits, limitsOK = n.get(keyLimits).resources()
		s.usage, usageOK = n.get(keyUsage).resources()
		switch _, all := n.get(keyLimits).holdsResources(); {
		case !limitsOK || !usageOK:
			l.quarantine("nodes", badAmount, s.address)
			s.undescribed = true
		case !all:
			l.note("nodes", missingField, s.address)
			s.undescribed = true
		}
		if s.undescribed {
			s.limits, s.usage = trace.Resources{}, trace.Resources{}
		}
		s.online = n.isOnline()
		s.untagged = n.get(keyTags).isNull()
		l.tagged = l.tagged || !s.untagged
		s.tags = l.names.of([]byte(n.get(keyTags).sortedList()))
		s.dataCenter, s.infiniband = l.names.of(n.get(keyDataCenter).bytes()), l.names.of(n.get(keyInfiniband).bytes())
		s.segment = l.names.of(n.get(keySegment).bytes())
		tree, name := noTree, n.get(keyNodeTree).bytes()
		if len(of) > 0 && !usable(of) || len(name) > 0 && !usable(name) {
			l.quarantine("tree_id", badID, s.address) // it serves a tree, and not none
			continue
		}
		switch {
		case usable(of) && string(of) == unknownTreeName: // even where it still names its own
		case usable(name) && string(name) != unknownTreeName:
			tree = l.tree(name)
		case usable(of):
			tree = l.tree(of)
		case n.get(keyNodeTree).isNull():
			tree = l.treeOfTags(s.tags)
		}
		l.rec.begin(nodeRecords, tree)
		nodeSamples.put(&l.rec, &s)
		l.keep()
	}
}

// isOnline reports whether all that a sample says of a node's state says that
// it serves.
func (c cursor) isOnline() bool {
	for _, k := range [...]key{keyState, keySchedulerState, keyMasterState} {
		if s := c.get(k).bytes(); len(s) > 0 && string(s) != "online" {
			return false
		}
	}
	return true
}

// sortedList joins the texts of a list.
func (c cursor) sortedList() string {
	var all []string
	for item := range c.children {
		if s := item.string(); s != "" {
			all = append(all, s)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}

// treeOfTags returns the exported tree whose nodes_filter matches a node's tags,
// noTree if none or several do (ingest/trace/FORMAT.md §4.2).
func (l *loader) treeOfTags(tags string) treeID {
	if id, ok := l.tagTrees[tags]; ok {
		return id
	}
	set := tagsOf(tags)
	found := noTree
	for _, f := range l.filters {
		if !f.filter.Match(set) {
			continue
		}
		if found != noTree {
			found = noTree
			break
		}
		found = f.tree
	}
	l.tagTrees[tags] = found
	return found
}
