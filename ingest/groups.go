package ingest

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// A group is a resource group of columns.
type group struct {
	names   [resource.Kinds]string
	columns [resource.Kinds]int
	slots   []int64
	cpu     []int64
	gpu     []int32
	memory  []int64
	network []int64
	all     [resource.Kinds]*parquetlog.Vector
}

func newGroup(t *parquetlog.Table, prefix string) *group {
	g := &group{}
	for k, suffix := range [resource.Kinds]string{"_user_slots", "_cpu_milli", "_gpu", "_memory", "_network"} {
		g.names[k] = prefix + suffix
		g.columns[k] = t.Column(g.names[k])
	}
	return g
}

func (g *group) bind(b *parquetlog.Batch) {
	for k, at := range g.columns {
		g.all[k] = &b.Columns[at]
	}
	g.slots, g.cpu, g.gpu = g.all[resource.UserSlots].Int64s, g.all[resource.CPU].Int64s, g.all[resource.GPU].Int32s
	g.memory, g.network = g.all[resource.Memory].Int64s, g.all[resource.Network].Int64s
}

// null reports whether the group is null. It is so as a whole, and not recorded, too,
// where a file leaves out some of its columns (ingest/trace/FORMAT.md §3.2).
func (g *group) null(i int) bool { return anyNull(&g.all, i) }

func anyNull(columns *[resource.Kinds]*parquetlog.Vector, i int) bool {
	for _, v := range columns {
		if v.Null(i) {
			return true
		}
	}
	return false
}

// union returns all bits of the amounts: as large as the largest of them at least, and
// negative if one is.
func (g *group) union(i int) int64 {
	return g.slots[i] | g.cpu[i] | int64(g.gpu[i]) | g.memory[i] | g.network[i]
}

// amounts returns the group in the units of the file.
func (g *group) amounts(i int) [resource.Kinds]int64 {
	return [resource.Kinds]int64{g.slots[i], g.cpu[i], int64(g.gpu[i]), g.memory[i], g.network[i]}
}

// vector returns the group in the units of the core.
func (g *group) vector(i int) resource.Vector {
	return resource.Vector{g.slots[i], trace.Cents(g.cpu[i]), int64(g.gpu[i]), g.memory[i], g.network[i]}
}

// A partialGroup is a resource group that is null per column.
type partialGroup struct {
	names [resource.Kinds]string
	v     [resource.Kinds]*parquetlog.Vector
	at    [resource.Kinds]int
}

func newPartialGroup(t *parquetlog.Table, prefix string) *partialGroup {
	g := &partialGroup{names: newGroup(t, prefix).names}
	for k, name := range g.names {
		g.at[k] = t.Column(name)
	}
	return g
}

func (g *partialGroup) bind(b *parquetlog.Batch) {
	for k, at := range g.at {
		g.v[k] = &b.Columns[at]
	}
}

// partial returns the amounts of the current row in the units of the core.
func (g *partialGroup) partial(r *rows) resource.Partial {
	var p resource.Partial
	for k, v := range g.v {
		if v.Null(r.i) {
			continue
		}
		var amount int64
		if v.Int32s != nil {
			amount = int64(v.Int32s[r.i])
		} else {
			amount = v.Int64s[r.i]
		}
		if r.amount(g.names[k], resource.Kind(k), amount) {
			if k == int(resource.CPU) {
				amount = trace.Cents(amount)
			}
			p.Amounts[k], p.Set[k] = amount, true
		}
	}
	return p
}

// optionalBool returns row i of a column that may be null.
func optionalBool(v *parquetlog.Vector, i int) core.Optional[bool] {
	return core.Optional[bool]{Value: v.Bools[i], Set: !v.Null(i)}
}

func optionalInt64(v *parquetlog.Vector, i int) core.Optional[int64] {
	return core.Optional[int64]{Value: v.Int64s[i], Set: !v.Null(i)}
}

func optionalInt32(v *parquetlog.Vector, i int) core.Optional[int32] {
	return core.Optional[int32]{Value: v.Int32s[i], Set: !v.Null(i)}
}
