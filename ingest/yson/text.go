package yson

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// unquoted reads a string that needs no quotes.
func (d *Decoder) unquoted() error {
	from := d.at
	for d.at++; d.at < len(d.in); d.at++ {
		if c := d.in[d.at]; classes[c] < numeric && c != '%' || c == '+' {
			d.text = d.in[from:d.at:d.at]
			return nil
		}
	}
	if d.more {
		return d.cut()
	}
	d.text = d.in[from:d.at:d.at]
	return nil
}

// quoted reads a string in quotes.
func (d *Decoder) quoted() error {
	d.at++
	from := d.at
	for ; d.at < len(d.in); d.at++ {
		switch d.in[d.at] {
		case '"':
			d.text = d.in[from:d.at:d.at]
			d.at++
			return nil
		case '\\':
			return d.escaped(from)
		}
	}
	return d.cut()
}

// escaped reads the rest of a string in quotes, which has escapes.
func (d *Decoder) escaped(from int) error {
	b := append(d.scratch[:0], d.in[from:d.at]...)
	for d.at < len(d.in) {
		switch c := d.in[d.at]; c {
		case '"':
			d.at++
			d.text, d.scratch = b, b
			return nil
		case '\\':
			if d.at+1 == len(d.in) {
				return d.cut()
			}
			b = d.escape(b)
		default:
			b = append(b, c)
			d.at++
		}
	}
	return d.cut()
}

// escape reads one escape sequence of C, as the vendor does: a character that does not form one stands
// for itself.
func (d *Decoder) escape(b []byte) []byte {
	c := d.in[d.at+1]
	d.at += 2
	switch c {
	case 'a':
		return append(b, '\a')
	case 'b':
		return append(b, '\b')
	case 'f':
		return append(b, '\f')
	case 'n':
		return append(b, '\n')
	case 'r':
		return append(b, '\r')
	case 't':
		return append(b, '\t')
	case 'v':
		return append(b, '\v')
	case 'x':
		if n, digits := d.digits(4, 2); digits > 0 {
			return append(b, byte(n))
		}
	case 'u':
		if n, digits := d.digits(4, 4); digits == 4 {
			return appendRune(b, d.pair(n))
		}
	case 'U':
		if n, digits := d.digits(4, 8); digits == 8 {
			return appendRune(b, n)
		}
	case '0', '1', '2', '3':
		d.at--
		n, _ := d.digits(3, 3)
		return append(b, byte(n))
	case '4', '5', '6', '7':
		d.at--
		n, _ := d.digits(3, 2)
		return append(b, byte(n))
	}
	return append(b, c)
}

// pair returns the character that two escapes of UTF-16 stand for, if a second follows
// the first half of a pair.
func (d *Decoder) pair(first rune) rune {
	if first>>10 != 0xd800>>10 || !bytes.HasPrefix(d.in[d.at:], []byte(`\u`)) {
		return first
	}
	d.at += 2
	if second, digits := d.digits(4, 4); digits == 4 {
		return utf16.DecodeRune(first, second)
	}
	d.at -= 2
	return first
}

// appendRune appends a character, and half a pair as the vendor does: as if UTF-8 had
// it.
func appendRune(b []byte, n rune) []byte {
	if utf16.IsSurrogate(n) {
		return append(b, byte(0xe0|n>>12), byte(0x80|n>>6&0x3f), byte(0x80|n&0x3f))
	}
	return utf8.AppendRune(b, n)
}

// digits reads up to most digits of so many bits. For \u and \U, all must be there:
// otherwise none is taken.
func (d *Decoder) digits(bits, most int) (n rune, count int) {
	for count < most && d.at+count < len(d.in) {
		digit := int(hexDigits[d.in[d.at+count]]) - 1
		if digit < 0 || digit >= 1<<bits {
			break
		}
		n = n<<bits | rune(digit)
		count++
	}
	if most <= 3 || count == most {
		d.at += count
	}
	return n, count
}

// hexDigits holds the worth of a hexadecimal digit, plus one.
var hexDigits = func() (t [256]uint8) {
	for i := range 10 {
		t['0'+i] = uint8(i) + 1
	}
	for i := range 6 {
		t['a'+i], t['A'+i] = uint8(i)+11, uint8(i)+11
	}
	return t
}()

// word reads a value that begins with %.
func (d *Decoder) word() (Kind, error) {
	from := d.at
	for d.at++; d.at < len(d.in); d.at++ {
		if c := d.in[d.at]; classes[c] != letter && c != '+' && c != '-' {
			break
		}
	}
	if d.at == len(d.in) && d.more {
		return 0, d.cut()
	}
	switch string(d.in[from:d.at]) {
	case "%true":
		d.number = 1
		return Boolean, nil
	case "%false":
		d.number = 0
		return Boolean, nil
	case "%nan":
		d.number = math.Float64bits(math.NaN())
	case "%inf", "%+inf":
		d.number = math.Float64bits(math.Inf(1))
	case "%-inf":
		d.number = math.Float64bits(math.Inf(-1))
	default:
		d.at = from
		return 0, d.wrong("a value is wanted")
	}
	return Double, nil
}

// textNumber reads a number: one with a point or an exponent is a double, one with
// a u behind it a uint64.
func (d *Decoder) textNumber() (Kind, error) {
	from := d.at
	whole := true
	for ; d.at < len(d.in); d.at++ {
		c := d.in[d.at]
		if c-'0' < 10 || c == '-' || c == '+' {
			continue
		}
		if c == '.' || c == 'e' || c == 'E' {
			whole = false
			continue
		}
		break
	}
	if d.at == len(d.in) && d.more {
		return 0, d.cut()
	}
	word := d.in[from:d.at]
	if d.at < len(d.in) && classes[d.in[d.at]] == letter {
		if d.in[d.at] == 'u' && whole {
			d.at++
			return d.textUint64(word)
		}
		return 0, d.wrong("a number is wanted")
	}
	if !whole {
		f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(word), len(word)), 64)
		if err != nil && !math.IsInf(f, 0) {
			d.at = from
			return 0, d.wrong("a number is wanted")
		}
		d.number = math.Float64bits(f)
		return Double, nil
	}
	return d.textInt64(word)
}

func (d *Decoder) textInt64(word []byte) (Kind, error) {
	digits := word
	negative := word[0] == '-'
	if negative || word[0] == '+' {
		digits = word[1:]
	}
	n, ok := whole(digits)
	most := uint64(math.MaxInt64)
	if negative {
		most++
	}
	if !ok || n > most {
		d.at -= len(word)
		return 0, d.wrong("an integer of 64 bits is wanted")
	}
	if negative {
		n = -n
	}
	d.number = n
	return Int64, nil
}

func (d *Decoder) textUint64(word []byte) (Kind, error) {
	if word[0] == '+' {
		word = word[1:]
	}
	n, ok := whole(word)
	if !ok {
		d.at -= len(word) + 1
		return 0, d.wrong("an unsigned integer of 64 bits is wanted")
	}
	d.number = n
	return Uint64, nil
}

// whole reads digits.
func whole(digits []byte) (n uint64, ok bool) {
	if len(digits) == 0 {
		return 0, false
	}
	if len(digits) > 19 {
		n, err := strconv.ParseUint(unsafe.String(unsafe.SliceData(digits), len(digits)), 10, 64)
		return n, err == nil
	}
	for _, c := range digits {
		if c-'0' >= 10 {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, true
}
