package report

import "poolproof/core/spelling"

// plain is a whole text as spelling.AppendText shows it.
func plain(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range string(text) {
		out = spelling.AppendText(out, r)
	}
	return out
}
