package command

import (
	"io"
	"unicode/utf8"

	"poolproof/core/spelling"
)

// A plainWriter writes text in which names of a log cannot command a terminal: see spelling.AppendText.
type plainWriter struct {
	w    io.Writer
	rest []byte // of a character whose end has not come
}

func (p *plainWriter) Write(b []byte) (int, error) {
	text := append(p.rest, b...)
	out := make([]byte, 0, len(text)+16)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 && !utf8.FullRune(text) {
			break
		}
		out = spelling.AppendText(out, r)
		text = text[n:]
	}
	p.rest = append([]byte(nil), text...)
	if _, err := p.w.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// finish writes a character that was cut off.
func (p *plainWriter) finish() {
	if len(p.rest) > 0 {
		p.rest = nil
		io.WriteString(p.w, string(utf8.RuneError))
	}
}

// plainText is a text as a plainWriter writes it, on one line.
func plainText(text string) string {
	var out []byte
	for _, r := range text {
		if r == '\n' {
			r = ' '
		}
		out = spelling.AppendText(out, r)
	}
	return string(out)
}
