package ytsaurus

import (
	"encoding/binary"
	"math/bits"
)

// A row that says word for word what another says counts once, whatever file it
// stands in. Rows of jobs are one record each, and the sorter finds the equal ones.
// Of other rows a digest is sorted, so that the equal ones can be counted.

// digest keeps the digest of a row.
func (l *loader) digest(r *row) {
	e := &l.rec
	e.begin(digestRecords, noTree)
	e.b = binary.BigEndian.AppendUint64(e.b, r.digest())
	l.digested++
	l.keep()
}

// countDuplicates counts the rows that came more than once.
func (a *assembly) countDuplicates() error {
	distinct := int64(0)
	scan := a.sorter.Scan(prefixOf(digestRecords, noTree))
	for scan.Next() {
		distinct++
	}
	a.duplicates += a.digested - distinct
	return scan.Err()
}

// digest is the same for rows of the same content, in whatever order their columns
// stand.
func (r *row) digest() (sum uint64) {
	for column := range r.root().children {
		if column.key() == keyCategory {
			continue // the same row of a table has none
		}
		h := digestSeed
		for at := column.at; at < column.value().end; at++ {
			v := &r.values[at]
			word := uint64(v.kind) | uint64(v.end-at)<<8
			if v.name.off >= inKnownText {
				word ^= uint64(v.name.off) << 32
			} else {
				h = mixText(h, r.bytes(v.name))
			}
			h = mix(h+v.num, word)
			if v.kind == text {
				h = mixText(h, r.bytes(v.text))
			}
		}
		sum += h
	}
	return sum
}

const digestSeed uint64 = 0x9e3779b97f4a7c15

// mix is the step of the hash wyhash.
func mix(h, word uint64) uint64 {
	high, low := bits.Mul64(h^word, 0xa0761d6478bd642f)
	return high ^ low ^ digestSeed
}

func mixText(h uint64, b []byte) uint64 {
	h = mix(h, uint64(len(b)))
	for ; len(b) >= 8; b = b[8:] {
		h = mix(h, binary.LittleEndian.Uint64(b))
	}
	var rest [8]byte
	copy(rest[:], b)
	return mix(h, binary.LittleEndian.Uint64(rest[:]))
}
