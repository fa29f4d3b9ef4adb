package fairshare

import "poolproof/core/resource"

// Shares is a fair share with the three parts it is made of
// (core/spec/fair-share.md §7.6).
type Shares struct {
	Total    resource.Share
	Strong   resource.Share // within the strong guarantee
	Integral resource.Share // within the integral guarantee
	Weight   resource.Share // what competition by weight adds
}

// A Result holds the published values of one element (core/spec/fair-share.md §10.2). Ratios of the
// documentation are the Dominant of the share named alike: usage_ratio of UsageShare, demand_ratio
// of DemandShare, min_share_ratio of StrongShare, guaranteed_ratio of Promised and fair_share_ratio
// of FairShare.Total.
type Result struct {
	FairShare         Shares
	LocalSatisfaction float64
	Satisfaction      float64
	Schedulable       bool

	Usage, Demand      resource.Vector
	Limits             resource.Vector // absolute: specified, by tag filter and by max_share_ratio
	EffectiveGuarantee resource.Vector // with the kinds that the configuration leaves out inferred

	UsageShare, DemandShare, LimitsShare resource.Share

	StrongShare resource.Share // the effective guarantee, cut by limits, scaled where overcommitted
	Promised    resource.Share // what the element gets if all want everything
	Estimated   resource.Share // the same out of the guarantees alone
	Proposed    resource.Share // the integral share on offer

	PromisedGuarantee Shares // the split of the guarantee alone, below pools that ask for it

	Weight    float64 // effective; of no meaning for the root
	FIFOIndex int32   // position in a FIFO pool, -1 elsewhere
	Dominant  resource.Kind

	// Integral is nil for operations.
	Integral *IntegralResult
}

// An IntegralResult holds the published values of a pool's integral guarantee and of the volume
// below it (core/spec/fair-share.md §6.7). All ratios are fractions of the tree.
type IntegralResult struct {
	SpecifiedBurst float64 // before scaling; 0 unless the pool is of type burst
	Burst          float64 // scaled where the tree is overcommitted
	Flow           float64
	TotalBurst     float64 // of the subtree, before scaling
	TotalFlow      float64 // of the subtree

	Volume         resource.Volume // accumulated
	Capacity       resource.Volume // what the pool may accumulate
	LastShareRatio float64         // granted in this update, charged in the next

	Overflow         resource.Volume // what could not be kept
	Acceptable       resource.Volume // what could be taken of others
	Accepted         resource.Volume // what was taken of others
	ChildrenOverflow resource.Volume // what children could not keep
}

// RatioVolume is accumulated_resource_ratio_volume: the volume in seconds of
// the whole tree, by its scarcest kind.
func (r *IntegralResult) RatioVolume(total resource.Vector) float64 { return r.Volume.MinRatio(total) }

// Error codes of an update (core/spec/fair-share.md §5.3, §7.8).
const (
	CodeOvercommit     = 29000 // pool_tree_guarantees_overcommit
	CodeNestedPromised = 29001 // nested_promised_guarantee_fair_share_pools
	CodeWithoutDonor   = 29002 // priority_strong_guarantee_adjustment_pools_without_donor
)

// An UpdateError is a fault of the configuration that an update reports and
// lives with.
type UpdateError struct {
	Code    int
	Message string

	// Of CodeOvercommit: the sum of the first-level strong guarantees; the
	// resource flow, or the burst guarantees where Burst is set; the total.
	Strong, Integral, Total resource.Vector
	Burst                   bool

	// Of CodeNestedPromised: the pools nested inside others that compute
	// promised guarantee fair shares. Of CodeWithoutDonor: the priority pools without a donor.
	Pools []Element
}

// Error returns the message.
func (e *UpdateError) Error() string { return e.Message }

// A RefusedError says which rule an input breaks, so that no shares were
// computed (core/spec/fair-share.md §7.12).
type RefusedError struct {
	Element Element
	Name    string // of the element
	Rule    string
}

func (e *RefusedError) Error() string { return e.Name + ": " + e.Rule }
