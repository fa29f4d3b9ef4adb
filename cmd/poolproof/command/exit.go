package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/spf13/pflag"

	"poolproof/audit"
	"poolproof/replay"
)

// Exit codes (design §7).
const (
	exitKept        = 0   // all promises kept
	exitViolated    = 1   // at least one violated
	exitAuditFailed = 2   // an audit failed to run
	exitCoverage    = 3   // coverage below what was asked
	exitUsage       = 64  // the command line, an output that exists included
	exitBadInput    = 65  // input that cannot be read as what it should be
	exitInternal    = 70  // our own fault
	exitIO          = 74  // reading or writing failed
	exitInterrupted = 130 // SIGINT or SIGTERM
)

// exitCodes say what the codes mean, for the manual page and the reference.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{exitKept, "all promises kept; findings that are only suspect or excused do not count as broken"},
	{exitViolated, "at least one violated of a severity that the policy fails on; suppressed findings and noted ones never count"},
	{exitAuditFailed, "an audit failed to run"},
	{exitCoverage, "coverage below what was asked (--min-coverage, policy): by default less than half of the applicable rules could be judged, as from a log of jobs alone, or no promise of those that something tested"},
	{exitUsage, "usage, an output that exists included"},
	{exitBadInput, "bad input: also a trace that changes while it is read, and one with a tree of whose log no row can be used; of validate, an illegal configuration, too"},
	{exitInternal, "internal error"},
	{exitIO, "input or output failed; also where standard output is full, or a pipe that its reader closed, as head does"},
	{exitInterrupted, "interrupted"},
}

// A usageError is a fault of the command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// An inputError is input that cannot be read as what it should be, found here.
type inputError struct{ err error }

func (e *inputError) Error() string  { return e.err.Error() }
func (e *inputError) Unwrap() error  { return e.err }
func (e *inputError) BadInput() bool { return true }

// A verdictError ends a command that did its work with a verdict that is not
// "all kept". The verdict has been printed; only the code is left to give.
type verdictError struct{ code int }

func (e *verdictError) Error() string { return fmt.Sprintf("verdict: exit code %d", e.code) }

// exitCode maps an error to the exit code of the process.
func exitCode(ctx context.Context, err error) int {
	var (
		usage   *usageError
		verdict *verdictError
		input   interface{ BadInput() bool }
		param   *audit.ParamError
		query   *audit.QueryError
		path    *fs.PathError
		link    *os.LinkError
		errno   syscall.Errno
		store   *audit.StoreError
	)
	switch {
	case err == nil, errors.Is(err, pflag.ErrHelp):
		return exitKept
	case errors.As(err, &verdict):
		return verdict.code
	case ctx.Err() != nil, errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &store):
		return exitIO
	case errors.As(err, &usage), errors.As(err, &param), errors.As(err, &query), errors.Is(err, fs.ErrExist):
		return exitUsage
	case errors.As(err, &input), errors.Is(err, replay.ErrNoRun), errors.Is(err, replay.ErrNotRun):
		return exitBadInput
	case errors.As(err, &path), errors.As(err, &link), errors.As(err, &errno):
		return exitIO
	}
	return exitInternal
}
