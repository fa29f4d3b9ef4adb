package ingest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

// What is set above all trees reaches every tree, with its templates below the
// tree's own options.
func TestTheClustersSettingsReachTheCore(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.check(l.w.Add(&trace.ClusterConfig{
		Stamp: stamp(1), DefaultTree: core.Some("t"), Trees: "t, other", MaxOperationCount: core.Some[int64](7),
		FairShareUpdatePeriodMS: core.Some[int64](200), WatchersUpdatePeriodMS: core.Some[int64](3000),
		ConfigJSON: `{"user_to_default_pool_map": {"anna": "a"}, "default_tentative_pool_trees": ["other"], "enable_schedule_in_single_tree": false,
			"pending_by_pool_operation_scan_period": 30000, "nodes_attributes_update_period": 20000,
			"min_spare_job_resources_on_node": {"cpu": 0.5}, "max_started_jobs_per_heartbeat": 3,
			"allowed_node_resources_overcommit_duration": 8000, "schedule_job_fail_backoff_time": 50, "enable_job_abort_on_zero_user_slots": false, "node_heartbeat_timeout": 40000,
			"template_pool_tree_config_map": {"all": {"priority": 1, "config": {"max_operation_count": 3, "max_running_operation_count": 2}}}}`,
	}))
	l.check(l.w.Add(&trace.ClusterConfig{Stamp: stamp(5), Trees: "t", ConfigJSON: `{"user_to_default_pool_map": 7}`}))
	l.check(l.w.Add(&trace.ClusterConfig{Stamp: stamp(6), Trees: "t",
		ConfigJSON: `{"template_pool_tree_config_map": {"t": {"filter": "t", "priority": 2, "config": {"max_operation_count": 5, "max_running_operation_count": "x"}}}}`}))
	l.check(l.tree.Add(&trace.TreeConfig{Stamp: stamp(2), Source: "export", MaxRunningOperationCount: core.Some[int64](9)}))
	tr := l.open()
	var clusters []core.ClusterConfig
	var limits []string
	for e, err := range tr.Events("t", Options{}) {
		l.check(err)
		switch e.Kind {
		case core.ClusterConfigured:
			c := *e.Cluster
			c.Templates = nil
			clusters = append(clusters, c)
		case core.TreeConfigured:
			limits = append(limits, clockOf(e.Time, e.Tree.MaxOperationCount, e.Tree.MaxRunningOperationCount))
		}
	}
	if diff := cmp.Diff([]core.ClusterConfig{
		{Default: "t", Trees: []string{"other", "t"}, MaxOperationCount: core.Some[int64](7),
			UpdatePeriod: core.Some[pooltree.Milliseconds](200), WatchersPeriod: core.Some[pooltree.Milliseconds](3000),
			ScanPeriod: core.Some[pooltree.Milliseconds](30_000), TagsPeriod: core.Some[pooltree.Milliseconds](20_000),
			MinSpare:               core.Some(resource.Partial{Amounts: resource.Vector{resource.CPU: 50}, Set: [resource.Kinds]bool{resource.CPU: true}}),
			MaxStartedPerHeartbeat: core.Some[int64](3),
			OvercommitDuration:     core.Some[pooltree.Milliseconds](8000), FailBackoff: core.Some[pooltree.Milliseconds](50),
			AbortWithoutSlots: core.Some(false), HeartbeatTimeout: core.Some[pooltree.Milliseconds](40_000),
			UserParents: map[string]string{"anna": "a"}, DefaultTentative: []string{"other"}, SingleTree: core.Some(false)},
		{Trees: []string{"t"}}, {Trees: []string{"t"}},
	}, clusters); diff != "" {
		t.Error(diff)
	}
	// The template of 5 s is gone, that of 6 s is for this tree, and of what is its
	// own the tree has the last word.
	if diff := cmp.Diff([]string{"2: 3 9", "5: none 9", "6: 5 9"}, limits); diff != "" {
		t.Error(diff)
	}
	var found []string
	for _, p := range tr.Problems() {
		found = append(found, p.Source+" "+p.Column+" "+p.Code)
	}
	if diff := cmp.Diff([]string{"global/cluster_config.parquet config_json bad_config"}, found); diff != "" {
		t.Error(diff)
	}
}

// clockOf shows counts at a second of the log.
func clockOf(at core.Time, counts ...core.Optional[int64]) string {
	text := fmt.Sprintf("%d:", (at-start)/core.Second)
	for _, n := range counts {
		if n.Set {
			text += fmt.Sprintf(" %d", n.Value)
		} else {
			text += " none"
		}
	}
	return text
}
