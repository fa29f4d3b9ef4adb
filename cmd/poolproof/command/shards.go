package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"poolproof/core/spelling"
	"poolproof/ingest/input"
	"poolproof/ingest/trace"
	"poolproof/replay"
	"poolproof/replay/tables"
)

const shardsHelp = `
List the units of work of traces, the longest first: some trees of one trace, which one
process replays. A unit needs nothing of the others: it reads the trace and writes a part of a
run, which appears whole or not at all, so that it may be tried again or done twice. gather
puts the parts of a trace together. Several machines that see the same folders do a quarter of
a year so; cmd/poolproof-spark has Apache Spark do it.

SOURCE is a trace, or a folder of traces: days of a cluster, or of several. No two may be of
one cluster and day, which is the day on which the window of a trace begins: cluster=…/day=…/
names the run.

With --grid FILE the units are edits of a grid of what-if, --edits of them at a time, each in all
trees of a trace. Each decides the control, too, so that all answers can be compared.

The estimate of a unit goes by the rows of its tables, at 7 µs of CPU each; compare it with
those of other units. Trees that are estimated to take less than --least seconds share units:
each process reads the small tables of all trees, and the whole trace twice for its digests.
A tree without a row goes with the largest one.

Example: which trees of a trace are worth a process of their own?
  poolproof shards trace

Example: the same for programs, each tree by itself: "flags" of a unit have replay take its
trees alone.
  poolproof shards trace --least 0 --json > shards.json

Example: a grid of edits, tried in units of two.
  poolproof shards trace --grid grid.yaml --edits 2
  poolproof what-if trace --grid grid.yaml --part 2/2

usage: poolproof shards SOURCE...
`

// perRow is the CPU time of a replay per row of the log, measured on presets day and large.
const perRow = 7 * time.Microsecond

// bytesPerRow is about what a row takes, for traces that do not count their rows.
const bytesPerRow = 8

// leastUnit is below which estimate trees share units: a few times what a process does anyway.
const leastUnit = 10.0

// A shardList is the JSON output of shards.
type shardList struct {
	SchemaVersion int     `json:"schema_version"`
	Units         []shard `json:"units"` // the longest first
}

// A shard is a unit of work: some trees of a trace, which one process replays.
type shard struct {
	Unit      string   `json:"unit"`    // unique in the list: the run and the unit's number in it
	Run       string   `json:"run"`     // cluster=…/day=…, of the run that gather makes of its units
	Command   string   `json:"command"` // that does it: replay or what-if
	Trace     string   `json:"trace"`
	Cluster   string   `json:"cluster"`
	Day       string   `json:"day"` // on which the window begins
	Trees     []string `json:"trees"`
	Flags     []string `json:"flags"` // that have the command do this unit alone
	Rows      int64    `json:"rows"`
	Bytes     int64    `json:"bytes"`     // of the trees
	Estimated float64  `json:"estimated"` // CPU seconds
}

func shardsCommand(ctx context.Context, env *environment, args []string) error {
	f := newFlags(env, "shards", shardsHelp)
	asJSON := f.Bool("json", false, "print the list for programs, with the paths of the traces")
	least := f.Float64("least", leastUnit, "trees that are estimated to take less than so many `SECONDS` share units")
	grid := f.String("grid", "", "`FILE` of edits of what-if, whose units are listed in place of trees")
	edits := f.Int("edits", editsPerUnit, "edits of a unit of --grid, a `NUMBER`")
	if err := parseFlags(f, args); err != nil {
		return err
	}
	if f.NArg() == 0 {
		return usagef("SOURCE is missing: give traces, or folders that hold traces")
	}
	if !(*least >= 0) {
		return usagef("--least %v is less than 0", *least)
	}
	tried, err := editsOf(*grid)
	if err != nil {
		return err
	}
	if *edits < 1 {
		return usagef("--edits %d is less than 1", *edits)
	}
	var traces []string
	for _, source := range f.Args() {
		within, err := tracesIn(source)
		if err != nil {
			return err
		}
		traces = append(traces, within...)
	}
	list := shardList{SchemaVersion: 1, Units: []shard{}}
	from := map[string]string{} // the trace of a run
	for _, dir := range traces {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		units, err := unitsOf(dir, *least)
		if err != nil {
			return err
		}
		run := units[0].Run
		if other, twice := from[run]; twice {
			return input.Errorf("%s and %s are both of %s: give one of them, or import that day as one trace", other, dir, run)
		}
		from[run] = dir
		if *grid != "" {
			units = gridUnits(units, *grid, tried, *edits)
		}
		list.Units = append(list.Units, units...)
	}
	slices.SortStableFunc(list.Units, func(a, b shard) int {
		return cmp.Or(cmp.Compare(b.Estimated, a.Estimated), cmp.Compare(a.Run, b.Run), cmp.Compare(a.Unit, b.Unit))
	})
	if *asJSON {
		e := json.NewEncoder(env.stdout)
		e.SetIndent("", "  ")
		return e.Encode(list)
	}
	return printShards(env.stdout, list.Units)
}

// tracesIn returns a trace itself, or the traces in a folder that is not a trace.
func tracesIn(source string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(source, trace.ManifestName)); err == nil {
		return []string{source}, nil
	}
	found, err := filepath.Glob(filepath.Join(escapeGlob(source), "*", trace.ManifestName))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		_, err := trace.ReadManifest(source)
		return nil, err // says why it is not a trace
	}
	var traces []string
	for _, manifest := range found {
		if _, err := replay.ReadManifest(filepath.Dir(manifest)); err != nil { // no run either
			traces = append(traces, filepath.Dir(manifest))
		}
	}
	return traces, nil
}

