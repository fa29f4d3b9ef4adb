package ytsaurus

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/extsort"
)

func tagsOf(joined string) pooltree.Tags {
	if joined == "" {
		return pooltree.NewTags()
	}
	return pooltree.NewTags(strings.Split(joined, ",")...)
}

// A node is what the log says of one in the course of time.
type node struct {
	address    string
	number     core.NodeID
	states     []nodeState // in the order of time, each unlike the one before
	seen, last core.Time   // of samples and jobs
	gaps       []sampleGap // in which samples do not describe it
	noted      bool        // as a problem
}

// A nodeState is what a node was from a moment on.
type nodeState struct {
	nodeSample
	tree treeID
}

// same reports whether nothing changed that a trace records.
func (s *nodeState) same(t *nodeState) bool {
	a, b := *s, *t
	a.time, b.time = 0, 0
	a.usage = b.usage
	return a == b
}

// treeAt returns the tree that the node serves at a moment; before its first
// sample that of the first.
func (n *node) treeAt(at core.Time) treeID {
	tree := noTree
	for i := range n.states {
		if i > 0 && n.states[i].time > at {
			break
		}
		tree = n.states[i].tree
	}
	return tree
}

// offlineAfter returns when the node first ceased to serve after a moment.
func (n *node) offlineAfter(at core.Time) (core.Time, bool) {
	for i := range n.states {
		if s := &n.states[i]; s.time > at && !s.online {
			return s.time, true
		}
	}
	return 0, false
}

// A nodeSet holds the nodes by their address.
type nodeSet map[string]*node

func (s nodeSet) see(address string, at core.Time) *node {
	n := s[address]
	if n == nil {
		n = &node{address: address, seen: at, last: at}
		s[address] = n
	}
	n.seen, n.last = min(n.seen, at), max(n.last, at)
	return n
}

// sorted numbers the nodes by address and returns them.
func (s nodeSet) sorted() []*node {
	all := slices.SortedFunc(maps.Values(s), func(a, b *node) int { return strings.Compare(a.address, b.address) })
	for i, n := range all {
		n.number = core.NodeID(i)
	}
	return all
}

// collect takes in the samples of all trees, in the order of time. Where some tell tags, one without does not
// describe its node.
func (s nodeSet) collect(sorter *extsort.Sorter, trees []string, texts names, tagged bool) error {
	type feed struct {
		scan   *extsort.Scan
		tree   treeID
		sample nodeSample
	}
	sampled := sampling{map[treeID][]core.Time{}, map[*node]lastSample{}}
	var feeds []*feed
	var failed error
	advance := func(f *feed) bool {
		if !f.scan.Next() {
			if err := f.scan.Err(); err != nil && failed == nil {
				failed = err
			}
			return false
		}
		nodeSamples.decode(f.scan.Record(), &f.sample, texts)
		f.sample.undescribed = f.sample.undescribed || tagged && f.sample.untagged
		return true
	}
	for tree := range trees {
		f := &feed{scan: sorter.Scan(prefixOf(nodeRecords, treeID(tree))), tree: treeID(tree)}
		if advance(f) {
			feeds = append(feeds, f)
		}
	}
	for len(feeds) > 0 {
		first := 0
		for i := range feeds {
			a, b := feeds[i], feeds[first]
			if cmp.Or(cmp.Compare(a.sample.time, b.sample.time), strings.Compare(a.sample.address, b.sample.address), strings.Compare(trees[a.tree], trees[b.tree])) < 0 {
				first = i
			}
		}
		f := feeds[first]
		n := s.see(f.sample.address, f.sample.time)
		state := nodeState{f.sample, f.tree}
		k := len(n.states)
		changed := !state.undescribed && (k == 0 || !n.states[k-1].same(&state))
		if changed {
			n.states = append(n.states, state)
		}
		sampled.describe(n, f.tree, &f.sample, changed)
		if !advance(f) {
			feeds = slices.Delete(feeds, first, first+1)
		}
	}
	sampled.finish(s)
	return failed
}
