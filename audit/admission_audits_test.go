package audit

import (
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/replay/tables"
)

// step is a recorded step of an operation in pool prod at a second.
func step(operation core.OperationID, action, verdict, invariant string, s int) tables.Admission {
	return tables.Admission{
		Time: at(s), Operation: operation, Action: action, Pool: 0, User: "anna", FIFOOnly: true, Verdict: verdict, Invariant: invariant, JudgedBy: "recorded",
	}
}

func full(a tables.Admission, limit string) tables.Admission {
	a.Limit, a.FullPool, a.Count, a.LimitValue = limit, core.Some(core.PoolID(1)), core.Some(int64(7)), core.Some(int64(5))
	return a
}

func excusedFor(a tables.Admission, excuse string) tables.Admission {
	a.Verdict, a.Excuse = "excused", excuse
	return a
}

// Every rule of admission: a step that breaks it, and steps that do not.
func TestAdmissions(t *testing.T) {
	t.Parallel()
	cases := []struct {
		audit, action, invariant, limit string
		unit, reason                    string
	}{
		{"operation_started_over_limit", "started", "CNT-01", "max_operation_count", "starts", "Operation op-b started in pool prod although pool batch had 7 operations of 5 (max_operation_count)."},
		{"operation_started_over_limit", "started", "LW-03", "max_operation_count", "starts", "although pool batch had 7"},
		{"operation_ran_over_limit", "running", "CNT-02", "max_running_operation_count", "activations", "began to run in pool prod although pool batch had 7 running operations of 5"},
		{"operation_ran_beside_lightweight", "running", "LW-04", "max_running_operation_count", "activations", "7 running operations of 5"},
		{"operation_placed_wrong", "started", "POOL-02", "", "starts", "was started directly in pool prod, which has forbid_immediate_operations."},
		{"operation_placed_wrong", "revived", "POOL-03", "max_ephemeral_pools_per_user", "starts", "max_ephemeral_pools_per_user is 5"},
		{"operation_in_root", "started", "POOL-07", "", "starts", "was attached to the root itself."},
		{"gang_outside_fifo", "started", "POOL-08", "", "starts of gangs", "was started in pool prod although it is a gang, pool prod is no FIFO pool"},
		{"queue_order_inverted", "running", "PEND-02", "", "activations", "before operation op-c, which had waited longer"},
		{"queue_order_inverted", "running", "PEND-03", "", "activations", "although operation op-c waited there"},
		{"pool_changed_without_room", "pool_changed", "PEND-06", "", "changes of pool", "did not run there at once"},
		{"pool_changed_without_room", "pool_changed", "PEND-07", "max_operation_count", "changes of pool", "was moved to pool prod although pool batch had 7 operations of 5"},
		{"lightweight_operation_waited", "pending", "LW-02", "", "pending marks and steps of lightweight operations", "waits in pool prod although it is lightweight"},
	}
	for _, c := range cases {
		t.Run(c.invariant, func(t *testing.T) {
			breach := step(1, c.action, "violated", c.invariant, 100)
			breach.Overtook = core.Some(core.OperationID(2))
			if c.limit != "" {
				breach = full(breach, c.limit)
			}
			kept := step(0, c.action, "ok", "", 90)
			doubted := breach
			doubted.Time, doubted.Verdict, doubted.SinceConfig = at(200), "suspect", core.Some(int64(15e6)) // cfg_s is the replay's
			doubt := "A configuration had taken effect 15 s before"
			switch c.invariant {
			case "PEND-02":
				doubted.Missing, doubt = "queue_moves", "the log does not record in which queue it stood."
			case "PEND-03":
				doubted.Missing, doubt = "queue_scans", "the log does not record when the queues were scanned."
			}
			r := newTestRun(t)
			r.addTree("a", whole())
			away := excusedFor(breach, "scheduler_reconnecting")
			away.Operation, away.Time = 2, at(300)
			put(r, "a", kept, breach, doubted, away)
			r.addTree("kept", whole())
			put(r, "kept", kept, step(1, "other", "violated", "CNT-99", 100))
			r.addTree("blind", whole())
			blind := step(1, c.action, "undecidable", c.invariant, 100)
			blind.Missing = "configuration"
			put(r, "blind", blind)
			r.addTree("none", whole())
			v := r.judge(c.audit)
			got := v.found(c.audit)
			for verdict, count := range map[string]int{"violated a operation op-b": 1, "suspect a operation op-b": 1, "excused a operation op-c": 1} {
				if strings.Count(got, verdict) != count {
					t.Errorf("found\n%s", got)
				}
			}
			if strings.Contains(got, "kept") || strings.Contains(got, "blind") {
				t.Errorf("a look-alike was found:\n%s", got)
			}
			for _, f := range v.Findings {
				if f.Audit == c.audit && f.Verdict == Violated && (f.Invariant != c.invariant || !strings.Contains(f.Reason, c.reason)) {
					t.Errorf("%s: %s", f.Invariant, f.Reason)
				}
				if f.Audit == c.audit && f.Verdict == Suspect && !strings.Contains(f.Reason, doubt) {
					t.Errorf("%s: %s", f.Invariant, f.Reason)
				}
				if f.Audit == c.audit && f.Verdict == Excused && !strings.Contains(f.Reason, "Excused: the scheduler was away") {
					t.Errorf("%s", f.Reason)
				}
			}
			if o := v.outcome(c.audit, "a"); o.Seen != 4 || o.SeenUnit != c.unit {
				t.Errorf("%+v", o)
			}
			if o := v.outcome(c.audit, "kept"); o.Verdict != OK || o.Seen != 1 {
				t.Errorf("%+v", o)
			}
			if o := v.outcome(c.audit, "blind"); o.Verdict != Undecidable || !strings.Contains(o.Reason, "configuration") {
				t.Errorf("%+v", o)
			}
			if o := v.outcome(c.audit, "none"); o.Verdict != Idle || !strings.HasPrefix(o.Reason, "the log records no ") {
				t.Errorf("%+v", o)
			}
		})
	}
}

