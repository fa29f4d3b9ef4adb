package audit

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/queries"
	"poolproof/replay/tables"
)

// recordAudits are the audits of what the scheduler recorded of itself, with the
// rules that they are about.
func recordAudits(t *testing.T) map[string][]string {
	t.Helper()
	all, err := ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][]string{}
	for _, a := range all {
		if slices.Contains(a.Reads, "snapshot_checks") && a.ID != "integral_guarantee_exceeded" { // one side of a rule: see its test
			of[a.ID] = a.Invariants
		}
	}
	return of
}

func TestRecordsOfTheScheduler(t *testing.T) {
	t.Parallel()
	of := recordAudits(t)
	if len(of) < 15 {
		t.Fatalf("only %d audits read snapshot_checks", len(of))
	}
	check := func(id string, verdict string, pool core.PoolID, from, to int) tables.SnapshotCheck {
		return tables.SnapshotCheck{
			Invariant: id, Verdict: verdict, Element: tables.ElementPool, Pool: pool, FromTime: at(from), ToTime: at(to), Records: 3, Violated: 2,
			WorstTime: at(from), Unit: "share", Resource: resource.CPU, Found: 0.25, Allowed: 0.75, Judged: "recomputed",
			Sentence: id + " " + verdict + ": something holds; it has 0.2500, and 0.7500 is due",
		}
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	var rows []tables.SnapshotCheck
	var tallies []tables.SnapshotTally
	for _, ids := range of {
		for _, id := range ids {
			operation := check(id, "suspect", 1, 200, 900)
			operation.Element, operation.Operation, operation.Judged = tables.ElementOperation, core.Some(core.OperationID(1)), "possible"
			excused := check(id, "excused", 2, 300, 900)
			excused.Excuse = "scheduler_reconnecting"
			rows = append(rows, check(id, "violated", 0, 100, 900), operation, excused)
			tallies = append(tallies, tables.SnapshotTally{Invariant: id, OK: 7, Violated: 3})
		}
	}
	rows = append(rows, check("PRE-99", "violated", 0, 100, 900)) // nobody's
	put(r, "a", rows...)
	put(r, "a", tallies...)
	r.addTree("kept", whole())
	put(r, "kept", tallies...)
	r.addTree("blind", whole())
	for i := range tallies {
		tallies[i].OK, tallies[i].Violated, tallies[i].Undecidable, tallies[i].Missing = 0, 0, 5, "configuration"
	}
	put(r, "blind", tallies...)
	r.addTree("silent", whole())
	v := r.judge(slices.Sorted(maps.Keys(of))...)
	for i := range v.Findings {
		f, want := &v.Findings[i], ", in 3 records of the scheduler: "
		if f.Verdict == Violated || f.Verdict == Damaged && f.Judged != "possible" { // the others of the span are suspect or excused
			want = ", in 2 of 3 records of the scheduler: "
		}
		if !strings.Contains(f.Reason, want) {
			t.Errorf("%q lacks %q", f.Reason, want)
		}
	}
	for id, ids := range of {
		found := v.found(id)
		for _, invariant := range ids {
			aspect := " " + invariant
			if len(ids) == 1 && !strings.Contains(found, aspect) {
				aspect = ""
			}
			for _, want := range []string{
				"violated a pool prod" + aspect + " 0.5 share", "suspect a operation op-b" + aspect + " 0.5 share", "excused a pool ads" + aspect + " 0.5 share",
			} {
				if v.outcome(id, "a").Audit.Concerns == concernsLog {
					want = strings.NewReplacer("violated", "damaged", "suspect", "damaged").Replace(want)
				}
				if !strings.Contains(found, want) {
					t.Errorf("%s lacks %q in\n%s", id, want, found)
				}
			}
		}
		if n := strings.Count(found, "\n") + 1; n != 3*len(ids) {
			t.Errorf("%s has %d findings, of %v", id, n, ids)
		}
		silent := Undecidable
		if id == "accumulated_volumes_differ" { // schedulers before 25.2 report no volumes
			silent = Idle
		}
		for tree, want := range map[string]Judgement{"kept": OK, "blind": Undecidable, "silent": silent} {
			if o := v.outcome(id, tree); o.Verdict != want || o.Findings != 0 || (o.Seen == 0) != (want != OK) || (o.Reason == "") != (want == OK) {
				t.Errorf("%s: %+v", id, o)
			}
		}
		if o := v.outcome(id, "blind"); !strings.Contains(o.Reason, "without configuration") {
			t.Errorf("%s: %q", id, o.Reason)
		}
	}
}

// Both sides of GUA-05 are told apart: what is too much breaks no promise to the
// pool.
func TestTooMuchOfAnIntegralGuarantee(t *testing.T) {
	t.Parallel()
	little := tables.SnapshotCheck{
		Invariant: "GUA-05", Verdict: "violated", Element: tables.ElementPool, FromTime: at(0), ToTime: at(10), Records: 2,
		Unit: "share", Resource: resource.CPU, Found: 0, Allowed: 0.25, Judged: "recorded",
	}
	much := little
	much.Pool, much.Aspect, much.Found = 1, "relaxed_share_multiplier_limit", 0.75
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", little, much)
	put(r, "a", tables.SnapshotTally{Invariant: "GUA-05", OK: 1})
	r.addTree("kept", whole())
	put(r, "kept", tables.SnapshotTally{Invariant: "GUA-05", OK: 1})
	v := r.judge()
	if got := v.found("integral_guarantee_not_granted"); got != "violated a pool prod GUA-05 0.25 share" {
		t.Error(got)
	}
	if got := v.found("integral_guarantee_exceeded"); got != "violated a pool batch GUA-05 relaxed_share_multiplier_limit 0.5 share" {
		t.Error(got)
	}
	if o := v.outcome("integral_guarantee_exceeded", "kept"); o.Verdict != OK || o.Seen != 1 {
		t.Errorf("%+v", o)
	}
}

// A difference of usage that is no longer than reports may lag is excused.
func TestRecordedUsageMayLag(t *testing.T) {
	t.Parallel()
	late := tables.SnapshotCheck{
		Invariant: "LOG-01", Verdict: "violated", Element: tables.ElementPool, FromTime: at(0), ToTime: at(10), Records: 2,
		Unit: "amount", Resource: resource.CPU, Found: 500, Allowed: 300, Judged: "recomputed",
	}
	lasting := late
	lasting.Pool, lasting.ToTime = 1, at(11)
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", late, lasting)
	put(r, "a", tables.SnapshotTally{Invariant: "LOG-01", OK: 1})
	if got := r.judge("recorded_usage_differs").found("recorded_usage_differs"); got != "damaged a pool batch 2 cores\nexcused a pool prod 2 cores" {
		t.Error(got)
	}
}

// A difference of limits that is over before the next sample of nodes is suspect where
// the log tells of nodes by samples.
func TestRecordedLimitsMayFollowSamples(t *testing.T) {
	t.Parallel()
	brief := tables.SnapshotCheck{
		Invariant: "LIM-09", Verdict: "violated", Element: tables.ElementPool, FromTime: at(0), ToTime: at(35), Records: 2,
		Unit: "amount", Resource: resource.CPU, Found: 500, Allowed: 300, Judged: "recomputed",
	}
	lasting := brief
	lasting.Pool, lasting.ToTime = 1, at(36)
	r := newTestRun(t)
	for tree, states := range map[string]string{"a": "recorded", "b": "sampled", "c": "inferred"} {
		r.addTree(tree, whole("node_states", states))
		put(r, tree, brief, lasting)
		put(r, tree, tables.SnapshotTally{Invariant: "LIM-09", OK: 1})
	}
	want := "violated a pool batch LIM-09 2 cores\nviolated a pool prod LIM-09 2 cores\nviolated b pool batch LIM-09 2 cores\nviolated c pool batch LIM-09 2 cores\nsuspect b pool prod LIM-09 2 cores\nsuspect c pool prod LIM-09 2 cores"
	if got := r.judge("recorded_limits_differ").found("recorded_limits_differ"); got != want {
		t.Error(got)
	}
}

func TestStarvationToLookAt(t *testing.T) {
	t.Parallel()
	hungry := func(op core.OperationID, from, to, limited int) tables.StarvationEpisode {
		return tables.StarvationEpisode{
			Element: tables.ElementOperation, Operation: core.Some(op), For: scheduling.FairShare, Status: scheduling.Starving,
			Since: at(from - 30), FromTime: at(from), ToTime: at(to), Resource: resource.CPU, Gap: 0.25, Limited: int64(limited) * 1e6,
			Preemptible: core.Some(int64(to-from) * 1e6), PreemptibleFrom: core.Some(at(from)),
			SurelyPreemptible: core.Some(int64(to-from) * 1e6), SurelyPreemptibleFrom: core.Some(at(from)),
		}
	}
	ran := tables.OperationInterval{Operation: 1, Running: true, Interval: tables.Interval{FromTime: at(0), ToTime: at(10000)}}
	states := whole("tree_config", "single")
	r := newTestRun(t)
	r.addTree("a", states)
	put(r, "a", ran)
	kept := hungry(1, 100, 800, 200) // by limits
	kept.Preemptible, kept.SurelyPreemptible = core.Some(int64(500e6)), core.Some(int64(500e6))
	unsized := hungry(2, 3000, 3700, 0) // nobody knows that a job is so small
	unsized.SurelyPreemptible, unsized.SurelyPreemptibleFrom, unsized.PreemptibleFrom = core.Some(int64(600e6)), core.Some(at(3100)), core.Some(at(3000))
	r.addTree("unsized", states)
	put(r, "unsized", ran)
	put(r, "unsized", unsized)
	put(r, "a", hungry(0, 100, 800, 0), kept, hungry(2, 100, 700, 0), hungry(2, 2000, 2800, 0), hungry(2, 4600, 5500, 0))
	put(r, "a", tables.ExcuseWindow{Cause: "update_pools_alert", FromTime: at(2600), ToTime: at(4000)},
		tables.ExcuseWindow{Cause: "trees_updating", FromTime: at(4590), ToTime: at(4700)}, tables.ExcuseWindow{Cause: "update_pools_alert", FromTime: at(5310), ToTime: at(6000)})
	r.addTree("flapping", states)
	put(r, "flapping", ran)
	var flaps []tables.StarvationEpisode
	for i := range 5 { // ten turns in 600 s; nine in as long; nine and the end of the operation
		flaps = append(flaps, hungry(0, 100+i*140, 140+i*140, 0), hungry(1, 100+i*141, 140+i*141, 0))
		over := hungry(2, 100+i*140, 140+i*140, 0)
		if i == 4 {
			over.End = tables.StarvationFinished
		}
		flaps = append(flaps, over)
	}
	put(r, "flapping", flaps...)
	r.addTree("kept", states)
	put(r, "kept", ran)
	r.addTree("idle", states)
	v := r.judge("starving_too_long", "starvation_flaps")
	if got := v.found("starving_too_long"); got != "excused a operation op-c 800 s\nexcused a operation op-b 700 s\nnoted a operation op-c 900 s\nnoted a operation op-a 700 s\nnoted unsized operation op-c 700 s" {
		t.Error(got)
	}
	if got := v.found("starvation_flaps"); got != "noted flapping operation op-a 10 times" {
		t.Error(got)
	}
	for _, audit := range []string{"starving_too_long", "starvation_flaps"} {
		if o := v.outcome(audit, "kept"); o.Verdict != OK || o.Seen != 1 {
			t.Errorf("%+v", o)
		}
		if o := v.outcome(audit, "idle"); o.Verdict != Idle || o.Reason != "no operation ran" {
			t.Errorf("%+v", o)
		}
	}
}

// Who starves for both shares starves once: from the first of the episodes that touch
// to the last, and where only one kind goes on nobody turned.
func TestStarvationForBothShares(t *testing.T) {
	t.Parallel()
	kinds := map[byte]scheduling.Kind{'m': scheduling.MinShare, 'f': scheduling.FairShare}
	hungry := func(kind byte, op core.OperationID, from, to, preemptible int) tables.StarvationEpisode {
		return tables.StarvationEpisode{
			Element: tables.ElementOperation, Operation: core.Some(op), For: kinds[kind], Status: scheduling.Starving,
			Since: at(from - 30), FromTime: at(from), ToTime: at(to), Resource: resource.CPU, Gap: 0.25,
			Owed: int64(to-from) * 1e9, Limited: int64(to-from) * 5e5,
			Preemptible: core.Some(int64(preemptible) * 1e6), PreemptibleFrom: core.Some(at(from)),
			SurelyPreemptible: core.Some(int64(preemptible) * 1e6), SurelyPreemptibleFrom: core.Some(at(from)),
		}
	}
	pool := hungry('f', 0, 700, 730, 0) // is none of the operations that are numbered as it
	pool.Element, pool.Operation = tables.ElementPool, core.Optional[core.OperationID]{}
	r := newTestRun(t)
	for _, tree := range []string{"a", "b"} {
		r.addTree(tree, whole("tree_config", "single"))
		put(r, tree, tables.OperationInterval{Operation: 1, Running: true, Interval: tables.Interval{FromTime: at(0), ToTime: at(10000)}})
	}
	put(r, "a", pool,
		hungry('m', 0, 100, 500, 400), hungry('f', 0, 400, 800, 650), // overlap
		hungry('m', 1, 100, 500, 400), hungry('f', 1, 500, 800, 700), // meet
		hungry('m', 2, 100, 500, 400), hungry('f', 2, 501, 900, 399)) // do not
	b := []tables.StarvationEpisode{
		hungry('f', 0, 100, 800, 600), hungry('m', 0, 200, 300, 200), hungry('m', 0, 400, 700, 500), // one in the other, but served too seldom
		hungry('f', 1, 990, 1320, 0),
	}
	for i := range 10 {
		b = append(b, hungry('m', 1, 1000+i*30, 1010+i*30, 0))
	}
	put(r, "b", b...)
	v := r.audit("starving_too_long", "starvation_flaps")
	if got := v.found("starving_too_long"); got != "excused b operation op-a 700 s\nnoted a operation op-a 700 s\nnoted a operation op-b 700 s" {
		t.Error(got)
	}
	if got := v.found("starvation_flaps"); got != "" {
		t.Error(got)
	}
	f := v.Findings[1]
	for _, want := range []string{"starved for its min share and its fair share for 11 min 40 s", "For 10 min 50 s of it without a break, preemption could have made room"} {
		if !strings.Contains(f.Reason, want) {
			t.Errorf("%q lacks %q", f.Reason, want)
		}
	}
	if e := string(f.Evidence); !strings.Contains(e, `"limited_s":200.0`) || !strings.Contains(e, `"missing_share_seconds":400.0`) {
		t.Error(e)
	}
	if got := r.query(`SELECT string_agg(printf('%s %s %.0f', tree, element, span_seconds(from_time, to_time)), ', ' ORDER BY tree, element_kind, element, from_time) FROM starvation_spans`); got !=
		`"a op-a 700, a op-b 700, a op-c 400, a op-c 399, a prod 30, b op-a 700, b op-b 330"` {
		t.Error(got)
	}
}

// What a span tells of its episodes, which here differ in all of it.
func TestStarvationSpans(t *testing.T) {
	t.Parallel()
	low := tables.StarvationEpisode{
		Element: tables.ElementOperation, Operation: core.Some(core.OperationID(0)), Pool: 0, For: scheduling.MinShare, Status: scheduling.Starving,
		Since: at(70), FromTime: at(100), ToTime: at(500), ClippedFrom: true, End: tables.StarvationRecovered,
		Resource: resource.CPU, Gap: 0.25, Owed: 500e9, Delivered: 100e9, Limited: 250e6,
		Preemptible: core.Some(int64(100e6)), PreemptibleFrom: core.Some(at(120)), SurelyPreemptible: core.Some(int64(90e6)), SurelyPreemptibleFrom: core.Some(at(130)),
	}
	again := low
	again.Pool, again.Since, again.FromTime, again.ToTime, again.ClippedFrom, again.Gap = 1, at(590), at(600), at(700), false, 0.125
	high := low
	high.Pool, high.For, high.Status, high.Since, high.FromTime, high.ToTime = 1, scheduling.FairShare, scheduling.AggressivelyStarving, at(80), at(400), at(900)
	high.ClippedFrom, high.ClippedTo, high.End, high.Resource, high.Gap = false, true, tables.StarvationGoesOn, resource.Memory, 0.5
	high.Owed, high.Limited, high.Preemptible, high.PreemptibleFrom = 600e9, 300e6, core.Some(int64(700e6)), core.Some(at(150))
	high.SurelyPreemptible, high.SurelyPreemptibleFrom = core.Some(int64(80e6)), core.Some(at(140))
	plain := high
	plain.Operation, plain.Status, plain.ClippedTo, plain.Preemptible, plain.PreemptibleFrom = core.Some(core.OperationID(1)), scheduling.Starving, false, core.Optional[int64]{}, core.Optional[core.Time]{}
	plain.SurelyPreemptible, plain.SurelyPreemptibleFrom, plain.Owed, plain.Limited = plain.Preemptible, plain.PreemptibleFrom, 900e9, 350e6
	more := plain
	more.For, more.Owed, more.Limited = scheduling.MinShare, 400e9, 50e6
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", low, again, high, plain, more)
	r.makeDatabase()
	got := r.queryAsIs(`SELECT string_agg(concat_ws(' ', element, pool, kinds, starvation_status, epoch(since_time)::BIGINT - 1700000000, epoch(from_time)::BIGINT - 1700000000,
		epoch(to_time)::BIGINT - 1700000000, clipped_from, clipped_to, end_cause, gap, resource, limited_s, missing_share_seconds, coalesce(preemptible_s::TEXT, 'unseen'),
		epoch(preemptible_from_time)::BIGINT - 1700000000, coalesce(surely_preemptible_s::TEXT, 'unseen'), epoch(surely_preemptible_from_time)::BIGINT - 1700000000), chr(10) ORDER BY element) FROM starvation_spans`)
	want := "op-a batch [min_share, fair_share] aggressively_starving 70 100 900 true true window_end 0.5 memory 500.0 800.0 700.0 150 90.0 130\n" +
		"op-b batch [min_share, fair_share] starving 80 400 900 false false window_end 0.5 memory 350.0 800.0 unseen unseen"
	if got = strings.Trim(got, `"`); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestUsageAboveMaxShare(t *testing.T) {
	t.Parallel()
	span := func(pool core.PoolID, from, to int, usage float64) tables.PoolInterval {
		x := tables.Interval{FromTime: at(from), ToTime: at(to), LimitsShare: resource.Uniform(0.5)}
		x.UsageShare[resource.CPU] = usage
		return tables.PoolInterval{Pool: pool, Interval: x}
	}
	half := core.Some(0.5)
	r := newTestRun(t)
	r.addTree("a", whole())
	version := func(pool core.PoolID, configured bool, ratio core.Optional[float64]) tables.PoolVersion {
		return tables.PoolVersion{Pool: tables.Pool{Pool: pool, Configured: configured, MaxShareRatio: ratio}, FromTime: at(0), ToTime: at(86400)}
	}
	put(r, "a", version(0, true, half), version(1, true, half), version(2, true, core.Optional[float64]{}))
	put(r, "a", span(0, 0, 40, 0.7), span(0, 40, 90, 0.8), span(0, 90, 500, 0.5), // for 90 s
		span(1, 0, 60, 0.9), // a batch
		span(2, 0, 500, 0.9))
	r.addTree("kept", whole())
	put(r, "kept", version(0, false, half), version(1, true, core.Some(1.0)), version(2, true, half))
	put(r, "kept", span(0, 0, 500, 0.9), span(1, 0, 500, 0.9), // nobody promised anything
		span(2, 0, 300, 0.50005)) // within the tolerance
	// The first stands above its resource_limits only, the second above both, the third
	// has a ratio for a time.
	cores := core.Some(resource.Partial{Set: [resource.Kinds]bool{resource.CPU: true}})
	low, both, once := version(0, true, core.Some(0.9)), version(1, true, core.Some(0.75)), version(2, true, half)
	low.ResourceLimits, both.ResourceLimits, once.ToTime = cores, cores, at(200)
	later := version(2, true, core.Some(0.625))
	later.FromTime, later.ToTime = at(200), at(300)
	r.addTree("mixed", whole())
	put(r, "mixed", low, both, once, later)
	wide := span(2, 200, 300, 0.8)
	wide.LimitsShare = resource.Uniform(0.625)
	put(r, "mixed", span(0, 0, 500, 0.8), span(1, 0, 500, 0.8), span(2, 0, 200, 0.8), wide, span(2, 300, 500, 0.8))
	r.addTree("free", whole())
	v := r.judge("usage_above_max_share")
	if got := v.found("usage_above_max_share"); got != "noted a pool prod 0.3 share\nnoted mixed pool ads 0.3 share\nnoted mixed pool ads 0.175 share\nnoted mixed pool batch 0.05 share" {
		t.Error(got)
	}
	if got := timeText(v.Findings[0].To); got != "2023-11-14T22:14:50Z" {
		t.Errorf("it lasts until %s", got)
	}
	if a, kept := v.outcome("usage_above_max_share", "a"), v.outcome("usage_above_max_share", "kept"); a.Seen != 4 || kept.Seen != 1 {
		t.Errorf("saw %d and %d spans", a.Seen, kept.Seen)
	}
	if o := v.outcome("usage_above_max_share", "free"); o.Verdict != Undecidable || o.Reason != "no pool has a max_share_ratio" {
		t.Errorf("%+v", o)
	}
}

func TestLogsAgainstThemselves(t *testing.T) {
	t.Parallel()
	job := func(name string, op core.OperationID, node core.NodeID, slots int64) tables.Job {
		return tables.Job{Job: name, Operation: op, Node: core.Some(node), StartTime: at(10), EndTime: core.Some(at(20)), Resources: resource.Vector{slots}}
	}
	states := whole("heartbeats", "recorded", "tree_config", "history", "pool_config", "single")
	r := newTestRun(t)
	r.addTree("a", states)
	warm := job("warm", 2, 0, 5)
	warm.StartTime = at(-10)
	put(r, "a", tables.TreeVersion{FromTime: at(0), ToTime: at(100)}, tables.TreeVersion{FromTime: at(100), ToTime: at(160), Assumed: true}, tables.TreeVersion{FromTime: at(160), ToTime: at(300)})
	put(r, "a", job("x", 0, 0, 1), job("y", 1, 0, 2), job("y", 1, 1, 1), job("z", 1, 1, 1), warm)
	put(r, "a", tables.Problem{Source: "tree=a/heartbeats-000.parquet", Row: 7, Code: "out_of_order"}, tables.Problem{Source: "tree=a/heartbeats-000.parquet", Row: 5, Code: "duplicate_seq"},
		tables.Problem{Source: "tree=a/jobs-000.parquet", Row: 5, Code: "out_of_order"}, tables.Problem{Source: "tree=a/heartbeats-000.parquet", Row: 1, Code: "null_value"})
	r.addTree("b", whole())
	put(r, "b", job("x", 0, 0, 1))
	foreign := whole("usage.user_slots", "none", "tree_config", "history")
	r.addTree("foreign", foreign)
	put(r, "foreign", tables.TreeVersion{FromTime: at(0), ToTime: at(300)})
	put(r, "foreign", job("w", 0, 0, 0))
	v := r.judge("heartbeats_out_of_order", "job_in_two_places", "configuration_unknown", "job_without_one_slot")
	for audit, want := range map[string]string{
		"heartbeats_out_of_order": "undecidable a tree a tree=a/heartbeats-000.parquet 2 rows",
		"job_in_two_places":       "violated a job x 2 rows\nviolated a job y 2 rows\nviolated b job x 2 rows",
		"configuration_unknown":   "damaged a tree a gap 60 s\nundecidable a tree a pool_config 8.64e+04 s",
		"job_without_one_slot":    "violated a operation op-b 1 jobs\nundecidable foreign operation op-a 1 jobs",
	} {
		if got := v.found(audit); got != want {
			t.Errorf("%s found\n%s\nwant\n%s", audit, got, want)
		}
	}
	for _, f := range v.Findings {
		if f.Audit == "job_in_two_places" && f.Subject == "x" && !strings.Contains(f.Reason, "in a, b, on node1") {
			t.Errorf("%q", f.Reason)
		}
	}
	if o := v.outcome("heartbeats_out_of_order", "b"); o.Verdict != Undecidable {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("job_without_one_slot", "b"); o.Verdict != OK || o.Seen != 1 {
		t.Errorf("%+v", o)
	}
}
