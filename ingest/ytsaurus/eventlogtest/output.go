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
	"time"

	"github.com/klauspost/compress/zstd"
)

// An encoder writes rows in a form.
type encoder interface {
	row(*Value) error
	close() error
}

func encoderOf(form Form, out io.Writer, c columns) encoder {
	if form == Parquet {
		return newParquetEncoder(out, c)
	}
	return &textEncoder{out: out, form: form}
}

// A textEncoder writes one row after the other: a line of JSON, or an item of a list fragment of YSON.
type textEncoder struct {
	out  io.Writer
	form Form
	line []byte
}

func (e *textEncoder) row(v *Value) error {
	if e.line = appendValue(e.line[:0], v, e.form); e.form != JSONL {
		e.line = append(e.line, ';')
	}
	if e.form != BinaryYSON {
		e.line = append(e.line, '\n')
	}
	_, err := e.out.Write(e.line)
	return err
}

func (e *textEncoder) close() error { return nil }

// A file is one of the log's files: what it is encoded in, compressed by and buffered with.
type file struct {
	encoder
	out     io.Writer
	closers []func() error // from the inside out
	lines   int            // of a structured log
}

func (w *writer) createFile(path string) (*file, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	buffer := bufio.NewWriterSize(f, 1<<20)
	r := &file{out: buffer, closers: []func() error{buffer.Flush, f.Close}}
	var packer io.WriteCloser
	switch w.Compression {
	case "gz":
		packer = gzip.NewWriter(buffer)
	case "zst":
		if packer, err = zstd.NewWriter(buffer, zstd.WithEncoderConcurrency(1)); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	if packer != nil {
		r.out, r.closers = packer, slices.Insert(r.closers, 0, packer.Close)
	}
	r.encoder = encoderOf(w.Form, r.out, w.columns)
	r.closers = slices.Insert(r.closers, 0, r.encoder.close)
	return r, nil
}

// writeFiles writes the files of the log: one, or of structured logs one per process.
func (w *writer) writeFiles(dir string) (err error) {
	names := []string{"event_log"}
	if w.Structured {
		names = []string{"scheduler", "controller-agent-1", "controller-agent-2"}
	}
	var files []*file
	defer func() {
		for _, f := range files {
			for _, c := range f.closers {
				err = errors.Join(err, c())
			}
		}
	}()
	for _, name := range names {
		path := filepath.Join(dir, name+"."+string(w.Age)+"."+string(w.Form))
		if w.Compression != "" {
			path += "." + w.Compression
		}
		f, err := w.createFile(path)
		if err != nil {
			return err
		}
		files, w.result.Logs = append(files, f), append(w.result.Logs, path)
	}
	return w.eachFlush(func(process int) error {
		for i := range w.rows {
			w.result.Rows[w.rows[i].at("event_type").text]++
		}
		if w.Structured {
			return w.writeStructured(files[process], process)
		}
		return newestFirst(w.rows, files[0])
	})
}

// inOrder sorts rows by their timestamps: those of one sample have times of their own.
func inOrder(rows []Value) {
	slices.SortStableFunc(rows, func(a, b Value) int { return strings.Compare(a.at("timestamp").text, b.at("timestamp").text) })
}

// newestFirst writes the rows of one flush as the table gets them.
func newestFirst(rows []Value, e encoder) error {
	inOrder(rows)
	for i := range slices.Backward(rows) {
		if err := e.row(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// Lines of others stand between those of the event log: one first, and then after
// every so many.
const foreignEvery = 50

// writeStructured writes the rows of a flush to the log file of their process, in order of time.
func (w *writer) writeStructured(f *file, process int) error {
	inOrder(w.rows)
	for i := range w.rows {
		v := &w.rows[i]
		at, err := time.Parse(time.RFC3339, v.at("timestamp").text)
		if err != nil {
			return err
		}
		if f.lines%foreignEvery == 0 {
			if err := w.writeForeign(f, at); err != nil {
				return err
			}
		}
		f.lines++
		stamp(v, at, w.category(process, v.at("event_type").text))
		if err := f.row(v); err != nil {
			return err
		}
	}
	return nil
}

// stamp adds what a structured log adds to every record.
func stamp(v *Value, at time.Time, category string) {
	v.put("instant", textOf(instant(at)))
	v.put("level", textOf("info"))
	v.put("category", textOf(category))
}

// instant returns the local time of the hosts whose log files these are (ingest/trace/FORMAT.md §1.1).
func instant(at time.Time) string {
	return at.In(time.FixedZone("", 3*60*60)).Format("2006-01-02 15:04:05,000000")
}

// category returns the category of an event. In 2020 each process had one.
func (w *writer) category(process int, event string) string {
	switch {
	case process != scheduler:
		return "ControllerEventLog"
	case w.Age.old() || slices.Contains([]string{"fair_share_info", "nodes_info", "cluster_info", "pools_info"}, event):
		return "SchedulerEventLog"
	}
	return "SchedulerStructuredLog"
}

// writeForeign writes a line that is not an event: in JSON sometimes not even a record,
// else one of resource metering, which has no event_type.
func (w *writer) writeForeign(f *file, at time.Time) error {
	if n := f.lines / foreignEvery; w.Form == JSONL && n%2 == 0 {
		_, err := fmt.Fprintf(f.out, "%s\tI\tLogging\tLogging thread is alive (Iteration: %d)\tmain\n", instant(at), n)
		return err
	}
	v := w.Age.of(row{
		"schema": "yt.scheduler.pools.compute.v1", "id": fmt.Sprintf("physical:prod:%d", at.Unix()), "abc_id": 1,
		"usage": row{"quantity": 60000, "unit": "milliseconds", "start": at.Unix() - 60, "finish": at.Unix()},
	})
	stamp(&v, at, "SchedulerResourceMetering")
	return f.row(&v)
}
