package openb

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/joblog"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// The codes of problems.
const (
	codeBadCSV       = "bad_csv"        // quarantined, as all but the last two
	codeFieldCount   = "field_count"    // not as many values as columns
	codeBadNumber    = "bad_number"     // a value that is no number, or negative
	codeOutOfRange   = "out_of_range"   // a number that no cluster has
	codeMissing      = "missing_value"  // a value that must be there
	codeTimeOrder    = "time_order"     // an end before a start, a start before the creation
	codeDuplicate    = "duplicate_node" // a node that is there already
	codeDuplicatePod = "duplicate_pod"  // the name of another pod
	codeUnknownPhase = "unknown_phase"  // a phase of no known meaning
)

// A table is a CSV file with a header. A row is a line: a quote that is not
// closed spoils no more than its own.
type table struct {
	path    string
	columns map[string]int
	width   int // columns of a row
	source  trace.Source

	problems *joblog.Problems
	row      int64    // zero-based line of the current row
	values   []string // of the current row
	bad      bool     // the current row has been quarantined
}

// readTable calls use for every row that has all columns. An error of use ends
// it.
func readTable(path, kind string, needed []string, problems *joblog.Problems, use func(*table) error) (trace.Source, error) {
	t := &table{path: path, problems: problems, source: trace.Source{Path: path, Kind: kind}, columns: map[string]int{}, row: -1}
	f, err := joblog.Open(path)
	if err != nil {
		return t.source, err
	}
	defer f.Close()
	if err := t.header(f, needed); err != nil {
		return t.source, err
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
			return t.source, err
		}
	}
	t.source.SHA256, err = f.Digest()
	return t.source, err
}

// line returns the values of the next line that is not empty.
func (t *table) line(f *joblog.File) ([]string, error) {
	for {
		t.row++
		line, err := f.Line()
		if err != nil {
			return nil, err
		}
		values, err := csv.NewReader(bytes.NewReader(line)).Read()
		if err != io.EOF {
			return values, err
		}
	}
}

func (t *table) header(f *joblog.File, needed []string) error {
	names, err := t.line(f)
	const advice = "Give a CSV file with a header."
	switch {
	case err == io.EOF:
		return &parquetlog.FormatError{File: t.path, Found: "it is empty", Advice: advice}
	case isSyntax(err):
		return &parquetlog.FormatError{File: t.path, Found: "its first line is no header: " + err.Error(), Advice: advice, Err: err}
	case err != nil:
		return err
	}
	t.width = len(names)
	for i, name := range names {
		t.columns[strings.TrimPrefix(name, "\ufeff")] = i
	}
	for _, name := range needed {
		if _, ok := t.columns[name]; !ok {
			return &parquetlog.FormatError{File: t.path, Column: name, Found: "the column is missing",
				Advice: "The columns must be " + strings.Join(needed, ", ") + "."}
		}
	}
	return nil
}

// isSyntax tells a line that is no CSV from a failure of reading it.
func isSyntax(err error) bool {
	var syntax *csv.ParseError
	return errors.As(err, &syntax) || errors.Is(err, joblog.ErrLineTooLong)
}

// next reads a row. It reports false for one that it had to quarantine.
func (t *table) next(f *joblog.File) (ok bool, err error) {
	t.values, err = t.line(f)
	t.bad = false
	if err != nil && !isSyntax(err) {
		return false, err
	}
	t.source.Rows++
	if err != nil {
		t.quarantine("", codeBadCSV, strings.TrimPrefix(err.Error(), "record on line 1: "))
		return false, nil
	}
	if len(t.values) != t.width {
		t.quarantine("", codeFieldCount, strings.Join(t.values, ","))
		return false, nil
	}
	return true, nil
}

// quarantine leaves the current row out. Only its first fault counts.
func (t *table) quarantine(column, code, value string) {
	if !t.bad {
		t.problems.Quarantine(t.path, t.row, column, code, value)
	}
	t.bad = true
}

func (t *table) note(column, code, value string) {
	t.problems.Note(t.path, t.row, column, code, value)
}

// text returns a value, "" if the file has no such column.
func (t *table) text(column string) string {
	if i, ok := t.columns[column]; ok {
		return joblog.Text(t.values[i])
	}
	return ""
}

// amount returns a whole number of at most most; the row is quarantined if it
// is none.
func (t *table) amount(column string, most int64) int64 {
	value := t.text(column)
	n, fraction, ok := joblog.Decimal([]byte(value))
	switch {
	case value == "":
		t.quarantine(column, codeMissing, "")
	case !ok || fraction != 0 || n < 0:
		t.quarantine(column, codeBadNumber, value)
	case n > most:
		t.quarantine(column, codeOutOfRange, value)
	}
	return n
}

const maxSeconds = 253_402_300_799 // the end of the year 9999

// time returns a time, absent if the value is empty.
func (t *table) time(column string, epoch core.Time) core.Optional[core.Time] {
	value := t.text(column)
	if value == "" {
		return core.Optional[core.Time]{}
	}
	n, fraction, ok := joblog.Decimal([]byte(value))
	switch {
	case !ok || n < 0 || fraction < 0:
		t.quarantine(column, codeBadNumber, value)
	case n > maxSeconds:
		t.quarantine(column, codeOutOfRange, value)
	}
	return core.Some(epoch + core.Time(n)*core.Second + core.Time(fraction))
}

// is reports whether the value is one of the words.
func (t *table) is(column string, words ...string) bool {
	return slices.Contains(words, t.text(column))
}
