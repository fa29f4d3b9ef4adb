package ytsaurus

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/ingest/extsort"
	"poolproof/ingest/trace"
)

// writeNodeStates writes what the tree's nodes were, and when they joined and
// left.
func (t *treeAssembly) writeNodeStates() error {
	spans, err := t.undescribedSpans()
	if err != nil {
		return err
	}
	all := t.describedStates()
	for i := range spans {
		all = append(all, t.undescribedStates(&spans[i])...)
	}
	slices.SortStableFunc(all, func(a, b trace.NodeState) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Node, b.Node))
	})
	for i := range all {
		all[i].Stamp = t.stamp(all[i].Time)
		if err := t.out.Add(&all[i]); err != nil {
			return err
		}
	}
	return nil
}

// describedStates are what samples say of the tree's nodes.
func (t *treeAssembly) describedStates() (all []trace.NodeState) {
	for _, n := range t.nodeList {
		before := noTree
		for i, s := range n.states {
			at := s.time
			if i == 0 {
				at = n.presentFrom(t.began)
			}
			switch {
			case s.tree == t.id:
				all = append(all, s.row(n, trace.Stamp{Time: at}))
			case before == t.id && s.tree != noTree:
				gone := n.states[i-1]
				gone.online = false
				all = append(all, gone.row(n, trace.Stamp{Time: at}))
			}
			before = s.tree
		}
	}
	return all
}

func (s *nodeState) row(n *node, at trace.Stamp) trace.NodeState {
	return trace.NodeState{
		Stamp: at, Node: n.number, Online: s.online, Limit: s.limits, Tags: s.tags, DataCenter: optionalText(s.dataCenter),
		InfinibandCluster: optionalText(s.infiniband), SchedulingSegment: optionalText(s.segment), Source: "nodes_info",
	}
}

// writeTreeless writes nodes while they belong to no tree.
func (a *assembly) writeTreeless(stamp func(core.Time) trace.Stamp) error {
	type entry struct {
		node *node
		nodeState
	}
	var all []entry
	for _, n := range a.nodeList {
		for _, s := range n.states {
			if s.tree == noTree {
				all = append(all, entry{n, s})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.node.number, b.node.number))
	})
	for i := range all {
		row := all[i].row(all[i].node, stamp(all[i].time))
		if err := a.writer.Add(&row); err != nil {
			return err
		}
	}
	return nil
}

