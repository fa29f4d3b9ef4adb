package audit

import (
	"encoding/binary"
	"math"
)

// A checksum identifies the contents of a column after loading: the number of its values and the
// sum of their hashes, which does not depend on the order of rows. The hash is that of DuckDB's
// hash(), so that the table's side is one fast query; a test compares the two on values of every
// type.
type checksum struct {
	values uint64 // that are not null
	sum    uint64 // of their hashes, modulo 2⁶⁴
}

func (c *checksum) add(hash uint64) {
	c.values++
	c.sum += hash
}

const hashFactor = 0xd6e8feb86659fd93

// hashInteger is the hash of integers, truth values and timestamps.
func hashInteger(x uint64) uint64 {
	x ^= x >> 32
	x *= hashFactor
	x ^= x >> 32
	x *= hashFactor
	return x ^ x>>32
}

// hashDouble is the hash of a double: of its bits, where all zeros are alike
// and all NaNs.
func hashDouble(f float64) uint64 {
	switch {
	case f == 0:
		return 0
	case math.IsNaN(f):
		f = math.Float64frombits(0x7ff8000000000000)
	}
	return hashInteger(math.Float64bits(f))
}

// hashText is the hash of a text: MurmurHash64A with the seed of robin-hood
// hashing.
func hashText(s string) uint64 {
	const (
		factor = 0xc6a4a7935bd1e995
		seed   = 0xe17a1465
		shift  = 47
	)
	h := seed ^ uint64(len(s))*factor
	for ; len(s) >= 8; s = s[8:] {
		word := wordOf(s[:8]) * factor
		word ^= word >> shift
		h = (h ^ word*factor) * factor
	}
	if len(s) > 0 {
		h = (h ^ wordOf(s)) * factor
	}
	h = (h ^ h>>shift) * factor
	return h ^ h>>shift
}

// wordOf returns at most eight bytes as a number, the first one lowest.
func wordOf(s string) uint64 {
	var word [8]byte
	copy(word[:], s)
	return binary.LittleEndian.Uint64(word[:])
}
