package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/queries"
	"poolproof/replay"
)

const auditHelp = `
Load the result tables of RUN into DuckDB, run the audits and print the verdict.
The findings go to RUN/findings.json and, with all tables, to RUN/run.duckdb;
both are renewed whole.

An audit that saw nothing to judge is undecidable, not passed. The exit code is
0 if all promises were kept, 1 if one was violated, 2 if an audit failed to run,
3 if fewer audits could be judged than --min-coverage asks.

Example: hold guarantees to two minutes instead of five, by a flag or a file.
  poolproof audit run --param strong_guarantee_unmet.sla_s=120
  poolproof audit run --policy policy.yaml
where policy.yaml says
  strong_guarantee_unmet:
    sla_s: 120

usage: poolproof audit RUN
`

// An auditRequest is what the command line asks of the audits.
type auditRequest struct {
	policy      string
	params      []string
	minCoverage float64
	output      string
}

var verdictFormats = []string{"text", "markdown", "json"}

func (q *auditRequest) addTo(f flagSet) {
	f.StringVar(&q.policy, "policy", "", "`FILE` with thresholds of audits, YAML or JSON")
	f.StringArrayVar(&q.params, "param", nil, "set a threshold, `AUDIT.NAME=VALUE`, over the policy's; may be given again")
	f.Float64Var(&q.minCoverage, "min-coverage", 0, "exit with 3 if less than this `PART` of the audits, 0 to 1, could be judged")
	f.StringVar(&q.output, "output", "text", "`FORMAT` of the verdict: "+strings.Join(verdictFormats, ", "))
}

// parameters returns the thresholds by name, and checks what else was asked.
func (q *auditRequest) parameters() (map[string]string, error) {
	if !(q.minCoverage >= 0 && q.minCoverage <= 1) {
		return nil, usagef("--min-coverage %v is not between 0 and 1", q.minCoverage)
	}
	if !slices.Contains(verdictFormats, q.output) {
		return nil, usagef("--output %q is none of %s", q.output, strings.Join(verdictFormats, ", "))
	}
	values := map[string]string{}
	if q.policy != "" {
		f, err := os.Open(q.policy)
		if err != nil {
			return nil, fmt.Errorf("read policy: %w", err)
		}
		defer f.Close()
		if values, err = audit.ReadParams(f); err != nil {
			return nil, &inputError{fmt.Errorf("%s: %w", q.policy, err)}
		}
	}
	for _, p := range q.params {
		name, value, ok := strings.Cut(p, "=")
		if !ok || !strings.Contains(name, ".") {
			return nil, usagef("--param %q: write AUDIT.NAME=VALUE", p)
		}
		values[name] = value
	}
	return values, nil
}

func auditCommand(ctx context.Context, env *environment, args []string) error {
	var q auditRequest
	f := newFlags(env, "audit", auditHelp)
	q.addTo(f)
	workers := f.Int("workers", defaultWorkers, "audits run at a time")
	quiet := f.Bool("quiet", false, "no progress")
	positional, err := parse(f, args, "RUN")
	if err != nil {
		return err
	}
	if _, err := q.parameters(); err != nil {
		return err
	}
	dir := positional[0]
	if _, err := replay.ReadManifest(dir); err != nil {
		return err
	}
	p := newProgress(env, *quiet)
	defer p.done()
	verdict, err := runAudits(ctx, dir, &q, *workers, p)
	if err != nil {
		return err
	}
	p.done()
	return printVerdict(env, verdict, dir, &q)
}

// runAudits judges the run in dir.
func runAudits(ctx context.Context, dir string, q *auditRequest, workers int, p *progress) (*audit.Verdict, error) {
	params, err := q.parameters()
	if err != nil {
		return nil, err
	}
	p.step("Loading the result tables and running the audits")
	return audit.Run(ctx, audit.Options{
		Dir: dir, Queries: queries.Files, Workers: workers, Params: params, MinCoverage: q.minCoverage,
		Started: func(name string) { p.say("audit %s", name) },
	})
}

// printVerdict prints the verdict on the run in dir and turns it into the exit
// code.
func printVerdict(env *environment, v *audit.Verdict, dir string, q *auditRequest) error {
	var err error
	switch q.output {
	case "text":
		err = report.Terminal(env.stdout, v, dir)
	case "markdown":
		err = report.Markdown(env.stdout, v, dir)
	case "json":
		err = printFile(env, filepath.Join(dir, audit.FindingsName))
	}
	if err != nil {
		return err
	}
	if code := v.ExitCode(); code != exitKept {
		return &verdictError{code}
	}
	return nil
}

func printFile(env *environment, path string) error {
	b, err := os.ReadFile(path)
	if err == nil {
		_, err = env.stdout.Write(b)
	}
	return err
}
