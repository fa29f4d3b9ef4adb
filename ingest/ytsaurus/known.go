package ytsaurus

import (
	"encoding/binary"
	"math/bits"
)

// A knownName is a name that the importer reads.
type knownName struct {
	text string // "" of no name
	span span   // in knownBytes
	key  key
	role role // of a column
}

// A nameTable finds known names. Rows hold some hundred names each, and a map would
// cost more than reading them.
type nameTable [512]knownName

// find returns a name, and one of key zero for an unknown name.
func (t *nameTable) find(name []byte) *knownName {
	for at := hashName(name); ; at++ {
		k := &t[at%len(t)]
		if k.text == string(name) || k.text == "" {
			return k
		}
	}
}

func (t *nameTable) add(name string, k key, r role) {
	slot := t.find([]byte(name))
	*slot = knownName{name, span{inKnownText | uint32(len(knownBytes)), uint32(len(name))}, k, r}
	knownBytes = append(knownBytes, name...)
}

// hashName distinguishes most known names by their length and both of their ends.
func hashName(b []byte) int {
	h := uint64(len(b))
	if len(b) >= 8 {
		h += binary.LittleEndian.Uint64(b) ^ bits.RotateLeft64(binary.LittleEndian.Uint64(b[len(b)-8:]), 27)
	} else if len(b) > 0 {
		h += uint64(b[0])<<8 ^ uint64(b[len(b)/2])<<16 ^ uint64(b[len(b)-1])<<24
	}
	return int(h * 0x9e3779b97f4a7c15 >> 55)
}

// inKnownText marks a span of knownBytes, so that rows need not hold known names.
const inKnownText = 1 << 31

var (
	columnTable, entryTable nameTable
	knownBytes              []byte
)

func init() {
	for _, name := range sortedKeys(columns) {
		columnTable.add(name, columns[name].key, columns[name].role)
	}
	for _, name := range sortedKeys(entries) {
		entryTable.add(name, entries[name], skipped)
	}
}
