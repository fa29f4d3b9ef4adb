package ytsaurus

import (
	"bytes"
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/ingest/extsort"
	"poolproof/ingest/trace"
)

// lookahead is how long after its start a job's end is waited for: the log records ends when they
// come (ingest/trace/FORMAT.md §1.8, §4.2).
const lookahead = 10 * 3600 * core.Second

// A placedJob is a whole job: what its rows say together.
type placedJob struct {
	start                      core.Time
	place                      rowPlace // of the row of its start, by which jobs of one instant are sorted; noPlace where that tells no order
	job                        guid
	startsWithin               core.Time // how much later it may have started
	operation                  guid
	address, kind              string
	limits                     trace.Resources
	startLogged                bool
	finish                     core.Optional[core.Time]
	end                        string
	reason, interruption       string
	forJob, forOperation       guid
	allocation, predecessor    guid
	competition, predecessorOf string
	explanation                string `record:"long"`
}

var placedJobs = layoutOf[placedJob]()

// A pairing joins the rows of jobs.
type pairing struct {
	*assembly
	starts, ends []jobRow // of the job under way, in the order of time
	archived     *jobRow  // what the archive says of it; nil if nothing
	victims      victims
	brokenScan   *extsort.Scan
	broken       *guid // the next of brokenScan
	job          guid
	any          bool
	leftOut      bool // a row of its end was, here
	open         []openJob
	described    map[string]bool  // see describedTrees
	rooms        map[string]*room // by address, of the nodes of open jobs
}

// An openJob is a job without an end. Its start is that of its row until it is guessed.
type openJob struct {
	placedJob
	tree treeID
}

// findOpen finds the nodes of jobs without an end.
func (p *pairing) findOpen() error {
	p.rooms = map[string]*room{}
	var job guid
	var r jobRow
	var started []jobRow // of the job under way, as long as no row records its end
	ended := false
	flush := func() {
		for i := range started {
			if !ended {
				p.watch(&started[i])
			}
		}
		started, ended = started[:0], false
	}
	scan := jobScan{Scan: p.sorter.Scan(prefixOf(jobRecords, noTree))}
	for scan.Next() {
		d := decode(scan.Record())
		if id := d.guid(); id != job {
			flush()
			job = id
		}
		if isEnd := d.bool(); isEnd {
			ended = true
			continue
		}
		if jobRows.decode(scan.Record(), &r, p.names); r.event == jobStarted {
			started = append(started, r)
		}
	}
	flush()
	return scan.Err()
}

// pair joins the rows of every job and hands them to the sorter of whole jobs.
func (a *assembly) pair() error {
	p := pairing{assembly: a, described: a.describedTrees()}
	if err := p.findOpen(); err != nil {
		return err
	}
	p.brokenScan = a.sorter.Scan(prefixOf(brokenRecords, noTree))
	p.nextBroken()
	p.victims.scan = a.sorter.Scan(prefixOf(victimRecords, noTree))
	scan := jobScan{Scan: a.sorter.Scan(prefixOf(jobRecords, noTree))}
	var r jobRow
	a.duplicates += a.jobRows
	for n := 0; scan.Next(); n++ {
		a.duplicates--
		if n%progressRows == 0 {
			if err := a.ctx.Err(); err != nil {
				return err
			}
		}
		jobRows.decode(scan.Record(), &r, a.names)
		if !p.any || r.job != p.job {
			if err := p.flush(); err != nil {
				return err
			}
			p.job, p.any, p.leftOut = r.job, true, false
		}
		switch r.event {
		case jobStarted:
			p.starts = append(p.starts, r)
		case archivedJob:
			p.keepArchived(&r)
		default:
			if p.startsBeforeOperation(&r) {
				p.problems.Quarantine(wholeLog, -1, "start_time", impossibleTime, r.job.String())
				p.leftOut = true
				continue
			}
			p.ends = append(p.ends, r)
		}
	}
	if err := p.flush(); err != nil {
		return err
	}
	if err := cmp.Or(scan.Err(), p.victims.scan.Err(), p.brokenScan.Err()); err != nil {
		return err
	}
	p.loseEnds()
	p.loseUnseen()
	if err := p.loseContradicted(); err != nil {
		return err
	}
	slices.SortFunc(p.open, func(a, b openJob) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.place, b.place), bytes.Compare(a.job[:], b.job[:]))
	})
	for i := range p.open {
		o := &p.open[i]
		p.guess(o)
		p.occupy(&o.placedJob)
		if err := p.place(&o.placedJob, o.tree); err != nil {
			return err
		}
	}
	return nil
}

// startsBeforeOperation reports whether the row of a job's end has it start before its
// operation did, by more than clocks differ.
func (p *pairing) startsBeforeOperation(r *jobRow) bool {
	o := p.operations[r.operation]
	return o != nil && o.startRow != 0 && r.start.Value < min(o.startRow, cmp.Or(o.start, o.startRow))-unbelievable
}

