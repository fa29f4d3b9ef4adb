package audit

import (
	"strings"
	"testing"

	"poolproof/replay/tables"
)

func TestFairShareAboveItsBounds(t *testing.T) {
	t.Parallel()
	span := func(from, to int, demand, limits float64) tables.Interval {
		return tables.Interval{FromTime: at(from), ToTime: at(to), FairOverDemand: demand, FairOverLimits: limits}
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a",
		tables.PoolInterval{Pool: 0, Interval: span(0, 60, 0, 0.3)}, // totals settle
		tables.PoolInterval{Pool: 0, Interval: span(100, 160, 0.2, 0)},
		tables.PoolInterval{Pool: 0, Interval: span(160, 220, 0.1, 0)}, // goes on
		tables.PoolInterval{Pool: 0, Interval: span(220, 280, 1e-5, 1e-5)},
		tables.PoolInterval{Pool: 0, Interval: span(280, 340, 0.4, 0)}) // another episode
	put(r, "a", recordsSeen())
	put(r, "a", tables.OperationInterval{Operation: 1, Interval: span(300, 301, 0, 0.01)})
	v := r.judge("fair_share_over_demand", "fair_share_over_limits")
	if got := v.found("fair_share_over_demand"); got != "violated a pool prod 0.4 share\nviolated a pool prod 0.2 share" {
		t.Error(got)
	}
	if got := v.found("fair_share_over_limits"); got != "violated a operation op-b 0.01 share\nexcused a pool prod 0.3 share" {
		t.Error(got)
	}
	if o := v.outcome("fair_share_over_limits", "a"); o.Seen != 6 {
		t.Errorf("%+v", o)
	}
}

// Shares that were not updated, because the rules refuse it, accuse nobody.
func TestRefusedShareUpdates(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	for tree, row := range map[string]tables.Tree{
		"all":  {Updates: 7, RefusedUpdates: 7, RefusedTime: 90e6},
		"some": {Updates: 7, RefusedUpdates: 2, RefusedTime: 90e6},
		"past": {Updates: 7, RefusedUpdates: 2}, // before the window
		"none": {},                              // no update, nothing refused
	} {
		r.addTree(tree, whole())
		row.FromTime, row.ToTime = at(0), at(86400)
		put(r, tree, row)
		put(r, tree, recordsSeen())
		put(r, tree, tables.PoolInterval{Pool: 1, Interval: tables.Interval{FromTime: at(100), ToTime: at(200), FairOverDemand: 0.5, FairOverLimits: 0.5}})
		put(r, tree, tables.GuaranteeEpisode{Pool: 1, FromTime: at(100), ToTime: at(900), Owed: 2e9, Delivered: 1e9, Others: 800e6, Withheld: 800e6, Preemptible: 800e6, SurelyPreemptible: 800e6})
	}
	v := r.judge("fair_share_over_demand", "fair_share_over_limits", "strong_guarantee_unmet")
	for _, audit := range []string{"fair_share_over_demand", "fair_share_over_limits", "strong_guarantee_unmet"} {
		verdicts := map[string]Judgement{"all": Undecidable, "some": Suspect, "past": Violated, "none": Violated}
		reasons := map[string]string{
			"all":  "all 7 share updates were refused: see the problems",
			"some": "for 1 min 30 s the shares were out of date, since 2 of 7 share updates were refused: see the problems",
		}
		for tree, want := range verdicts {
			if o := v.outcome(audit, tree); o.Verdict != want || (o.Seen == 0) != (tree == "all") || o.Reason != reasons[tree] || o.Findings != 1 {
				t.Errorf("%s: %+v", audit, o)
			}
		}
		for _, f := range v.Findings {
			if f.Audit == audit && (f.Verdict != verdicts[f.Tree] || !strings.Contains(f.Reason, reasons[f.Tree])) {
				t.Errorf("%s in %s: %s %s", audit, f.Tree, f.Verdict, f.Reason)
			}
		}
	}
}
