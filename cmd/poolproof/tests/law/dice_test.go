package law

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// A dice draws mutations.
type dice struct{ *rand.Rand }

func newDice(seed uint64) *dice { return &dice{rand.New(rand.NewPCG(seed, 41))} }

func pick[T any](r *dice, of []T) T { return of[r.IntN(len(of))] }

// some returns a part of numbers: one, a few that follow each other, a part drawn at random, or all.
func (r *dice) some(of []int) []int {
	if len(of) == 0 {
		return nil
	}
	from := r.IntN(len(of))
	switch r.IntN(5) {
	case 0:
		return of[from : from+1]
	case 1:
		return of[from:min(len(of), from+1+r.IntN(max(2, len(of)/3)))]
	case 2:
		return of
	}
	part := pick(r, []float64{0.01, 0.05, 0.2, 0.5, 0.9})
	var some []int
	for _, n := range of {
		if r.Float64() < part {
			some = append(some, n)
		}
	}
	return some
}

// path draws a path to a value, which ends the deeper the rarer.
func (r *dice) path(v any) (path []string) {
	for {
		m, ok := v.(map[string]any)
		if !ok || len(m) == 0 || len(path) > 0 && r.IntN(4) == 0 {
			return path
		}
		key := pick(r, slices.Sorted(maps.Keys(m)))
		path, v = append(path, key), m[key]
	}
}

// wrongType draws a value of another type than that which stands there, or bytes that are no text.
func (r *dice) wrongType(is any) any {
	list, object, number, text := any([]any{}), any(map[string]any{"x": json.Number("1")}), any(json.Number("-1")), any("yesterday")
	switch is.(type) {
	case string:
		return pick(r, []any{list, object, number, "\xff\xfe\xfa"})
	case map[string]any:
		return pick(r, []any{list, number, text, true})
	}
	return pick(r, []any{list, object, text})
}

// garbage draws a value that no cluster has in the place of one.
func (r *dice) garbage(is any) any {
	texts := []any{"", "\xff\xfe\xfa", "\x00", strings.Repeat("x", 70_000), "null", "-1", "1970-01-01T00:00:00.000000Z", "2106-02-07T06:28:15.000000Z", "0-0-0-0"}
	numbers := []any{
		json.Number("-1"), json.Number("-9223372036854775808"), json.Number("9223372036854775807"), json.Number("18446744073709551615"),
		json.Number("1e300"), json.Number("-0.5"), json.Number("1e18"),
	}
	others := []any{nil, true, map[string]any{}, []any{}, map[string]any{"x": json.Number("1")}}
	switch is.(type) {
	case string:
		return pick(r, slices.Concat(texts, texts, numbers, others))
	case json.Number:
		return pick(r, slices.Concat(texts, numbers, numbers, others))
	}
	return pick(r, slices.Concat(texts, numbers, others))
}
