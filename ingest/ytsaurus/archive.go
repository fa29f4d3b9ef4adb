package ytsaurus

import (
	"encoding/binary"

	"poolproof/core"
)

// The operations archive of a cluster (//sys/operations_archive) holds what the event log may
// lack of operations and jobs: the ends of those that the log only shows the beginning of, and
// the starts of those that it only shows the end of (ingest/trace/FORMAT.md §1.7). Its rows are
// kept beside those of the log and fill in what the log does not say. It has no resources of
// jobs, so that a job without a row of the log stays out.

// isArchived reports whether a row without an event is one of the archive: of ordered_by_id, of
// ordered_by_start_time or of jobs.
func (c *columnSet) isArchived() bool {
	return !c[keyIDHi].isNull() || !c[keyIDLo].isNull() || c.isArchivedJob()
}

func (c *columnSet) isArchivedJob() bool { return !c[keyJobHi].isNull() || !c[keyJobLo].isNull() }

// archivedRow takes a row of the archive in.
func (l *loader) archivedRow(c *columnSet) {
	if c.isArchivedJob() {
		l.archivedRows[KindJobs]++
		l.archivedJob(c)
		return
	}
	l.archivedRows[KindOperations]++
	l.archivedOperation(c)
}

// halves reads an id that stands in two columns: the last two of its words in one, the
// first two in the other (ingest/trace/FORMAT.md §1.2).
func (c *columnSet) halves(high, low key) (g guid, ok bool) {
	last, one := c[high].bits()
	first, two := c[low].bits()
	if !one || !two {
		return guid{}, false
	}
	binary.BigEndian.PutUint64(g[:8], first)
	binary.BigEndian.PutUint64(g[8:], last)
	return g, g != guid{}
}

// bits reads a whole number that is not negative.
func (c cursor) bits() (uint64, bool) {
	switch c.kind() {
	case unsigned:
		return c.value().num, true
	case integer:
		return c.value().num, int64(c.value().num) >= 0
	}
	return 0, false
}

// An archived is what the archive says of an operation, but for its spec.
type archived struct {
	title, alias  string
	user, kind    string
	annotations   string
	jobCount      core.Optional[int64]
	gang          core.Optional[bool]
	singleTree    bool
	start         core.Time
	pending       core.Time // when it was prepared; 0 if the archive does not say
	materializing core.Time // when it was prepared and had a place in some tree
	running       core.Time // when it was materialized
	end           operationEnd
	trees         []operationTree
	erased        []treeID
}

// archivedOperation takes in a row of ordered_by_id or ordered_by_start_time.
func (l *loader) archivedOperation(c *columnSet) {
	id, ok := c.halves(keyIDHi, keyIDLo)
	if !ok {
		l.quarantine("id_hi", badID, "")
		return
	}
	start, finish, ok := l.archivedTimes(c[keyStartTime], c[keyFinishTime])
	if !ok {
		return
	}
	a := l.archive[id]
	if a == nil {
		a = &archived{}
		l.archive[id] = a
	}
	a.start = earlier(a.start, start.Value)
	if event, over := endOfState(c[keyState].bytes()); over && finish.Set {
		end := operationEnd{row: finish.Value, time: finish.Value, event: event}
		end.code, end.message = errorOf(c[keyResult].get(keyError))
		if a.end == (operationEnd{}) || end.compare(&a.end) < 0 {
			a.end = end
		}
	}
	a.kind, a.user = max(a.kind, l.names.of(c[keyOperationType].bytes())), max(a.user, l.names.of(c[keyUser].bytes()))
	l.archivedSpec(id, a, c)
	l.archivedEvents(a, c[keyEvents])
	l.archivedTrees(a, c)
}

// archivedTimes reads when something began and ended. It records what cannot be.
func (l *loader) archivedTimes(from, to cursor) (start, finish core.Optional[core.Time], ok bool) {
	start, finish = from.moment(), to.moment()
	switch {
	case !from.isNull() && !start.Set:
		l.quarantine("start_time", badTimestamp, string(from.appendJSON(nil)))
		return start, finish, false
	case !to.isNull() && !finish.Set:
		l.quarantine("finish_time", badTimestamp, string(to.appendJSON(nil)))
		return start, finish, false
	case start.Set && finish.Set && finish.Value < start.Value:
		l.quarantine("finish_time", finishFirst, string(to.appendJSON(nil)))
		return start, finish, false
	}
	return start, finish, true
}

// archivedSpec takes in the spec of an operation.
func (l *loader) archivedSpec(id guid, a *archived, c *columnSet) {
	a.annotations = max(a.annotations, l.annotations(c[keyAnnotations]))
	spec := c[keySpec]
	if spec.kind() != mapping {
		return
	}
	a.title, a.alias = max(a.title, spec.get(keyTitle).string()), max(a.alias, spec.get(keyAlias).string())
	a.jobCount = greater(a.jobCount, jobsAsked(spec), compareCounts)
	a.gang = greater(a.gang, spec.get(keyIsGang).flag(), compareBools)
	a.singleTree = a.singleTree || spec.get(keySingleTree).flag().Value
	l.keepSpec(id, spec, ofArchive)
}

// archivedEvents takes in when an operation changed its state: the first time of each,
// since one that is revived goes through them again.
func (l *loader) archivedEvents(a *archived, events cursor) {
	for e := range events.children {
		at, ok := e.get(keyTime).time()
		if !ok {
			continue
		}
		switch string(e.get(keyState).bytes()) {
		case "pending":
			a.pending = earlier(a.pending, at)
		case "materializing":
			a.materializing = earlier(a.materializing, at)
		case "running":
			a.running = earlier(a.running, at)
		}
	}
}

// archivedTrees takes in where an operation was, as it stood at its end.
func (l *loader) archivedTrees(a *archived, c *columnSet) {
	in := func(name []byte) *operationTree {
		tree := l.tree(name)
		for i := range a.trees {
			if a.trees[i].tree == tree {
				return &a.trees[i]
			}
		}
		a.trees = append(a.trees, operationTree{tree: tree})
		return &a.trees[len(a.trees)-1]
	}
	for t := range c[keyRuntimeParameters].get(keyOptionsPerTree).children {
		if usable(t.name()) {
			at, options := in(t.name()), core.Some(l.treeOptions(t))
			at.options = greater(at.options, options, func(a, b treeOptions) int { return a.compare(&b) })
		}
	}
	for t := range c[keyPoolByTree].children {
		if usable(t.name()) {
			at := in(t.name())
			at.lastPool = max(at.lastPool, l.poolName(t))
		}
	}
	a.erased = l.erasedTrees(a.erased, c[keyRuntimeParameters])
}

// endOfState is the end that a state of the archive stands for.
func endOfState(state []byte) (eventType, bool) {
	switch string(state) {
	case "completed":
		return operationCompleted, true
	case "failed":
		return operationFailed, true
	case "aborted":
		return operationAborted, true
	}
	return unknownEvent, false
}

// earlier returns the earlier of two times; 0 is none.
func earlier(a, b core.Time) core.Time {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
