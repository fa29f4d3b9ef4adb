package yson

import "encoding/binary"

// varint reads the number behind a mark.
func (d *Decoder) varint() (uint64, error) {
	if d.at+1 < len(d.in) && d.in[d.at+1] < 0x80 {
		n := uint64(d.in[d.at+1])
		d.at += 2
		return n, nil
	}
	n, size := binary.Uvarint(d.in[d.at+1:])
	switch {
	case size == 0:
		return 0, d.cut()
	case size < 0:
		return 0, d.wrong("a number is longer than 64 bits")
	}
	d.at += 1 + size
	return n, nil
}

// binaryString reads a string with its length. A length that no string can have
// is damage; it shows before the string is waited for.
func (d *Decoder) binaryString() error {
	from := d.at
	coded, err := d.varint()
	if err != nil {
		return err
	}
	if coded&1 != 0 || coded>>1 > uint64(d.longest) {
		d.at = from
		return d.wrong("a string has a length that it cannot have")
	}
	n := int(coded >> 1)
	if len(d.in)-d.at < n {
		return d.cut()
	}
	d.text = d.in[d.at : d.at+n : d.at+n]
	d.at += n
	return nil
}

func (d *Decoder) binaryDouble() error {
	if len(d.in)-d.at < 9 {
		return d.cut()
	}
	d.number = binary.LittleEndian.Uint64(d.in[d.at+1:])
	d.at += 9
	return nil
}
