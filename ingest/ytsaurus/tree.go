package ytsaurus

import (
	"cmp"
	"fmt"
	"slices"

	"poolproof/core"
	"poolproof/ingest/reconstruct"
	"poolproof/ingest/trace"
)

// A treeAssembly is what is known of one tree before its tables are written.
type treeAssembly struct {
	*assembly
	id           treeID
	name         string
	out          *trace.TreeWriter
	pools        map[string]*treePool
	parents      map[string]parentRuns // of pools, by their name
	kinds        map[string]kindRuns   // of pools, by their name
	contradicted map[string]bool       // pools whose recorded parents cannot be
	lives        map[guid]*life        // of the operations that the tree has
	snapshots    []core.Time           // of the tree as a whole, in order
	exported     bool
	configured   bool                   // an export has its configuration
	endings      map[string][]core.Time // of operations, by the pool that they began in
	quiet        *reconstruct.Interruptions
}

// A treePool is a pool of the tree.
type treePool struct {
	seen      core.Span
	ephemeral bool
	versions  []poolVersion // in the order of time
}

// A life is what snapshots say of an operation in the course of time.
type life struct {
	*operation
	sights  []sighting // each unlike the one before
	first   core.Time  // snapshot that has it; 0 without any
	last    core.Time
	waiting core.Time // the last snapshot that says it does not run, or lacks it before the first; 0 for none
	served  core.Time // the first snapshot after that; 0 for none
	queued  bool      // a snapshot shows it disabled
	role    treeRole  // as the first snapshot records it
}

// A sighting is where and how an operation stands from a snapshot on.
type sighting struct {
	time   core.Time
	pool   string
	weight core.Optional[float64]
}

// notRunning are the source's words for an operation that waits for its turn
// (ingest/trace/FORMAT.md §1.3).
var notRunning = []string{"is_not_running", "pending"}

// surveyTrees finds out which trees there are, and what each holds.
func (a *assembly) surveyTrees() error {
	a.byTree = make([]*treeAssembly, len(a.trees))
	if a.exporting != nil {
		for _, v := range a.exporting.versions {
			for i := range v.document.Trees {
				exported := &v.document.Trees[i]
				t := a.open(a.tree([]byte(exported.Name)))
				t.exported, t.configured = true, t.configured || !exported.Bare
			}
		}
	}
	for _, p := range a.placed.Prefixes() {
		a.open(treeID(p[1])<<16 | treeID(p[2])<<8 | treeID(p[3]))
	}
	a.openDescribed()
	a.settleFallback()
	for _, t := range a.byTree {
		if t == nil {
			continue
		}
		if err := t.surveySnapshots(); err != nil {
			return err
		}
		if err := t.surveyParents(); err != nil {
			return err
		}
		t.dropContradictions()
	}
	a.joinOperations()
	a.endOperations()
	for name, s := range a.poolSights {
		if t := a.byTree[name.tree]; t != nil {
			t.pool(name.name, core.Span{From: s.first, To: s.last}).ephemeral = t.isEphemeral(name.name, s)
		}
	}
	began := a.first
	for _, o := range a.operations {
		if start := cmp.Or(o.start, o.startRow, o.seen); start < began {
			began = start
		}
	}
	if a.earliestJob != 0 {
		began = min(began, a.earliestJob)
	}
	a.began = began
	for _, t := range a.byTree {
		if t == nil {
			continue
		}
		if err := t.surveyPools(); err != nil {
			return err
		}
	}
	return nil
}

