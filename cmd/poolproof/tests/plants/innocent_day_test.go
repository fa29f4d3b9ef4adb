package plants

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest/synthetic"
)

// An unseenAudit is one that preset day gives nothing to judge in some profiles.
type unseenAudit struct {
	profiles []string
	reason   string
}

// unseen are all of them.
var unseen = map[string]unseenAudit{
	"gang_outside_fifo":           {[]string{"documented", "baseline", "legacy"}, "only schedulers of the profile current keep gangs in FIFO pools"},
	"lightweight_miscounted":      {[]string{"baseline", "legacy"}, "they know no lightweight operations"},
	"lightweight_operation_large": {[]string{"baseline", "legacy"}, "likewise"},
	"lightweight_pool_mixed":      {[]string{"baseline", "legacy"}, "likewise"},
	"recorded_limits_differ":      {[]string{"current"}, "the specified limits are what they report"},
}

// unseenBefore are those of a part of the day: what they judge is later.
var unseenBefore = map[string]time.Duration{
	"operation_in_removed_tree": 9*time.Hour + 30*time.Minute, // the cloud is given back
}

// wholeFeatures is how much of the day has all features, but for those of the evening:
// no audit is without anything to judge from then on.
const wholeFeatures = time.Hour

// dayProfiles are the profiles in which the day is tried, the first in the sample: most
// clusters are judged by it.
var dayProfiles = []string{"documented", "baseline", "current", "legacy"}

// TestSweepInnocentDay: of a working day with everything on and nothing planted nobody is
// accused above info, in whatever profile, and no audit that a trace can decide is left
// without anything to judge. Here it is an hour of the day, and ten minutes in the sample;
// `make innocent-day` takes more of it.
func TestSweepInnocentDay(t *testing.T) {
	part := sweep.Take(t, len(dayProfiles))
	seeds, profiles, length := 1, dayProfiles, wholeFeatures
	if part.Sample() {
		length = 10 * time.Minute
	}
	if text := os.Getenv("POOLPROOF_DAYS"); text != "" {
		var err error
		if seeds, err = strconv.Atoi(text); err != nil {
			t.Fatalf("POOLPROOF_DAYS: %v", err)
		}
	}
	if text := os.Getenv("POOLPROOF_PROFILE"); text != "" {
		profiles = strings.Split(text, ",")
	}
	if text := os.Getenv("POOLPROOF_DAY"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatalf("POOLPROOF_DAY: %v", err)
		}
	}
	for i, profile := range profiles {
		if !slices.Contains(dayProfiles, profile) {
			t.Fatalf("POOLPROOF_PROFILE: no profile %q", profile)
		}
		if !part.Has(i) {
			continue
		}
		t.Run(profile, func(t *testing.T) { innocentDays(t, profile, length, seeds) })
	}
}

// innocentDays tries the days of all seeds in one profile.
func innocentDays(t *testing.T, profile string, length time.Duration, seeds int) {
	seen, why := map[string]int64{}, map[string]string{} // by audit, of all seeds: what a part of one day is about is chance
	for seed := 1; seed <= seeds; seed++ {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { innocentDay(t, profile, uint64(seed), length, seen, why) })
	}
	for _, id := range slices.Sorted(maps.Keys(why)) {
		excepted := slices.Contains(unseen[id].profiles, profile)
		switch {
		case seen[id] > 0 && excepted:
			t.Errorf("%s judged %d: take it off the list of what sees nothing (%s)", id, seen[id], unseen[id].reason)
		case seen[id] == 0 && !excepted && length >= wholeFeatures && length > unseenBefore[id]:
			t.Errorf("%s saw nothing: %s", id, why[id])
		}
	}
}

// innocentDay runs a day and adds up how much each audit has seen, and what it said if
// that was nothing.
func innocentDay(t *testing.T, profile string, seed uint64, length time.Duration, seen map[string]int64, why map[string]string) {
	spec, err := synthetic.Preset("day")
	if err != nil {
		t.Fatal(err)
	}
	spec.Length, spec.Profile = synthetic.Duration(length.Microseconds()), profile
	_, v := commandtest.Harvest(t, synthetic.Options{Spec: spec, Seed: seed, Workers: runtime.NumCPU()})
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Verdict == audit.Violated {
			t.Errorf("%s of %s %s in tree %s from %s: %s", f.Invariant, f.SubjectKind, f.Subject, f.Tree, f.From, f.Reason)
		}
	}
	if code := v.ExitCode(); code != exit.Kept {
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
