package foreign

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/coretest/sweep"
	"poolproof/core/coretest/testcorpus"
)

// TestSweepCasesOfTheTable derives the table of ingest/ytsaurus/README.md: what the logs that the scheduler's own code
// wrote are found to be. Nothing is violated, all compared shares agree to 1e-9, and no log leaves more than 25
// suspicions.
func TestSweepCasesOfTheTable(t *testing.T) {
	if part := sweep.Take(t, 2); !part.Has(1) { // the sample is without it
		return
	}
	var b strings.Builder
	b.WriteString("| log | shares compared | agree to 1e-9 | violated | suspect, by rule, and why |\n| --- | --- | --- | --- | --- |\n")
	for _, name := range []string{"ordinary", "relaxed", "ephemeral", "protected"} {
		file := func(end string) string { return testcorpus.File(t, testcorpus.Data, "ytsaurus-simulator", name+end) }
		b.WriteString(simulatorRow(t, name, file(".yson.zst"), file(".pool_trees.yson")))
	}
	folder := commandtest.InProject("ingest/ytsaurus/testdata/simulator")
	logs, err := filepath.Glob(filepath.Join(folder, "*", "*.yson.zst"))
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range logs {
		name, trees := filepath.Base(filepath.Dir(log)), filepath.Join(filepath.Dir(log), "pool_trees.yson")
		if other := strings.TrimSuffix(filepath.Base(log), ".yson.zst"); other != "event_log" {
			name += ", " + other
			if _, err := os.Stat(trees); err != nil {
				trees = filepath.Join(filepath.Dir(log), "pool_trees."+other+".yson")
			}
		}
		b.WriteString(simulatorRow(t, name, log, trees))
	}
	page, err := os.ReadFile(commandtest.InProject("ingest/ytsaurus/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n"+b.String()+"\n") {
		t.Errorf("ingest/ytsaurus/README.md lacks the table\n%s", b.String())
	}
}

// doubted finds in the reason of a finding why it is no more than suspect.
var doubted = regexp.MustCompile(`; (the log does not record [^.;]*|the rule holds in another state that the log allows)`)

// simulatorRow imports and judges a log, and returns its row of the table.
func simulatorRow(t *testing.T, name, log, trees string) string {
	t.Helper()
	made := commandtest.Made(t, []string{
		"import ytsaurus " + log + " --pool-trees " + trees + " --out trace --quiet",
		"run trace --out run --quiet --min-coverage 0",
	})
	v, err := audit.ReadVerdict(filepath.Join(made, "run"))
	if err != nil {
		t.Fatal(err)
	}
	violated, suspicions := 0, 0
	suspect := map[string]int{} // by rule and reason
	for i := range v.Findings {
		f := &v.Findings[i]
		switch f.Verdict {
		case audit.Violated:
			violated++
			t.Errorf("%s: violated %s: %s", name, f.Invariant, f.Reason)
		case audit.Suspect:
			suspicions++
			why := "unknown"
			if m := doubted.FindStringSubmatch(f.Reason); m != nil {
				why = m[1]
			}
			suspect[f.Invariant+": "+why]++
		}
	}
	if suspicions > 25 {
		t.Errorf("%s: %d suspicions", name, suspicions)
	}
	if noted := problemsOf(t, filepath.Join(made, "trace")); len(noted) > 0 {
		t.Errorf("%s: problems %q", name, noted)
	}
	a := v.ShareAgreement
	if a == nil || a.Records == 0 || a.Within(-9) != 1 {
		t.Errorf("%s: shares %+v", name, a)
		a = &audit.ShareAgreement{}
	}
	var why []string
	for _, key := range slices.Sorted(maps.Keys(suspect)) {
		rule, reason, _ := strings.Cut(key, ": ")
		why = append(why, fmt.Sprintf("%d %s (%s)", suspect[key], rule, reason))
	}
	return fmt.Sprintf("| %s | %d of %d | %g %% | %d | %s |\n", name, a.Records, a.Records+a.Lacking, 100*a.Within(-9), violated, strings.Join(why, "; "))
}
