package audit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/queries"
	"poolproof/replay/tables"
)

// decided is a row of one rule that a decision did not simply pass.
func decided(i judge.Invariant, v judge.Verdict, seconds int, job string) tables.Decision {
	kind := "preemption"
	if strings.HasPrefix(i.String(), "HB") || strings.HasPrefix(i.String(), "SEG") || i == judge.LIM01 || i == judge.LIM03 {
		kind = "start"
	}
	d := tables.Decision{
		Time: at(seconds), Kind: kind, Invariant: i.String(), Severity: string(i.Severity()), Verdict: v.String(),
		Judged: "recomputed", Job: job, Operation: 1, Pool: 1, Node: core.Some(core.NodeID(0)), Found: 2, Bound: 1,
		Measure: "amount", Resource: core.Some(resource.CPU), Policy: "leave the job", Sentence: i.String() + " " + v.String(),
	}
	if v == judge.Suspect {
		d.Judged = "possible"
	}
	if v == judge.Excused {
		d.Excuse = "limit_changed"
	}
	return d
}

func counted(i judge.Invariant, v judge.Verdict, n int64) tables.DecisionCount {
	c := tables.DecisionCount{Minute: at(0), Invariant: i.String(), Verdict: v.String(), Decisions: n}
	if v == judge.Undecidable {
		c.Note = "configuration"
	}
	return c
}

// invariantOf returns the invariant of an id, and whether there is one.
func invariantOf(id string) (judge.Invariant, bool) {
	for i := range judge.Invariant(judge.Invariants) {
		if i.String() == id {
			return i, true
		}
	}
	return 0, false
}

// decisionAudits are the audits over decisions, by the rules that each judges.
func decisionAudits(t *testing.T) map[string][]judge.Invariant {
	all, err := ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	audits := map[string][]judge.Invariant{}
	for _, a := range all {
		if !strings.Contains(a.Findings, "internal.decisions_findings(") {
			continue
		}
		for _, id := range a.Invariants {
			i, ok := invariantOf(id)
			if !ok {
				t.Errorf("%s: nobody judges %s", a.ID, id)
				continue
			}
			audits[a.ID] = append(audits[a.ID], i)
		}
	}
	return audits
}

// TestDecisions gives each rule a decision that breaks it, one that a doubt and
// one that an excuse clears, and a tree in which all decisions pass.
func TestDecisions(t *testing.T) {
	t.Parallel()
	audits := decisionAudits(t)
	if len(audits) < 15 {
		t.Fatalf("only %d audits", len(audits))
	}
	r := newTestRun(t)
	for _, tree := range []string{"bad", "doubtful", "excused", "good", "blind"} {
		r.addTree(tree, whole())
	}
	var rows [3][]tables.Decision
	var counts, good, blind []tables.DecisionCount
	for _, rules := range audits {
		for _, i := range rules {
			rows[0] = append(rows[0], decided(i, judge.Violated, 100, "job-1"), decided(i, judge.Violated, 200, "job-2"), decided(i, judge.Suspect, 300, "job-3"))
			rows[1] = append(rows[1], decided(i, judge.Suspect, 100, "job-1"), decided(i, judge.Excused, 50, "job-0"))
			rows[2] = append(rows[2], decided(i, judge.Excused, 100, "job-1"))
			counts = append(counts, counted(i, judge.OK, 7), counted(i, judge.Violated, 2))
			good = append(good, counted(i, judge.OK, 7), counted(i, judge.Undecidable, 3))
			blind = append(blind, counted(i, judge.Undecidable, 9))
		}
	}
	for k, tree := range []string{"bad", "doubtful", "excused"} {
		put(r, tree, rows[k]...)
		put(r, tree, counts...)
	}
	put(r, "good", good...)
	put(r, "blind", blind...)
	for _, rules := range audits {
		put(r, "blind", decided(rules[0], judge.Undecidable, 100, "job-1"))
	}
	v := r.judge(slices.Sorted(maps.Keys(audits))...)
	for id, rules := range audits {
		found := v.found(id)
		for _, i := range rules {
			for tree, want := range map[string]string{"bad": "violated bad operation op-b " + i.String() + " 2 ", "doubtful": "suspect doubtful operation op-b " + i.String() + " 1 ", "excused": "excused excused operation op-b " + i.String() + " 1 "} {
				if severity := v.outcome(id, tree).Audit.Severity; severity == Info && tree != "excused" {
					// All rules are about the same jobs: nothing of what one calls violated is noted.
					if strings.Contains(found, "noted "+tree) {
						t.Errorf("%s: found %s", id, found)
					}
					continue
				}
				if !strings.Contains(found, want) {
					t.Errorf("%s: no %q for tree %s in\n%s", id, want, tree, found)
				}
			}
		}
		if strings.Contains(found, " good ") || strings.Contains(found, " blind ") {
			t.Errorf("%s: found %s", id, found)
		}
		if o := v.outcome(id, "good"); o.Verdict != OK || o.Seen != int64(7*len(rules)) || !strings.Contains(o.Reason, "lack an input: configuration") {
			t.Errorf("%s: good is %+v", id, o)
		}
		if o := v.outcome(id, "blind"); o.Verdict != Undecidable || o.Seen != 0 {
			t.Errorf("%s: blind is %+v", id, o)
		}
	}
}

