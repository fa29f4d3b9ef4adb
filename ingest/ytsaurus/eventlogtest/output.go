package eventlogtest

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// An encoder writes rows in a form.
type encoder interface {
	row(*Value) error      // one row of the log
	document(*Value) error // a value that is a file by itself
	close() error
}

func encoderOf(form Form, out io.Writer) (encoder, error) {
	switch form {
	case JSONL:
		return &jsonEncoder{out: out}, nil
	case TextYSON, BinaryYSON:
		return &ysonEncoder{out: out, binary: form == BinaryYSON}, nil
	case Parquet:
		return newParquetEncoder(out), nil
	}
	return nil, fmt.Errorf("no encoder of %s", form)
}

// A jsonEncoder writes a row a line.
type jsonEncoder struct {
	out  io.Writer
	line []byte
}

func (e *jsonEncoder) row(v *Value) error {
	e.line = append(appendJSON(e.line[:0], v), '\n')
	_, err := e.out.Write(e.line)
	return err
}

func (e *jsonEncoder) document(v *Value) error { return e.row(v) }

func (e *jsonEncoder) close() error { return nil }

// A file is one of the log's files: what it is encoded in, compressed by and buffered
// with.
type file struct {
	encoder
	out     io.Writer
	closers []func() error // from the inside out
}

func createFile(path string, form Form, compression string) (*file, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	buffer := bufio.NewWriterSize(f, 1<<20)
	r := &file{closers: []func() error{buffer.Flush, f.Close}}
	var out io.Writer = buffer
	switch compression {
	case "gz":
		z := gzip.NewWriter(buffer)
		out, r.closers = z, slices.Insert(r.closers, 0, z.Close)
	case "zst":
		z, err := zstd.NewWriter(buffer, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		out, r.closers = z, slices.Insert(r.closers, 0, z.Close)
	}
	if r.encoder, err = encoderOf(form, out); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.out, r.closers = out, slices.Insert(r.closers, 0, r.encoder.close)
	return r, nil
}

// line writes text that is no row.
func (f *file) line(s string) error {
	_, err := io.WriteString(f.out, s)
	return err
}

func (f *file) close() error {
	var errs []error
	for _, c := range f.closers {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// An output is the files of a log.
type output struct {
	files  []*file // one, or of structured logs one per process
	result *Result
	o      *Options
	lines  [1 + agents]int64 // of structured logs, by process
}

func newOutput(dir string, o *Options, result *Result) (*output, error) {
	out := &output{result: result, o: o}
	names := []string{"event_log"}
	if o.Structured {
		names = []string{"scheduler", "controller-agent-1", "controller-agent-2"}
	}
	for _, name := range names {
		path := filepath.Join(dir, name+"."+string(o.Age)+"."+string(o.Form))
		if o.Compression != "" {
			path += "." + o.Compression
		}
		f, err := createFile(path, o.Form, o.Compression)
		if err != nil {
			return nil, errors.Join(err, out.close())
		}
		out.files = append(out.files, f)
		result.Logs = append(result.Logs, path)
	}
	return out, nil
}

// write writes the rows of one flush, which stand about in order of time. The table
// gets them newest first.
func (o *output) write(process int, rows []Value) error {
	for i := range rows {
		o.result.Rows[rows[i].at("event_type").text]++
	}
	if o.o.Structured {
		inOrder(rows)
		return o.writeStructured(process, rows)
	}
	return newestFirst(rows, o.files[0])
}

// inOrder sorts rows by their timestamps: those of one sample have times of their own.
func inOrder(rows []Value) {
	slices.SortStableFunc(rows, func(a, b Value) int { return strings.Compare(a.items[0].text, b.items[0].text) })
}

func newestFirst(rows []Value, e encoder) error {
	inOrder(rows)
	for i := range slices.Backward(rows) {
		if err := e.row(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

func (o *output) close() error {
	var errs []error
	for _, f := range o.files {
		errs = append(errs, f.close())
	}
	return errors.Join(errs...)
}
