package audit

import (
	"fmt"
	"strings"
)

// A FileError is a file of the run that cannot be read as what it should be.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string {
	return fmt.Sprintf("%s is damaged: %v; replay the trace again", e.Path, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }

// quoteName quotes an identifier of SQL.
func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// quoteText quotes a text literal of SQL.
func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
