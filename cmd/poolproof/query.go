package main

import (
	"context"
	"strings"

	"poolproof/audit"
	"poolproof/replay"
)

const queryHelp = `
Put a question to RUN in SQL. All result tables are there, and those of the
verdict: findings, incidents, promises, audits, tree_coverage. The run is opened
for reading only. Of several statements only the last one's answer is printed. What a
column means and in which unit stands in its comment.

Examples:
  poolproof query run "SHOW TABLES"
  poolproof query run "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'jobs'"
  poolproof query run "SELECT audit, verdict, count(*) FROM findings GROUP BY ALL"
  poolproof query run "SELECT * FROM pool_intervals WHERE pool = 'prod'" --output csv
  poolproof query run "FROM jobs" --output parquet > jobs.parquet

usage: poolproof query RUN SQL
`

var queryFormats = []string{"table", "csv", "json", "parquet", "arrow"}

func queryCommand(ctx context.Context, env *environment, args []string) error {
	f := newFlags(env, "query", queryHelp)
	output := f.String("output", "table", "`FORMAT` of the answer: "+strings.Join(queryFormats, ", "))
	memory := f.String("memory", "", memoryHelp)
	positional, err := parse(f, args, "RUN", "SQL")
	if err != nil {
		return err
	}
	if err := boundMemory(*memory); err != nil {
		return err
	}
	if err := oneOf("--output", *output, queryFormats); err != nil {
		return err
	}
	if _, err := replay.ReadManifest(positional[0]); err != nil {
		return err
	}
	out := env.stdout
	if *output == "parquet" || *output == "arrow" {
		out = env.binary
	}
	return audit.Query(ctx, positional[0], positional[1], *output, out)
}
