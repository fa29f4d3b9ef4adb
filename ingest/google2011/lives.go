package google2011

import (
	"cmp"
	"slices"
	"strconv"

	"poolproof/core"
	"poolproof/ingest/joblog"
)

// A life is an operation: what befell a job from a submission to its end.
type life struct {
	job                 int64
	copies              int32 // lives of the job before this one
	user, logical       int32
	class               int32 // when it was submitted
	submitted           core.Time
	row, endRow         int64
	firstTurn, pastTurn int32 // in lives.turns
	end                 core.Optional[core.Time]
	how                 kind // it ended
	missing             int8 // of the end
	undated             bool // the log does not record when it was submitted
	pool                core.PoolID
}

// A turn is a step in a life. The pools are not known yet: class is the new one.
type turn struct {
	time  core.Time
	row   int64
	step  core.Step
	class int32 // if the step is a change of pool
	pool  core.PoolID
}

// lives are the operations of a log.
type lives struct {
	all      []life
	turns    []turn
	words    []string
	problems *joblog.Problems
	source   string
	before   int64 // operations that were there before the log began
}

// states of a job.
type state uint8

const (
	unseen state = iota
	pending
	running
	evicted // over, unless it comes back
	over
)

// livesOf follows every job through its events, which are sorted.
func livesOf(e *events, source string, problems *joblog.Problems) *lives {
	l := &lives{words: e.words, problems: problems, source: source, turns: make([]turn, 0, len(e.all))}
	for rest := e.all; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].job == rest[0].job {
			n++
		}
		l.addJob(rest[:n])
		rest = rest[n:]
	}
	slices.SortFunc(l.all, func(a, b life) int {
		return cmp.Or(cmp.Compare(a.submitted, b.submitted), cmp.Compare(a.job, b.job), cmp.Compare(a.copies, b.copies))
	})
	return l
}

// addJob adds the lives of one job, given its events.
func (l *lives) addJob(of []event) {
	f := follower{lives: l, at: -1, class: unknownClass}
	for len(of) > 0 {
		n := 1
		for n < len(of) && of[n].time == of[0].time {
			n++
		}
		f.instant(of[:n])
		of = of[n:]
	}
}

// A follower follows one job.
type follower struct {
	*lives
	state  state
	at     int // its life in lives.all, -1 before the first
	copies int32
	class  int32
}

// instant takes the events of one instant: the next is always the first that can
// follow in the state that the job is in.
func (f *follower) instant(of []event) {
	of = f.distinct(of)
	for len(of) > 0 {
		next := 0
		for i := range of {
			if f.rank(of[i].kind) < f.rank(of[next].kind) {
				next = i
			}
		}
		f.step(&of[next])
		of = slices.Delete(of, next, next+1)
	}
}

// distinct leaves out rows that say the same as another.
func (f *follower) distinct(of []event) []event {
	kept := of[:1]
	for i := range of[1:] {
		e := &of[i+1]
		if compareSaid(f.words, &kept[len(kept)-1], e) == 0 {
			f.quarantine(e, "", codeDuplicateRow)
			continue
		}
		kept = append(kept, *e)
	}
	return kept
}

// rank says which kind of event comes first in the state that the job is in.
func (f *follower) rank(k kind) int {
	waits, alive := f.state == pending, f.state == pending || f.state == running
	switch {
	case alive && k.updates(), !alive && k == submit:
		return 0
	case !alive && k == schedule, waits && k == schedule:
		return 1
	case alive && k.ends():
		return 2
	}
	return 3
}

func (f *follower) quarantine(e *event, column, code string) {
	f.problems.Quarantine(f.source, e.row, column, code, strconv.FormatInt(e.job, 10))
}

// step takes one event.
func (f *follower) step(e *event) {
	alive := f.state == pending || f.state == running
	switch {
	case e.kind == submit && f.state == evicted, e.kind == schedule && f.state == evicted:
		f.comeBack()
		f.reclass(e)
		if f.state = pending; e.kind == schedule {
			f.run(e)
		}
	case e.kind == submit && !alive:
		f.beginLife(e)
		f.turn(e, core.StepPending)
		f.state = pending
	case e.kind == schedule && f.state == unseen:
		f.problems.Note(f.source, e.row, "event_type", codeMissingSubmit, strconv.FormatInt(e.job, 10))
		f.beginLife(e)
		f.all[f.at].undated = true
		f.run(e)
	case !alive && f.state == unseen:
		f.quarantine(e, "event_type", codeNoSubmit)
	case !alive:
		f.quarantine(e, "event_type", codeOver)
	case e.kind == submit, e.kind == schedule && f.state == running:
		f.quarantine(e, "event_type", codeRepeatedEvent)
	case e.kind == schedule:
		f.reclass(e)
		f.run(e)
	case e.kind.updates():
		f.reclass(e)
	default:
		f.finish(e)
	}
	if f.at >= 0 && e.user != f.all[f.at].user {
		f.problems.Note(f.source, e.row, "user", codeUserChanged, f.words[e.user])
	}
}

// beginLife begins a life.
func (f *follower) beginLife(e *event) {
	if f.at >= 0 {
		f.problems.Note(f.source, e.row, "event_type", codeResubmitted, strconv.FormatInt(e.job, 10))
		f.copies++
	}
	f.at, f.class = len(f.all), e.class
	n := int32(len(f.turns))
	f.all = append(f.all, life{
		job: e.job, copies: f.copies, user: e.user, logical: e.logical, class: e.class,
		submitted: e.time, row: e.row, firstTurn: n, pastTurn: n, undated: e.beforeLogBegan,
	})
	if e.beforeLogBegan {
		f.before++
	}
}

func (f *follower) turn(e *event, step core.Step) {
	f.turns = append(f.turns, turn{time: e.time, row: e.row, step: step, class: e.class})
	f.all[f.at].pastTurn++
}

// run has the operation run. In the instant of its submission it did not wait.
func (f *follower) run(e *event) {
	o := &f.all[f.at]
	if last := len(f.turns) - 1; o.pastTurn > o.firstTurn && f.turns[last].step == core.StepPending && f.turns[last].time == e.time {
		f.turns = f.turns[:last]
		o.pastTurn--
	}
	f.turn(e, core.StepRunning)
	f.state = running
}

// reclass moves the operation if the event names another class.
func (f *follower) reclass(e *event) {
	if e.class != f.class && e.class != unknownClass {
		f.class = e.class
		f.turn(e, core.StepPoolChanged)
	}
}

func (f *follower) finish(e *event) {
	o := &f.all[f.at]
	o.end, o.how, o.endRow, o.missing = core.Some(e.time), e.kind, e.row, e.missing
	if f.state = over; e.kind == evict {
		f.state = evicted
	}
}

// comeBack takes an eviction for no end: the job waits since.
func (f *follower) comeBack() {
	o := &f.all[f.at]
	f.turn(&event{time: o.end.Value, row: o.endRow}, core.StepPending)
	o.end, o.endRow = core.Optional[core.Time]{}, 0
}
