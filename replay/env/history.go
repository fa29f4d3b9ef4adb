package env

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A History holds the recent values of an operation.
type History struct {
	Course
	Swing Swing
}

// A PoolHistory holds the recent values of a pool.
type PoolHistory struct {
	History
	Charge   Charge
	Capacity resource.Volume // highest capacity of its integral guarantee, per resource
}

// NoteIntegral updates the bounds on the movement of a pool's volume.
func (p *PoolHistory) NoteIntegral(i *fairshare.IntegralResult) {
	if i != nil {
		p.Charge.most = max(p.Charge.most, i.LastShareRatio)
		p.Capacity = p.Capacity.Max(i.Capacity)
	}
}

// MaxChargeRate holds the most that an update charged the volume of a pool per second since the
// previous record.
type Charge struct{ most float64 }

// Restart returns the maximum and restarts it at the current rate.
func (c *Charge) Since(now float64) float64 {
	most := max(c.most, now)
	c.most = now
	return most
}
