package parquetlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// decompress unpacks src into dst, as long as its page header says, and returns
// how many bytes it has. More than dst holds is an error: no codec makes room
// for itself. The Parquet library's codecs do, and of what LZ4 unpacks into
// room of its own the library reads the page's old bytes instead.
func decompress(codec format.CompressionCodec, dst, src []byte) (int, error) {
	if len(src) == 0 {
		return 0, nil
	}
	switch codec {
	case format.Snappy:
		n, err := snappy.DecodedLen(src)
		if err != nil || n > len(dst) {
			return 0, errors.Join(err, fits(n, dst))
		}
		_, err = snappy.Decode(dst[:n:n], src)
		return n, err
	case format.Gzip:
		z := gzips.Get().(*gzip.Reader)
		defer gzips.Put(z)
		if err := z.Reset(bytes.NewReader(src)); err != nil {
			return 0, err
		}
		return readAll(z, dst)
	case format.Brotli:
		z := brotlis.Get().(*brotli.Reader)
		defer brotlis.Put(z)
		if err := z.Reset(bytes.NewReader(src)); err != nil {
			return 0, err
		}
		return readAll(z, dst)
	case format.Zstd:
		z := zstds.Get().(*zstd.Decoder)
		defer zstds.Put(z)
		out, err := z.DecodeAll(src, dst[:0:len(dst)])
		return len(out), err
	case format.Lz4Raw:
		return lz4.UncompressBlock(src, dst)
	}
	return 0, &FormatError{Found: fmt.Sprintf("it is compressed with the codec %s, which is not read", codec),
		Advice: "Write it with SNAPPY, GZIP, BROTLI, ZSTD, LZ4_RAW or without compression."}
}

var (
	gzips   = sync.Pool{New: func() any { return new(gzip.Reader) }}
	brotlis = sync.Pool{New: func() any { return brotli.NewReader(nil) }}
	zstds   = sync.Pool{New: func() any {
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			panic(err) // of the options
		}
		return z
	}}
)

// readAll reads in to its end, which must come within dst.
func readAll(in io.Reader, dst []byte) (n int, err error) {
	for n < len(dst) {
		k, err := in.Read(dst[n:])
		if n += k; errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
	var more [1]byte
	k, err := io.ReadFull(in, more[:])
	if errors.Is(err, io.EOF) {
		return n, nil
	}
	return n, errors.Join(err, fits(n+k, dst))
}

func fits(n int, dst []byte) error {
	if n <= len(dst) {
		return nil
	}
	return fmt.Errorf("a page unpacks to more than the %d bytes it says", len(dst))
}
