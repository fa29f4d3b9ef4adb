package whatif

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/coretest/sweep"
)

// An incident lacks share for a known cause.
type incident struct {
	from  []string // arguments of generate
	tree  string
	kind  string // pool or operation
	where string // which of them, a condition of SQL
	want  string // level, cause, obstacle and pool of the holder
	says  string // in the first sentence of explain
	proof string // in the first of the sentences that say what helps
}

// incidents are those of one cause each, with the one that lacks share and what the ledger must
// say first.
var incidents = []incident{
	{[]string{"--preset", "incident-neighbour"}, "main", "pool", "element = 'waiting'", "fair_share others_over_fair_share non_preemptible steady", ": pool steady held 100 % above its fair share, and its jobs are not preemptible.", "non_preemptible_resource_usage_threshold of pool steady is taken away"},
	{[]string{"--preset", "incident-ancestor-limit"}, "main", "pool", "element = 'alpha'", "demand ancestor_limit  department", ": the limit of 20 cores of pool department left no room; at ", "resource_limits.cpu of pool department is raised from 20 cores to "},
	{[]string{"--preset", "incident-operation-count"}, "main", "operation", "pool = 'narrow' AND holder_pool IS NOT NULL", "demand operation_count  narrow", ": operations waited for admission, since pool narrow had as many running ones as it may.", "max_running_operation_count of pool narrow is raised from 2 operations to 3 operations"},
	{[]string{"--preset", "incident-fragmentation"}, "main", "pool", "element = 'large'", "fair_share fragmentation  ", ": free cores were in pieces too small for a job.", "tree main is enlarged by 4 nodes like main-0"},
	{[]string{"--preset", "incident-excluded-nodes"}, "main", "pool", "element = 'picky'", "demand excluded_nodes  ", ": what was free was on nodes that tags or segments exclude.", "scheduling_tag_filter of pool picky is taken away"},
	{[]string{"--preset", "incident-lost-nodes"}, "main", "pool", "element = 'alpha'", "guarantee lost_nodes  ", ": nodes had left the tree.", "tree main is enlarged by "},
	{[]string{"--preset", "incident-weights"}, "main", "pool", "element = 'light'", "demand fair_shares_of_others  ", ": the others had no more than their fair shares.", "weight of pool light is raised from 1 to "},
	{[]string{"--preset", "incident-spent-volume"}, "main", "pool", "element = 'peaks'", "demand spent_volume  peaks", ": its integral guarantee had no volume left.", "integral_guarantees.resource_flow.cpu of pool peaks is raised from 4 cores to "},
	{[]string{"--preset", "incident-aggressive-preemption-forbidden"}, "main", "pool", "element = 'waiting'", "fair_share others_over_fair_share aggressive_preemption_forbidden guarded", ": pool guarded held 100 % above its fair share, and its jobs may be preempted aggressively only, which is forbidden in their pool.", "allow_aggressive_preemption of pool guarded is on"},
	{[]string{"--preset", "none", "--plant", "node_left_idle"}, "plant-node-left-idle", "pool", "element = 'main'", "fair_share scheduling_delay  ", ": free room that fits its jobs was not given yet.", "A scheduler that decides by the rules does not show the deficit: the decisions that were recorded are its cause."},
}

const incidentSeeds = 5

// TestSweepCausesOfIncidents: the ledger and explain name the cause of every incident first, and the
// ledger leaves less than a hundredth of all that is lacking unexplained.
func TestSweepCausesOfIncidents(t *testing.T) {
	part := sweep.Take(t, len(incidents)*incidentSeeds)
	for i := range len(incidents) * incidentSeeds {
		if !part.Has(i) {
			continue
		}
		one, seed := incidents[i%len(incidents)], 1+i/len(incidents)
		t.Run(fmt.Sprintf("%s/%d", one.from[len(one.from)-1], seed), func(t *testing.T) {
			db, _, run := incidentRun(t, one, seed, "")
			keys, _ := commandtest.RowsOf(t, db, 4, fmt.Sprintf(`SELECT level, cause, obstacle, coalesce(holder_pool, '') FROM main_causes(DATE '2000-01-01', DATE '2100-01-01')
				WHERE tree = '%s' AND element_kind = '%s' AND %s`, one.tree, one.kind, one.where))
			if len(keys) != 1 || keys[0] != one.want {
				t.Errorf("the main cause is %q, not %q", keys, one.want)
			}
			if text := firstSentence(t, db, run, one); !strings.Contains(text, one.says) {
				t.Errorf("explain says %q, without %q", text, one.says)
			}
			_, parts := commandtest.RowsOf(t, db, 0, `SELECT coalesce(sum(owed_share_seconds) FILTER (cause = 'unexplained'), 0) / greatest(sum(owed_share_seconds), 1) FROM share_debts`)
			if parts[0][0] >= 0.01 {
				t.Errorf("%.2f %% of what is lacking is unexplained", 100*parts[0][0])
			}
		})
	}
}

