package scheduling

import (
	"math"
	"testing"

	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// rest is what is free of cpu and memory on a node of 1600 and 1600.
func rest(cpu, memory, at int64) room {
	return room{at: at, free: [...]int64{cpu, memory}, limits: [...]int64{1600, 1600}}
}

func jobOf(cpu, memory int64) (v resource.Vector) {
	v[resource.CPU], v[resource.Memory] = cpu, memory
	return v
}

// The angle between job and room, and how often the job goes into it.
func TestPackingMetric(t *testing.T) {
	diagonal := 1 - 1/math.Sqrt2
	for _, c := range []struct {
		name          string
		room          room
		job           resource.Vector
		angle, length float64
	}{
		{"the job is all that is free", rest(400, 800, 0), jobOf(400, 800), 0, 0},
		{"twice the job is free", rest(800, 800, 0), jobOf(400, 400), 0, 0},
		{"the other resource is free", rest(0, 800, 0), jobOf(400, 0), 1, 2},
		{"a job of cpu on an empty node", rest(1600, 1600, 0), jobOf(400, 0), diagonal, diagonal * math.Sqrt2 * 4},
		{"limits that differ", room{free: [...]int64{10, 100}, limits: [...]int64{10, 100}}, jobOf(5, 50), 0, 0},
		{"a node of no memory", room{free: [...]int64{10, 0}, limits: [...]int64{10, 0}}, jobOf(5, 50), 0, 0},
		{"a job of nothing", rest(400, 0, 0), jobOf(0, 0), 0, 0},
		{"a full node", rest(0, 0, 0), jobOf(1, 0), math.Inf(1), math.Inf(1)},
	} {
		for metric, want := range map[pooltree.PackingMetric]float64{pooltree.PackingAngle: c.angle, pooltree.PackingAngleLength: c.length} {
			p := Packing{Metric: metric}
			if got := p.metric(&c.room, c.job); got != want && math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: metric %d is %g, want %g", c.name, metric, got, want)
			}
		}
	}
}

// A heartbeat is better only if it is so by both tolerances.
func TestPackingIsBetter(t *testing.T) {
	p := DefaultOptions(Documented).Packing
	for _, c := range []struct {
		a, b float64
		want bool
	}{
		{0, 0.05, false}, {0, 0.0501, true}, // the difference, where the ratio is large
		{1, 1.5, false}, {1, 1.5001, true}, // the ratio, where the difference is large
		{0.1, 0.1, false}, {0.2, 0.1, false}, {0.5, math.Inf(1), true}, {math.Inf(1), math.Inf(1), false},
	} {
		if got := p.isBetter(c.a, c.b); got != c.want {
			t.Errorf("%g is better than %g: %v", c.a, c.b, got)
		}
	}
}

// The bounds of the window, from both sides.
func TestPackingAccepts(t *testing.T) {
	const now = 10_000 * second
	good, bad := rest(800, 100, now), rest(800, 1600, now)
	small := jobOf(400, 50)
	at := func(r room, at int64) room { r.at = at; return r }
	many := func(n int, r room) (list []room) {
		for range n {
			list = append(list, r)
		}
		return list
	}
	plain := func(*Packing) {}
	for _, c := range []struct {
		name   string
		change func(p *Packing)
		now    room
		window []room
		want   bool
	}{
		{"nothing seen yet", plain, bad, nil, true},
		{"one better", plain, bad, many(1, good), true},
		{"two better", plain, bad, many(2, good), false},
		{"two as good", plain, bad, many(2, bad), true},
		{"it is the best itself", plain, good, many(10, bad), true},
		{"two better are bearable", func(p *Packing) { p.MaxBetterPast = 3 }, bad, many(2, good), true},
		{"none is bearable", func(p *Packing) { p.MaxBetterPast = 0 }, good, nil, false},
		{"one too few", func(p *Packing) { p.MinWindow = 3 }, good, many(2, bad), false},
		{"just enough", func(p *Packing) { p.MinWindow = 3 }, good, many(3, bad), true},
		{"as old as may be", plain, bad, many(2, at(good, now-3600*second)), false},
		{"too old", plain, bad, many(2, at(good, now-3600*second-1)), true},
		{"one is too old", plain, bad, []room{at(good, now-3600*second-1), good}, true},
		{"the old ones count for no window", func(p *Packing) { p.MinWindow = 1 }, good, many(1, at(bad, now-3600*second-1)), false},
		{"the last ten", plain, bad, append(many(2, good), many(8, bad)...), false},
		{"one of them beyond", plain, bad, append(many(2, good), many(9, bad)...), true},
	} {
		p := DefaultOptions(Documented).Packing
		c.change(&p)
		if got := p.accepts(&c.now, c.window, small); got != c.want {
			t.Errorf("%s: accepted %v, want %v", c.name, got, c.want)
		}
	}
}

