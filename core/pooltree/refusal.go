package pooltree

import "fmt"

// A Reason names why an operation may not start, or not where it was asked to
// (core/spec/scheduling.md §2.4, §5.2, §5.3, §5.6).
type Reason string

// The reasons.
const (
	BadPoolName          Reason = "bad_pool_name"
	ImmediateForbidden   Reason = "immediate_operations_forbidden"
	EphemeralPoolLimit   Reason = "ephemeral_pool_limit"
	MaxOperationCount    Reason = "max_operation_count"
	MaxRunningCount      Reason = "max_running_operation_count"
	AllTreesErased       Reason = "all_trees_erased"
	TreesUnspecified     Reason = "trees_unspecified"
	TreeNotFound         Reason = "tree_not_found"
	TentativeNoRegular   Reason = "tentative_without_regular"
	TentativeRegular     Reason = "tentative_overlaps_regular"
	ProbingOverlaps      Reason = "probing_overlaps"
	SingleTreeTentative  Reason = "single_tree_with_tentative"
	TagFilterWithSeveral Reason = "tag_filter_with_several_trees"
	NoSuitableTree       Reason = "no_suitable_tree"
	GangOutsideFIFO      Reason = "gang_outside_fifo"
)

// Error codes of the scheduler.
const (
	CodeGeneric           = 1
	CodeTooManyOperations = 202
	CodeTreesUnspecified  = 214
)

// A Refusal says why an operation may not start or move.
type Refusal struct {
	Reason Reason
	Tree   string // "" where only one is meant
	Pool   string // the pool whose limit or name it is
	User   string // EphemeralPoolLimit only
	Limit  int64  // the limit reached
}

// Code returns the scheduler's error code: 202 where a limit of operations is
// reached at a start, 214 where no tree is named, 1 otherwise.
func (r *Refusal) Code() int {
	switch r.Reason {
	case MaxOperationCount, EphemeralPoolLimit, AllTreesErased:
		return CodeTooManyOperations
	case TreesUnspecified:
		return CodeTreesUnspecified
	}
	return CodeGeneric
}

// inTree names the tree where more than one is meant.
func (r *Refusal) inTree() string {
	if r.Tree == "" {
		return ""
	}
	return " in tree " + r.Tree
}

func (r *Refusal) Error() string {
	switch r.Reason {
	case BadPoolName:
		return fmt.Sprintf("pool name %q is not allowed", r.Pool)
	case ImmediateForbidden:
		return fmt.Sprintf("starting operations immediately in pool %s is forbidden", r.Pool)
	case EphemeralPoolLimit:
		return fmt.Sprintf("Limit for number of ephemeral pools %d for user %s%s has been reached", r.Limit, r.User, r.inTree())
	case MaxOperationCount:
		return fmt.Sprintf("Limit for the number of concurrent operations %d for pool %s%s has been reached", r.Limit, r.Pool, r.inTree())
	case MaxRunningCount:
		return fmt.Sprintf("Max running operation count %d of pool %s%s is reached", r.Limit, r.Pool, r.inTree())
	case AllTreesErased:
		return "All trees have been erased for operation"
	case TreesUnspecified:
		return "no pool trees are specified and there is no default tree"
	case TreeNotFound:
		return fmt.Sprintf("pool tree %q does not exist", r.Tree)
	case TentativeNoRegular:
		return "tentative trees need explicit regular trees"
	case TentativeRegular:
		return fmt.Sprintf("tree %s is both regular and tentative", r.Tree)
	case ProbingOverlaps:
		return fmt.Sprintf("probing tree %s is regular or tentative as well", r.Tree)
	case SingleTreeTentative:
		return "scheduling in a single tree and tentative trees exclude each other"
	case TagFilterWithSeveral:
		return "a scheduling tag filter and several trees exclude each other"
	case NoSuitableTree:
		return "no tree is suitable for scheduling in a single tree"
	case GangOutsideFIFO:
		return fmt.Sprintf("gang operations may start in FIFO pools only, and pool %s%s is not one", r.Pool, r.inTree())
	}
	return string(r.Reason)
}