// A preemption for who did not starve itself is legal, and its sentence says so.
func TestPreemptionByAncestorSpeaksForItself(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", decided(judge.PRE05, judge.Violated, 1, "x"), decided(judge.PRE05, judge.Violated, 2, "y"))
	put(r, "a", counted(judge.PRE05, judge.Violated, 2))
	const want = "2 preemptions of operation op-b were made for a beneficiary that was not starving, below a pool that was, which is legal."
	found := r.judge("preemption_by_ancestor").Findings
	if len(found) != 1 || found[0].Reason != want || found[0].Severity != Info {
		t.Errorf("%+v", found)
	}
}

// No note calls a decision legal that another rule calls violated, whichever rule that is, nor one for
// which PRE-03 and PRE-04 leave open whether anybody starved. Another decision's breach is none of it.
func TestNoNoteOnAViolation(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	want := map[string]bool{}
	for _, i := range []judge.Invariant{judge.PRE03, judge.PRE04, judge.PRE06, judge.GUA07} {
		for _, verdict := range []judge.Verdict{judge.Violated, judge.Suspect, judge.Excused} {
			tree := fmt.Sprint(i, " ", verdict)
			r.addTree(tree, whole())
			put(r, tree, decided(judge.PRE05, judge.Violated, 1, "x"), decided(i, verdict, 1, "x"))
			put(r, tree, counted(judge.PRE05, judge.Violated, 1))
			want[tree] = verdict != judge.Violated && (verdict != judge.Suspect || i != judge.PRE03 && i != judge.PRE04)
		}
	}
	r.addTree("another", whole())
	put(r, "another", decided(judge.PRE05, judge.Violated, 1, "x"), decided(judge.PRE03, judge.Violated, 1, "y"))
	put(r, "another", counted(judge.PRE05, judge.Violated, 1))
	want["another"] = true
	noted := map[string]bool{}
	for _, f := range r.judge("preemption_by_ancestor").Findings {
		noted[f.Tree] = f.Verdict == Noted
	}
	for tree, is := range want {
		if noted[tree] != is {
			t.Errorf("%s: noted is %v, want %v", tree, noted[tree], is)
		}
	}
}

// A finding names whose limit a start exceeded.
func TestTheLimitOfAStartIsNamed(t *testing.T) {
	t.Parallel()
	pools, own := decided(judge.LIM01, judge.Violated, 1, "x"), decided(judge.LIM01, judge.Violated, 1, "y")
	pools.LimitPool = core.Some(core.PoolID(2))
	own.Operation = 2
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", pools, own)
	put(r, "a", counted(judge.LIM01, judge.Violated, 2))
	for _, f := range r.judge("start_over_limit").Findings {
		want, evidence := " The limit is that of pool ads.", `"limit_pool":"ads"`
		if f.Subject == "op-c" {
			want, evidence = " The limit is the operation's own.", `"limit_pool":null`
		}
		if !strings.HasSuffix(f.Reason, want) || !strings.Contains(string(f.Evidence), evidence) {
			t.Errorf("%s: %s %s", f.Subject, f.Reason, f.Evidence)
		}
	}
}

// Evidence shows both sides in units that a person knows: cores, not hundredths.
func TestTheSidesOfADecisionAreInNaturalUnits(t *testing.T) {
	t.Parallel()
	start := decided(judge.LIM01, judge.Violated, 1, "x")
	start.Found, start.Bound = 600, 500
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", start)
	put(r, "a", counted(judge.LIM01, judge.Violated, 1))
	if e, want := r.judge("start_over_limit").Findings[0].Evidence, `"found":6.0,"bound":5.0,"unit":"cores"`; !strings.Contains(string(e), want) {
		t.Errorf("no %s in %s", want, e)
	}
}

