package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"poolproof/audit"
	"poolproof/ingest/synthetic"
)

// unseen are the audits that preset day gives nothing to judge, and why.
var unseen = map[string]string{
	"gang_outside_fifo": "what it judges is in the profile current only: innocent/lightweight_and_gangs has it",
}

// unseenBefore are those of a part of the day: what they judge is later.
var unseenBefore = map[string]time.Duration{
	"operation_in_removed_tree": 9*time.Hour + 30*time.Minute, // the cloud is given back
}

// TestInnocentDay: of a working day with everything on and nothing planted nobody is
// accused above info, and no audit that a trace can decide is left without anything to
// judge. Here it is a part of the day; `make innocent-day` takes the whole of it.
func TestInnocentDay(t *testing.T) {
	length, seeds := time.Hour, 1
	if text := os.Getenv("POOLPROOF_DAY"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatalf("POOLPROOF_DAY: %v", err)
		}
	}
	if text := os.Getenv("POOLPROOF_DAYS"); text != "" {
		var err error
		if seeds, err = strconv.Atoi(text); err != nil {
			t.Fatalf("POOLPROOF_DAYS: %v", err)
		}
	}
	seen, why := map[string]int64{}, map[string]string{} // by audit, of all seeds: what a part of one day is about is chance
	for seed := 1; seed <= seeds; seed++ {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { innocentDay(t, uint64(seed), length, seen, why) })
	}
	for _, id := range slices.Sorted(maps.Keys(why)) {
		reason, excepted := unseen[id]
		switch {
		case seen[id] > 0 && excepted:
			t.Errorf("%s judged %d: take it off the list of what sees nothing (%s)", id, seen[id], reason)
		case seen[id] == 0 && !excepted && length > unseenBefore[id]:
			t.Errorf("%s saw nothing: %s", id, why[id])
		}
	}
}

// innocentDay runs a day and adds up how much each audit has seen, and what it said if
// that was nothing.
func innocentDay(t *testing.T, seed uint64, length time.Duration, seen map[string]int64, why map[string]string) {
	spec, err := synthetic.Preset("day")
	if err != nil {
		t.Fatal(err)
	}
	spec.Length = synthetic.Duration(length.Microseconds())
	_, v := harvest(t, synthetic.Options{Spec: spec, Seed: seed, Workers: defaultWorkers})
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Verdict == audit.Violated && f.Severity != audit.Info {
			t.Errorf("%s of %s %s in tree %s from %s: %s", f.Invariant, f.SubjectKind, f.Subject, f.Tree, f.From, f.Reason)
		}
	}
	if code := v.ExitCode(); code != exitKept {
		t.Errorf("exit code %d", code)
	}
	judged := map[string]bool{}
	for _, o := range v.Outcomes {
		seen[o.Audit.ID] += o.Seen
		why[o.Audit.ID] = o.Reason
		if o.Seen > 0 {
			judged[o.Audit.ID] = true
		}
	}
	t.Logf("%d of %d audits judged something", len(judged), len(v.Audits))
}
