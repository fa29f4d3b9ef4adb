package synthetic

import (
	"fmt"
	"slices"

	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
	"poolproof/ingest/trace"
)

// A PlantError says why a plant cannot grow in a cluster, or did not. What it
// claims would not be in the trace.
type PlantError struct{ Kind, Why string }

func (e *PlantError) Error() string { return fmt.Sprintf("plant %s: %s", e.Kind, e.Why) }

// BadInput marks the error as one of what was asked for.
func (e *PlantError) BadInput() bool { return true }

// hooks are how many changes of what is recorded there are.
type hooks struct{ distort, reports, endings, stuck int }

func (r *recorder) hooks() hooks {
	return hooks{len(r.distort), len(r.reports), len(r.endings), len(r.stuck)}
}

// watch has what the plant's fault does noted: which decisions it alters, and
// what it changes of records since there were so many hooks.
func (f *field) watch(since hooks) {
	f.watchDecisions()
	f.watchOrder()
	r := f.recorder
	for i := range r.distort[since.distort:] {
		d := &r.distort[since.distort+i]
		d.tree, d.pool, d.operation = noted(f, d.tree), noted(f, d.pool), noted(f, d.operation)
		d.strayed = func() { f.happened = true }
	}
	for i := since.reports; i < len(r.reports); i++ {
		r.reports[i] = noted(f, r.reports[i])
	}
	for i := since.endings; i < len(r.endings); i++ {
		r.endings[i] = noted(f, r.endings[i])
	}
	for i := since.stuck; i < len(r.stuck); i++ {
		waits := r.stuck[i]
		r.stuck[i] = func(j *trace.Job, at core.Time) bool {
			stuck := waits(j, at)
			f.happened = f.happened || stuck
			return stuck
		}
	}
	m := &f.injector
	f.watched = r.hooks() != since || m.Decide != nil || m.Stop != nil || m.Keep != nil || m.Place != nil || m.Move != nil || m.Run != nil || m.Status != nil
}

// noted is a change of a row that is noted if it changes anything.
func noted[T comparable](f *field, change func(*T)) func(*T) {
	if change == nil {
		return nil
	}
	return func(row *T) {
		before := *row
		change(row)
		f.happened = f.happened || *row != before
	}
}

// watchDecisions notes what becomes of heartbeats and of those who leave.
func (f *field) watchDecisions() {
	decide, stop, keep := f.injector.Decide, f.injector.Stop, f.injector.Keep
	if decide != nil && !f.tells {
		f.injector.Decide = func(h *simulate.Heartbeat, d *core.Decision) *core.Decision {
			started, preempted, asides := slices.Clone(d.Started), slices.Clone(d.Preempted), len(f.recorder.asides)
			d = decide(h, d)
			f.happened = f.happened || !slices.Equal(started, d.Started) || !slices.Equal(preempted, d.Preempted) || len(f.recorder.asides) > asides
			return d
		}
	}
	if stop != nil {
		f.injector.Stop = func(at core.Time, tree int, o core.OperationID, e simulate.Ending) simulate.Ending {
			bent := stop(at, tree, o, e)
			f.happened = f.happened || bent != e
			return bent
		}
	}
	if keep != nil {
		f.injector.Keep = func(at core.Time, tree int, n core.NodeID) bool {
			kept := keep(at, tree, n)
			f.happened = f.happened || kept
			return kept
		}
	}
}

// A landing alters where an operation lands, or why it may not.
type landing = func(at core.Time, tree int, o core.OperationID, pool string, refused error) (string, error)

func (f *field) watchLanding(alter landing) landing {
	if alter == nil {
		return nil
	}
	return func(at core.Time, tree int, o core.OperationID, pool string, refused error) (string, error) {
		in, err := alter(at, tree, o, pool, refused)
		f.happened = f.happened || in != pool || (err == nil) != (refused == nil)
		return in, err
	}
}

// watchOrder notes where operations land, which are marked running, and which
// are said to starve.
func (f *field) watchOrder() {
	f.injector.Place, f.injector.Move = f.watchLanding(f.injector.Place), f.watchLanding(f.injector.Move)
	run, status := f.injector.Run, f.injector.Status
	if run != nil {
		f.injector.Run = func(at core.Time, tree int, o core.OperationID) core.OperationID {
			bent := run(at, tree, o)
			f.happened = f.happened || bent != o
			return bent
		}
	}
	if status != nil {
		f.injector.Status = func(at core.Time, tree int, o core.OperationID, s scheduling.Status) scheduling.Status {
			bent := status(at, tree, o, s)
			f.happened = f.happened || bent != s
			return bent
		}
	}
}

// usualHeartbeats is the heartbeat_period that plants were made for.
const usualHeartbeats = 5 * core.Second

// missing is an error if nothing of the plant came to be: its nodes did not
// report, or its fault found no moment. What a fault changes of the plan is
// there from the start.
func (f *field) missing() error {
	switch {
	case !f.reported && f.to-f.from >= 4*usualHeartbeats:
		return &PlantError{f.plant.Kind, fmt.Sprintf("no node of its tree reported from %s to %s, when it is to happen; plant it with --preset none, or shorten heartbeat_period", clock(f.from), clock(f.to))}
	case f.watched && !f.happened:
		return &PlantError{f.plant.Kind, fmt.Sprintf("what it does found no moment from %s to %s in this cluster, and the trace would not show it; plant it alone, with --preset none, whose periods suit it, or with another --seed: more nodes beside its own move when those report",
			clock(f.from), clock(f.to))}
	}
	return nil
}

// fits is an error if the plant cannot grow beside the trees of a description:
// all they share is the scheduler.
func (p *Plant) fits(own, all *Spec) error {
	asked, err := core.ParseProfile(own.Profile)
	if err != nil {
		return err
	}
	switch given, err := core.ParseProfile(all.Profile); {
	case err != nil:
		return err
	case given != asked:
		return &PlantError{p.Kind, fmt.Sprintf("its scheduler is of the profile %v, and that of the cluster of the profile %v: plant it alone, with --preset none", asked, given)}
	case own.MaxStartedJobs != all.MaxStartedJobs && own.MaxStartedJobs > 0:
		return &PlantError{p.Kind, fmt.Sprintf("it is about a cluster whose max_started_jobs_per_heartbeat is %d: plant it alone, with --preset none", own.MaxStartedJobs)}
	}
	for _, t := range all.trees {
		for i := range own.Nodes {
			group := &own.Nodes[i]
			if filter, err := t.filter(); err == nil && filter.Match(group.tagSet()) {
				return &PlantError{p.Kind, fmt.Sprintf("the nodes_filter of tree %s matches its nodes %s (tags %v), which would serve two trees and get no job: give that tree a nodes_filter of tags of its own",
					t.name, group.Name, group.Tags)}
			}
		}
	}
	return nil
}
