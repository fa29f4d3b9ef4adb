package plants

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest/synthetic"
	"poolproof/queries"
)

// lasting are the audits that judge how long an episode lasts, by the rules of their plants.
var lasting = map[string][]string{
	"GUA-03":  {"strong_guarantee_unmet", "integral_guarantee_unmet"},
	"STV-09":  {"starving_too_long"},
	"LIM-02":  {"pool_over_resource_limits", "operation_over_resource_limits"},
	"LIM-04":  {"exceeded_limit_not_repaired"},
	"PRE-30":  {"preempted_work_not_restarted"},
	"LIM-10":  {"operation_unschedulable"},
	"PEND-01": {"pending_with_room"},
	"OVC-03":  {"node_stays_overcommitted"},
	"CNT-04":  {"pool_over_operation_count"},
	"CNT-05":  {"pool_over_running_operation_count"},
}

// TestSweepNights: wherever a window is cut into nights that are judged one after the other, each
// with the night before as its baseline, the same promises are broken and the same findings last
// as long as in the whole window. Cuts lie in planted violations.
func TestSweepNights(t *testing.T) {
	part := sweep.Take(t, 50)
	const cuts = 200
	kinds := plantsThatLast()
	for i := range cuts {
		if part.Has(i) {
			t.Run(fmt.Sprintf("cut=%d", i), func(t *testing.T) { judgeNights(t, kinds, uint64(i)) })
		}
	}
}

// plantsThatLast are the kinds that break such a rule, or seem to.
func plantsThatLast() (kinds []string) {
	for _, p := range synthetic.Plants() {
		about := slices.Concat(p.Invariants, p.Consequences, p.Excused, p.Noted)
		if !p.OfTheWholeScheduler() && slices.ContainsFunc(about, func(rule string) bool { return lasting[rule] != nil }) {
			kinds = append(kinds, p.Kind)
		}
	}
	return kinds
}

// nightsOf are the instants at which the n-th case cuts a window, in order: each in a violation.
func nightsOf(r *rand.Rand, planted []synthetic.Planted, from, to time.Time) (cuts []time.Time) {
	for range 1 + r.IntN(2) {
		p := planted[r.IntN(len(planted))]
		begin := moment(p.From)
		cut := begin.Add(time.Duration(r.Int64N(int64(max(moment(p.To).Sub(begin), time.Second))))).Truncate(time.Microsecond)
		if cut.After(from) && cut.Before(to) {
			cuts = append(cuts, cut)
		}
	}
	slices.SortFunc(cuts, time.Time.Compare)
	return slices.CompactFunc(cuts, time.Time.Equal)
}

func judgeNights(t *testing.T, kinds []string, n uint64) {
	r := rand.New(rand.NewPCG(39, n))
	r.Shuffle(len(kinds), func(i, k int) { kinds[i], kinds[k] = kinds[k], kinds[i] })
	log := filepath.Join(t.TempDir(), "trace")
	summary, err := synthetic.Generate(t.Context(), synthetic.Options{Plants: kinds[:4], Seed: n, Out: log})
	if err != nil {
		t.Fatal(err)
	}
	judge := func(base *audit.Verdict, window ...string) *audit.Verdict {
		out := filepath.Join(t.TempDir(), "run")
		commandtest.Succeed(t, append([]string{"replay", log, "--out", out, "--workers", "1", "--quiet"}, window...)...)
		only := slices.Concat(slices.Collect(maps.Values(lasting))...)
		v, err := audit.Run(t.Context(), audit.Options{
			Dir: out, Queries: queries.Files, Workers: 1, Only: only, Baseline: base,
		})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	whole := judge(nil)
	var nights []*audit.Verdict
	var base *audit.Verdict
	var window []string
	cuts := nightsOf(r, summary.Planted, moment(whole.From), moment(whole.To))
	for _, cut := range cuts {
		at := cut.UTC().Format(time.RFC3339Nano)
		base = judge(base, append(window, "--to", at)...)
		nights, window = append(nights, base), []string{"--from", at}
	}
	nights = append(nights, judge(base, window...))
	of := fmt.Sprintf("%v cut at %v", kinds[:4], cuts)
	if got, want := broken(nights), broken([]*audit.Verdict{whole}); !slices.Equal(got, want) {
		t.Errorf("%s: broken are\n%s\nand of the whole window\n%s", of, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	got, want := spans(nights), spans([]*audit.Verdict{whole})
	compareSpans(t, of, got, want)
}

// compareSpans holds how long findings last in nights against the whole window. Of a wait the
// longest time is told in which the operation was due: a night may tell of a shorter one, before
// the longest.
func compareSpans(t *testing.T, of string, got, want map[string]time.Duration) {
	t.Helper()
	keys := slices.AppendSeq(slices.Collect(maps.Keys(got)), maps.Keys(want))
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		longest := strings.HasPrefix(key, "pending_with_room ") && want[key] > 0 && got[key] > want[key]
		if got[key] != want[key] && !longest {
			t.Errorf("%s: %s lasts for %v, and in the whole window for %v", of, key, got[key], want[key])
		}
	}
}

// broken are the promises that are broken in any of some nights.
func broken(nights []*audit.Verdict) (promises []string) {
	for _, v := range nights {
		for _, p := range v.Promises {
			if p.Grade == audit.Broken {
				promises = append(promises, strings.Join([]string{p.Tree, p.Kind, p.Subject}, " "))
			}
		}
	}
	slices.Sort(promises)
	return slices.Compact(promises)
}

// spans are how long what is violated or noted lasts, in all nights together: what two nights tell
// of counts once.
func spans(nights []*audit.Verdict) map[string]time.Duration {
	type span struct{ from, to time.Time }
	all := map[string][]span{}
	for _, v := range nights {
		for _, f := range v.Findings {
			if f.Verdict == audit.Violated || f.Verdict == audit.Damaged || f.Verdict == audit.Noted {
				key := strings.Join([]string{f.Audit, f.Tree, f.Subject, f.Aspect}, " ")
				all[key] = append(all[key], span{*f.From, *f.To})
			}
		}
	}
	long := map[string]time.Duration{}
	for key, spans := range all {
		slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
		end := time.Time{}
		for _, s := range spans {
			if s.from.Before(end) {
				s.from = end
			}
			if s.to.After(end) {
				long[key] += s.to.Sub(s.from)
				end = s.to
			}
		}
	}
	return long
}
