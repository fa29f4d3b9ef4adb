package treejson

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"

	"poolproof/ingest/input"
)

// Lines yields the lines that hold something, with their numbers from 1. An error is the
// last that it yields.
func Lines(ctx context.Context, in io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		lines, first := bufio.NewReaderSize(in, 1<<20), true
		for number := 1; ; number++ {
			text, err := readLine(ctx, lines, number)
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Line{}, err)
				return
			}
			last := err != nil
			if len(bytes.TrimSpace(text)) > 0 {
				if first && !last && jsonState(text) == jsonCutShort {
					if lines, err = lookAhead(text, lines); err != nil {
						yield(Line{}, err)
						return
					}
				}
				first = false
				if !yield(Line{number, text}, nil) {
					return
				}
			}
			if last {
				return
			}
		}
	}
}

// A Line is one of the input.
type Line struct {
	Number int
	Text   []byte
}

// lookAhead refuses an object that spans lines, given its first one. It returns a reader of the
// rest of the lines.
func lookAhead(first []byte, lines *bufio.Reader) (*bufio.Reader, error) {
	rest, err := io.ReadAll(io.LimitReader(lines, mostSpread))
	if err != nil {
		return nil, err
	}
	if jsonState(slices.Concat(first, rest)) == jsonComplete {
		return nil, input.Errorf("one tree per line: write the object on a single line")
	}
	return bufio.NewReaderSize(io.MultiReader(bytes.NewReader(rest), lines), 1<<20), nil
}

// longestTree is the most bytes of a line: a tree of a million nodes.
const longestTree = 256 << 20

// readLine returns the next line, with the end of input if it is the last one.
func readLine(ctx context.Context, lines *bufio.Reader, number int) (line []byte, err error) {
	for {
		part, err := lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case len(line) > longestTree:
			return nil, input.Errorf("line %d has more than %d MiB, the most that is read of a tree", number, longestTree>>20)
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

// mostSpread limits the bytes that are read to distinguish an object that spans lines from a line
// that is cut short.
const mostSpread = 64 << 20

// What jsonState finds.
const (
	jsonWrong    = iota
	jsonCutShort // the beginning of a value
	jsonComplete // values, one or more, to the end
)

func jsonState(data []byte) int {
	decoder := json.NewDecoder(bytes.NewReader(quoteOddNumbers(data)))
	for {
		var value json.RawMessage
		switch err := decoder.Decode(&value); {
		case errors.Is(err, io.EOF):
			return jsonComplete
		case errors.Is(err, io.ErrUnexpectedEOF):
			return jsonCutShort
		case err != nil:
			return jsonWrong
		}
	}
}
