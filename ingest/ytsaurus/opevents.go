package ytsaurus

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// The steps of an operation in the order in which they stand at one instant.
const (
	stepStarted = iota
	stepPrepared
	stepPending
	stepRunning
	stepMaterialized
	stepChanged
	stepStarvation
	stepBanned
	stepEnded
)

// An operationStep is a row of op_events to be.
type operationStep struct {
	trace.OpEvent
	rank int
}

// writeOperationEvents writes what happened to the tree's operations.
func (t *treeAssembly) writeOperationEvents() error {
	var all []operationStep
	for _, id := range slices.SortedFunc(maps.Keys(t.lives), func(a, b guid) int { return slices.Compare(a[:], b[:]) }) {
		all = t.appendSteps(all, t.lives[id])
	}
	for _, s := range t.starvation {
		if s.tree != t.id || t.lives[s.operation] == nil {
			continue
		}
		row := trace.OpEvent{Op: t.operations[s.operation].number, Event: "starvation_started", StarvationStatus: optionalText(s.status), FairShare: s.fair, Usage: s.usage}
		if s.finished {
			row.Event, row.StarvationStatus = "starvation_finished", core.Some(cmp.Or(s.status, "non_starving"))
		}
		row.Time = s.time
		all = append(all, operationStep{row, stepStarvation})
	}
	leaving := leavingSteps(all)
	slices.SortStableFunc(all, func(a, b operationStep) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), compareBools(leaving[b.moment()], leaving[a.moment()]), cmp.Compare(a.Op, b.Op),
			cmp.Compare(a.rank, b.rank), strings.Compare(a.Event, b.Event))
	})
	for i := range all {
		row := &all[i].OpEvent
		if i > 0 {
			// The same step may stand in the log twice, at different places.
			before := all[i-1].OpEvent
			before.Stamp.Seq = 0
			if before == *row {
				continue
			}
		}
		written := *row
		written.Stamp = t.stamp(row.Time)
		if err := t.out.Add(&written); err != nil {
			return err
		}
	}
	return nil
}

// A stepMoment is an instant of one operation.
type stepMoment struct {
	op core.OperationID
	at core.Time
}

func (s *operationStep) moment() stepMoment { return stepMoment{s.Op, s.Time} }

// leavingSteps returns the moments at which operations end that ran before. Their steps stand before those of
// other operations at the instant: the place of one that ends is what another waited for, and the scheduler
// logs the end last.
func leavingSteps(all []operationStep) map[stepMoment]bool {
	leaving := map[stepMoment]bool{}
	for i := range all {
		if all[i].rank == stepEnded {
			leaving[all[i].moment()] = true
		}
	}
	for i := range all {
		if all[i].rank == stepStarted || all[i].rank == stepRunning {
			delete(leaving, all[i].moment())
		}
	}
	return leaving
}

