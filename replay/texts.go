package replay

import (
	"unsafe"

	"poolproof/core/judge"
)

// texts makes strings without an allocation for each.
type texts struct {
	chunk  []byte            // of which the first part is in use
	known  map[string]string // what was joined before; there are few ways
	buffer []byte
}

// chunkSize is how many bytes of names lie together: what keeps one of them, keeps
// all.
const chunkSize = 4096

// of returns a copy of b.
func (t *texts) of(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > cap(t.chunk)-len(t.chunk) {
		t.chunk = make([]byte, 0, max(chunkSize, len(b)))
	}
	from := len(t.chunk)
	t.chunk = append(t.chunk, b...)
	return unsafe.String(&t.chunk[from], len(b)) // nothing writes there again
}

// ids returns the ids of the rules on which the verdict is v, joined by commas.
func (t *texts) ids(rulings []judge.Ruling, v judge.Verdict) string {
	t.buffer = t.buffer[:0]
	for i := range rulings {
		if rulings[i].Verdict == v {
			t.item(rulings[i].Invariant.String())
		}
	}
	return t.joined()
}

// facts returns the verdicts on the facts of a victim, joined by commas.
func (t *texts) facts(rulings []judge.Ruling, victim int32) string {
	t.buffer = t.buffer[:0]
	for _, v := range judge.Facts(rulings, victim) {
		t.item(v.String())
	}
	return t.joined()
}

func (t *texts) item(text string) {
	if len(t.buffer) > 0 {
		t.buffer = append(t.buffer, ',')
	}
	t.buffer = append(t.buffer, text...)
}

func (t *texts) joined() string {
	text, ok := t.known[string(t.buffer)]
	if !ok {
		if t.known == nil {
			t.known = map[string]string{}
		}
		text = string(t.buffer)
		t.known[text] = text
	}
	return text
}
