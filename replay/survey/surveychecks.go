package survey

import (
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/pooltree"
	"poolproof/replay/tables"
)

// What the survey judges of operations, and the rows of it.

func (s *surveyor) context(at core.Time) judge.Context {
	return judge.Context{Evidence: judge.Recorded, Excuse: s.excuseAt(at), Slacks: &s.slacks, Shaken: s.operations.shaken}
}

// judgeArrival judges the start of an operation, or its refusal, in all the trees in which the
// log records it.
func (s *surveyor) judgeArrival(came []treeStep, refused bool) {
	a := judge.Submission{Context: s.context(s.now), Live: int64(len(s.operations.live)), Offload: judge.No}
	first := &came[0]
	if refused {
		a.Refused = max(first.code, 1) // refused, whatever for
	}
	versions := s.versionsAt()
	for i := range versions {
		if versions[i].limit.Set {
			a.Limits = append(a.Limits, versions[i].limit.Value)
		}
	}
	var names []string
	for i := range came {
		name := s.names[came[i].tree]
		names = append(names, name)
		switch came[i].role {
		case core.RoleOffloading:
			if s.offloads(came, name) != judge.No {
				continue
			}
			a.Offload = judge.Unknown
		case core.RoleUnknown:
			a.Offload = judge.Unknown
		}
		if !slices.Contains(a.Trees, name) {
			a.Trees = append(a.Trees, name)
		}
	}
	if a.Unspecified = first.spec == nil; !a.Unspecified {
		a.Unnamed = !first.spec.Trees.PoolTrees.Set || len(first.spec.Trees.PoolTrees.Value) == 0
		if !a.Unnamed || s.sets.defaults {
			a.Choices = choicesOf(&first.spec.Trees, versions)
		}
	}
	row := tables.TreeCheck{Time: s.now, Operation: first.operation, Trees: strings.Join(names, ","), Count: a.Live}
	if len(a.Choices) > 0 && a.Choices[0] != nil {
		row.Expected = strings.Join(a.Choices[0], ",")
	}
	if refused && first.code != 0 {
		row.ErrorCode = core.Some(first.code)
	}
	s.write(came, &row, a.Judge(nil))
	s.writeChoice(came, refused, a.Live, versions)
}

// offloads reports whether the pools of an operation in its own trees offload it to
// another one (core/spec/scheduling.md §2.4): Unknown where the log holds no settings of
// offloading at all.
func (s *surveyor) offloads(came []treeStep, tree string) judge.Fact {
	known := pooltree.KnownTrees{Names: s.names}
	spec, settings := &pooltree.TreeSpec{}, false
	if came[0].spec != nil {
		spec = &came[0].spec.Trees
	}
	for i := range came {
		pools := s.pools[came[i].tree]
		settings = settings || pools.HasOffloading()
		if came[i].role == core.RoleOffloading {
			continue
		}
		user := s.dims.Operations[came[i].operation].User
		for _, offload := range pools.Offloads(came[i].pool, user, spec, nil, &known) {
			if offload.Tree == tree {
				return judge.Yes
			}
		}
	}
	if settings {
		return judge.No
	}
	return judge.Unknown
}

// choicesOf returns the trees that the rules give to an operation, by each version
// of the set of trees; none if the log does not state the set. Where they refuse an
// operation that names its trees, it is no better off in those of them that there are.
func choicesOf(spec *pooltree.TreeSpec, versions []setVersion) (choices [][]string) {
	for i := range versions {
		if !versions[i].known {
			continue
		}
		c, err := pooltree.SelectTrees(spec, &versions[i].trees)
		if err != nil {
			choices = append(choices, existing(slices.Concat(spec.PoolTrees.Value, spec.Tentative), versions[i].trees.Names))
			continue
		}
		trees := slices.Concat(c.Regular, c.Tentative)
		if c.Probing != "" {
			trees = append(trees, c.Probing)
		}
		choices = append(choices, trees)
	}
	return choices
}

// existing are the trees of a list that there are, nil if none was named.
func existing(named, names []string) []string {
	return slices.DeleteFunc(named, func(tree string) bool { return !slices.Contains(names, tree) })
}