// unitsOf cuts a trace into units.
func unitsOf(dir string, least float64) ([]shard, error) {
	m, err := trace.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	names, err := m.TreesIn(dir)
	if err != nil {
		return nil, fmt.Errorf("open trace: %w", err)
	}
	if len(names) == 0 {
		return nil, input.Errorf("%s has no pool tree: there is nothing to replay", dir)
	}
	run, day := runName(m)
	var trees []shard
	for _, name := range names {
		rows, bytes, err := treeSize(dir, m, name)
		if err != nil {
			return nil, err
		}
		trees = append(trees, shard{
			Run: run, Trace: dir, Cluster: m.Cluster, Day: day,
			Trees: []string{name}, Rows: rows, Bytes: bytes, Estimated: (time.Duration(rows) * perRow).Seconds(),
		})
	}
	units := bundle(trees, least)
	for i := range units {
		units[i].Unit, units[i].Command = fmt.Sprintf("%s/%d", run, i+1), "replay"
	}
	return units, nil
}

// runName is cluster=…/day=… of a trace, as Hive names partitions, and the day.
func runName(m *trace.Manifest) (run, day string) {
	day = time.UnixMicro(int64(m.Window.From)).UTC().Format(time.DateOnly)
	return tables.Partition("cluster", m.Cluster) + "/" + tables.Partition("day", day), day
}

// treeSize returns the number of rows of a tree in a log, and the bytes of its files.
func treeSize(dir string, m *trace.Manifest, tree string) (rows, bytes int64, err error) {
	folder := trace.TreeDir(tree)
	entries, err := os.ReadDir(filepath.Join(dir, folder))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, 0, fmt.Errorf("open trace: %w", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return 0, 0, fmt.Errorf("open trace: %w", err)
		}
		bytes += info.Size()
	}
	for key, table := range m.Tables {
		if strings.HasPrefix(key, folder+"/") {
			rows += table.Rows
		}
	}
	if len(m.Tables) == 0 {
		rows = bytes / bytesPerRow
	}
	return rows, bytes, nil
}

// editsPerUnit is the default number of edits of a grid per unit: the control, which each unit
// decides as well, is then a ninth of its work.
const editsPerUnit = 8

// editsOf returns the number of edits of a grid.
func editsOf(grid string) (int, error) {
	if grid == "" {
		return 0, nil
	}
	q := &whatIfRequest{grid: grid}
	none, err := q.edits()
	if err != nil {
		return 0, err
	}
	trials, _, err := q.readGrid(none)
	return len(trials), err
}

// gridUnits are the parts of a grid of edits over the trees of some units, which are those of
// one trace. To decide a log takes about as long as to replay it.
func gridUnits(trees []shard, grid string, edits, most int) (units []shard) {
	all := trees[0]
	for _, u := range trees[1:] {
		all.Trees, all.Rows, all.Bytes, all.Estimated = append(all.Trees, u.Trees...), all.Rows+u.Rows, all.Bytes+u.Bytes, all.Estimated+u.Estimated
	}
	slices.Sort(all.Trees)
	parts := (edits + most - 1) / most
	for i := range parts {
		u := all
		u.Command, u.Unit = "what-if", fmt.Sprintf("%s/what-if-%d", all.Run, i+1)
		u.Flags = []string{"--grid", grid, "--part", fmt.Sprintf("%d/%d", i+1, parts)}
		decided := 1 + edits*(i+1)/parts - edits*i/parts // the control, too
		u.Estimated *= 2 * float64(decided)
		units = append(units, u)
	}
	return units
}

// bundle puts trees of less than so many estimated seconds together: each, the largest first,
// into the first unit of small trees that it does not fill beyond that. Trees without a row
// go with the largest: a process that replays nothing is a fault of its trace.
func bundle(trees []shard, least float64) (units []shard) {
	slices.SortStableFunc(trees, func(a, b shard) int { return cmp.Compare(b.Rows, a.Rows) })
	for i, tree := range trees {
		to := -1
		switch {
		case i > 0 && tree.Rows == 0:
			to = 0
		case tree.Estimated < least:
			to = slices.IndexFunc(units, func(u shard) bool { return u.Estimated+tree.Estimated <= least })
		}
		if to < 0 {
			units = append(units, tree)
			continue
		}
		u := &units[to]
		u.Trees = append(u.Trees, tree.Trees...)
		u.Rows, u.Bytes, u.Estimated = u.Rows+tree.Rows, u.Bytes+tree.Bytes, u.Estimated+tree.Estimated
	}
	for i := range units {
		slices.Sort(units[i].Trees)
		for _, tree := range units[i].Trees {
			units[i].Flags = append(units[i].Flags, "--tree", spelling.OneListed(tree))
		}
	}
	return units
}

// printShards prints units for people.
func printShards(w io.Writer, units []shard) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "UNIT\tROWS\tMB\tESTIMATED\tTREES")
	var seconds float64
	for _, u := range units {
		seconds += u.Estimated
		fmt.Fprintf(table, "%s\t%d\t%.1f\t%.1f s\t%s\n", spelling.OneName(u.Unit), u.Rows, float64(u.Bytes)/1e6, u.Estimated, spelling.Names(u.Trees))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	longest := 0.0
	if len(units) > 0 {
		longest = units[0].Estimated
	}
	_, err := fmt.Fprintf(w, "%s, %.1f s of CPU; however many machines, the longest takes %.1f s.\n", counted(len(units), "unit"), seconds, longest)
	return err
}
