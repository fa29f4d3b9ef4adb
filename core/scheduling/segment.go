package scheduling

import "poolproof/core/resource"

// A Segment is the part of the nodes that an operation may use
// (core/spec/scheduling.md §12).
type Segment uint8

// The segments.
const (
	DefaultSegment Segment = iota
	LargeGPU
)

var segmentNames = [...]string{"default", "large_gpu"}

func (s Segment) String() string { return segmentNames[s] }

// largeGPUJob is the number of GPUs from which a job makes its operation LargeGPU.
const largeGPUJob = FullHostGPUs

// FullHostGPUs is the number of GPUs that a job takes which needs a whole node.
const FullHostGPUs = 8

// SegmentOf returns the segment of an operation whose spec does not name one.
func SegmentOf(least resource.Vector, gang, onlyGangs bool) Segment {
	if least[resource.GPU] == largeGPUJob && (gang || !onlyGangs) {
		return LargeGPU
	}
	return DefaultSegment
}

// SegmentsAgree reports whether an operation may use a node: the segments are equal, and for
// LargeGPU the operation's module is that of the node. Module 0 means none.
func SegmentsAgree(operation Segment, operationModule int32, n Segment, nodeModule int32) bool {
	return operation == n && (operation != LargeGPU || operationModule != 0 && operationModule == nodeModule)
}

// fits reports whether the segments let an operation use a node.
func (t *Tree) fits(op *operation, n *node) bool {
	return !t.options.Segments || SegmentsAgree(op.Segment, op.Module, n.Segment, n.Module)
}
