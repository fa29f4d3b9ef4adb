package ingest

import "errors"

// BadInput reports whether an error says that input is readable and wrong, as
// opposed to an error of reading it: exit code 65 against 74.
func BadInput(err error) bool {
	var bad interface{ BadInput() bool }
	return errors.As(err, &bad) && bad.BadInput()
}
