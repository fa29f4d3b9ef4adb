package poolconf

import (
	"math"
	"slices"

	"poolproof/core"
	"poolproof/core/spelling"
)

// An option is one option of a tree or a pool, whose row R it sets.
type option[R any] struct {
	name    string
	aliases []string
	set     func(r *R, n *node, name string) error
}

// put reads a value and stores it in the field of the row.
func put[R, T any](field func(*R) *core.Optional[T], read func(*node, string) (T, error)) func(*R, *node, string) error {
	return func(r *R, n *node, name string) error {
		v, err := read(n, name)
		if err == nil {
			*field(r) = core.Some(v)
		}
		return err
	}
}

// keep checks a value that has no column and passes it on in config_json.
func keep[R any, T any](extra func(*R) map[string]any, read func(*node, string) (T, error)) func(*R, *node, string) error {
	return func(r *R, n *node, name string) error {
		if _, err := read(n, name); err != nil {
			return err
		}
		extra(r)[name] = n.json()
		return nil
	}
}

// The readers by the types of core/spec/scheduling.md §3.
var (
	text      = (*node).text_
	flag      = (*node).boolean
	res       = (*node).resources
	count     = func(n *node, name string) (int64, error) { return n.integer(name, 0) }
	positive  = func(n *node, name string) (int64, error) { return n.integer(name, 1) }
	duration  = func(n *node, name string) (int64, error) { return n.integer(name+" (milliseconds)", 0) }
	share     = func(n *node, name string) (float64, error) { return n.real(name, 0, 1) }
	real0     = func(n *node, name string) (float64, error) { return n.real(name, 0, math.MaxFloat64) }
	real1     = func(n *node, name string) (float64, error) { return n.real(name, 1, math.MaxFloat64) }
	anything  = func(*node, string) (any, error) { return nil, nil }
	mode      = func(n *node, name string) (string, error) { return n.oneOf(name, "fair_share", "fifo") }
	fifoOrder = func(n *node, name string) (string, error) { return n.oneOf(name, "satisfaction", "fifo") }
	guarantee = func(n *node, name string) (string, error) { return n.oneOf(name, "none", "burst", "relaxed") }
	dominant  = func(n *node, name string) (string, error) {
		return n.oneOf(name, "user_slots", "cpu", "gpu", "memory", "network")
	}
	multiplier = func(n *node, name string) (float64, error) { return n.real(name, 1, 10) }
)

// apply sets the options of a map. Keys in besides are the caller's.
func apply[R any](options []option[R], what string, r *R, n *node, besides ...string) error {
	if n.kind == null {
		return nil
	}
	if n.kind != mapping {
		return n.errorf("%s must be a map of its options", what)
	}
	seen := map[string]*node{} // by the option's own name
	for i, key := range n.keys {
		if slices.Contains(besides, key.text) {
			continue
		}
		at := find(options, key.text)
		if at < 0 {
			return key.errorf("%s has no option %q; %s", what, key.text, allowed(options, key.text, besides))
		}
		o := &options[at]
		if before := seen[o.name]; before != nil {
			return key.errorf("%s and %s (line %d) are one option: keep one of them", key.text, before.text, before.line)
		}
		seen[o.name] = key
		// Null is "not set", as in the documentation.
		if n.values[i].kind == null {
			continue
		}
		if err := o.set(r, n.values[i], o.name); err != nil {
			return err
		}
	}
	return nil
}

// find returns the index of the option with that name or alias, -1 if none has.
func find[R any](options []option[R], key string) int {
	return slices.IndexFunc(options, func(o option[R]) bool {
		return o.name == key || slices.Contains(o.aliases, key)
	})
}

// allowed says what could stand in place of an unknown key: the nearest names,
// or all of them.
func allowed[R any](options []option[R], key string, besides []string) string {
	names := slices.Clone(besides)
	for _, o := range options {
		names = append(names, o.name)
		names = append(names, o.aliases...)
	}
	slices.Sort(names)
	return spelling.MeantOr(key, names, "allowed are "+spelling.Either(names))
}
