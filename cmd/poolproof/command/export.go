package command

import (
	"context"
	"fmt"
	"strings"

	"poolproof/audit"
)

const exportHelp = `
Write tables and views of audited runs as Parquet into DIR, for questions to many runs:

  DIR/<table>/cluster=<name>/day=<date>/<start>.parquet

cluster and day are columns for every engine that reads partitions of Hive, as Spark and
DuckDB do; day is that on which the window of the run begins. All other columns are those of
run.duckdb, with their comments, which Spark shows. Runs can be added at any time; a run of
the same cluster and start is replaced. Tables of jobs and of recorded elements stay out
unless --table asks for them.

Example: of a night all that goes into a lake by itself, and of it the jobs.
  poolproof export run --out lake
  poolproof export run --out lake --table jobs

Then, in Spark and in DuckDB:
  spark.read.parquet("lake/findings").where("day >= '2025-03-01'")
  SELECT * FROM read_parquet('lake/findings/*/*/*.parquet', hive_partitioning = true)

Without --table these are written:
%s
usage: poolproof export RUN... --out DIR
`

func exportCommand(ctx context.Context, env *environment, args []string) error {
	f := newFlags(env, "export", fmt.Sprintf(exportHelp, nameLines(audit.LakeTables)))
	out := f.String("out", "", "folder `DIR` that the runs are added to; it is made if it is not there")
	tables := f.StringSlice("table", nil, "only these tables and views, `NAME`s, comma separated")
	memory := f.String("memory", "", memoryHelp)
	quiet := quietFlag(f)
	if err := parseFlags(f, args); err != nil {
		return err
	}
	switch {
	case f.NArg() == 0:
		return usagef("RUN is missing: give audited runs")
	case *out == "":
		return usagef("--out DIR is missing: name the folder that the runs are added to")
	}
	limits, err := boundMemory(*memory)
	if err != nil {
		return err
	}
	names := *tables
	if len(names) == 0 {
		names = audit.LakeTables
	}
	p := newProgress(env, *quiet)
	defer p.done()
	files := 0
	for _, run := range f.Args() {
		p.showState("exporting %s", run)
		written, err := audit.Export(ctx, run, *out, names, limits.database)
		if err != nil {
			return err
		}
		files += len(written)
	}
	p.done()
	fmt.Fprintf(p.summary(env.stdout), "Exported %s of %s to %s\n", counted(files, "table"), counted(f.NArg(), "run"), *out)
	return nil
}

// nameLines lists names, some a line, as help texts show them.
func nameLines(names []string) string {
	var b strings.Builder
	line := ""
	for _, name := range names {
		if len(line)+len(name) > 90 {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = ""
		}
		if line == "" {
			line = "  "
		}
		line += name + ", "
	}
	b.WriteString(strings.TrimSuffix(line, ", ") + "\n")
	return b.String()
}
