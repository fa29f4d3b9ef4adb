package judge

import (
	"slices"
	"testing"

	"poolproof/core/resource"
	"poolproof/core/spec"
)

// invariantOf returns the invariant of an id, and whether there is one.
func invariantOf(id string) (Invariant, bool) {
	i := slices.IndexFunc(rules[:], func(r rule) bool { return r.id == id })
	return Invariant(max(i, 0)), i >= 0
}

// TestRulesAreStated holds the rules that are judged here against those that rules.txt states in a clause.
func TestRulesAreStated(t *testing.T) {
	for i := range Invariant(Invariants) {
		if rules[i].inputs == 0 || stated[i].ID != i.String() || i.Statement() == "" {
			t.Errorf("%d is not declared, or %v has no clause", i, i)
		}
		if rules[i].windows != excuseAll && !stated[i].HasWindows() {
			t.Errorf("%v honours no windows", i)
		}
	}
	for _, r := range spec.Rules() {
		if _, judged := invariantOf(r.ID); judged != (r.Clause != "") {
			t.Errorf("%s is judged: %v, and its clause is %q", r.ID, judged, r.Clause)
		}
	}
}

// A window excuses rules that honour it and no others; those are at most suspect where
// they rest on what is shaken.
func TestWindows(t *testing.T) {
	for _, c := range []struct {
		invariant             Invariant
		state, config, window Verdict // with the state shaken, the configuration, or neither
	}{
		{LIM01, Suspect, Violated, Violated}, // the accepted limit is broken, too
		{LIM07, Suspect, Excused, Violated},
		{GUA01, Suspect, Excused, Violated},
		{CNT02, Suspect, Excused, Violated},
		{CNT03, Excused, Excused, Excused}, // no configuration says anything of it
		{HB01, Suspect, Violated, Violated},
		{HB05, Suspect, Suspect, Violated},
		{HB08, Violated, Suspect, Violated},
		{PRE01, Suspect, Violated, Violated},
		{PRE06, Suspect, Suspect, Violated},
		{PRE13, Violated, Violated, Violated},
		{PRE14, Suspect, Suspect, Violated},
		{PRE25, Violated, Violated, Violated},
		{PRE26, Violated, Suspect, Violated},
		{GRC01, Suspect, Suspect, Violated},
		{OVC01, Suspect, Suspect, Violated},
		{LST01, Suspect, Suspect, Violated},
		{FIFO01, Suspect, Suspect, Violated},
		{SEG01, Suspect, Suspect, Violated},
		{LOG01, Suspect, Violated, Violated},
	} {
		context := plainContext()
		context.Excuse = PoolsAlert
		for shaken, want := range map[Inputs]Verdict{OnState: c.state, OnConfiguration: c.config, 0: c.window} {
			context.Shaken = shaken
			r := context.rule(c.invariant, held(false))
			if r.Verdict != want || (want == Excused) != (r.Excuse == PoolsAlert) || want == Suspect && r.Evidence != Possible {
				t.Errorf("%v with %b shaken: %+v, want %v", c.invariant, shaken, r, want)
			}
			if r := context.rule(c.invariant, held(true)); r.Verdict != OK {
				t.Errorf("%v holds with %b shaken: %v", c.invariant, shaken, r.Verdict)
			}
		}
	}
}

// What anybody asks for shakes lists, orders and who may take, and no bounds of amounts.
func TestShares(t *testing.T) {
	for i, want := range map[Invariant]Verdict{
		LST03: Suspect, PRE03: Suspect, PRE11: Suspect, PRE16: Suspect, GRC01: Suspect, HB06: Suspect, HB01: Violated, LIM01: Violated, PRE14: Violated,
	} {
		context := plainContext()
		context.Shaken = OnShares
		if r := context.rule(i, held(false)); r.Verdict != want {
			t.Errorf("%v: %v, want %v", i, r.Verdict, want)
		}
	}
}

// Where rows of operations are lost no count of them is violated for certain.
func TestLostOperations(t *testing.T) {
	for i, want := range map[Invariant]Verdict{
		CNT01: Suspect, CNT03: Suspect, CNT08: Suspect, LW03: Suspect, POOL03: Suspect, POOL05: Suspect, PEND07: Suspect, CNT05: Violated, POOL02: Violated, LIM01: Violated,
	} {
		context := plainContext()
		context.Shaken = OnOperations
		if r := context.rule(i, held(false)); r.Verdict != want {
			t.Errorf("%v: %v, want %v", i, r.Verdict, want)
		}
	}
}

// A start beyond a demand of which the log does not record every change proves nothing.
func TestDemandBetweenRecords(t *testing.T) {
	for demand, want := range map[Fact]finding{Yes: {}, No: {may: true}, Unknown: {missing: OperationDemand}} {
		s := Start{Decision: Decision{States: []State{{Elements: []Element{{}}}}}, Size: resource.Vector{1}, Demand: demand}
		s.r = &hypothesis{State: &s.States[0]}
		f := s.isDemanded()
		if f.holds || f.may != want.may || f.missing != want.missing {
			t.Errorf("demand known: %v: %+v", demand, f)
		}
	}
}
