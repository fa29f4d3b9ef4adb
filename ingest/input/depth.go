package input

import "bytes"

// MaxDepth limits the nesting of values in a YAML or JSON file. Pools nest at most 30 levels deep
// (core/spec/scheduling.md §4.1), and a recursive parser takes gigabytes for some hundred thousand
// brackets.
const MaxDepth = 200

// TooDeep returns the first line of a YAML or JSON text on which more than MaxDepth
// values are open, 0 if there is none. It counts brackets, list dashes and columns of
// indentation. Brackets in quotes count, too: a real name does not have that many.
func TooDeep(b []byte) int {
	depth, marks, indent, line := 0, 0, 0, 1
	for _, c := range b {
		switch c {
		case '\n':
			line++
			marks, indent = 0, 0
			continue
		case ' ':
			if indent >= 0 {
				indent++
			}
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '-', '?', ':':
			marks++
		}
		if depth > MaxDepth || marks > 10*MaxDepth || indent > 10*MaxDepth {
			return line
		}
		if c != '-' && c != '?' { // the next level begins after these
			indent = -1
		}
	}
	return 0
}

// MaxLines limits the lines of a policy or of a description of a cluster, since the time to read one
// grows with the square of its lines.
const MaxLines = 10_000

// TooLong reports whether a text has more than MaxLines lines.
func TooLong(b []byte) bool { return bytes.Count(b, []byte("\n")) > MaxLines }
