package pooltree

import "poolproof/core/resource"

// A ClusterConfig is one version of the settings above all trees
// (core/spec/scheduling.md §2.1, §3.4).
type ClusterConfig struct {
	Default string   // @default_tree, "" for none
	Trees   []string // that the cluster is configured to have

	MaxOperationCount Optional[int64] // of the whole cluster
	UpdatePeriod      Optional[Milliseconds]
	WatchersPeriod    Optional[Milliseconds]
	ScanPeriod        Optional[Milliseconds] // pending_by_pool_operation_scan_period
	TagsPeriod        Optional[Milliseconds] // nodes_attributes_update_period

	// Of the heartbeats of all trees.
	MinSpare               Optional[resource.Partial] // min_spare_job_resources_on_node
	MaxStartedPerHeartbeat Optional[int64]            // max_started_jobs_per_heartbeat
	OvercommitDuration     Optional[Milliseconds]     // allowed_node_resources_overcommit_duration
	FailBackoff            Optional[Milliseconds]     // schedule_job_fail_backoff_time
	AbortWithoutSlots      Optional[bool]             // enable_job_abort_on_zero_user_slots
	HeartbeatTimeout       Optional[Milliseconds]     // node_heartbeat_timeout

	// UserParents are the parents of users' ephemeral pools, where a tree asks
	// for them (use_user_default_parent_pool_map).
	UserParents      map[string]string
	DefaultTentative []string       // default_tentative_pool_trees
	SingleTree       Optional[bool] // enable_schedule_in_single_tree
	Templates        []Template     // by name; they patch the options of trees
}

// clusterOptions are those of the cluster's settings that are read here.
var clusterOptions = []option[ClusterConfig]{
	plainOption("default_tree", func(c *ClusterConfig) *string { return &c.Default }, text).says("tree of operations that name none"),
	plainOption("trees", func(c *ClusterConfig) *[]string { return &c.Trees }, texts).says("trees of the cluster"),
	countOption("max_operation_count", 0, func(c *ClusterConfig) *Optional[int64] { return &c.MaxOperationCount }).says("most operations, waiting ones included"),
	durationOption("fair_share_update_period", func(c *ClusterConfig) *Optional[Milliseconds] { return &c.UpdatePeriod }).says("how often fair shares are computed"),
	durationOption("watchers_update_period", func(c *ClusterConfig) *Optional[Milliseconds] { return &c.WatchersPeriod }).says("how often configurations are read"),
	durationOption("pending_by_pool_operation_scan_period", func(c *ClusterConfig) *Optional[Milliseconds] { return &c.ScanPeriod }).says("how often queues are scanned for operations that may run"),
	durationOption("nodes_attributes_update_period", func(c *ClusterConfig) *Optional[Milliseconds] { return &c.TagsPeriod }).says("how often the tags of nodes are read"),
	optional("min_spare_job_resources_on_node", func(c *ClusterConfig) *Optional[resource.Partial] { return &c.MinSpare }, amounts).also("min_spare_allocation_resources_on_node").says("what a node has to have left for a heartbeat to schedule more"),
	countOption("max_started_jobs_per_heartbeat", 1, func(c *ClusterConfig) *Optional[int64] { return &c.MaxStartedPerHeartbeat }).also("max_started_allocations_per_heartbeat").says("most jobs that a heartbeat starts"),
	durationOption("allowed_node_resources_overcommit_duration", func(c *ClusterConfig) *Optional[Milliseconds] { return &c.OvercommitDuration }).says("how long a node may hold more than it has before jobs are taken away"),
	durationOption("schedule_job_fail_backoff_time", func(c *ClusterConfig) *Optional[Milliseconds] { return &c.FailBackoff }).also("schedule_allocation_fail_backoff_time").says("time for which an operation is passed over after it failed to schedule a job"),
	boolOption("enable_job_abort_on_zero_user_slots", func(c *ClusterConfig) *Optional[bool] { return &c.AbortWithoutSlots }).also("enable_allocation_abort_on_zero_user_slots").says("whether the jobs of a node without user slots are aborted"),
	durationOption("node_heartbeat_timeout", func(c *ClusterConfig) *Optional[Milliseconds] { return &c.HeartbeatTimeout }).says("time without a heartbeat after which a node is lost with its jobs"),
	plainOption("user_to_default_pool_map", func(c *ClusterConfig) *map[string]string { return &c.UserParents }, by(userParents)).also("user_to_default_parent_pool").says("default parent pools by user"),
	plainOption("default_tentative_pool_trees", func(c *ClusterConfig) *[]string { return &c.DefaultTentative }, texts).says("tentative trees of operations that ask for the default ones"),
	boolOption("enable_schedule_in_single_tree", func(c *ClusterConfig) *Optional[bool] { return &c.SingleTree }).says("whether operations may ask for a single tree"),
	plainOption("template_pool_tree_config_map", func(c *ClusterConfig) *[]Template { return &c.Templates }, by(templates)).says("options that patch those of trees whose names match"),
}

func userParents(v any) (map[string]string, *fault) {
	m, wrong := readMap(v)
	if wrong != nil {
		return nil, wrong
	}
	parents := map[string]string{}
	for _, user := range sortedNames(m) {
		if parents[user], wrong = readText(m[user]); wrong != nil {
			return nil, wrong
		}
	}
	return parents, nil
}

// templates reads template_pool_tree_config_map: by name, each has a filter over
// names of trees, a priority and options of a tree.
func templates(v any) ([]Template, *fault) {
	m, wrong := readMap(v)
	if wrong != nil {
		return nil, wrong
	}
	var all []Template
	for _, name := range sortedNames(m) {
		t, wrong := template(m[name])
		if wrong != nil {
			return nil, &fault{wrong.rule, name + ": " + wrong.detail}
		}
		all = append(all, t)
	}
	return all, nil
}

func template(v any) (t Template, wrong *fault) {
	m, wrong := readMap(v)
	if wrong != nil {
		return t, wrong
	}
	if m["filter"] != nil {
		if t.Filter, wrong = readNodesFilter(m["filter"]); wrong != nil {
			return t, wrong
		}
	}
	if m["priority"] != nil {
		if t.Priority, wrong = countFrom(-1 << 31).read(m["priority"]); wrong != nil {
			return t, wrong
		}
	}
	if m["config"] != nil {
		t.Options, wrong = readMap(m["config"])
	}
	return t, wrong
}

// ParseCluster reads the settings above all trees. What is at fault stays absent.
func ParseCluster(p Profile, a Attributes) (ClusterConfig, []*RuleError) {
	var c ClusterConfig
	errs := parseAttributes(&c, clusterOptions, a, p)
	return c, errs
}
