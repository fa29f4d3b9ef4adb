package parquetlog

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// pageData holds the values of a page or a dictionary, by physical type.
type pageData struct {
	int32s  []int32
	int64s  []int64
	int96s  []deprecated.Int96
	floats  []float32
	doubles []float64
	bools   []byte // 0 or 1
	bytes   []byte
	offsets []uint32 // of each text and of the end, in bytes
	skip    uint32   // bytes of a text that are its length
}

// text returns value i.
func (d *pageData) text(i int) []byte { return d.bytes[d.offsets[i]+d.skip : d.offsets[i+1]] }

// decode sets d to the n values of src, which it may go on using.
func (d *pageData) decode(kind parquet.Kind, size int, e format.Encoding, src []byte, n int) error {
	switch kind {
	case parquet.Boolean:
		return d.booleans(e, src, n)
	case parquet.ByteArray:
		return d.texts(e, src, n)
	case parquet.FixedLenByteArray:
		return d.fixed(e, src, n, size)
	}
	if n == 0 {
		d.int32s, d.int64s, d.int96s, d.floats, d.doubles = d.int32s[:0], d.int64s[:0], d.int96s[:0], d.floats[:0], d.doubles[:0]
		return nil
	}
	src, err := sized(e, src, n, widths[kind])
	if err != nil {
		return err
	}
	decoder := parquet.LookupEncoding(e)
	have := 0
	switch kind {
	case parquet.Int32:
		d.int32s, err = decoder.DecodeInt32(d.int32s[:0], src)
		have = len(d.int32s)
	case parquet.Int64:
		d.int64s, err = decoder.DecodeInt64(d.int64s[:0], src)
		have = len(d.int64s)
	case parquet.Int96:
		d.int96s, err = decoder.DecodeInt96(d.int96s[:0], src)
		have = len(d.int96s)
	case parquet.Float:
		d.floats, err = decoder.DecodeFloat(d.floats[:0], src)
		have = len(d.floats)
	case parquet.Double:
		d.doubles, err = decoder.DecodeDouble(d.doubles[:0], src)
		have = len(d.doubles)
	}
	switch {
	case errors.Is(err, encoding.ErrNotSupported):
		return notRead(e, kind)
	case err == nil && have < n:
		return errRuns
	}
	return err
}

// widths are the sizes of values, in bytes.
var widths = map[parquet.Kind]int{parquet.Int32: 4, parquet.Int64: 8, parquet.Int96: 12, parquet.Float: 4, parquet.Double: 8}

// sized cuts src to what n values take, where that follows from n, and
// otherwise makes sure that they are not more: the library makes room for as
// many as a page says.
func sized(e format.Encoding, src []byte, n, width int) ([]byte, error) {
	switch e {
	case format.Plain:
		if len(src) < n*width {
			return nil, errRuns
		}
		return src[:n*width], nil
	case format.ByteStreamSplit:
		// The streams lie one after the other: a byte too many moves them all.
		if len(src) != n*width {
			return nil, fmt.Errorf("a page has %d bytes of %d values in %d streams", len(src), n, width)
		}
	case format.DeltaBinaryPacked:
		if total, err := deltaTotal(src); err != nil || total != uint64(n) {
			return nil, fmt.Errorf("a page of %d values says that %d are packed", n, total)
		}
	}
	return src, nil
}

func notRead(e format.Encoding, kind parquet.Kind) error {
	return &FormatError{Found: fmt.Sprintf("it has the encoding %s of values of the type %s, which is not read", e, kind),
		Advice: "Write it with another encoding, such as PLAIN."}
}

func (d *pageData) booleans(e format.Encoding, src []byte, n int) error {
	d.bools = room(d.bools, n)
	switch e {
	case format.Plain:
		if len(src) < (n+7)/8 {
			return errRuns
		}
		unpackBits(d.bools, src)
		return nil
	case format.RLE:
		if n == 0 {
			return nil
		}
		runs, _, err := prefixed(src)
		if err != nil {
			return err
		}
		return decodeBytes(d.bools, runs, 1)
	}
	return notRead(e, parquet.Boolean)
}

// prefixed cuts off what has its length in front.
func prefixed(src []byte) (of, rest []byte, err error) {
	if len(src) < 4 {
		return nil, nil, errRuns
	}
	n := binary.LittleEndian.Uint32(src)
	if src = src[4:]; uint64(n) > uint64(len(src)) {
		return nil, nil, errRuns
	}
	return src[:n], src[n:], nil
}

func (d *pageData) texts(e format.Encoding, src []byte, n int) error {
	d.offsets = room(d.offsets, n+1)
	switch e {
	case format.Plain:
		at := 0
		for i := range n {
			d.offsets[i] = uint32(at)
			if len(src)-at < 4 {
				return errRuns
			}
			length := binary.LittleEndian.Uint32(src[at:])
			if at += 4; uint64(length) > uint64(len(src)-at) {
				return errRuns
			}
			at += int(length)
		}
		d.offsets[n] = uint32(at)
		d.bytes, d.skip = src, 4
		return nil
	case format.DeltaLengthByteArray:
		d.skip = 0
		return d.deltaLengths(src, n)
	case format.DeltaByteArray:
		d.skip = 0
		return d.deltaTexts(src, n)
	}
	return notRead(e, parquet.ByteArray)
}

func (d *pageData) fixed(e format.Encoding, src []byte, n, size int) error {
	d.offsets, d.skip = room(d.offsets, n+1), 0
	for i := range d.offsets {
		d.offsets[i] = uint32(i * size)
	}
	switch e {
	case format.Plain, format.ByteStreamSplit:
		src, err := sized(e, src, n, size)
		if err != nil {
			return err
		}
		if d.bytes = src; e == format.ByteStreamSplit {
			d.bytes = make([]byte, n*size)
			for i := range d.bytes {
				d.bytes[i] = src[i%size*n+i/size]
			}
		}
		return nil
	case format.DeltaByteArray:
		if err := d.deltaTexts(src, n); err != nil {
			return err
		}
		for i := range n {
			if len(d.text(i)) != size {
				return fmt.Errorf("a value has %d bytes, and all of the column have %d", len(d.text(i)), size)
			}
		}
		return nil
	}
	return notRead(e, parquet.FixedLenByteArray)
}

// room returns a slice of n with unknown content.
func room[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
