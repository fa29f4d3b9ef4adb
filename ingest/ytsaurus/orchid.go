package ytsaurus

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
	"poolproof/ingest/yson"
)

// An Orchid dump is what the scheduler says of itself at a moment: the shares of pools and
// operations, as in rows of fair_share_info, and the nodes, as in those of nodes_info
// (ingest/trace/FORMAT.md §1.7). Dumps count where the log has no such rows.

// A dump is one that was read.
type dump struct {
	path string
	at   core.Time
	row  *row
}

// orchids takes in dumps, after all rows, which count first.
func (r *reading) orchids(given []Export) error {
	var dumps []dump
	for _, e := range given {
		d, err := r.orchid(e)
		if err != nil {
			return err
		}
		dumps = append(dumps, d)
	}
	slices.SortStableFunc(dumps, func(a, b dump) int { return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.path, b.path)) })
	for _, d := range dumps {
		r.source, r.index, r.at = d.path, 0, d.at
		if d.at < r.first-dumpGap || d.at > r.last || r.options.To != 0 && d.at >= r.options.To {
			r.note("", dumpOutside, formatTime(d.at))
			continue
		}
		r.dumped = append(r.dumped, d.at)
		if !r.dumpOf(d.row.root()) {
			return &parquetlog.FormatError{File: d.path, Found: "it holds neither pools and operations of a tree nor nodes", Advice: orchidAdvice}
		}
	}
	return r.err
}

const orchidAdvice = `Write it as {"timestamp": TIME, "pool_trees": {TREE: {"pools": …, "operations": …}}, "nodes": …}; the README has the commands.`

// orchid reads a dump.
func (r *reading) orchid(e Export) (dump, error) {
	d := dump{e.Path, e.At, &row{}}
	s, err := r.open(e.Path)
	if err != nil {
		return d, err
	}
	defer s.close()
	most := atOnce(maxRow, r.budget)
	b, err := io.ReadAll(io.LimitReader(s.in, int64(most)+1))
	if err != nil {
		return d, err
	}
	if len(b) > most && most < maxRow {
		return d, tooMuch(e.Path, most)
	}
	if len(b) > maxRow {
		return d, &parquetlog.FormatError{File: e.Path, Found: fmt.Sprintf("it has more than %d MiB", maxRow>>20), Advice: orchidAdvice}
	}
	if err := parseDocument(b, d.row); err != nil {
		return d, &parquetlog.FormatError{File: e.Path, Found: "it is not an Orchid dump: " + err.Error(), Advice: orchidAdvice, Err: err}
	}
	if d.at == 0 {
		at, ok := d.row.root().get(keyTimestamp).time()
		if !ok {
			return d, &parquetlog.FormatError{File: e.Path, Found: "nothing says when it was taken", Advice: "Give FILE@TIME, or a key timestamp in it."}
		}
		d.at = at
	}
	source := trace.Source{Path: e.Path, Kind: "yt_orchid", Rows: 1, First: d.at, Last: d.at}
	if source.SHA256, err = s.file.Digest(); err != nil {
		return d, err
	}
	r.sources = append(r.sources, source)
	r.before += s.file.Stored()
	return d, nil
}

// parseDocument reads a map of JSON or YSON, with all that is in it.
func parseDocument(b []byte, r *row) error {
	form := KindJSON
	if body := strings.TrimLeft(string(b[:min(len(b), headBytes)]), " \t\r\n"); len(body) > 0 {
		if body[0] == '<' || len(body) > 1 && body[1] < ' ' && !isSpace(body[1]) {
			form = KindYSON
		} else if k := kindOfMap([]byte(body)); k != "" {
			form = k
		}
	}
	if form == KindJSON {
		p := jsonReader{document: true}
		return p.read(b, r)
	}
	p := ysonReader{document: true}
	var in yson.Decoder
	in.Reset(b)
	err := p.read(&in, r)
	if err == nil && len(r.values) == 0 {
		return &rowError{0, "it is empty"}
	}
	return err
}

// dumpOf takes in a dump: trees by name, or one, below any of the paths that it may be
// taken from. It reports whether there is anything in it.
func (l *loader) dumpOf(c cursor) (found bool) {
	if below := c.get(keyScheduler); below.kind() == mapping {
		return l.dumpOf(below)
	}
	trees := c.get(keyPoolTrees)
	for t := range trees.children {
		found = l.dumpedTree(t.name(), t) || found
	}
	if trees.kind() != mapping {
		if found = l.dumpedTree(nil, c); !found {
			for t := range c.children {
				found = l.dumpedTree(t.name(), t) || found
			}
		}
	}
	nodes := c.get(keyNodes)
	if nodes.kind() != mapping && !found && isNodes(c) {
		nodes = c
	}
	if nodes.kind() == mapping {
		found = true
		if l.counts[nodesInfo] == 0 {
			l.nodes(nil, nodes)
		}
	}
	return found
}

// isNodes reports whether a map is one of nodes.
func isNodes(c cursor) bool {
	for n := range c.children {
		return !n.get(keyLimits).isNull() && (!n.get(keyTags).isNull() || !n.get(keySchedulerState).isNull())
	}
	return false
}

// dumpedTree takes in what a dump says of a tree. Name may be nil if there is only one.
func (l *loader) dumpedTree(name []byte, c cursor) (found bool) {
	if below := c.get(keyFairShareInfo); below.kind() == mapping {
		c = below
	}
	s := snapshotParts{pools: c.get(keyPools), operations: c.get(keyOperations), distribution: c.get(keyDistribution), dumped: true}
	if s.pools.kind() != mapping && s.operations.kind() != mapping {
		return false
	}
	tree := noTree
	switch {
	case usable(name):
		tree = l.tree(name)
	case len(l.trees) == 2:
		tree = 1
	}
	if tree == noTree {
		l.err = &parquetlog.FormatError{File: l.source, Found: "it does not name its tree, and there are several", Advice: orchidAdvice}
		return true
	}
	if l.snapped[tree] == nil {
		l.snapshotOf(tree, nil, s)
	}
	return true
}

// isDump reports whether a text begins as an Orchid dump does. It may end anywhere.
func isDump(head []byte) bool {
	var r row
	err := parseDocument(head, &r)
	if len(r.values) == 0 {
		return false
	}
	c := r.root()
	if !c.get(keyEventType).isNull() || !c.get(keyTree).isNull() {
		return false
	}
	if hasTree(c) && (err == nil || c.get(keyFairShareInfo).kind() == mapping) || c.get(keyPoolTrees).kind() == mapping ||
		c.get(keyScheduler).get(keyPoolTrees).kind() == mapping || isNodes(c) || isNodes(c.get(keyNodes)) {
		return true
	}
	for t := range c.children {
		if k := t.key(); k != keyPools && k != keyOperations && hasTree(t) {
			return true
		}
	}
	return false
}

// hasTree reports whether a map is of what a tree is.
func hasTree(c cursor) bool {
	return c.get(keyPools).kind() == mapping || c.get(keyOperations).kind() == mapping || c.get(keyFairShareInfo).kind() == mapping
}

// dumpGap is how far apart dumps may be that stand for the rows of snapshots.
const dumpGap = 60 * core.Second

// densely reports whether dumps stand for the rows of snapshots, from the beginning of the
// log to its end.
func (l *loader) densely() bool {
	if len(l.dumped) == 0 {
		return false
	}
	before := l.first
	for _, at := range append(slices.Clone(l.dumped), l.last) {
		if at-before > dumpGap {
			return false
		}
		before = at
	}
	return true
}
