package ytsaurus

import (
	"unicode/utf8"
)

// skip passes over an unwanted value of a map entry at that depth.
func (p *jsonReader) skip(depth int) error {
	if p.space(); p.at == len(p.in) {
		return p.wrong("the record is cut off")
	}
	switch c := p.in[p.at]; {
	case c == '"':
		p.at++
		return p.skipText()
	case c == '{' || c == '[':
		return p.skipNested(c, depth+1)
	case c == '-' || '0' <= c && c <= '9':
		if _, ok := p.numeral(); !ok {
			return p.wrong("a number is wanted")
		}
	case p.word("true"), p.word("false"), p.word("null"):
	default:
		return p.wrong("a value is wanted")
	}
	return nil
}

// skipNested passes over a map or a list, by its first character.
func (p *jsonReader) skipNested(first byte, depth int) error {
	if depth > maxDepth {
		return p.wrong("values nest too deep")
	}
	p.at++
	last := first + 2 // in ASCII
	if p.space(); p.at < len(p.in) && p.in[p.at] == last {
		p.at++
		return nil
	}
	for {
		if first == '{' {
			if p.take() != '"' {
				p.at--
				return p.wrong("a key is wanted")
			}
			if err := p.skipText(); err != nil {
				return err
			}
			if p.take() != ':' {
				return p.wrong("a colon is wanted")
			}
		}
		if err := p.skip(depth); err != nil {
			return err
		}
		switch p.take() {
		case ',':
		case last:
			return nil
		default:
			return p.wrong("a comma or the end is wanted")
		}
	}
}

// skipText passes over the rest of a text.
func (p *jsonReader) skipText() error {
	for !p.simple() {
		if p.at == len(p.in) {
			return p.wrong("a text is cut off")
		}
		switch c := p.in[p.at]; {
		case c >= utf8.RuneSelf:
			p.at++
		case c == '\\':
			_, size, err := p.escape()
			if err != nil {
				return err
			}
			p.at += size
		default:
			return p.wrong("a control character stands in a text")
		}
	}
	return nil
}
