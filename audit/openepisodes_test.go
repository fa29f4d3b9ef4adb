package audit

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// cutAudits are those whose episodes the test below cuts.
var cutAudits = []string{
	"strong_guarantee_unmet", "starving_too_long", "pool_over_resource_limits", "operation_unschedulable", "pending_with_room",
}

// nightWith is a run of a window, in seconds of the tests' day, in which something of each kind lasts
// from one moment to another, and says so in the columns of its rows. Nothing of it is short of
// preemption.
func nightWith(t *testing.T, from, to, begins, ends int) *testRun {
	r := newTestRun(t)
	r.manifest.From, r.manifest.To = instantOf(at(from)).Format(time.RFC3339Nano), instantOf(at(to)).Format(time.RFC3339Nano)
	r.addTree("a", whole("pool_config", "history", "heartbeats", "recorded", "operation_states", "recorded"))
	put(r, "a", tables.Tree{Profile: "documented", FromTime: at(from), ToTime: at(to)})
	start, end := at(max(from, begins)), at(min(to, ends))
	cutFrom, cutTo := begins < from, ends > to
	long := int64(end - start)
	touches := tables.Ends{}
	if cutFrom {
		touches.PreemptibleUntil, touches.SurelyPreemptibleUntil = core.Some(end), core.Some(end)
	}
	if cutTo {
		touches.PreemptibleSince, touches.SurelyPreemptibleSince = core.Some(start), core.Some(start)
	}
	put(r, "a", tables.GuaranteeEpisode{
		FromTime: start, ToTime: end, ClippedFrom: cutFrom, ClippedTo: cutTo,
		Resource: resource.CPU, Guarantee: 0.5, Demand: 0.5, Gap: 0.5, GapTime: start,
		Owed: long * 500, Others: long, Withheld: long, Preemptible: long, PreemptibleFrom: core.Some(start),
		SurelyPreemptible: long, SurelyPreemptibleFrom: core.Some(start), Ends: touches,
	})
	put(r, "a", tables.StarvationEpisode{
		Element: tables.ElementOperation, Operation: core.Some(core.OperationID(0)), For: scheduling.FairShare,
		Status: scheduling.Starving, Since: start, FromTime: start, ToTime: end, ClippedFrom: cutFrom, ClippedTo: cutTo,
		Gap: 0.5, Owed: long * 500, Preemptible: core.Some(long), PreemptibleFrom: core.Some(start),
		SurelyPreemptible: core.Some(long), SurelyPreemptibleFrom: core.Some(start), Ends: touches,
	})
	put(r, "a", tables.LimitEpisode{
		Element: tables.ElementPool, Pool: core.Some(core.PoolID(1)), Limit: tables.ResourceLimits,
		Resource: core.Some(resource.CPU), FromTime: start, ToTime: end, ClippedFrom: cutFrom, ClippedTo: cutTo, LimitValue: 100, Value: 200, PeakTime: start, Cause: tables.CauseJobStarted,
	})
	put(r, "a", tables.UnschedulableEpisode{
		Operation: 1, Pool: 1, Resource: resource.CPU, Needed: 200, Limit: 100,
		FromTime: start, ToTime: end, ClippedFrom: cutFrom, ClippedTo: cutTo,
	})
	due := tables.PendingEpisode{
		Operation: 2, FromTime: start, ToTime: end, ClippedFrom: cutFrom, ClippedTo: cutTo, Recorded: true, Due: long,
		LongestDue: long, DueFrom: core.Some(start), DuePool: core.Some(core.PoolID(0)), Ended: "running",
	}
	if cutFrom {
		due.DueUntil = core.Some(end)
	}
	if cutTo {
		due.DueSince = core.Some(start)
	}
	put(r, "a", due)
	put(r, "a", tables.OperationInterval{Interval: tables.Interval{FromTime: start, ToTime: end}, Running: true})
	checked := tables.SchedulabilityChecked
	put(r, "a", tables.Operation{Operation: 1, Pool: 1, RunningTime: core.Some(start), UnschedulableCheck: checked})
	return r
}

func instantOf(t core.Time) time.Time { return time.UnixMicro(int64(t)).UTC() }

// lastingFindings are what is alleged or noted, with when it began and how long it lasted.
func lastingFindings(v *Verdict) string {
	var lines []string
	for _, f := range v.Findings {
		if f.Alleges() || f.Verdict == Noted {
			lines = append(lines, fmt.Sprintf("%s since %d for %v", f.Audit, f.From.Unix()-1_700_000_000, f.To.Sub(*f.From)))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestAnEpisodeOfSeveralNightsIsOne: each of three nights has a part that is short enough. The
// night in which the whole has lasted for too long finds it, if the nights before handed on what
// they left open.
func TestAnEpisodeOfSeveralNightsIsOne(t *testing.T) {
	t.Parallel()
	policy := policyOf(t, "strong_guarantee_unmet: {sla_s: 300}\nstarving_too_long: {bound_s: 300}\n"+
		"pool_over_resource_limits: {use_s: 300}\n"+
		"operation_unschedulable: {patience_s: 200, slack_s: 100}\npending_with_room: {scan_s: 290, slack_s: 10}\n")
	windows := [][2]int{{0, 1000}, {1000, 1100}, {1100, 2000}}
	judge := func(i int, base *Verdict) *Verdict {
		r := nightWith(t, windows[i][0], windows[i][1], 850, 1250)
		r.judgeWith(Options{Queries: about(t, cutAudits...), Baseline: base, Policy: policy})
		v, err := ReadBaseline(r.dir, nil)
		if err != nil {
			t.Fatal(filepath.Base(r.dir), err)
		}
		return v
	}
	first := judge(0, nil)
	second := judge(1, first)
	third := judge(2, second)
	for i, v := range []*Verdict{first, second} {
		if got := lastingFindings(v); got != "" {
			t.Errorf("night %d finds\n%s", i, got)
		}
		unsettled := 0
		for _, e := range v.Open {
			if e.Cut == "end" && e.Unsettled && e.Counted == float64([]int{150, 250}[i]) {
				unsettled++
			}
		}
		if unsettled != len(cutAudits) {
			t.Errorf("night %d leaves %d of %d open", i, unsettled, len(cutAudits))
		}
	}
	var want []string
	for _, audit := range cutAudits {
		want = append(want, audit+" since 850 for 6m40s")
	}
	slices.Sort(want)
	if got := lastingFindings(third); got != strings.Join(want, "\n") {
		t.Errorf("the third night finds\n%s", got)
	}
	if alone := judge(2, nil); lastingFindings(alone) != "" { // what is cut at the beginning is not known
		t.Errorf("alone it finds\n%s", lastingFindings(alone))
	} else if n := len(alone.Named()); n != len(cutAudits) {
		t.Errorf("alone it names %d open episodes", n)
	}
	if other := judge(2, first); lastingFindings(other) != "" { // a baseline that does not adjoin hands on nothing
		t.Errorf("after the first it finds\n%s", lastingFindings(other))
	}
}
