package swf

import (
	"fmt"
	"maps"
	"slices"

	"poolproof/ingest/joblog"
	"poolproof/ingest/poolconf"
)

// notes makes the sentences that a reader of the results should know about an import.
type notes struct {
	m        *model
	clusters []cluster
	dated    bool
	config   *poolconf.File
}

func (n *notes) all(l *joblog.Log, known capacity) (all []string) {
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	problems := &n.m.problems
	if !n.dated {
		add("The log does not record when it began: its times count from the epoch given.")
	}
	for _, width := range slices.Sorted(maps.Keys(n.m.wider)) {
		add("Lines with %d fields: %d; the format has %d, or %d with Alea's extension, and the further ones are left out.",
			width, n.m.wider[width], standardFields, extendedFields)
	}
	if c := problems.Noted(codeUnknownWait); c > 0 {
		add("Jobs without a known wait time: %d; each is taken to have started when it was submitted.", c)
	}
	if c := problems.Noted(codeUnknownRunTime); c > 0 {
		add("Jobs without a known run time: %d; when they ended is not known.", c)
	}
	if c := problems.Noted(codeDuplicateJob); c > 0 {
		add("Jobs with the number of another job: %d; they are named number#2 and so on.", c)
	}
	n.aboutNodes(l, known, add)
	if l.Placements {
		shared := 0
		for _, node := range l.Nodes {
			if len(node.Trees) > 1 {
				shared++
			}
		}
		if shared > 0 {
			add("Nodes that ran jobs of several partitions: %d; they stand in the tree of each. Where partitions overlap they are no trees.", shared)
		}
	}
	if n.config != nil {
		for _, name := range n.config.Trees() {
			if !slices.ContainsFunc(l.Trees, func(t joblog.Tree) bool { return t.Name == name }) {
				add("The configuration describes a tree %s, which the log does not have.", name)
			}
		}
	}
	return all
}

func (n *notes) aboutNodes(l *joblog.Log, known capacity, add func(string, ...any)) {
	var listed int64
	for _, c := range n.clusters {
		listed += c.nodes
	}
	if len(n.clusters) == 0 {
		listed = n.m.header.maxNodes
	}
	if !l.Placements {
		add("The log does not record on which nodes jobs ran: there are no heartbeats, and no node can be judged.")
	} else if len(l.Nodes) != int(listed) {
		also := ""
		if listed > 0 {
			also = fmt.Sprintf(" of %d", listed)
		}
		add("Nodes that occur in the log: %d%s; totals are theirs.", len(l.Nodes), also)
	}
	if c := n.m.problems.Noted(codeUnknownSize); c > 0 {
		add("Nodes of no known cluster: %d; their size, and so the total, is not known.", c)
	} else if known.cpu == unknown {
		add("Neither a machines file nor the header says how large the nodes are: capacities cannot be judged.")
	}
	if known.cpu == inHeader && !l.Placements && len(l.Nodes) == 1 && n.m.header.maxProcs > 0 {
		add("One node stands for all %d processors of the header.", n.m.header.maxProcs)
	}
}
