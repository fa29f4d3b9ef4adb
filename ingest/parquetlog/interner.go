package parquetlog

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// An Interner gives every distinct text a small number, so that a stream can
// compare and pass on texts without making strings. The number 0 is the empty
// text. It grows with the distinct texts it has seen, and is for one goroutine.
//
// It holds the Budget of its stream, too. What is too much, of its own texts or of the
// pages that are read with it, is an error of the Reader.
type Interner struct {
	ids    map[string]int32
	texts  []string
	budget *Budget
	err    error // why it takes no more texts
}

// NewInterner returns an Interner of a stream with that memory. It knows the empty text.
func NewInterner(m Memory) *Interner {
	return &Interner{ids: map[string]int32{"": 0}, texts: []string{""}, budget: m.Budget()}
}

// costOfText is the memory of a text beside its bytes.
const costOfText = 96

// admit reports whether there is room for a new text.
func (in *Interner) admit(text []byte) bool {
	if in.err == nil && len(text) > longestName {
		in.err = tooLong(len(text), longestName)
	}
	if in.err == nil {
		in.err = in.budget.reserve(int64(len(text)) + costOfText)
	}
	return in.err == nil
}

// String makes a string of a text that the caller keeps, so that it counts against the
// budget. If that is exceeded, the string is empty, and the Reader's next call fails.
func (in *Interner) String(text []byte) string {
	if len(text) == 0 || !in.admit(text) {
		return ""
	}
	return strings.ToValidUTF8(string(text), string(utf8.RuneError))
}

func tooLong(have, most int) error {
	return fmt.Errorf("a text of %d bytes stands where %d are the most that is read", have, most)
}

// ID returns the number of a text. Bytes that are not UTF-8 count as U+FFFD
// (ingest/trace/FORMAT.md §3.2). It allocates only for a text it has not seen.
func (in *Interner) ID(text []byte) int32 {
	if id, ok := in.ids[string(text)]; ok {
		return id
	}
	if !in.admit(text) {
		return 0
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
