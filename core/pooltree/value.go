package pooltree

import (
	"fmt"
	"math"
	"slices"

	"poolproof/core/resource"
)

// Attributes are the attributes of a tree, a pool or an operation as a source
// holds them. A value is nil, a bool, a number (int64, uint64 or float64), a
// string, a []any or a map[string]any of values.
type Attributes map[string]any

const maxFinite = math.MaxFloat64

// A fault is what is wrong with a value.
type fault struct {
	rule   Rule
	detail string
}

func wrongType(want string, got any) *fault {
	return &fault{WrongType, fmt.Sprintf("want %s, got %s", want, describe(got))}
}

func outOfRange(want string, got any) *fault {
	return &fault{OutOfRange, fmt.Sprintf("want %s, got %v", want, got)}
}

func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprint(v)
	case string:
		return fmt.Sprintf("%q", v)
	case []any:
		return "a list"
	case map[string]any, Attributes:
		return "a map"
	}
	return fmt.Sprint(v)
}

// real reads a number.
func real(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, !math.IsNaN(v)
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case int:
		return float64(v), true
	}
	return 0, false
}

// whole reads a number without a fraction.
func whole(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case int:
		return int64(v), true
	case uint64:
		return int64(v), v <= math.MaxInt64
	case float64:
		return int64(v), v == math.Trunc(v) && math.Abs(v) < 1<<63
	}
	return 0, false
}

// attributeMap reads a map.
func attributeMap(v any) (Attributes, bool) {
	switch v := v.(type) {
	case Attributes:
		return v, true
	case map[string]any:
		return v, true
	}
	return nil, false
}

// sortedNames returns the names of a map's entries in order.
func sortedNames(m Attributes) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// readAmounts reads a partial resource vector. Kinds this package does not know
// are left out.
func readAmounts(v any) (resource.Partial, *fault) {
	var p resource.Partial
	m, ok := attributeMap(v)
	if !ok {
		return p, wrongType("a map of amounts", v)
	}
	for _, name := range sortedNames(m) {
		kind, known := resource.ParseKind(name)
		if !known || m[name] == nil {
			continue
		}
		amount, ok := real(m[name])
		if ok && kind != resource.CPU {
			_, ok = whole(m[name])
		}
		if !ok {
			return p, wrongType("an amount of "+name, m[name])
		}
		if amount < 0 || amount > mostOf(kind) {
			return p, outOfRange(fmt.Sprintf("an amount of %s from 0 to %g", name, mostOf(kind)), m[name])
		}
		p.Amounts[kind], p.Set[kind] = amountOf(kind, m[name], amount), true
	}
	return p, nil
}

// mostOf is the largest amount that the kind's storage holds, in its natural unit
// (core/spec/fair-share.md §1.1).
func mostOf(kind resource.Kind) float64 {
	switch kind {
	case resource.CPU:
		return math.MaxInt64 / resource.CentsPerCore
	case resource.GPU:
		return math.MaxInt32
	}
	return math.MaxInt64
}

// amountOf returns a legal amount in the kind's stored unit. What is unlimited
// already counts as no more, so that sums fit.
func amountOf(kind resource.Kind, v any, number float64) int64 {
	most := resource.Unlimited[kind]
	if kind == resource.CPU {
		if number >= float64(most)/resource.CentsPerCore {
			return most
		}
		return resource.ParseCPU(number)
	}
	n, _ := whole(v) // exact beyond 2⁵³ too, where the source is an integer
	return min(n, most)
}
