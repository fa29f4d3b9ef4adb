package yson

import "fmt"

// A SyntaxError says what is wrong with a text, and where.
type SyntaxError struct {
	Offset int64 // of the byte, in the text or the stream
	Found  string
	Cut    bool // the text ends in the middle of a value
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Found) }

// A TooLongError says that a record is longer than the limit.
type TooLongError struct {
	Offset int64 // of the record in the stream
	Limit  int   // bytes
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("byte %d: the record is longer than %d bytes", e.Offset, e.Limit)
}

func (d *Decoder) wrong(found string) error {
	return &SyntaxError{Offset: d.Offset(), Found: found}
}

// cut is the error at the end of the input, where a value is not whole.
func (d *Decoder) cut() error {
	return &SyntaxError{Offset: d.base + int64(len(d.in)), Found: "the value is cut off", Cut: true}
}
