package command

import (
	"context"
	"fmt"
	"io"
	"strings"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/spelling"
	"poolproof/ingest/input"
	"poolproof/queries"
	"poolproof/replay"
)

const auditHelp = `
Load the result tables of RUN into DuckDB, run the audits and print the verdict.
The findings go to RUN/findings.json, RUN/report.html and, with all tables, to
RUN/run.duckdb; each is renewed whole. report writes other formats.

An audit that could judge nothing is undecidable, or not applicable if nothing happened
that it is about; neither is passed.

` + verdictCodesHelp + `min_coverage is the part of the applicable rules, over all trees, that must be judged:
half, unless the policy or the flag says otherwise. Logs of jobs alone reach less; with
--min-coverage 0 they end with exit code 0.

Example: hold guarantees to two minutes instead of five, by a flag or a file.
  poolproof audit run --param strong_guarantee_unmet.sla_s=120
  poolproof audit run --policy policy.yaml
where policy.yaml says
  strong_guarantee_unmet: {sla_s: 120}

Compare with the night before: what is new, what persists, what is fixed.
  poolproof audit runs/2025-03-03 --baseline runs/2025-03-02

A policy with all its keys; a key that is not known is an error:

%s
The thresholds, with their defaults:

%s
The slacks that the replay judges by, with their usual values. run and replay take
them from the policy, and an audit comes too late to change them: it says so where
its policy has others than the run was replayed with.

%s
Some audits alone, and which there are:
  poolproof audit run --audit strong_guarantee_unmet --audit 'pool_over_*'
  poolproof audit --list --audit 'preemption_*'

usage: poolproof audit RUN
`

// auditHelpText is the help with what a policy may say.
func auditHelpText() string {
	audits, err := audit.ReadAudits(queries.Files)
	if err != nil {
		panic(err) // the queries are part of the program
	}
	example := "  " + strings.ReplaceAll(strings.TrimSpace(audit.PolicyExample), "\n", "\n  ")
	return fmt.Sprintf(auditHelp, strings.ReplaceAll(example, "  \n", "\n")+"\n", audit.Thresholds(audits), audit.SlackList())
}

// An auditRequest holds the flags of the audits.
type auditRequest struct {
	policy      string
	params      []string
	minCoverage float64
	baseline    string
	output      string

	minCoverageSet func() bool
}

func (q *auditRequest) addTo(f flagSet) {
	f.StringVar(&q.policy, "policy", "", "`FILE` with thresholds, slacks, SLAs, suppressions and what fails the run, YAML or JSON")
	f.StringArrayVar(&q.params, "param", nil, "set a threshold, `AUDIT.NAME=VALUE`, over the policy's; may be given again")
	f.Float64Var(&q.minCoverage, "min-coverage", 0, "exit with 3 if less than this `PART` of the applicable rules, 0 to 1, could be judged (default: the policy's)")
	q.minCoverageSet = func() bool { return f.Changed("min-coverage") }
	f.StringVar(&q.baseline, "baseline", "", "audited `RUN` to compare with: what is new, what persists, what is fixed")
	f.StringVar(&q.output, "output", "text", "`FORMAT` of the verdict: "+strings.Join(report.Formats, ", "))
	takes(f, "output", report.Formats)
}

// options returns the checked options of an audit, without the run.
func (q *auditRequest) options() (o audit.Options, err error) {
	policy, audits, err := q.readPolicy()
	if err != nil {
		return o, err
	}
	o.Policy = policy
	if q.baseline != "" {
		o.Baseline, err = audit.ReadBaseline(q.baseline, audits)
	}
	return o, err
}

// readPolicy returns the policy that was asked for, the flags over the file, with the
// audits that it is for, and checks what else was asked.
func (q *auditRequest) readPolicy() (*audit.Policy, []*audit.Audit, error) {
	if !(q.minCoverage >= 0 && q.minCoverage <= 1) {
		return nil, nil, usagef("--min-coverage %v is not between 0 and 1", q.minCoverage)
	}
	if err := oneOf("--output", q.output, report.Formats); err != nil {
		return nil, nil, err
	}
	policy, audits, err := readPolicyFile(q.policy)
	if err != nil {
		return nil, nil, err
	}
	if q.minCoverageSet() {
		policy.MinCoverage = q.minCoverage
	}
	for _, p := range q.params {
		name, value, ok := strings.Cut(p, "=")
		if !ok || !strings.Contains(name, ".") {
			return nil, nil, usagef("--param %q: write AUDIT.NAME=VALUE", p)
		}
		for _, threshold := range audit.ThresholdsNamed(audits, name) {
			policy.Params[threshold] = value
		}
	}
	return policy, audits, policy.Check(audits)
}

// largestPolicy is the most bytes of a policy file.
const largestPolicy = 1 << 20

