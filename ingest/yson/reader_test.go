package yson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// records reads a stream and tells of each record its number of tokens, or what was
// wrong with it.
func records(in io.Reader, limit int) string {
	var r Reader
	r.Reset(in, limit)
	var out []string
	for {
		var tokens int
		err := r.Next(func(d *Decoder) error {
			tokens = 0
			for {
				k, err := d.Next()
				if err != nil {
					return err
				}
				tokens++
				if d.Depth() == 0 && k != EndAttributes {
					return nil
				}
			}
		})
		var syntax *SyntaxError
		var long *TooLongError
		switch {
		case err == io.EOF:
			return strings.Join(out, " ")
		case err == nil:
			out = append(out, fmt.Sprint(tokens))
		case errors.As(err, &syntax) && syntax.Cut:
			out = append(out, fmt.Sprintf("cut@%d", syntax.Offset))
		case errors.As(err, &syntax):
			out = append(out, fmt.Sprintf("bad@%d", syntax.Offset))
		case errors.As(err, &long):
			out = append(out, fmt.Sprintf("long@%d", long.Offset))
		default:
			return strings.Join(append(out, err.Error()), " ")
		}
	}
}

func TestRecords(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"only space", " \n;\n", ""},
		{"lines", "{a=1};\n{};\n{b=[1]};\n", "4 2 6"},
		{"no last semicolon", "{a=1};{}", "4 2"},
		{"nothing between", "{a=1}\n{}\n{}", "4 2 2"},
		{"attributes", "<a=1>#;<b=2>{c=3};", "5 8"},
		{"pretty", "{\n    \"a\" = 1;\n    \"b\" = {\n    };\n};\n{\n    \"a\" = 1;\n};\n", "7 4"},
		{"a damaged line", "{a=1};\n{a=};\n{a=1};\n", "4 bad@10 4"},
		{"a line that is no end", "{a=1};\n{a=1\n{a=1};\n", "4 bad@12 4"},
		{"a quote that is open", "{a=1};\n{a=\"1};\n{a=1};\n", "4 bad@22 4"},
		{"foreign lines", "2023-11-01 00:00:00,000\tI\tHello \"there\n{a=1};\nmore\nand more\n{};\n", "bad@0 4 1 1 1 2"},
		{"damage within a pretty record", "{\n    \"a\" = ];\n    \"b\" = {\n    };\n};\n{\n    \"a\" = 1;\n};\n", "bad@12 4"},
		{"damage without lines", "{a=1};{a=};{a=1};{a=1}", "4 bad@9 4 4"},
		{"a binary mark that is none", "{\x01\x02a=\x02\x02};{\x01\x02a=\x07};{\x01\x02a=\x02\x02};", "4 bad@14 4"},
		{"a binary length that is too long", "{\x01\x02a=\x02\x02};{\x01\x02a=\x01\xfe\xff\xff\x0f};{\x01\x02a=\x02\x02};", "4 bad@14 4"},
		{"a binary length that is a bit too long", "{\x01\x02a=\x02\x02};{\x01\x02a=\x01\x08abc};{\x01\x02a=\x02\x02};", "4 bad@21 4"},
		{"binary lines", "{\x01\x02a=\x02\x02};\n{\x01\x02a=};\n{\x01\x02a=\x02\x02};\n", "4 bad@15 4"},
		{"damage before maps in a binary list", "{\x01\x02a=;\x01\x02l=[{\x01\x02b=#};{\x01\x02c=#}]};{\x01\x02a=\x02\x02};", "bad@5 4 bad@26 4"},
		{"the end in the middle of a line", "{a=1};\n{a=1;b", "4 cut@13"},
		{"the end in the middle of a binary record", "{\x01\x02a=\x02\x02};{\x01\x02a=\x01\x08abc", "4 cut@19"},
		{"a record that is too long", "{a=1};\n{a=\"" + long + "\"};\n{a=1};\n", "4 long@7 4"},
		{"a binary record that is too long", "{\x01\x02a=\x02\x02};{\x01\x02a=[" + strings.Repeat("#;", 300) + "]};{\x01\x02a=\x02\x02};", "4 long@9 4"},
		{"the end in a record that is too long", "{a=\"" + long, "long@0"},
	} {
		for _, in := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in)), iotest.DataErrReader(strings.NewReader(c.in))} {
			if got := records(in, 500); got != c.want {
				t.Errorf("%s: %s, not %s", c.name, got, c.want)
			}
		}
	}
	failing := io.MultiReader(strings.NewReader("{a=1};\n{a=1"), iotest.ErrReader(errors.New("disk on fire")))
	if got := records(failing, 500); got != "4 disk on fire" {
		t.Errorf("a stream that fails: %s", got)
	}
}

// Records longer than the buffer, in pieces of any size, are what they are in memory.
func TestBufferGrowsToARecord(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	var want []string
	for range 20 {
		n := r.IntN(300_000)
		want = append(want, fmt.Sprint(2+n))
		b.WriteByte('[')
		for range n {
			b.WriteString("\x01\x10\"][};{\x01\x02;")
		}
		b.WriteString("];")
	}
	pieces := &random{bytes.NewReader(b.Bytes()), r}
	if got := records(pieces, 10<<20); got != strings.Join(want, " ") {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A random reader reads pieces of random sizes.
type random struct {
	in   io.Reader
	rand *rand.Rand
}

func (r *random) Read(p []byte) (int, error) {
	return r.in.Read(p[:1+r.rand.IntN(min(len(p), 100_000))])
}

// FuzzReader looks for streams that hang, crash, or read otherwise in pieces.
func FuzzReader(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Add([]byte("{a=1};\n{a=};\n{\x01\x02a=\x02\x02};{\x01\x02a=\x07};{\x01\x02a=#}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		whole := records(bytes.NewReader(in), 100)
		if pieces := records(iotest.OneByteReader(bytes.NewReader(in)), 100); whole != pieces {
			t.Fatalf("%q reads as %s and in pieces as %s", in, whole, pieces)
		}
	})
}
