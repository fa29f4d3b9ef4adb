package audit

import (
	"context"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Formats are the formats of an answer.
var Formats = []string{"table", "csv", "json", "markdown", "bar", "line", "parquet", "arrow"}

// answers write an answer, by format. One that needs a database of its own gets that memory.
var answers = map[string]func(context.Context, *sql.Conn, string, io.Writer, Memory) error{
	"table": writeRows(newTableWriter), "csv": writeRows(newCSVWriter), "json": writeRows(newJSONWriter), "markdown": writeRows(newMarkdownWriter),
	"bar": writeRows(newBarWriter), "line": writeRows(newLineWriter), "parquet": writeParquet, "arrow": writeArrow,
}

// A UsageError is a fault of what was asked: a query, its format, the parameter of an audit.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// queryThreads is the number of threads of a query.
const queryThreads = 4

// A rowWriter writes an answer row by row.
type rowWriter interface {
	row(values []any) error
	end() error
}

// writeRows writes an answer that is made of text.
func writeRows(begin func(w io.Writer, columns []string) rowWriter) func(context.Context, *sql.Conn, string, io.Writer, Memory) error {
	return func(ctx context.Context, conn *sql.Conn, query string, w io.Writer, _ Memory) error {
		rows, err := conn.QueryContext(ctx, query)
		if err != nil {
			return &UsageError{err}
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			return &UsageError{err}
		}
		out := begin(w, columns)
		values := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(into...); err != nil {
				return &UsageError{err}
			}
			if err := out.row(values); err != nil {
				return ofWriting(err)
			}
		}
		if err := rows.Err(); err != nil {
			return &UsageError{err}
		}
		if err := out.end(); err != nil {
			return ofWriting(err)
		}
		return nil
	}
}

// ofWriting says of an error that it is one of writing, unless the answer cannot be written
// so.
func ofWriting(err error) error {
	if fault := (*UsageError)(nil); errors.As(err, &fault) {
		return err
	}
	return fmt.Errorf("write the answer: %w", err)
}

type tableWriter struct{ *tabwriter.Writer }

func newTableWriter(w io.Writer, columns []string) rowWriter {
	t := tableWriter{tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)}
	t.line(columns)
	rule := make([]string, len(columns))
	for i, c := range columns {
		rule[i] = strings.Repeat("-", len([]rune(c)))
	}
	t.line(rule)
	return t
}

func (t tableWriter) line(cells []string) error {
	clean := strings.NewReplacer("\n", " ", "\t", " ")
	for i := range cells {
		cells[i] = clean.Replace(cells[i])
	}
	_, err := fmt.Fprintln(t, strings.Join(cells, "\t"))
	return err
}

func (t tableWriter) row(values []any) error { return t.line(texts(values)) }
func (t tableWriter) end() error             { return t.Flush() }

// A markdownWriter writes a table of a page.
type markdownWriter struct{ w io.Writer }

func newMarkdownWriter(w io.Writer, columns []string) rowWriter {
	m := markdownWriter{w}
	m.line(columns)
	m.line(slices.Repeat([]string{"---"}, len(columns)))
	return m
}

func (m markdownWriter) line(cells []string) error {
	clean := strings.NewReplacer("\n", " ", "\r", " ", `\`, `\\`, "|", `\|`)
	for i := range cells {
		cells[i] = clean.Replace(cells[i])
	}
	_, err := fmt.Fprintf(m.w, "| %s |\n", strings.Join(cells, " | "))
	return err
}

func (m markdownWriter) row(values []any) error { return m.line(texts(values)) }
func (m markdownWriter) end() error             { return nil }

type csvWriter struct{ *csv.Writer }

func newCSVWriter(w io.Writer, columns []string) rowWriter {
	c := csvWriter{csv.NewWriter(w)}
	c.Write(columns)
	return c
}

func (c csvWriter) row(values []any) error { return c.Write(texts(values)) }
func (c csvWriter) end() error             { c.Flush(); return c.Error() }

// A jsonWriter writes an array of objects, whose keys stand in the order of the
// columns, one object per line.
type jsonWriter struct {
	w       io.Writer
	columns []string
	rows    int
}

func newJSONWriter(w io.Writer, columns []string) rowWriter {
	return &jsonWriter{w: w, columns: columns}
}

func (j *jsonWriter) row(values []any) error {
	b := []byte(",\n{")
	if j.rows == 0 {
		b = []byte("[\n{")
	}
	j.rows++
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		key, err := json.Marshal(j.columns[i])
		if err != nil {
			return err
		}
		value, err := json.Marshal(plain(v))
		if err != nil {
			return err
		}
		b = append(append(append(b, key...), ':'), value...)
	}
	_, err := j.w.Write(append(b, '}'))
	return err
}

func (j *jsonWriter) end() error {
	last := "\n]\n"
	if j.rows == 0 {
		last = "[]\n"
	}
	_, err := io.WriteString(j.w, last)
	return err
}

// texts are the values of a row for a person; nulls are empty.
func texts(values []any) []string {
	cells := make([]string, len(values))
	for i, v := range values {
		switch p := plain(v).(type) {
		case nil:
		case string:
			cells[i] = p
		case float64:
			cells[i] = strconv.FormatFloat(p, 'g', -1, 64)
		case json.Number:
			cells[i] = p.String()
		default:
			b, err := json.Marshal(p)
			if err != nil {
				b = []byte(fmt.Sprint(p))
			}
			cells[i] = string(b)
		}
	}
	return cells
}

// plain converts a value of the driver to one that JSON supports: times become ISO 8601 texts, and
// other values that are not numbers become text.
func plain(v any) any {
	switch v := v.(type) {
	case time.Time:
		return timeText(&v)
	case []byte:
		return string(v)
	case *big.Int:
		return json.Number(v.String())
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
		return v
	case float32:
		return plain(float64(v))
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plain(v[i])
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for k := range v {
			object[k] = plain(v[k])
		}
		return object
	}
	return plainOfDriver(v)
}
