package shrink

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"poolproof/core"
	"poolproof/core/rows"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// The parts of a log that the manifest of a trace tells something of.
const (
	problems    = "problems"    // what the import could not use
	allocations = "allocations" // changes of jobs that heartbeats carried
	heartbeats  = "heartbeats"
)

// records are the names of what may be removed of a log as a whole, in the order in which it is
// tried: the reverse of that of the tables.
var records = parts()

func parts() (names []string) {
	for _, table := range trace.Tables {
		if table.Part != "" && !slices.Contains(names, table.Part) {
			names = append(names, table.Part)
		}
	}
	slices.Reverse(names)
	return names
}

// A selection says what of a trace stays. Nil stands for all.
type selection struct {
	trees      []string
	window     trace.Window
	pools      []bool // by their numbers in the trace
	operations []bool
	nodes      []bool
	without    map[string]bool // by the names of records
	job        string          // whose operation and node the outline names; "" for none
}

// all is the selection that leaves a trace as it is.
func all(o *Outline) selection {
	return selection{trees: o.Trees, window: o.Window, without: map[string]bool{}}
}

// A cutter copies what is selected of a trace. It goes over the tables several times: to find
// what the window begins with, to see what of the dimensions is referred to, and to write.
type cutter struct {
	ctx      context.Context
	dir      string
	memory   parquetlog.Memory
	selected selection
	manifest *trace.Manifest
	late     bool // the window begins later than that of the trace
	whole    bool // nothing is cut: rows of dimensions count as referred to, so that numbers stay

	numbers    map[*trace.Table]*numbering // of the dimensions
	pools      *numbering
	operations *numbering
	nodes      *numbering
	jobs       map[core.JobID]core.JobID // of those that stay, their new numbers

	latest   map[place]trace.Stamp // of the rows before the window's begin that hold then
	out      *trace.Writer         // nil while nothing is written
	problems map[string]int64      // that are listed, by code
	outline  *Outline
	parents  map[core.PoolID]map[core.PoolID]bool
	within   map[core.OperationID]map[core.PoolID]bool
}

// A place identifies the object that a row of a table of versions describes.
type place struct {
	folder string
	table  *trace.Table
	id     int32
}

// look returns what a trace consists of: all rows of its dimensions, also those that no table of a
// tree refers to.
func look(ctx context.Context, dir string, memory parquetlog.Memory, job string) (*Outline, error) {
	m, err := trace.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	c := &cutter{ctx: ctx, dir: dir, memory: memory, selected: selection{window: m.Window, job: job}, manifest: m, whole: true}
	return c.survey()
}

// cut writes the selected part of the trace in dir to w, and returns its outline and manifest. The
// caller commits w.
func cut(ctx context.Context, dir string, memory parquetlog.Memory, s selection, w *trace.Writer) (*Outline, trace.Manifest, error) {
	m, err := trace.ReadManifest(dir)
	if err != nil {
		return nil, trace.Manifest{}, err
	}
	c := &cutter{ctx: ctx, dir: dir, memory: memory, selected: s, manifest: m, late: s.window.From > m.Window.From}
	o, err := c.survey()
	if err != nil {
		return nil, trace.Manifest{}, err
	}
	c.out = w
	if err := c.tables(); err != nil {
		return nil, trace.Manifest{}, err
	}
	return o, c.excerpt(), nil
}

// excerpt is the manifest of what is selected.
func (c *cutter) excerpt() trace.Manifest {
	m := *c.manifest
	m.Trees, m.Window = c.selected.trees, c.selected.window
	if c.late {
		m.WarmupUS = 0
	}
	m.LookaheadUS += int64(c.manifest.Window.To - m.Window.To)
	m.Sources, m.Log = nil, nil // it is not a copy of them
	m.Resources = slices.Clone(m.Resources)
	for i := range m.Resources {
		m.Resources[i].Total = 0 // not counted for the remaining part
		if c.selected.without[allocations] && m.Resources[i].Usage == "recorded" {
			m.Resources[i].Usage = "requested" // what changed it is gone
		}
	}
	if c.selected.without[heartbeats] {
		m.Coverage.Heartbeats = "none"
	}
	return m
}

// survey goes over the tables without writing.
func (c *cutter) survey() (*Outline, error) {
	c.outline = &Outline{Window: c.selected.window, Records: map[string]int64{}, Subject: Job{core.Unknown, core.Unknown}}
	c.parents, c.within = map[core.PoolID]map[core.PoolID]bool{}, map[core.OperationID]map[core.PoolID]bool{}
	c.jobs, c.latest, c.problems = map[core.JobID]core.JobID{}, map[place]trace.Stamp{}, map[string]int64{}
	if c.selected.trees == nil {
		var err error
		if c.selected.trees, err = c.manifest.TreesIn(c.dir); err != nil {
			return nil, err
		}
	}
	c.outline.Trees = c.selected.trees
	if err := c.count(); err != nil {
		return nil, err
	}
	c.pools.allowed, c.operations.allowed, c.nodes.allowed = c.selected.pools, c.selected.operations, c.selected.nodes
	for _, step := range []func() error{c.leaveOutOver, c.findLatest, c.tables} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	for _, n := range c.numbers {
		n.renumber()
	}
	return c.outline, c.draw()
}

