package report

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"poolproof/audit"
)

// waitingDatabase is a run in which operation waits, of pool a/b, gets no job from 00:01 to
// 00:03 UTC. In tree main the pools ask for tags, no node for SSD and a segment, and each node
// but one fails one condition.
func waitingDatabase(t *testing.T, more ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	resources := func(prefix string) string {
		return fmt.Sprintf("%[1]suser_slots BIGINT, %[1]scpu DOUBLE, %[1]sgpu BIGINT, %[1]smemory BIGINT, %[1]snetwork BIGINT", prefix)
	}
	shares := func(prefix, cpu string) string { // only those of cpu are told apart
		return fmt.Sprintf("%[1]suser_slots DOUBLE AS (0::DOUBLE), %[1]scpu DOUBLE AS (%[2]s), %[1]sgpu DOUBLE AS (0::DOUBLE), %[1]smemory DOUBLE AS (0::DOUBLE), %[1]snetwork DOUBLE AS (0::DOUBLE)", prefix, cpu)
	}
	interval := "usage_ratio_seconds BIGINT AS ((usage_ratio * 1e9)::BIGINT), fair_share_ratio_seconds BIGINT AS ((fair_share_ratio * 1e9)::BIGINT), from_time TIMESTAMP, to_time TIMESTAMP, usage_ratio DOUBLE, fair_share_ratio DOUBLE, demand_ratio DOUBLE, " + resources("resource_usage_") + ", " + resources("resource_demand_") + ", " + resources("resource_limits_") + ", " +
		shares("usage_share_", "usage_ratio") + ", " + shares("fair_share_", "fair_share_ratio") + ", " + shares("demand_share_", "demand_ratio")
	settings := ", weight DOUBLE, max_share_ratio DOUBLE, " + resources("resource_limits_")
	const gib = "1073741824::BIGINT"
	zero, inf := "0, 0, 0, 0, 0", "100, 100, 0, 100 * "+gib+", 0"
	span := "'2025-01-01 00:00', '2025-01-01 01:00'"
	statements := []string{
		"CREATE SCHEMA internal",
		"CREATE MACRO internal.source_unit(r) AS 'devices'", "CREATE MACRO internal.column_amount(r, x, u) AS x", "CREATE MACRO internal.whole(x) AS x::BIGINT",
		"CREATE TABLE coverage (tree VARCHAR, aspect VARCHAR, state VARCHAR)",
		"CREATE TABLE pools (tree VARCHAR, pool VARCHAR, path VARCHAR)",
		"CREATE TABLE pool_versions (tree VARCHAR, pool VARCHAR, from_time TIMESTAMP, to_time TIMESTAMP, scheduling_tag_filter VARCHAR, allow_regular_jobs_on_ssd_nodes BOOLEAN" + settings + ")",
		"CREATE TABLE operations (tree VARCHAR, operation VARCHAR, pool VARCHAR, scheduling_tag_filter VARCHAR, scheduling_segment VARCHAR, requests_ssd BOOLEAN, " + resources("smallest_job_") + settings + ")",
		"CREATE TABLE nodes (tree VARCHAR, node VARCHAR, from_time TIMESTAMP, to_time TIMESTAMP, tags VARCHAR, scheduling_segment VARCHAR, is_ssd BOOLEAN, " + resources("limit_") + ")",
		"CREATE TABLE jobs (end_kind VARCHAR AS (''), job VARCHAR AS (operation || ' on ' || node || ' at ' || start_time), tree VARCHAR, operation VARCHAR, node VARCHAR, start_time TIMESTAMP, end_time TIMESTAMP, " + resources("resources_") + ")",
		"CREATE TABLE pool_intervals (tree VARCHAR, pool VARCHAR, running_operation_count BIGINT, max_running_operation_count BIGINT, " + interval + ")",
		"CREATE TABLE operation_intervals (tree VARCHAR, operation VARCHAR, pool VARCHAR, running BOOLEAN, starvation_status VARCHAR, starving_for VARCHAR, " + interval + ")",
		"CREATE TABLE pending_episodes (tree VARCHAR, operation VARCHAR, from_time TIMESTAMP, to_time TIMESTAMP, blocking_pool VARCHAR)",
		"CREATE TABLE starvation_episodes (tree VARCHAR, element_kind VARCHAR, pool VARCHAR, operation VARCHAR, starving_for VARCHAR, since_time TIMESTAMP, from_time TIMESTAMP, to_time TIMESTAMP, timeout_us BIGINT, preemptible_us BIGINT, preemptible_from_time TIMESTAMP)",
		"CREATE TABLE snapshot_operations (tree VARCHAR, operation VARCHAR, from_time TIMESTAMP, recomputed_unschedulable_reason VARCHAR)",
		"INSERT INTO pools VALUES ('main', 'a', 'a'), ('main', 'b', 'a/b'), ('main', 'c', 'c')",
		"INSERT INTO pool_versions (tree, pool, from_time, to_time, scheduling_tag_filter, allow_regular_jobs_on_ssd_nodes, resource_limits_cpu) VALUES ('main', 'a', " + span + ", 'new | newest', false, NULL), ('main', 'b', " + span + ", '', NULL, 8), ('main', 'c', " + span + ", 'old', NULL, NULL)",
		"INSERT INTO operations BY NAME SELECT 'main' AS tree, 'waits' AS operation, 'b' AS pool, '!bad' AS scheduling_tag_filter, 'default' AS scheduling_segment, false AS requests_ssd, 1 AS smallest_job_user_slots, 2.5 AS smallest_job_cpu, 0 AS smallest_job_gpu, 8 * " + gib + " AS smallest_job_memory, 0 AS smallest_job_network, 100 * " + gib + " AS resource_limits_memory",
		"INSERT INTO operations BY NAME SELECT 'main' AS tree, 'unsized' AS operation, 'c' AS pool, '' AS scheduling_tag_filter, '' AS scheduling_segment, false AS requests_ssd",
		"INSERT INTO pool_intervals SELECT 'main', unnest(['<Root>', 'a', 'b', 'c']), unnest([2, 2, 1, 1]), unnest([NULL, 2, NULL, 1]), " + span + ", 0.5, 0.5, 0.5, 4, 8, 0, 0, 0, " + zero + ", unnest([100, 100, 8, 100]), unnest([100, 100, 8, 100]), 0, 0, 0",
		"INSERT INTO operation_intervals VALUES ('main', 'waits', 'b', true, 'starving', 'min_share', " + span + ", 0.125, 0.25, 0.5, 1, 2.5, 0, 0, 0, 3, 7.5, 0, 16 * " + gib + ", 0, " + inf + ")",
		"INSERT INTO operation_intervals VALUES ('main', 'unsized', 'c', false, 'non_starving', '', " + span + ", 0, 0.25, 0.5, " + zero + ", 1, 1, 0, 0, 0, " + inf + ")",
		"INSERT INTO starvation_episodes VALUES ('main', 'operation', 'b', 'waits', 'min_share', '2025-01-01 00:00:30', '2025-01-01 00:01', '2025-01-01 00:03', 30000000, 0, NULL)",
		"INSERT INTO pending_episodes VALUES ('main', 'unsized', '2025-01-01 00:01', '2025-01-01 00:03', 'c')",
		"INSERT INTO snapshot_operations VALUES ('main', 'waits', '2025-01-01 00:01:55', 'suspended'), ('main', 'waits', '2025-01-01 00:02:05', '')",
	}
	node := func(name, from, to, tags, segment string, ssd bool, cores float64, gibs int) {
		statements = append(statements, fmt.Sprintf("INSERT INTO nodes VALUES ('main', '%s', '%s', '%s', '%s', '%s', %v, 4, %g, 0, %d * %s, 0)", name, from, to, tags, segment, ssd, cores, gibs, gib))
	}
	begin, middle, end := "2025-01-01 00:00", "2025-01-01 00:02", "2025-01-01 01:00"
	node("n1-old", begin, end, "old", "default", false, 8, 64)
	node("n2-bad", begin, end, "bad,new", "default", false, 8, 64)
	node("n3-gpu", begin, end, "new", "large_gpu", false, 8, 64)
	node("n4-ssd", begin, end, "new", "default", true, 8, 64)
	node("n5-busy", begin, end, "newest", "default", false, 8, 64)
	node("n6-small", begin, end, "new", "default", false, 2, 64)
	node("n7-full", begin, end, "new", "default", false, 8, 64)
	node("n8-gone", begin, middle, "new", "default", false, 8, 64)
	node("n9-late", middle, end, "new", "default", false, 8, 6) // at the moment asked about, and too small
	job := func(node, from, to string, cores float64, gibs int) {
		statements = append(statements, fmt.Sprintf("INSERT INTO jobs VALUES ('main', 'other', '%s', '%s', %s, 1, %g, 0, %d * %s, 0)", node, from, to, cores, gibs, gib))
	}
	job("n5-busy", begin, "'"+end+"'", 3, 1)
	job("n5-busy", middle, "'"+end+"'", 3, 1)   // just started: it counts
	job("n5-busy", begin, "'"+middle+"'", 2, 1) // just ended: it does not
	job("n7-full", begin, "NULL", 1, 60)        // still there
	for _, statement := range append(statements, more...) {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(statement, err)
		}
	}
	return db
}

