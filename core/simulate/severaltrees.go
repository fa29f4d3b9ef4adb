package simulate

import (
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
)

// What concerns several trees at once (spec/scheduling.md §2.3, §2.4).

// barred returns the error of a start that no tree has a say in, 0 if there is
// none.
func (s *simulation) barred(o *Operation) int32 {
	most := s.plan.MaxOperations
	if s.cluster != nil {
		most = s.cluster.MaxOperationCount.Or(most)
	}
	switch {
	case most > 0 && s.live >= most:
		return pooltree.CodeTooManyOperations
	case o.Unnamed && s.cluster != nil && s.cluster.Default == "":
		return pooltree.CodeTreesUnspecified
	}
	return 0
}

// changeCluster takes over the settings above all trees. Operations leave a tree
// that is gone, and are aborted if they have no other.
func (s *simulation) changeCluster(tree int, c *core.ClusterConfig) {
	s.cluster = c
	if slices.Contains(c.Trees, s.plan.Trees[tree].Name) {
		return
	}
	for id := range s.operations {
		o := &s.operations[id]
		i := slices.IndexFunc(s.plan.Operations[id].Requests, func(r Request) bool { return r.Tree == tree })
		if i < 0 || !o.submitted || o.over || o.in[i].left {
			continue
		}
		s.leave(core.OperationID(id), i)
		if !slices.ContainsFunc(o.in, func(m membership) bool { return !m.left }) {
			s.end(core.OperationID(id), core.StepAborted, 0)
		}
	}
}

// leave takes an operation out of the tree of one of its requests.
func (s *simulation) leave(id core.OperationID, request int) {
	s.operations[id].in[request] = membership{left: true}
	tree := s.plan.Operations[id].Requests[request].Tree
	s.step(tree, id, core.StepErased)
	s.loseJobs(func(j *job) bool { return j.work.Operation == id && j.tree == tree }, "operation_finished")
	s.serve(tree)
}

// settleInOne has an operation keep one of the trees where it is running, the one
// with most room beside what it wants. Guarantees are not looked at.
func (s *simulation) settleInOne(id core.OperationID) {
	requests, in := s.plan.Operations[id].Requests, s.operations[id].in
	estimates := make([]pooltree.TreeEstimate, len(requests))
	for i, r := range requests {
		estimates[i] = pooltree.TreeEstimate{Total: s.trees[r.Tree].core.Total(), Running: in[i].running && !in[i].left}
	}
	needed, _, _ := s.needs(id)
	kept, err := pooltree.ChooseSingleTree(estimates, needed, false)
	if err != nil {
		s.end(id, core.StepFailed, 0)
		return
	}
	for i := range requests {
		if i != kept && !in[i].left {
			s.leave(id, i)
		}
	}
}
