package command

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"poolproof/audit"
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest"
	"poolproof/ingest/rerun"
	"poolproof/ingest/synthetic"
	"poolproof/ingest/whatif"
	"poolproof/queries"
	"poolproof/replay"
	"poolproof/replay/env"
)

// TestRerun: what the core decides anew of the day of a trace breaks no rule, and what
// ran to its end took as long as in the trace.
func TestRerun(t *testing.T) {
	spec, err := synthetic.Preset("small")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "trace")
	if _, err := synthetic.Generate(t.Context(), synthetic.Options{Spec: spec, Seed: 1, Out: dir}); err != nil {
		t.Fatal(err)
	}
	recorded, err := ingest.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	log := rerunOf(t, recorded)
	v := judgeSimulated(t, recorded, log)
	if !slices.ContainsFunc(v.Outcomes, func(o audit.Outcome) bool { return o.Seen > 0 && o.Audit.ID == "preemption_of_protected_job" }) {
		t.Error("no preemption was judged")
	}
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Verdict == audit.Violated {
			t.Errorf("%s %s of %s %s from %s: %s", f.Verdict, f.Invariant, f.SubjectKind, f.Subject, f.From, f.Reason)
		}
	}
	again := rerunOf(t, recorded)
	for i := range log.Plan.Trees {
		if !slices.EqualFunc(eventsOf(log, i), eventsOf(again, i), sameEvent) {
			t.Error("the same trace was decided in two ways")
		}
	}
	checkRuns(t, recorded, log)
}

// rerunOf lets the core decide a trace anew.
func rerunOf(t *testing.T, recorded *ingest.Trace) *whatif.Log {
	t.Helper()
	plan, _, err := rerun.Plan(t.Context(), recorded, core.Documented, recorded.Window())
	if err != nil {
		t.Fatal(err)
	}
	log, err := whatif.Simulate(t.Context(), plan, whatif.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func eventsOf(log *whatif.Log, tree int) (all []core.Event) {
	for e := range log.Events(tree) {
		own := *e
		own.Name = bytes.Clone(e.Name)
		all = append(all, own)
	}
	return all
}

func sameEvent(a, b core.Event) bool {
	told := func(e *core.Event) string {
		return fmt.Sprint(e.Time, e.Kind, e.Seq, e.Pool, e.Operation, e.Node, e.Job, string(e.Name), e.Step, e.Status, e.Limits, e.Usage, e.Needed, e.Finish.Value, e.End, e.Reason, e.Stage)
	}
	return told(&a) == told(&b)
}

// A ran is a job that was completed.
type ran struct {
	size resource.Vector
	time core.Time
}

// A life is what jobs of an operation did.
type life struct {
	ran       []ran
	unknown   bool // how long some of its work takes is not known
	completed bool
}

// note takes an event into the life of its operation. Room is when those are gone that
// were preempted for a job, by its name: it runs from then on.
func note(all map[core.OperationID]*life, room map[string]core.Time, e *core.Event) {
	if e.Operation == core.Unknown {
		return
	}
	l := all[e.Operation]
	if l == nil {
		l = &life{}
		all[e.Operation] = l
	}
	switch {
	case e.Kind == core.JobPreempted && e.PreemptorJob != "":
		room[e.PreemptorJob] = max(room[e.PreemptorJob], e.Finish.Value)
	case e.Kind == core.JobStarted && e.End == core.EndCompleted:
		l.ran = append(l.ran, ran{e.Limits, e.Finish.Value - max(e.Time, room[string(e.Name)])})
	case e.Kind == core.JobStarted && e.End != core.EndFailed:
		l.unknown = true
	case e.Kind == core.OperationChanged && e.Step == core.StepCompleted:
		l.completed = true
	}
}

// checkRuns compares how long jobs ran that were completed: of operations that did all
// their work undisturbed, both times, all of them took as long.
func checkRuns(t *testing.T, recorded *ingest.Trace, log *whatif.Log) {
	t.Helper()
	was, is := map[core.OperationID]*life{}, map[core.OperationID]*life{}
	for i, tree := range recorded.Trees() {
		room, again := map[string]core.Time{}, map[string]core.Time{}
		for e, err := range recorded.Events(tree, ingest.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			note(was, room, e)
		}
		for e := range log.Events(i) {
			note(is, again, e)
		}
	}
	compared, completed := 0, [2]int{}
	for id, a := range was {
		b := is[id]
		if a.completed {
			completed[0]++
		}
		if b != nil && b.completed {
			completed[1]++
		}
		if b == nil || !a.completed || !b.completed || a.unknown || b.unknown {
			continue
		}
		for _, l := range []*life{a, b} {
			slices.SortFunc(l.ran, func(x, y ran) int { return cmp.Or(cmp.Compare(x.time, y.time), slices.Compare(x.size[:], y.size[:])) })
		}
		if compared += len(a.ran); !slices.Equal(a.ran, b.ran) {
			t.Errorf("jobs of operation %d took %v in the trace, and then %v", id, a.ran, b.ran)
		}
	}
	if compared < 1000 {
		t.Errorf("%d jobs could be compared: the trace tests too little", compared)
	}
	if completed[0] == 0 || completed[1] < completed[0] {
		t.Errorf("%d operations were completed, and %d in the trace", completed[1], completed[0])
	}
}

// judgeSimulated replays and audits what a simulation did.
func judgeSimulated(t *testing.T, of *ingest.Trace, log *whatif.Log) *audit.Verdict {
	t.Helper()
	opts, err := replayOptions(of, &replayRequest{resolution: env.DefaultResolution, selection: selection{workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var trees []env.Tree
	for i := range log.Plan.Trees {
		trees = append(trees, env.Tree{Name: log.Plan.Trees[i].Name, Events: log.Events(i)})
	}
	dir := t.TempDir()
	summary, err := replay.Run(t.Context(), dir, log.Plan.Dimensions, trees, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := replay.NewManifest("test", opts, summary).Write(dir); err != nil {
		t.Fatal(err)
	}
	v, err := audit.Run(t.Context(), audit.Options{Dir: dir, Queries: queries.Files, Workers: 1, Only: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
