package synthetic

import (
	"context"
	"path/filepath"
	"sync"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/simulate"
	"poolproof/ingest/trace"
)

// Options say what to generate and where.
type Options struct {
	Spec     *Spec
	Seed     uint64
	Plants   []string // kinds of planted violations and look-alikes, see Plants
	Innocent bool     // the plants' trees are made, and nothing is broken in them
	Neutral  bool     // the names of the plants' trees do not tell their kinds

	Out           string // directory of the trace
	Replace       bool
	AllHeartbeats bool // reports that change nothing are recorded as well
	Workers       int  // trees whose shares are updated at a time
	RowGroupRows  int
	CreatedBy     string

	Progress func(at, to core.Time) // called as the simulated time goes on
	Writing  func(done, all int)    // called as the tables are completed, after that
}

// A Summary says what was generated.
type Summary struct {
	Operations, Jobs, Snapshots int64
	Nodes, Pools                int
	Trees                       []string
	Window                      core.Span
	Planted                     []Planted
	Refused                     []Refusal
}

// A Refusal is a change of pool that the description asks for and the scheduler does
// not allow (core/spec/scheduling.md §5.6): nothing of it is in the trace.
type Refusal struct {
	At              core.Time // from the window's start
	Operation, Tree string
	Why             error
}

// Generate simulates a cluster and writes the trace of it. The trace appears
// whole or not at all.
func Generate(ctx context.Context, o Options) (*Summary, error) {
	var named func([]*Plant)
	if o.Neutral {
		named = func(plants []*Plant) { neutral(plants, o.Seed) }
	}
	spec, plants, err := withPlants(o.Spec, o.Plants, named)
	if err != nil {
		return nil, err
	}
	w, err := trace.Create(o.Out, trace.Options{
		Replace: o.Replace, RowGroupRows: o.RowGroupRows, Trees: len(spec.trees),
		Completed: func(done, all int) error {
			if o.Writing != nil {
				o.Writing(done, all)
			}
			return ctx.Err()
		},
	})
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	configured := plants
	if o.Innocent {
		configured = nil
	}
	d, err := newDraft(spec, o.Seed, configured...)
	if err != nil {
		return nil, err
	}
	r := newRecorder(d, w, !o.AllHeartbeats)
	if err := d.readBack(ctx, w.Scratch()); err != nil {
		return nil, err
	}
	r.progress = func(at core.Time) {
		if o.Progress != nil {
			o.Progress(at, d.window.To)
		}
	}
	planted, refused, err := d.simulate(ctx, r, plants, o)
	if err != nil {
		return nil, err
	}
	if err := r.close(ctx, w); err != nil {
		return nil, err
	}
	if err := w.Commit(d.manifest(o)); err != nil {
		return nil, err
	}
	s := &Summary{
		Operations: int64(len(d.operations)), Jobs: r.jobs, Snapshots: r.snapshots, Nodes: len(d.nodes), Pools: len(d.pools),
		Window: d.window, Planted: planted, Refused: refused,
	}
	for _, t := range d.trees {
		s.Trees = append(s.Trees, t.name)
	}
	return s, nil
}

// simulate runs the cluster with the plants, and returns what they did and which operations were refused.
func (d *draft) simulate(ctx context.Context, r *recorder, plants []*Plant, o Options) (planted []Planted, refused []Refusal, err error) {
	plan := d.plan(o.Seed)
	plan.Each = parallel(o.Workers)
	plan.Refused = func(at core.Time, tree int, id core.OperationID, why error) {
		refused = append(refused, Refusal{at - d.window.From, d.operations[id].name, d.trees[tree].name, why})
	}
	garden, err := d.plant(plan, r, plants, o.Innocent)
	if err != nil {
		return nil, nil, err
	}
	if err := simulate.Run(plan, &cancelled{recorder: r, ctx: ctx}); err != nil {
		return nil, nil, err
	}
	for _, f := range garden {
		if err := f.missing(); err != nil {
			return nil, nil, err
		}
		planted = append(planted, f.planted())
	}
	return planted, refused, nil
}

// cancelled is a recorder that gives up when its context ends.
type cancelled struct {
	*recorder
	ctx    context.Context
	events uint8 // since it was asked last
}

// Record gives up if the context has ended.
func (c *cancelled) Record(tree int, e *core.Event) error {
	if c.events++; c.events == 0 {
		if err := c.ctx.Err(); err != nil {
			return err
		}
	}
	return c.recorder.Record(tree, e)
}

// Snapshot gives up if the context has ended.
func (c *cancelled) Snapshot(tree int, at core.Time) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	return c.recorder.Snapshot(tree, at)
}

// parallel runs functions by at most so many workers.
func parallel(workers int) func(n int, f func(int)) {
	if workers < 2 {
		return nil
	}
	return func(n int, f func(int)) {
		var all sync.WaitGroup
		for w := range min(workers, n) {
			all.Go(func() {
				for i := w; i < n; i += workers {
					f(i)
				}
			})
		}
		all.Wait()
	}
}

func (d *draft) manifest(o Options) trace.Manifest {
	heartbeats := "sampled"
	if o.AllHeartbeats {
		heartbeats = "recorded"
	}
	profile := d.spec.Profile
	set(&profile, "documented")
	m := trace.Manifest{
		Cluster: d.spec.Cluster, CreatedBy: o.CreatedBy, Profile: profile, Window: trace.Window(d.window), TimePrecisionUS: 1,
		Coverage: trace.Coverage{
			Heartbeats: heartbeats, Demand: "recorded", PreemptionDetails: "full",
			TreeConfig: "history", PoolConfig: "history", Placements: "recorded", OperationStates: "recorded",
		},
	}
	for _, t := range d.trees {
		m.Trees = append(m.Trees, t.name)
	}
	var total resource.Vector
	for _, n := range d.nodes {
		total = total.Add(n.group.Resources.vector())
	}
	amounts := trace.FromVector(total)
	for k, of := range []struct {
		unit  string
		total int64
	}{{"slots", amounts.UserSlots}, {"millicores", amounts.CPUMilli}, {"devices", int64(amounts.GPU)}, {"bytes", amounts.Memory}, {"units", amounts.Network}} {
		m.Resources = append(m.Resources, trace.Resource{
			Name: resource.Kind(k).String(), Unit: of.unit, Capacity: "recorded", Usage: "recorded", Total: of.total,
		})
	}
	return m
}

// PlantedFile returns the path of the file that describes the plants of a trace. It is beside the trace
// and contains its name, so that traces of one folder do not collide.
func PlantedFile(out string) string { return filepath.Clean(out) + ".planted.json" }
