package pooltree

// A Segment is a part of a tree's nodes, and of its operations: scheduling_segment
// (core/spec/scheduling.md §12).
type Segment uint8

// The segments.
const (
	DefaultSegment Segment = iota
	LargeGPU
)

var segmentNames = []string{"default", "large_gpu"}

// What the options of segments may say.
var (
	segmentModes     = []string{"disabled", "large_gpu"}
	moduleTypes      = []string{"data_center", "infiniband_cluster"}
	moduleHeuristics = []string{"max_remaining_capacity", "min_remaining_feasible_capacity"}
)

func (s Segment) String() string { return segmentNames[s] }

// Segments is the option scheduling_segments.
type Segments struct {
	Enable       bool // mode is large_gpu
	OnlyGangs    bool // allow_only_gang_operations_in_large_segment
	ByInfiniband bool // module_type: InfiniBand clusters are the modules, and not data centers
	LeastRest    bool // module_assignment_heuristic: the module that keeps least, and not the one that keeps most

	RebalanceTimeout      Optional[Milliseconds] // unsatisfied_segments_rebalancing_timeout
	InitializationTimeout Optional[Milliseconds] // initialization_timeout
	ResetTimeout          Optional[Milliseconds] // module_reconsideration_timeout
	ResetIdle             bool                   // enable_module_reset_on_zero_fair_share_and_usage
	// Reserve says that a reserve or a margin is set, so that a segment counts as
	// satisfied by another amount than its fair share.
	Reserve bool
}

var segmentOptions = []option[Segments]{
	plainOption("mode", func(s *Segments) *bool { return &s.Enable }, choice(segmentModes...)),
	flagOption("allow_only_gang_operations_in_large_segment", func(s *Segments) *bool { return &s.OnlyGangs }),
	plainOption("module_type", func(s *Segments) *bool { return &s.ByInfiniband }, choice(moduleTypes...)),
	plainOption("module_assignment_heuristic", func(s *Segments) *bool { return &s.LeastRest }, choice(moduleHeuristics...)),
	durationOption("unsatisfied_segments_rebalancing_timeout", func(s *Segments) *Optional[Milliseconds] { return &s.RebalanceTimeout }),
	durationOption("initialization_timeout", func(s *Segments) *Optional[Milliseconds] { return &s.InitializationTimeout }),
	durationOption("module_reconsideration_timeout", func(s *Segments) *Optional[Milliseconds] { return &s.ResetTimeout }),
	flagOption("enable_module_reset_on_zero_fair_share_and_usage", func(s *Segments) *bool { return &s.ResetIdle }),
	custom("satisfaction_margins", Value{}, setReserve),
	custom("reserve_fair_resource_amount", Value{}, setReserve),
}

// otherSegmentKeys are keys of scheduling_segments that nothing here goes by.
var otherSegmentKeys = []string{
	"data_centers", "infiniband_clusters", "manage_period", "module_preemption_heuristic", "priority_module_assignment_timeout",
	"module_oversatisfaction_threshold", "force_incompatible_segment_preemption", "module_share_to_network_priority",
	"enable_infiniband_cluster_tag_validation",
}

func setReserve(s *Segments, v any, _ Profile) *fault {
	s.Reserve = v != nil
	return nil
}
