package swf

import (
	"fmt"
	"slices"
	"strconv"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/joblog"
	"poolproof/ingest/trace"
)

// A capacity says how the sizes of nodes are known, in the words of
// trace.Resource.
type capacity struct{ cpu, memory string }

const (
	recorded  = "recorded"
	requested = "requested"
	assumed   = "assumed" // the format does not record slots: each job has the one that all have
	inHeader  = "header"
	unknown   = "unknown"
)

// addNodes finds the nodes and their sizes.
func (m *model) addNodes(to *joblog.Log, forest *joblog.Forest, clusters []cluster) (known capacity) {
	to.Placements = slices.ContainsFunc(m.records, func(r record) bool { return len(r.placement) > 0 })
	switch {
	case to.Placements:
		to.Nodes, known = m.placedNodes(clusters, func(o *operation) int { return forest.Pools[o.pool].Tree })
	case len(forest.Trees) == 1:
		to.Nodes, known = m.listedNodes(clusters)
	default: // which nodes serve which tree is not known
		known = capacity{cpu: unknown, memory: unknown}
	}
	return known
}

// measures says how far each resource can be judged. What a job takes of user
// slots is one by definition; no log of this format says how many a node has.
func (m *model) measures(known capacity) (all [resource.Kinds]joblog.Measure) {
	memory := unknown
	for i := range m.all {
		m.eachRecord(&m.all[i], func(r *record) {
			switch {
			case r.requestedMemory > 0:
				memory = requested
			case !m.alea && r.usedMemory > 0 && memory == unknown:
				memory = recorded
			}
		})
	}
	all[resource.UserSlots] = joblog.Measure{Unit: "jobs", Capacity: unknown, Usage: assumed}
	all[resource.CPU] = joblog.Measure{Unit: "milli_cpu", Capacity: known.cpu, Usage: recorded}
	all[resource.GPU] = joblog.Measure{Unit: "devices", Capacity: unknown, Usage: unknown}
	all[resource.Memory] = joblog.Measure{Unit: "bytes", Capacity: known.memory, Usage: memory}
	all[resource.Network] = joblog.Measure{Unit: "units", Capacity: unknown, Usage: unknown}
	return all
}

// placedNodes returns the nodes that jobs were placed on, with the sizes that
// the machines file or the header gives them, and how the sizes are known.
func (m *model) placedNodes(clusters []cluster, treeOf func(*operation) int) (nodes []joblog.Node, known capacity) {
	hosts := m.hosts(clusters, treeOf)
	known = capacity{cpu: recorded, memory: recorded}
	perNode, fromHeader := m.header.perNode()
	if len(clusters) == 0 {
		known = capacity{cpu: unknown, memory: unknown}
		if fromHeader {
			known.cpu = inHeader
		}
	}
	m.nodes = map[int32]core.NodeID{}
	for _, h := range hosts {
		m.nodes[h.number] = core.NodeID(len(nodes))
		n := joblog.Node{Address: strconv.Itoa(int(h.number)), Trees: h.trees}
		switch {
		case len(clusters) == 0 && fromHeader:
			n.Limit.CPUMilli = perNode * milliPerProcessor
		case h.cluster >= 0:
			c := clusters[h.cluster]
			n.Limit = trace.Resources{CPUMilli: c.processors * milliPerProcessor, Memory: c.memory}
			n.Tags = "cl_" + c.name
		case len(clusters) > 0:
			m.problems.Note(m.path, -1, placementColumn, codeUnknownSize, n.Address)
			known = capacity{cpu: unknown, memory: unknown}
		}
		nodes = append(nodes, n)
	}
	return nodes, known
}

// perNode returns the processors of every node by the header, if that divides
// them evenly.
func (h *header) perNode() (processors int64, ok bool) {
	if h.maxNodes <= 0 || h.maxProcs <= 0 || h.maxProcs%h.maxNodes != 0 {
		return 0, false
	}
	return h.maxProcs / h.maxNodes, true
}

// maxListedNodes bounds the nodes that are listed without any job naming them.
const maxListedNodes = 1 << 20

// listedNodes returns the nodes of the machines file or the header, where no
// job says which it ran on. A header whose processors do not divide evenly
// makes one node of them all, so that the tree's total is right.
func (m *model) listedNodes(clusters []cluster) (nodes []joblog.Node, known capacity) {
	add := func(address, tags string, limit trace.Resources) {
		nodes = append(nodes, joblog.Node{Address: address, Tags: tags, Limit: limit, Trees: []int{0}})
	}
	var listed int64
	for _, c := range clusters {
		listed += c.nodes
	}
	perNode, divides := m.header.perNode()
	switch {
	case len(clusters) > 0 && listed <= maxListedNodes:
		for _, c := range clusters {
			for i := range c.nodes {
				add(fmt.Sprintf("%s-%d", c.name, i+1), "cl_"+c.name,
					trace.Resources{CPUMilli: c.processors * milliPerProcessor, Memory: c.memory})
			}
		}
		return nodes, capacity{cpu: recorded, memory: recorded}
	case len(clusters) == 0 && divides && m.header.maxNodes <= maxListedNodes:
		for i := range m.header.maxNodes {
			add(fmt.Sprintf("node-%d", i+1), "", trace.Resources{CPUMilli: perNode * milliPerProcessor})
		}
		return nodes, capacity{cpu: inHeader, memory: unknown}
	case len(clusters) == 0 && m.header.maxProcs > 0:
		add("all-processors", "", trace.Resources{CPUMilli: m.header.maxProcs * milliPerProcessor})
		return nodes, capacity{cpu: inHeader, memory: unknown}
	}
	return nil, capacity{cpu: unknown, memory: unknown}
}
