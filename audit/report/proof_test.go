package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"poolproof/audit"
)

// unfair is a preemption for an operation that had not starved long enough.
const unfair = `{"time": "2023-11-14T22:13:20Z", "node": "n1", "victim": "v1", "victim_operation": "v", "victim_pool": "rich", "victim_started": "2023-11-14T22:00:00Z",
  "ran_s": 800, "lost_s": 790, "cores": 4, "memory_gib": 2, "reason": "aggressive_preemption", "reason_judged": "recorded", "list": "preemptible", "level": "preemptible",
  "usage_share_before": 0.5, "usage_share_after": 0.4, "fair_share": 0.3, "satisfaction_before": 1.6, "satisfaction_after": 1.3, "blocker_pool": null, "candidates": 3, "place": 2,
  "better_victim": "v9", "better_victim_started": "2023-11-14T22:10:00Z", "had_room": true, "beneficiary": "b", "beneficiary_pool": "poor", "beneficiary_job": "b7",
  "stage_priority": "normal", "beneficiary_priority": "none", "own_priority": "none", "starving_for": "fair_share", "below_since": "2023-11-14T22:13:13Z", "below_s": 7, "timeout_s": 30,
  "facts": "ok,violated,ok,ok,ok,violated,ok,undecidable", "violated": "PRE-04,PRE-11"}`

// told is a proof that is unfair, changed by other keys, in one text.
func told(t *testing.T, change string) string {
	t.Helper()
	var p proof
	for _, text := range []string{unfair, change} {
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	(&Document{Passages: []*passage{{Facts: p.facts()}}}).text(&b)
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestAProofTellsBothSides(t *testing.T) {
	for change, want := range map[string][]string{
		`{}`: {
			"victim job v1 of operation v in pool rich, on node n1, started 2023-11-14 22:00:00.000",
			"held 4 cores, 2 GiB and had run for 13 min 20 s; 13 min 10 s of work is lost",
			"usage 50 % before and 40 % after, of a fair share of 30 %; satisfaction 1.6 before and 1.3 after",
			"its blocker none", "2nd in preemption order, of the 3 jobs", "job v9, earlier in preemption order, stayed on the node; started 2023-11-14 22:10:00.000", "free room there was",
			"beneficiary operation b in pool poor, for its job b7", "was it starving no,",
			"it had been below its fair share since 2023-11-14 22:13:13.000, for 7 s: no longer than its timeout of 30 s",
			"aggressive preemption (recorded); breaks PRE-04, PRE-11", "F2 the beneficiary was entitled: violated", "F8 the node had waited: undecidable",
		},
		`{"beneficiary_priority": "normal", "starving_pool": "poor", "below_s": 40}`:      {"not itself; a pool above it starved", "pool poor had been below its fair share", "for 40 s: longer than"},
		`{"beneficiary_priority": "normal", "own_priority": "normal"}`:                    {"was it starving yes, itself"},
		`{"verdict": "ok", "violated": "PRE-05"}`:                                         {"aggressive preemption (recorded); noted PRE-05"},
		`{"verdict": "violated"}`:                                                         {"aggressive preemption (recorded); breaks PRE-04, PRE-11"},
		`{"waited_s": 116, "allowed_s": 16}`:                                              {"did its job run not for 1 min 56 s; it had to run within 16 s"},
		`{"below_since": null}`:                                                           {"neither it nor a pool above it was below its share"},
		`{"beneficiary": ""}`:                                                             {"beneficiary none is known reason"},
		`{"blocker_pool": "rich", "place": null, "better_victim": "", "had_room": false}`: {"pool rich protects it", "it is not among the 3 jobs", "no earlier candidate stayed", "did not fit the node"},
		`{"satisfaction_before": null, "recorded_level": "non_preemptible"}`:              {"satisfaction unbounded before", "while the log says non preemptible"},
	} {
		text := told(t, change)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("with %s: no %q in\n%s", change, w, text)
			}
		}
	}
}

// A page shows the proof of the worst finding, and what is no preemption has none.
func TestTheProofIsOnThePage(t *testing.T) {
	v := fullNight()
	if text := pageOf(t, v, testDatabase(t)); strings.Contains(text, "Proof of the worst") {
		t.Error("a guarantee has the proof of a preemption")
	}
	v.Findings[0].Evidence = json.RawMessage(`{"proofs": [` + unfair + `]}`)
	if text := pageOf(t, v, testDatabase(t)); !strings.Contains(text, "Proof of the worst") || !strings.Contains(text, "operation b in pool poor, for its job b7") {
		t.Error("the proof is missing")
	}
	if proofsOf(&audit.Finding{Evidence: json.RawMessage(`[]`)}) != nil {
		t.Error("a list has proofs")
	}
}
