package rerun

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
)

// An operation holds the recorded events of an operation.
type operation struct {
	submitted, running, ready, end core.Optional[core.Time] // the first, in any tree
	waited, completed              bool
	accepted                       bool
	rejected                       core.Optional[core.Time] // the first time

	attempts []attempt
	wants    []want
	stops    stops
}

// A want is a row of demand.
type want struct {
	at            core.Time
	needed, least resource.Vector
	jobs          int64 // -1: not recorded
}

// An attempt is a job that does some of an operation's work.
type attempt struct {
	start       core.Time
	finish      core.Optional[core.Time] // as the log records it
	began       core.Time                // when those were gone that were preempted for it: then it came to run
	size        resource.Vector
	end         core.EndKind // EndPreempted whatever it put away
	putAway     bool         // it was preempted and put away what it had done
	name, after string       // of itself, unless it completed, and of its predecessor
}

// start notes a job. One that competes with another does no work of its own.
func (r *reader) start(e *core.Event) {
	if e.Competes {
		return
	}
	o := &r.operations[e.Operation]
	a := attempt{start: e.Time, began: max(e.Time, r.room[string(e.Name)]), finish: e.Finish, size: e.Limits, end: e.End, after: string(e.Predecessor)}
	if e.End != core.EndCompleted {
		a.name = string(e.Name)
	}
	if e.End == core.EndPreempted {
		r.stopping[e.Job] = len(o.attempts)
	}
	r.linked = r.linked || a.after != ""
	o.attempts = append(o.attempts, a)
}

// preempt notes how a preempted job left.
func (r *reader) preempt(e *core.Event) {
	o, p := &r.operations[e.Operation], e.Preemption
	if e.PreemptorJob != "" {
		r.room[e.PreemptorJob] = max(r.room[e.PreemptorJob], e.Finish.Value)
	}
	at, known := r.stopping[e.Job]
	if !known {
		return
	}
	delete(r.stopping, e.Job)
	a := &o.attempts[at]
	a.putAway = p.End == core.EndCompleted
	if a.finish.Set {
		gracefully := p.Mode == "graceful" || p.Reason == scheduling.ForGracefulPreemption.String()
		s := simulate.Stopping{Interruptible: a.putAway || p.Mode == "interrupt" || gracefully, Takes: a.finish.Value - e.Time}
		if s.Interruptible && !a.putAway {
			s.Takes = -1 // it is aborted at its deadline
		}
		if gracefully {
			o.stops.gracefully = append(o.stops.gracefully, s)
		} else {
			o.stops.otherwise = append(o.stops.otherwise, s)
		}
	}
}

// sort puts in order what was read of one tree after the other.
func (o *operation) sort() {
	slices.SortStableFunc(o.attempts, func(a, b attempt) int { return cmp.Compare(a.start, b.start) })
	slices.SortStableFunc(o.wants, func(a, b want) int { return cmp.Compare(a.at, b.at) })
}

// isOver reports whether the operation ended, or was rejected, before a plan begins.
func (o *operation) isOver(begin core.Time) bool {
	return o.end.Set && o.end.Value <= begin || o.rejected.Set && o.rejected.Value < begin && !o.accepted
}

// cut lets what is known of an operation begin with the plan, and reports whether any of it is
// older. Jobs that run go before what is demanded then: the last row, less what began since.
func (o *operation) cut(begin core.Time) (older bool) {
	for _, at := range []*core.Optional[core.Time]{&o.submitted, &o.running, &o.ready} {
		older = older || at.Set && at.Value < begin
		at.Value = max(at.Value, begin)
	}
	older = older || len(o.attempts) > 0 && o.attempts[0].start < begin || len(o.wants) > 0 && o.wants[0].at < begin
	if !older {
		return false
	}
	later := slices.IndexFunc(o.wants, func(w want) bool { return w.at > begin })
	if later < 0 {
		later = len(o.wants)
	}
	if later > 0 {
		o.wants = o.wants[later-1:]
		o.wants[0].less(o.attempts, begin)
	}
	o.attempts = slices.DeleteFunc(o.attempts, func(a attempt) bool { return a.finish.Set && a.finish.Value <= begin })
	for i := range o.attempts {
		if a := &o.attempts[i]; a.start < begin {
			a.start, a.began = begin-1, max(a.began, begin)
		}
	}
	return true
}

// less makes of an older demand that of a later time: what began in between is wanted no more, unless
// it was left undone.
func (w *want) less(attempts []attempt, at core.Time) {
	for i := range attempts {
		a := &attempts[i]
		if a.start < w.at || a.start >= at || a.finish.Set && a.finish.Value <= at && a.end != core.EndCompleted {
			continue
		}
		w.needed = w.needed.Sub(a.size).Max(resource.Vector{})
		if w.jobs > 0 {
			w.jobs--
		}
	}
	w.at = max(w.at, at)
}

// A piece is work that one job could do.
type piece struct {
	start  core.Time // of the first that began it
	size   resource.Vector
	runs   core.Time                // as long as it is known to take, at least
	known  bool                     // it takes no longer
	fails  []core.Time              // how long those ran that failed at it
	left   core.Optional[core.Time] // when it was left undone last; absent if it is not
	stored core.Time                // what was put away of it
}

// pieces are the work that was begun, in the order of its beginning. Unknown ends are
// those of the operation, or of the log.
func (o *operation) pieces(linked bool, logEnd core.Time) []piece {
	var all []piece
	byName, undone := map[string]int{}, map[resource.Vector][]int{}
	for i := range o.attempts {
		a := &o.attempts[i]
		at, again := byName[a.after]
		if !linked {
			at, again = resumed(all, undone, a)
		}
		if !again || all[at].known {
			at = len(all)
			all = append(all, piece{start: a.start})
		}
		all[at].addAttempt(a, a.finish.Or(o.end.Or(logEnd)))
		if a.name != "" {
			byName[a.name] = at
		}
		if all[at].left.Set {
			undone[a.size] = append(undone[a.size], at)
		}
	}
	for i := range all {
		if p := &all[i]; o.completed && p.stored > 0 && !p.known { // there was no rest
			p.runs, p.known = p.stored, true
		}
	}
	return all
}

// resumed is the piece that a job may have gone on with: the first of its size that was
// left undone before.
func resumed(all []piece, undone map[resource.Vector][]int, a *attempt) (at int, ok bool) {
	list := undone[a.size]
	if len(list) == 0 || all[list[0]].left.Value > a.start {
		return 0, false
	}
	undone[a.size] = list[1:]
	return list[0], true
}

// addAttempt adds one more job that worked on the piece.
func (p *piece) addAttempt(a *attempt, finish core.Time) {
	ran := max(0, finish-a.began)
	p.size, p.left = a.size, core.Optional[core.Time]{}
	switch {
	case a.putAway:
		p.stored += ran
		p.runs = max(p.runs, p.stored)
	case a.end == core.EndCompleted:
		p.runs, p.known = p.stored+ran, true
		return
	case a.end == core.EndFailed:
		p.fails = append(p.fails, ran)
	default:
		p.runs = max(p.runs, p.stored+ran)
	}
	p.left = a.finish
}