// openDescribed opens the trees that rows of nodes, configurations and snapshots name. A tree without nodes, jobs and
// configuration that no export has, though there is one, is a damaged name of a snapshot.
func (a *assembly) openDescribed() {
	var snapped []treeID
	nodes := false
	for _, p := range a.sorter.Prefixes() {
		tree := treeID(p[1])<<16 | treeID(p[2])<<8 | treeID(p[3])
		switch c := class(p[0]); {
		case tree == noTree:
		case c == snapshotRecords:
			snapped = append(snapped, tree)
		case c == nodeRecords || c == configRecords:
			nodes = nodes || c == nodeRecords
			a.open(tree)
		}
	}
	for _, tree := range snapped {
		if a.byTree[tree] == nil && nodes && a.exporting != nil {
			a.problems.Note(wholeLog, -1, "tree_id", strayTree, a.trees[tree])
			continue
		}
		a.open(tree)
	}
}

// open returns the assembly of a tree.
func (a *assembly) open(id treeID) *treeAssembly {
	for int(id) >= len(a.byTree) {
		a.byTree = append(a.byTree, nil)
	}
	if a.byTree[id] == nil {
		a.byTree[id] = &treeAssembly{
			assembly: a, id: id, name: a.trees[id], pools: map[string]*treePool{}, parents: map[string]parentRuns{},
			kinds: map[string]kindRuns{}, lives: map[guid]*life{},
		}
	}
	return a.byTree[id]
}

// pool returns a pool of the tree that is seen during a span.
func (t *treeAssembly) pool(name string, seen core.Span) *treePool {
	p := t.pools[name]
	if p == nil {
		p = &treePool{seen: seen}
		t.pools[name] = p
	}
	p.seen = core.Span{From: min(p.seen.From, seen.From), To: max(p.seen.To, seen.To)}
	return p
}

// settleFallback finds the tree of what names none: the default tree of the
// exports, or the only one.
func (a *assembly) settleFallback() {
	if a.exporting != nil && a.exporting.defaultTree != "" {
		a.fallback = a.treeIDs[a.exporting.defaultTree]
		return
	}
	only := noTree
	for id, t := range a.byTree {
		switch {
		case t == nil:
		case only != noTree:
			return
		default:
			only = treeID(id)
		}
	}
	a.fallback = only
}

// surveySnapshots reads what snapshots say of operations and of the parents of pools.
func (t *treeAssembly) surveySnapshots() error {
	scan := t.sorter.Scan(prefixOf(snapshotRecords, t.id))
	var x element
	var now snapshotRows
	var before core.Time // of the last whole snapshot before this one
	incomplete := 0
	finish := func() {
		switch {
		case now.lacksOperations() && !slices.Contains(t.dumped, now.at):
			incomplete++
			return
		case now.root:
			t.snapshots = append(t.snapshots, now.at)
		}
		before = now.at
	}
	for n := 0; scan.Next(); n++ {
		if n%progressRows == 0 {
			if err := t.ctx.Err(); err != nil {
				return err
			}
		}
		d := decode(scan.Record())
		at := d.time()
		if at != now.at {
			finish()
			now = snapshotRows{at: at, lacking: map[string]int64{}}
		}
		d.name()
		switch d.byte() {
		case rootPart:
			var root rootElement
			rootElements.take(&d, &root, t.names)
			now.root = true
			now.lacking[rootPool] += root.own.Value
			continue
		case distributionPart:
			continue
		case poolPart:
			x = element{pool: t.names.of(d.name())}
			elements.take(&d, &x, t.names)
			t.surveyPool(&x, at)
			now.lacking[x.pool] += x.own.Value
			continue
		}
		id := d.guid()
		x = element{pool: t.names.of(d.text())}
		elements.take(&d, &x, t.names)
		now.lacking[x.pool]--
		l := t.life(id)
		if l == nil {
			continue
		}
		if l.first == 0 {
			l.first, l.waiting, l.role = at, before, x.treeRole
		}
		l.last = at
		if x.waits() {
			l.waiting, l.served = at, 0
			l.queued = l.queued || x.isDisabled()
		} else if l.served == 0 {
			l.served = at
		}
		s := sighting{at, x.pool, x.weight}
		if k := len(l.sights); k == 0 || l.sights[k-1].pool != s.pool || l.sights[k-1].weight != s.weight {
			l.sights = append(l.sights, s)
		}
	}
	finish()
	if incomplete > 0 {
		t.problems.Note(wholeLog, -1, "operations", incompleteSnapshots, fmt.Sprintf("%s: %d of %d", t.name, incomplete, incomplete+len(t.snapshots)))
	}
	return scan.Err()
}

