package audit

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/queries"
	"poolproof/replay/tables"
)

// comparedRun is a run of tree a: batch below prod waits, starves and loses jobs, by numbers
// that are worked out by hand below.
func comparedRun(t *testing.T) *testRun { return withDecisions(newTestRun(t)) }

func withDecisions(r *testRun) *testRun {
	withMetrics(r)
	r.manifest.From, r.manifest.To = "2023-11-14T22:13:20Z", "2023-11-14T22:30:00Z"
	op := func(id core.OperationID, pool core.PoolID, start int, first, finish core.Optional[core.Time], state string) tables.Operation {
		return tables.Operation{Operation: id, Pool: pool, StartTime: at(start), RunningTime: core.Some(at(max(start, 1))), FirstJobTime: first, FinishTime: finish, State: state, Jobs: 1}
	}
	none := core.Optional[core.Time]{}
	put(r, "a", op(0, 1, -10, core.Some(at(20)), core.Some(at(90)), "completed"), op(1, 0, 100, none, none, "running"), op(2, 2, 60, none, core.Some(at(60)), "rejected"))
	put(r, "a", tables.Job{Job: "j0", Operation: 0, Pool: 1, Node: core.Some[core.NodeID](0), StartTime: at(20), End: core.EndCompleted, Resources: resource.Vector{resource.UserSlots: 1, resource.CPU: 250}})
	put(r, "a", tables.Preemption{Time: at(50), Job: "j0", Operation: 0, Pool: 1, StartTime: at(20), Lost: core.Some[int64](30e6)},
		tables.Preemption{Time: at(51), Job: "j9", Operation: 0, Pool: 1, StartTime: at(20), Lost: core.Some[int64](1e5)})
	put(r, "a", tables.GuaranteeEpisode{Pool: 0, FromTime: at(0), ToTime: at(40), Owed: 7e9, Delivered: 4e9}, tables.GuaranteeEpisode{Pool: 0, FromTime: at(60), ToTime: at(65), Owed: 1e9})
	put(r, "a", tables.StarvationEpisode{Element: tables.ElementOperation, Operation: core.Some[core.OperationID](0), Pool: 1, FromTime: at(5), ToTime: at(9), Since: at(0)},
		tables.StarvationEpisode{Element: tables.ElementPool, Pool: 0, FromTime: at(5), ToTime: at(30), Since: at(0)})
	owes := func(level tables.DebtLevel, cause tables.DebtCause, owed int64) tables.ShareDebt {
		return tables.ShareDebt{Element: tables.ElementPool, Pool: 0, Level: level, Cause: cause, FromTime: at(0), ToTime: at(10), Lacking: 10e6, Deficit: 5e9, Owed: owed}
	}
	late := owes(tables.ToFairShare, tables.Fragmentation, 5e9)
	late.Element, late.Pool, late.Operation = tables.ElementOperation, 1, core.Some[core.OperationID](0)
	put(r, "a", owes(tables.ToGuarantee, tables.AncestorLimit, 2e9), owes(tables.ToGuarantee, tables.Fragmentation, 3e9), owes(tables.ToFairShare, tables.AncestorLimit, 5e9), owes(tables.ToDemand, tables.AncestorLimit, 5e9), late)
	put(r, "a", tables.PoolVersion{Pool: tables.Pool{Pool: 0, Path: "prod", Parent: core.RootPool, Weight: core.Some(2.0)}, FromTime: at(0), ToTime: at(1000)})
	return r
}

// TestMetrics: each metric of a tree, a pool with those below it and an operation.
func TestMetrics(t *testing.T) {
	t.Parallel()
	r := comparedRun(t)
	of := func(element, metrics string) [2]string {
		return [2]string{"SELECT string_agg(value, ' ' ORDER BY instr('" + metrics + "', metric)) FROM metrics WHERE element = '" + element + "' AND list_contains(string_split('" + metrics + "', ' '), metric)", ""}
	}
	for _, c := range []struct{ element, metrics, want string }{
		// op-a came 10 s before the window and waited 20 s in it; op-b waited from 100 to 1000.
		{"op-a", "wait duration completed preempted lost starved", "20.0 100.0 1.0 2.0 30.1 4.0"},
		{"op-b", "wait completed preempted lost starved", "900.0 0.0 0.0 0.0 0.0"},
		{"op-c", "rejected completed", "1.0 0.0"},
		{"batch", "wait longest_wait preempted lost missing_guarantee", "20.0 20.0 2.0 30.1 0.0"},
		{"prod", "wait longest_wait preempted lost starved missing_guarantee below_guarantee delay", "460.0 900.0 2.0 30.1 25.0 4.0 45.0 45.0"},
		{"prod", "owed_guarantee owed_fair_share unmet_demand", "5.0 5.0 10.0"},
		{"op-a", "owed_guarantee owed_fair_share unmet_demand", "0.0 5.0 5.0"},
		{"a", "owed_guarantee owed_fair_share unmet_demand", "5.0 5.0 5.0"},
		{"a", "wait rejected starved missing_guarantee usage", "460.0 1.0 4.0 4.0 0.0"},
	} {
		q := of(c.element, c.metrics)
		q[1] = c.want
		r.answers([][2]string{q})
	}
	r.answers([][2]string{{"SELECT count(DISTINCT metric), count(*) FILTER (better NOT IN ('', 'less', 'more') OR unit = '') FROM metrics", "22,0"}})
}

