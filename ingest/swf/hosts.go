package swf

import (
	"maps"
	"slices"
	"strings"
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
			named := hints.clustersOf(r.request)
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

func (h *hinter) clustersOf(request string) []int {
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