// appendSteps appends the steps of one operation.
func (t *treeAssembly) appendSteps(all []operationStep, l *life) []operationStep {
	add := func(at core.Time, rank int, row trace.OpEvent) {
		row.Time, row.Op = at, l.number
		all = append(all, operationStep{row, rank})
	}
	start := l.startOf()
	if l.start == 0 && l.startRow == 0 {
		t.problems.Note(wholeLog, -1, "operation_id", unknownStarted, l.id.String())
	}
	pool := t.poolAtStart(l)
	if pool == "" {
		t.problems.Note(wholeLog, -1, "pool", unknownPool, l.id.String())
	}
	changes := slices.DeleteFunc(slices.Clone(l.changes), func(c change) bool { return c.tree != t.id && c.tree != noTree })
	slices.SortFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.time, b.time), strings.Compare(a.options.pool, b.options.pool), cmp.Compare(a.options.weight.Value, b.options.weight.Value), strings.Compare(a.options.tagFilter.Value, b.options.tagFilter.Value))
	})
	row := trace.OpEvent{Event: "started", Pool: t.poolNumber(pool), Who: optionalText(l.user)}
	// What its end says of parameters holds from its start if nothing changed.
	o := l.optionsIn(t.id)
	if len(changes) == 0 {
		row.Weight, row.Limit = o.weight, o.limit
	}
	role := cmp.Or(o.treeRole, l.role)
	row.Tentative, row.Probing, row.Offloading = role.tentative, role.probing, role.offloading
	add(start, stepStarted, row)
	for _, at := range sortedTimes(l.prepared) {
		add(max(at, start), stepPrepared, trace.OpEvent{Event: "prepared"})
	}
	if t.materializesIn(l) {
		for _, at := range sortedTimes(l.materialized) {
			add(max(at, start), stepMaterialized, trace.OpEvent{Event: "materialized"})
		}
	}
	if running, waits, known := t.runningSince(l); known {
		if waits {
			add(start, stepPending, trace.OpEvent{Event: "pending"})
		}
		add(running, stepRunning, trace.OpEvent{Event: "running"})
	} else {
		add(start, stepPending, trace.OpEvent{Event: "pending"})
	}
	t.changed(l, pool, changes, add)
	banned := false
	for _, b := range l.banned {
		if b.tree == t.id {
			banned = true
			add(max(b.time, start), stepBanned, trace.OpEvent{Event: "banned_in_tree"})
		}
	}
	if at, erased := t.erasedAt(l); erased && !banned {
		add(at, stepBanned, trace.OpEvent{Event: "erased_from_tree"})
	}
	if l.end.time != 0 {
		end := trace.OpEvent{Event: finalStates[l.end.event]}
		if l.end.code != 0 {
			end.ErrorCode = core.Some(l.end.code)
		}
		add(max(l.end.time, start), stepEnded, end)
	}
	return all
}

// optionsIn is what the end of an operation says of its parameters in a tree.
func (o *operation) optionsIn(tree treeID) treeOptions {
	for i := range o.trees {
		if o.trees[i].tree == tree {
			return o.trees[i].options.Value
		}
	}
	return treeOptions{}
}

// changed appends the changes of an operation's pool and parameters: those that
// rows record, and those that only snapshots show.
func (t *treeAssembly) changed(l *life, pool string, changes []change, add func(core.Time, int, trace.OpEvent)) {
	var last core.Optional[treeOptions]
	in := pool
	for _, c := range changes {
		if !c.options.tagFilter.Set && last.Value.tagFilter.Value != "" {
			c.options.tagFilter = core.Some("") // later parameters no longer have the filter
		}
		row := trace.OpEvent{SchedulingTagFilter: c.options.tagFilter, Event: "params_changed", Weight: c.options.weight, Limit: c.options.limit, Tentative: c.options.tentative,
			Probing: c.options.probing, Offloading: c.options.offloading, Who: optionalText(c.who)}
		if c.options.pool != "" && c.options.pool != in {
			in = c.options.pool
			row.Event, row.Pool = "pool_changed", t.poolNumber(in)
		} else if last.Set && last.Value == c.options {
			continue
		}
		last = core.Some(c.options)
		add(max(c.time, l.startOf()), stepChanged, row)
	}
	if len(t.anonymous) == 0 {
		return
	}
	// Rows of changes do not say of whom: snapshots show what became of it.
	in = pool
	var weight core.Optional[float64]
	for _, s := range l.sights {
		row := trace.OpEvent{Event: "params_changed"}
		differs := false
		if s.pool != in {
			in = s.pool
			row.Event, row.Pool, differs = "pool_changed", t.poolNumber(in), true
		}
		if weight.Set && s.weight.Set && s.weight != weight {
			row.Weight, differs = s.weight, true
		}
		if s.weight.Set {
			weight = s.weight
		}
		if differs {
			add(max(s.time, l.startOf()), stepChanged, row)
		}
	}
}

// poolNumber is the number of a pool; absent for the root and for none.
func (t *treeAssembly) poolNumber(name string) core.Optional[core.PoolID] {
	id, ok := t.poolIDs[poolName{t.id, name}]
	return core.Optional[core.PoolID]{Value: id, Set: ok}
}

// sortedTimes returns times in order, each once.
func sortedTimes(times []core.Time) []core.Time {
	sorted := slices.Clone(times)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
