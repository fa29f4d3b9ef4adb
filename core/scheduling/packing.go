package scheduling

import (
	"math"
	"slices"

	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// Packing are the options of the map packing (core/spec/scheduling.md §9.8).
type Packing struct {
	Enable            bool
	Metric            pooltree.PackingMetric // of how badly a job suits the room of a node
	MinWindow         int                    // min_window_size_for_schedule: no job starts on fewer past heartbeats
	MaxBetterPast     int                    // max_better_past_snapshots: with so many better ones a job waits
	WindowSize        int                    // max_heartbeat_window_size
	MaxAge            int64                  // max_heartbeat_age, microseconds
	AbsoluteTolerance float64                // absolute_metric_value_tolerance
	RelativeTolerance float64                // relative_metric_value_tolerance
}

// packingOf returns packing with the defaults of a tree that only enables it.
func packingOf(c *pooltree.Packing) Packing {
	return Packing{
		Enable:            c.Enable,
		Metric:            c.Metric.Value,
		MinWindow:         int(c.MinWindow.Or(0)),
		MaxBetterPast:     int(c.MaxBetterPast.Or(2)),
		WindowSize:        int(c.WindowSize.Or(10)),
		MaxAge:            c.MaxAge.Or(3_600_000).Micros(),
		AbsoluteTolerance: c.AbsoluteTolerance.Or(0.05),
		RelativeTolerance: c.RelativeTolerance.Or(1.5),
	}
}

// packed lists the resources that packing compares.
var packed = [...]resource.Kind{resource.CPU, resource.Memory}

// A room holds a node's free resources and limits at a heartbeat.
type room struct {
	at           int64
	free, limits [len(packed)]int64
}

// A packingSample is the room at an operation's check for packing in the current heartbeat.
type packingSample struct {
	operation Element
	room      room
}

// roomOf returns the room of a node at now.
func roomOf(n *node, now int64) room {
	r, held := room{at: now}, n.held()
	for i, k := range packed {
		r.free[i], r.limits[i] = n.Limits[k]-held[k], n.Limits[k]
	}
	return r
}

// metric returns how well a job suits a room, 0 being best. Resources that the node does not have
// are not compared. A job without these resources suits every room, and no job suits a full node:
//
//	free (8 cpu, 32 GB), job (1 cpu, 4 GB)   same direction, angle 0
//	free (8 cpu, 32 GB), job (4 cpu, 1 GB)   large angle: leaves memory without cpu
func (p *Packing) metric(r *room, job resource.Vector) float64 {
	var product, free, need float64
	for i, k := range packed {
		if r.limits[i] <= 0 {
			continue
		}
		x, y := float64(r.free[i])/float64(r.limits[i]), float64(job[k])/float64(r.limits[i])
		product += float64(x * y) // rounded before the addition, for equal results on all platforms
		free += float64(x * x)
		need += float64(y * y)
	}
	switch {
	case need == 0:
		return 0
	case free == 0:
		return math.Inf(1)
	}
	free, need = math.Sqrt(free), math.Sqrt(need)
	value := max(0, 1-product/float64(free*need))
	if p.Metric == pooltree.PackingAngleLength {
		value *= free / need
	}
	return value
}

// isBetter reports whether a heartbeat of metric a is better than one of b.
func (p *Packing) isBetter(a, b float64) bool {
	return a < b-p.AbsoluteTolerance && a < b/p.RelativeTolerance
}

// accepts reports whether a job may start in a room, given earlier rooms.
func (p *Packing) accepts(now *room, window []room, job resource.Vector) bool {
	value, seen, better := p.metric(now, job), 0, 0
	for i := range window {
		past := &window[i]
		if len(window)-i > p.WindowSize || now.at-past.at > p.MaxAge {
			continue
		}
		seen++
		if p.isBetter(p.metric(past, job), value) {
			better++
		}
	}
	return seen >= p.MinWindow && better < p.MaxBetterPast
}

// suits reports whether packing lets the smallest job of an operation start on the node of a
// regular stage, and records the room that the operation saw.
func (t *Tree) suits(e Element) bool {
	s, p := &t.stage, &t.options.Packing
	if !p.Enable || s.kind >= PackingFallback {
		return true
	}
	op, now := t.elements[e].operation, roomOf(&t.nodes[s.Node], s.Now)
	if op.lastSampled != s.serial {
		op.lastSampled = s.serial
		s.packingSamples = append(s.packingSamples, packingSample{e, now})
	}
	return p.accepts(&now, op.window, op.least)
}

// misfit deactivates an operation that packing refused until a job starts.
func (t *Tree) misfit(e Element) {
	t.giveUp(e, BadPacking, None)
	t.stage.misfits = append(t.stage.misfits, e)
}

// retryMisfits activates the operations that packing refused, because the room has changed (§9.7).
func (t *Tree) retryMisfits() {
	s := &t.stage
	for _, e := range s.misfits[s.firstMisfit:] {
		s.choice.activate(e)
	}
	s.misfits = s.misfits[:s.firstMisfit]
}

// runPackingFallback starts one job without packing if only packing kept the heartbeat from
// starting any (§9.3).
func (t *Tree) runPackingFallback() {
	s := &t.stage
	if len(t.out.Started) > 0 || len(s.misfits) == 0 {
		return
	}
	s.kind, s.least = PackingFallback, t.spare(t.options.MinSpare)
	t.runStage(PackingFallback, t.chooseAmong(s.misfits))
}

// Remember adds the rooms of the last heartbeat to the packing windows of operations. Decide calls
// it. A caller of Ask that acts on the answer calls it before any other change.
func (t *Tree) Remember() {
	s, size := &t.stage, t.options.Packing.WindowSize
	for i := range s.packingSamples {
		op := t.elements[s.packingSamples[i].operation].operation
		if drop := len(op.window) + 1 - size; drop > 0 {
			op.window = slices.Delete(op.window, 0, min(drop, len(op.window)))
		}
		if size > 0 {
			op.window = append(op.window, s.packingSamples[i].room)
		}
	}
	s.packingSamples = s.packingSamples[:0]
}
