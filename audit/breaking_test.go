package audit

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/queries"
	"poolproof/replay/tables"
)

// TestEveryJudgedKindIsPromised: a header that names a kind that nothing promises
// is a slip.
func TestEveryJudgedKindIsPromised(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(queries.Files, "views/promise*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	sql := ""
	for _, file := range files {
		text, err := fs.ReadFile(queries.Files, file)
		if err != nil {
			t.Fatal(err)
		}
		sql += regexp.MustCompile(`--.*`).ReplaceAllString(string(text), "")
	}
	audits, err := ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range audits {
		for _, b := range slices.Concat(a.Judges, a.Breaks) {
			kind, _, _ := strings.Cut(b, ":")
			if !strings.Contains(sql, "'"+kind+"'") {
				t.Errorf("audit %s judges %s, which is no kind of promise", a.ID, kind)
			}
		}
	}
}

// TestOtherAuditsBreakPromises: what an audit of another rule finds breaks the promise
// of whoever made it, and of nobody else; that it finds nothing keeps none.
func TestOtherAuditsBreakPromises(t *testing.T) {
	t.Parallel()
	const prod, batch, ads = core.PoolID(0), core.PoolID(1), core.PoolID(2)
	r := newTestRun(t)
	want := map[string]string{}
	tree := func(name, grades string, pools ...tables.Pool) {
		r.addTree(name, whole())
		r.pools(name, pools...)
		var spans []tables.PoolInterval
		for _, p := range pools {
			i := busy(p.Pool, 0.3, 0.3, 0.3)
			i.Operations, i.UsageRatioMax = 2, 0.1
			spans = append(spans, i)
		}
		put(r, name, spans...)
		want[name] = grades
	}
	limited := func(pool core.PoolID) tables.Pool { return tables.Pool{Pool: pool, ResourceLimits: cores(30)} }
	guaranteed := func(pool core.PoolID) tables.Pool { return tables.Pool{Pool: pool, StrongGuarantee: cores(30)} }
	decision := func(i judge.Invariant, v judge.Verdict, of core.Optional[core.PoolID], job string) tables.Decision {
		d := decided(i, v, 100, job)
		d.Pool, d.LimitPool = ads, of
		return d
	}
	record := func(invariant, verdict string, element tables.ElementKind, pool core.PoolID) tables.SnapshotCheck {
		s := tables.SnapshotCheck{Invariant: invariant, Verdict: verdict, Element: element, Pool: pool, FromTime: at(10), ToTime: at(20), Records: 2, Unit: "share", Judged: "recorded"}
		if element == tables.ElementOperation {
			s.Operation = core.Some(core.OperationID(0))
		}
		return s
	}
	tree("limits", "resource_limits prod broken: Violated: 1 finding.\nresource_limits batch unverifiable: Suspect: 1 finding\nresource_limits ads "+tested, limited(prod), limited(batch), limited(ads))
	put(r, "limits", counted(judge.LIM01, judge.Violated, 2))
	put(r, "limits", decision(judge.LIM01, judge.Violated, core.Some(prod), "x"), decision(judge.LIM01, judge.Suspect, core.Some(batch), "y"))
	tree("guarantees", "strong_guarantee prod broken\nstrong_guarantee ads "+tested, guaranteed(prod), guaranteed(ads))
	put(r, "guarantees", counted(judge.GUA07, judge.Violated, 1))
	put(r, "guarantees", decision(judge.GUA07, judge.Violated, core.Some(prod), "x"))
	tree("own", "strong_guarantee ads "+tested, guaranteed(ads))
	put(r, "own", decision(judge.GUA07, judge.Violated, core.Optional[core.PoolID]{}, "x"))
	put(r, "own", counted(judge.GUA07, judge.Violated, 1))
	put(r, "own", tables.SnapshotTally{Invariant: "GUA-01", Violated: 1})
	put(r, "own", record("GUA-01", "violated", tables.ElementOperation, ads))
	tree("recorded", "strong_guarantee prod broken\nstrong_guarantee batch unverifiable: Suspect: 1 finding\nstrong_guarantee ads "+tested, guaranteed(prod), guaranteed(batch), guaranteed(ads))
	put(r, "recorded", tables.SnapshotTally{Invariant: "GUA-01", Violated: 1}, tables.SnapshotTally{Invariant: "STV-02", Violated: 2})
	put(r, "recorded", record("GUA-01", "violated", tables.ElementPool, prod), record("GUA-02", "suspect", tables.ElementPool, batch), record("STV-02", "violated", tables.ElementPool, ads))
	tree("share", "resource_limits prod broken", limited(prod))
	put(r, "share", tables.SnapshotTally{Invariant: "LIM-07", Violated: 1})
	put(r, "share", record("LIM-07", "violated", tables.ElementPool, prod))
	tree("fifo", "fifo_order prod broken", tables.Pool{Pool: prod, Mode: core.FIFO})
	put(r, "fifo", tables.SnapshotTally{Invariant: "FIFO-02", Violated: 1})
	put(r, "fifo", record("FIFO-02", "violated", tables.ElementOperation, prod))
	counted5 := func(pool core.PoolID) tables.Pool {
		return tables.Pool{Pool: pool, MaxOperations: core.Some(int64(5)), OwnOperations: core.Some(int64(5))}
	}
	tree("count", "max_operation_count prod broken\nmax_operation_count batch vacuous", counted5(prod), counted5(batch))
	put(r, "count", tables.Admission{Time: at(1), Action: "started", Invariant: "CNT-01", Verdict: "violated", JudgedBy: "recorded", Pool: batch, FullPool: core.Some(prod)})
	room := func(pool core.PoolID) tables.Pool {
		p := counted5(pool)
		p.MaxRunning, p.OwnRunning = p.MaxOperations, p.OwnOperations
		return p
	}
	tree("room", "max_running_operation_count prod broken\nmax_operation_count batch broken\nmax_running_operation_count batch vacuous\nmax_operation_count prod vacuous", room(prod), room(batch))
	put(r, "room", tables.Admission{Time: at(1), Action: "pool_changed", Invariant: "PEND-06", Verdict: "violated", JudgedBy: "recorded", Pool: prod},
		tables.Admission{Time: at(2), Action: "rejected", Invariant: "CNT-06", ErrorCode: core.Some(int32(202)), Verdict: "violated", JudgedBy: "recorded", Pool: batch})
	r.addTree("silent", map[string]string{"demand": "none"})
	r.pools("silent", guaranteed(prod))
	put(r, "silent", busy(prod, 0.3, 0.3, 1))
	put(r, "silent", counted(judge.GUA07, judge.OK, 9))
	want["silent"] = "strong_guarantee prod unverifiable: No audit could judge it."
	r.check(r.graded(judging(t)...), want)
}