// count finds how many rows the dimensions have, and so which numbers.
func (c *cutter) count() error {
	c.numbers = map[*trace.Table]*numbering{}
	for _, table := range trace.TablesIn("dim") {
		count := 0
		err := c.each("dim", table, func(any) { count++ })
		if err != nil {
			return err
		}
		c.numbers[table] = &numbering{used: slices.Repeat([]bool{c.whole}, count)}
	}
	of := func(name string) *numbering { return c.numbers[trace.Named(name)] }
	c.pools, c.operations, c.nodes = of(trace.Pools.Name), of(trace.Operations.Name), of(trace.Nodes.Name)
	return nil
}

// leaveOutOver leaves out operations that were over when the window begins.
func (c *cutter) leaveOutOver() error {
	if !c.late {
		return nil
	}
	allowed := make([]bool, len(c.operations.used))
	err := each(c, trace.Operations, func(r *trace.Operation) {
		allowed[r.Op] = c.operations.has(int32(r.Op)) && !(r.FinishTime.Set && r.FinishTime.Value < c.selected.window.From)
	})
	c.operations.allowed = allowed
	return err
}

// findLatest finds the rows that last and hold when the window begins.
func (c *cutter) findLatest() error {
	if !c.late {
		return nil
	}
	folders := []string{"global"}
	for _, tree := range c.selected.trees {
		folders = append(folders, trace.TreeDir(tree))
	}
	for _, folder := range folders {
		for _, table := range trace.TablesIn(folder) {
			if !table.Lasts {
				continue
			}
			err := c.each(folder, table, func(row any) {
				if at := trace.StampOf(row); at.Time < c.selected.window.From {
					c.latest[placeOf(folder, table, row)] = at
				}
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// placeOf returns what a row that lasts is about: what it refers to first.
func placeOf(folder string, table *trace.Table, row any) place {
	at := place{folder: folder, table: table}
	if len(table.References) > 0 {
		at.id = *rows.At[int32](table.References[0].Column, row)
	}
	return at
}

// inTime reports whether a row concerns the window.
func (c *cutter) inTime(folder string, table *trace.Table, row any) bool {
	if table.Order != trace.ByStamp {
		return true
	}
	switch at := trace.StampOf(row); {
	case at.Time >= c.selected.window.To:
		return false
	case !c.late || at.Time >= c.selected.window.From:
		return true
	case table.Lasts:
		return c.latest[placeOf(folder, table, row)] == at
	default:
		return !table.Passing
	}
}

// each goes over a table of the trace.
func (c *cutter) each(folder string, table *trace.Table, use func(row any)) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	n := 0
	return table.Each(filepath.Join(c.dir, folder), c.memory, func(row any) error {
		if n++; n%(1<<16) == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		use(row)
		return nil
	})
}

// each goes over a dimension.
func each[T any](c *cutter, dimension *parquetlog.TableOf[T], use func(*T)) error {
	return c.each("dim", trace.Named(dimension.Name), func(row any) { use(row.(*T)) })
}

// tables goes over all tables.
func (c *cutter) tables() error {
	copied := trace.Copy{Dir: c.dir, Memory: c.memory, Trees: c.selected.trees, Edit: c.edit, To: c.out}
	if c.out == nil {
		copied.Seen = func(table *trace.Table) {
			c.outline.Rows++
			if table.Part != "" {
				c.outline.Records[table.Part]++
			}
		}
	}
	if err := copied.Run(c.ctx); err != nil || c.out == nil || c.selected.without[problems] {
		return err
	}
	for code, n := range c.manifest.Quarantined {
		c.out.CountProblems(code, n-c.problems[code]) // of what was too much to be listed
	}
	return nil
}

// A numbering turns the numbers of a dimension into new ones, without those that leave.
type numbering struct {
	allowed []bool  // which may stay; nil for all
	used    []bool  // which are referred to
	number  []int32 // the new numbers, once they are known
}

// has reports whether an element may stay. A number outside of the dimension does not stand for an
// element, and stays.
func (n *numbering) has(id int32) bool {
	return id < 0 || int(id) >= len(n.used) || n.allowed == nil || n.allowed[id]
}

// turn notes a reference or, once numbers are known, turns it. It reports whether the
// element stays.
func (n *numbering) turn(id *int32) bool {
	switch {
	case !n.has(*id):
		return false
	case *id < 0 || int(*id) >= len(n.used):
		return true
	case n.number == nil:
		n.used[*id] = true
		return true
	case !n.used[*id]:
		return false
	}
	*id = n.number[*id]
	return true
}

func (n *numbering) renumber() {
	n.number = make([]int32, len(n.used))
	next := 0
	for i, used := range n.used {
		if used {
			n.number[i] = int32(next)
			next++
		}
	}
	if next > math.MaxInt32 {
		panic(fmt.Sprintf("%d elements of a dimension", next)) // its numbers are 32 bits
	}
}
