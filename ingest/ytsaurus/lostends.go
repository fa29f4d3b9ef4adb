package ytsaurus

import (
	"slices"

	"poolproof/core"
	"poolproof/ingest/reconstruct"
	"poolproof/ingest/trace"
)

// The end of a job may be lost: its row was dropped, or cannot be used. Such a job must
// not count as one that runs on. What shows that it is lost:
//
//   - a row of its end was left out (isBroken);
//   - the last snapshot of its operation shows fewer jobs than are open (loseEnds);
//   - a sample of its node shows less usage than with it (loseContradicted);
//   - the snapshots of its tree stop long before the log does (loseUnseen).

// A holding is what the last snapshot of a tree says that an operation holds.
type holding struct {
	tree  treeID
	at    core.Time
	slots int64
	known int64 // of jobs whose end is recorded, and is later
}

// holds takes in what a snapshot says.
func (o *operation) holds(tree treeID, at core.Time, slots int64) {
	for i := range o.held {
		if h := &o.held[i]; h.tree == tree {
			if at > h.at || at == h.at && slots > h.slots {
				h.at, h.slots = at, slots
			}
			return
		}
	}
	o.held = append(o.held, holding{tree: tree, at: at, slots: slots})
}

// knows takes in a job whose end is recorded.
func (o *operation) knows(tree treeID, p *placedJob) {
	for i := range o.held {
		if h := &o.held[i]; h.tree == tree && p.start <= h.at-lateStart && p.finish.Value > h.at {
			h.known += p.limits.UserSlots
		}
	}
}

func (o *operation) holding(tree treeID) holding {
	for _, h := range o.held {
		if h.tree == tree {
			return h
		}
	}
	return holding{}
}

// lateStart is how long after a job's start a snapshot surely shows it.
const lateStart = 2 * core.Second

// loseEnds says of open jobs that their end is not known, where they cannot all run.
func (p *pairing) loseEnds() {
	type place struct {
		operation guid
		tree      treeID
	}
	open := map[place]int64{}
	for pass := range 2 {
		for i := range p.open {
			j := &p.open[i]
			o := p.operations[j.operation]
			if o == nil {
				continue
			}
			h, at := o.holding(j.tree), place{j.operation, j.tree}
			// The archive may tell the end of an open job, but not its start.
			over := j.finish.Set && j.finish.Value <= h.at
			switch {
			case h.at == 0 || j.start > h.at-lateStart || j.end == "unknown" || over:
			case pass == 0:
				open[at] += j.limits.UserSlots
			case j.end == "running" && open[at]+h.known > h.slots:
				p.loseEnd(&j.placedJob)
			}
		}
	}
}

// An occupancy is how long a job was on its node.
type occupancy struct {
	start, finish core.Time
	limits        trace.Resources
}

// clockUncertainty is by how much the clock of an agent or a node may be off from the scheduler's.
const clockUncertainty = core.Second

// exceeds reports whether jobs use more slots or cores than their node reports, by more than is rounded.
func exceeds(jobs, reported trace.Resources) bool {
	return jobs.UserSlots > reported.UserSlots || jobs.CPUMilli > reported.CPUMilli+reported.CPUMilli/50
}

