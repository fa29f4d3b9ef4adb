package parquetlog

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The library's decoder of Thrift makes room for as many elements as a list says that
// it has, and calls itself for each level of what it skips: 31 bytes could ask for 206
// GB, and some thousand end the program. So all Thrift is walked over first, and what
// cannot lie in its bytes, nests too deeply or is too much is refused.

const (
	deepest = 32      // levels of structs, lists and maps; the format has 8
	mostOf  = 1 << 22 // units of a footer: 80 thousand column chunks
	ofOne   = 8       // units of a struct; other elements are one
)

var errShort = errors.New("its Thrift is cut off")

// A walk goes over Thrift in the compact protocol.
type walk struct {
	b     []byte
	at    int
	units int
}

// walkStruct returns how many bytes the struct at the beginning of b takes. If more are
// needed than there are it is errShort.
func walkStruct(b []byte) (int, error) {
	w := &walk{b: b}
	err := w.structure(0)
	return w.at, err
}

func (w *walk) left() int { return len(w.b) - w.at }

func (w *walk) byte() (byte, error) {
	if w.left() == 0 {
		return 0, errShort
	}
	w.at++
	return w.b[w.at-1], nil
}

func (w *walk) uvarint() (uint64, error) {
	v, n := binary.Uvarint(w.b[w.at:])
	if n < 0 {
		return 0, errors.New("its Thrift has a number of more than 64 bits")
	}
	if n == 0 {
		return 0, errShort
	}
	w.at += n
	return v, nil
}

func (w *walk) skip(n uint64) error {
	if n > uint64(w.left()) {
		return errShort
	}
	w.at += int(n)
	return nil
}

// count counts elements. A real footer has three bytes for each unit.
func (w *walk) count(units int) error {
	if w.units += units; w.units > mostOf || w.units > len(w.b)+1<<12 {
		return fmt.Errorf("its Thrift has more elements than %d bytes of it can mean", len(w.b))
	}
	return nil
}

func (w *walk) structure(depth int) error {
	if depth > deepest {
		return fmt.Errorf("its Thrift nests deeper than %d levels", deepest)
	}
	if err := w.count(ofOne); err != nil {
		return err
	}
	for {
		head, err := w.byte()
		if err != nil || head == 0 {
			return err
		}
		if head>>4 == 0 { // the field's number follows
			if _, err := w.uvarint(); err != nil {
				return err
			}
		}
		kind := head & 0xF
		if kind == 1 || kind == 2 { // a bool is its own type
			continue
		}
		if err := w.value(kind, depth); err != nil {
			return err
		}
	}
}

// value walks over a value of a type of the compact protocol.
func (w *walk) value(kind byte, depth int) error {
	switch kind {
	case 1, 2, 3: // bool in a list, byte
		return w.skip(1)
	case 4, 5, 6: // integers
		_, err := w.uvarint()
		return err
	case 7: // double
		return w.skip(8)
	case 8: // binary
		n, err := w.uvarint()
		if err != nil {
			return err
		}
		return w.skip(n)
	case 9, 10:
		return w.list(depth + 1)
	case 11:
		return w.mapping(depth + 1)
	case 12:
		return w.structure(depth + 1)
	case 13: // UUID
		return w.skip(16)
	}
	return fmt.Errorf("its Thrift has a value of the unknown type %d", kind)
}

func (w *walk) list(depth int) error {
	head, err := w.byte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 0xF {
		if n, err = w.uvarint(); err != nil {
			return err
		}
	}
	return w.elements(n, depth, head&0xF)
}

func (w *walk) mapping(depth int) error {
	n, err := w.uvarint()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := w.byte()
	if err != nil {
		return err
	}
	return w.elements(n, depth, kinds>>4, kinds&0xF)
}

// elements walks over n elements, each a value of each of the kinds. None is without
// bytes.
func (w *walk) elements(n uint64, depth int, kinds ...byte) error {
	if depth > deepest {
		return fmt.Errorf("its Thrift nests deeper than %d levels", deepest)
	}
	if n > uint64(w.left()) {
		return errShort
	}
	if err := w.count(int(n)); err != nil {
		return err
	}
	for range n {
		for _, kind := range kinds {
			if err := w.value(kind, depth); err != nil {
				return err
			}
		}
	}
	return nil
}
