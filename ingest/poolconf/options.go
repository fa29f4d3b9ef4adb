package poolconf

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/spelling"
	"poolproof/ingest/trace"
)

// A reading is a row while it is read.
type reading[T any] struct {
	row   T
	extra map[string]any // options without a column, for config_json
}

func newReading[T any](row T) *reading[T] { return &reading[T]{row, map[string]any{}} }

// An option is one option of a tree or a pool: what reads it into a row, and what makes
// it an attribute again, nil if config_json has it. Its other names are pooltree's.
type option[T any] struct {
	name    string
	aliases []string
	inside  []option[T] // of one that is a map of options
	set     func(r *reading[T], n *node, name string) error
	add     func(b *builder, row *T)
}

// A group is options that are listed together.
type group[T any] struct {
	name    string
	options []option[T]
}

// options are all of a tree or a pool.
type options[T any] struct {
	groups []group[T]
	all    []option[T]
}

func optionsOf[T any](aliases func(name string) []string, groups []group[T]) *options[T] {
	o := &options[T]{groups: groups}
	for _, g := range groups {
		for _, one := range g.options {
			one.aliases = aliases(one.name)
			o.all = append(o.all, one)
		}
	}
	return o
}

// aliases are the other names of an option.
func (o *options[T]) aliases(name string) []string {
	if i := slices.IndexFunc(o.all, func(one option[T]) bool { return one.name == name }); i >= 0 {
		return o.all[i].aliases
	}
	return nil
}

// attributes are what a row says.
func (o *options[T]) attributes(row *T, configJSON string) (a pooltree.Attributes, wrong []string) {
	b := newBuilder(configJSON, o.aliases)
	for i := range o.all {
		if o.all[i].add != nil {
			o.all[i].add(b, row)
		}
	}
	return b.attributes, b.wrong
}

// put is an option with a column.
func put[T, V any](name string, field func(*T) *core.Optional[V], read func(*node, string) (V, error)) option[T] {
	return option[T]{name: name, set: func(r *reading[T], n *node, name string) error {
		v, err := read(n, name)
		if err == nil {
			*field(&r.row) = core.Some(v)
		}
		return err
	}, add: func(b *builder, row *T) { add(b, name, *field(row)) }}
}

// says is one whose column holds a word in every row.
func says[T any](name string, field func(*T) *string, read func(*node, string) (string, error)) option[T] {
	return option[T]{name: name, set: func(r *reading[T], n *node, name string) (err error) {
		*field(&r.row), err = read(n, name)
		return err
	}, add: func(b *builder, row *T) { add(b, name, word(*field(row))) }}
}

// amounts is one with a column for each resource.
func amounts[T any](name string, field func(*T) *trace.PartialResources) option[T] {
	return option[T]{name: name, set: func(r *reading[T], n *node, name string) (err error) {
		*field(&r.row), err = n.resources(name)
		return err
	}, add: func(b *builder, row *T) { b.addResources(name, *field(row)) }}
}

// keep is one without a column: the value is checked, and passed on in config_json.
func keep[T, V any](name string, read func(*node, string) (V, error)) option[T] {
	return option[T]{name: name, set: func(r *reading[T], n *node, name string) error {
		if _, err := read(n, name); err != nil {
			return err
		}
		r.extra[name] = n.json()
		return nil
	}}
}

// keepInside is the same of a key of a map of options, which stands in config_json under
// the map's name.
func keepInside[T, V any](outer, name string, read func(*node, string) (V, error)) option[T] {
	return option[T]{name: name, set: func(r *reading[T], n *node, name string) error {
		v, err := read(n, name)
		if err != nil {
			return err
		}
		kept, _ := r.extra[outer].(map[string]any)
		if kept == nil {
			kept = map[string]any{}
			r.extra[outer] = kept
		}
		kept[name] = v
		return nil
	}}
}

const integralKey = "integral_guarantees"

// nested is a map of options.
func nested[T any](name string, inside []option[T]) option[T] {
	return option[T]{name: name, inside: inside, set: func(r *reading[T], n *node, name string) error {
		return apply(inside, name, r, n)
	}, add: func(b *builder, row *T) {
		inner := b.inside(name)
		for i := range inside {
			if inside[i].add != nil {
				inside[i].add(inner, row)
			}
		}
		b.close(name, inner)
	}}
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
	mode      = func(n *node, name string) (string, error) { return n.oneOf(name, "fair_share", "fifo") }
	fifoOrder = func(n *node, name string) (string, error) { return n.oneOf(name, "satisfaction", "fifo") }
	guarantee = func(n *node, name string) (string, error) { return n.oneOf(name, "none", "burst", "relaxed") }
	dominant  = func(n *node, name string) (string, error) {
		return n.oneOf(name, "user_slots", "cpu", "gpu", "memory", "network")
	}
	multiplier = func(n *node, name string) (float64, error) { return n.real(name, 1, 10) }
)

// anything takes any value. The keys of one that is a map of options must be known, as a mistyped
// one would promise nothing.
func anything(n *node, name string) (any, error) {
	if n.kind == mapping {
		if unknown := pooltree.UnknownInside(name, n.json()); len(unknown) > 0 {
			return nil, n.errorf("%s has no option %s", name, unknown[0].Detail)
		}
	}
	return nil, nil
}

// apply sets the options of a map. Keys in besides are the caller's.
func apply[T any](options []option[T], what string, r *reading[T], n *node, besides ...string) error {
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
func find[T any](options []option[T], key string) int {
	return slices.IndexFunc(options, func(o option[T]) bool {
		return o.name == key || slices.Contains(o.aliases, key)
	})
}

// allowed says what could stand in place of an unknown key: the nearest names,
// or all of them.
func allowed[T any](options []option[T], key string, besides []string) string {
	names := slices.Clone(besides)
	for _, o := range options {
		names = append(names, o.name)
		names = append(names, o.aliases...)
	}
	slices.Sort(names)
	return spelling.MeantOr(key, names, "allowed are "+spelling.Either(names))
}

// Help names all options, for people.
func Help() string {
	return "Options of a pool:\n" + poolOptions.help() + "\nOptions of a tree:\n" + treeOptions.help()
}

func (o *options[T]) help() string {
	var b strings.Builder
	for _, g := range o.groups {
		line := fmt.Sprintf("  %-11s", g.name)
		for i, one := range g.options {
			text := one.name
			var inside []string
			for _, in := range one.inside {
				inside = append(inside, in.name)
			}
			if inside != nil {
				text += " (" + strings.Join(inside, ", ") + ")"
			}
			if i+1 < len(g.options) {
				text += ","
			}
			for word := range strings.FieldsSeq(text) {
				if len(line)+1+len(word) > helpWidth {
					b.WriteString(line + "\n")
					line = strings.Repeat(" ", 13)
				}
				line += " " + word
			}
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// helpWidth is how wide a help is.
const helpWidth = 84