// newPacked is a busy tree with packing on and room for one job on every node.
func newPacked(t *testing.T) *busy {
	b := newBusy(t, 30, 40, 20)
	o := *b.tree.Options()
	o.Packing.Enable = true
	b.tree.SetOptions(o)
	b.update(t)
	for i := range b.nodes {
		b.tree.RemoveJob(b.tree.nodes[i].jobs[0])
	}
	b.update(t)
	return b
}

// seenBy is how many rooms an operation remembers.
func (b *busy) seenBy(e Element) int { return len(b.tree.elements[e].operation.window) }

// An operation remembers a heartbeat once, however often it comes to the check,
// for as many heartbeats as the window holds. Asking leaves no trace until it is
// asked to.
func TestPackingRemembers(t *testing.T) {
	b := newPacked(t)
	h := Heartbeat{Node: b.nodes[0], Now: b.now}
	e := b.tree.Ask(h, b).Started[0].Operation
	if n := b.seenBy(e); n != 0 {
		t.Fatalf("a question left %d heartbeats", n)
	}
	b.tree.stage.kind = RegularMedium
	b.tree.suits(e) // once more
	b.tree.Remember()
	if n := b.seenBy(e); n != 1 {
		t.Fatalf("%d heartbeats are remembered, want 1", n)
	}
	for want := 2; want <= 12; want++ {
		h.Now++
		b.tree.Ask(h, b)
		b.tree.Remember()
		if n := b.seenBy(e); n != min(want, 10) {
			t.Fatalf("%d heartbeats are remembered, want %d", n, min(want, 10))
		}
	}
	window := b.tree.elements[e].operation.window
	if window[9].at != h.Now || window[0].at != h.Now-9 {
		t.Errorf("the window reaches from %d to %d, want the ten before %d", window[0].at, window[9].at, h.Now)
	}
}

// A heartbeat with packing allocates nothing once windows have grown.
func TestPackingAllocates(t *testing.T) {
	b := newPacked(t)
	i := 0
	beat := func() {
		i++
		b.tree.Ask(Heartbeat{Node: b.nodes[i%len(b.nodes)], Now: b.now + int64(i)}, b)
		b.tree.Remember()
	}
	for range 1000 {
		beat()
	}
	if n := testing.AllocsPerRun(100, beat); n != 0 {
		t.Errorf("%g allocations for a heartbeat", n)
	}
}

// Who never had a window is refused, and one of all starts by the fallback: in
// every shape of the regular stages.
func TestPackingFallback(t *testing.T) {
	for name, change := range map[string]func(o *Options){
		"one stage": func(*Options) {}, "batches": func(o *Options) { o.BatchSize = 3 },
		"promised guarantees first": func(o *Options) { o.GuaranteePriority = true },
	} {
		t.Run(name, func(t *testing.T) {
			b := newPacked(t)
			o := *b.tree.Options()
			o.Packing.MinWindow = 1
			change(&o)
			b.tree.SetOptions(o)
			b.update(t)
			n := b.nodes[0]
			b.tree.RemoveJob(b.tree.nodes[n].jobs[0]) // room for two
			b.tree.SetLastPreemptive(n, b.now)
			out := b.tree.Ask(Heartbeat{Node: n, Now: b.now, Explain: true}, b)
			if len(out.Started) != 1 || out.Started[0].Stage != PackingFallback {
				t.Fatalf("started %+v, want one job by the fallback", out.Started)
			}
			refused := 0
			for _, c := range out.Considered {
				if c.Result == BadPacking {
					refused++
				}
			}
			if refused < 2 {
				t.Errorf("%d operations refused, want all that could start", refused)
			}
			b.tree.Remember()
			for _, s := range b.tree.Ask(Heartbeat{Node: n, Now: b.now + 1}, b).Started {
				if s.Stage == PackingFallback {
					t.Errorf("with a window: %+v", s)
				}
			}
		})
	}
}