// snapshotRows are the records of a snapshot.
type snapshotRows struct {
	at      core.Time
	root    bool
	lacking map[string]int64 // by pool: how many operations it counts of which there is no record
}

// lacksOperations reports whether the snapshot has fewer records of operations than its pools count: the rows of
// operations are by far the largest, and the first to be lost. It does not show that an operation waits or is gone.
func (s *snapshotRows) lacksOperations() bool {
	for _, n := range s.lacking {
		if n > 0 {
			return true
		}
	}
	return false
}

// surveyPool takes what a snapshot says of a pool's parent and of whether it is ephemeral.
func (t *treeAssembly) surveyPool(x *element, at core.Time) {
	if x.parent != "" {
		runs := t.parents[x.pool]
		runs.above(x.parent, at)
		t.parents[x.pool] = runs
	}
	if x.ephemeral.Set {
		runs := t.kinds[x.pool]
		runs.add(x, at)
		t.kinds[x.pool] = runs
	}
}

// life returns an operation's life in the tree.
func (t *treeAssembly) life(id guid) *life {
	l := t.lives[id]
	if l == nil {
		o := t.operations[id]
		if o == nil {
			return nil
		}
		l = &life{operation: o}
		t.lives[id] = l
	}
	return l
}

// joinOperations says which operations each tree has: those that rows, jobs or
// snapshots show in it, and where nothing does those that stood in its default
// pool or asked for it.
func (a *assembly) joinOperations() {
	for id, o := range a.operations {
		for i := range o.trees {
			if t := a.byTree[o.trees[i].tree]; t != nil {
				t.life(id)
			}
		}
		if (o.pool != "" || o.lastPool != "") && a.fallback != noTree {
			a.byTree[a.fallback].life(id)
			continue
		}
		if len(o.trees) > 0 {
			continue
		}
		for _, tree := range o.specTrees {
			if t := a.byTree[tree]; t != nil {
				t.life(id)
			}
		}
	}
}

// startOf is when an operation began: what a row says, or the first that the
// log shows of it.
func (o *operation) startOf() core.Time { return cmp.Or(o.start, o.startRow, o.seen) }

// poolAtStart is the pool that the operation began in, "" if the log does not record it. Its
// user's own would be a guess, and rules of placement would accuse by it.
func (t *treeAssembly) poolAtStart(l *life) string {
	in := &operationTree{}
	if i := slices.IndexFunc(l.trees, func(in operationTree) bool { return in.tree == t.id }); i >= 0 {
		in = &l.trees[i]
	}
	first, seen, last := in.pool, "", cmp.Or(in.lastPool, in.options.Value.pool)
	if t.id == t.fallback {
		first, last = cmp.Or(first, l.pool), cmp.Or(last, l.lastPool)
	}
	if len(l.sights) > 0 {
		seen = l.sights[0].pool
	}
	return cmp.Or(first, seen, last)
}

// write writes the tree's tables.
func (t *treeAssembly) write() error {
	steps := []func() error{t.writeTreeConfigs, t.writePoolConfigs, t.writeNodeStates, t.writeOperationEvents, t.writeDemand, t.writeHeartbeats, t.findInterruptions, t.writeJobs, t.writeSnapshots, t.writeAccumulated}
	for _, step := range steps {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (t *treeAssembly) stamp(at core.Time) trace.Stamp {
	return trace.Stamp{Time: at, Seq: t.out.NextSeq()}
}

func (a *assembly) writeTrees() error {
	for _, id := range a.published {
		t := a.byTree[id]
		t.out = a.writer.Tree(t.name)
		if err := t.write(); err != nil {
			return err
		}
	}
	return nil
}