// The evidence about a preemption proves it: both sides, in units for people, and of
// the job that should have gone when it started. A start has no proof, and another
// preemption of the operation none in this finding.
func TestThePreemptionIsProved(t *testing.T) {
	t.Parallel()
	older, start := decided(judge.PRE11, judge.Violated, 100, "old"), decided(judge.LIM01, judge.Violated, 100, "old")
	older.Other, older.Found, older.Bound, older.Measure, older.Resource = core.Some(core.OperationID(2)), 2, 1, "position", core.Optional[resource.Kind]{}
	older.Sentence = "PRE-11 violated: no candidate that goes first stayed; the victim goes as number 2, the job that stayed as number 1"
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", older, start)
	put(r, "a", counted(judge.PRE11, judge.Violated, 1), counted(judge.LIM01, judge.Violated, 1))
	put(r, "a",
		tables.Preemption{Time: at(90), Job: "other", Operation: 1, Pool: 1, Violated: "PRE-12", Held: "PRE-11"},
		tables.Preemption{Time: at(100), Job: "old", StartTime: at(10), Operation: 1, Pool: 1, List: "preemptible", Better: "young", Violated: "PRE-11",
			For: core.Some(core.OperationID(2)), StarvingSince: core.Some(at(93)), StarvingLimit: 30_000_000, Lost: core.Some[int64](90_000_000), Candidates: 4, Rank: core.Some(int64(1)), Before: 1e9})
	put(r, "a", tables.Job{Job: "old", StartTime: at(10)}, tables.Job{Job: "young", StartTime: at(70)})
	findings := r.judge("preemption_of_wrong_victim", "start_over_limit").Findings
	if len(findings) != 2 {
		t.Fatalf("%d findings", len(findings))
	}
	for _, f := range findings {
		var evidence struct {
			FirstCases []map[string]any `json:"first_cases"`
			Proofs     []map[string]any `json:"proofs"`
		}
		if err := json.Unmarshal(f.Evidence, &evidence); err != nil {
			t.Fatal(err)
		}
		first := evidence.FirstCases[0]
		if f.Invariant == "LIM-01" {
			if len(evidence.Proofs) > 0 || first["job"] != "old" || first["victim"] != nil {
				t.Errorf("a start: %s", f.Evidence)
			}
			continue
		}
		if first["victim"] != "old" || first["job"] != nil || first["beneficiary"] == nil || first["found"] != 2.0 || first["bound"] != 1.0 || first["unit"] != "position" {
			t.Errorf("the case is %v", first)
		}
		if !strings.Contains(f.Reason, "; the victim goes as number 2, the job that stayed as number 1. ") || !strings.Contains(f.Reason, " The beneficiary is operation op-") {
			t.Error(f.Reason)
		}
		if len(evidence.Proofs) != 1 {
			t.Fatalf("%d proofs", len(evidence.Proofs))
		}
		for key, want := range map[string]any{
			"victim": "old", "victim_started": "2023-11-14T22:13:30.000000Z", "ran_s": 90.0, "lost_s": 90.0, "list": "preemptible", "candidates": 4.0, "place": 2.0,
			"better_victim": "young", "better_victim_started": "2023-11-14T22:14:30.000000Z", "below_s": 7.0, "timeout_s": 30.0, "satisfaction_before": nil, "had_room": false,
		} {
			if got := evidence.Proofs[0][key]; got != want {
				t.Errorf("%s is %v, want %v", key, got, want)
			}
		}
	}
}

// That a job for which others went never ran is proved by how they went: every victim
// of its heartbeat, and how long it was waited for. Victims for others prove nothing.
func TestThePreemptionInVainIsProved(t *testing.T) {
	t.Parallel()
	waited := decided(judge.PRE23, judge.Violated, 100, "b1")
	waited.Kind, waited.Found, waited.Bound, waited.Measure, waited.Resource = "start", 116e6, 16e6, "µs", core.Optional[resource.Kind]{}
	victim := func(seconds int, job, forJob string) tables.Preemption {
		return tables.Preemption{Time: at(seconds), Job: job, StartTime: at(10), Operation: 2, Pool: 1, List: "preemptible", For: core.Some(waited.Operation), ForJob: forJob}
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", waited)
	put(r, "a", counted(judge.PRE23, judge.Violated, 1))
	put(r, "a", victim(100, "v1", "b1"), victim(100, "v2", "b1"), victim(100, "v3", "other"), victim(90, "v4", "b1"))
	findings := r.judge("preemption_in_vain").Findings
	if len(findings) != 1 {
		t.Fatalf("%d findings", len(findings))
	}
	var evidence struct {
		Proofs []map[string]any `json:"proofs"`
	}
	if err := json.Unmarshal(findings[0].Evidence, &evidence); err != nil {
		t.Fatal(err)
	}
	if len(evidence.Proofs) != 2 || evidence.Proofs[0]["victim"] != "v1" || evidence.Proofs[1]["victim"] != "v2" {
		t.Fatalf("the proofs are %v", evidence.Proofs)
	}
	for _, p := range evidence.Proofs {
		if p["waited_s"] != 116.0 || p["allowed_s"] != 16.0 || p["beneficiary_job"] != "b1" || p["list"] != "preemptible" {
			t.Errorf("the proof is %v", p)
		}
	}
}
