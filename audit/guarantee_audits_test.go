package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// A stretch that a global excuse window breaks proves nothing unless a part of it is long
// enough.
func TestGuaranteeUnmetAroundExcuseWindows(t *testing.T) {
	t.Parallel()
	unmet := func(pool core.PoolID, seconds int) tables.GuaranteeEpisode {
		all := int64(seconds) * 1e6
		return tables.GuaranteeEpisode{
			Pool: pool, FromTime: at(1000), ToTime: at(1000 + seconds), Guarantee: 0.5, Demand: 0.8, Usage: 0.2, Gap: 0.3, GapTime: at(1010), Resource: resource.CPU,
			Others: all, Withheld: all, Preemptible: all, PreemptibleFrom: core.Some(at(1000)), SurelyPreemptible: all, SurelyPreemptibleFrom: core.Some(at(1000)),
		}
	}
	r := newTestRun(t)
	r.addTree("away", whole())
	put(r, "away", unmet(0, 609), unmet(1, 610)) // 299 s before the window, and 299 and 300 after it
	put(r, "away", tables.ExcuseWindow{Cause: "update_pools_alert", FromTime: at(1299), ToTime: at(1310)})
	v := r.graded("strong_guarantee_unmet")
	if got := v.found("strong_guarantee_unmet"); got != "violated away pool batch 0 share·s\nexcused away pool prod 0 share·s" {
		t.Error(got)
	}
	if got := v.Findings[1].Reason; !strings.Contains(got, "Excused: the scheduler could not load its configuration (alert update_pools).") {
		t.Error(got)
	}
	only := []string{"strong_guarantee_unmet"}
	alone := r.judgeWith(Options{Queries: about(t, only...), Only: only, FindingsAlone: true})
	if alone.found(only[0]) != v.found(only[0]) || alone.Findings[0].ID != v.Findings[0].ID || alone.Promises != nil {
		t.Errorf("alone are found %v, with promises %v", alone.found(only[0]), alone.Promises)
	}
}