// An operation in another pool than it asked for is found. One that asked for what
// it got is none, and one that asked for nothing known is not seen.
func TestOperationInWrongPool(t *testing.T) {
	t.Parallel()
	const audit = "operation_in_wrong_pool"
	asking := func(operation core.OperationID, verdict, requested string, s int) tables.Admission {
		a := step(operation, "started", verdict, "", s)
		if verdict != "ok" {
			a.Invariant, a.PlacedPool = "POOL-01", "batch"
		}
		a.Requested = core.Optional[string]{Value: requested, Set: requested != ""}
		return a
	}
	r := newTestRun(t)
	for _, tree := range []string{"a", "kept", "unasked", "blind", "none"} {
		r.addTree(tree, whole())
	}
	later := asking(2, "suspect", "batch", 200)
	later.SinceConfig = core.Some(int64(-2e6))
	hub := asking(0, "violated", "", 300)
	hub.PlacedPool = "prod$anna"
	put(r, "a", asking(0, "ok", "prod", 90), asking(1, "violated", "batch", 100), later, hub)
	put(r, "kept", asking(1, "ok", "prod", 100))
	put(r, "unasked", asking(1, "ok", "", 100))
	blind := asking(1, "undecidable", "prod", 100)
	blind.Missing = "configuration"
	put(r, "blind", blind)
	v := r.judge()
	want := "violated a operation op-a POOL-01 1 operations\nviolated a operation op-b POOL-01 1 operations\nsuspect a operation op-c POOL-01 1 operations"
	if got := sorted(v.found(audit)); got != sorted(want) {
		t.Error(got)
	}
	for _, f := range v.Findings {
		switch {
		case f.Audit != audit:
		case f.Subject == "op-b" && f.Reason != "Operation op-b was started in pool prod although the rules put it into pool batch.",
			f.Verdict == Suspect && !strings.Contains(f.Reason, "A configuration recorded 2 s later"):
			t.Error(f.Reason)
		}
	}
	for tree, want := range map[string]Outcome{
		"a": {Verdict: Violated, Seen: 4}, "kept": {Verdict: OK, Seen: 1},
		"unasked": {Verdict: Undecidable, Reason: "the log holds no spec that says what pool was asked for"},
		"blind":   {Verdict: Undecidable, Reason: "the log lacks the configuration for all it records"},
		"none":    {Verdict: Idle, Reason: "the log records no start"},
	} {
		if o := v.outcome(audit, tree); o.Verdict != want.Verdict || o.Seen != want.Seen || o.Reason != want.Reason {
			t.Errorf("%s: %+v", tree, o)
		}
	}
}

