package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"poolproof/core/spelling"
	"poolproof/ingest/input"
)

// runErrorf returns the error that a run, or a file of it, is not what it should be.
func runErrorf(path, format string, args ...any) error {
	return input.Errorf("%s "+format, append([]any{spelling.OneName(path)}, args...)...)
}

// A StoreError is a database, or a place to spill to, that cannot be used as it stands:
// another process holds it, the disk is full.
type StoreError struct {
	Path string
	Text string // what is wrong and what to do, a clause
	Err  error
}

func (e *StoreError) Error() string { return spelling.OneName(e.Path) + ": " + e.Text }
func (e *StoreError) Unwrap() error { return e.Err }

// holder finds in DuckDB's words who holds a database.
var holder = regexp.MustCompile(`Conflicting lock is held in (.+?) \(PID (\d+)\)`)

// ofDatabase tells an error of the database at path from a database that is damaged.
func ofDatabase(path string, err error) error {
	text := err.Error()
	held := holder.FindStringSubmatch(text)
	switch {
	case held != nil:
		return &StoreError{path, fmt.Sprintf("it is in use by %s (process %s): wait until that has ended, or end it", filepath.Base(held[1]), held[2]), err}
	case strings.Contains(text, "Could not set lock"):
		return &StoreError{path, "another process uses it, perhaps on another machine: wait until that has ended", err}
	case isRefused(err):
		return refused(path, err)
	case isIO(err) && !strings.Contains(text, "not a valid DuckDB database file"):
		return &StoreError{path, "it cannot be read or written: " + text, err}
	case isMemory(err):
		return &StoreError{path, "the memory that DuckDB may take was not enough, and what it needs cannot be spilled to a disk: give more by --memory", err}
	}
	return runErrorf(path, "cannot be opened: %w", err)
}

// refusal finds in DuckDB's words which file the system refused, and why.
var refusal = regexp.MustCompile(`[Cc](?:ould not|annot) ([a-z ]*?)(?: to| from)? ?file "([^"\n]+)"[^:\n]*: ([^"\n]+)`)

// refused is the error of a file that the system refused, in one line: DuckDB adds its stack and
// repeats itself.
func refused(path string, err error) error {
	text := err.Error()
	if found := refusal.FindStringSubmatch(text); found != nil {
		return &StoreError{found[2], "DuckDB cannot " + found[1] + " it: " + strings.TrimSpace(found[3]), err}
	}
	first, _, _ := strings.Cut(text, "\n")
	return &StoreError{path, "it cannot be read or written: " + first, err}
}

// lacksRoom reports whether DuckDB had too little memory, or the disk refused what it wrote.
func lacksRoom(err error) bool { return isMemory(err) || isRefused(err) }

// AsStore returns err as a *StoreError if DuckDB had too little memory or the disk refused what it
// wrote, else as it is.
func AsStore(err error) error {
	var store *StoreError
	if err == nil || errors.As(err, &store) || !lacksRoom(err) {
		return err
	}
	return ofDatabase("DuckDB", err)
}

// isSystem reports whether the system refused something, as opposed to a fault of what was read.
func isSystem(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path)
}

// orStore returns err as a *StoreError if the database at path is what failed, else as
// it is.
func orStore(path string, err error) error {
	var store *StoreError
	if err == nil || errors.As(err, &store) || !isIO(err) && !isMemory(err) {
		return err
	}
	return ofDatabase(path, err)
}

// quoteName quotes an identifier of SQL.
func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// quoteIn quotes the name of an object in a schema or catalog.
func quoteIn(schema, name string) string { return quoteName(schema) + "." + quoteName(name) }

// quoteText quotes a text literal of SQL.
func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
