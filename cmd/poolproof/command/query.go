package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"poolproof/audit"
	"poolproof/queries"
	"poolproof/replay"
)

const queryHelp = `
Put a question to RUN in SQL. All result tables are there, those of the verdict
(findings, incidents, promises, audits, scorecard, tree_coverage), and views and macros for
what everyone asks. Without SQL a prompt opens, which completes names; .help
there shows its commands. From a pipe it takes the same lines.

Examples:
  poolproof query run "SELECT audit, verdict, count(*) FROM findings GROUP BY ALL"
  poolproof query run "FROM pools_at('2025-03-03 08:05:00')" --output csv
  poolproof query run 'FROM pool_series() WHERE pool = $pool' --param pool=research
  poolproof query run "SELECT bin, running FROM running_operations()" --output line
  poolproof query run "FROM jobs" --output parquet > jobs.parquet
  poolproof query run -f question.sql
  echo "SELECT count(*) FROM jobs" | poolproof query run -
  echo ".examples preempt" | poolproof query run

What there is, what a column means and in which unit:
  echo ".tables" | poolproof query run
  echo ".schema fairness" | poolproof query run
  poolproof query run "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'jobs'"

Several runs are one database, in which tables, views and table macros have the column
run. Name them, or give the folder that holds them:
  poolproof query --run a=run --run b=runs/2025-03-02 "SELECT run, grade, count(*) FROM promises GROUP BY ALL"
  poolproof query runs "SELECT run, avg(satisfaction) FROM fairness GROUP BY run"
Runs that stand in cluster=…/day=…/ have the columns cluster and day, too. The same goes for a
lake, the folder that export fills: it holds the tables and trends of more runs than can be
open at a time, and a query copies the tables that it names.
  poolproof query lake "SELECT cluster, day, count(*) FROM findings GROUP BY ALL"

Trends are views over all runs that are asked: promises_by_week, starved_by_month,
recurring_incidents.
  poolproof query runs "SELECT audit, subject, days, last_time FROM recurring_incidents"

A run is opened for reading only, nothing is downloaded, and no other file can be read. Of
several statements only the last one's answer is printed. bar and line draw two columns in the
terminal: what, and how much.

usage: poolproof query RUN|RUNS|LAKE [SQL|-]
       poolproof query RUN -f FILE
       poolproof query --run NAME=RUN [--run NAME=RUN...] [SQL|-]
`

func queryCommand(ctx context.Context, env *environment, args []string) error {
	f := newFlags(env, "query", queryHelp)
	output := f.String("output", "table", "`FORMAT` of the answer: "+strings.Join(audit.Formats, ", "))
	takes(f, "output", audit.Formats)
	memory := f.String("memory", "", memoryHelp)
	file := f.StringP("file", "f", "", "take the SQL from a `FILE`; - is standard input")
	params := f.StringArray("param", nil, "put a value in for $NAME in the SQL, `NAME=VALUE`")
	runs := f.StringArray("run", nil, "ask this run, too, under a name, `NAME=RUN`")
	if err := parseFlags(f, args); err != nil {
		return err
	}
	sources, named, rest, err := sourcesOf(*runs, f.Args())
	if err != nil {
		return err
	}
	if len(rest) > 1 || len(rest) == 1 && f.Changed("file") {
		return usagef("unexpected argument %q", rest[len(rest)-1])
	}
	limits, err := boundMemory(*memory)
	if err != nil {
		return err
	}
	if err := oneOf("--output", *output, audit.Formats); err != nil {
		return err
	}
	values, err := pairs("--param", *params)
	if err != nil {
		return err
	}
	question := ""
	switch {
	case f.Changed("file"):
		question, err = readQuestion(env, *file)
	case len(rest) == 1 && rest[0] == "-":
		question, err = readQuestion(env, "-")
	case len(rest) == 1:
		question = rest[0]
	}
	if err != nil {
		return err
	}
	session, err := openSession(ctx, sources, named, limits.database)
	if err != nil {
		return err
	}
	defer session.Close()
	q := &asker{env: env, session: session, params: values, format: *output}
	if len(rest) == 1 || f.Changed("file") {
		return q.ask(ctx, question)
	}
	return q.converse(ctx)
}

// openSession opens runs, or a lake that is named like a run.
func openSession(ctx context.Context, sources []audit.Source, named bool, memory audit.Memory) (*audit.Session, error) {
	if !named && audit.IsLake(sources[0].Dir) {
		return audit.OpenLake(ctx, queries.Files, sources[0].Dir, memory)
	}
	for _, source := range sources {
		if _, err := replay.ReadManifest(source.Dir); err != nil {
			return nil, err
		}
	}
	return audit.OpenSession(ctx, queries.Files, sources, named, memory)
}

// sourcesOf are the runs that are asked: those of --run, or the first argument, which is a
// run or a folder of runs. named says whether they are one database with a column run; rest
// is what follows.
func sourcesOf(runs, args []string) (sources []audit.Source, named bool, rest []string, err error) {
	if len(runs) > 0 {
		seen := map[string]bool{}
		for _, text := range runs {
			name, dir, ok := strings.Cut(text, "=")
			if !ok || name == "" || dir == "" {
				return nil, false, nil, usagef("--run %q is not NAME=RUN", text)
			}
			if seen[name] {
				return nil, false, nil, usagef("two runs are called %q", name)
			}
			seen[name] = true
			sources = append(sources, audit.Source{Name: name, Dir: dir})
		}
		return sources, true, args, nil
	}
	if len(args) == 0 {
		return nil, false, nil, usagef("RUN is missing")
	}
	if within, err := runsWithin(args[0]); err != nil || len(within) > 0 {
		return within, true, args[1:], err
	}
	return []audit.Source{{Dir: args[0]}}, false, args[1:], nil
}

// runsWithin returns the audited runs in a folder that is not a run itself, by name.
func runsWithin(dir string) (sources []audit.Source, err error) {
	if _, err := replay.ReadManifest(dir); !errors.Is(err, replay.ErrNoRun) {
		return nil, nil // a run, or what the reader of runs complains about
	}
	for _, runs := range []string{"*", filepath.Join("cluster=*", "day=*")} {
		found, err := filepath.Glob(filepath.Join(escapeGlob(dir), runs, audit.DatabaseName))
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			run := filepath.Dir(file)
			name, err := filepath.Rel(dir, run)
			if err != nil {
				return nil, err
			}
			sources = append(sources, audit.Source{Name: filepath.ToSlash(name), Dir: run})
		}
	}
	return sources, nil
}

// escapeGlob makes a path a pattern that matches it alone.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// pairs reads the values of a flag NAME=VALUE.
func pairs(flag string, texts []string) (map[string]string, error) {
	values := map[string]string{}
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, usagef("%s %q is not NAME=VALUE", flag, text)
		}
		if _, twice := values[name]; twice {
			return nil, usagef("%s %s is given twice", flag, name)
		}
		values[name] = value
	}
	return values, nil
}

// An asker puts questions to a session.
type asker struct {
	env     *environment
	session *audit.Session
	params  map[string]string
	format  string
}

// ask answers one question.
func (q *asker) ask(ctx context.Context, question string) error {
	question, err := audit.FillParams(question, q.params)
	if err != nil {
		return err
	}
	out := q.env.stdout
	if q.format == "parquet" || q.format == "arrow" {
		out = q.env.binary
	}
	return q.session.Answer(ctx, question, q.format, out)
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
		return "", usagef("%s holds no question", file)
	}
	return string(b), nil
}
