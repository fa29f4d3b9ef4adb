package replay

import (
	"context"
	"iter"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/decisions"
	"poolproof/replay/env"
	"poolproof/replay/survey"
	"poolproof/replay/tables"
)

// A treeRun drives one core through one tree's events, instant by instant.
type treeRun struct {
	name     string
	opts     Options
	core     *core.Tree
	recorder *recorder
	referee  *decisions.Referee
	asks     asks
	now      core.Time
	started  bool      // the window has begun
	refused  bool      // the last share update was refused
	unknown  bool      // what its shares rest on is not known
	updated  core.Time // of the last share update
	clock    recordClock
	// shareless says that the log gives nothing a share: it records neither demand nor the
	// capacity of nodes.
	shareless bool
	learned   learned
	treeResult
}

// A treeResult holds the results of a tree's run.
type treeResult struct {
	summary tables.Tree
	files   []tables.File
}

func newTreeRun(dir, name string, dims *core.Dimensions, d *tables.Dictionaries, survey *survey.Survey, opts Options) (*treeRun, error) {
	if opts.Resolution == 0 {
		opts.Resolution = env.DefaultResolution
	}
	t := core.New(dims, opts.Profile)
	e := env.New(t, dims, &opts.Log, env.NewOutput(dir, name, d), survey.Windows)
	recorder := newRecorder(e)
	if i, known := survey.Index[name]; known {
		recorder.neighbours = survey.Neighbours[i]
	}
	referee := decisions.New(e, recorder.snapshots, recorder.episodes.ShareTrack)
	recorder.snapshots.Complete, recorder.limits.Over = referee.FollowSnapshot, referee.EndRepairs
	shareless := opts.Sized == [resource.Kinds]bool{} && opts.Records("demand", "none")
	r := &treeRun{name: name, opts: opts, core: t, now: -1, clock: recordClock{last: core.Never, ofRecords: !opts.IsDemandExact()}, recorder: recorder, referee: referee, asks: newAsks(e, opts.Asks), shareless: shareless}
	if err := e.Out.Err; err != nil {
		e.Out.Abort()
		return nil, err
	}
	return r, nil
}

// progressEvery is the number of events between two checks of the context.
const progressEvery = 1 << 16

// replay applies the events up to the window's end. All events of one instant are applied before
// anything is recorded: a state without duration is not recorded.
func (r *treeRun) replay(ctx context.Context, events iter.Seq2[*core.Event, error]) (err error) {
	defer func() {
		if err != nil {
			r.recorder.Out.Abort()
		}
	}()
	defer r.recorder.stop()
	var failed error
	err = readAhead(events, func(events []core.Event) (ended bool) {
		ended, failed = r.followAll(ctx, events)
		return ended || failed != nil
	})
	for _, err := range [...]error{failed, err, ctx.Err()} {
		if err != nil {
			return err
		}
	}
	r.advance(r.opts.Window.To)
	r.referee.FinishRepairs(r.opts.Window.To)
	r.recorder.finish(r.opts.Window.To)
	r.lookAfter()
	r.referee.Finish()
	r.fillSummary()
	r.files, err = r.recorder.close(&r.summary, r.opts.Facts)
	return err
}