// loseContradicted says of open jobs that their end is not known, where a sample of their node shows less usage
// than it would have with them: the row of an end is lost. That as many jobs are open as the operation holds proves
// nothing, since the row of a start elsewhere may be lost, too.
func (p *pairing) loseContradicted() error {
	open := map[string][]*openJob{}
	for i := range p.open {
		if j := &p.open[i]; j.end == "running" && !j.finish.Set && p.rooms[j.address] != nil {
			open[j.address] = append(open[j.address], j)
		}
	}
	var sample nodeSample
	for _, tree := range sortedKeys(p.treeIDs) {
		scan := p.sorter.Scan(prefixOf(nodeRecords, p.treeIDs[tree]))
		for scan.Next() {
			if nodeSamples.decode(scan.Record(), &sample, p.names); sample.undescribed || !sample.online || len(open[sample.address]) == 0 {
				continue
			}
			var used trace.Resources
			for _, s := range p.rooms[sample.address].stays {
				if s.start <= sample.time-clockUncertainty && s.finish > sample.time+clockUncertainty {
					used = reconstruct.Plus(used, s.limits, 1)
				}
			}
			early := func(j *openJob) bool { return j.start <= sample.time-clockUncertainty }
			for _, j := range open[sample.address] {
				if early(j) {
					used = reconstruct.Plus(used, j.limits, 1)
				}
			}
			if !exceeds(used, sample.usage) {
				continue
			}
			for _, j := range open[sample.address] {
				if early(j) && j.end == "running" {
					p.losesJobEnds = true
					p.loseEnd(&j.placedJob)
				}
			}
			open[sample.address] = slices.DeleteFunc(open[sample.address], early)
		}
		if err := scan.Err(); err != nil {
			return err
		}
	}
	return nil
}

// loseUnseen says of open jobs that their end is not known, where the log goes on long after the last snapshot of
// their tree: rows are lost, and those of ends may be among them.
func (p *pairing) loseUnseen() {
	end := p.last
	if to := p.options.To; to != 0 {
		end = min(end, to) // snapshots after the window are not read
	}
	seenUntil := map[treeID]core.Time{} // of the trees whose snapshots stop
	for tree, s := range p.snapped {
		if s.stopsBefore(end) {
			seenUntil[tree] = s.last() + s.period()
		}
	}
	for i := range p.open {
		j := &p.open[i]
		if until, stops := seenUntil[j.tree]; stops && j.end == "running" && !j.finish.Set && j.start <= until {
			p.losesJobEnds = true
			p.loseEnd(&j.placedJob)
		}
	}
}

// snapshotTimes are when snapshots of a tree were taken.
type snapshotTimes map[core.Time]bool

func (s snapshotTimes) last() (last core.Time) {
	for at := range s {
		last = max(last, at)
	}
	return last
}

// period is the time from one snapshot to the next, as a rule.
func (s snapshotTimes) period() core.Time {
	last := s.last()
	first := last
	for at := range s {
		first = min(first, at)
	}
	return (last - first) / core.Time(max(len(s)-1, 1))
}

// stopsBefore reports whether snapshots are missing at the end of a log that goes on until a moment.
func (s snapshotTimes) stopsBefore(end core.Time) bool {
	return len(s) >= 3 && end-s.last() > missedSnapshots*s.period()
}

// missedSnapshots in a row are no accident.
const missedSnapshots = 3

func (a *assembly) loseEnd(j *placedJob) {
	a.losesJobRows = true
	j.end = "unknown"
	a.problems.Note(wholeLog, -1, "job_id", startOnly, j.job.String())
}

// keepBroken keeps that a row of a job's end was left out.
func (l *loader) keepBroken(job guid) {
	l.rec.begin(brokenRecords, noTree)
	l.rec.guid(job)
	l.keep()
}

// isBroken reports whether a row of a job's end was left out. Jobs are asked for in
// their order.
func (p *pairing) isBroken(job guid) bool {
	for ; p.broken != nil; p.nextBroken() {
		if c := compareGUIDs(*p.broken, job); c >= 0 {
			return c == 0
		}
	}
	return false
}

func (p *pairing) nextBroken() {
	p.broken = nil
	if p.brokenScan.Next() {
		d := decode(p.brokenScan.Record())
		g := d.guid()
		p.broken = &g
	}
}

// surelyGone is how many snapshots must lack an operation that is over: the rows of
// some may be lost.
const surelyGone = 2