// writeChoice writes a row for every tree in which the log records a start or refusal.
func (s *surveyor) writeChoice(came []treeStep, refused bool, live int64, versions []setVersion) {
	if s.now < s.window.From {
		return
	}
	var names []string
	for i := range came {
		names = append(names, s.names[came[i].tree])
	}
	for i := range came {
		step := &came[i]
		row := tables.TreeChoice{
			Time: s.now, Operation: step.operation, Action: "started", Leading: i == 0, Role: roles[step.role],
			Trees: strings.Join(names, ","), Live: live,
		}
		if refused {
			row.Action = "rejected"
			row.ErrorCode = core.Optional[int32]{Value: step.code, Set: step.code != 0}
		}
		if len(versions) > 0 {
			row.Limit = versions[0].limit
		}
		if spec := step.spec; spec != nil {
			row.Specified, row.Asked = true, strings.Join(spec.Trees.PoolTrees.Value, ",")
			row.Erases, row.Single = spec.EraseViolatedTrees, spec.Trees.SingleTree
		}
		s.result.choices[step.tree] = append(s.result.choices[step.tree], row)
	}
}

var roles = map[core.Role]string{
	core.RoleRegular: "regular", core.RoleTentative: "tentative", core.RoleProbing: "probing", core.RoleOffloading: "offloading",
}

// materialize judges the choice of a single tree, at once where it has been made.
// An operation that has just one tree has nothing to choose.
func (s *surveyor) materialize(id core.OperationID, op *clusterOperation) {
	if op.spec == nil || !op.spec.Trees.SingleTree || !op.several {
		return
	}
	if len(s.operations.roster.Trees(id)) > 1 {
		s.await(due{operation: id, settle: true})
		return
	}
	s.judgeSettling(id, op, s.now, false)
}

// judgeSettling judges which trees an operation for a single one has kept.
func (s *surveyor) judgeSettling(id core.OperationID, op *clusterOperation, at core.Time, later bool) {
	trees := s.operations.roster.Trees(id)
	if op == nil || len(trees) == 0 {
		return // it was banned or ended in the meantime
	}
	j := judge.Settling{Context: s.context(at), Kept: len(trees), Soon: later && len(trees) == 1}
	var kept []treeStep
	for _, name := range trees {
		tree := s.result.Index[name]
		kept = append(kept, treeStep{tree: tree, operation: id})
		if !s.operations.assumed && j.Ran != judge.Yes && s.log.Profile != core.Current { // current may keep one where it is pending
			j.Ran = judge.FactOf(slices.Contains(op.ran, tree))
		}
	}
	if v := s.versionsAt(); len(v) > 0 {
		j.Disabled = !v[0].alone.Or(true)
	}
	row := tables.TreeCheck{Time: at, Operation: id, Trees: strings.Join(trees, ","), Count: int64(len(trees)), Limit: 1}
	s.write(kept, &row, j.Judge(nil))
}

// judgeHomeless judges when an operation left a removed tree, or ended that has no
// tree left.
func (s *surveyor) judgeHomeless(d *due, until core.Time, how string) {
	h := judge.Homeless{
		Context: s.context(until), Since: int64(d.since), Until: int64(until), Gone: how != "",
		Otherwise: d.name == "" && how != "" && how != "aborted", Slack: int64(unregistering),
	}
	if h.Excuse == judge.NoExcuse && s.away >= d.since {
		h.Excuse = judge.Reconnecting
	}
	row := tables.TreeCheck{Time: d.since, Operation: d.operation, Trees: d.name, Ended: how}
	if how != "" {
		row.Until = core.Some(until)
	}
	s.write([]treeStep{{tree: d.tree, operation: d.operation}}, &row, h.Judge(nil))
}

// write adds the rows of rulings to every tree that they concern.
func (s *surveyor) write(trees []treeStep, row *tables.TreeCheck, rulings []judge.Ruling) {
	if row.Time < s.window.From {
		return
	}
	for i := range rulings {
		r := &rulings[i]
		row.Invariant, row.Verdict, row.JudgedBy = r.Invariant.String(), r.Verdict.String(), r.Evidence.String()
		row.Excuse, row.Missing = string(r.Excuse), string(r.Missing)
		if r.Invariant == judge.CNT08 {
			row.Limit = int64(r.Right)
		}
		for k, step := range trees {
			row.Leading = k == 0
			s.result.rulings[step.tree] = append(s.result.rulings[step.tree], *row)
		}
	}
}
