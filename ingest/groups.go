package ingest

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

// A group is a resource group of columns.
type group struct {
	slots   column `col:"user_slots"`
	cpu     column `col:"cpu_milli"`
	gpu     column `col:"gpu"`
	memory  column `col:"memory"`
	network column `col:"network"`

	amountsOf struct { // the same, close together
		slots, cpu, memory, network []int64
		gpu                         []int32
	}
}

func (g *group) bound() {
	a := &g.amountsOf
	a.slots, a.cpu, a.gpu, a.memory, a.network = g.slots.Int64s, g.cpu.Int64s, g.gpu.Int32s, g.memory.Int64s, g.network.Int64s
}

func (g *group) all() [resource.Kinds]*column {
	return [...]*column{&g.slots, &g.cpu, &g.gpu, &g.memory, &g.network}
}

// null reports whether the group is null. It is so as a whole, and not recorded, too,
// where a file leaves out some of its columns (ingest/trace/FORMAT.md §3.2).
func (g *group) null(i int) bool {
	return g.slots.Null(i) || g.cpu.Null(i) || g.gpu.Null(i) || g.memory.Null(i) || g.network.Null(i)
}

func anyNull(columns [resource.Kinds]*column, i int) bool {
	for _, c := range columns {
		if c.Null(i) {
			return true
		}
	}
	return false
}

// union returns all bits of the amounts: as large as the largest of them at least, and
// negative if one is.
func (g *group) union(i int) int64 {
	a := &g.amountsOf
	return a.slots[i] | a.cpu[i] | int64(a.gpu[i]) | a.memory[i] | a.network[i]
}

// amounts returns the group in the units of the file.
func (g *group) amounts(i int) [resource.Kinds]int64 {
	a := &g.amountsOf
	return [resource.Kinds]int64{a.slots[i], a.cpu[i], int64(a.gpu[i]), a.memory[i], a.network[i]}
}

// vector returns the group in the units of the core.
func (g *group) vector(i int) resource.Vector {
	a := &g.amountsOf
	return resource.Vector{a.slots[i], trace.Cents(a.cpu[i]), int64(a.gpu[i]), a.memory[i], a.network[i]}
}

// partial returns the amounts of the current row in the units of the core, of a group that is null
// per column.
func (g *group) partial(r *rows) resource.Partial {
	var p resource.Partial
	stored, amounts := g.amounts(r.i), g.vector(r.i)
	for k, c := range g.all() {
		if !c.Null(r.i) && r.amount(c.name, resource.Kind(k), stored[k]) {
			p.Amounts[k], p.Set[k] = amounts[k], true
		}
	}
	return p
}

// A shareGroup is a group of columns that hold a share.
type shareGroup struct {
	slots   column `col:"user_slots"`
	cpu     column `col:"cpu"`
	gpu     column `col:"gpu"`
	memory  column `col:"memory"`
	network column `col:"network"`
}

func (g *shareGroup) all() [resource.Kinds]*column {
	return [...]*column{&g.slots, &g.cpu, &g.gpu, &g.memory, &g.network}
}

// null reports whether the group is null, as a whole: see group.
func (g *shareGroup) null(i int) bool { return anyNull(g.all(), i) }

// optional returns a group that may be null.
func (g *shareGroup) optional(i int) (s core.Optional[resource.Share]) {
	if !g.null(i) {
		s = core.Some(g.share(i))
	}
	return s
}

// recorded returns the group, or that nothing of it is recorded.
func (g *shareGroup) recorded(i int) (s resource.Share, d core.Detail) {
	if g.null(i) {
		return s, core.Unrecorded
	}
	return g.share(i), core.PerResource
}

func (g *shareGroup) share(i int) resource.Share {
	return resource.Share{g.slots.Doubles[i], g.cpu.Doubles[i], g.gpu.Doubles[i], g.memory.Doubles[i], g.network.Doubles[i]}
}

// volume returns the group, whose columns hold resource·seconds, in the units of the core.
func (g *shareGroup) volume(i int) resource.Volume { return resource.VolumeOf(g.share(i)) }

// optionalBool returns row i of a column that may be null.
func optionalBool(c *column, i int) core.Optional[bool] {
	return core.Optional[bool]{Value: c.Bools[i], Set: !c.Null(i)}
}

func optionalInt64(c *column, i int) core.Optional[int64] {
	return core.Optional[int64]{Value: c.Int64s[i], Set: !c.Null(i)}
}

func optionalInt32(c *column, i int) core.Optional[int32] {
	return core.Optional[int32]{Value: c.Int32s[i], Set: !c.Null(i)}
}
