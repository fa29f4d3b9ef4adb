package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"poolproof/ingest/joblog"
	"poolproof/ingest/openb"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/swf"
)

const importHelp = `
Turn a foreign log into a trace, which the other commands read.

FORMAT is one of
  swf     Standard Workload Format, of any archive, plain, gzip or zstd. With the
          extensions of the Alea simulator: nodes per CPU, queue names, and a
          machines file beside the log (SOURCE without .gz, plus .machines).
  openb   the node and pod tables of the openb GPU cluster; SOURCE is the
          directory that holds the two.

Every queue becomes a pool, every user of it a pool below, every job an
operation. Rows that cannot be used are kept in the trace's problems.

Without --config nothing is promised, and audits of promises are undecidable.
The file (YAML or JSON) names pools and their options as the user documentation
does:

  pools:
    prod: {weight: 4, strong_guarantee_resources: {cpu: 640}}
    batch: {resource_limits: {cpu: 1000}, max_running_operation_count: 100}

Example:
  poolproof import swf wagap-2013.swf.gz --out trace --config pools.yaml

usage: poolproof import FORMAT SOURCE --out TRACE
`

var formats = []string{"swf", "openb"}

func importCommand(ctx context.Context, env *environment, args []string) error {
	f := newFlags(env, "import", importHelp)
	out := f.String("out", "", "directory `TRACE` to make")
	replace := f.Bool("replace", false, "replace TRACE if it is a trace already")
	config := f.String("config", "", "`FILE` with what the pools are promised, YAML or JSON")
	epoch := f.String("epoch", "1970-01-01T00:00:00Z", "`TIME` that a log with relative times began at")
	machines := f.String("machines", "", "swf: `FILE` with the machines (default: the one beside the log)")
	treeBy := f.String("tree-by", "none", "swf: one tree in all, or one per `FIELD`: none, partition")
	poolBy := f.String("pool-by", "queue", "swf: `FIELD` that names the pool: queue, group, user")
	dialect := f.String("dialect", "auto", "swf: how memory is counted, `WORD`: auto, standard, alea")
	rowGroup := f.Int("row-group-rows", 0, "rows in a row group of the trace's files (default 1048576)")
	quiet := f.Bool("quiet", false, "no progress")
	positional, err := parse(f, args, "FORMAT", "SOURCE")
	if err != nil {
		return err
	}
	format, source := positional[0], positional[1]
	if !slices.Contains(formats, format) {
		return usagef("unknown format %q; there are %s", format, strings.Join(formats, ", "))
	}
	if *out == "" {
		return usagef("--out TRACE is missing: name the directory to make")
	}
	if *rowGroup < 0 {
		return usagef("--row-group-rows %d is negative", *rowGroup)
	}
	for _, name := range []string{"machines", "tree-by", "pool-by", "dialect"} {
		if format != "swf" && f.Changed(name) {
			return usagef("--%s is a flag of the format swf", name)
		}
	}
	start, err := parseTime("--epoch", *epoch)
	if err != nil {
		return err
	}
	var pools *poolconf.File
	if *config != "" {
		if pools, err = poolconf.Read(*config); err != nil {
			return err
		}
	}
	p := newProgress(env, *quiet)
	defer p.done()
	told := func(rows int64) { p.say("%d rows read", rows) }
	var summary joblog.Summary
	switch format {
	case "swf":
		for _, choice := range []struct {
			flag, value string
			known       []string
		}{
			{"--tree-by", *treeBy, []string{"none", "partition"}},
			{"--pool-by", *poolBy, []string{"queue", "group", "user"}},
			{"--dialect", *dialect, []string{"auto", "standard", "alea"}},
		} {
			if !slices.Contains(choice.known, choice.value) {
				return usagef("%s %q is none of %s", choice.flag, choice.value, strings.Join(choice.known, ", "))
			}
		}
		summary, err = swf.Import(ctx, swf.Options{
			Source: source, Machines: *machines, Out: *out, Replace: *replace,
			TreeBy: *treeBy, PoolBy: *poolBy, Config: pools, Dialect: *dialect, Epoch: start,
			RowGroupRows: *rowGroup, Progress: told,
		})
	case "openb":
		if info, statErr := os.Stat(source); statErr == nil && !info.IsDir() {
			return usagef("%s is a file: openb wants the directory that holds the node and the pod table", source)
		}
		summary, err = openb.Import(ctx, openb.Options{
			Directory: source, Out: *out, Replace: *replace, Config: pools, Epoch: start,
			RowGroupRows: *rowGroup, Progress: told,
		})
	}
	if err != nil {
		return err
	}
	p.done()
	printImport(env, &summary, source, *out)
	return nil
}

// counted is a number of things: 1 row, 2 rows.
func counted[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// printImport tells a person what an import found.
func printImport(env *environment, s *joblog.Summary, source, out string) {
	w := env.stdout
	fmt.Fprintf(w, "Imported %s: %s, %d quarantined\n", source, counted(s.Rows, "row"), s.QuarantinedRows())
	for _, c := range s.Quarantined {
		fmt.Fprintf(w, "  %s %s: left out, see the trace's problems\n", counted(c.Rows, "row"), c.Code)
	}
	for _, c := range s.Noted {
		fmt.Fprintf(w, "  %s %s: used without that value\n", counted(c.Rows, "row"), c.Code)
	}
	fmt.Fprintf(w, "%s and %s on %s, in %s of %s (%s)\n",
		counted(s.Operations, "operation"), counted(s.Jobs, "job"), counted(s.Nodes, "node"),
		counted(s.Pools, "pool"), counted(len(s.Trees), "tree"), strings.Join(s.Trees, ", "))
	fmt.Fprintf(w, "Window %s to %s\n", formatTime(s.Window.From), formatTime(s.Window.To))
	for _, note := range s.Notes {
		fmt.Fprintf(w, "Note: %s\n", note)
	}
	fmt.Fprintf(w, "Trace: %s\n", out)
}
