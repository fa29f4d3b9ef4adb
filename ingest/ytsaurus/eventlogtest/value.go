package eventlogtest

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A kind says what a Value is.
type kind uint8

const (
	entity kind = iota // of YSON; null of JSON
	text
	integer
	double
	boolean
	list
	mapping
)

// A Value is a value of YSON whose maps keep the order of their keys. A text is
// bytes: what JSON makes of them is the encoder's business. The zero Value is an
// entity.
type Value struct {
	kind       kind
	text       string
	number     int64 // 1 of true
	real       float64
	keys       []string // of a map, one per item
	items      []Value
	attributes *Value // a map; nil if there are none
}

func textOf(s string) Value { return Value{kind: text, text: s} }

func intOf(n int64) Value { return Value{kind: integer, number: n} }

func realOf(f float64) Value { return Value{kind: double, real: f} }

func boolOf(b bool) Value {
	v := Value{kind: boolean}
	if b {
		v.number = 1
	}
	return v
}

// put adds a key at the end of a map.
func (v *Value) put(key string, item Value) {
	v.keys = append(v.keys, key)
	v.items = append(v.items, item)
}

// with returns the value with attributes, a map.
func (v Value) with(attributes Value) Value {
	v.attributes = &attributes
	return v
}

// at returns the value of a key, nil if the map has none.
func (v *Value) at(key string) *Value {
	if i := slices.Index(v.keys, key); i >= 0 {
		return &v.items[i]
	}
	return nil
}

// of returns what the log of an age has for a value of a trace: an entity for one that is
// not set. The keys of a map, which have no order, are sorted.
func (a Age) of(x any) Value {
	switch x := x.(type) {
	case Value:
		return x
	case string:
		return textOf(x)
	case bool:
		return boolOf(x)
	case int:
		return intOf(int64(x))
	case int32:
		return intOf(int64(x))
	case int64:
		return intOf(x)
	case float64:
		return realOf(x)
	case core.Time:
		return textOf(time.UnixMicro(int64(x)).UTC().Format("2006-01-02T15:04:05.000000Z"))
	case []any:
		v := Value{kind: list}
		for _, item := range x {
			v.items = append(v.items, a.of(item))
		}
		return v
	case map[string]any:
		v := Value{kind: mapping}
		for _, key := range slices.Sorted(maps.Keys(x)) {
			v.put(key, a.of(x[key]))
		}
		return v
	case row:
		return a.of(map[string]any(x))
	case trace.Resources:
		v := a.amounts("user_memory", x.UserSlots, float64(x.CPUMilli)/1000, x.GPU, x.Memory, x.Network)
		if a.old() { // under its old name, too (ingest/trace/FORMAT.md §1.9)
			v.put("memory", intOf(x.Memory))
		}
		return v
	case trace.PartialResources:
		cpu := core.Optional[float64]{Set: x.CPUMilli.Set, Value: float64(x.CPUMilli.Value) / 1000}
		return a.amounts("memory", x.UserSlots, cpu, x.GPU, x.Memory, x.Network)
	case trace.Shares:
		return a.amounts("memory", x.UserSlots, x.CPU, x.GPU, x.Memory, x.Network)
	case trace.Volume:
		return a.amounts("user_memory", x.UserSlots, x.CPU, x.GPU, x.Memory, x.Network)
	case nil:
		return Value{}
	}
	if o := reflect.ValueOf(x); o.FieldByName("Set").Bool() { // a core.Optional
		return a.of(o.FieldByName("Value").Interface())
	}
	return Value{}
}

// amounts returns amounts of the resources; one that is not set is left out.
func (a Age) amounts(memory string, of ...any) Value {
	v := Value{kind: mapping}
	for i, name := range []string{"user_slots", "cpu", "gpu", memory, "network"} {
		if x := a.of(of[i]); x.kind != entity {
			v.put(name, x)
		}
	}
	return v
}