func sorted(lines string) string {
	l := strings.Split(lines, "\n")
	slices.Sort(l)
	return strings.Join(l, "\n")
}

func TestStartRefusedWithRoom(t *testing.T) {
	t.Parallel()
	refused := func(operation core.OperationID, verdict, limit string) tables.Admission {
		a := step(operation, "rejected", verdict, "", 100)
		a.Limit, a.ErrorCode = limit, core.Some(int32(202))
		if verdict == "violated" {
			a.Invariant = "CNT-06"
		}
		return a
	}
	other := step(2, "rejected", "ok", "", 200)
	other.ErrorCode = core.Some(int32(214))
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", refused(0, "violated", ""), refused(1, "violated", ""), other)
	r.addTree("b", whole()) // here the second met a full pool
	put(r, "b", refused(1, "ok", "max_operation_count"))
	r.addTree("c", whole())
	put(r, "c", other)
	v := r.judge("start_refused_with_room")
	if got := v.found("start_refused_with_room"); got != "violated a operation op-a CNT-06 1 operations" {
		t.Error(got)
	}
	if o := v.outcome("start_refused_with_room", "b"); o.Verdict != OK || o.Seen != 1 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("start_refused_with_room", "c"); o.Verdict != Undecidable || o.Seen != 0 {
		t.Errorf("%+v", o)
	}
	put(r, "b", tables.TreeChoice{Time: at(100), Operation: 1, Action: "rejected", Role: "tentative"}) // which is left out if it is full
	if got := r.judge("start_refused_with_room").found("start_refused_with_room"); got != "violated a operation op-a CNT-06 1 operations\nviolated a operation op-b CNT-06 1 operations" {
		t.Error(got)
	}
	put(r, "b", tables.TreeChoice{Time: at(100), Operation: 1, Action: "rejected", Role: "regular"})
	crowd := tables.TreeChoice{Time: at(100), Operation: 0, Action: "rejected", Live: 5000}
	limited := crowd
	limited.Limit = core.Some[int64](5000)
	roomy := crowd
	roomy.Limit = core.Some[int64](5001)
	for want, row := range map[string]tables.TreeChoice{
		"suspect a operation op-a CNT-06 1 operations": crowd, // so many that the cluster's own limit may have been reached
		"": limited, // it was
		"violated a operation op-a CNT-06 1 operations": roomy, // it was not
	} {
		put(r, "a", row)
		if got := r.judge("start_refused_with_room").found("start_refused_with_room"); got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	}
}

