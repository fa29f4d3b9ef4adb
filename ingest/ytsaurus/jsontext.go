package ytsaurus

import (
	"unicode/utf16"
	"unicode/utf8"
)

// simple are the characters of ASCII that stand for themselves in a text.
var simple = func() (is [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		is[c] = c != '"' && c != '\\'
	}
	return is
}()

// text reads the rest of a text and keeps what it stands for.
func (p *jsonReader) text() (span, error) {
	from := p.at
	if !p.simple() {
		return p.encoded(from)
	}
	off := len(p.row.text)
	p.row.text = append(p.row.text, p.in[from:p.at-1]...)
	return span{uint32(off), uint32(p.at - 1 - from)}, nil
}

// name reads the rest of a name: a part of the record or, where it is more than plain
// ASCII, of the end of the row's text.
func (p *jsonReader) name() ([]byte, error) {
	from := p.at
	if !p.simple() {
		name, err := p.encoded(from)
		return p.row.bytes(name), err
	}
	return p.in[from : p.at-1], nil
}

// simple passes over simple characters, and the end of the text behind them. It reports
// whether it found the end.
func (p *jsonReader) simple() bool {
	for i, c := range p.in[p.at:] {
		if !simple[c] {
			p.at += i
			if c == '"' {
				p.at++
			}
			return c == '"'
		}
	}
	p.at = len(p.in)
	return false
}

// keepName keeps a name that name returned, when the row's text ended at off.
func (p *jsonReader) keepName(off int, name []byte) span {
	if len(p.row.text) == off {
		p.row.text = append(p.row.text, name...)
	}
	return span{uint32(off), uint32(len(name))}
}

// encoded reads a text that is more than plain ASCII, from its beginning.
func (p *jsonReader) encoded(from int) (span, error) {
	p.at = from
	p.latin, p.plain = p.latin[:0], p.plain[:0]
	latin := !p.decoded
	for p.at < len(p.in) {
		c := p.in[p.at]
		if c == '"' {
			p.at++
			if latin && !(p.either && !utf8.Valid(p.latin)) {
				return p.row.keep(p.latin), nil
			}
			return p.row.keep(p.plain), nil
		}
		char, size := rune(c), 1
		invalid := false
		switch {
		case c == '\\':
			var err error
			if char, size, err = p.escape(); err != nil {
				return span{}, err
			}
		case c < ' ':
			return span{}, p.wrong("a control character stands in a text")
		case c >= utf8.RuneSelf:
			char, size = utf8.DecodeRune(p.in[p.at:])
			invalid = char == utf8.RuneError && size == 1
		}
		if latin = latin && char < 0x100 && !invalid; latin {
			p.latin = append(p.latin, byte(char))
		}
		if invalid {
			p.plain = append(p.plain, c) // replaced, and counted, when it is kept
		} else {
			p.plain = utf8.AppendRune(p.plain, char)
		}
		p.at += size
	}
	return span{}, p.wrong("a text is cut off")
}

// escape reads an escaped character.
func (p *jsonReader) escape() (char rune, size int, err error) {
	if p.at+1 == len(p.in) {
		return 0, 0, p.wrong("a text is cut off")
	}
	switch c := p.in[p.at+1]; c {
	case '"', '\\', '/':
		return rune(c), 2, nil
	case 'b':
		return '\b', 2, nil
	case 'f':
		return '\f', 2, nil
	case 'n':
		return '\n', 2, nil
	case 'r':
		return '\r', 2, nil
	case 't':
		return '\t', 2, nil
	case 'u':
		char, ok := p.hex(p.at + 2)
		if !ok {
			return 0, 0, p.wrong("an escaped character has four hexadecimal digits")
		}
		if utf16.IsSurrogate(char) {
			if second, ok := p.hex(p.at + 8); ok && p.in[p.at+6] == '\\' && p.in[p.at+7] == 'u' {
				if pair := utf16.DecodeRune(char, second); pair != utf8.RuneError {
					return pair, 12, nil
				}
			}
			char = utf8.RuneError
		}
		return char, 6, nil
	}
	return 0, 0, p.wrong("an unknown escape in a text")
}

// hex reads four hexadecimal digits.
func (p *jsonReader) hex(at int) (rune, bool) {
	if at+4 > len(p.in) {
		return 0, false
	}
	var n rune
	for _, c := range p.in[at : at+4] {
		d := hexDigit(c)
		if d < 0 {
			return 0, false
		}
		n = n<<4 | rune(d)
	}
	return n, true
}

// hexDigit returns the worth of a hexadecimal digit, -1 of anything else.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
