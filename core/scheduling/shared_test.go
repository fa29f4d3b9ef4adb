package scheduling

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// object is a JSON object whose keys a test looks up by name.
type object map[string]any

func (o object) has(key string) bool { v, ok := o[key]; return ok && v != nil }

func (o object) text(key string) string { s, _ := o[key].(string); return s }

func (o object) number(key string, fallback float64) float64 {
	if n, ok := o[key].(float64); ok {
		return n
	}
	return fallback
}

func (o object) optional(key string) fairshare.Optional {
	n, ok := o[key].(float64)
	return fairshare.Optional{Value: n, Set: ok}
}

func (o object) flag(key string, fallback bool) bool {
	if b, ok := o[key].(bool); ok {
		return b
	}
	return fallback
}

func (o object) toggle(key string) fairshare.Switch {
	if b, ok := o[key].(bool); ok {
		return fairshare.SwitchOf(b)
	}
	return fairshare.Inherit
}

func (o object) object(key string) object {
	if m, ok := o[key].(map[string]any); ok {
		return object(m)
	}
	return nil
}

func (o object) list(key string) []any { l, _ := o[key].([]any); return l }

func (o object) partial(key string) resource.Partial { return partialOf(o.object(key)) }

func (o object) vector(key string) resource.Vector { return o.partial(key).Amounts }

func (o object) share(key string) (s resource.Share) {
	for name, x := range o.object(key) {
		k, _ := resource.ParseKind(name)
		s[k], _ = x.(float64)
	}
	return s
}

// partialOf reads amounts and keeps which are named.
func partialOf(amounts object) (p resource.Partial) {
	for name, x := range amounts {
		amount, ok := x.(float64)
		if !ok {
			continue
		}
		k, known := resource.ParseKind(name)
		if !known {
			panic("unknown resource " + name)
		}
		p.Set[k] = true
		p.Amounts[k] = int64(amount)
		if k == resource.CPU {
			p.Amounts[k] = resource.ParseCPU(amount)
		}
	}
	return p
}

// reals shows amounts as the test data does: those that are not zero.
func reals(v resource.Vector) object {
	o := object{}
	for k := range v {
		if v[k] != 0 {
			o[resource.Kind(k).String()] = v.Real(resource.Kind(k))
		}
	}
	return o
}

// decode reads JSON that must be well-formed.
func decode(t testing.TB, data []byte, into any) {
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// remarshal reads an object as a value of another type.
func remarshal(t testing.TB, o object, into any) {
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	decode(t, data, into)
}

// plain returns a value as JSON reads it back.
func plain(t testing.TB, x any) (y any) {
	data, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	decode(t, data, &y)
	return y
}

func sortedKeys(o object) []string { return slices.Sorted(maps.Keys(o)) }
