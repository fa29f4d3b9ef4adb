package ytsaurus

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/extsort"
	"poolproof/ingest/trace"
)

// An assembly makes a trace of what was loaded.
type assembly struct {
	*loader
	ctx          context.Context
	writer       *trace.Writer
	placed       *extsort.Sorter // whole jobs
	rowsRead     int64
	bytesRead    int64
	jobs         int64
	guessed      int64 // starts that only a later row records
	lags         lags
	nodes        nodeSet
	restarts     []core.Time // of the scheduler
	window       core.Span
	began        core.Time // of the trace: nothing in it is earlier
	earliestJob  core.Time
	losesJobEnds bool               // some end is, and which cannot be told
	losesJobRows bool               // some row of the start or the end of a job is lost
	undescribed  int                // nodes that serve while no sample describes them
	preempted    map[guid]preempted // what is known of preempted jobs by the jobs that they made room for
	nextJob      core.JobID
	preparation  core.Optional[core.Time]

	longestTimeout core.Optional[core.Time] // see patience

	ordered   []*operation
	pools     []poolName // by number
	poolIDs   map[poolName]core.PoolID
	nodeList  []*node
	byTree    []*treeAssembly // by treeID; nil where the log records nothing of the tree
	published []treeID        // the trees of the trace, by name
}

// progressRows is how often an interrupt is looked for.
const progressRows = 1 << 12

// assemble writes the trace.
func (a *assembly) assemble() error {
	steps := []struct {
		name string // for progress
		do   func() error
	}{
		{"rows sorted", a.settle}, {"nodes collected", a.collectNodes}, {"jobs paired", a.pair}, {"jobs sorted", a.finishPlaced},
		{"trees surveyed", a.surveyTrees}, {"operations numbered", a.number}, {"gaps noted", a.noteMissing},
		{"operations written", a.writeDimensions},
		{"trees written", a.writeTrees}, {"problems written", a.writeGlobal},
	}
	for _, step := range steps {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		if err := step.do(); err != nil {
			return err
		}
		a.progress(step.name)
	}
	return nil
}

// progress reports what is done after reading.
func (a *assembly) progress(step string) {
	if a.options.Progress != nil {
		a.options.Progress(Progress{Rows: a.rowsRead, Bytes: a.bytesRead, Step: step})
	}
}

func (a *assembly) collectNodes() error {
	a.nodes = nodeSet{}
	for _, p := range a.processes {
		if p.event == schedulerStarted || p.event == masterConnected {
			a.restarts = append(a.restarts, p.time)
		}
	}
	if err := a.nodes.collect(a.sorter, a.trees, a.names, a.tagged); err != nil {
		return err
	}
	// A window reaches no farther than the log: of what is beyond it nothing is known.
	a.window = core.Span{From: max(a.options.From, a.first), To: min(cmp.Or(a.options.To, a.last+1), a.last+1)}
	return nil
}

func (a *assembly) finishPlaced() error {
	a.compareClocks()
	return a.placed.Finish()
}

// number gives pools, operations and nodes their numbers: in the order of
// their names, so that they do not depend on the order of the rows.
func (a *assembly) number() error {
	for id := range a.byTree {
		if t := a.byTree[id]; t != nil {
			a.published = append(a.published, treeID(id))
			for name := range t.pools {
				a.pools = append(a.pools, poolName{treeID(id), name})
			}
		}
	}
	slices.SortFunc(a.published, func(x, y treeID) int { return strings.Compare(a.trees[x], a.trees[y]) })
	slices.SortFunc(a.pools, func(x, y poolName) int {
		return cmp.Or(strings.Compare(a.trees[x.tree], a.trees[y.tree]), strings.Compare(x.name, y.name))
	})
	a.poolIDs = make(map[poolName]core.PoolID, len(a.pools))
	for i, p := range a.pools {
		a.poolIDs[p] = core.PoolID(i)
	}
	a.ordered = slices.SortedFunc(maps.Values(a.operations), func(x, y *operation) int { return slices.Compare(x.id[:], y.id[:]) })
	for i, o := range a.ordered {
		o.number = core.OperationID(i)
	}
	a.nodeList = a.nodes.sorted()
	return nil
}

