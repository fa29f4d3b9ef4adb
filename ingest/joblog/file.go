package joblog

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"poolproof/ingest/input"
	"poolproof/ingest/parquetlog"
)

// Stdin is the path that means standard input.
const Stdin = "-"

// A File reads a log as text, decompressed if its first bytes say that it is
// gzip or zstd, whatever its name. It digests the bytes as they are stored.
type File struct {
	Path string

	file   *os.File // nil of what was opened elsewhere
	plain  bool     // whether it is not compressed
	stored *digester
	text   *bufio.Reader
	line   []byte
}

// widestWindow is the largest window of zstd that is accepted, in bytes: the limit of the program zstd
// itself, unless an option raises it.
const widestWindow = 128 << 20

// Open opens the file of that path, or standard input.
func Open(path string) (*File, error) {
	if path == Stdin {
		return NewFile(path, os.Stdin)
	}
	f, err := input.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	opened, err := NewFile(path, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	opened.file = f
	return opened, nil
}

// NewFile reads a log from r. The path only names it.
func NewFile(path string, r io.Reader) (*File, error) {
	f := &File{Path: path, stored: &digester{r: r, sum: sha256.New()}}
	raw := bufio.NewReaderSize(f.stored, 1<<16)
	magic, err := raw.Peek(4)
	if err != nil && err != io.EOF {
		return nil, f.failure(err)
	}
	var text io.Reader = raw
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		text, err = gzip.NewReader(raw)
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		// One decoder goroutine keeps the reading order, and so the digest, plain.
		text, err = zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(widestWindow))
	default:
		f.plain, err = true, nil
	}
	if err != nil {
		return nil, f.failure(err)
	}
	f.text = bufio.NewReaderSize(text, 1<<18)
	return f, nil
}

// Read reads the text of the log.
func (f *File) Read(p []byte) (int, error) {
	n, err := f.text.Read(p)
	if err != nil && err != io.EOF {
		err = f.failure(err)
	}
	return n, err
}

// longestLine bounds the memory that a binary file can take.
const longestLine = 1 << 24

// ErrLineTooLong is returned by Line for a line that was skipped.
var ErrLineTooLong = errors.New("line too long")

// Line returns the next line without its end, valid until the next call, and
// io.EOF after the last.
func (f *File) Line() ([]byte, error) {
	f.line = f.line[:0]
	tooLong := false
	for {
		part, err := f.text.ReadSlice('\n')
		if tooLong = tooLong || len(f.line)+len(part) > longestLine; !tooLong {
			f.line = append(f.line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && (len(f.line) > 0 || tooLong): // the last line, without its end
		case err == io.EOF:
			return nil, io.EOF
		case err != nil:
			return nil, f.failure(err)
		}
		if tooLong {
			return nil, ErrLineTooLong
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(f.line, []byte("\n")), []byte("\r")), nil
	}
}

// Stored returns how many bytes have been read of the file as it is stored.
func (f *File) Stored() int64 { return f.stored.n }

// Anywhere returns the bytes of the file for reading in any order, and how many they
// are. It is nil for what can only be read from the beginning: standard input, and
// what is compressed. Reading there does not move what Read returns.
func (f *File) Anywhere() (io.ReaderAt, int64, error) {
	if f.file == nil || !f.plain {
		return nil, 0, nil
	}
	info, err := f.file.Stat()
	if err != nil {
		return nil, 0, fmt.Errorf("read %s: %w", f.Path, err)
	}
	return f.file, info.Size(), nil
}

// Digest returns the SHA-256 of the whole file as it is stored. It reads what
// has not been read yet.
func (f *File) Digest() (string, error) {
	if _, err := io.Copy(io.Discard, f.stored); err != nil {
		return "", f.failure(err)
	}
	return hex.EncodeToString(f.stored.sum.Sum(nil)), nil
}

// Close closes the file.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// failure names the file. What the system said stays an error of reading; what
// the decompressor found is bad input.
func (f *File) failure(err error) error {
	if f.stored.err != nil {
		return fmt.Errorf("read %s: %w", f.Path, f.stored.err)
	}
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return &parquetlog.FormatError{File: f.Path, Found: fmt.Sprintf("its window of zstd has more than %d MiB", widestWindow>>20),
			Advice: "Compress it without zstd --long, or with --long=27 at most.", Err: err}
	}
	return &parquetlog.FormatError{File: f.Path, Found: "its compressed data is damaged: " + err.Error(),
		Advice: "Get the file again; it may be cut off.", Err: err}
}

// A digester digests what is read through it.
type digester struct {
	r   io.Reader
	sum hash.Hash
	n   int64
	err error // of reading, other than the end
}

func (d *digester) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	d.sum.Write(p[:n])
	d.n += int64(n)
	if err != nil && err != io.EOF {
		d.err = err
	}
	return n, err
}
