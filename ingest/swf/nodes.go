package swf

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"poolproof/core"
	"poolproof/ingest/joblog"
	"poolproof/ingest/trace"
)

// A host is a node that jobs were placed on.
type host struct {
	number  int32
	hints   []int // by cluster: jobs on it whose request names the cluster
	hinted  int   // the cluster most of them name, -1 if none or tied
	cluster int   // -1 if unknown
	trees   []int
}

// hosts returns the nodes that the jobs were placed on, by ascending number.
func (m *model) hosts(clusters []cluster, treeOf func(*operation) int) []host {
	found := map[int32]*host{}
	hints := hinter{clusters: clusters, known: map[string][]int{}}
	for i := range m.all {
		o := &m.all[i]
		tree := treeOf(o)
		m.eachRecord(o, func(r *record) {
			named := hints.of(r.request)
			for _, p := range r.placement {
				h := found[p.node]
				if h == nil {
					h = &host{number: p.node, hints: make([]int, len(clusters))}
					found[p.node] = h
				}
				for _, c := range named {
					h.hints[c]++
				}
				if at, ok := slices.BinarySearch(h.trees, tree); !ok {
					h.trees = slices.Insert(h.trees, at, tree)
				}
			}
		})
	}
	var hosts []host
	for _, n := range slices.Sorted(maps.Keys(found)) {
		hosts = append(hosts, *found[n])
	}
	assign(hosts, len(clusters))
	return hosts
}

func (m *model) eachRecord(o *operation, yield func(*record)) {
	if len(o.executions) == 0 {
		yield(&m.records[o.lead])
	}
	for _, e := range o.executions {
		yield(&m.records[e.record])
	}
}

// A hinter finds the clusters that a resource request asks for by a property
// cl_NAME.
type hinter struct {
	clusters []cluster
	known    map[string][]int
}

func (h *hinter) of(request string) []int {
	if request == "" || len(h.clusters) == 0 {
		return nil
	}
	named, ok := h.known[request]
	if ok {
		return named
	}
	isSeparator := func(c rune) bool { return strings.ContainsRune(":+#", c) }
	for _, property := range strings.FieldsFunc(request, isSeparator) {
		name, ok := strings.CutPrefix(property, "cl_") // ^cl_NAME asks for any other
		at := slices.IndexFunc(h.clusters, func(c cluster) bool { return c.name == name })
		if ok && at >= 0 && !slices.Contains(named, at) {
			named = append(named, at)
		}
	}
	h.known[request] = named
	return named
}

// assign gives every host its cluster: the only one there is; or the one that
// most of its jobs asked for; or, without such a hint, the one that its nearest
// hinted neighbours by number agree on. What is left is unknown.
func assign(hosts []host, clusters int) {
	for i := range hosts {
		hosts[i].hinted = majority(hosts[i].hints)
	}
	for i := range hosts {
		h := &hosts[i]
		h.cluster = h.hinted
		switch {
		case clusters == 1:
			h.cluster = 0
		case h.hinted < 0 && sum(h.hints) == 0:
			h.cluster = agreed(nearest(hosts, i, -1), nearest(hosts, i, +1))
		}
	}
}

// majority returns the index of the greatest count, -1 if there is none above
// all others.
func majority(counts []int) int {
	best := -1
	for i, c := range counts {
		if c > 0 && c == slices.Max(counts) {
			if best >= 0 {
				return -1
			}
			best = i
		}
	}
	return best
}

func sum(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// nearest returns the cluster of the next hinted host in a direction, -1 if
// there is none.
func nearest(hosts []host, from, step int) int {
	for i := from + step; i >= 0 && i < len(hosts); i += step {
		if hosts[i].hinted >= 0 {
			return hosts[i].hinted
		}
	}
	return -1
}

func agreed(a, b int) int {
	if a < 0 || a == b {
		return b
	}
	if b < 0 {
		return a
	}
	return -1
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
		default:
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

// A capacity says how the sizes of nodes are known, in the words of
// trace.Resource.
type capacity struct{ cpu, memory string }

const (
	recorded  = "recorded"
	requested = "requested"
	inHeader  = "header"
	unknown   = "unknown"
)