// endOperations ends operations without a row of their end, where snapshots no longer show them
// in any tree. How they ended is not known.
func (a *assembly) endOperations() {
	for id, o := range a.operations {
		if o.end.time != 0 {
			continue
		}
		var gone core.Time
		for _, t := range a.byTree {
			if t == nil || t.lives[id] == nil {
				continue
			}
			since, ok := t.goneSince(t.lives[id])
			if !ok {
				gone = 0
				break
			}
			gone = max(gone, since)
		}
		if gone != 0 {
			o.end = operationEnd{row: gone, time: gone, event: operationAborted, lost: true}
			a.problems.Note(wholeLog, -1, "operation_id", unknownEnd, o.id.String())
		}
	}
}

// goneSince returns the first snapshot that no longer shows an operation, and false if
// it may still be there: one that never ran may wait for its turn, which not every
// snapshot shows.
func (t *treeAssembly) goneSince(l *life) (core.Time, bool) {
	if l.first == 0 && len(l.materialized) == 0 && l.firstJob == 0 {
		return 0, false
	}
	last := max(l.last, l.startOf(), l.lastSeen)
	i, _ := slices.BinarySearch(t.snapshots, last+1)
	if i+surelyGone > len(t.snapshots) {
		return 0, false
	}
	return t.snapshots[i], true
}

// losesOperations reports whether the start, the end or the trees of some operation are not
// recorded: the log has no rows of operations, or has lost some.
func (a *assembly) losesOperations() bool {
	if a.counts[operationStarted]+a.counts[operationCompleted]+a.counts[operationFailed]+a.counts[operationAborted] == 0 {
		return len(a.operations) > 0
	}
	for _, o := range a.operations {
		if o.start == 0 && o.startRow == 0 || o.end.lost || a.mayWait(o) {
			return true
		}
	}
	for _, t := range a.byTree {
		if t == nil {
			continue
		}
		for _, l := range t.lives {
			if l.end.time == 0 && t.isMissed(l) {
				return true
			}
		}
	}
	return false
}

// mayWait reports whether an operation asks for a tree where nothing shows it, and no row records
// whether it got it: in logs before June 2022 a pending operation is seen in the default tree
// only (ingest/trace/FORMAT.md §1.9). One that nothing shows anywhere may wait in any tree.
func (a *assembly) mayWait(o *operation) bool {
	if slices.ContainsFunc(o.trees, func(t operationTree) bool { return t.pool != "" || t.lastPool != "" || t.options.Set }) {
		return false
	}
	if !slices.ContainsFunc(a.byTree, func(t *treeAssembly) bool { return t != nil && t.lives[o.id] != nil }) {
		return true
	}
	return slices.ContainsFunc(o.specTrees, func(tree treeID) bool {
		t := a.byTree[tree]
		return t != nil && t.lives[o.id] == nil
	})
}

// isMissed reports whether a snapshot of the tree lacks an operation that one before it
// has, though it may be there again.
func (t *treeAssembly) isMissed(l *life) bool {
	n := len(t.snapshots)
	return l.first != 0 && n > 0 && t.snapshots[n-1] > max(l.last, l.lastSeen)
}

// unseen is how much earlier than its operation a job may have ended, in an age that
// writes no row of jobs that end with their operation. An operation completes once its
// jobs have, so that a job without an end was aborted then, as a copy of another, or the
// row of its end is lost. Others abort their jobs: those had ended only if the scheduler
// was disconnected meanwhile, which may have cost the row.
func (t *treeAssembly) unseen(j *placedJob) core.Time {
	if !j.finish.Set || j.end != endWords[jobAborted] || !endsWithOperation(j.reason) || !t.endsSilently() {
		return 0
	}
	if j.reason == abortedBy[operationCompleted] {
		return j.finish.Value - j.start
	}
	for _, p := range t.processes { // in the order of time
		if p.event == masterDisconnected && p.time < j.finish.Value && t.connectedAfter(p.time) > j.start {
			return j.finish.Value - max(p.time, j.start)
		}
	}
	return 0
}

// connectedAfter is when the scheduler was connected again after a moment.
func (a *assembly) connectedAfter(at core.Time) core.Time {
	for _, p := range a.processes {
		if p.time > at && (p.event == masterConnected || p.event == schedulerStarted) {
			return p.time
		}
	}
	return never
}
