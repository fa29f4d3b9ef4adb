package ingest

import (
	"slices"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/ingest/opspec"
)

// Specs of operations are read once, with the dimensions: an operation may start
// in several trees, and in none.

const specColumn = "spec_json"

// A specReader reads the specs of dim/operations and says what is wrong with
// them, once for all that say the same. It does so by the profile that the trace
// asks for; a stream by the rules of another may find more values absent.
type specReader struct {
	profile core.Profile
	set     opspec.Set
	faults  map[*opspec.Spec][]string
}

func (t *Trace) newSpecReader() *specReader {
	profile, _ := t.Profile() // the default where it names none that is known
	return &specReader{profile: profile, faults: map[*opspec.Spec][]string{}}
}

// read returns the spec of row i, nil if there is none that can be read.
func (s *specReader) read(d *dimensionReader, i int) *opspec.Spec {
	v := &d.batch.Columns[d.table.Column(specColumn)]
	if v.Null(i) {
		return nil
	}
	problem := func(found string) {
		d.trace.problems[""].add(Problem{d.source, d.batch.First + int64(i), specColumn, badSpec, found})
	}
	spec, err := s.set.Parse(v.Bytes(i))
	if err != nil {
		problem(err.Error())
		return nil
	}
	faults, seen := s.faults[spec]
	if !seen {
		faults = spec.Faults(s.profile)
		s.faults[spec] = faults
	}
	for _, fault := range faults {
		problem(fault)
	}
	return spec
}

// setSpec hands over what the operation of a row asked for, and lets it fill what
// the row of its start leaves open: a row of a start is said to hold all
// parameters, and writers that know only the spec leave them out.
func (o *operationChanges) setSpec(p *core.OperationParams) {
	o.spec, o.role = nil, o.recordedRole()
	spec := o.stream.trace.operations[o.op.Int32s[o.i]].spec
	if spec == nil || o.step != core.StepStarted && o.step != core.StepRevived && o.step != core.StepRejected {
		return
	}
	options, _ := spec.In(o.stream.profile, o.stream.tree)
	trees, _ := spec.Trees(o.stream.profile, o.stream.trace.dimensions.Operations[o.op.Int32s[o.i]].Type)
	o.spec = &core.OperationSpec{OperationConfig: options, Trees: trees}
	if o.step != core.StepRejected {
		fillParams(p, &options)
	}
}

// roleBySpec returns the role of the tree for an operation that the log has in it. A tree that its
// spec does not ask for was added by the settings of a pool (core/spec/scheduling.md §2.4).
func (s *stream) roleBySpec(spec *pooltree.TreeSpec) core.Role {
	asked := spec.PoolTrees.Value
	if !spec.PoolTrees.Set && s.defaultTree != "" {
		asked = []string{s.defaultTree}
	}
	switch {
	case spec.Probing == s.tree:
		return core.RoleProbing
	case slices.Contains(spec.Tentative, s.tree):
		return core.RoleTentative
	case slices.Contains(asked, s.tree):
		return core.RoleRegular
	case len(asked) == 0 || spec.UseDefaultTentative:
		return core.RoleUnknown // the log does not record what the cluster adds
	}
	return core.RoleOffloading
}

// fillParams takes over what a spec sets and the parameters do not. Resources of
// one option belong together.
func fillParams(p *core.OperationParams, c *pooltree.OperationConfig) {
	recorded := p.OperationSettings
	p.OperationSettings = c.OperationSettings
	p.Override(&recorded)
	fill(&p.ResourceLimits, core.Optional[resource.Partial]{Value: c.ResourceLimits, Set: !c.ResourceLimits.IsEmpty()})
	fill(&p.StrongGuarantee, core.Optional[resource.Partial]{Value: c.StrongGuarantee, Set: !c.StrongGuarantee.IsEmpty()})
	if p.TagFilter == nil && !c.TagFilter.IsEmpty() {
		p.TagFilter = &c.TagFilter
	}
	fill(&p.Gang, flag(c.Gang))
	fill(&p.Graceful, flag(c.Graceful))
	fill(&p.ApplyLimitsToDemand, flag(c.ApplyLimitsToDemand))
	if c.Modules != nil {
		p.Modules = &c.Modules
	}
	p.Media = &c.Media
}

func fill[T any](to *core.Optional[T], from core.Optional[T]) {
	if !to.Set {
		*to = from
	}
}

// flag is a switch whose absence means off.
func flag(on bool) core.Optional[bool] { return core.Optional[bool]{Value: on, Set: on} }
