package input

import "bytes"

// MaxDepth is how deep the values of a YAML or JSON file may nest: pools do 30 levels at
// most (core/spec/scheduling.md §4.1), and parsers that call themselves take gigabytes for
// some hundred thousand brackets.
const MaxDepth = 200

// TooDeep returns the first line of a YAML or JSON text on which more than MaxDepth
// values are open, 0 if there is none. It counts brackets, those in quotes, too, of
// which no real name has so many; list dashes, and columns of indentation.
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
		if c != '-' && c != '?' { // behind these the next level begins
			indent = -1
		}
	}
	return 0
}

// MaxLines is how many lines a policy or a description of a cluster may have: its reader
// takes a time that grows with the square of them.
const MaxLines = 10_000

// TooLong reports whether a text has more than MaxLines lines.
func TooLong(b []byte) bool { return bytes.Count(b, []byte("\n")) > MaxLines }