// conditionsOf are what a subject of such a run is told to have needed.
func conditionsOf(t *testing.T, db *sql.DB, kind, name, at string) string {
	t.Helper()
	s := Subject{Verdict: &audit.Verdict{}, DB: db, RunPath: "run", Kind: kind, Name: name, Tree: "main"}
	if at != "" {
		moment, err := time.Parse(time.DateTime, at)
		if err != nil {
			t.Fatal(err)
		}
		s.At = &moment
	}
	var d Document
	if err := s.conditions(context.Background(), &d, time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2025, 1, 1, 1, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, p := range d.Passages {
		p.text(&b)
	}
	return b.String()
}

// Each condition is told, and each node fails where it should.
func TestWhatAnOperationNeeded(t *testing.T) {
	var texts []string
	for _, c := range []struct{ kind, name, at string }{{"operation", "waits", ""}, {"operation", "waits", "2025-01-01 00:02:30"}, {"pool", "a", ""}, {"operation", "unsized", ""}, {"operation", "nobody", ""}} {
		texts = append(texts, fmt.Sprintf("# %s %s %s\n%s", c.kind, c.name, c.at, conditionsOf(t, waitingDatabase(t), c.kind, c.name, c.at)))
	}
	golden(t, "conditions.txt", strings.Join(texts, "\n"))
}

// A node that meets all conditions is named, whatever the others lack.
func TestANodeThatWasNotInTheWay(t *testing.T) {
	db := waitingDatabase(t, "INSERT INTO nodes SELECT * REPLACE ('n0-free' AS node, 'new' AS tags) FROM nodes WHERE node = 'n1-old'")
	if text := conditionsOf(t, db, "operation", "waits", ""); !strings.Contains(text, "Node n0-free met them all: the nodes were not in the way.") || !strings.Contains(text, `--ask n0-free@2025-01-01T00:02:00Z`) {
		t.Error(text)
	}
}

// The nodes decide where the operation and its pools were not in the way.
func TestTheConditionThatDecidedIsMarked(t *testing.T) {
	db := waitingDatabase(t, "UPDATE pool_intervals SET resource_limits_cpu = 100", "DELETE FROM snapshot_operations")
	text := conditionsOf(t, db, "operation", "waits", "")
	if n := strings.Count(text, decided); n != 1 || !strings.Contains(text, "8 GiB of memory free; all nodes together have 392 GiB of memory"+decided) {
		t.Errorf("%d marks in %s", n, text)
	}
}
