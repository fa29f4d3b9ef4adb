package judge

import (
	"strings"
	"testing"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

func TestSentences(t *testing.T) {
	for want, r := range map[string]Ruling{
		"PRE-14 violated: the node's preemptive backoff had passed; 4 s had passed, and the backoff is 5 s": {
			Invariant: PRE14, Verdict: Violated, Left: 4 * second, Right: 5 * second,
		},
		"PRE-06 suspect: the victim's list is one the stage may take from; the victim was aggressively_preemptible, and the stage takes what is preemptible or less protected; the rule holds in another state that the log allows": {
			Invariant: PRE06, Verdict: Suspect, Left: float64(scheduling.LevelAggressivelyPreemptible), Right: float64(scheduling.LevelPreemptible),
		},
		"SEG-03 suspect: a node changes its segment only for one that has had too little for longer than its timeout; the other segment had had too little for 4 s, and its timeout is 5 s; the log does not record whether people moved the node": {
			Invariant: SEG03, Verdict: Suspect, Missing: Movers, Left: 4 * second, Right: 5 * second,
		},
		"LIM-01 violated: no start exceeds a specified limit of the operation or a pool above; usage would be 3 cores, and the limit is 2 cores": {
			Invariant: LIM01, Verdict: Violated, Left: 300, Right: 200, Resource: 1,
		},
		"PRE-16 violated: normal preemption leaves the victim's operation its threshold; its usage was 10 % of the tree's user slots, and the threshold is 25 %": {
			Invariant: PRE16, Verdict: Violated, Left: 0.1, Right: 0.25, Resource: resource.UserSlots,
		},
		"LIM-06 violated: the repair of a limit takes no job more than needed": {
			Invariant: LIM06, Verdict: Violated, Left: crowded(resource.Vector{3, 100}, resource.Unlimited).left,
		},
		"PRE-08 excused: neither the victim's operation nor a pool that the beneficiary is not in starved; one of them was starving; excused: the tree has switched this check off": {
			Invariant: PRE08, Verdict: Excused, Excuse: CheckDisabled, Left: 1,
		},
		"PRE-01 undecidable: a preemption serves a job started in the same heartbeat, or the node was overfull; the log does not record for whom the job was preempted": {
			Invariant: PRE01, Verdict: Undecidable, Missing: PreemptedFor, Left: 3,
		},
	} {
		if got := r.Sentence(&resource.UsualUnits); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// What a rule measures has words in its sentence, and so has every excuse and input.
func TestSentencesHaveWords(t *testing.T) {
	for i := Invariant(0); i < Invariants; i++ {
		none := i.Unit() == NoUnit || i == LST03 || i == PEND02 || i == PEND03
		if (rules[i].found == "") != none {
			t.Errorf("%v measures %q, and says %q of it", i, i.Unit(), rules[i].found)
		}
	}
	for e, words := range excuseWords {
		if words == "" || e == NoExcuse {
			t.Errorf("the excuse %q is %q", e, words)
		}
	}
	if got := Excuse("no_such_thing").Words(); got != "no such thing" {
		t.Errorf("%q", got)
	}
	if got := Input("no_such_thing").Words(); got != "no such thing" {
		t.Errorf("%q", got)
	}
}

// TestTheFullestLimitIsNamed looks at a limit of one resource, of those there are.
func TestTheFullestLimitIsNamed(t *testing.T) {
	limits := resource.Unlimited
	limits[resource.CPU] = 500
	want := sides{left: 100, right: 500, kind: resource.CPU}
	if got := crowded(resource.Vector{90, 100}, limits); got != want || got.over() {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestFacts(t *testing.T) {
	b := fairBatch()
	if got := Facts(b.Judge(nil), 0); got != [8]Verdict{} {
		t.Errorf("facts of a fair preemption: %v", got)
	}
	b.Node.LastPreemptive = 99 * second
	b.at(donor).Graceful = true
	got := Facts(b.Judge(nil), 0)
	if got[4] != Violated || got[7] != Violated || got[0] != OK || got[2] != OK {
		t.Errorf("facts of a graceful operation's job, taken too soon: %v", got)
	}
	if got := Facts(b.Judge(nil), 1); got[0] != Undecidable {
		t.Errorf("facts of a victim that is none: %v", got)
	}
}

func TestTally(t *testing.T) {
	var tally Tally
	b := fairBatch()
	tally.AddRulings(b.Judge(nil))
	b.NoTicks = true
	tally.AddRulings(b.Judge(nil))
	if tally[PRE14][OK] != 1 || tally[PRE14][Undecidable] != 1 || tally[PRE08][OK] != 2 {
		t.Errorf("tally of PRE-14 %v, of PRE-08 %v", tally[PRE14], tally[PRE08])
	}
}

// TestOther judges under settings that may have been in force instead.
func TestOther(t *testing.T) {
	b := fairBatch()
	b.Node.LastPreemptive = 97 * second
	expect(t, b.Judge(nil), PRE14, Violated)
	old := *b.settings()
	old.PreemptiveBackoff = 2 * second
	b.AddState().Options = &old
	expect(t, b.Judge(nil), PRE14, Suspect)
}

func TestProof(t *testing.T) {
	b := fairBatch()
	b.Taken[0].Job = 2
	got := b.Prove(0)
	want := Proof{
		Target: scheduling.Normal, Priority: scheduling.Normal, Own: scheduling.Normal,
		Starving: needy, Status: scheduling.Starving, Kind: scheduling.FairShare, Since: 50 * second, Timeout: 30 * second,
		List: scheduling.Preemptible, Level: scheduling.LevelPreemptible, Blocker: -1,
		Before: 2.4, After: got.After, ShareBefore: 0.6, ShareAfter: got.ShareAfter, FairShare: 0.25,
		Candidates: 2, Rank: 1, Better: 3, Lost: 92 * second,
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got.ShareAfter < 0.5499 || got.ShareAfter > 0.5501 || got.After < 2.1999 || got.After > 2.2001 {
		t.Errorf("afterwards share %v, satisfaction %v", got.ShareAfter, got.After)
	}
}

func expect(t *testing.T, rulings []Ruling, i Invariant, want Verdict) {
	t.Helper()
	if got, judged := Worst(rulings, i); !judged || got != want {
		t.Errorf("%v = %v (judged: %v), want %v; %+v", i, got, judged, want, rulings)
	}
}

func TestSidesForAPerson(t *testing.T) {
	for _, c := range []struct {
		unit Unit
		side float64
		want string
	}{
		{Volumes, 12.00000000000017, "12"}, {Times, 1_234_567, "1.235 s"}, {Shares, 1. / 3, "33.33 %"}, {Counts, 12, "12"},
	} {
		if got := c.unit.show(c.side, 0, &resource.UsualUnits); got != c.want {
			t.Errorf("%v %v is shown as %q", c.side, c.unit, got)
		}
	}
}

// A threshold is told as the configuration has it, and the slack beside it.
func TestSlackIsToldBesideItsThreshold(t *testing.T) {
	late := Ruling{Invariant: STV02, Verdict: Violated, Left: 130e6, Right: 36e6, Granted: 6e6}
	const want = "it had been below its share for 130 s, and its timeout is 30 s (6 s of slack granted)"
	if got := late.Sentence(&resource.UsualUnits); !strings.HasSuffix(got, want) {
		t.Errorf("%s", got)
	}
	s := NewStarvation(Context{Slacks: &Slacks{Tick: 1e6, Record: 5e6}}, scheduling.Timeouts{Starving: 30e6})
	rulings := s.Record(StarvationRecord{At: 0, Below: true}, nil)
	rulings = s.Record(StarvationRecord{At: 130e6, Below: true}, rulings[:0])
	if got := rulings[0]; got.Right != 36e6 || got.Granted != 6e6 {
		t.Errorf("%+v", got)
	}
}

// Worst returns the worst verdict on an invariant among rulings, and whether
// there is one.
func Worst(rulings []Ruling, i Invariant) (worst Verdict, judged bool) {
	for k := range rulings {
		if rulings[k].Invariant == i {
			worst, judged = max(worst, rulings[k].Verdict), true
		}
	}
	return worst, judged
}

// IsFair reports whether no ruling counts against the scheduler
// (core/spec/scheduling.md §10.10).
func IsFair(rulings []Ruling) bool {
	for k := range rulings {
		if rulings[k].Counts() {
			return false
		}
	}
	return true
}
