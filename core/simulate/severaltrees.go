package simulate

import (
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/scheduling"
)

// What concerns several trees at once (core/spec/scheduling.md §2.3, §2.4).

// barred returns the error code of a start that is refused independently of trees, or 0.
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
	case slices.ContainsFunc(o.Requests, func(r Request) bool { return !s.exists(r.Tree) }):
		return pooltree.CodeGeneric
	}
	return 0
}

// exists reports whether a tree of the plan has not been removed.
func (s *simulation) exists(tree int) bool {
	return s.cluster == nil || len(s.cluster.Trees) == 0 || slices.Contains(s.cluster.Trees, s.plan.Trees[tree].Name)
}

// changeCluster applies the settings above all trees. Operations leave a removed tree, and are
// aborted if they have no other.
func (s *simulation) changeCluster(tree int, c *core.ClusterConfig) {
	s.cluster = c
	if s.exists(tree) {
		return
	}
	for id := range s.operations {
		o := &s.operations[id]
		i := slices.IndexFunc(o.requests, func(r Request) bool { return r.Tree == tree })
		if i < 0 || o.over || o.in[i].left {
			continue
		}
		s.leave(core.OperationID(id), i, core.StepErased, "operation_finished")
		if !slices.ContainsFunc(o.in, func(m membership) bool { return !m.left }) {
			s.end(core.OperationID(id), core.StepAborted)
		}
	}
}

// leave removes an operation from the tree of one of its requests.
func (s *simulation) leave(id core.OperationID, request int, step core.Step, reason string) {
	m := &s.operations[id].in[request]
	*m = membership{left: true, completed: m.completed}
	tree := s.operations[id].requests[request].Tree
	s.step(tree, id, step)
	s.loseJobs(func(j *job) bool { return j.work.Operation == id && j.tree == tree }, reason)
	s.serve(tree)
}

// offload adds the trees that pools of an operation offload to, with its own options
// (core/spec/scheduling.md §2.4).
func (s *simulation) offload(id core.OperationID) {
	o, user := &s.operations[id], s.plan.Dimensions.Operations[id].User
	known, used := pooltree.KnownTrees{}, []string{}
	for i := range s.plan.Trees {
		if s.exists(i) {
			known.Names = append(known.Names, s.plan.Trees[i].Name)
		}
	}
	for _, r := range o.requests {
		used = append(used, s.plan.Trees[r.Tree].Name)
	}
	for _, r := range slices.Clone(o.requests) {
		spec := &pooltree.TreeSpec{}
		if r.Started.Spec != nil {
			spec = &r.Started.Spec.Trees
		}
		name, _ := s.trees[r.Tree].core.Place(user, r.Pool, r.gang())
		for _, added := range s.trees[r.Tree].core.Offloads(s.poolOf(&r, name, user), user, spec, used, &known) {
			more := Request{Tree: slices.IndexFunc(s.plan.Trees, func(t Tree) bool { return t.Name == added.Tree }), Pool: added.Pool, Started: r.Started}
			more.Started.Role, more.Started.Seq = core.RoleOffloading, 0
			o.requests, used = append(o.requests, more), append(used, added.Tree)
		}
	}
}

// spreads reports whether an operation is in several trees and has whole nodes of one
// module to itself in one of them: such an operation is failed (core/spec/scheduling.md §12).
// It is once its jobs are known, and with them its segment where its spec names none.
func (s *simulation) spreads(id core.OperationID) bool {
	trees, large := 0, false
	for i, r := range s.operations[id].requests {
		if s.operations[id].in[i].left {
			continue
		}
		trees++
		t := s.trees[r.Tree].core
		if slot, known := t.OperationOf(id); known && t.Config().Segments.Enable {
			large = large || t.Operation(slot).Segment == scheduling.LargeGPU
		}
	}
	return trees > 1 && large
}

// settleInOne lets an operation keep only one of the trees in which it is running, the one with the
// most room beside its demand. It ignores guarantees.
func (s *simulation) settleInOne(id core.OperationID) {
	requests, in := s.operations[id].requests, s.operations[id].in
	estimates := make([]pooltree.TreeEstimate, len(requests))
	for i, r := range requests {
		estimates[i] = pooltree.TreeEstimate{Total: s.trees[r.Tree].core.Total(), Running: in[i].running && !in[i].left}
	}
	needed, _, _ := s.needs(id)
	kept, err := pooltree.ChooseSingleTree(estimates, needed, false, s.plan.Profile)
	if err != nil {
		s.end(id, core.StepFailed)
		return
	}
	for i := range requests {
		if i != kept && !in[i].left {
			s.leave(id, i, core.StepErased, "operation_finished")
		}
	}
}
