package env

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A History is how an operation has fared lately.
type History struct {
	Course
	Swing Swing
}

// A PoolHistory is how a pool has fared lately.
type PoolHistory struct {
	History
	Charge   Charge
	Capacity resource.Volume // the highest of each resource that its integral guarantee had
}

// NoteIntegral notes what bounds how the volume of a pool moves.
func (p *PoolHistory) NoteIntegral(i *fairshare.IntegralResult) {
	if i != nil {
		p.Charge.most = max(p.Charge.most, i.LastShareRatio)
		p.Capacity = p.Capacity.Max(i.Capacity)
	}
}

// A Charge keeps the most that an update charged the volume of a pool per second
// since the record before.
type Charge struct{ most float64 }

// Since returns it and begins anew with what goes on being charged.
func (c *Charge) Since(now float64) float64 {
	most := max(c.most, now)
	c.most = now
	return most
}