// readPolicyFile returns the policy of a file, that of an empty one without it, and
// the audits that it may speak of.
func readPolicyFile(file string) (*audit.Policy, []*audit.Audit, error) {
	audits, err := audit.ReadAudits(queries.Files)
	if err != nil || file == "" {
		return audit.NewPolicy(), audits, err
	}
	text, err := input.ReadAll(file, largestPolicy)
	if err != nil {
		return nil, nil, fmt.Errorf("read policy: %w", err)
	}
	policy, err := audit.ReadPolicy(file, text, audits)
	return policy, audits, err
}

func auditCommand(ctx context.Context, env *environment, args []string) error {
	var q auditRequest
	f := newFlags(env, "audit", auditHelpText())
	q.addTo(f)
	only := f.StringArray("audit", nil, "run the audits whose `ID` this is alone, a name, a rule as GUA-03 or a pattern as start_*, and write nothing into RUN; may be given again")
	list := f.Bool("list", false, "print the audits that would run and end: id, severity, rules, what each asks")
	var workers int
	workersFlag(f, &workers, workersHelp)
	memory := f.String("memory", "", memoryHelp)
	quiet := quietFlag(f)
	if err := parseFlags(f, args); err != nil {
		return err
	}
	if *list {
		return listAudits(env.stdout, *only)
	}
	positional, err := arguments(f, "RUN")
	if err != nil {
		return err
	}
	limits, err := boundMemory(*memory)
	if err != nil {
		return err
	}
	if len(*only) > 0 && q.output == "html" {
		return usagef("--output html is of a whole audit: the page shows what stands in RUN")
	}
	if _, err := selectAudits(*only); err != nil {
		return err
	}
	options, err := q.options()
	if err != nil {
		return err
	}
	options.Only, options.Memory = *only, limits.database
	if err := checkWorkers(workers); err != nil {
		return err
	}
	dir := positional[0]
	if _, err := replay.ReadManifest(dir); err != nil {
		return err
	}
	other, err := audit.OtherSlacks(dir, options.Policy)
	if err != nil {
		return err
	}
	if other != "" && (*quiet || q.output != "text") { // the text says it itself
		fmt.Fprintf(env.stderr, "poolproof: %s\n", other)
	}
	p := newProgress(env, *quiet)
	defer p.done()
	verdict, err := runAudits(ctx, dir, options, workers, p)
	if err != nil {
		return err
	}
	p.done()
	return printVerdict(ctx, env, verdict, dir, &q, *quiet, limits.database)
}

// selectAudits are the audits that patterns match; all without one.
func selectAudits(patterns []string) ([]*audit.Audit, error) {
	audits, err := audit.ReadAudits(queries.Files)
	if err != nil {
		return nil, err
	}
	if audits, err = audit.Select(audits, patterns); err != nil {
		return nil, usagef("%v", err)
	}
	return audits, nil
}

// listAudits prints the audits that patterns match, one per line.
func listAudits(w io.Writer, patterns []string) error {
	audits, err := selectAudits(patterns)
	if err != nil {
		return err
	}
	width := 0
	for _, a := range audits {
		width = max(width, len(a.ID))
	}
	for _, a := range audits {
		if _, err := fmt.Fprintf(w, "%-*s  %-8s  %s: %s\n", width, a.ID, a.Severity, strings.Join(a.Invariants, ", "), a.Promise); err != nil {
			return err
		}
	}
	return nil
}

// runAudits judges the run in dir and writes its report.
func runAudits(ctx context.Context, dir string, options audit.Options, workers int, p *progress) (*audit.Verdict, error) {
	p.step("Loading the result tables and running the audits")
	options.Dir, options.Queries, options.Workers = dir, queries.Files, workers
	options.Started = func(name string) { p.showState("audit %s", name) }
	verdict, err := audit.Run(ctx, options)
	if err != nil {
		return nil, err
	}
	if len(options.Only) > 0 {
		return verdict, nil
	}
	p.showState("report")
	return verdict, report.WritePage(ctx, verdict, dir, options.Memory)
}

// printVerdict prints the verdict on the run in dir, of the text its one line if
// quiet, and turns it into the exit code. What makes the baseline another one than the
// night before is said beside it, too: it is a mistake more often than not.
func printVerdict(ctx context.Context, env *environment, v *audit.Verdict, dir string, q *auditRequest, quiet bool, memory audit.Memory) error {
	if v.Baseline != nil {
		for _, text := range v.Baseline.Differs {
			fmt.Fprintf(env.stderr, "poolproof: warning: %s\n", spelling.OneName(text))
		}
	}
	// What is wrong with the policy is said even to who wants a line, or a file.
	if quiet || q.output != "text" {
		for _, text := range v.PolicyFaults {
			fmt.Fprintf(env.stderr, "poolproof: warning: %s\n", spelling.OneName(text))
		}
	}
	var err error
	if quiet && q.output == "text" {
		err = report.Line(env.stdout, v, dir)
	} else {
		err = report.Write(ctx, env.stdout, q.output, v, dir, memory)
	}
	if err != nil {
		return err
	}
	if code := v.ExitCode(); code != exit.Kept {
		return &verdictError{code}
	}
	return nil
}
