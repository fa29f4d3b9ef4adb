package yson

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A vendor is a process that writes and reads YSON with the vendor's own codec.
type vendor struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
}

// vendorPython is where `make yson-vendor` installs the codec.
const vendorPython = "../../.venv-yson/bin/python"

// startVendor starts the codec. Where there is none the test is skipped; in CI it
// fails, unless CI says that no package index answered.
func startVendor(t *testing.T) *vendor {
	python := vendorPython
	if _, err := os.Stat(python); err != nil {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import yt_yson_bindings").Run(); err != nil {
		if os.Getenv("CI") == "true" && os.Getenv("POOLPROOF_YSON_VENDOR") != "absent" {
			t.Fatal("the vendor's codec is missing: `make yson-vendor` installs it")
		}
		t.Skip("the vendor's codec is not installed: `make yson-vendor` does that")
	}
	command := exec.Command(python, "testdata/vendor.py")
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := command.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &vendor{t, in, bufio.NewReader(out)}
}

func (v *vendor) ask(format string, args ...any) string {
	if _, err := fmt.Fprintf(v.in, format+"\n", args...); err != nil {
		v.t.Fatal(err)
	}
	answer, err := v.out.ReadString('\n')
	if err != nil {
		v.t.Fatal(err)
	}
	return strings.TrimSuffix(answer, "\n")
}

// told tells what the one value of a text is, as testdata/vendor.py does, or that a
// key stands twice.
func told(text []byte) string {
	var d Decoder
	d.Reset(text)
	var b strings.Builder
	keys, twice := make([]map[string]bool, MaxDepth+1), false
	for values := 0; ; {
		k, err := d.Next()
		if err != nil || k == End && (values != 1 || d.state != wantNext) || k != End && values > 0 {
			return "error"
		}
		b.WriteByte(' ')
		switch k {
		case End:
			if twice {
				return "twice"
			}
			return strings.TrimSpace(strings.ReplaceAll(b.String(), " < >", "")) // no attributes are none
		case Key:
			fmt.Fprintf(&b, "k:%x", d.Text())
			in := keys[d.Depth()]
			twice = twice || in[string(d.Text())]
			in[string(d.Text())] = true
		case String:
			fmt.Fprintf(&b, "s:%x", d.Text())
		case Int64:
			fmt.Fprintf(&b, "i:%d", int64(d.Bits()))
		case Uint64:
			fmt.Fprintf(&b, "u:%d", d.Bits())
		case Boolean:
			fmt.Fprintf(&b, "b:%v", d.Bits() == 1)
		case Double:
			if f := math.Float64frombits(d.Bits()); math.IsNaN(f) {
				b.WriteString("d:nan")
			} else {
				fmt.Fprintf(&b, "d:%016x", d.Bits())
			}
		case Map, Attributes:
			keys[d.Depth()] = map[string]bool{}
			fallthrough
		default:
			b.WriteString(k.String())
		}
		if d.Depth() == 0 && k != EndAttributes {
			values++
		}
	}
}

// What the vendor writes we read, and what we write of it the vendor does.
func TestVendorWritesAndReadsTheSame(t *testing.T) {
	v := startVendor(t)
	for seed := range 1500 {
		answer := strings.Split(v.ask("write %d", seed), "\t")
		want := answer[0]
		for i, form := range []string{"text", "pretty", "binary"} {
			in, err := hex.DecodeString(answer[1+i])
			if err != nil {
				t.Fatal(err)
			}
			if got := told(in); got != want {
				t.Fatalf("seed %d, %s %q reads as\n%s, not\n%s", seed, form, in, got, want)
			}
			ours, err := recode(in, i != 2)
			if err != nil {
				t.Fatal(err)
			}
			ours = ours[:len(ours)-1] // the vendor wants no semicolon behind one value
			if got := v.ask("read %x", ours); got != want {
				t.Fatalf("seed %d: the vendor reads %q as\n%s, not\n%s", seed, ours, got, want)
			}
		}
	}
}

