package audit

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/queries"
	"poolproof/replay/tables"
)

// What a source answers for all audits at once is what it answers to each alone.
func TestASourceAnswersAllAuditsAlike(t *testing.T) {
	t.Parallel()
	all, err := ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	r := newTestRun(t)
	for k, tree := range []string{"a", "b", "c"} {
		var decisions []tables.Decision
		var counts []tables.DecisionCount
		var checks []tables.SnapshotCheck
		var tallies []tables.SnapshotTally
		var steps []tables.Admission
		var inTrees []tables.TreeCheck
		for i, a := range all {
			if k == 2 || (i+k)%3 == 0 { // other audits find something in each tree, in the last none
				continue
			}
			rule := a.Invariants[i%len(a.Invariants)]
			switch id, _ := invariantOf(rule); a.From {
			case "decisions":
				decisions = append(decisions, decided(id, judge.Violated, 100+i, "job-1"), decided(id, judge.Suspect, 300, "job-3"))
				counts = append(counts, counted(id, judge.OK, int64(i)), counted(id, judge.Undecidable, 3))
			case "records":
				checks = append(checks, tables.SnapshotCheck{Invariant: rule, Verdict: "violated", Element: tables.ElementPool, FromTime: at(100), ToTime: at(200 + i), Records: 3, Violated: 2,
					WorstTime: at(100), Unit: "share", Resource: resource.CPU, Found: 0.25, Allowed: 0.75, Judged: "recomputed", Sentence: rule + " violated: something"})
				tallies = append(tallies, tables.SnapshotTally{Invariant: rule, OK: int64(i), Violated: 3})
			case "admissions":
				steps = append(steps, full(step(1, "started", "violated", rule, 100+i), "max_operation_count"), step(0, "running", "ok", "", 90+i))
			case "tree_checks":
				inTrees = append(inTrees, tables.TreeCheck{Time: at(100 + i), Operation: 1, Invariant: rule, Verdict: "violated", Leading: true, Trees: "a,b", JudgedBy: "recorded"})
			}
		}
		r.addTree(tree, whole())
		put(r, tree, decisions...)
		put(r, tree, counts...)
		put(r, tree, checks...)
		put(r, tree, tallies...)
		put(r, tree, steps...)
		put(r, tree, inTrees...)
	}
	r.audit()
	db, err := database{path: filepath.Join(r.dir, DatabaseName)}.open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	told := askSources(t.Context(), db, all)
	answered, found := 0, 0
	for _, a := range all {
		alone := (&runner{}).runAudit(t.Context(), db, a, []string{"a", "b", "c"}, sourced{})
		if findings, ok := told.findings[a]; ok {
			answered++
			found += len(findings)
			if d := cmp.Diff(alone.findings, findings); d != "" {
				t.Errorf("%s: the findings alone and with others: %s", a.ID, d)
			}
		}
		if seen, ok := told.seen[a]; ok {
			answered++
			if d := cmp.Diff(alone.seen, seen, cmp.AllowUnexported(seenRow{})); d != "" {
				t.Errorf("%s: what is seen alone and with others: %s", a.ID, d)
			}
		}
	}
	if answered < 100 || found < 40 {
		t.Errorf("%d queries were answered, with %d findings", answered, found)
	}
}
