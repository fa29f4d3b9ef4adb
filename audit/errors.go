package audit

import (
	"fmt"
	"strings"
)

// A RunError is a run, or a file of it, that is not what it should be.
type RunError struct {
	Path string
	Err  error
}

func (e *RunError) Error() string { return fmt.Sprintf("%s %v", e.Path, e.Err) }
func (e *RunError) Unwrap() error { return e.Err }

// BadInput tells that the fault is in what was read, not in the reading.
func (e *RunError) BadInput() bool { return true }

// quoteName quotes an identifier of SQL.
func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// quoteText quotes a text literal of SQL.
func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