// followAll follows some events in a row, and reports whether the window has ended.
func (r *treeRun) followAll(ctx context.Context, events []core.Event) (ended bool, err error) {
	for i := range events {
		if i%prefetched == 0 {
			for k := i; k < min(i+prefetched, len(events)); k++ {
				r.core.Prefetch(&events[k])
			}
		}
		e := &events[i]
		if e.Time >= r.opts.Window.To {
			return true, nil
		}
		r.applyEvent(e)
		if r.summary.Events%progressEvery == 0 {
			if err := r.pause(ctx); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// prefetched is the number of events whose records are prefetched together.
const prefetched = 16

// applyEvent follows one event.
func (r *treeRun) applyEvent(e *core.Event) {
	if r.now < 0 {
		begins := r.opts.LogBegins(e.Time)
		r.recorder.KnownFrom = begins
		r.core.SetLogStart(r.opts.Window.From - r.opts.Warmup)
	}
	if e.Time > r.now {
		r.advance(e.Time)
	}
	if e.Kind == core.TreeRecorded {
		r.learn(e)
	}
	if e.Kind == core.TreeRecorded && r.now >= 0 && r.clock.last != e.Time {
		if r.updated != e.Time {
			r.update() // the scheduler did, to record what it saw
		}
		r.clock.record(e.Time, r.period())
	} else if e.Kind > core.DemandChanged {
		r.updateRecorded()
	}
	r.learned.followVersion(e)
	r.asks.answerDecision(e)
	r.recorder.followProcess(e)
	r.recorder.snapshots.ApplyEvent(e)
	r.recorder.compareTotals(e)
	if len(r.recorder.limits.Repairable) > 0 {
		r.referee.FollowRepairs(e, r.recorder.limits.Repairable)
	}
	if !r.referee.Decide(e, r.started) {
		r.core.Step(e)
	}
	if r.started {
		r.recorder.count(e)
	} else {
		r.recorder.countEarlier(e)
	}
	r.summary.Events++
}

// lookAfter updates the shares once more, by the log up to the end of the window, for decisions
// that wait for the update after them (core/spec/invariants.md §1). Nothing else is recorded of
// it.
func (r *treeRun) lookAfter() {
	if at, ok := r.nextUpdate(); ok && r.core.Stale() && len(r.referee.Held) > 0 {
		if err := r.core.Update(at); err == nil {
			r.referee.Tick(r.now)
		}
	}
}

func (r *treeRun) pause(ctx context.Context) error {
	if r.opts.Progress != nil {
		r.opts.Progress(r.name, r.summary.Events, r.now)
	}
	if err := r.recorder.Out.Err; err != nil {
		return err
	}
	return ctx.Err()
}

// advance settles the present instant and moves to a later one, with the share
// updates that fall between them.
func (r *treeRun) advance(to core.Time) {
	r.recorder.snapshots.EndInstant()
	r.updateRecorded()
	r.endInstant()
	for at, ok := r.nextUpdate(); ok && at <= to; at, ok = r.nextUpdate() {
		r.asks.answerBefore(at)
		r.moveTo(at)
		r.update()
		if at < to {
			r.endInstant()
		} else {
			break
		}
	}
	r.asks.answerBefore(to)
	r.moveTo(to)
}

// sharelessPeriod is the time between updates where nothing has a share: they only
// keep up with who is there.
const sharelessPeriod = 3600 * core.Second

// nextUpdate returns when shares are updated next if nothing happens before: at the end of the
// period that changed something, or of the one in which a starvation timeout ends.
func (r *treeRun) nextUpdate() (at core.Time, ok bool) {
	if r.now < 0 {
		return 0, false // nothing has happened yet, and no volume grows
	}
	period := r.period()
	soonest := max((r.now/period+1)*period, r.clock.next(period))
	if r.core.Stale() {
		return soonest, true
	}
	at, ok = r.core.NextTick()
	if r.refused { // no clock of starvation runs while shares are unknown
		return at, false
	}
	return max(soonest, (at+period-1)/period*period), ok
}

// period is the time between updates of shares.
func (r *treeRun) period() core.Time {
	period := core.UpdatePeriod(r.core.Cluster())
	if r.shareless {
		period = max(period, sharelessPeriod)
	}
	return period
}

// updateRecorded repeats the update of a snapshot once the demand that it recorded is known.
func (r *treeRun) updateRecorded() {
	if r.clock.demandDue && r.core.Stale() {
		r.update()
	}
	r.clock.demandDue = false
}

// moveTo passes time in which nothing happens, the beginning of the log and the window's start
// included.
func (r *treeRun) moveTo(to core.Time) {
	if begins := r.opts.RecordedFrom(); r.now < begins && to >= begins && begins < r.opts.Window.From {
		r.recorder.episodes.PassTo(begins)
		r.recorder.episodes.Cut(begins, false) // what is earlier is no more than what was alive then
	}
	if from := r.opts.Window.From; !r.started && to >= from {
		r.started = true
		r.recorder.episodes.PassTo(from)
		r.now = from
		r.recorder.beginWindow(from)
	}
	if !r.started {
		r.recorder.episodes.PassTo(to)
	} else {
		r.recorder.passTo(to)
		if r.refused {
			r.summary.RefusedTime += int64(to - r.now)
		}
	}
	r.now = to
}

func (r *treeRun) endInstant() {
	r.referee.EndInstant()
	if r.started {
		r.referee.SettleSegments(r.now)
		r.recorder.endInstant(r.now)
	} else {
		r.recorder.skip(r.now)
	}
	r.core.ClearChanges()
}

func (r *treeRun) update() {
	r.summary.Updates++
	r.updated = r.now
	err := r.core.Update(r.now)
	r.refused = err != nil
	r.recorder.Stale = r.refused
	if r.refused {
		r.unknown = r.unknown || !r.core.StartsFromKnownState() || !r.core.IsSized()
		r.summary.RefusedUpdates++
		r.recorder.refuse(err)
	} else {
		r.noteKnown()
		r.referee.Tick(r.now)
		r.recorder.snapshots.SettleAnnouncements(r.now)
	}
}

// noteKnown has clocks be known from now on if the shares that they go by are since this
// update.
func (r *treeRun) noteKnown() {
	known := r.core.StartsFromKnownState()
	if known && r.unknown {
		from := max(r.recorder.KnownFrom, int64(r.now))
		r.recorder.KnownFrom = from
	}
	r.unknown = !known
}

func (r *treeRun) fillSummary() {
	config := r.core.Config()
	s := &r.summary
	s.Profile = r.opts.Profile.String()
	s.MainResource = r.core.MainResource()
	s.FromTime, s.ToTime = r.opts.Window.From, r.opts.Window.To
	s.Configured = !config.Assumed
	s.Total, s.MinSpare = r.core.Total(), r.core.Scheduling().LeastOffered()
	s.Pools = int64(r.core.Pools() - 1)
	s.Nodes = int64(r.core.Nodes())
}