// flush joins the rows of the job under way.
func (p *pairing) flush() error {
	defer func() { p.starts, p.ends, p.archived = p.starts[:0], p.ends[:0], nil }()
	if !p.any {
		return nil
	}
	if len(p.starts) < 2 {
		return p.join(p.starts, p.ends)
	}
	for _, s := range staysOf(p.starts, p.ends) {
		if err := p.join(s.starts, s.ends); err != nil {
			return err
		}
	}
	return nil
}

// join makes a whole job of its rows, one at least.
func (p *pairing) join(starts, ends []jobRow) error {
	out := placedJob{job: p.job, place: noPlace, end: "running"}
	var first, last *jobRow
	if len(starts) > 0 {
		first = &starts[0]
	}
	if len(ends) > 0 {
		last = &ends[0]
		for i := range ends {
			if known(ends[i].reason) {
				last = &ends[i]
				break
			}
		}
		for range ends[1:] {
			p.problems.Note(wholeLog, -1, "job_id", doubleFinish, p.job.String())
		}
	}
	if first != nil && last != nil && differ(first.operation.String(), last.operation.String()) {
		p.losesJobRows = true
		p.problems.Quarantine(wholeLog, -1, "operation_id", rowsDiffer, p.job.String()+": "+first.operation.String()+" at its start, "+last.operation.String()+" at its end")
		return nil
	}
	row := first
	if row == nil {
		row = last
	}
	if row == nil {
		if row = p.archived; !row.limits.Set || p.operations[row.operation] == nil || !p.isWithin(row) {
			p.tellUnplaced()
			return nil
		}
		first = row
	}
	out.operation, out.kind = row.operation, row.kind
	out.startLogged = len(p.starts) > 0
	switch {
	case last != nil && last.limits.Set:
		out.limits = last.limits.Value
	case first != nil && first.limits.Set:
		out.limits = first.limits.Value
	default:
		p.problems.Quarantine(wholeLog, -1, "resource_limits", missingField, p.job.String())
		return nil
	}
	var address string
	if last != nil {
		out.start, out.finish = last.start.Value, core.Some(last.finish.Value)
		out.end = endWords[last.event]
		out.reason, out.interruption = last.reason, last.interruption
		out.forJob, out.forOperation = last.forJob, last.forOperation
		out.competition, out.predecessorOf, out.predecessor = last.competition, last.predecessorOf, last.predecessor
		out.allocation = last.allocation
		address = last.address
		if first == nil {
			p.losesJobRows = p.losesJobRows || out.start > p.first // else it was written before the log
			p.problems.Note(wholeLog, -1, "job_id", finishOnly, p.job.String())
		} else {
			p.lags.add(first.time - out.start)
		}
	} else {
		// The row of a start is written when the agent learns of it; its own
		// time is the best that is known.
		out.start = first.start.Or(first.time)
		out.allocation = first.allocation
	}
	if first != nil {
		if first.time == out.start { // else the row is of the agent's time, and tells no order of starts
			out.place = p.orderOf(first.place)
		}
		p.compareRows(first, last)
		address = max(address, first.address)
	}
	tree := p.namedTree(first, last)
	if p.archived != nil {
		tree, address = cmp.Or(tree, p.namedTree(p.archived)), cmp.Or(address, p.archived.address)
		p.fill(&out, last)
	}
	if to := p.options.To; to != 0 && out.start >= to {
		return nil
	}
	if out.address = address; first != nil && last != nil && differ(first.address, last.address) {
		out.address = "" // which of them had it is not known
	}
	p.followVictims(&out, last)
	id := p.treeOf(&out, tree)
	if at := p.treeOfNode(&out); (first == nil || last == nil) && at != noTree && at != id { // one row alone contradicts itself
		p.problems.Note(wholeLog, -1, "node_address", rowsDiffer, p.job.String()+": a node of tree "+p.trees[at]+" in tree "+tree)
		out.address = ""
	}
	if id == noTree {
		p.problems.Quarantine(wholeLog, -1, "tree_id", unknownTree, p.job.String())
		return nil
	}
	if last == nil && out.finish.Set && p.archived.start.Set {
		last = p.archived // all of it is known
	}
	if last == nil {
		broken := p.isBroken(p.job) || p.leftOut
		if !out.finish.Set {
			p.close(&out, broken)
		}
		if out.end == "running" && broken {
			p.loseEnd(&out)
		}
		p.open = append(p.open, openJob{out, id})
		return nil
	}
	p.occupy(&out)
	return p.place(&out, id)
}

// compareRows reports where the rows of a job's start and of its end contradict each other.
func (p *pairing) compareRows(first, last *jobRow) {
	if last == nil {
		return
	}
	for _, c := range [...]struct{ column, started, ended string }{
		{"node_address", first.address, last.address},
		{"tree_id", first.tree, last.tree},
	} {
		if differ(c.started, c.ended) {
			p.problems.Note(wholeLog, -1, c.column, rowsDiffer, p.job.String()+": "+c.started+" at its start, "+c.ended+" at its end")
		}
	}
}

// differ reports whether two rows say something, and not the same.
func differ(a, b string) bool { return a != "" && b != "" && a != b }

