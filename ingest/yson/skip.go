package yson

// Skip passes over the next value with its attributes and all that is in it. It
// sees that brackets fit and scalars are whole, and nothing else.
func (d *Decoder) Skip() error {
	if d.state == wantNext || d.state == wantKey {
		return d.wrong("no value is next")
	}
	outside := d.depth
	for d.at < len(d.in) {
		c := d.in[d.at]
		switch c {
		case ' ', '\t', '\n', '\v', '\f', '\r':
			d.at++
			continue
		case ';', '=':
			if d.depth == outside {
				return d.wrong("a value is wanted")
			}
			d.at++
			continue
		case '{':
			if err := d.openBracket('}', wantKey); err != nil {
				return err
			}
			continue
		case '[':
			if err := d.openBracket(']', wantItem); err != nil {
				return err
			}
			continue
		case '<':
			if err := d.openBracket('>', wantKey); err != nil {
				return err
			}
			continue
		case '}', ']', '>':
			if d.depth == outside || d.closer != c {
				return d.wrong("a bracket does not fit")
			}
			d.at++
			d.shut()
			if c == '>' {
				continue
			}
		default:
			if err := d.skipScalar(c); err != nil {
				return err
			}
		}
		if d.depth == outside {
			d.state = wantNext
			return nil
		}
	}
	return d.cut()
}

func (d *Decoder) skipScalar(c byte) error {
	switch c {
	case markString:
		return d.binaryString()
	case markInt64, markUint64:
		_, err := d.varint()
		return err
	case markDouble:
		return d.binaryDouble()
	case markFalse, markTrue, '#':
		d.at++
		return nil
	case '"':
		return d.skipQuoted()
	}
	from := d.at
	for d.at < len(d.in) && (classes[d.in[d.at]] >= numeric || d.in[d.at] == '%') {
		d.at++
	}
	switch {
	case d.at == from:
		return d.wrong("a value is wanted")
	case d.at == len(d.in) && d.more:
		return d.cut()
	}
	return nil
}

func (d *Decoder) skipQuoted() error {
	for d.at++; d.at < len(d.in); d.at++ {
		switch d.in[d.at] {
		case '"':
			d.at++
			return nil
		case '\\':
			d.at++ // an escaped quote does not end the string
		}
	}
	return d.cut()
}
