package command

import (
	"bytes"
	"testing"
)

// What is spelled out does not depend on how the text is cut.
func TestPlainText(t *testing.T) {
	const text = "a\x1b[31mb\u009bc\u202ed\r\té\n\xffend"
	const want = `a\x1b[31mb\u009bc\u202ed\x0d` + "\té\n\ufffdend"
	for _, size := range []int{1, 2, 3, 100} {
		var out bytes.Buffer
		p := &plainWriter{w: &out}
		for rest := []byte(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
			p.Write(rest[:min(size, len(rest))])
		}
		p.finish()
		if out.String() != want {
			t.Errorf("in parts of %d: %q, want %q", size, out.String(), want)
		}
	}
}
