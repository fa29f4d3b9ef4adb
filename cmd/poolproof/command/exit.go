package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"poolproof/audit"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/spelling"
	"poolproof/ingest/input"
	"poolproof/replay"
)

// A usageError is a fault of the command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// A verdictError ends a command that did its work with a verdict that is not
// "all kept". The verdict has been printed; only the code is left to give.
type verdictError struct{ code int }

func (e *verdictError) Error() string { return fmt.Sprintf("verdict: exit code %d", e.code) }

// exitCode maps an error to the exit code of the process.
func exitCode(ctx context.Context, err error) int {
	var (
		usage   *usageError
		verdict *verdictError
		asked   *audit.UsageError
		path    *fs.PathError
		link    *os.LinkError
		errno   syscall.Errno
		store   *audit.StoreError
	)
	switch {
	case err == nil, errors.Is(err, pflag.ErrHelp):
		return exit.Kept
	case errors.As(err, &verdict):
		return verdict.code
	case ctx.Err() != nil, errors.Is(err, context.Canceled):
		return exit.Interrupted
	case errors.As(err, &store):
		return exit.IO
	case errors.As(err, &usage), errors.As(err, &asked), errors.Is(err, fs.ErrExist):
		return exit.Usage
	case input.IsBad(err), errors.Is(err, replay.ErrNoRun), errors.Is(err, replay.ErrNotRun):
		return exit.BadInput
	case errors.As(err, &path), errors.As(err, &link), errors.As(err, &errno):
		return exit.IO
	}
	return exit.Internal
}

// errorText is the text of an error, in which names of files stay on their line: those of the
// system's errors are as they were given.
func errorText(err error) string {
	text := err.Error()
	for _, name := range filesIn(err) {
		text = strings.ReplaceAll(text, name, spelling.OneName(name))
	}
	return text
}

// filesIn are the files that the system's errors in err name.
func filesIn(err error) (names []string) {
	switch e := err.(type) {
	case *fs.PathError:
		return []string{e.Path}
	case *os.LinkError:
		return []string{e.Old, e.New}
	case *input.Error:
		return []string{e.Path}
	case interface{ Unwrap() error }:
		return filesIn(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			names = append(names, filesIn(one)...)
		}
	}
	return names
}
