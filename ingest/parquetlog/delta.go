package parquetlog

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Texts in the encodings DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY
// (Parquet's Encodings.md) have their lengths in front, in the encoding
// DELTA_BINARY_PACKED. Those of whole columns of numbers are left to the
// Parquet library, which is faster and does not say where they end.

var errDelta = errors.New("a page has packed lengths that are cut off or wrong")

// deltaTotal returns how many numbers src says that it packs.
func deltaTotal(src []byte) (uint64, error) {
	for range 2 { // sizes of blocks
		_, k := binary.Uvarint(src)
		if k <= 0 {
			return 0, errDelta
		}
		src = src[k:]
	}
	n, k := binary.Uvarint(src)
	if k <= 0 {
		return 0, errDelta
	}
	return n, nil
}

// lengths appends n numbers, none negative, to to, and returns what follows them.
func lengths(to []uint32, src []byte, n int) ([]uint32, []byte, error) {
	var head [3]uint64 // numbers of a block, parts of a block, numbers
	for i := range head {
		v, k := binary.Uvarint(src)
		if k <= 0 {
			return nil, nil, errDelta
		}
		head[i], src = v, src[k:]
	}
	value, k := binary.Varint(src)
	if k <= 0 || head[2] != uint64(n) {
		return nil, nil, errDelta
	}
	src = src[k:]
	if n == 0 {
		return to, src, nil
	}
	if head[1] == 0 || head[0] > 1<<20 || head[0]%head[1] != 0 || head[0]/head[1]%8 != 0 {
		return nil, nil, errDelta
	}
	part := int(head[0] / head[1])
	add := func() bool {
		to = append(to, uint32(value))
		n--
		return value >= 0 && value <= 1<<31-1
	}
	if !add() {
		return nil, nil, errDelta
	}
	for n > 0 {
		least, k := binary.Varint(src)
		if k <= 0 || len(src)-k < int(head[1]) {
			return nil, nil, errDelta
		}
		widths := src[k : k+int(head[1])]
		src = src[k+int(head[1]):]
		for _, width := range widths {
			if n == 0 {
				break // parts without numbers have no bytes, whatever their width
			}
			size := part * int(width) / 8
			if width > 64 || size > len(src) {
				return nil, nil, errDelta
			}
			for i := range min(part, n) {
				value += least + int64(packed(src, i*int(width), uint(width)))
				if !add() {
					return nil, nil, errDelta
				}
			}
			src = src[size:]
		}
	}
	return to, src, nil
}

// packed returns the width bits of src from bit at on.
func packed(src []byte, at int, width uint) (v uint64) {
	for have := uint(0); have < width; {
		b := uint64(src[at/8]) >> (at % 8)
		v |= b << have
		have += 8 - uint(at%8)
		at += 8 - at%8
	}
	if width < 64 {
		v &= 1<<width - 1
	}
	return v
}

func (d *pageData) deltaLengths(src []byte, n int) error {
	sizes, rest, err := lengths(d.offsets[:0], src, n)
	if err != nil {
		return err
	}
	at := uint64(0)
	for i, size := range sizes {
		sizes[i] = uint32(at)
		if at += uint64(size); at > uint64(len(rest)) {
			return errRuns
		}
	}
	d.offsets = append(sizes, uint32(at))
	d.bytes = rest[:at]
	return nil
}

// mostText limits the texts of a page that share prefixes, in bytes: a few bytes of such a page can
// expand to many.
const mostText = 256 << 20

func (d *pageData) deltaTexts(src []byte, n int) error {
	shared, src, err := lengths(nil, src, n)
	if err != nil {
		return err
	}
	sizes, rest, err := lengths(d.offsets[:0], src, n)
	if err != nil {
		return err
	}
	total, last := uint64(0), uint64(0)
	for i := range sizes {
		if uint64(shared[i]) > last {
			return fmt.Errorf("a text begins as the one before it, which is shorter")
		}
		last = uint64(shared[i]) + uint64(sizes[i])
		total += last
	}
	if total > mostText {
		return fmt.Errorf("the texts of a page take %d bytes", total)
	}
	out := make([]byte, 0, total)
	from := 0 // of the last text
	for i, size := range sizes {
		if uint64(size) > uint64(len(rest)) {
			return errRuns
		}
		at := len(out)
		out = append(out, out[from:from+int(shared[i])]...)
		out = append(out, rest[:size]...)
		rest = rest[size:]
		sizes[i], from = uint32(at), at
	}
	d.offsets = append(sizes, uint32(len(out)))
	d.bytes = out
	return nil
}
