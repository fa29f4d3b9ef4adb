package yson

// A Kind says what a token is.
type Kind uint8

// The kinds of tokens. Those of values come last.
const (
	End           Kind = iota // of the input
	Key                       // of an entry of a map or of attributes; its value follows
	EndMap                    // }
	EndList                   // ]
	EndAttributes             // >; the value that has them follows
	Attributes                // <
	Map                       // {
	List                      // [
	Entity                    // #
	String
	Int64
	Uint64
	Double
	Boolean
)

var kindNames = [...]string{"the end", "a key", "}", "]", ">", "<", "{", "[", "#", "a string", "an int64", "a uint64", "a double", "a boolean"}

func (k Kind) String() string { return kindNames[k] }

// Marks of binary scalars.
const (
	markString byte = iota + 1 // zigzag varint of the length, then the bytes
	markInt64                  // zigzag varint
	markDouble                 // 8 bytes, little-endian
	markFalse
	markTrue
	markUint64 // varint
)

// A class says which tokens a byte may be part of.
type class uint8

const (
	other   class = iota
	space         // between tokens
	numeric       // of a number; the first of one is a digit or a sign
	letter        // the first of a string without quotes
)

var classes = func() (t [256]class) {
	for _, c := range " \t\n\v\f\r" {
		t[c] = space
	}
	for _, c := range "0123456789+-." {
		t[c] = numeric
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = letter, letter
	}
	t['_'] = letter
	return t
}()