func (a *assembly) writeDimensions() error {
	specs := specReader{scan: a.sorter.Scan(prefixOf(specRecords, noTree))}
	for _, o := range a.ordered {
		spec, contradicts := specs.of(o.id)
		if contradicts {
			a.problems.Note(wholeLog, -1, "spec", rowsDiffer, o.id.String())
		}
		row := trace.Operation{
			Op: o.number, ID: o.id.String(), Type: o.kind, User: o.user,
			Title: optionalText(o.title), Alias: optionalText(o.alias), IsGang: o.gang, JobCount: o.jobCount,
			AnnotationsJSON: optionalText(cmp.Or(o.annotations, o.specAnnotations)), SpecJSON: optionalText(spec),
		}
		if start := cmp.Or(o.start, o.startRow); start != 0 {
			row.StartTime = core.Some(start)
		}
		if len(o.materialized) > 0 {
			row.MaterializeTime = core.Some(slices.Min(o.materialized))
		}
		if o.end.time != 0 {
			row.FinishTime = core.Some(o.end.time)
			if !o.end.lost {
				row.FinalState = core.Some(finalStates[o.end.event])
			}
		}
		if o.end.code != 0 {
			row.ErrorCode, row.ErrorMessage = core.Some(o.end.code), optionalText(o.end.message)
		}
		if err := a.writer.Add(&row); err != nil {
			return err
		}
	}
	if specs.scan.Err() != nil {
		return specs.scan.Err()
	}
	for i, p := range a.pools {
		t := a.byTree[p.tree].pools[p.name]
		row := trace.Pool{Pool: core.PoolID(i), Tree: a.trees[p.tree], Name: p.name, FirstSeen: t.seen.From, LastSeen: t.seen.To, Ephemeral: t.ephemeral}
		if err := a.writer.Add(&row); err != nil {
			return err
		}
	}
	for _, n := range a.nodeList {
		if err := a.writer.Add(&trace.Node{Node: n.number, Address: n.address, FirstSeen: n.seen, LastSeen: n.last}); err != nil {
			return err
		}
	}
	return nil
}

var finalStates = map[eventType]string{operationCompleted: "completed", operationFailed: "failed", operationAborted: "aborted"}

func optionalText(s string) core.Optional[string] {
	return core.Optional[string]{Value: s, Set: s != ""}
}

// A specReader hands out specs in the order of their operations.
type specReader struct {
	scan   *extsort.Scan
	next   guid
	teller byte
	spec   string
	open   bool
}

// of returns the spec of an operation, "" if the log has none or several that differ: one of them is damaged, and
// contradicts is true. That of the archive counts where the log has none.
func (r *specReader) of(id guid) (spec string, contradicts bool) {
	for {
		if !r.open {
			if !r.scan.Next() {
				break
			}
			d := decode(r.scan.Record())
			r.next, r.open = d.guid(), true
			r.teller, r.spec = d.byte(), string(d.text())
		}
		c := slices.Compare(r.next[:], id[:])
		if c > 0 {
			break
		}
		switch r.open = false; {
		case c < 0 || r.spec == spec:
		case spec == "":
			spec = r.spec
		case r.teller == ofLog:
			contradicts = true
		}
	}
	if contradicts {
		return "", true
	}
	return spec, false
}

// writeGlobal writes what belongs to no tree, and the problems.
func (a *assembly) writeGlobal() error {
	seq := int64(0)
	stamp := func(at core.Time) trace.Stamp {
		seq++
		return trace.Stamp{Time: at, Seq: seq}
	}
	if err := a.writeClusterConfig(stamp); err != nil {
		return err
	}
	for _, p := range a.processes {
		if err := a.writer.Add(&trace.ProcessEvent{Stamp: stamp(p.time), Event: eventNames[p.event], Address: optionalText(p.address)}); err != nil {
			return err
		}
	}
	return a.writeTreeless(stamp)
}
