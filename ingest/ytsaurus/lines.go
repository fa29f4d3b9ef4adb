package ytsaurus

import (
	"bytes"
	"fmt"
	"io"

	"poolproof/ingest/parquetlog"
)

// maxRow is the most bytes that a row may have: twice what the scheduler writes
// (ingest/trace/FORMAT.md §1.1).
const maxRow = 256 << 20

// atOnce is how much of a source may be held at a time: most bytes, or the budget where that is less.
func atOnce(most int, budget *parquetlog.Budget) int { return int(min(int64(most), budget.Bytes())) }

// tooMuch refuses a source because of what it holds at once. To leave that out as too
// long would make the trace depend on --memory.
func tooMuch(path string, limit int) error {
	return &parquetlog.FormatError{File: path, Found: fmt.Sprintf("a row of it, or all of it, takes more than %d MiB at a time", limit>>20),
		Advice: "Give more by --memory: it may take a fifth."}
}

// A lineReader hands out lines of any length up to maxRow from one buffer.
type lineReader struct {
	in      io.Reader
	longest int // that a line may be, in bytes
	buf     []byte
	from    int // of what is not handed out
	seen    int // up to where no end of a line is
	to      int // of what is read
	err     error
	offset  int64 // in the source, of the line handed out last
	base    int64 // of buf[0]
}

const (
	lineBuffer  = 1 << 20
	manyBuffers = 16 << 20
)

func (r *lineReader) reset(in io.Reader) {
	if r.buf == nil {
		r.buf = make([]byte, lineBuffer)
	}
	*r = lineReader{in: in, buf: r.buf, longest: maxRow}
}

// next returns the next line without its end, valid until the next call. The
// last line may have no end: whole is false then. A line that is too long is
// passed over: it comes as nil. After the last line it returns io.EOF.
func (r *lineReader) next() (line []byte, whole bool, err error) {
	tooLong := false
	for {
		if i := bytes.IndexByte(r.buf[r.seen:r.to], '\n'); i >= 0 {
			line = r.buf[r.from : r.seen+i]
			r.offset = r.base + int64(r.from)
			r.from = r.seen + i + 1
			r.seen = r.from
			if tooLong {
				line = nil
			}
			return line, true, nil
		}
		r.seen = r.to
		if r.err != nil {
			if r.err != io.EOF || r.from == r.to && !tooLong {
				return nil, false, r.err
			}
			line = r.buf[r.from:r.to]
			r.offset = r.base + int64(r.from)
			r.from = r.to
			if tooLong {
				line = nil
			}
			return line, false, nil
		}
		if r.to-r.from > r.longest {
			tooLong = true
			r.from = r.to
		}
		r.fill()
	}
}

// fill reads on, behind what is not handed out yet.
func (r *lineReader) fill() {
	if r.from > 0 {
		r.base += int64(r.from)
		to := r.buf
		if len(to) > manyBuffers && r.to-r.from < lineBuffer {
			to = make([]byte, lineBuffer) // one long row does not keep its memory
		}
		n := copy(to, r.buf[r.from:r.to])
		r.buf = to
		r.seen -= r.from
		r.from, r.to = 0, n
	}
	if r.to == len(r.buf) {
		grown := make([]byte, min(2*len(r.buf), r.longest+lineBuffer))
		copy(grown, r.buf)
		r.buf = grown
	}
	var n int
	n, r.err = r.in.Read(r.buf[r.to:])
	r.to += n
}
