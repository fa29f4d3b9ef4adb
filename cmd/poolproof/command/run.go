package command

import (
	"context"
	"runtime/debug"

	"poolproof/audit"
)

const runHelp = `
The nightly job: replay TRACE, run the audits, print the verdict. The directory
RUN holds the result tables, run.duckdb, findings.json and report.html; it
appears whole or not at all.

` + verdictCodesHelp + `
Example:
  poolproof run trace --out runs/2025-03-03 --policy policy.yaml --baseline runs/2025-03-02

The policy's slacks say how far the log may be off before a violation is alleged.
The replay judges by them, and the manifest of RUN records them. poolproof audit
--help shows a policy with all its keys.

run judges by all audits, so that the verdict in RUN is whole. poolproof audit --audit
judges a run by some of them, and writes nothing into it; its --list lists them.

usage: poolproof run TRACE --out RUN
`

func runCommand(ctx context.Context, env *environment, args []string) error {
	var q replayRequest
	var a auditRequest
	f := newFlags(env, "run", runHelp)
	q.addTo(f)
	a.addTo(f)
	positional, err := parse(f, args, "TRACE")
	if err != nil {
		return err
	}
	if q.limits, err = boundMemory(q.memory); err != nil {
		return err
	}
	options, err := a.options()
	if err != nil {
		return err // now, and not after the night's replay
	}
	options.Memory = q.limits.database
	q.slacks = options.Policy.ReplaySlacks()
	directory, err := newRun(q.out, q.replace)
	if err != nil {
		return err
	}
	defer directory.Abort()
	p := newProgress(env, q.quiet)
	defer p.done()
	if _, err := replayInto(ctx, directory.Path, positional[0], &q, p); err != nil {
		return err
	}
	debug.FreeOSMemory() // DuckDB is to have what the replay took
	var verdict *audit.Verdict
	if verdict, err = runAudits(ctx, directory.Path, options, q.workers, p); err != nil {
		return err
	}
	if err := directory.Commit(); err != nil {
		return err
	}
	p.done()
	return printVerdict(ctx, env, verdict, q.out, &a, q.quiet, q.limits.database)
}
