package ytsaurus

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// Lines longer than the limit are passed over.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 40<<20)
	var r lineReader
	r.reset(strings.NewReader("a\n" + long + "\nb\n" + long + long + "\nc\n\n" + long))
	r.longest = 60 << 20
	for i, want := range []string{"1 a true", fmt.Sprint(40<<20, " x true"), "1 b true", "none true", "1 c true", "0  true", fmt.Sprint(40<<20, " x false")} {
		line, whole, err := r.next()
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%d %.1s %v", len(line), line, whole)
		if line == nil {
			got = fmt.Sprintf("none %v", whole)
		}
		if got != want {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
	}
	if _, _, err := r.next(); err != io.EOF {
		t.Errorf("got %v at the end", err)
	}
}

func TestOneLongLineDoesNotKeepItsMemory(t *testing.T) {
	var r lineReader
	r.reset(strings.NewReader(strings.Repeat("x", 40<<20) + "\n" + strings.Repeat("short\n", 1<<20)))
	lines := 0
	for {
		if _, _, err := r.next(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		lines++
	}
	if lines != 1+1<<20 || len(r.buf) > manyBuffers {
		t.Errorf("%d lines, and a buffer of %d bytes", lines, len(r.buf))
	}
}
