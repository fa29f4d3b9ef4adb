package judge

// A LightweightPool holds the recorded counts of a pool and the operations directly in it. FIFO
// pools have no pools below.
type LightweightPool struct {
	Context
	FIFO, Enabled bool // mode = fifo; enable_lightweight_operations
	Toggled       bool // either changed recently

	Operations, Running, Lightweight int64 // operation_count, running_operation_count, lightweight_running_operation_count
	Vanilla, Others                  int64 // live operations by type
}

// Judge judges LW-01, LW-02, LW-05 and LW-07.
func (p *LightweightPool) Judge(rulings []Ruling) []Ruling {
	on := p.FIFO && p.Enabled
	most := int64(0)
	if on {
		most = p.Vanilla
	}
	rulings = append(rulings, p.rule(LW01, p.atMost(p.Lightweight, most)))
	if on {
		rulings = append(rulings, p.rule(LW02, p.neverWaits()), p.rule(LW07, p.atMost(p.Others, 0)))
	}
	both := p.Running + p.Lightweight // independent of the options
	return append(rulings, p.rule(LW05, compared(both <= p.Operations, float64(both), float64(p.Operations))))
}

// neverWaits holds if every vanilla operation is counted as lightweight, and only others as
// running.
func (p *LightweightPool) neverWaits() finding {
	f := p.atMost(p.Running, p.Others)
	if f.holds {
		f = p.atMost(p.Vanilla, p.Lightweight)
	}
	return f
}

func (p *LightweightPool) atMost(n, limit int64) finding {
	return compared(n <= limit, float64(n), float64(limit)).mayIf(p.Toggled)
}
