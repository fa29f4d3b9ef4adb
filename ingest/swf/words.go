package swf

// words splits a line at white space. A list in braces after the standard's
// fields is one word, whatever is in it.
func words(to [][]byte, line []byte) [][]byte {
	for i := 0; i < len(line); {
		if isSpace(line[i]) {
			i++
			continue
		}
		end := i + 1
		for braces := line[i] == '{' && len(to) == standardFields; end < len(line) && (braces || !isSpace(line[end])); end++ {
			if line[end] == '}' {
				braces = false
			}
		}
		to = append(to, line[i:end])
		i = end
	}
	return to
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }
