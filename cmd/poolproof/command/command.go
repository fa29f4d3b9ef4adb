// Package command is the command line of poolproof: one file per subcommand, which parses
// flags, wires the stages of the pipeline and prints. Stages meet here only. What a stage can
// do by itself stands in the stage.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"poolproof/audit"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/spelling"
)

// A command is one subcommand of poolproof.
type command struct {
	name    string
	usage   string // arguments, as they follow the name
	summary string // one line for the overview
	run     func(ctx context.Context, env *environment, args []string) error
}

// commands in the order of the overview.
func commands() []command {
	return []command{
		{"run", "TRACE --out RUN", "validate, replay, audit and report: the nightly job", runCommand},
		{"import", "FORMAT SOURCE --out TRACE", "turn a foreign log into a trace", importCommand},
		{"generate", "--out TRACE", "make the trace of a described cluster, with violations planted", generateCommand},
		{"validate", "TRACE|CONFIG", "check a trace or a pool configuration and say what is wrong", validateCommand},
		{"replay", "TRACE --out RUN", "replay a trace and write the result tables", replayCommand},
		{"shards", "SOURCE...", "list what can be replayed apart, the longest first", shardsCommand},
		{"gather", "RUN-PART... --out RUN", "put trees that were replayed apart together into one run", gatherCommand},
		{"audit", "RUN", "load the result tables into DuckDB, run the audits, print the verdict", auditCommand},
		{"report", "RUN", "write the verdict again: CSV, JUnit XML, Prometheus, ...", reportCommand},
		{"explain", "RUN SUBJECT", "explain a finding, or what happened to an operation, a pool or a node", explainCommand},
		{"shrink", "TRACE FINDING --out TRACE", "make a small trace that still shows a finding, for the report of a bug", shrinkCommand},
		{"what-if", "TRACE --edit FILE", "replay a log under an edited configuration, and compare", whatIfCommand},
		{"compare", "RUN RUN", "compare two runs: findings, metrics, the first decision that differs", compareCommand},
		{"query", "RUN [SQL]", "put questions to runs, or open a prompt", queryCommand},
		{"export", "RUN... --out DIR", "write tables of audited runs as Parquet, partitioned by cluster and day", exportCommand},
		{"fair-share", "[FILE|-]", "compute the fair shares of pool trees given as JSON lines", fairShareCommand},
		{"completion", "SHELL", "print the completion script of bash, zsh or fish", completionCommand},
		{"man", "", "print the manual page", manCommand},
		{"version", "", "print version, commit and date of this binary", versionCommand},
	}
}

// An environment holds the streams and the context of a command.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer // of text, in which control characters are spelled out
	binary, drawn  io.Writer // the same without that: for files, and for the line of a progress
	terminal       bool      // stderr is one

	describe func(help string, f flagSet) // takes the place of printing --help
}

// Main runs the command line of the process and ends it.
func Main() { run(patience) }

func run(patience time.Duration) {
	ctx := interruptible(context.Background(), os.Stderr, patience)
	// A closed pipe is an error of writing, so that what was begun is cleaned up.
	signal.Ignore(syscall.SIGPIPE)
	collectSparingly()
	env := &environment{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, terminal: isTerminal(os.Stderr)}
	os.Exit(execute(ctx, env, os.Args[1:]))
}

// execute runs one command line and returns the exit code of the process. It is not 0 if the
// output could not be written, so that a cut-off answer is not taken for the whole.
func execute(ctx context.Context, env *environment, args []string) int {
	out := &output{w: env.stdout}
	text, complaints := &plainWriter{w: out}, &plainWriter{w: env.stderr}
	env.binary, env.stdout, env.drawn, env.stderr = out, text, env.stderr, complaints
	code := dispatch(ctx, env, args)
	text.finish()
	if out.err == nil || code != exit.Kept && code != exit.Violated && code != exit.Coverage {
		return code
	}
	// A reader that closes a pipe, as head does, has read enough.
	if !errors.Is(out.err, syscall.EPIPE) {
		fmt.Fprintf(env.stderr, "poolproof: write standard output: %v\n", out.err)
	}
	return exit.IO
}

// dispatch runs the command that a command line names.
func dispatch(ctx context.Context, env *environment, args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(env.stderr, "poolproof: internal error: %v\n%s", p, debug.Stack())
			code = exit.Internal
		}
	}()
	if len(args) == 0 {
		overview(env.stderr)
		return exit.Usage
	}
	switch args[0] {
	case "-h", "--help", "help":
		if len(args) > 1 && args[0] == "help" {
			return dispatch(ctx, env, []string{args[1], "--help"})
		}
		overview(env.stdout)
		return exit.Kept
	case "--version":
		return dispatch(ctx, env, append([]string{"version"}, args[1:]...))
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return conclude(ctx, env, c, audit.AsStore(c.run(ctx, env, args[1:])))
		}
	}
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	fmt.Fprintf(env.stderr, "poolproof: unknown command %q; %s\n", args[0], spelling.MeantOr(args[0], names, "poolproof help lists them all"))
	return exit.Usage
}

// conclude prints a command's error and returns its exit code.
func conclude(ctx context.Context, env *environment, c command, err error) int {
	code := exitCode(ctx, err)
	var usage *usageError
	var verdict *verdictError
	switch {
	case err == nil, errors.Is(err, pflag.ErrHelp), errors.As(err, &verdict):
	case code == exit.Interrupted:
		fmt.Fprintf(env.stderr, "poolproof %s: interrupted; nothing half-made is left behind\n", c.name)
	case errors.As(err, &usage):
		fmt.Fprintf(env.stderr, "poolproof %s: %s\nusage: poolproof %s %s\n", c.name, errorText(err), c.name, c.usage)
	case errors.Is(err, syscall.EPIPE): // see execute
	default:
		fmt.Fprintf(env.stderr, "poolproof %s: %s\n", c.name, errorText(err))
	}
	return code
}

const purposeHelp = `Poolproof proves, from a cluster's own logs, whether a hierarchical fair-share
scheduler kept its promises.
`

func overview(w io.Writer) {
	fmt.Fprint(w, purposeHelp+`
usage: poolproof COMMAND [flags]

`)
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-11s %-26s %s\n", c.name, c.usage, c.summary)
	}
	fmt.Fprint(w, `
poolproof COMMAND --help explains a command and shows an example.

Exit codes: `+exitCodesHelp)
}

// verdictCodesHelp is of audit.ExitKept and the exit codes beside it.
const verdictCodesHelp = `The exit code is 0 if all promises were kept, 1 if one was violated (the policy says
which severities count, whether damage of the log does, and what is suppressed), 4 if
an audit failed to run, and 3 if less could be judged than --min-coverage or the policy
asks; of several 4, then 1, then 3.
`

const exitCodesHelp = `0 all promises kept, 1 at least one violated, 3 coverage below what
was asked, 4 an audit failed to run, 64 usage, 65 bad input, 70 internal error,
74 input or output failed, 130 interrupted.
`
