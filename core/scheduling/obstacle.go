package scheduling

import (
	"fmt"
	"slices"
)

// An Obstacle keeps a heartbeat from starting a job of an operation, or preemption from making room
// for one. Decisions, answers, the ledger and explain all use this enumeration.
type Obstacle uint8

// The obstacles. The ledger books those up to IsPreemptible.
const (
	NoObstacle Obstacle = iota

	// Of an operation: no node starts its jobs (§6.2, §9.5).
	NotRunning
	Suspended
	NoPendingJobs
	Throttled        // max_schedule_job_calls_violated
	FIFOLimitReached // fifo_schedulable_element_count_limit_reached
	RecentlyFailed
	FairShareExceeded // it is graceful
	SaturatedInTentativeTree

	// Of an operation on a node: other nodes may start its jobs (§9.2, §9.5).
	RegularJobOnSSDForbidden
	IncompatibleSegment
	UnmatchedTag
	NoRoomLeft // less is free than the least that is offered

	// Of preemption for an operation or a pool: protection of the jobs of others (§10).
	NotStarving
	TimeoutNotOver
	OnExcludedNodes
	JobsNonPreemptible
	AggressiveOnly
	AggressiveForbidden
	NormalForbidden
	JobsGraceful
	Blocked
	WithinBackoff // preemptive stages ran on the node recently
	IsPreemptible // nothing

	// Of an attempt (§9.7).
	NothingFits
	LimitsExceeded
	NoDemand
	BadPacking
	ControllerRefused

	// Of a heartbeat or of one of its stages (§9.1, §9.2, §9.4).
	NotOffered     // the node is offline or skipped, or a job waits on it
	MostStarted    // max_started_jobs_per_heartbeat
	NobodyToServe  // no operation takes part or has the stage's priority, or no such node exists
	StartedInPlace // an earlier stage started a job in place of others

	obstaclesEnd
)

// A scope is the kind of object that an obstacle concerns.
type scope uint8

const (
	ofOperation scope = iota + 1
	ofNode
	ofPreemption
	ofAttempt
	ofHeartbeat
	ofStage
)

