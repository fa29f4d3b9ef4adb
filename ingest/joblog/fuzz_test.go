package joblog

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"

	"poolproof/ingest/parquetlog"
)

// FuzzFile reads any bytes as a log, plain, gzip or zstd, whose lines are those of the
// text.
func FuzzFile(f *testing.F) {
	text := []byte("a\r\nb\n\n\"c\",\xff\nlast")
	var zipped bytes.Buffer
	g := gzip.NewWriter(&zipped)
	g.Write(text)
	g.Close()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		f.Fatal(err)
	}
	for _, b := range [][]byte{text, zipped.Bytes(), z.EncodeAll(text, nil), wideFrame(1), {}, {0x1f, 0x8b}, {0x28, 0xb5, 0x2f, 0xfd}} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		whole, err := NewFile("log", bytes.NewReader(b))
		if damaged(t, err) {
			return
		}
		text, err := io.ReadAll(io.LimitReader(whole, 1<<20))
		if damaged(t, err) || len(text) == 1<<20 {
			return
		}
		lined, err := NewFile("log", bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.Split(text, []byte("\n"))
		if len(want[len(want)-1]) == 0 {
			want = want[:len(want)-1]
		}
		for i := range want {
			line, err := lined.Line()
			if err != nil || !bytes.Equal(line, bytes.TrimSuffix(want[i], []byte("\r"))) {
				t.Fatalf("line %d of %q is %q (%v)", i, text, line, err)
			}
		}
		if line, err := lined.Line(); err != io.EOF {
			t.Fatalf("%q comes after the end of %q (%v)", line, text, err)
		}
	})
}

// damaged reports whether err says so: there is no other error of bytes in memory.
func damaged(t *testing.T, err error) bool {
	var bad *parquetlog.FormatError
	if err != nil && !errors.As(err, &bad) {
		t.Fatal(err)
	}
	return err != nil
}

// wideFrame is a frame of zstd whose window has 512 MiB, with blocks of 128 KiB each in
// four bytes.
func wideFrame(blocks int) []byte {
	const rle, size, last = 1 << 1, 128 << 10 << 3, 1
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 19 << 3}
	for i := range blocks {
		header := rle | size
		if i == blocks-1 {
			header |= last
		}
		b = append(b, byte(header), byte(header>>8), byte(header>>16), 'x')
	}
	return b
}
