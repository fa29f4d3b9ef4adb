package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"poolproof/audit"
	"poolproof/core"
	"poolproof/core/quantity"
	"poolproof/core/spelling"
	"poolproof/ingest/atomicdir"
	"poolproof/ingest/synthetic"
	"poolproof/queries"
)

const generateHelp = `
Make the trace of a synthetic cluster. The scheduler of poolproof's core
runs a described cluster, and all it does is recorded in full: heartbeats, jobs
with every detail of preemption, the steps of operations, configurations, nodes,
and the scheduler's own view of the shares.

The cluster is a preset
  small   two trees, 14 nodes, half an hour: seconds
  day     three trees, 1,000 nodes, a working day
  large   20,000 nodes for an hour; --length makes it longer
  none    nothing but what --plant asks for
an incident to practise on, in which a pool or an operation lacks share although no rule
is broken (incident-neighbour, incident-weights; the completion lists them all),
or a description of your own, a YAML file: see --spec. Begin with a preset, as
poolproof generate --show small prints it.

--plant breaks promises on purpose, one for each kind that is named: each in a
tree of its own, at a known moment, and the simulation goes on from there. The file
TRACE.planted.json beside the trace lists what was planted: kind, tree, subject, span,
the invariants that are broken and those that break in consequence. Kinds that
begin with legal_ look like violations and are none. --list-plants prints all
kinds, one per line: name, severity, what happens. A kind that finds no moment in a
cluster, since its periods do not suit it, is refused. With records as far apart as those
of preset large, what only they show may be suspect or undecidable.
Kinds that concern the whole scheduler, as a restart, happen after all others. Kinds that
need another cluster cannot be planted together with others, and the list names them.

The same seed gives the same bytes, whatever the number of workers.

Example:
  poolproof generate --preset small --plant start_over_pool_limit --out trace
  poolproof run trace --out run

usage: poolproof generate --out TRACE [--preset NAME] [--plant KIND[,KIND…]]
`

var plantedNames = []string{"told", "neutral"}

func generateCommand(ctx context.Context, env *environment, args []string) error {
	f := newFlags(env, "generate", generateHelp)
	out := f.String("out", "", "directory `TRACE` to make")
	replace := f.Bool("replace", false, "replace TRACE if it is a trace already, and what is written of another trace's plants")
	preset := f.String("preset", "small", "cluster that comes with the program, `NAME`: small, day, large, none or an incident")
	file := f.String("spec", "", "description of a cluster, a YAML `FILE`, in place of a preset")
	seed := f.Uint64("seed", 1, "`NUMBER` that all random choices follow from")
	length := f.Duration("length", 0, "`SPAN` of the log, as 30m or 8h (default: the description's); at least as long as the plants take")
	plants := f.StringSlice("plant", nil, "`KIND`s of violations and look-alikes to plant, comma separated")
	planted := f.String("planted", "", "`FILE` to say what was planted (default: TRACE.planted.json)")
	names := f.String("planted-names", "told", "how the trees of plants are named, `WAY`: told (by their kind) or neutral, to try oneself blind")
	all := f.Bool("all-heartbeats", false, "record also the heartbeats that change nothing; otherwise one of them a minute and node")
	var workers int
	workersFlag(f, &workers, "trees whose shares are computed at a time")
	list := f.Bool("list-plants", false, "print the kinds of plants and end")
	show := f.String("show", "", "print the description of a preset, `NAME`, and end")
	quiet := quietFlag(f)
	takes(f, "preset", slices.Concat(synthetic.Presets, synthetic.Incidents, []string{"none"}))
	takes(f, "show", slices.Concat(synthetic.Presets, synthetic.Incidents))
	takes(f, "plant", synthetic.Kinds())
	takes(f, "planted-names", plantedNames)
	if _, err := parse(f, args); err != nil {
		return err
	}
	switch {
	case *list:
		listPlants(env)
		return nil
	case *show != "":
		text, err := synthetic.PresetText(*show)
		if err != nil {
			return usagef("%v", err)
		}
		fmt.Fprint(env.stdout, text)
		return nil
	case *out == "":
		return usagef("--out TRACE is missing: name the directory to make")
	case *file != "" && f.Changed("preset"):
		return usagef("--preset and --spec both describe the cluster: give one")
	}
	if err := checkWorkers(workers); err != nil {
		return err
	}
	if err := oneOf("--planted-names", *names, plantedNames); err != nil {
		return err
	}
	if err := knownPlants(*plants); err != nil {
		return err // before what is in the way of them
	}
	spec, err := specOf(*preset, *file)
	if err != nil {
		return err
	}
	if f.Changed("length") {
		if spec == nil || *length <= 0 {
			return usagef("--length %v: there is no cluster to run that long", *length)
		}
		spec.Length = synthetic.Duration(length.Microseconds())
	}
	if *planted == "" {
		*planted = synthetic.PlantedFile(*out)
	}
	if len(*plants) > 0 {
		if err := plantedFree(*planted, *out, *replace); err != nil {
			return err
		}
	} else if spec == nil {
		return usagef("--preset none makes nothing but what --plant asks for: name a kind, or another preset")
	}
	p := newProgress(env, *quiet)
	defer p.done()
	summary, err := synthetic.Generate(ctx, synthetic.Options{
		Spec: spec, Seed: *seed, Plants: *plants, Neutral: *names == "neutral", Out: *out, Replace: *replace,
		AllHeartbeats: *all, Workers: workers, CreatedBy: "poolproof generate " + version,
		Progress: func(at, _ core.Time) { p.showState("simulated up to %s", formatTime(at)) },
		Writing:  func(done, all int) { p.showState("wrote %d of %d tables", done, all) },
	})
	var unknown *synthetic.UnknownPlantError
	if errors.As(err, &unknown) {
		return usagef("%v", err)
	}
	if err != nil {
		return err
	}
	p.done()
	return printGenerated(p.summary(env.stdout), summary, *out, *planted)
}

