package env

import (
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A History holds the recent values of an operation.
type History struct {
	ShareTrack
	Range RangeSinceRecord
}

// A PoolHistory holds the recent values of a pool.
type PoolHistory struct {
	History
	MaxCharge MaxChargeRate
	Capacity  resource.Volume // highest capacity of its integral guarantee, per resource
}

// NoteIntegral updates the bounds on the movement of a pool's volume.
func (p *PoolHistory) NoteIntegral(i *fairshare.IntegralResult) {
	if i != nil {
		p.MaxCharge.most = max(p.MaxCharge.most, i.LastShareRatio)
		p.Capacity = p.Capacity.Max(i.Capacity)
	}
}

// MaxChargeRate holds the most that an update charged the volume of a pool per second since the
// previous record.
type MaxChargeRate struct{ most float64 }

// Restart returns the maximum and restarts it at the current rate.
func (c *MaxChargeRate) Restart(now float64) float64 {
	most := max(c.most, now)
	c.most = now
	return most
}