// We accept what the vendor accepts, as the same, and refuse what it refuses: texts
// that are written otherwise than the vendor does, and such that are damaged.
func TestVendorAcceptsAndRefusesTheSame(t *testing.T) {
	v := startVendor(t)
	texts := []string{
		"{a=1; \"b\" = [x;y;] ;}", "<a=1;b=<c=#>2>{}", "<>#", "+5", "+5u", "-1u", "1.", ".5", "-.5", "+.5", "1e5", "1E+5", "1e400", "1e-400", "%+inf", "%-inf", "%-nan", "%nan", "%inf",
		"01", "1-2", "-", "+", "1e", "1.5u", "1..", "--1", "1u2", "0x10", "1_000", "1abc", "1%", "%True", "%", "%truea", "%true1", "nan", "true", "_a", "-a", "/a", "a%b", "a.b-c", "a+b", "a\xff",
		"{=1}", `{""=1}`, "{1=2}", "{;}", "{a}", "{a=}", "{a=1;;}", "[;]", "[1;;2]", "[1,2]", "(1)", "<a=1><b=2>3", "<a=1;>b", "<;>1", "{<a=b>c=1}", "<a=1>", "", " ", "1 ", "1;2", "\x01\x01", "\x01\x04a",
		`"\n\t\x41\x4\101\7\"\\\'\?\q\u0436\U0001F600\xzz\e\400\377\8\0009"`, `"\a\b\f\r\v\0"`, `"\ud83d\ude00"`, `"\uDE00"`, `"\ud83d\u0041"`, `"\ude00\ude00"`, `"\ud83d\ud83d\ude00"`, `"\ud83d\u12"`, `"\ud83d"`, `"\u12"`, `"\U0001F60"`, `"a` + "\n" + `b"`, `"\`, `"`, "{a\x0b=1}", "{a\x00=1}",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615u", "18446744073709551616u", "00000000000000000000000001",
		"\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "{\x01\x02a=\x02\x02;b=\x05;\"c\"=\x03\x00\x00\x00\x00\x00\x00\xf8\x3f}", "\x04", "\x07", "\x03\x00",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for seed := range 100 {
		for _, form := range strings.Split(v.ask("write %d", seed), "\t")[1:] {
			whole, err := hex.DecodeString(form)
			if err != nil {
				t.Fatal(err)
			}
			for range 10 {
				if text := damaged(r, whole); len(text) < 5000 {
					texts = append(texts, text)
				}
			}
		}
	}
	refused := 0
	for _, text := range texts {
		ours, theirs := told([]byte(text)), v.ask("read %x", text)
		if ours == "twice" {
			continue // the vendor's binding keeps one of keys that stand twice
		}
		if theirs == "error" {
			refused++
		}
		if ours != theirs && !endsWithZero(text, theirs) {
			t.Errorf("%q is\n%s, and the vendor's\n%s", text, ours, theirs)
		}
	}
	if refused < 500 || refused > len(texts)-500 {
		t.Errorf("the vendor refuses %d of %d texts", refused, len(texts))
	}
}

// endsWithZero reports whether a value ends at a zero byte: there the vendor stops
// reading, and we see damage.
func endsWithZero(text, value string) bool {
	for i := range text {
		if text[i] == 0 && told([]byte(text[:i])) == value {
			return true
		}
	}
	return false
}

// damaged returns a text with a few bytes changed, left out or put in.
func damaged(r *rand.Rand, text []byte) string {
	b := []byte(string(text))
	for range 1 + r.IntN(2) {
		at := r.IntN(len(b) + 1)
		some := "{}[]<>;=#%\"\\u.e+-0a_ \n\x00\x01\x02\x03\x04\x05\x06\x80\xff"
		c := some[r.IntN(len(some))]
		switch to := min(len(b), at+1+r.IntN(3)); r.IntN(4) {
		case 0:
			b = append(b[:at:at], b[to:]...)
		case 1:
			b = append(b[:at:at], append([]byte{c}, b[at:]...)...)
		case 2:
			b = append(b[:at:at], append([]byte{c}, b[min(len(b), at+1):]...)...)
		case 3:
			b = b[:at]
		}
	}
	return string(b)
}
