package trace

import (
	"poolproof/core"
	"poolproof/core/resource"
)

// Resources is the column group R5 (ingest/trace/FORMAT.md §3.2).
type Resources struct {
	UserSlots int64 `col:"user_slots" enc:"dict" doc:"concurrent jobs"`
	CPUMilli  int64 `col:"cpu_milli" enc:"dict" doc:"thousandths of a core"`
	GPU       int32 `col:"gpu" doc:"devices"`
	Memory    int64 `col:"memory" enc:"dict" doc:"bytes"`
	Network   int64 `col:"network" enc:"dict" doc:"abstract units"`
}

// PartialResources is R5 in a configuration: null per column, because absent
// differs from zero.
type PartialResources struct {
	UserSlots core.Optional[int64] `col:"user_slots" enc:"dict" doc:"concurrent jobs"`
	CPUMilli  core.Optional[int64] `col:"cpu_milli" enc:"dict" doc:"thousandths of a core"`
	GPU       core.Optional[int32] `col:"gpu" doc:"devices"`
	Memory    core.Optional[int64] `col:"memory" enc:"dict" doc:"bytes"`
	Network   core.Optional[int64] `col:"network" enc:"dict" doc:"abstract units"`
}

// Shares is the column group S5: fractions of the tree's total.
type Shares struct {
	UserSlots float64 `col:"user_slots" doc:"fraction of the tree"`
	CPU       float64 `col:"cpu" doc:"fraction of the tree"`
	GPU       float64 `col:"gpu" doc:"fraction of the tree"`
	Memory    float64 `col:"memory" doc:"fraction of the tree"`
	Network   float64 `col:"network" doc:"fraction of the tree"`
}

// Volume is an amount of every resource times seconds.
type Volume struct {
	UserSlots float64 `col:"user_slots" doc:"slot-seconds"`
	CPU       float64 `col:"cpu" doc:"core-seconds"`
	GPU       float64 `col:"gpu" doc:"device-seconds"`
	Memory    float64 `col:"memory" doc:"byte-seconds"`
	Network   float64 `col:"network" doc:"unit-seconds"`
}

// milliPerCent is the number of thousandths of a core, the unit of a trace, in a hundredth, the unit of
// package core.
const milliPerCent = 10

// FromVector returns v in the units of a trace.
func FromVector(v resource.Vector) Resources {
	return Resources{
		UserSlots: v[resource.UserSlots],
		CPUMilli:  v[resource.CPU] * milliPerCent,
		GPU:       int32(v[resource.GPU]),
		Memory:    v[resource.Memory],
		Network:   v[resource.Network],
	}
}

// Vector returns r in the units of the core.
func (r Resources) Vector() resource.Vector {
	return resource.Vector{
		resource.UserSlots: r.UserSlots,
		resource.CPU:       Cents(r.CPUMilli),
		resource.GPU:       int64(r.GPU),
		resource.Memory:    r.Memory,
		resource.Network:   r.Network,
	}
}

// FromPartial returns p in the units of a trace.
func FromPartial(p resource.Partial) PartialResources {
	all := FromVector(p.Amounts)
	of := func(k resource.Kind, amount int64) core.Optional[int64] {
		return core.Optional[int64]{Value: amount, Set: p.Set[k]}
	}
	return PartialResources{
		UserSlots: of(resource.UserSlots, all.UserSlots), CPUMilli: of(resource.CPU, all.CPUMilli),
		GPU:    core.Optional[int32]{Value: all.GPU, Set: p.Set[resource.GPU]},
		Memory: of(resource.Memory, all.Memory), Network: of(resource.Network, all.Network),
	}
}

// Cents returns thousandths of a core as hundredths, halves away from zero
// (ingest/trace/FORMAT.md §3.2). Only foreign traces have a third decimal.
func Cents(milli int64) int64 {
	cents, rest := milli/milliPerCent, milli%milliPerCent
	switch {
	case rest >= milliPerCent/2:
		return cents + 1
	case rest <= -milliPerCent/2:
		return cents - 1
	}
	return cents
}