// TestSweepProofsOfIncidents: what takes the planted cause away is found to help, and is the first
// change that is tried.
func TestSweepProofsOfIncidents(t *testing.T) {
	part := sweep.Take(t, len(incidents))
	if part.Sample() {
		t.Skip("its sample is TestProofOfAFinding")
	}
	for i, one := range incidents {
		if !part.Has(i) {
			continue
		}
		t.Run(one.from[len(one.from)-1], func(t *testing.T) {
			db, trace, run := incidentRun(t, one, 1, "")
			var subject string
			if err := db.QueryRowContext(t.Context(), fmt.Sprintf(`SELECT element FROM main_causes(DATE '2000-01-01', DATE '2100-01-01')
				WHERE tree = '%s' AND element_kind = '%s' AND %s`, one.tree, one.kind, one.where)).Scan(&subject); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command("poolproof", "explain", run, subject, "--tree", one.tree, "--prove", trace, "--output", "json").Output()
			if err != nil {
				t.Fatal(err)
			}
			want := one.proof
			if !strings.HasPrefix(want, "A scheduler") {
				want = "Each of these would have halved the deficit at least: " + want
			}
			if !strings.Contains(string(out), want) {
				t.Errorf("no %q in %s", want, out)
			}
			if tries := tryAgain(t, string(out)); (tries > 0) != strings.HasPrefix(want, "Each") {
				t.Errorf("%d changes are to be tried again", tries)
			}
		})
	}
}

// tryAgain runs what a proof says would show its first change again, if there is one.
func tryAgain(t *testing.T, proof string) (tries int) {
	t.Helper()
	a := readAnswer(t, proof)
	for _, s := range a.Explanations[0].Sections {
		if s.Section != "cause_proof" || len(s.Commands) == 0 {
			continue
		}
		tries++
		dir := t.TempDir()
		edit, _ := s.Rows[slices.IndexFunc(s.Rows, func(r map[string]any) bool { return r["edit"] != nil })]["edit"].(string)
		if err := os.WriteFile(filepath.Join(dir, "edit-1.yaml"), []byte(edit), 0o644); err != nil {
			t.Fatal(err)
		}
		again := exec.Command("sh", "-c", s.Commands[0].Command)
		again.Dir = dir
		if out, err := again.CombinedOutput(); err != nil || strings.Contains(string(out), "Nothing differs") {
			t.Errorf("%s with %s: %v: %s", s.Commands[0].Command, edit, err, out)
		}
	}
	return tries
}

// TestProofOfAFinding: a finding that the scheduler made is gone in the control; one that the
// configuration made is gone with the change that takes its cause away. Of a run of a part of the trace
// the part is decided, and what is to be tried again says so.
func TestProofOfAFinding(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		incident incident
		part     string // of the trace that is run
		finding  string // a condition of SQL
		want     string
	}{
		{incident{from: []string{"--preset", "none", "--plant", "starving_too_late"}}, "", "verdict = 'violated'",
			"A scheduler that decides by the rules does not show the finding: the decisions that were recorded are its cause."},
		{incidents[0], "", "audit = 'starving_too_long'",
			"Each of these would have made the finding disappear: non_preemptible_resource_usage_threshold of pool steady is taken away;"},
		{incidents[0], " --to 2025-03-03T08:14:00Z", "audit = 'starving_too_long'",
			"Each of these would have made the finding disappear: non_preemptible_resource_usage_threshold of pool steady is taken away;"},
	} {
		db, trace, run := incidentRun(t, test.incident, 1, test.part)
		var id string
		if err := db.QueryRowContext(t.Context(), "SELECT min(finding_id) FROM findings WHERE "+test.finding).Scan(&id); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("poolproof", "explain", run, id, "--prove", trace, "--output", "json").Output()
		if err != nil || !strings.Contains(string(out), test.want) {
			t.Errorf("%v: no %q in %s", err, test.want, out)
		}
		if again := strings.Contains(string(out), `--tree main --from 2025-03-03T08:00:00Z`+test.part); again != (test.part != "") {
			t.Errorf("of the run%s the part is told to try again: %v", test.part, again)
		}
		if tries := tryAgain(t, string(out)); (tries > 0) != strings.HasPrefix(test.want, "Each") {
			t.Errorf("%d changes are to be tried again", tries)
		}
	}
}

// incidentRun generates an incident and runs it, or a part of it.
func incidentRun(t *testing.T, one incident, seed int, part string) (db *audit.Database, trace, run string) {
	t.Helper()
	lines := []string{fmt.Sprintf("generate %s --seed %d --out trace --quiet", strings.Join(one.from, " "), seed), "run trace --out run --quiet" + part}
	dir := commandtest.Made(t, lines)
	return commandtest.MadeRun(t, lines), filepath.Join(dir, "trace"), filepath.Join(dir, "run")
}

// firstSentence is what explain says first of who lacks share in an incident.
func firstSentence(t *testing.T, db *audit.Database, run string, one incident) string {
	t.Helper()
	subjects, _ := commandtest.RowsOf(t, db, 1, fmt.Sprintf("SELECT element FROM main_causes(DATE '2000-01-01', DATE '2100-01-01') WHERE tree = '%s' AND element_kind = '%s' AND %s", one.tree, one.kind, one.where))
	if len(subjects) != 1 {
		t.Fatalf("%d of the incident lack share", len(subjects))
	}
	out, err := exec.Command("poolproof", "explain", run, subjects[0], "--tree", one.tree).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(out), "\nIn short\n")
	text, _, _ = strings.Cut(text, "\n\n")
	return strings.Join(strings.Fields(text), " ")
}
