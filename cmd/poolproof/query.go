package main

import (
	"context"
	"fmt"
	"io"
	"os"
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
  poolproof query run -f question.sql
  echo "SELECT count(*) FROM jobs" | poolproof query run -

usage: poolproof query RUN SQL|-
       poolproof query RUN -f FILE
`

var queryFormats = []string{"table", "csv", "json", "parquet", "arrow"}

func queryCommand(ctx context.Context, env *environment, args []string) error {
	f := newFlags(env, "query", queryHelp)
	output := f.String("output", "table", "`FORMAT` of the answer: "+strings.Join(queryFormats, ", "))
	takes(f, "output", queryFormats)
	memory := f.String("memory", "", memoryHelp)
	file := f.StringP("file", "f", "", "take the SQL from a `FILE`; - is standard input")
	if err := parseFlags(f, args); err != nil {
		return err
	}
	names := []string{"RUN", "SQL"}
	if f.Changed("file") {
		names = names[:1]
	}
	positional, err := arguments(f, names...)
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
	sql := ""
	switch {
	case f.Changed("file"):
		sql, err = readQuestion(env, *file)
	case positional[1] == "-":
		sql, err = readQuestion(env, "-")
	default:
		sql = positional[1]
	}
	if err != nil {
		return err
	}
	out := env.stdout
	if *output == "parquet" || *output == "arrow" {
		out = env.binary
	}
	return audit.Query(ctx, positional[0], sql, *output, out)
}

// mostQuestion bounds a question read from a file, in bytes.
const mostQuestion = 1 << 20

// readQuestion reads SQL from a file, or from standard input.
func readQuestion(env *environment, file string) (string, error) {
	r := env.stdin
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return "", fmt.Errorf("read the question: %w", err)
		}
		defer opened.Close()
		r = opened
	}
	b, err := io.ReadAll(io.LimitReader(r, mostQuestion+1))
	if err != nil {
		return "", fmt.Errorf("read the question: %w", err)
	}
	if len(b) > mostQuestion {
		return "", usagef("the question in %s has more than %d bytes", file, mostQuestion)
	}
	if strings.TrimSpace(string(b)) == "" {
		return "", usagef("there is no question in %s", file)
	}
	return string(b), nil
}
