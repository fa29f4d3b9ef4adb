package judge

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"poolproof/core/coretest/testcorpus"
	"poolproof/core/resource"
)

// TestRulesAreThoseOfTheSpec holds the severity of each rule against its row of the spec, and
// whether it honours global excuse windows against the mark † of its section.
func TestRulesAreThoseOfTheSpec(t *testing.T) {
	spec, err := os.ReadFile(testcorpus.File(t, testcorpus.Spec, "invariants.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Invariant]bool{}
	for _, section := range strings.Split(string(spec), "\n## ") {
		title, rows, _ := strings.Cut(section, "\n")
		for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z]+-[0-9]+) \|.*\| (\w+)[^|]*\|[^|]*\|$`).FindAllStringSubmatch(rows, -1) {
			i, judged := ParseInvariant(row[1])
			if !judged {
				continue
			}
			if seen[i] || i.Statement() == "" || rules[i].inputs == 0 {
				t.Errorf("%v is declared or stated twice, or not at all: %+v", i, rules[i])
			}
			seen[i] = true
			if marked := strings.HasSuffix(title, "†"); (rules[i].windows != excuseNone) != marked {
				t.Errorf("%v honours windows: %v; its section is %q", i, rules[i].windows, title)
			}
			if i.Severity().String() != row[2] {
				t.Errorf("%v is %v, in the spec %s", i, i.Severity(), row[2])
			}
		}
	}
	if len(seen) != Invariants {
		t.Errorf("the spec has rows of %d invariants of %d", len(seen), Invariants)
	}
	if _, known := ParseInvariant("PRE-99"); known {
		t.Error("PRE-99 is known")
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
