package input

import (
	"errors"
	"fmt"

	"poolproof/core/spelling"
)

// Errorf returns an error that is bad input.
func Errorf(format string, args ...any) error { return &badInput{fmt.Errorf(format, args...)} }

// IsBad reports whether an error says that input is readable and wrong, as opposed to an error of
// reading it: exit code 65 against 74.
func IsBad(err error) bool {
	var bad interface{ BadInput() bool }
	return errors.As(err, &bad) && bad.BadInput()
}

type badInput struct{ error }

func (e *badInput) Unwrap() error  { return e.error }
func (e *badInput) BadInput() bool { return true }

// A PlaceError says what is wrong at a place of a file, and what is allowed there.
type PlaceError struct {
	File   string
	Line   int // from 1
	Column int // from 1; 0 if it is not known
	Found  string
}

// At returns a PlaceError for a line.
func At(file string, line int, format string, args ...any) *PlaceError {
	return &PlaceError{File: file, Line: line, Found: fmt.Sprintf(format, args...)}
}

func (e *PlaceError) Error() string {
	place := fmt.Sprintf("%s:%d", spelling.OneName(e.File), e.Line)
	if e.Column > 0 {
		place += fmt.Sprintf(":%d", e.Column)
	}
	return place + ": " + e.Found
}

// BadInput says that the file is readable and wrong.
func (e *PlaceError) BadInput() bool { return true }
