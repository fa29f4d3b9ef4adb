package report

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"
)

// owing adds a ledger to a run: what pool a/b lacked, a row per text: its level, seconds from and
// to midnight, the whole in share·s, then the columns of the cause.
func owing(t *testing.T, db *sql.DB, rows ...string) *sql.DB {
	t.Helper()
	statements := []string{`CREATE OR REPLACE TABLE share_debts (tree VARCHAR, element_kind VARCHAR, pool VARCHAR, operation VARCHAR, resource VARCHAR, level VARCHAR, from_time TIMESTAMP, to_time TIMESTAMP,
		lacking_us BIGINT, deficit_share_seconds BIGINT, owed_share_seconds BIGINT, cause VARCHAR, obstacle VARCHAR, holder_pool VARCHAR, holder_operation VARCHAR, blocking_pool VARCHAR, limiting_resource VARCHAR, cause_from_time TIMESTAMP)`}
	for _, row := range rows {
		var level, cause, obstacle, holder, operation, blocker, limiting string
		var from, to int
		var whole, owed float64
		if n, err := fmt.Sscanf(row, "%s %d %d %g %g %s %s %s %s %s %s", &level, &from, &to, &whole, &owed, &cause, &obstacle, &holder, &operation, &blocker, &limiting); n != 11 {
			t.Fatal(row, err)
		}
		none := func(text string) string {
			if text == "-" {
				return "NULL"
			}
			return "'" + text + "'"
		}
		statements = append(statements, fmt.Sprintf("INSERT INTO share_debts VALUES ('main', 'pool', 'b', NULL, 'cpu', '%s', '2025-01-01'::TIMESTAMP + to_seconds(%d), '2025-01-01'::TIMESTAMP + to_seconds(%d), %d, %g, %g, '%s', %s, %s, %s, %s, %s, '2025-01-01'::TIMESTAMP + to_seconds(%d))",
			level, from, to, (to-from)*1_000_000, whole*1e9, owed*1e9, cause, strings.ReplaceAll(none(obstacle), "NULL", "''"), none(holder), none(operation), none(blocker), none(limiting), from))
	}
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(statement, err)
		}
	}
	return db
}

