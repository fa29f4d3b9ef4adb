package parquetlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/parquet-go/bitpack"
)

// Levels, booleans and indexes into dictionaries are runs of one value and
// groups of eight packed values, in turns (RLE of Parquet's Encodings.md). The
// library's decoder of booleans makes a run of 8 n ones of n bytes 0x01, and
// all its decoders make room for as many values as a run says that it has.

var errRuns = errors.New("a page has fewer values than it says")

// runs calls same for each run of equal values and packed for each stretch of
// packed ones until they have taken n values of width bits. What same and
// packed are given never exceeds what is left of n.
func runs(src []byte, n int, width uint, same func(n int, value uint32), packed func(n int, from []byte)) error {
	if width > 32 {
		return fmt.Errorf("a page has values of %d bits", width)
	}
	size := int(width+7) / 8
	for n > 0 {
		head, k := binary.Uvarint(src)
		if k <= 0 {
			return errRuns
		}
		src = src[k:]
		if head&1 == 0 {
			if len(src) < size {
				return errRuns
			}
			var word [4]byte
			copy(word[:], src[:size])
			src = src[size:]
			k := int(min(head>>1, uint64(n)))
			same(k, binary.LittleEndian.Uint32(word[:]))
			n -= k
			continue
		}
		// Of the last group no more need to be there than its values take.
		k = int(min(head>>1, uint64(n+7)/8)) * 8
		take := min(k, n)
		if bitpack.ByteCount(uint(take)*width) > len(src) {
			return errRuns
		}
		packed(take, src)
		n -= take
		src = src[min(uint64(len(src)), (head>>1)*uint64(width)):]
	}
	return nil
}

// decodeBytes decodes len(dst) levels or booleans, of at most 8 bits.
func decodeBytes(dst, src []byte, width uint) error {
	if width > 8 {
		return fmt.Errorf("a page has levels of %d bits", width)
	}
	return runs(src, len(dst), width, func(n int, value uint32) {
		fill(dst[:n], byte(value))
		dst = dst[n:]
	}, func(n int, from []byte) {
		if width == 1 {
			unpackBits(dst[:n], from)
		} else {
			unpackBytes(dst[:n], from, width)
		}
		dst = dst[n:]
	})
}

// unpackBits makes a byte of each bit.
func unpackBits(dst, from []byte) {
	for ; len(dst) >= 8; dst, from = dst[8:], from[1:] {
		b := from[0]
		dst[0], dst[1], dst[2], dst[3] = b&1, b>>1&1, b>>2&1, b>>3&1
		dst[4], dst[5], dst[6], dst[7] = b>>4&1, b>>5&1, b>>6&1, b>>7
	}
	for i := range dst {
		dst[i] = from[0] >> i & 1
	}
}

func unpackBytes(dst, from []byte, width uint) {
	var word, have uint
	for i := range dst {
		if have < width {
			word |= uint(from[0]) << have
			from = from[1:]
			have += 8
		}
		dst[i] = byte(word & (1<<width - 1))
		word >>= width
		have -= width
	}
}

// decodeIndexes decodes len(dst) indexes into a dictionary of size values.
func decodeIndexes(dst []int32, src []byte, width uint, size int) error {
	whole := dst
	err := runs(src, len(dst), width, func(n int, value uint32) {
		fill(dst[:n], int32(value))
		dst = dst[n:]
	}, func(n int, from []byte) {
		unpackInts(dst[:n], from, width)
		dst = dst[n:]
	})
	if err == nil && !inside(whole, size) {
		err = errors.New("a page names a value that its dictionary does not have")
	}
	return err
}

// unpackInts unpacks values of up to 32 bits. The library's kernels read some
// bytes beyond the last value: buffers of pages have room for that.
func unpackInts(dst []int32, from []byte, width uint) {
	need := bitpack.ByteCount(uint(len(dst))*width + 8*bitpack.PaddingInt32)
	if need <= cap(from) {
		from = from[:need]
	} else {
		padded := make([]byte, need)
		copy(padded, from)
		from = padded
	}
	bitpack.Unpack(dst, from, width)
}

// inside reports whether all indexes are in [0, n).
func inside(indexes []int32, n int) bool {
	var most uint32
	for _, i := range indexes {
		most = max(most, uint32(i))
	}
	return len(indexes) == 0 || most < uint32(n)
}

// levelWidth returns the number of bits of a level of at most most.
func levelWidth(most byte) uint { return uint(bits.Len8(most)) }