func TestPendingOperations(t *testing.T) {
	t.Parallel()
	wait := func(operation core.OperationID, due, afterLeave int) tables.PendingEpisode {
		e := tables.PendingEpisode{
			Operation: operation, Pool: 0, FromTime: at(100), ToTime: at(1000), Recorded: true, Blocking: 1, Ended: "running",
			Due: int64(due) * 1e6, LongestDue: int64(due) * 1e6, AfterLeave: int64(afterLeave) * 1e6,
		}
		if due > 0 {
			e.DueFrom, e.DuePool = core.Some(at(500)), core.Some(core.PoolID(1))
		}
		if afterLeave > 0 {
			e.LeaveFrom = core.Some(at(500))
		}
		return e
	}
	inferred, rooted, busy, doubtful := wait(1, 300, 0), wait(2, 300, 0), wait(1, 0, 0), wait(2, 0, 0)
	inferred.Recorded = false
	rooted.DuePool = core.Some(core.RootPool)
	busy.Jobs, busy.Ended = 1, "job_started"
	doubtful.Jobs, doubtful.Recorded = 2, false
	r := newTestRun(t)
	r.addTree("a", whole())
	unordered := busy
	unordered.Operation, unordered.Unordered = 0, true
	put(r, "a", wait(0, 300, 300), wait(1, 66, 0), wait(2, 1, 1), busy, doubtful, unordered)
	r.addTree("b", whole())
	put(r, "b", inferred, rooted)
	r.addTree("away", whole())
	put(r, "away", wait(0, 300, 300))
	put(r, "away", tables.ExcuseWindow{Cause: "scheduler_reconnecting", FromTime: at(566), ToTime: at(734)}) // it waits from 500 to 800
	r.addTree("late", whole())
	put(r, "late", wait(0, 300, 300), wait(1, 300, 0), busy)
	put(r, "late", tables.ExcuseWindow{Cause: "trees_updating", FromTime: at(400), ToTime: at(502)},
		tables.ExcuseWindow{Cause: "scheduler_reconnecting", FromTime: at(600), ToTime: at(700)}, tables.ExcuseWindow{Cause: "update_pools_alert", FromTime: at(790), ToTime: at(1000)})
	r.addTree("within", whole())
	put(r, "within", busy) // until 1000
	put(r, "within", tables.ExcuseWindow{Cause: "scheduler_reconnecting", FromTime: at(990), ToTime: at(1010)})
	r.addTree("assumed", map[string]string{"operation_states": "assumed"})
	put(r, "assumed", wait(0, 300, 0))
	r.addTree("placed", map[string]string{"operation_states": "placed"})
	put(r, "placed", wait(0, 301, 300), wait(1, 66, 0))
	r.addTree("kept", whole())
	put(r, "kept", wait(0, 0, 0))
	r.addTree("none", whole())
	v := r.judge("pending_with_room", "pending_operation_had_jobs")
	want := "violated a operation op-a PEND-01 300 s\nviolated a operation op-a PEND-04 300 s\nviolated late operation op-a PEND-01 98 s\nviolated late operation op-b PEND-01 98 s\nviolated away operation op-a PEND-04 66 s\n" +
		"suspect placed operation op-a PEND-01 301 s\nsuspect assumed operation op-a PEND-01 300 s\nsuspect b operation op-b PEND-01 300 s\nexcused away operation op-a PEND-01 300 s\nexcused b operation op-c PEND-01 300 s\nexcused late operation op-a PEND-04 300 s"
	if got := v.found("pending_with_room"); got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
	if got := v.found("pending_operation_had_jobs"); got != "violated a operation op-b 1 jobs\nviolated late operation op-b 1 jobs\nsuspect a operation op-c 2 jobs\nsuspect a operation op-a 1 jobs\nexcused within operation op-b 1 jobs" {
		t.Error(got)
	}
	for _, audit := range []string{"pending_with_room", "pending_operation_had_jobs"} {
		if o := v.outcome(audit, "kept"); o.Verdict != OK || o.Seen != 1 {
			t.Errorf("%+v", o)
		}
		if o := v.outcome(audit, "none"); o.Verdict != Idle {
			t.Errorf("%+v", o)
		}
	}
}

