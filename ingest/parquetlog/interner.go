package parquetlog

import (
	"strings"
	"unicode/utf8"
)

// An Interner gives every distinct text a small number, so that a stream can
// compare and pass on texts without making strings. The number 0 is the empty
// text. It grows with the distinct texts it has seen, and is for one goroutine.
type Interner struct {
	ids   map[string]int32
	texts []string
}

// NewInterner returns an Interner that knows the empty text.
func NewInterner() *Interner {
	return &Interner{ids: map[string]int32{"": 0}, texts: []string{""}}
}

// ID returns the number of a text. Bytes that are not UTF-8 count as U+FFFD
// (spec/trace-formats.md §3.2). It allocates only for a text it has not seen.
func (in *Interner) ID(text []byte) int32 {
	if id, ok := in.ids[string(text)]; ok {
		return id
	}
	s := string(text)
	valid := s
	if !utf8.Valid(text) {
		valid = strings.ToValidUTF8(s, string(utf8.RuneError))
	}
	id, ok := in.ids[valid]
	if !ok {
		id = int32(len(in.texts))
		in.texts = append(in.texts, valid)
		in.ids[valid] = id
	}
	in.ids[s] = id
	return id
}

// Text returns the text of a number that ID returned.
func (in *Interner) Text(id int32) string { return in.texts[id] }
