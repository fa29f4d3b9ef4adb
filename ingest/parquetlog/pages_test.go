package parquetlog

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// TestRunsAndPackedValues decodes what a slow encoder makes of random runs.
func TestRunsAndPackedValues(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for width := uint(0); width <= 32; width++ {
		for range 50 {
			var want []int32
			var src []byte
			for range r.IntN(6) {
				if r.IntN(2) == 0 {
					n, v := 1+r.IntN(70), r.Uint32()&uint32(1<<width-1)
					src = binary.AppendUvarint(src, uint64(n)<<1)
					src = append(src, binary.LittleEndian.AppendUint32(nil, v)[:(width+7)/8]...)
					want = append(want, slices.Repeat([]int32{int32(v)}, n)...)
					continue
				}
				groups := 1 + r.IntN(5)
				src = binary.AppendUvarint(src, uint64(groups)<<1|1)
				packed := make([]byte, groups*int(width))
				for i := range 8 * groups {
					v := r.Uint32() & uint32(1<<width-1)
					want = append(want, int32(v))
					for b := range int(width) {
						at := i*int(width) + b
						packed[at/8] |= byte(v>>b&1) << (at % 8)
					}
				}
				src = append(src, packed...)
			}
			want = want[:len(want)-r.IntN(min(len(want), 8)+1)] // the last group need not be full
			got := make([]int32, len(want))
			if err := decodeIndexes(got, slices.Clip(src), width, 1<<31); err != nil && width < 32 || !slices.Equal(got, want) {
				t.Fatalf("width %d: %v, got %v, want %v", width, err, got, want)
			}
			if width <= 8 {
				levels := make([]byte, len(want))
				if err := decodeBytes(levels, src, width); err != nil {
					t.Fatal(err)
				}
				for i := range levels {
					if int32(levels[i]) != want[i] {
						t.Fatalf("width %d: level %d is %d, want %d", width, i, levels[i], want[i])
					}
				}
			}
			if err := decodeIndexes(make([]int32, len(want)+9), src, width, 1<<31); err == nil {
				t.Fatalf("width %d: more values are read than there are", width)
			}
		}
	}
}

// A run of 2^31 values in a page of three takes no more room than three.
func TestARunThatIsTooLongIsCut(t *testing.T) {
	src := append(binary.AppendUvarint(nil, 1<<32), 1)
	got := make([]byte, 3)
	if err := decodeBytes(got, src, 1); err != nil || !bytes.Equal(got, []byte{1, 1, 1}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestPagesUnpackToWhatTheySay gives each codec as much room as there is, more
// and less.
func TestPagesUnpackToWhatTheySay(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	noise := make([]byte, 5000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	for _, codec := range []format.CompressionCodec{format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4Raw} {
		for _, plain := range [][]byte{noise, bytes.Repeat([]byte("pool"), 50_000), []byte("x")} {
			packed, err := parquet.LookupCompressionCodec(codec).Encode(nil, plain)
			if err != nil {
				t.Fatal(err)
			}
			for _, more := range []int{0, 100} {
				dst := make([]byte, len(plain)+more)
				if n, err := decompress(codec, dst, packed); err != nil || !bytes.Equal(dst[:n], plain) {
					t.Errorf("%s, %d bytes with room for %d more: %d, %v", codec, len(plain), more, n, err)
				}
			}
			if n, err := decompress(codec, make([]byte, len(plain)-1), packed); err == nil {
				t.Errorf("%s: of %d bytes %d fit in one less", codec, len(plain), n)
			}
			cut := packed[:len(packed)/2]
			if n, err := decompress(codec, make([]byte, len(plain)), cut); err == nil && n == len(plain) {
				t.Errorf("%s: what is cut off unpacks", codec)
			}
		}
	}
	if _, err := decompress(format.LZO, nil, []byte("x")); err == nil {
		t.Error("LZO is read")
	}
}