// writeClusterConfig writes which trees there are.
func (a *assembly) writeClusterConfig(stamp func(core.Time) trace.Stamp) error {
	if a.exporting == nil {
		return nil
	}
	var last string
	exported := map[string]bool{}
	for i, v := range a.exporting.versions {
		trees := ""
		names := make([]string, 0, len(v.document.Trees))
		for j := range v.document.Trees {
			names = append(names, v.document.Trees[j].Name)
			exported[v.document.Trees[j].Name] = true
		}
		for _, id := range a.published { // an export that is older than a tree does not show that the tree is gone
			if name := a.trees[id]; !exported[name] {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for j, name := range names {
			if j > 0 {
				trees += ","
			}
			trees += name
		}
		if key := trees + "\x00" + v.document.DefaultTree; key == last {
			continue
		} else {
			last = key
		}
		at := max(v.at, a.began)
		if i == 0 {
			at = a.began
		}
		if err := a.writer.Add(&trace.ClusterConfig{Stamp: stamp(at), DefaultTree: optionalText(v.document.DefaultTree), Trees: trees}); err != nil {
			return err
		}
	}
	return nil
}

// writeDemand writes what each snapshot says that operations could use beyond
// their usage. A start lowers that, so a row is written where the number changed
// or a job started since.
func (t *treeAssembly) writeDemand() error {
	type wish struct {
		needed, least trace.Resources
		known         bool
		starts        int64
	}
	wishes := map[core.OperationID]*wish{}
	started := map[guid]int64{}
	jobs := t.readJobs()
	jobs.next()
	scan := t.sorter.Scan(prefixOf(snapshotRecords, t.id))
	var x element
	for n := 0; scan.Next(); n++ {
		if n%progressRows == 0 {
			if err := t.ctx.Err(); err != nil {
				return err
			}
		}
		d := decode(scan.Record())
		at := d.time()
		d.name()
		if d.byte() != operationPart {
			continue
		}
		for jobs.ok && jobs.job.start <= at {
			started[jobs.job.operation]++
			jobs.next()
		}
		id := d.guid()
		x = element{pool: t.names.of(d.text())}
		elements.take(&d, &x, t.names)
		l := t.lives[id]
		if l == nil || x.isDisabled() { // what it will demand is not recorded yet
			continue
		}
		w := wishes[l.number]
		if w == nil {
			w = &wish{}
			wishes[l.number] = w
		}
		needed, least := minus(x.demand, x.usage), x.minNeeded.Or(trace.Resources{})
		if w.known && needed == w.needed && least == w.least && started[id] == w.starts {
			continue
		}
		*w = wish{needed, least, true, started[id]}
		row := trace.Demand{Stamp: t.stamp(at), Op: l.number, Needed: needed, Source: "snapshot"}
		if x.minNeeded.Set && needed != (trace.Resources{}) {
			row.MinNeeded = x.minNeeded
		}
		if err := t.out.Add(&row); err != nil {
			return err
		}
	}
	return cmp.Or(scan.Err(), jobs.scan.Err())
}

// minus returns a − b, nowhere below zero.
func minus(a, b trace.Resources) trace.Resources {
	return trace.Resources{
		UserSlots: max(a.UserSlots-b.UserSlots, 0), CPUMilli: max(a.CPUMilli-b.CPUMilli, 0), GPU: max(a.GPU-b.GPU, 0),
		Memory: max(a.Memory-b.Memory, 0), Network: max(a.Network-b.Network, 0),
	}
}

// A jobReader hands out the tree's jobs in the order of their start.
type jobReader struct {
	*treeAssembly
	scan *extsort.Scan
	job  placedJob
	ok   bool
}

// readJobs reads the tree's jobs from the first.
func (t *treeAssembly) readJobs() jobReader {
	return jobReader{treeAssembly: t, scan: t.placed.Scan(prefixOf(placedRecords, t.id))}
}

func (r *jobReader) next() {
	if r.ok = r.scan.Next(); r.ok {
		placedJobs.decode(r.scan.Record(), &r.job, r.names)
		r.leave(&r.job)
	}
}

// leave ends a job whose operation was erased from the tree, in an age that writes no
// row of such ends.
func (t *treeAssembly) leave(j *placedJob) {
	l := t.lives[j.operation]
	if j.finish.Set || l == nil || !t.endsSilently() {
		return
	}
	if at, erased := t.erasedAt(l); erased && at > j.start {
		j.finish, j.end, j.reason = core.Some(at), endWords[jobAborted], erasedFromTree
	}
}

// erasedFromTree is why jobs are aborted whose operation leaves the tree.
const erasedFromTree = "operation_erased_from_tree"

// writeJobs writes the tree's jobs.
func (t *treeAssembly) writeJobs() error {
	jobs := t.readJobs()
	for n := 0; ; n++ {
		if jobs.next(); !jobs.ok {
			return jobs.scan.Err()
		}
		if n%progressRows == 0 {
			if err := t.ctx.Err(); err != nil {
				return err
			}
		}
		j := &jobs.job
		l := t.lives[j.operation]
		row := trace.Job{
			Stamp: t.stamp(j.start), Job: t.nextJob, ID: j.job.String(), Op: l.number, Node: t.nodeNumber(j.address),
			Type: optionalText(j.kind), Limits: j.limits, StartedLogged: j.startLogged, FinishTime: j.finish, EndKind: j.end,
			Competition: optionalText(j.competition), PredecessorType: optionalText(j.predecessorOf),
			InterruptionReason: optionalText(j.interruption), Explanation: optionalText(j.explanation),
		}
		t.nextJob++
		if j.startsWithin > 0 {
			row.StartUncertaintyUS = core.Some(int64(j.startsWithin))
		}
		if early := max(t.quiet.Early(row.ID), t.unseen(j)); early > 0 {
			row.ReleaseUncertainty = core.Some(int64(early))
		}
		if j.end == endWords[jobAborted] {
			row.AbortReason = optionalText(j.reason)
		} else if j.reason != "" && !row.InterruptionReason.Set {
			row.InterruptionReason = optionalText(j.reason)
		}
		if j.predecessor != (guid{}) {
			row.PredecessorJob = core.Some(j.predecessor.String())
		}
		if j.allocation != (guid{}) && j.allocation != j.job {
			row.AllocationID = core.Some(j.allocation.String())
		}
		t.writePreemption(&row, j)
		if j.end == "unknown" {
			row.FinishTime = core.Optional[core.Time]{} // at the latest: it may have ended at any time before
		} else if j.finish.Set {
			row.TotalTimeMS = core.Some(int64(j.finish.Value-j.start) / 1000)
		}
		if err := t.out.Add(&row); err != nil {
			return err
		}
	}
}

// writePreemption fills in for whom a job was preempted and, where the row of that job tells, when.
func (t *treeAssembly) writePreemption(row *trace.Job, j *placedJob) {
	if j.forJob == (guid{}) && j.forOperation == (guid{}) {
		return
	}
	if j.forJob != (guid{}) {
		row.PreemptedForJob = core.Some(j.forJob.String())
	}
	known := t.preempted[j.job]
	if known.job != j.forJob {
		known = preempted{}
	}
	if o := t.operations[j.forOperation]; o != nil && !known.contradicts {
		row.PreemptedFor = core.Some(o.number)
	}
	if at := known.at; at.Set && j.finish.Set && j.start <= at.Value && at.Value <= j.finish.Value {
		row.PreemptTime = at
	}
}

func (t *treeAssembly) nodeNumber(address string) core.NodeID {
	if n := t.nodes[address]; n != nil && address != "" {
		return n.number
	}
	return core.Unknown
}

// A usageReport holds what an operation used and was due since the report before.
type usageReport struct {
	time          core.Time
	operation     guid
	ends          bool // its end reports it, and nothing of other operations
	pool          string
	volume        trace.Volume
	fair, deficit core.Optional[trace.Volume]
}

var usageReports = layoutOf[usageReport]()

// writeAccumulated writes what operations used between the rows that record it.
func (t *treeAssembly) writeAccumulated() error {
	scan := t.sorter.Scan(prefixOf(accumulatedRecords, t.id))
	var now, before core.Time // of the last two reports of all operations
	var r usageReport
	for scan.Next() {
		if usageReports.decode(scan.Record(), &r, t.names); r.time != now && !r.ends {
			now, before = r.time, now
		}
		l := t.lives[r.operation]
		number := t.poolNumber(r.pool)
		if l == nil || !number.Set {
			continue
		}
		row := trace.Accumulated{Stamp: t.stamp(r.time), Op: l.number, Pool: number.Value, Volume: r.volume, Fair: r.fair, Deficit: r.deficit}
		since := before
		if r.ends {
			since = now
		}
		if since != 0 && since < r.time {
			row.Since = core.Some(since)
		}
		if err := t.out.Add(&row); err != nil {
			return err
		}
	}
	return scan.Err()
}