// TestCompare: what changed between two runs that differ in a weight, and by which decision.
func TestCompare(t *testing.T) {
	t.Parallel()
	before, after := comparedRun(t), comparedRun(t)
	job := func(id string, node core.NodeID, start int) tables.Job {
		return tables.Job{Job: id, Operation: 0, Pool: 1, Node: core.Some(node), StartTime: at(start), End: core.EndCompleted, Resources: resource.Vector{resource.UserSlots: 1, resource.CPU: 250}}
	}
	put(before, "a", job("j0", 0, 20), job("j1", 0, 30), job("j2", 0, 40))
	put(after, "a", job("i0", 0, 20), job("i1", 1, 30), job("i2", 0, 40)) // ids are other ones throughout
	put(after, "a", tables.Preemption{Time: at(50), Job: "j0", Operation: 0, Pool: 1, StartTime: at(20), Lost: core.Some[int64](10e6)})
	put(after, "a", tables.PoolVersion{Pool: tables.Pool{Pool: 0, Path: "prod", Parent: core.RootPool, Weight: core.Some(3.0)}, FromTime: at(0), ToTime: at(1000)})
	before.makeDatabase()
	after.makeDatabase()
	c, err := Compare(context.Background(), before.dir, after.dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	var changed []string
	for i := range c.Metrics {
		if m := &c.Metrics[i]; m.Judged() != "same" {
			changed = append(changed, fmt.Sprintf("%s %s %s %g to %g %s", m.Kind, m.Element, m.Metric, *m.Before, *m.After, m.Judged()))
		}
	}
	want := `tree a lost 30.1 to 10 better
tree a preempted 2 to 1 better
pool batch lost 30.1 to 10 better
pool batch preempted 2 to 1 better
pool prod lost 30.1 to 10 better
pool prod preempted 2 to 1 better
operation op-a lost 30.1 to 10 better
operation op-a preempted 2 to 1 better`
	if got := strings.Join(changed, "\n"); got != want {
		t.Errorf("changed\n%s\nwant\n%s", got, want)
	}
	f := c.First
	if f == nil || !f.Time.Equal(instant(at(30))) || fmt.Sprint(f.Before) != "[{gets a job op-a batch node1  1 user slot, 2.5 cores}]" || fmt.Sprint(f.After) != "[{gets a job op-a batch node2  1 user slot, 2.5 cores}]" {
		t.Fatalf("the first difference is %+v", f)
	}
	if fmt.Sprint(f.Causes) != "[{configuration pool prod weight 2 3}]" {
		t.Errorf("its causes are %v", f.Causes)
	}
	if same, err := Compare(context.Background(), before.dir, before.dir, 0); err != nil || same.First != nil {
		t.Errorf("a run differs from itself: %+v, %v", same.First, err)
	}
	asked, err := putTo(context.Background(), Asking, after.dir, Options{Queries: queries.Files}, AskedByMetrics()...)
	if err != nil {
		t.Fatal(err)
	}
	defer asked.Close()
	alone, err := asked.Metrics(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	db, err := OpenDatabase(after.dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	audited, err := (&Judged{Verdict: c.After, DB: db.DB}).Metrics(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	audited = slices.DeleteFunc(audited, func(c Change) bool { return c.Metric == "violations" })
	if !reflect.DeepEqual(alone, audited) || len(alone) < 100 {
		t.Errorf("without audits the %d metrics are not those of the audited run, %d", len(alone), len(audited))
	}
	if names, known := c.Has("a/prod"); !known || fmt.Sprint(names) != "[a ads batch prod]" {
		t.Errorf("names are %v", names)
	}
	if _, known := c.Has("prdo"); known {
		t.Error("it has what it has not")
	}
}

// TestChangesSideBySide: what one of two runs lacks, an element or a metric, has no value of that run;
// trees come first, then pools, then operations.
func TestChangesSideBySide(t *testing.T) {
	t.Parallel()
	run := func(kinds, names, metrics string, value float64) *Judged {
		j := &Judged{elements: []element{}}
		for i, kind := range strings.Fields(kinds) {
			e := element{tree: "a", kind: kind, name: strings.Fields(names)[i]}
			for _, m := range strings.Fields(metrics) {
				e.numbers = append(e.numbers, metricValue{&metric{name: m}, sql.NullFloat64{Float64: value, Valid: value > 0}})
			}
			j.elements = append(j.elements, e)
		}
		return j
	}
	said := func(x *float64) string {
		if x == nil {
			return "none"
		}
		return fmt.Sprint(*x)
	}
	for _, c := range []struct {
		before, after *Judged
		want          string
	}{
		{run("operation pool tree", "op p a", "m n", 1), run("operation pool tree", "op p a", "m n", 2),
			"tree a m 1 2, tree a n 1 2, pool p m 1 2, pool p n 1 2, operation op m 1 2, operation op n 1 2"},
		{run("pool pool", "p q", "m", 1), run("pool pool", "o p", "m", 2), "pool o m none 2, pool p m 1 2, pool q m 1 none"},
		{run("pool", "p", "m", 1), run("", "", "", 0), "pool p m 1 none"},
		{run("", "", "", 0), run("pool", "p", "m", 1), "pool p m none 1"},
		{run("pool", "p", "m n", 1), run("pool", "p", "l n", 2), "pool p m 1 none, pool p n 1 2, pool p l none 2"},
		{run("pool", "p", "m", 1), run("pool", "p", "m", 0), "pool p m 1 none"},
	} {
		all, err := changes(t.Context(), c.before, c.after)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range all {
			got = append(got, strings.Join([]string{m.Kind, m.Element, m.Metric, said(m.Before), said(m.After)}, " "))
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestWhatAChangeIsMeasuredAgainst: a number is better or worse only if what it is measured against is the
// same in both runs, and beyond noise.
func TestWhatAChangeIsMeasuredAgainst(t *testing.T) {
	t.Parallel()
	run := func(guarantee, owed, wait float64) *Judged {
		number := func(name, better, against string, value float64) metricValue {
			return metricValue{&metric{name: name, better: better, against: against}, sql.NullFloat64{Float64: value, Valid: value >= 0}}
		}
		return &Judged{elements: []element{{tree: "a", kind: "pool", name: "p", numbers: []metricValue{
			number("guarantee", "", "", guarantee), number("owed_guarantee", "less", "guarantee", owed), number("wait", "less", "", wait),
		}}}}
	}
	noise := 5.0
	for _, c := range []struct {
		name          string
		before, after *Judged
		noise         *float64
		want          string
	}{
		{"the same guarantee", run(10, 1, 3), run(10.0001, 2, 9), nil, "other worse worse"},
		{"a greater guarantee", run(10, 1, 3), run(30, 2, 9), nil, "other other worse"},
		{"a guarantee that only one of them has", run(-1, 1, 3), run(30, 2, 9), nil, "other other worse"},
		{"within noise", run(10, 1, 3), run(10, 9, 4), &noise, "same worse unclear"},
		{"nothing changes", run(10, 1, 3), run(10, 1, 3), &noise, "same same same"},
	} {
		all, err := changes(t.Context(), c.before, c.after)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range all {
			all[i].Noise = c.noise
			got = append(got, all[i].Judged())
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestFirstDifferenceOfAnyTime: the first decision that differs is found wherever it is: in the first
// minute, where spans that are looked through meet, and in the last moment of the window.
func TestFirstDifferenceOfAnyTime(t *testing.T) {
	t.Parallel()
	job := func(start int) tables.Job {
		return tables.Job{Job: fmt.Sprint("j", start), Operation: 0, Pool: 1, Node: core.Some[core.NodeID](0), StartTime: at(start), End: core.EndCompleted}
	}
	judged := func(jobs ...tables.Job) *Judged {
		r := comparedRun(t)
		put(r, "a", jobs...)
		j, err := putTo(context.Background(), Judging, r.dir, Options{Queries: about(t, "job_without_end"), Workers: 1, FindingsAlone: true}, AskedByCompare()...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { j.Close() })
		return j
	}
	before := judged(job(20))
	for _, start := range []int{0, 59, 60, 300, 999} {
		c, err := judged(job(20), job(start), job(999)).Compare(context.Background(), before)
		if err != nil {
			t.Fatal(err)
		}
		if c.First == nil || !c.First.Time.Equal(instant(at(start))) {
			t.Errorf("of %d s the first difference is %+v", start, c.First)
		}
	}
}

// TestLessThose: what is there twice is left once where the other list has it once.
func TestLessThose(t *testing.T) {
	t.Parallel()
	a, b := Decision{Kind: "a"}, Decision{Kind: "b"}
	if got := lessThose([]Decision{a, a, b}, []Decision{b, a}); len(got) != 1 || got[0] != a {
		t.Errorf("left are %v", got)
	}
}

func instant(t core.Time) time.Time { return time.UnixMicro(int64(t)) }