func TestStrongGuaranteeUnmet(t *testing.T) {
	t.Parallel()
	unmet := func(pool core.PoolID, seconds, others, limited, withheld int) tables.GuaranteeEpisode {
		return tables.GuaranteeEpisode{
			Withheld: int64(withheld) * 1e6, Preemptible: int64(withheld) * 1e6, PreemptibleFrom: core.Some(at(1005)), SurelyPreemptible: int64(withheld) * 1e6, SurelyPreemptibleFrom: core.Some(at(1005)), Resource: resource.CPU,
			Pool: pool, FromTime: at(1000), ToTime: at(1000 + seconds), Guarantee: 0.5, Demand: 0.8, Usage: 0.2, Gap: 0.3, GapTime: at(1010),
			Owed: int64(seconds) * 5e8, Delivered: int64(seconds) * 2e8, Others: int64(others) * 1e6, Limited: int64(limited) * 1e6,
		}
	}
	above := tables.PoolInterval{Pool: 2, Interval: tables.Interval{FromTime: at(0), ToTime: at(2000), UsageRatio: 0.8, FairRatio: 0.5}}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", unmet(0, 600, 400, 500, 300), unmet(1, 300, 300, 0, 300)) // limited while others were not above, mostly
	put(r, "a", tables.Pool{Pool: 0, Path: "prod"}, tables.Pool{Pool: 1, Path: "batch"}, tables.Pool{Pool: 2, Path: "ads"})
	put(r, "a", above)
	r.addTree("b", whole())
	put(r, "b", unmet(0, 600, 200, 0, 200), unmet(1, 600, 600, 400, 200), unmet(2, 600, 600, 300, 0))
	r.addTree("silent", map[string]string{"demand": "none"})
	put(r, "silent", unmet(0, 600, 600, 0, 600))
	r.addTree("free", whole())
	guaranteed := tables.PoolInterval{Pool: 0, Interval: tables.Interval{MinShareRatio: 0.5}}
	demanding := guaranteed
	demanding.Pool, demanding.DemandRatioMax = 1, 0.1
	r.addTree("idle", whole())
	put(r, "idle", guaranteed, tables.PoolInterval{Pool: 2, Interval: tables.Interval{DemandRatioMax: 1}})
	r.addTree("kept", whole())
	put(r, "kept", guaranteed, demanding)
	v := r.judge("strong_guarantee_unmet")
	want := "violated a pool prod 180 share·s\nundecidable silent pool prod 180 share·s\n" +
		"excused b pool ads 180 share·s\nexcused b pool batch 180 share·s\nexcused b pool prod 180 share·s"
	if got := v.found("strong_guarantee_unmet"); got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
	wantReason := "Pool prod was up to 30 % of the tree's cpu below the guarantee that it demanded for 10 min 00 s. For 5 min 00 s of it without a break, preemption could have made room for one of its jobs. Pool ads was furthest above its fair share then."
	if got := v.Findings[0].Reason; got != wantReason {
		t.Errorf("reason %q", got)
	}
	for i, want := range []string{
		"others used more than their fair share for 10 min 00 s of it, but never while neither the pool nor an ancestor stood at its resource limit.",
		"but only for 3 min 20 s while",
		"others used more than their fair share for only 3 min 20 s of it.",
	} {
		if got := v.Findings[2+i].Reason; !strings.Contains(got, want) {
			t.Errorf("reason %q", got)
		}
	}
	if got := string(v.Findings[0].Evidence); !strings.Contains(got, `"others_above_s":400.0,"limited_s":500.0,"withheld_s":300.0,"preemptible_s":300.0,"preemptible_from_time":"2023-11-14T22:30:05.000000Z"`) {
		t.Errorf("evidence %s", got)
	}
	if o := v.outcome("strong_guarantee_unmet", "idle"); o.Verdict != Undecidable || o.Reason != "no pool with a strong guarantee demanded anything" {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("strong_guarantee_unmet", "kept"); o.Verdict != OK || o.Seen != 1 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("strong_guarantee_unmet", "silent"); o.Seen != 0 || o.Verdict != Undecidable || !strings.Contains(o.Reason, "demand: none, not recorded") {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("strong_guarantee_unmet", "free"); o.Verdict != Undecidable || o.Reason != "no pool has a strong guarantee" {
		t.Errorf("%+v", o)
	}
}

// What was lacking is told in the unit of the promise, of what the tree had then, and in
// shares where nobody knows what it had.
func TestUnmetIsToldInTheUnitOfThePromise(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	want := map[string]string{}
	tree := func(name string, k resource.Kind, total int64, states map[string]string, text, evidence string) {
		r.addTree(name, states)
		put(r, name, tables.Pool{Pool: 0, Path: "prod"})
		put(r, name, tables.GuaranteeEpisode{
			Withheld: 600e6, Preemptible: 600e6, PreemptibleFrom: core.Some(at(1005)), SurelyPreemptible: 600e6, SurelyPreemptibleFrom: core.Some(at(1005)), Resource: k,
			Pool: 0, FromTime: at(1000), ToTime: at(1600), Guarantee: 0.5, Demand: 0.75, Usage: 0.25, Gap: 0.25, GapTime: at(1010), Owed: 3e11, Others: 600e6,
		})
		root := func(from, to int, total int64) tables.PoolInterval {
			i := tables.PoolInterval{Pool: core.RootPool, Interval: tables.Interval{FromTime: at(from), ToTime: at(to)}}
			i.Limits[k] = total
			return i
		}
		if total > 0 {
			put(r, name, root(0, 1005, 7*total), root(1005, 1500, total), root(1500, 2000, 3*total))
		}
		want[name] = "Pool prod was up to " + text + ".|" + evidence
	}
	tree("cpu", resource.CPU, 8000, whole(), "20 cores below the guarantee that it demanded for 10 min 00 s: it had 20 cores of 40 cores", "20.0 40.0 20.0 cores")
	tree("memory", resource.Memory, 8<<30, whole(), "2 GiB of memory below the guarantee that it demanded for 10 min 00 s: it had 2 GiB of memory of 4 GiB of memory", "2.0 4.0 2.0 GiB")
	tree("gpu", resource.GPU, 8000, whole("unit.gpu", "milli_gpu"), "2 GPUs below the guarantee that it demanded for 10 min 00 s: it had 2 GPUs of 4 GPUs", "2.0 4.0 2.0 devices")
	tree("slots", resource.UserSlots, 8, whole(), "2 user slots below the guarantee that it demanded for 10 min 00 s: it had 2 user slots of 4 user slots", "2.0 4.0 2.0 slots")
	tree("sizeless", resource.CPU, 0, whole(), "25 % of the tree's cpu below the guarantee that it demanded for 10 min 00 s", "NULL NULL NULL NULL")
	for _, f := range r.judge("strong_guarantee_unmet").Findings {
		var e struct {
			Lacked, Owed, Had *json.Number
			Unit              *string
		}
		if err := json.Unmarshal(f.Evidence, &e); err != nil {
			t.Fatal(err)
		}
		sides := "NULL NULL NULL NULL"
		if e.Lacked != nil {
			sides = fmt.Sprint(*e.Lacked, " ", *e.Owed, " ", *e.Had, " ", *e.Unit)
		}
		reason, _, _ := strings.Cut(f.Reason, " For ")
		if got := reason + "|" + sides; got != want[f.Tree] {
			t.Errorf("got\n%s\nwant\n%s", got, want[f.Tree])
		}
		delete(want, f.Tree)
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}

// Others have what is owed in jobs that nothing may take, or where the pool's own do
// not fit: preemption could have given it nothing. What it could have given now and then
// is no more, though the moments may add up to the ten minutes of this episode: only a
// stretch of the SLA's length is alleged.
func TestGuaranteeThatPreemptionCannotGive(t *testing.T) {
	t.Parallel()
	const excuse = " Excused: preemption could have made room for one of its jobs"
	reasons := map[int]string{
		300: " For 5 min 00 s of it without a break, preemption could have made room for one of its jobs.",
		299: excuse + " for only 4 min 59 s at a stretch.",
		0:   excuse + " at no time.",
	}
	for preemptible, want := range map[int]string{
		300: "violated a pool prod 300 share·s",
		299: "excused a pool prod 300 share·s",
		0:   "excused a pool prod 300 share·s",
	} {
		r := newTestRun(t)
		r.addTree("a", whole())
		put(r, "a", tables.Pool{Pool: 0, Path: "prod"})
		put(r, "a", tables.GuaranteeEpisode{
			Pool: 0, FromTime: at(1000), ToTime: at(1600), Resource: resource.CPU, Gap: 0.5, GapTime: at(1010), Owed: 3e11,
			Others: 600e6, Withheld: 600e6, Preemptible: int64(preemptible) * 1e6, PreemptibleFrom: core.Some(at(1100)), SurelyPreemptible: int64(preemptible) * 1e6, SurelyPreemptibleFrom: core.Some(at(1100)),
		})
		v := r.judge("strong_guarantee_unmet")
		if got := v.found("strong_guarantee_unmet"); got != want {
			t.Errorf("%d s: found %s, want %s", preemptible, got, want)
		}
		if excuse := reasons[preemptible]; !strings.HasSuffix(v.Findings[0].Reason, excuse) {
			t.Errorf("%d s: %s", preemptible, v.Findings[0].Reason)
		}
	}
}

// Where the log tells the least of each resource that any job takes, none may be so
// small: only room for one whose size it tells is alleged, and that for the SLA.
func TestGuaranteeOfJobsWithoutSize(t *testing.T) {
	t.Parallel()
	for surely, want := range map[int]string{
		300: "violated a pool prod 300 share·s",
		299: "suspect a pool prod 300 share·s",
	} {
		r := newTestRun(t)
		r.addTree("a", whole())
		put(r, "a", tables.Pool{Pool: 0, Path: "prod"})
		put(r, "a", tables.GuaranteeEpisode{
			Pool: 0, FromTime: at(1000), ToTime: at(1600), Resource: resource.CPU, Gap: 0.5, GapTime: at(1010), Owed: 3e11,
			Others: 600e6, Withheld: 600e6, Preemptible: 400e6, PreemptibleFrom: core.Some(at(1100)), SurelyPreemptible: int64(surely) * 1e6, SurelyPreemptibleFrom: core.Some(at(1200)),
		})
		v := r.judge("strong_guarantee_unmet")
		if got := v.found("strong_guarantee_unmet"); got != want {
			t.Errorf("%d s: found %s, want %s", surely, got, want)
		}
		if told := strings.Contains(v.Findings[0].Reason, "It is uncertain whether one of them was small enough throughout"); told != (surely < 300) {
			t.Errorf("%d s: %s", surely, v.Findings[0].Reason)
		}
	}
}

// What an integral guarantee owes is found apart from a strong one, by the same
// measure.
func TestIntegralGuaranteeUnmet(t *testing.T) {
	t.Parallel()
	unmet := func(pool core.PoolID, kind tables.GuaranteeKind, seconds, withheld int) tables.GuaranteeEpisode {
		return tables.GuaranteeEpisode{
			Kind: kind, Withheld: int64(withheld) * 1e6, Preemptible: int64(withheld) * 1e6, SurelyPreemptible: int64(withheld) * 1e6, Others: int64(withheld) * 1e6, Resource: resource.CPU,
			Pool: pool, FromTime: at(1000), ToTime: at(1000 + seconds), Guarantee: 0.5, Demand: 0.8, Usage: 0.2, Gap: 0.3, GapTime: at(1010),
			Owed: int64(seconds) * 5e8, Delivered: int64(seconds) * 2e8,
		}
	}
	const id = "integral_guarantee_unmet"
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", unmet(0, tables.BurstGuarantee, 600, 400), unmet(1, tables.RelaxedGuarantee, 600, 600), unmet(2, tables.StrongGuarantee, 600, 600))
	r.addTree("b", whole())
	put(r, "b", unmet(0, tables.BurstGuarantee, 300, 300), unmet(1, tables.RelaxedGuarantee, 600, 200)) // not longer than the SLA; nobody had it
	kind := func(share float64) tables.PoolInterval {
		return tables.PoolInterval{Pool: 0, Interval: tables.Interval{FromTime: at(0), ToTime: at(100)}, Integral: core.Some(share)}
	}
	r.addTree("kept", whole())
	put(r, "kept", kind(0.25))
	r.addTree("exhausted", whole())
	put(r, "exhausted", kind(0))
	put(r, "exhausted", tables.Pool{Pool: 0, Path: "prod", IntegralType: pooltree.Burst})
	r.addTree("free", whole())
	put(r, "free", tables.Pool{Pool: 0, Path: "prod"})
	r.addTree("strong", whole())
	put(r, "strong", unmet(2, tables.StrongGuarantee, 100, 100))
	v := r.judge(id, "strong_guarantee_unmet")
	if got := v.found(id); got != "violated a pool batch relaxed 180 share·s\nviolated a pool prod burst 180 share·s\nexcused b pool batch relaxed 180 share·s" {
		t.Errorf("found\n%s", got)
	}
	if got := v.found("strong_guarantee_unmet"); got != "violated a pool ads 180 share·s" {
		t.Errorf("found\n%s", got)
	}
	for _, f := range v.Findings {
		if f.Subject == "prod" && f.Reason != "Pool prod was up to 30 % of the tree's cpu below its burst guarantee for 10 min 00 s. For 6 min 40 s of it without a break, preemption could have made room for one of its jobs." {
			t.Errorf("reason %q", f.Reason)
		}
	}
	for tree, want := range map[string]string{
		"a": "", "kept": "", "exhausted": "no pool with an integral guarantee demanded what its volume pays for", "free": "no pool has an integral guarantee",
		"strong": "no pool has an integral guarantee",
	} {
		if o := v.outcome(id, tree); o.Reason != want || (o.Seen == 0) != (want != "") {
			t.Errorf("%+v", o)
		}
	}
}
