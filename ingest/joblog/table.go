package joblog

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// The codes of problems that any table has. Their rows are quarantined.
const (
	CodeBadCSV     = "bad_csv"       // the line is malformed CSV
	CodeFieldCount = "field_count"   // not as many values as columns
	CodeBadNumber  = "bad_number"    // a value that is not a number, or negative
	CodeOutOfRange = "out_of_range"  // a number that no cluster has
	CodeMissing    = "missing_value" // a value that must be there
)

// TableExplanations say what the codes that any table has mean, by code.
func TableExplanations() map[string]string {
	return map[string]string{
		CodeBadCSV:     "the line is no line of comma-separated values. It is left out.",
		CodeFieldCount: "there are not as many values as columns. The line is left out.",
		CodeBadNumber:  "a value is no number, or negative. The line is left out.",
		CodeOutOfRange: "a number that no cluster has. The line is left out.",
		CodeMissing:    "a value is empty that must be there. The line is left out.",
	}
}

// A Table is a CSV file with a header. A row is a line: a quote that is not
// closed spoils no more than its own.
type Table struct {
	Source trace.Source // Rows counts those read so far

	columns  map[string]int
	width    int // columns of a row
	problems *Problems
	row      int64    // zero-based line of the current row
	values   []string // of the current row
	bad      bool     // the current row has been quarantined
}

// ReadTable calls use for every row that has all columns. An error of use ends
// it.
func ReadTable(path, kind string, needed []string, problems *Problems, use func(*Table) error) (trace.Source, error) {
	t := &Table{problems: problems, Source: trace.Source{Path: path, Kind: kind}, columns: map[string]int{}, row: -1}
	f, err := Open(path)
	if err != nil {
		return t.Source, err
	}
	defer f.Close()
	if err := t.header(f, needed); err != nil {
		return t.Source, err
	}
	for {
		ok, err := t.next(f)
		if err == io.EOF {
			break
		}
		if err == nil && ok {
			err = use(t)
		}
		if err != nil {
			return t.Source, err
		}
	}
	t.Source.SHA256, err = f.Digest()
	return t.Source, err
}

// line returns the values of the next line that is not empty. They are valid
// until the next call.
func (t *Table) line(f *File) ([]string, error) {
	for {
		t.row++
		line, err := f.Line()
		switch {
		case err != nil:
			return nil, err
		case len(line) == 0:
			continue
		case bytes.IndexByte(line, '"') < 0: // nothing but values and commas
			t.values = t.values[:0]
			for value := range strings.SplitSeq(string(line), ",") {
				t.values = append(t.values, value)
			}
			return t.values, nil
		}
		return csv.NewReader(bytes.NewReader(line)).Read()
	}
}

func (t *Table) header(f *File, needed []string) error {
	names, err := t.line(f)
	const advice = "Give a CSV file with a header."
	switch {
	case err == io.EOF:
		return &parquetlog.FormatError{File: t.Source.Path, Found: "it is empty", Advice: advice}
	case isSyntax(err):
		return &parquetlog.FormatError{File: t.Source.Path, Found: "invalid header in its first line: " + err.Error(), Advice: advice, Err: err}
	case err != nil:
		return err
	}
	t.width = len(names)
	for i, name := range names {
		t.columns[strings.TrimPrefix(name, "\ufeff")] = i
	}
	for _, name := range needed {
		if _, ok := t.columns[name]; !ok {
			return &parquetlog.FormatError{File: t.Source.Path, Column: name, Found: "the column is missing",
				Advice: "The columns must be " + strings.Join(needed, ", ") + "."}
		}
	}
	return nil
}

// isSyntax distinguishes malformed CSV from a failure to read it.
func isSyntax(err error) bool {
	var syntax *csv.ParseError
	return errors.As(err, &syntax) || errors.Is(err, ErrLineTooLong)
}

// next reads a row. It reports false for one that it had to quarantine.
func (t *Table) next(f *File) (ok bool, err error) {
	t.values, err = t.line(f)
	t.bad = false
	if err != nil && !isSyntax(err) {
		return false, err
	}
	t.Source.Rows++
	if err != nil {
		t.Quarantine("", CodeBadCSV, strings.TrimPrefix(err.Error(), "record on line 1: "))
		return false, nil
	}
	if len(t.values) != t.width {
		t.Quarantine("", CodeFieldCount, fmt.Sprintf("%d values for %d columns: %s", len(t.values), t.width, strings.Join(t.values, ",")))
		return false, nil
	}
	return true, nil
}

// Row returns the zero-based line of the current row.
func (t *Table) Row() int64 { return t.row }

// Bad reports whether the current row has been quarantined.
func (t *Table) Bad() bool { return t.bad }

// Quarantine leaves the current row out. Only its first fault counts.
func (t *Table) Quarantine(column, code, value string) {
	if !t.bad {
		t.problems.Quarantine(t.Source.Path, t.row, column, code, value)
	}
	t.bad = true
}

// Note records that the current row is used although a value of it is not.
func (t *Table) Note(column, code, value string) {
	t.problems.Note(t.Source.Path, t.row, column, code, value)
}

// Text returns a value, "" if the file has no such column.
func (t *Table) Text(column string) string {
	if i, ok := t.columns[column]; ok {
		return Text(t.values[i])
	}
	return ""
}

// Amount returns a whole number of at most most. Any other value quarantines the row.
func (t *Table) Amount(column string, most int64) int64 {
	value := t.Text(column)
	n, fraction, ok := Decimal([]byte(value))
	switch {
	case value == "":
		t.Quarantine(column, CodeMissing, "")
	case !ok || fraction != 0 || n < 0:
		t.Quarantine(column, CodeBadNumber, value)
	case n > most:
		t.Quarantine(column, CodeOutOfRange, value)
	}
	return n
}

// Is reports whether the value is one of the words.
func (t *Table) Is(column string, words ...string) bool {
	return slices.Contains(words, t.Text(column))
}
