package eventlogtest

import (
	"time"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// timeOf writes a moment as the log does: UTC, six digits.
func timeOf(t core.Time) Value {
	return textOf(time.UnixMicro(int64(t)).UTC().Format("2006-01-02T15:04:05.000000Z"))
}

// resources writes an amount of every resource. Older logs have memory under its old
// name, too (ingest/trace/FORMAT.md §1.9).
func (a Age) resources(r trace.Resources) Value {
	v := newMap(6)
	v.put("user_slots", intOf(r.UserSlots))
	v.put("cpu", realOf(float64(r.CPUMilli)/1000))
	v.put("gpu", intOf(r.GPU))
	v.put("user_memory", intOf(r.Memory))
	v.put("network", intOf(r.Network))
	if a.old() {
		v.put("memory", intOf(r.Memory))
	}
	return v
}

// partial writes resources of a configuration: only those that it names.
func partial(p trace.PartialResources) Value {
	v := newMap(5)
	if p.UserSlots.Set {
		v.put("user_slots", intOf(p.UserSlots.Value))
	}
	if p.CPUMilli.Set {
		v.put("cpu", realOf(float64(p.CPUMilli.Value)/1000))
	}
	if p.GPU.Set {
		v.put("gpu", intOf(p.GPU.Value))
	}
	if p.Memory.Set {
		v.put("memory", intOf(p.Memory.Value))
	}
	if p.Network.Set {
		v.put("network", intOf(p.Network.Value))
	}
	return v
}

// whole returns what a configuration names, and nothing of the rest.
func whole(p trace.PartialResources) trace.Resources {
	return trace.Resources{
		UserSlots: p.UserSlots.Or(0), CPUMilli: p.CPUMilli.Or(0), GPU: p.GPU.Or(0), Memory: p.Memory.Or(0), Network: p.Network.Or(0),
	}
}

func shares(s trace.Shares) Value {
	v := newMap(5)
	v.put("user_slots", realOf(s.UserSlots))
	v.put("cpu", realOf(s.CPU))
	v.put("gpu", realOf(s.GPU))
	v.put("memory", realOf(s.Memory))
	v.put("network", realOf(s.Network))
	return v
}

func volume(r trace.Volume) Value {
	v := newMap(5)
	v.put("user_slots", realOf(r.UserSlots))
	v.put("cpu", realOf(r.CPU))
	v.put("gpu", realOf(r.GPU))
	v.put("user_memory", realOf(r.Memory))
	v.put("network", realOf(r.Network))
	return v
}

func plus(a, b trace.Resources) trace.Resources {
	return trace.Resources{
		UserSlots: a.UserSlots + b.UserSlots, CPUMilli: a.CPUMilli + b.CPUMilli, GPU: a.GPU + b.GPU, Memory: a.Memory + b.Memory, Network: a.Network + b.Network,
	}
}

func minus(a, b trace.Resources) trace.Resources {
	return trace.Resources{
		UserSlots: a.UserSlots - b.UserSlots, CPUMilli: a.CPUMilli - b.CPUMilli, GPU: a.GPU - b.GPU, Memory: a.Memory - b.Memory, Network: a.Network - b.Network,
	}
}

func least(a, b trace.Resources) trace.Resources {
	return trace.Resources{
		UserSlots: min(a.UserSlots, b.UserSlots), CPUMilli: min(a.CPUMilli, b.CPUMilli), GPU: min(a.GPU, b.GPU), Memory: min(a.Memory, b.Memory), Network: min(a.Network, b.Network),
	}
}

// during returns an amount held for a time.
func during(r trace.Resources, d core.Time) trace.Volume {
	s := float64(d) / float64(core.Second)
	return trace.Volume{
		UserSlots: float64(r.UserSlots) * s, CPU: float64(r.CPUMilli) / 1000 * s, GPU: float64(r.GPU) * s, Memory: float64(r.Memory) * s, Network: float64(r.Network) * s,
	}
}

func plusVolume(a, b trace.Volume) trace.Volume {
	return trace.Volume{UserSlots: a.UserSlots + b.UserSlots, CPU: a.CPU + b.CPU, GPU: a.GPU + b.GPU, Memory: a.Memory + b.Memory, Network: a.Network + b.Network}
}

func plusShares(a, b trace.Shares) trace.Shares {
	return trace.Shares{UserSlots: a.UserSlots + b.UserSlots, CPU: a.CPU + b.CPU, GPU: a.GPU + b.GPU, Memory: a.Memory + b.Memory, Network: a.Network + b.Network}
}

// part returns a share of a total as an amount.
func part(s trace.Shares, total trace.Resources) trace.Resources {
	return trace.Resources{
		UserSlots: int64(s.UserSlots * float64(total.UserSlots)), CPUMilli: int64(s.CPU*float64(total.CPUMilli)/10) * 10, GPU: int32(s.GPU * float64(total.GPU)),
		Memory: int64(s.Memory * float64(total.Memory)), Network: int64(s.Network * float64(total.Network)),
	}
}

// shareOf returns an amount as a share of a total; a resource that the total lacks
// counts as nothing.
func shareOf(r, total trace.Resources) trace.Shares {
	ratio := func(a, b float64) float64 {
		if b == 0 {
			return 0
		}
		return a / b
	}
	return trace.Shares{
		UserSlots: ratio(float64(r.UserSlots), float64(total.UserSlots)), CPU: ratio(float64(r.CPUMilli), float64(total.CPUMilli)),
		GPU: ratio(float64(r.GPU), float64(total.GPU)), Memory: ratio(float64(r.Memory), float64(total.Memory)), Network: ratio(float64(r.Network), float64(total.Network)),
	}
}

// everywhere returns one ratio in every resource that the total has.
func everywhere(ratio float64, total trace.Resources) trace.Shares {
	has := shareOf(total, total)
	return trace.Shares{UserSlots: ratio * has.UserSlots, CPU: ratio * has.CPU, GPU: ratio * has.GPU, Memory: ratio * has.Memory, Network: ratio * has.Network}
}

// dominant returns the largest component of a share.
func dominant(s trace.Shares) float64 { return max(s.UserSlots, s.CPU, s.GPU, s.Memory, s.Network) }
