package yson

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// dump writes the tokens of a text, or what is wrong with it.
func dump(text string) string {
	var d Decoder
	d.Reset([]byte(text))
	var b strings.Builder
	for {
		k, err := d.Next()
		if err != nil {
			fmt.Fprintf(&b, "! %v", err)
			return b.String()
		}
		switch k {
		case End:
			return strings.TrimSpace(b.String())
		case Key:
			fmt.Fprintf(&b, "%q=", d.Text())
		case String:
			fmt.Fprintf(&b, "%q ", d.Text())
		case Int64:
			fmt.Fprintf(&b, "%d ", int64(d.Bits()))
		case Uint64:
			fmt.Fprintf(&b, "%du ", d.Bits())
		case Double:
			fmt.Fprintf(&b, "%gf ", math.Float64frombits(d.Bits()))
		case Boolean:
			fmt.Fprintf(&b, "%v ", d.Bits() == 1)
		default:
			fmt.Fprintf(&b, "%v ", k)
		}
	}
}

func TestDecode(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"  ", ""},
		{"{a=1; \"b\" = [x;y;] ;}", `{ "a"=1 "b"=[ "x" "y" ] }`},
		{"<a=1;b=<c=#>2>{}", `< "a"=1 "b"=< "c"=# > 2 > { }`},
		{"<>#", "< > #"},
		{"[]", "[ ]"},
		{"1; -2;3u;", "1 -2 3u"},
		{"+5", "5"},
		{"-9223372036854775808;9223372036854775807;18446744073709551615u", "-9223372036854775808 9223372036854775807 18446744073709551615u"},
		{"1.;-0.5;1e3;2.5E-3;%nan;%inf;%+inf;%-inf", "1f -0.5f 1000f 0.0025f NaNf +Inff +Inff -Inff"},
		{"%true;%false", "true false"},
		{"1e400;-1e400;1e-400", "+Inff -Inff 0f"},
		{`"\ud83d\ude00\ude00\ud83d\u0041\u12"`, `"😀\xed\xb8\x80�u12"`},
		{`a-b.c%d;_x9;"1"`, `"a-b.c%d" "_x9" "1"`},
		{`"\n\t\x41\x4\101\7\"\\\'\?\q\u0436\U0001F600\xzz\e"`, `"\n\tA\x04A\a\"\\'?qж😀xzze"`},
		{"\x01\x06abc;\x02\x03;\x03\x00\x00\x00\x00\x00\x00\xf8\x3f;\x04;\x05;\x06\xff\x01", `"abc" -2 1.5f false true 255u`},
		{"{\x01\x02k=\x01\x00;\x01\x04ab=x}", `{ "k"="" "ab"="x" }`},
		{"\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "-9223372036854775808"},

		{"{a=1", `{ "a"=1 ! byte 4: the value is cut off`},
		{"{a=", `{ "a"=! byte 3: the value is cut off`},
		{"<a=1>", `< "a"=1 > ! byte 5: the value is cut off`},
		{"[1;;2]", "[ 1 ! byte 3: a value is wanted"},
		{"[1 2]", "[ 1 ! byte 3: a semicolon or the end is wanted"},
		{"[1}", "[ 1 ! byte 2: a semicolon or the end is wanted"},
		{"{1=2}", "{ ! byte 1: a key is wanted"},
		{"{a 2}", `{ ! byte 3: an equals sign is wanted`},
		{"<a=1><b=2>3", `< "a"=1 > ! byte 5: a value has its attributes already`},
		{"9223372036854775808", "! byte 0: an integer of 64 bits is wanted"},
		{"18446744073709551616u", "! byte 0: an unsigned integer of 64 bits is wanted"},
		{"-1u", "! byte 0: an unsigned integer of 64 bits is wanted"},
		{"1-2", "! byte 0: an integer of 64 bits is wanted"},
		{"1.2.3", "! byte 0: a number is wanted"},
		{"%maybe", "! byte 0: a value is wanted"},
		{"\x01\x01", "! byte 0: a string has a length that it cannot have"},
		{"\x01\x0aab", "! byte 4: the value is cut off"},
		{"\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "! byte 0: a number is longer than 64 bits"},
		{`"abc`, "! byte 4: the value is cut off"},
		{`"abc\`, "! byte 5: the value is cut off"},
		{"}", "! byte 0: a value is wanted"},
		{strings.Repeat("[", MaxDepth+1), strings.Repeat("[ ", MaxDepth) + "! byte 256: values nest too deep"},
	} {
		if got := dump(c.text); got != c.want {
			t.Errorf("%q reads as\n%s, not\n%s", c.text, got, c.want)
		}
	}
}

func TestMapFragment(t *testing.T) {
	var d Decoder
	d.ResetEntries([]byte("a=1;<>=2"))
	for _, want := range []Kind{Key, Int64} {
		if k, err := d.Next(); k != want || err != nil {
			t.Errorf("%v, %v, not %v", k, err, want)
		}
	}
	if _, err := d.Next(); err == nil || err.Error() != "byte 4: a key is wanted" {
		t.Error(err)
	}
	d.ResetEntries([]byte("a={b=1};c=#;"))
	for _, want := range []Kind{Key, Map, Key, Int64, EndMap, Key, Entity, End} {
		if k, err := d.Next(); k != want || err != nil {
			t.Errorf("%v, %v, not %v", k, err, want)
		}
	}
}

// What is skipped has the same end as what is read.
func TestSkipEndsWhereReadingDoes(t *testing.T) {
	values := []string{"#", "-1", "12u", "1.5", "%true", "%nan", "abc", `"a\"\x5D}"`, "\x01\x06}\"]", "\x02\x80\x01", "\x03}}}}}}}}", "\x04", "\x05", "\x06\xff\x01",
		"{}", "[]", "<>1", "<a=<b=1>[]>{a={};b=[1;<x=y>2;#]}", "[{a=1};{b=\x01\x02];};]"}
	for _, v := range values {
		var d Decoder
		d.Reset([]byte(v + " ;after"))
		if err := d.Skip(); err != nil {
			t.Fatalf("%q: %v", v, err)
		}
		if k, err := d.Next(); err != nil || k != String || string(d.Text()) != "after" {
			t.Errorf("behind %q comes %v %q, %v", v, k, d.Text(), err)
		}
		for i := range v {
			d.Reset([]byte(v[:i]))
			d.more = true
			var bad *SyntaxError
			if err := d.Skip(); !errors.As(err, &bad) || !bad.Cut {
				t.Errorf("%q cut to %q: %v", v, v[:i], err)
			}
		}
	}
	for _, v := range []string{"{a=1]", "]", "[1>", ";", "{a=\x07}", strings.Repeat("<", MaxDepth+1)} {
		var d Decoder
		d.Reset([]byte(v))
		var bad *SyntaxError
		if err := d.Skip(); !errors.As(err, &bad) || bad.Cut {
			t.Errorf("%q: %v", v, err)
		}
	}
}

func TestDecodingDoesNotAllocate(t *testing.T) {
	text := []byte(`{a=1;b=2.5;c="x\ny";d=%true;e=[1u;#;abc];f=<g=h>{}}`)
	bin, err := recode(text, true)
	if err != nil {
		t.Fatal(err)
	}
	var d Decoder
	read := func() {
		for _, in := range [][]byte{text, bin} {
			d.Reset(in)
			for k := Key; k != End; {
				if k, err = d.Next(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if n := testing.AllocsPerRun(100, read); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

var seeds = []string{
	`{a=1;b=<c=d>[1u;-2;3.5;%nan;%true;#;"\x01\"\n"]};`, "[\x01\x06abc;\x02\x03;\x03\x00\x00\x00\x00\x00\x00\xf8\x3f;\x04;\x05;\x06\xff\x01]",
	"{\n    \"a\" = 1;\n    \"b\" = [\n    ];\n};\n", "<a=1>#;<b=%-inf>{};1e300;+1;9223372036854775808u", "\"\\u0436\\777\\xfff\"", "{\x01\x02k=[{};{x=y}]}",
}

// FuzzDecode looks for texts that crash, that skipping ends elsewhere, or that are
// another when they are written as text or binary and read again.
func FuzzDecode(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		text, err := recode(in, false)
		if err != nil {
			if bad := new(SyntaxError); !errors.As(err, &bad) || bad.Offset < 0 || bad.Offset > int64(len(in)) {
				t.Fatalf("error %v", err)
			}
			return
		}
		bin, err := recode(text, true)
		if err != nil {
			t.Fatalf("%q became %q: %v", in, text, err)
		}
		again, err := recode(bin, false)
		if err != nil || !slices.Equal(again, text) {
			t.Fatalf("%q became %q and then %q, %v", in, text, again, err)
		}
		for _, b := range [][]byte{in, text, bin} {
			skipAll(t, b)
		}
	})
}

// skipAll skips the values of a text one by one.
func skipAll(t *testing.T, b []byte) {
	var read, skip Decoder
	read.Reset(b)
	from := 0
	for {
		k, err := read.Next()
		if err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if k == End {
			return
		}
		if read.depth > 0 || read.state != wantNext {
			continue
		}
		skip.Reset(b)
		if skip.at = from; from > 0 {
			skip.at += bytes.IndexByte(b[from:], ';') + 1
		}
		if err := skip.Skip(); err != nil || skip.at != read.at {
			t.Fatalf("%q: the value behind byte %d ends at %d and is skipped to %d, %v", b, from, read.at, skip.at, err)
		}
		from = read.at
	}
}

// ResetEntries begins to read a map fragment: the entries of a map without its
// brackets.
func (d *Decoder) ResetEntries(text []byte) {
	d.Reset(text)
	d.state, d.inside, d.fragment = wantKey, wantKey, wantKey
}
