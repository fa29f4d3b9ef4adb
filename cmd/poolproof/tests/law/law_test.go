package law

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"poolproof/audit"
	"poolproof/core/coretest/sweep"
	"poolproof/queries"
)

// variable names the seeds of mutations that are tried; of few of them, those that accuse are reduced.
const (
	variable     = "POOLPROOF_LAW"
	reducedSeeds = 100
)

// mutationsTried is how many seeds the sweep tries, and sampleStep how far those of make test are apart: no
// multiple of the number of logs, so that each log has one.
const (
	mutationsTried = 2000
	sampleStep     = 199
)

// TestSweepLostInformation damages good logs in ways drawn at random. A log that is damaged may be
// refused with a reason; it never accuses whom the whole log does not accuse.
func TestSweepLostInformation(t *testing.T) {
	part := sweep.Take(t, sampleStep)
	seeds := seedsOf(t)
	repeated := len(seeds) > 0
	for seed := 0; seed < mutationsTried && !repeated; seed++ {
		if part.Has(seed) {
			seeds = append(seeds, seed)
		}
	}
	for i, g := range goodLogs {
		t.Run(g.name, func(t *testing.T) {
			var c *court
			for _, seed := range seeds {
				if seed%len(goodLogs) != i {
					continue
				}
				if c == nil {
					c = &court{log: g.read(t)}
				}
				c.try(t, seed, repeated && len(seeds) <= reducedSeeds)
			}
		})
	}
}

// seedsOf reads the seeds to repeat.
func seedsOf(t *testing.T) (seeds []int) {
	for text := range strings.FieldsFuncSeq(os.Getenv(variable), func(r rune) bool { return r == ',' || r == ' ' }) {
		first, last, span := strings.Cut(text, "-")
		if !span {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil {
			t.Fatalf("%s=%s: write seeds, as 7,20-30", variable, text)
		}
		for ; from <= to; from++ {
			seeds = append(seeds, from)
		}
	}
	return seeds
}

// A court judges a log whole and damaged.
type court struct {
	log   goodLog
	whole map[string]string // what the whole log accuses, once it is needed
}

// try judges a mutation, and reduces one that accuses if that is asked for.
func (c *court) try(t *testing.T, seed int, reduce bool) {
	t.Helper()
	kinds, edits := c.log.mutate(newDice(uint64(seed)))
	accused, refused := c.judge(t, edits)
	wrong := slices.Sorted(maps.Keys(c.wrongly(t, accused)))
	if len(wrong) > 0 {
		t.Errorf("seed %d (%s): %d edits add %d violated findings; the first: %s: %s", seed, strings.Join(kinds, ", "), len(edits), len(wrong), wrong[0], accused[wrong[0]])
	}
	if !reduce {
		return
	}
	if refused != "" {
		t.Logf("seed %d (%s): refused: %s", seed, strings.Join(kinds, ", "), refused)
	}
	if wrong := c.wrongly(t, accused); len(wrong) > 0 {
		c.reduce(t, seed, edits, wrong)
	}
}

// reduce prints the fewest edits that still accuse one of those that a mutation accuses.
func (c *court) reduce(t *testing.T, seed int, edits []edit, wrong map[string]bool) {
	key := slices.Sorted(maps.Keys(wrong))[0]
	rule, _, _ := strings.Cut(key, " of ")
	tried := 0
	edits = minimal(edits, func(some []edit) bool {
		tried++
		accused, _ := c.judge(t, some)
		return slices.ContainsFunc(slices.Collect(maps.Keys(c.wrongly(t, accused))), func(key string) bool { return strings.HasPrefix(key, rule+" of ") })
	})
	accused, _ := c.judge(t, edits)
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: after %d trials %d edits are left:\n", seed, tried, len(edits))
	for _, e := range edits[:min(len(edits), 20)] {
		fmt.Fprintf(&b, "  %s\n", e)
		if e.row >= 0 {
			fmt.Fprintf(&b, "    %s\n", shown(c.log.row(e.part, e.row)))
		}
	}
	for key := range c.wrongly(t, accused) {
		fmt.Fprintf(&b, "  %s: %s\n", key, accused[key])
	}
	t.Log(b.String())
}

// wrongly returns what a damaged log accuses that the whole log does not.
func (c *court) wrongly(t testing.TB, accused map[string]string) map[string]bool {
	t.Helper()
	if len(accused) == 0 {
		return nil
	}
	if c.whole == nil {
		c.whole, _ = c.judge(t, nil)
	}
	wrong := map[string]bool{}
	for key := range accused {
		if _, also := c.whole[key]; !also {
			wrong[key] = true
		}
	}
	return wrong
}

// judge returns what a log with edits accuses, by rule and subject, and why, or why it is refused.
func (c *court) judge(t testing.TB, edits []edit) (accused map[string]string, refused string) {
	t.Helper()
	accused = map[string]string{}
	dir, err := os.MkdirTemp("", "poolproof-law")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	trace, refused := c.log.write(t, dir, edits)
	run := filepath.Join(dir, "run")
	if refused == "" {
		refused = refusal(t, "replay", trace, "--out", run, "--workers", "1", "--quiet")
	}
	if refused != "" {
		return accused, refused
	}
	v, err := findings(t, run)
	if err != nil {
		t.Errorf("audit: %v", err)
		return accused, "it failed"
	}
	for i := range v.Outcomes {
		if o := &v.Outcomes[i]; o.Verdict == audit.Failed {
			t.Errorf("audit %s failed in tree %s: %s", o.Audit.ID, o.Tree, o.Reason)
		}
	}
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Counts() && !strings.HasPrefix(f.Invariant, "LOG-") {
			accused[fmt.Sprintf("%s (%s) of %s %s in %s", f.Invariant, f.Audit, f.SubjectKind, f.Subject, f.Tree)] = f.Reason
		}
	}
	return accused, ""
}

var judging = sync.OnceValues(func() (*audit.Question, error) {
	return audit.Judging(audit.Options{Queries: queries.Files, Workers: 1, Only: []string{"*"}, FindingsAlone: true, Fresh: true})
})

// findings asks all audits of a run.
func findings(t testing.TB, run string) (*audit.Verdict, error) {
	q, err := judging()
	if err != nil {
		return nil, err
	}
	j, err := q.Put(t.Context(), run, nil)
	if err != nil {
		return nil, err
	}
	return j.Verdict, j.Close()
}
