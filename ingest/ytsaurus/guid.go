package ytsaurus

import (
	"bytes"
	"encoding/binary"
	"strconv"
)

// A guid is an id of an operation, a job or a sample: four words, without their leading zeros in
// the source (ingest/trace/FORMAT.md §1.2). The zero guid stands for no id. Ids have the order of
// their words.
type guid [16]byte

// parseGUID reads the text of an id.
func parseGUID(b []byte) (g guid, ok bool) {
	word, digits := 0, 0
	var n uint32
	for i := 0; ; i++ {
		if i == len(b) || b[i] == '-' {
			if digits == 0 || word == 4 {
				return guid{}, false
			}
			binary.BigEndian.PutUint32(g[4*word:], n)
			word, digits, n = word+1, 0, 0
			if i == len(b) {
				return g, word == 4
			}
			continue
		}
		d := hexDigit(b[i])
		if d < 0 || digits == 8 {
			return guid{}, false
		}
		n = n<<4 | uint32(d)
		digits++
	}
}

func compareGUIDs(a, b guid) int { return bytes.Compare(a[:], b[:]) }

// String is the source's form.
func (g guid) String() string {
	b := make([]byte, 0, 35)
	for word := range 4 {
		if word > 0 {
			b = append(b, '-')
		}
		b = strconv.AppendUint(b, uint64(binary.BigEndian.Uint32(g[4*word:])), 16)
	}
	return string(b)
}
