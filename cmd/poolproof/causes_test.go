package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"poolproof/audit"
	"poolproof/core/coretest/sweep"
)

// An incident lacks share for a known cause.
type incident struct {
	from  []string // arguments of generate
	tree  string
	kind  string // pool or operation
	where string // which of them, a condition of SQL
	want  string // level, cause, obstacle and pool of the holder
}

// incidents are those of one cause each, with the one that lacks share and what the ledger must
// say first.
var incidents = []incident{
	{[]string{"--preset", "incident-neighbour"}, "main", "pool", "element = 'waiting'", "fair_share others_over_fair_share non_preemptible steady"},
	{[]string{"--preset", "incident-ancestor-limit"}, "main", "pool", "element = 'alpha'", "demand ancestor_limit  department"},
	{[]string{"--preset", "incident-operation-count"}, "main", "operation", "pool = 'narrow' AND holder_pool IS NOT NULL", "demand operation_count  narrow"},
	{[]string{"--preset", "incident-fragmentation"}, "main", "pool", "element = 'large'", "fair_share fragmentation  "},
	{[]string{"--preset", "incident-excluded-nodes"}, "main", "pool", "element = 'picky'", "demand excluded_nodes  "},
	{[]string{"--preset", "incident-lost-nodes"}, "main", "pool", "element = 'alpha'", "guarantee lost_nodes  "},
	{[]string{"--preset", "incident-weights"}, "main", "pool", "element = 'light'", "demand fair_shares_of_others  "},
	{[]string{"--preset", "incident-spent-volume"}, "main", "pool", "element = 'peaks'", "demand spent_volume  peaks"},
	{[]string{"--preset", "incident-aggressive-preemption-forbidden"}, "main", "pool", "element = 'waiting'", "fair_share others_over_fair_share aggressive_preemption_forbidden guarded"},
	{[]string{"--preset", "none", "--plant", "node_left_idle"}, "plant-node-left-idle", "pool", "element = 'main'", "fair_share scheduling_delay  "},
}

const incidentSeeds = 5

// TestSweepCausesOfIncidents: the ledger names the cause of every incident first, and leaves less
// than a hundredth of all that is lacking unexplained.
func TestSweepCausesOfIncidents(t *testing.T) {
	part := sweep.Take(t, len(incidents)*incidentSeeds/3)
	for i := range len(incidents) * incidentSeeds {
		if !part.Has(i) {
			continue
		}
		one, seed := incidents[i%len(incidents)], 1+i/len(incidents)
		t.Run(fmt.Sprintf("%s/%d", one.from[len(one.from)-1], seed), func(t *testing.T) {
			db := incidentRun(t, one, seed)
			keys, _ := rowsOf(t, db, 4, fmt.Sprintf(`SELECT level, cause, obstacle, coalesce(holder_pool, '') FROM main_causes(DATE '2000-01-01', DATE '2100-01-01')
				WHERE tree = '%s' AND element_kind = '%s' AND %s`, one.tree, one.kind, one.where))
			if len(keys) != 1 || keys[0] != one.want {
				t.Errorf("the main cause is %q, not %q", keys, one.want)
			}
			_, parts := rowsOf(t, db, 0, `SELECT coalesce(sum(owed_share_seconds) FILTER (cause = 'unexplained'), 0) / greatest(sum(owed_share_seconds), 1) FROM share_debts`)
			if parts[0][0] >= 0.01 {
				t.Errorf("%.2f %% of what is lacking is unexplained", 100*parts[0][0])
			}
		})
	}
}

// incidentRun generates an incident and runs it.
func incidentRun(t *testing.T, one incident, seed int) *audit.Database {
	t.Helper()
	trace, run := filepath.Join(t.TempDir(), "trace"), filepath.Join(t.TempDir(), "run")
	generate := append([]string{"generate", "--seed", fmt.Sprint(seed), "--out", trace, "--quiet"}, one.from...)
	for _, args := range [][]string{generate, {"run", trace, "--out", run, "--quiet"}} {
		if code, stderr, _ := process(t, exec.Command("poolproof", args...)); code != exitKept && code != exitViolated {
			t.Fatalf("%s: exit code %d: %s", args[0], code, stderr)
		}
	}
	db, err := audit.OpenDatabase(run)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
