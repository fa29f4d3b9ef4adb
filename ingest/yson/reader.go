package yson

import (
	"bytes"
	"io"
)

// A Reader reads the records of a stream: values with semicolons between them, or
// with nothing but space, as where files were put together.
//
// It holds what of the stream the record under way needs, in a buffer that grows to
// the longest record and is reused.
type Reader struct {
	d     Decoder
	in    io.Reader
	buf   []byte
	from  int // of what no record was made of yet
	to    int // of what is read
	base  int64
	err   error // of reading, io.EOF included
	limit int

	first  byte // of the record
	binary bool // the last map began as a binary one does
	lined  bool // records stand on lines of their own
}

const startBuffer = 1 << 20

// Reset begins to read a stream, whose records have at most limit bytes.
func (r *Reader) Reset(in io.Reader, limit int) {
	if r.buf == nil {
		r.buf = make([]byte, startBuffer)
	}
	*r = Reader{in: in, buf: r.buf, limit: limit, lined: true, d: Decoder{scratch: r.d.scratch}}
}

// Next calls read with a Decoder at the beginning of the next record, which read must
// take to its end. Read may be called again, with the same record, when more of it is
// there: it begins anew then. After the last record, Next returns io.EOF.
//
// An error of read, or of the Decoder, is returned as it is; a *SyntaxError that is
// Cut is of a record that the stream does not end. Next goes on behind the record
// then: a record of text ends at the next line that begins with a map, where records
// stand on lines, and otherwise, as one of binary, before what looks like a map that
// follows a map. So a damaged binary record may be followed by maps from within it.
// Errors of reading the stream are final.
func (r *Reader) Next(read func(*Decoder) error) error {
	if err := r.skipSeparators(); err != nil {
		return err
	}
	for {
		record := r.buf[r.from:r.to]
		tooLong := len(record) > r.limit
		if tooLong {
			record = record[:r.limit]
		}
		r.d.Reset(record)
		r.d.base, r.d.more, r.d.longest = r.Offset(), tooLong || r.err == nil, r.limit
		err := read(&r.d)
		if err == nil && r.d.depth > 0 {
			panic("yson: a record was not read to its end")
		}
		short, isSyntax := err.(*SyntaxError)
		switch {
		case err == nil:
			r.from += r.d.at
			return nil
		case !isSyntax || !short.Cut:
			return r.resume(err)
		case tooLong:
			return r.resume(&TooLongError{Offset: r.Offset(), Limit: r.limit})
		case r.err == io.EOF:
			return r.resume(err)
		case r.err != nil:
			return r.err
		}
		r.read(r.enough(len(record)))
	}
}

// The buffer holds that many records of the size of one that it did not hold to its
// end, unless they are very long: what is there of a record is read anew when more is.
const (
	recordsInBuffer = 8
	longBuffer      = 64 << 20
)

// enough returns the number of bytes to read of a record that did not end within so many bytes.
func (r *Reader) enough(length int) int {
	if want := recordsInBuffer * length; want > len(r.buf) && len(r.buf) < longBuffer && r.to-r.from == length {
		r.grow(min(want, longBuffer))
	}
	return 2 * length
}

// grow makes a larger buffer.
func (r *Reader) grow(size int) {
	grown := make([]byte, size)
	r.base += int64(r.from)
	r.to = copy(grown, r.buf[r.from:r.to])
	r.from, r.buf = 0, grown
}

// Offset returns the offset of the next record in the stream or, after an error, the offset at which the
// search for it begins.
func (r *Reader) Offset() int64 { return r.base + int64(r.from) }

// First returns the first byte of the record that Next read last.
func (r *Reader) First() byte { return r.first }

// skipSeparators skips the bytes between records.
func (r *Reader) skipSeparators() error {
	passed, line := false, false
	for {
		for r.from < r.to {
			switch c := r.buf[r.from]; {
			case c == '\n':
				line = true
			case c != ';' && classes[c] != space:
				if passed {
					r.lined = line
				}
				return r.start()
			}
			r.from++
			passed = true
		}
		if r.err != nil {
			return r.err
		}
		r.read(0)
	}
}

// start looks at how the record begins.
func (r *Reader) start() error {
	if r.to-r.from < 2 && r.err == nil {
		r.read(2)
	}
	begins := r.buf[r.from:r.to]
	r.first = begins[0]
	if r.first == '{' {
		r.binary = len(begins) > 1 && begins[1] == markString
	}
	return nil
}

// read reads on, until so many bytes are there, or as many as there are.
func (r *Reader) read(want int) {
	if r.from > 0 {
		r.base += int64(r.from)
		r.to = copy(r.buf, r.buf[r.from:r.to])
		r.from = 0
	}
	want = min(want, r.limit+1)
	if size := len(r.buf); want > size || r.to == size {
		grown := make([]byte, max(want, min(2*size, max(r.limit, size)+1)))
		copy(grown, r.buf[:r.to])
		r.buf = grown
	}
	for empty := 0; r.err == nil; {
		n, err := r.in.Read(r.buf[r.to:])
		r.to += n
		r.err = err
		if empty++; n > 0 {
			empty = 0
		} else if empty > 100 && err == nil {
			r.err = io.ErrNoProgress
		}
		if r.to >= want && n > 0 || r.to == len(r.buf) {
			return
		}
	}
}

// resume finds the record that follows a damaged one, and returns what was wrong.
func (r *Reader) resume(wrong error) error {
	for r.from++; ; {
		at, found := r.boundary(r.buf[r.from:r.to])
		r.from += at
		if found {
			if syntax, ok := wrong.(*SyntaxError); ok {
				syntax.Cut = false // it is the record that does not end, not the stream
			}
			return wrong
		}
		if r.err != nil {
			r.from = r.to
			return wrong
		}
		r.read(0)
	}
}

// boundary returns where a record begins, or how many bytes cannot have its
// beginning.
func (r *Reader) boundary(b []byte) (at int, found bool) {
	if r.lined && !r.binary {
		if i := bytes.Index(b, []byte("\n{")); i >= 0 {
			return i + 1, true
		}
		return max(len(b)-1, 0), false
	}
	for at < len(b) {
		i := bytes.Index(b[at:], []byte("};"))
		if i < 0 {
			return len(b) - 1, false
		}
		next := at + i + 2
		if next < len(b) && b[next] == '\n' {
			next++
		}
		switch {
		case next+1 >= len(b):
			return at + i, false
		case b[next] == '{' && (!r.binary || b[next+1] == markString):
			return next, true
		}
		at += i + 1
	}
	return at, false
}
