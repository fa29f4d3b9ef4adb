package judge

import "poolproof/core/scheduling"

// A JobPlacement describes the tree and the node in which a job started.
type JobPlacement struct {
	Context
	At       int64
	OwnNode  Fact  // the tree's nodes_filter matches the node
	Admitted Fact  // so do the tag filters of its operation and of all its pools
	Changed  int64 // last change of tags, filters or the operation's pool, or scheduling.Never

	Gone   int64 // since when the operation no longer has the tree, or scheduling.Never
	Banned bool  // the tree banned the operation
}

// Judge judges TREE-03 and TREE-11, and TREE-05 or TREE-09 for an operation that lost the tree.
// Until a change of tags or filters has propagated, either value may be in force, and a running
// heartbeat is completed.
func (s *JobPlacement) Judge(rulings []Ruling) []Ruling {
	may := s.Changed != scheduling.Never && s.At-s.Changed <= s.Slacks.Tagged()
	own, admitted := s.OwnNode.finding(NodeTags), s.Admitted.finding(NodeTags)
	own.may, admitted.may = may, may
	rulings = append(rulings, s.rule(TREE03, own), s.rule(TREE11, admitted))
	in := held(s.Gone == scheduling.Never)
	in.may = !in.holds && s.At-s.Gone <= s.Slacks.Heartbeat
	if s.Banned {
		return append(rulings, s.rule(TREE09, in))
	}
	return append(rulings, s.rule(TREE05, in))
}
