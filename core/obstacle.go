package core

import "poolproof/core/scheduling"

// ObstacleOf returns why no heartbeat would start a job of an operation now, however much the node
// has free; NoObstacle if one may (core/spec/scheduling.md §6.2, §9.5). It ignores limits and
// demand.
func (t *Tree) ObstacleOf(slot int32, now Time) scheduling.Obstacle {
	o := &t.operations[slot]
	switch {
	case o.Suspended:
		return scheduling.Suspended
	case !o.enabled:
		return scheduling.NotRunning
	}
	if why := t.scheduling.Unschedulable(o.Element); why != scheduling.NoObstacle {
		return why
	}
	return t.scheduling.ExclusionFromAll(o.Element, int64(now))
}

// ObstacleAt returns why an operation may not use a node, NoObstacle if it may: the node's segment,
// its tags, or its SSD priority (§9.5). Unrecorded properties exclude nothing.
func (t *Tree) ObstacleAt(operation, node int32) scheduling.Obstacle {
	fits, known := t.SegmentFits(operation, node)
	elsewhere, _ := t.RunsElsewhere(operation, node)
	o := &t.operations[operation]
	switch {
	case known && !fits || elsewhere:
		return scheduling.IncompatibleSegment
	case !t.Admits(operation, node):
		return scheduling.UnmatchedTag
	case o.enabled && t.scheduling.ForbidsRegularJobs(o.Element, scheduling.Node(node)):
		return scheduling.RegularJobOnSSDForbidden
	}
	return scheduling.NoObstacle
}