// keepArchived takes in what the archive says of the job under way: the row with its end, and
// else the first.
func (p *pairing) keepArchived(r *jobRow) {
	if p.archived == nil || p.archived.ended == unknownEvent && r.ended != unknownEvent {
		row := *r
		p.archived = &row
	}
}

// tellUnplaced notes that only the archive has the job under way, if it was there while
// the log was written.
func (p *pairing) tellUnplaced() {
	if p.isWithin(p.archived) {
		p.problems.Note(wholeLog, -1, "resource_limits", archivedOnly, p.job.String())
	}
}

// isWithin reports whether a job of the archive was there while the log was written.
func (a *assembly) isWithin(r *jobRow) bool {
	return r.start.Or(r.time) <= a.last && r.finish.Or(a.first) >= a.first
}

// place hands a whole job to the sorter.
func (p *pairing) place(out *placedJob, id treeID) error {
	address := out.address
	if address != "" {
		p.nodes.see(address, out.start)
		if out.finish.Set {
			p.nodes.see(address, out.finish.Value)
		}
	}
	p.follow(out, id)
	p.rec.begin(placedRecords, id)
	placedJobs.put(&p.rec, out)
	p.jobs++
	if p.earliestJob == 0 || out.start < p.earliestJob {
		p.earliestJob = out.start
	}
	return p.placed.Add(p.rec.b)
}

var endWords = map[eventType]string{jobCompleted: "completed", jobFailed: "failed", jobAborted: "aborted"}

// known reports whether a reason says anything (ingest/trace/FORMAT.md §4.2).
func known(reason string) bool { return reason != "unknown" }

// treeOfNode is the tree that a job's node serves when it starts, noTree if nothing shows it.
func (a *assembly) treeOfNode(p *placedJob) treeID {
	if n := a.nodes[p.address]; n != nil {
		return n.treeAt(p.start)
	}
	return noTree
}

// treeOf is the tree of a job: the row's, else that of its node, else the only one that
// its operation asks for or is seen in, else the only one there is.
func (a *assembly) treeOf(p *placedJob, tree string) treeID {
	if tree != "" {
		return a.treeIDs[tree]
	}
	if id := a.treeOfNode(p); id != noTree {
		return id
	}
	if o := a.operations[p.operation]; o != nil && len(o.specTrees) == 1 {
		return o.specTrees[0]
	}
	if o := a.operations[p.operation]; o != nil && len(o.held) == 1 {
		return o.held[0].tree
	}
	if len(a.trees) == 2 { // the first is none
		return 1
	}
	return noTree
}

// close ends a job without a row of its end, where something else says that it is over
// (ingest/trace/FORMAT.md §4.2). A job whose end has an unusable row (broken) did not end with
// its operation.
func (a *assembly) close(p *placedJob, broken bool) {
	end, over := core.Time(0), false
	at := func(t core.Time) {
		if t > p.start && (!over || t < end) {
			end, over = t, true
		}
	}
	o := a.operations[p.operation]
	if o != nil && o.end.time != 0 && o.end.time <= a.last { // later than the log only the archive records
		p.start = min(p.start, o.end.time) // its row may be written later
		end, over = o.end.time, true
	}
	if n := a.nodes[p.address]; n != nil {
		if t, ok := n.offlineAfter(p.start); ok {
			at(t)
		}
	}
	if p.start < a.last-lookahead {
		for _, t := range a.restarts {
			at(t)
		}
	}
	switch {
	case over && !broken && o != nil && end == o.end.time && a.endsSilently():
		p.finish, p.end, p.reason = core.Some(end), endWords[jobAborted], abortedBy[o.end.event]
	case over:
		p.finish, p.end = core.Some(end), "unknown"
		a.problems.Note(wholeLog, -1, "job_id", startOnly, p.job.String())
	}
}

// abortedBy is why jobs are aborted that are alive when their operation ends.
var abortedBy = map[eventType]string{operationCompleted: "operation_completed", operationFailed: "operation_failed", operationAborted: "operation_aborted"}

// endsSilently reports whether the log is of an age in which jobs that end with
// their operation have no row of their end: before 2022. Rows of changed
// parameters name their operation since then, and reports of what was used came
// soon after (ingest/trace/FORMAT.md §1.9).
func (a *assembly) endsSilently() bool {
	d := &a.dialect
	return d[endsOfOperations] == 0 && d[namedChanges] == 0 && a.counts[accumulatedUsageInfo] == 0
}

// follow notes what a job says of its operation.
func (a *assembly) follow(p *placedJob, tree treeID) {
	o := a.operations[p.operation]
	if o == nil {
		return
	}
	in := o.in(tree)
	in.lastJob = max(in.lastJob, p.start)
	if o.firstJob == 0 || p.start < o.firstJob {
		o.firstJob = p.start
	}
	o.lastJob = max(o.lastJob, p.start)
	if p.finish.Set {
		o.knows(tree, p)
	}
	if p.end == endWords[jobCompleted] {
		o.lastCompleted = max(o.lastCompleted, p.finish.Value)
	}
}