// specOf reads the description that a command line names; nil for none.
func specOf(preset, file string) (*synthetic.Spec, error) {
	switch {
	case file != "":
		return synthetic.Read(file)
	case preset == "none":
		return nil, nil
	case !slices.Contains(synthetic.Presets, preset) && !slices.Contains(synthetic.Incidents, preset):
		return nil, usagef("unknown preset %q; %s", preset, spelling.Meant(preset, slices.Concat(synthetic.Presets, synthetic.Incidents, []string{"none"})))
	}
	return synthetic.Preset(preset)
}

// knownPlants refuses kinds of plants that there are not. Of an audit or a rule it names the
// plants that break it.
func knownPlants(kinds []string) error {
	err := synthetic.Known(kinds)
	var unknown *synthetic.UnknownPlantError
	if !errors.As(err, &unknown) {
		return err
	}
	audits, fault := audit.ReadAudits(queries.Files)
	if fault != nil {
		return fault
	}
	named, _ := audit.Select(audits, []string{unknown.Kind})
	rules := []string{unknown.Kind}
	if len(named) == 1 && named[0].ID == unknown.Kind {
		rules = named[0].Invariants
	}
	if breaking := synthetic.Breaking(rules...); len(named) > 0 && len(breaking) > 0 {
		return usagef("unknown plant %q; plants that break %s: %s",
			unknown.Kind, strings.Join(rules, ", "), strings.Join(breaking, ", "))
	}
	return usagef("%v", err)
}

// listPlants prints the kinds of plants, one per line.
func listPlants(env *environment) {
	plants, width := synthetic.Plants(), 0
	for _, p := range plants {
		width = max(width, len(p.Kind))
	}
	for _, p := range plants {
		sentence := p.Sentence
		if beside := p.Beside(); beside != "" {
			sentence += " " + beside
		}
		fmt.Fprintf(env.stdout, "%-*s %-8s %s\n", width, p.Kind, p.Severity, sentence)
	}
}

// plantedFree refuses to write what is planted in a trace over something else.
func plantedFree(file, out string, replace bool) error {
	of, err := synthetic.PlantedTrace(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return atomicdir.Place(file)
	case err != nil:
		return usagef("%s is in the way, and is not replaced (%v): name another file by --planted", file, err)
	case !replace && filepath.Clean(of) != filepath.Clean(out):
		return usagef("%s says already what was planted in %s: name another file by --planted, or give --replace", file, of)
	}
	return nil
}

// printGenerated prints what was made, and writes the file of what was planted.
func printGenerated(w io.Writer, s *synthetic.Summary, out, file string) error {
	fmt.Fprintf(w, "Generated %s and %s on %s, in %s of %s (%s)\n",
		counted(s.Operations, "operation"), counted(s.Jobs, "job"), counted(s.Nodes, "node"),
		counted(s.Pools, "pool"), counted(len(s.Trees), "tree"), spelling.Names(s.Trees))
	fmt.Fprintf(w, "Window %s to %s, %s\n", formatTime(s.Window.From), formatTime(s.Window.To), quantity.Span(float64(s.Window.To-s.Window.From)/1e6))
	for _, r := range s.Refused {
		fmt.Fprintf(w, "Refused: after %v operation %s may not change its pool in tree %s: %v\n", time.Duration(r.At)*time.Microsecond, r.Operation, r.Tree, r.Why)
	}
	fmt.Fprintf(w, "Trace: %s\n", out)
	if len(s.Planted) == 0 {
		return nil
	}
	if err := synthetic.WritePlanted(file, out, s.Planted); err != nil {
		return err
	}
	fmt.Fprintf(w, "Planted: %s\n", file)
	return nil
}
