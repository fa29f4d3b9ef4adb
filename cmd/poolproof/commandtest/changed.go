package commandtest

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"

	"poolproof/audit"
)

// printChangedVerdicts compares the run of a damaged sample with that of the whole one:
//
//	changed 2023 run
//
// Its output, which is stdout of the script, has a line for each audit that judges a tree otherwise, and one for each
// rule of which findings have other verdicts. Every audit without a line judges as it does the whole sample.
//
//	recorded_usage_differs physical: ok, now undecidable
func printChangedVerdicts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: changed SAMPLE RUN")
	}
	samples := ts.Getenv("SAMPLES")
	dir, err := makeOnce([]string{
		fmt.Sprintf("import ytsaurus %s/%s.jsonl.gz --pool-trees %[1]s/pool_trees.%[2]s.json --out trace --quiet", samples, args[0]),
		"run trace --out run --quiet --min-coverage 0",
	})
	ts.Check(err)
	before, err := audit.ReadVerdict(filepath.Join(dir, "run"))
	ts.Check(err)
	now, err := audit.ReadVerdict(ts.MkAbs(args[1]))
	ts.Check(err)
	for _, line := range changedVerdicts(before, now) {
		fmt.Fprintln(ts.Stdout(), line)
	}
}

// changedVerdicts lists what has another verdict, in order.
func changedVerdicts(before, now *audit.Verdict) (lines []string) {
	was, is := verdictsOf(before), verdictsOf(now)
	all := maps.Clone(was)
	maps.Copy(all, is)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if was[name] != is[name] {
			lines = append(lines, fmt.Sprintf("%s: %s, now %s", name, cmp.Or(was[name], "none"), cmp.Or(is[name], "none")))
		}
	}
	return lines
}

// verdictsOf are the verdicts of each audit and on the findings of each rule, by tree.
func verdictsOf(v *audit.Verdict) map[string]string {
	all := map[string]string{}
	for _, o := range v.Outcomes {
		all[o.Audit.ID+" "+o.Tree] = string(o.Verdict)
	}
	byRule := map[string][]string{}
	for i := range v.Findings {
		f := &v.Findings[i]
		name := f.Invariant + " " + f.Tree
		byRule[name] = append(byRule[name], string(f.Verdict))
	}
	for name, verdicts := range byRule {
		slices.Sort(verdicts)
		all[name] = fmt.Sprint(slices.Compact(verdicts))
	}
	return all
}
