package synthetic

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"poolproof/core"
	"poolproof/ingest"
	"poolproof/ingest/trace"
)

// write writes the draft as a trace.
func (d *draft) write(w *trace.Writer) error {
	for _, r := range d.dimensionRows() {
		if err := w.Add(&r); err != nil {
			return err
		}
	}
	for i := range d.pools {
		if err := w.Add(&d.pools[i]); err != nil {
			return err
		}
	}
	for i, n := range d.nodes {
		if err := w.Add(&trace.Node{Node: core.NodeID(i), Address: n.address, FirstSeen: d.window.From, LastSeen: d.window.To}); err != nil {
			return err
		}
	}
	if err := d.writeGlobal(w); err != nil {
		return err
	}
	for i := range d.trees {
		for n, r := range d.trees[i].rows {
			if err := w.Tree(d.trees[i].name).AddAt(r.data, trace.Stamp{Time: r.at, Seq: int64(n) + 1}); err != nil {
				return err
			}
		}
	}
	return w.Commit(trace.Manifest{Cluster: d.spec.Cluster, Window: trace.Window(d.window), Profile: d.spec.Profile})
}

// writeGlobal writes what concerns no tree or several.
func (d *draft) writeGlobal(w *trace.Writer) error {
	for i := range d.cluster {
		if err := w.Add(&d.cluster[i]); err != nil {
			return err
		}
	}
	for i := range d.processes {
		if err := w.Add(&d.processes[i]); err != nil {
			return err
		}
	}
	for i := range d.strays {
		if err := w.Add(&d.strays[i]); err != nil {
			return err
		}
	}
	return nil
}

// readBack reads the facts of every tree out of the draft, written as a trace in a
// folder that is made for it.
func (d *draft) readBack(ctx context.Context, dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("draft trace: %w", err)
	}
	defer os.RemoveAll(dir)
	w, err := trace.Create(filepath.Join(dir, "trace"), trace.Options{
		Trees: len(d.trees), Completed: func(_, _ int) error { return ctx.Err() },
	})
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := d.write(w); err != nil {
		return err
	}
	t, err := ingest.Open(filepath.Join(dir, "trace"))
	if err != nil {
		return err
	}
	for i := range d.trees {
		if err := ctx.Err(); err != nil {
			return err
		}
		for e, err := range t.Events(d.trees[i].name, ingest.Options{}) {
			if err != nil {
				return err
			}
			d.trees[i].facts = append(d.trees[i].facts, e.Clone())
		}
	}
	return nil
}
