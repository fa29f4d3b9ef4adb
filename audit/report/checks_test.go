package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"poolproof/core/scheduling"
)

// TestExplainNamesWhatTheCoreDeclinesFor: whatever the core can decline a job for is a condition
// of explain, or it is said that no log tells of it.
func TestExplainNamesWhatTheCoreDeclinesFor(t *testing.T) {
	named := slices.Concat(nodeObstacles, unrecorded)
	for _, c := range checks {
		named = append(named, c.of...)
	}
	all := scheduling.Declining()
	for _, o := range all {
		if n := len(slices.DeleteFunc(slices.Clone(named), func(x scheduling.Obstacle) bool { return x != o })); n != 1 {
			t.Errorf("%d conditions name %v, want one", n, o)
		}
	}
	if len(named) != len(all) {
		t.Errorf("%d obstacles are named, and the core declines for %d", len(named), len(all))
	}
}

// TestEachObstacleOfAnOperationIsTold: what the rules name at the moment is the condition that decided.
func TestEachObstacleOfAnOperationIsTold(t *testing.T) {
	const spans = "CREATE TABLE operation_obstacles (tree VARCHAR, operation VARCHAR, obstacle VARCHAR, resource VARCHAR, usage_share DOUBLE, starts_below_share DOUBLE, fair_share DOUBLE, from_time TIMESTAMP, to_time TIMESTAMP)"
	for _, o := range scheduling.Declining() {
		if !o.IsOfOperation() || o == scheduling.NotRunning || o == scheduling.NoPendingJobs {
			continue // these two are told by what is known of the operation itself
		}
		db := waitingDatabase(t, spans, fmt.Sprintf("INSERT INTO operation_obstacles VALUES ('main', 'waits', '%s', 'cpu', 0.125, 0.1, 0.25, '2025-01-01 00:01', '2025-01-01 00:03')", o.Ledger()))
		text := conditionsOf(t, db, "operation", "waits", "2025-01-01 00:02:30")
		want := "NO   takes part in scheduling: " + o.Text("") + ", by the rules" + decided
		if o == scheduling.FairShareExceeded {
			want = "NO   below its fair share: it is graceful and starts jobs only while it uses less than 40 % of its fair share, that is 10 % of the tree's cores; it used 12.5 %"
		}
		if !strings.Contains(text, want) {
			t.Errorf("%v: %q is not in %s", o, want, text)
		}
	}
}

// TestLimitsAreThoseThatAreSet: what a tag filter or nothing but max_share_ratio leaves is not enforced at
// a start, and no limit (core/spec/scheduling.md §11.1); where resource_limits are set, too, the line names what
// bounds.
func TestLimitsAreThoseThatAreSet(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"resource_limits_cpu = NULL", ""},
		{"resource_limits_cpu = NULL, max_share_ratio = 0.08", ""},
		{"resource_limits_cpu = NULL, scheduling_tag_filter = 'new'", ""},
		{"resource_limits_cpu = 8", "8 cores of 8 cores used"},
		{"resource_limits_cpu = NULL, resource_limits_memory = 1e15, max_share_ratio = 0.08", "8 cores of 8 cores used, by its max_share_ratio of 0.08"},
		{"resource_limits_cpu = 90, scheduling_tag_filter = 'new'", "8 cores of 8 cores used, all that its tag filter new leaves"},
	} {
		text := conditionsOf(t, waitingDatabase(t, "UPDATE pool_versions SET "+c.set+" WHERE pool = 'b'"), "operation", "waits", "2025-01-01 00:02:30")
		_, line, found := strings.Cut(text, "room under the limits of pool b: ")
		line, _, _ = strings.Cut(line, "\n")
		if line = strings.TrimSuffix(line, decided); found != (c.want != "") || line != c.want {
			t.Errorf("%s: %q, want %q", c.set, line, c.want)
		}
	}
}

// TestLessThanIsOffered: a node on which a job fits, but less is free than is ever offered, is told.
func TestLessThanIsOffered(t *testing.T) {
	db := waitingDatabase(t, "CREATE TABLE trees (tree VARCHAR, min_spare_resources_user_slots BIGINT, min_spare_resources_cpu DOUBLE, min_spare_resources_gpu BIGINT, min_spare_resources_memory BIGINT, min_spare_resources_network BIGINT)",
		"INSERT INTO trees VALUES ('main', 1, 9, 0, 0, 0)",
		"INSERT INTO nodes SELECT * REPLACE ('n0-free' AS node, 'new' AS tags) FROM nodes WHERE node = 'n1-old'", "UPDATE pool_versions SET resource_limits_cpu = NULL", "DELETE FROM snapshot_operations")
	text := conditionsOf(t, db, "operation", "waits", "")
	if !strings.Contains(text, "9 cores free, min_spare_resources, below which nothing is started"+decided) || strings.Contains(text, "met them all: the nodes") {
		t.Error(text)
	}
}

// TestWhatNoLogTells: where all conditions hold, what else can be is said.
func TestWhatNoLogTells(t *testing.T) {
	db := waitingDatabase(t, "INSERT INTO nodes SELECT * REPLACE ('n0-free' AS node, 'new' AS tags) FROM nodes WHERE node = 'n1-old'", "UPDATE pool_versions SET resource_limits_cpu = NULL", "DELETE FROM snapshot_operations")
	text := conditionsOf(t, db, "operation", "waits", "")
	for _, o := range unrecorded {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), o.Text("")) {
			t.Errorf("%v is not told in %s", o, text)
		}
	}
}
