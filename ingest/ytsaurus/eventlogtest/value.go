package eventlogtest

import (
	"maps"
	"slices"
)

// A kind says what a Value is.
type kind uint8

const (
	entity kind = iota // of YSON; null of JSON
	text
	integer
	unsigned
	double
	boolean
	list
	mapping
	raw // text is the value as the encoder writes it, to be copied
)

// A Value is a value of YSON whose maps keep the order of their keys. A text is
// bytes: what JSON makes of them is the encoder's business. The zero Value is an
// entity.
type Value struct {
	kind       kind
	text       string
	number     uint64 // of integers, as bits; 1 of true
	real       float64
	keys       []string // of a map, one per item
	items      []Value
	attributes *Value // a map; nil if there are none
}

func textOf(s string) Value { return Value{kind: text, text: s} }

func intOf[I ~int | ~int32 | ~int64](n I) Value { return Value{kind: integer, number: uint64(n)} }

func realOf(f float64) Value { return Value{kind: double, real: f} }

func boolOf(b bool) Value {
	v := Value{kind: boolean}
	if b {
		v.number = 1
	}
	return v
}

func listOf(items ...Value) Value { return Value{kind: list, items: items} }

// newMap returns an empty map with room for n keys.
func newMap(n int) Value {
	return Value{kind: mapping, keys: make([]string, 0, n), items: make([]Value, 0, n)}
}

// put adds a key at the end of a map.
func (v *Value) put(key string, item Value) {
	v.keys = append(v.keys, key)
	v.items = append(v.items, item)
}

// at returns the value of a key, nil if the map has none.
func (v *Value) at(key string) *Value {
	if i := slices.Index(v.keys, key); i >= 0 {
		return &v.items[i]
	}
	return nil
}

// anyOf returns a value of pooltree.Attributes. Keys, which have no order there, are
// sorted.
func anyOf(a any) Value {
	switch a := a.(type) {
	case string:
		return textOf(a)
	case bool:
		return boolOf(a)
	case int64:
		return intOf(a)
	case uint64:
		return Value{kind: unsigned, number: a}
	case float64:
		return realOf(a)
	case []any:
		v := listOf()
		for _, item := range a {
			v.items = append(v.items, anyOf(item))
		}
		return v
	case map[string]any:
		v := newMap(len(a))
		for _, key := range slices.Sorted(maps.Keys(a)) {
			v.put(key, anyOf(a[key]))
		}
		return v
	}
	return Value{}
}
