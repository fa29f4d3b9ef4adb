package extsort

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/s2"
)

// A run is a file of sorted records, a compressed segment for each group.
type run struct {
	file       *os.File
	generation int // 0 if it was written from the buffer, else one more than that of the merged runs
	out        *bufio.Writer
	packer     *s2.Writer
	segments   []segment
	counter    counter
	length     [binary.MaxVarintLen64]byte
}

// A segment locates the records of a group in the file.
type segment struct {
	prefix   Prefix
	from, to int64
}

// A counter counts the bytes that are written through it.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

func createRun(path string) (*run, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("write run: %w", err)
	}
	r := &run{file: f, out: bufio.NewWriterSize(f, 1<<18)}
	r.counter.w = r.out
	r.packer = s2.NewWriter(&r.counter, s2.WriterConcurrency(1), s2.WriterBlockSize(blockBytes))
	return r, nil
}

// blockBytes is the size of a compressed block. A merge holds one block of each segment in memory.
const blockBytes = 1 << 17

func (r *run) add(record []byte) error {
	prefix := Prefix(record)
	if n := len(r.segments); n == 0 || r.segments[n-1].prefix != prefix {
		if err := r.endSegment(); err != nil {
			return err
		}
		r.packer.Reset(&r.counter)
		r.segments = append(r.segments, segment{prefix: prefix, from: r.counter.n})
	}
	n := binary.PutUvarint(r.length[:], uint64(len(record)))
	if _, err := r.packer.Write(r.length[:n]); err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	if _, err := r.packer.Write(record); err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	return nil
}

func (r *run) endSegment() error {
	if len(r.segments) == 0 {
		return nil
	}
	if err := r.packer.Close(); err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	r.segments[len(r.segments)-1].to = r.counter.n
	return nil
}

func (r *run) finish() error {
	if err := r.endSegment(); err != nil {
		return err
	}
	r.packer = nil
	if err := r.out.Flush(); err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	r.out = nil
	return nil
}

func (r *run) remove() error {
	err := r.file.Close()
	return errors.Join(err, os.Remove(r.file.Name()))
}

// A reader reads the records of a segment.
type reader struct {
	in     *bufio.Reader
	record []byte
	err    error
}

func (r *run) open(s segment) *reader {
	section := io.NewSectionReader(r.file, s.from, s.to-s.from)
	return &reader{in: bufio.NewReader(s2.NewReader(section, s2.ReaderMaxBlockSize(blockBytes), s2.ReaderAllocBlock(blockBytes)))}
}

// next reads a record, and reports false at the end and after an error.
func (r *reader) next() bool {
	n, err := binary.ReadUvarint(r.in)
	if err == nil && n > maxRecord {
		err = errors.New("a record is too long")
	}
	if err == nil {
		if uint64(cap(r.record)) < n {
			r.record = make([]byte, n, n+n/4)
		}
		r.record = r.record[:n]
		_, err = io.ReadFull(r.in, r.record)
	}
	if err != nil && err != io.EOF {
		r.err = fmt.Errorf("read run: %w", err)
	}
	return err == nil
}
