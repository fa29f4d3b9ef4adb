package parquetlog

import (
	"strings"

	"poolproof/core/spelling"
)

// A FormatError says that input is there and readable, but is not what it
// should be: a command that meets one exits with "bad input". Errors of reading
// itself, such as missing permissions, stay what the system made of them.
type FormatError struct {
	File   string
	Column string // "" if the file as a whole is meant
	Found  string // what is wrong, a clause
	Advice string // what to do, a sentence
	Err    error  // the cause, if another package found it
}

func (e *FormatError) Error() string {
	var b strings.Builder
	b.WriteString(spelling.OneName(e.File))
	if e.Column != "" {
		b.WriteString(": column " + spelling.OneName(e.Column))
	}
	b.WriteString(": " + e.Found)
	if e.Advice != "" {
		b.WriteString(". " + e.Advice)
	}
	return b.String()
}

func (e *FormatError) Unwrap() error { return e.Err }

// BadInput says that the file is readable and wrong.
func (e *FormatError) BadInput() bool { return true }