// obstacles declares for each obstacle its scope, its name in the scheduler, its name in the ledger
// if different, a text for one operation and, for obstacles of operations, a text for several
// operations of a pool.
var obstacles = [obstaclesEnd]struct {
	scope                       scope
	name, ledger, text, several string
}{
	NotRunning:               {ofOperation, "is_not_running", "", "it does not run yet", "operations did not run yet"},
	Suspended:                {ofOperation, "suspended", "", "it is suspended", "operations were suspended"},
	NoPendingJobs:            {ofOperation, "no_pending_jobs", "", "no jobs wait", "no jobs waited though share was wanted"},
	Throttled:                {ofOperation, "max_schedule_job_calls_violated", "throttled", "its controller is asked by as many heartbeats as it may be", "the controllers declined jobs"},
	FIFOLimitReached:         {ofOperation, "fifo_schedulable_element_count_limit_reached", "fifo_limit", "its FIFO pool schedules no more operations at a time", "its FIFO pool schedules no more operations at a time"},
	RecentlyFailed:           {ofOperation, "recent_schedule_job_failed", "", "its controller failed a moment ago", "the controllers had failed a moment ago"},
	FairShareExceeded:        {ofOperation, "fair_share_exceeded", "", "it is graceful and not below its fair share", "graceful operations start jobs only while they are below their fair shares, tolerance included"},
	SaturatedInTentativeTree: {ofOperation, "saturated_in_tentative_tree", "", "it has as many jobs as it may try in a tentative tree", "operations had as many jobs as they may try in a tentative tree"},

	RegularJobOnSSDForbidden: {ofNode, "regular_job_on_ssd_node_forbidden", "", "it asks for no SSD, and a pool of it forbids such jobs on this node", ""},
	IncompatibleSegment:      {ofNode, "incompatible_scheduling_segment", "", "its segment or module is not that of the node", ""},
	UnmatchedTag:             {ofNode, "unmatched_scheduling_tag", "", "a tag filter of it or of its pools does not match the node", ""},
	NoRoomLeft:               {ofNode, "no_room", "min_spare_resources", "the node has less room than is ever offered", ""},

	NotStarving:         {ofPreemption, "not_starving", "", "without starvation nothing could be preempted", ""},
	TimeoutNotOver:      {ofPreemption, "timeout_not_over", "", "before the starvation timeout was over nothing could be preempted", ""},
	OnExcludedNodes:     {ofPreemption, "excluded_nodes", "", "%s ran on nodes that tags or segments exclude", ""},
	JobsNonPreemptible:  {ofPreemption, "non_preemptible", "", "%s are not preemptible", ""},
	AggressiveOnly:      {ofPreemption, "aggressive_only", "", "%s may be preempted for aggressive starvation only", ""},
	AggressiveForbidden: {ofPreemption, "aggressive_preemption_forbidden", "", "%s may be preempted aggressively only, which is forbidden in their pool", ""},
	NormalForbidden:     {ofPreemption, "normal_preemption_forbidden", "", "preemption of %s is forbidden in their pool", ""},
	JobsGraceful:        {ofPreemption, "graceful", "", "%s are only asked to finish", ""},
	Blocked:             {ofPreemption, "blocked", "", "their operation, which needs its share itself, protects %s", ""},
	WithinBackoff:       {ofPreemption, "preemptive_scheduling_backoff", "backoff", "preemption on the nodes of %s backed off", ""},
	IsPreemptible:       {ofPreemption, "preemptible", "", "%s could have been preempted", ""},

	NothingFits:       {ofAttempt, "min_needed_resources_unsatisfied", "", "its smallest job does not fit the node", ""},
	LimitsExceeded:    {ofAttempt, "resource_limits_exceeded", "", "the limits do not hold its smallest job", ""},
	NoDemand:          {ofAttempt, "no_available_demand", "", "its demand at the last update does not hold another job", ""},
	BadPacking:        {ofAttempt, "bad_packing", "", "the node suits its job badly", ""},
	ControllerRefused: {ofAttempt, "schedule_job_failed", "", "its controller has no job for the node", ""},

	NotOffered:     {ofHeartbeat, "node_not_offered", "", "the node is offline or skipped, or a job waits on it", ""},
	MostStarted:    {ofHeartbeat, "max_started_jobs_per_heartbeat", "", "the heartbeat has started as many jobs as it may", ""},
	NobodyToServe:  {ofStage, "nobody_to_serve", "", "it has nobody to serve", ""},
	StartedInPlace: {ofStage, "started_in_an_earlier_stage", "", "an earlier stage has started a job in place of others", ""},
}

func (o Obstacle) String() string { return obstacles[o].name }

// Ledger returns the ledger's name of an obstacle.
func (o Obstacle) Ledger() string {
	if word := obstacles[o].ledger; word != "" {
		return word
	}
	return obstacles[o].name
}

// Text explains to a user why no job starts or, for obstacles of preemption, why none of the jobs
// of others, named jobs, is preempted.
func (o Obstacle) Text(jobs string) string {
	switch {
	case o == NotStarving || o == TimeoutNotOver || obstacles[o].scope != ofPreemption:
		return obstacles[o].text
	case o == WithinBackoff && jobs == "":
		return "the node had preemptive stages a moment ago"
	}
	return fmt.Sprintf(obstacles[o].text, jobs)
}

// Several explains to a user why operations of a pool got no jobs.
func (o Obstacle) Several() string { return obstacles[o].several }

// IsOfOperation reports whether an obstacle is the operation's, whatever the node.
func (o Obstacle) IsOfOperation() bool { return obstacles[o].scope == ofOperation }

// Declining returns the obstacles because of which a heartbeat starts no job of an operation.
func Declining() (all []Obstacle) {
	for o := NoObstacle + 1; o < obstaclesEnd; o++ {
		if s := obstacles[o].scope; s != ofPreemption && s != ofStage {
			all = append(all, o)
		}
	}
	return all
}

// LedgerWords returns the ledger's names of its obstacles, in order.
func LedgerWords() (words []string) {
	for o := NoObstacle; o <= IsPreemptible; o++ {
		words = append(words, o.Ledger())
	}
	return words
}

// ByName returns the obstacle with the given name in the scheduler, or NoObstacle.
func ByName(name string) Obstacle {
	for o := range obstacles {
		if obstacles[o].name == name {
			return Obstacle(o)
		}
	}
	return NoObstacle
}

// ByLedgerWord returns the obstacle with the given name in the ledger, or NoObstacle.
func ByLedgerWord(word string) Obstacle { return Obstacle(max(0, slices.Index(LedgerWords(), word))) }
