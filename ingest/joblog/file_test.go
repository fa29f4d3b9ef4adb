package joblog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"poolproof/ingest/parquetlog"
)

func TestLinesEndInAnyWay(t *testing.T) {
	long := strings.Repeat("x", longestLine+1)
	f, err := NewFile("log", strings.NewReader("a\r\n\n"+strings.Repeat("b", 1<<19)+"\n"+long+"\nc"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"1 a", "0 ", fmt.Sprint(1<<19, " b"), "too long", "1 c", "end", "end"} {
		line, err := f.Line()
		got := fmt.Sprintf("%d %.1s", len(line), line)
		switch {
		case errors.Is(err, ErrLineTooLong):
			got = "too long"
		case err == io.EOF:
			got = "end"
		case err != nil:
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("line %d is %q, not %q", i, got, want)
		}
	}
}

type failing struct{ io.Reader }

var errDisk = errors.New("disk on fire")

func (failing) Read([]byte) (int, error) { return 0, errDisk }

func TestAFailureOfReadingIsNoBadInput(t *testing.T) {
	f, err := NewFile("log", io.MultiReader(strings.NewReader("a long line\nb"), failing{}))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Line()
	}
	var bad interface{ BadInput() bool }
	if !errors.Is(err, errDisk) || errors.As(err, &bad) || !strings.Contains(err.Error(), "log") {
		t.Errorf("got %v", err)
	}
}

// A file of four bytes for each 128 KiB would make the decoder keep 512 MiB of text.
func TestAWideWindowIsRefused(t *testing.T) {
	f, err := NewFile("log", bytes.NewReader(wideFrame(100)))
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, f)
	var bad *parquetlog.FormatError
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), "zstd --long") || n > 0 {
		t.Errorf("%d bytes are read: %v", n, err)
	}
}

func TestDecimalsAreExact(t *testing.T) {
	for _, c := range []struct {
		text              string
		whole, millionths int64
		ok                bool
	}{
		{"12", 12, 0, true},
		{"-1", -1, 0, true},
		{"-0.5", 0, -500_000, true},
		{"+3.0000019", 3, 1, true},
		{".25", 0, 250_000, true},
		{"7.", 7, 0, true},
		{"", 0, 0, false},
		{"-", 0, 0, false},
		{".", 0, 0, false},
		{"1e3", 0, 0, false},
		{"1,5", 0, 0, false},
		{"99999999999999999999999", 1 << 62, 0, true},
	} {
		whole, millionths, ok := Decimal([]byte(c.text))
		if ok != c.ok || ok && (whole != c.whole || millionths != c.millionths) {
			t.Errorf("%q reads as %d, %d, %v", c.text, whole, millionths, ok)
		}
	}
}