func TestLightweightPoolMixed(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	version := func(pool core.PoolID, mode core.Mode, from, to int) tables.PoolVersion {
		return tables.PoolVersion{Pool: tables.Pool{Pool: pool, Mode: mode}, FromTime: at(from), ToTime: at(to)}
	}
	put(r, "a", version(0, core.FIFO, -10, 50), version(1, core.FIFO, -10, 50))
	put(r, "a", tables.Pool{Pool: 2, Mode: core.FIFO, Ephemeral: true})
	interval := func(pool core.PoolID, running, lightweight int64) tables.PoolInterval {
		return tables.PoolInterval{Pool: pool, Interval: tables.Interval{FromTime: at(0), ToTime: at(10)}, Running: running, Lightweight: lightweight}
	}
	put(r, "a", interval(0, 2, 3), interval(1, 0, 1), interval(2, 2, 3), interval(core.RootPool, 2, 3)) // of ephemeral pools and the root they are elsewhere
	r.addTree("none", whole())
	put(r, "none", interval(0, 2, 0))
	v := r.judge("lightweight_pool_mixed")
	if got := v.found("lightweight_pool_mixed"); got != "noted a pool prod 2 operations" {
		t.Error(got)
	}
	if o := v.outcome("lightweight_pool_mixed", "a"); o.Seen != 3 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("lightweight_pool_mixed", "none"); o.Verdict != Idle {
		t.Errorf("%+v", o)
	}
	r = newTestRun(t) // prod has the mode until 4, batch from 4 on
	r.addTree("a", whole())
	put(r, "a", tables.Pool{Pool: 0}, tables.Pool{Pool: 1, Mode: core.FIFO})
	put(r, "a", version(0, core.FIFO, -10, 4), version(0, core.FairShare, 4, 50), version(1, core.FairShare, -10, 4), version(1, core.FIFO, 4, 50))
	during := func(from, to int, i tables.PoolInterval) tables.PoolInterval {
		i.FromTime, i.ToTime = at(from), at(to)
		return i
	}
	put(r, "a", during(-8, -6, interval(0, 1, 1)), during(-6, -5, interval(0, 0, 3)), during(-5, -4, interval(0, 2, 0)), // of one kind only
		interval(0, 2, 3), during(4, 8, interval(0, 7, 7)), during(10, 20, interval(0, 9, 9)), during(-3, 4, interval(1, 7, 7)), interval(1, 2, 3))
	v = r.judge("lightweight_pool_mixed")
	if f := v.Findings[0]; timeText(f.From) != "2023-11-14T22:13:12Z" || timeText(f.To) != "2023-11-14T22:13:24Z" {
		t.Errorf("from %s to %s", timeText(f.From), timeText(f.To))
	}
	for i, want := range []string{"Pool prod ran up to 2 ordinary operations besides up to 3 lightweight ones for 6 s.", "Pool batch ran up to 2 ordinary operations besides up to 3 lightweight ones for 6 s."} {
		if got := v.Findings[i].Reason; got != want {
			t.Error(got)
		}
	}
}

// A lightweight operation with two jobs at once is told of; one that starts a job
// anew is not, nor an ordinary one with many.
func TestLightweightOperationLarge(t *testing.T) {
	t.Parallel()
	const audit = "lightweight_operation_large"
	light := func(operation core.OperationID, lightweight bool) tables.Admission {
		a := step(operation, "running", "ok", "", 0)
		a.Lightweight = lightweight
		return a
	}
	job := func(operation core.OperationID, from, to int) tables.Job {
		j := tables.Job{Operation: operation, StartTime: at(from)}
		if to > 0 {
			j.EndTime = core.Some(at(to))
		}
		return j
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", light(0, true), light(1, true), light(2, false))
	put(r, "a", job(0, 10, 20), job(0, 20, 0), job(1, 10, 30), job(1, 20, 0), job(2, 10, 0), job(2, 10, 0))
	r.addTree("none", whole())
	put(r, "none", light(2, false))
	v := r.judge(audit)
	if got := v.found(audit); got != "noted a operation op-b 2 jobs" {
		t.Error(got)
	}
	if o := v.outcome(audit, "a"); o.Seen != 2 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome(audit, "none"); o.Verdict != Idle {
		t.Errorf("%+v", o)
	}
}

// Options that nobody heeds are told of once per pool; the same options count
// where the scheduler heeds them.
func TestOperationOptionsIgnored(t *testing.T) {
	t.Parallel()
	const audit = "operation_options_ignored"
	r := newTestRun(t)
	r.addTree("a", whole())
	ignored := tables.Operation{Operation: 0, Pool: 0, StartTime: at(1), Ignored: "fair_share_starvation_timeout,min_share_preemption_timeout"}
	again, other := ignored, ignored
	again.Operation, other.Operation, other.Pool, other.Ignored = 1, 2, 1, ""
	put(r, "a", ignored, again, other)
	r.addTree("kept", whole())
	put(r, "kept", other)
	r.addTree("none", whole())
	v := r.judge(audit)
	if got := v.found(audit); got != "noted a pool prod fair_share_starvation_timeout,min_share_preemption_timeout 2 operations" {
		t.Error(got)
	}
	r.expect(v, audit, map[string]Judgement{"kept": OK, "none": Idle})
}