// accountOf is what is told of pool a/b from 00:01 on.
func accountOf(t *testing.T, db *sql.DB) string {
	t.Helper()
	s := Subject{DB: db, RunPath: "run", Kind: "pool", Name: "b", Tree: "main"}
	a, err := s.account(context.Background(), time.Date(2025, 1, 1, 0, 1, 0, 0, time.UTC), time.Date(2025, 1, 1, 1, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	var d Document
	if err := d.accounts(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	if a != nil && a.level != "" {
		a.next(&d, s.RunPath)
	}
	var b bytes.Buffer
	for _, p := range d.Passages {
		p.text(&b)
	}
	return b.String()
}

// Each cause and each obstacle has its words, in the answer and in the chain.
func TestEachCauseHasItsSentence(t *testing.T) {
	db := waitingDatabase(t)
	var told []string
	for _, cause := range []string{
		"own_limit - - - - cpu", "ancestor_limit - a - - cpu", "less_than_a_job - - - - -", "ancestor_limit - a - - memory", "operation_count - a - - -",
		"not_schedulable suspended - - - -", "not_schedulable fifo_limit - - - -", "not_schedulable throttled - - - -", "not_schedulable no_pending_jobs - - - -",
		"fragmentation - - - - gpu", "fragmentation - - - - memory", "excluded_nodes - - - - -", "scheduling_delay - - - - -",
		"others_over_fair_share not_starving c x - -", "others_over_fair_share timeout_not_over c x - -", "others_over_fair_share excluded_nodes c x - -",
		"others_over_fair_share non_preemptible c x - -", "others_over_fair_share aggressive_only c x - -", "others_over_fair_share aggressive_preemption_forbidden c x - -",
		"others_over_fair_share normal_preemption_forbidden c x - -", "others_over_fair_share graceful c x - -", "others_over_fair_share blocked c x c -",
		"others_over_fair_share blocked c x - -", "others_over_fair_share backoff c x - -", "others_over_fair_share preemptible c x - -", "others_over_fair_share preemptible <Root> - - -", // of an older program
		"lost_nodes - - - - -", "spent_volume - - - - -", "unexplained - - - - -",
		"not_schedulable fair_share_exceeded - - - -", "not_schedulable saturated_in_tentative_tree - - - -", "not_schedulable is_not_running - - - -",
		"excluded_nodes regular_job_on_ssd_node_forbidden - - - -", "fragmentation min_spare_resources - - - cpu", "zero_weight - c - - -", "zero_weight - - - - -",
		"others_over_fair_share preemptible - - - -",
	} {
		text := accountOf(t, owing(t, db, "fair_share 120 180 3 3 "+cause))
		answer, rest, _ := strings.Cut(strings.TrimPrefix(text, "\nIn short\n"), "\n\n")
		told = append(told, "# "+cause, strings.TrimSpace(strings.ReplaceAll(answer, "\n ", "")), strings.TrimSpace(strings.Split(rest, "\n")[2]))
	}
	golden(t, "causes.txt", strings.Join(told, "\n")+"\n")
}

// What was lacking is summed by cause, the guarantee goes first unless it is a blip, and what
// ended before is not told.
func TestAnAccount(t *testing.T) {
	held := []string{
		"fair_share 120 180 6 3 others_over_fair_share preemptible c x - -", "fair_share 120 180 6 2 others_over_fair_share non_preemptible c y - -", "fair_share 120 180 6 1 ancestor_limit - a - - cpu",
		"fair_share 180 200 2 2 others_over_fair_share preemptible c x - -", "fair_share 0 50 5 5 own_limit - - - - cpu",
	}
	jobs := "INSERT INTO jobs VALUES ('main', 'x', 'n5-busy', '2025-01-01 00:00:10', NULL, 1, 2, 0, 0, 0), ('main', 'x', 'n5-busy', '2025-01-01 00:00:20', '2025-01-01 00:02:40', 1, 3, 0, 0, 0), ('main', 'y', 'n5-busy', '2025-01-01 00:00:30', '2025-01-01 00:02:00', 1, 3, 0, 0, 0)"
	var texts []string
	for _, c := range []struct {
		name string
		rows []string
	}{
		{"others and a limit", held},
		{"a guarantee, too", append([]string{"guarantee 120 180 3 3 scheduling_delay - - - - -"}, held...)},
		{"a guarantee for a moment", append([]string{"guarantee 120 121 0.1 0.1 scheduling_delay - - - - -"}, held...)},
		{"only more than its share", []string{"demand 120 150 3 3 fair_shares_of_others - - - - -"}},
		{"what the log does not measure", []string{"demand 120 180 0 0 operation_count - a - - -"}},
		{"nothing", nil},
	} {
		texts = append(texts, "# "+c.name+"\n"+accountOf(t, owing(t, waitingDatabase(t, jobs), c.rows...)))
	}
	golden(t, "account.txt", strings.Join(texts, "\n"))
	if text := accountOf(t, waitingDatabase(t)); text != "" {
		t.Errorf("a run without a ledger tells %s", text)
	}
}

// TestAccountAroundATime: what is told of the time around a moment is of that time alone, says so,
// and what was lacking at the moment itself stands beside it.
func TestAccountAroundATime(t *testing.T) {
	db := owing(t, waitingDatabase(t),
		"fair_share 0 120 6 6 own_limit - - - - cpu", // half of it in the time that is told
		"fair_share 120 180 2 2 fragmentation - - - - gpu",
		"fair_share 180 600 70 70 lost_nodes - - - - -")
	for second, want := range map[int]string{
		100: "At 00:01:40 UTC itself it lacked some of its fair share: its own limit of cores left no room.",
		130: "At 00:02:10 UTC itself it lacked some of its fair share: free GPUs were in pieces too small for a job.",
		700: "At 00:11:40 UTC itself it lacked nothing.",
	} {
		at := time.Date(2025, 1, 1, 0, 0, second, 0, time.UTC)
		s := Subject{DB: db, RunPath: "run", Kind: "pool", Name: "b", Tree: "main", At: &at}
		a, err := s.account(context.Background(), time.Date(2025, 1, 1, 0, 1, 0, 0, time.UTC), time.Date(2025, 1, 1, 0, 3, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		var d Document
		if err := d.accounts(context.Background(), a); err != nil {
			t.Fatal(err)
		}
		told := d.Passages[0].Prose
		if len(told) < 2 || !strings.HasPrefix(told[0], "From 00:01:00 to 00:03:00 UTC, around the time asked for, pool b lacked ") || !strings.Contains(told[0], " for 2 min 00 s: its own limit of 8 cores left no room;") || told[1] != want {
			t.Errorf("%q, want %s", told, want)
		}
		if a.owed != 5e9 {
			t.Errorf("owed are %d, want 3 of the first span and 2 of the second", a.owed)
		}
	}
}

// TestAnObstacleThatChanged: what came to stand within a span did from when its row says on. A row of
// an older program does not say, so that it did from some time in the span on.
func TestAnObstacleThatChanged(t *testing.T) {
	db := owing(t, waitingDatabase(t),
		"fair_share 120 180 2 1 others_over_fair_share timeout_not_over c x - -",
		"fair_share 120 180 2 1 others_over_fair_share preemptible c x - -",
		"fair_share 180 300 5 5 others_over_fair_share preemptible c x - -")
	for _, c := range []struct{ statement, want string }{
		{"UPDATE share_debts SET cause_from_time = '2025-01-01 00:02:20' WHERE obstacle = 'preemptible' AND from_time < '2025-01-01 00:03'", "could have been preempted from 00:02:20 on"},
		{"ALTER TABLE share_debts DROP COLUMN cause_from_time", "could have been preempted from some time between 00:02:00 and 00:03:00 on"},
	} {
		if _, err := db.Exec(c.statement); err != nil {
			t.Fatal(err)
		}
		if text := accountOf(t, db); strings.Count(strings.Join(strings.Fields(text), " "), c.want) < 2 {
			t.Errorf("%q is not told twice in %s", c.want, text)
		}
	}
}

// TestThenIsOfTheMoment: of a span in which the obstacle changed, what is told of a moment is what
// stood then.
func TestThenIsOfTheMoment(t *testing.T) {
	db := owing(t, waitingDatabase(t), "fair_share 120 180 4 3 others_over_fair_share timeout_not_over c x - -", "fair_share 120 180 4 1 others_over_fair_share preemptible c x - -")
	if _, err := db.Exec("UPDATE share_debts SET cause_from_time = '2025-01-01 00:02:50' WHERE obstacle = 'preemptible'"); err != nil {
		t.Fatal(err)
	}
	for second, want := range map[int]string{
		130: "before the starvation timeout was over nothing could be preempted.",
		175: "their jobs could have been preempted.",
	} {
		at := time.Date(2025, 1, 1, 0, 0, second, 0, time.UTC)
		s := Subject{DB: db, RunPath: "run", Kind: "pool", Name: "b", Tree: "main", At: &at}
		a, err := s.account(context.Background(), time.Date(2025, 1, 1, 0, 1, 0, 0, time.UTC), time.Date(2025, 1, 1, 0, 4, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := a.then(context.Background()); err != nil || !strings.HasSuffix(text, want) {
			t.Errorf("%q, %v; want %q", text, err, want)
		}
	}
}

// TestTheOthersAreMeasured: that the others had no more than their fair shares is said only where it
// is so.
func TestTheOthersAreMeasured(t *testing.T) {
	for usage, want := range map[string]string{
		"0.5": "the others had no more than their fair shares",
		"0.7": "its fair share was no larger, and others held more than their own",
	} {
		db := owing(t, waitingDatabase(t, "UPDATE pool_intervals SET usage_ratio = "+usage+" WHERE pool = 'c'"), "demand 120 180 3 3 fair_shares_of_others - - - - -")
		if text := strings.Join(strings.Fields(accountOf(t, db)), " "); strings.Count(text, want) != 2 {
			t.Errorf("usage %s: %q is not told twice in %s", usage, want, text)
		}
	}
}

// TestAboveItsFairShare: of an interval that reaches beyond the lack, only the part within counts.
func TestAboveItsFairShare(t *testing.T) {
	db := waitingDatabase(t)
	for _, statement := range []string{
		"CREATE OR REPLACE TABLE pool_intervals (tree VARCHAR, pool VARCHAR, from_time TIMESTAMP, to_time TIMESTAMP, usage_ratio_seconds DOUBLE, fair_share_ratio_seconds DOUBLE, usage_ratio DOUBLE, fair_share_ratio DOUBLE, usage_share_cpu DOUBLE, fair_share_cpu DOUBLE, usage_share_memory DOUBLE, fair_share_memory DOUBLE)",
		"INSERT INTO pool_intervals VALUES ('main', 'c', '2025-01-01 00:00:00', '2025-01-01 00:02:00', 30e9, 120e9, 0.25, 1, 0.25, 1, 0.125, 0.001), ('main', 'c', '2025-01-01 00:02:00', '2025-01-01 00:03:00', 60e9, 30e9, 1, 0.5, 1, 0.5, 0.125, 0.001)",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Date(2025, 1, 1, 0, 1, 50, 0, time.UTC)
	for resource, want := range map[string]string{
		"cpu":    "50 % above its fair share",                                    // 2.5 of 30 and 50 of 60 share·s against 10 of 120 and 25 of 30
		"memory": "12.4 GiB of memory above its fair share of 0.1 GiB of memory", // not dominant; 12,400 % says nothing
	} {
		a := account{db: db, tree: "main", begin: begin, end: begin.Add(time.Minute), lacking: 60_000_000, resource: resource, total: 100}
		if resource == "memory" {
			a.total *= 1 << 30
		}
		if text, err := a.above(context.Background(), "pool", "c", debt{}); err != nil || text != want {
			t.Errorf("%s: %q, %v", resource, text, err)
		}
	}
}
