package poolconf

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/spelling"
	"poolproof/ingest/trace"
)

// A reading is a row while it is read.
type reading struct {
	row   reflect.Value
	extra map[string]any // options without a column, for config_json
}

func newReading[T any](row *T) *reading {
	return &reading{reflect.ValueOf(row).Elem(), map[string]any{}}
}

// An option is an option of a tree or a pool and the column that holds it, if the row has one. The others stand in
// config_json.
type option struct {
	pooltree.OptionInfo
	within string // the option that is a map which has this one
	inside []option
	column []int  // index of the row's field, nil without one
	label  string // of the column
}

// optionsOf binds options to the columns of a row: the one that is called as the option, in milliseconds with the
// suffix _ms, or whose tag names it.
func optionsOf[T any](infos []pooltree.OptionInfo) options {
	columns := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name := f.Tag.Get("option")
		if name == "" {
			name = strings.TrimSuffix(f.Tag.Get("col"), "_ms")
		}
		columns[name] = f
	}
	return bind("", infos, columns)
}

func bind(within string, infos []pooltree.OptionInfo, columns map[string]reflect.StructField) (all options) {
	for _, info := range infos {
		o := option{OptionInfo: info, within: within}
		path := info.Name
		if within != "" {
			path = within + "/" + path
		}
		if f, has := columns[path]; has {
			o.column, o.label = f.Index, f.Tag.Get("col")
		}
		if inside := bind(path, info.Inside, columns); o.column != nil || slices.ContainsFunc(inside, func(in option) bool { return in.column != nil }) {
			o.inside = inside
		}
		all = append(all, o)
	}
	return all
}

// options are all of a tree or a pool.
type options []option

var (
	treeOptions = optionsOf[trace.TreeConfig](pooltree.TreeOptions())
	poolOptions = optionsOf[trace.PoolConfig](pooltree.PoolOptions())
)

// aliases are the other names of an option.
func (all options) aliases(name string) []string {
	if i := slices.IndexFunc(all, func(o option) bool { return o.Name == name }); i >= 0 {
		return all[i].Aliases
	}
	return nil
}

// attributes returns the options of a row.
func (all options) attributes(row reflect.Value, configJSON string) (a pooltree.Attributes, wrong []string) {
	b := newBuilder(configJSON, all.aliases)
	for i := range all {
		all[i].add(b, row)
	}
	return b.attributes, b.wrong
}

// add makes an attribute of what the row has of an option.
func (o *option) add(b *builder, row reflect.Value) {
	if o.column == nil {
		if o.inside != nil {
			inner := b.inside(o.Name)
			for i := range o.inside {
				o.inside[i].add(inner, row)
			}
			b.close(o.Name, inner)
		}
		return
	}
	switch v := row.FieldByIndex(o.column).Addr().Interface().(type) {
	case *core.Optional[float64]:
		add(b, o.Name, *v)
	case *core.Optional[int64]:
		add(b, o.Name, *v)
	case *core.Optional[bool]:
		add(b, o.Name, *v)
	case *bool:
		b.put(o.Name, *v)
	case *string:
		add(b, o.Name, word(*v))
	case *trace.PartialResources:
		b.addResources(o.Name, *v)
	case *core.Optional[string]:
		o.addText(b, *v)
	}
}

func (o *option) addText(b *builder, v core.Optional[string]) {
	switch {
	case !v.Set:
	case o.Type == pooltree.WordList:
		b.put(o.Name, splitList(v.Value))
	case o.Type == pooltree.Map:
		if config, ok := b.decode(o.label, v.Value); ok {
			b.put(o.Name, config)
		}
	default:
		b.put(o.Name, v.Value)
	}
}

// set reads an option into the row.
func (o *option) set(r *reading, n *node) error {
	if o.inside != nil && o.column == nil {
		return apply(o.inside, o.Name, r, n)
	}
	v, err := o.read(n)
	if err != nil {
		return err
	}
	if o.column == nil {
		o.addExtra(r, n)
		return nil
	}
	switch field := r.row.FieldByIndex(o.column).Addr().Interface().(type) {
	case *core.Optional[float64]:
		*field = core.Some(v.(float64))
	case *core.Optional[int64]:
		*field = core.Some(v.(int64))
	case *core.Optional[bool]:
		*field = core.Some(v.(bool))
	case *bool:
		*field = v.(bool)
	case *core.Optional[string]:
		*field = core.Some(v.(string))
	case *string:
		*field = v.(string)
	case *trace.PartialResources:
		*field = v.(trace.PartialResources)
		if o.Replaces && *field == (trace.PartialResources{}) {
			r.extra[o.Name] = map[string]any{} // no column says that nothing is protected, whatever the parent has
		}
	}
	return nil
}

// addExtra adds an option without a column to config_json.
func (o *option) addExtra(r *reading, n *node) {
	if o.within == "" {
		r.extra[o.Name] = n.json()
		return
	}
	kept, _ := r.extra[o.within].(map[string]any)
	if kept == nil {
		kept = map[string]any{}
		r.extra[o.within] = kept
	}
	kept[o.Name] = n.json()
}

// read reads a value by the type of the option (core/spec/scheduling.md §3).
func (o *option) read(n *node) (any, error) {
	switch o.Type {
	case pooltree.Boolean:
		return n.boolean(o.Name)
	case pooltree.Count:
		return n.integer(o.Name, int64(o.Least))
	case pooltree.Duration:
		return n.integer(o.Name+" (milliseconds)", 0)
	case pooltree.Number:
		return n.real(o.Name, o.Least, o.Most)
	case pooltree.Text:
		return n.text_(o.Name)
	case pooltree.Word:
		return n.oneOf(o.Name, o.Words...)
	case pooltree.WordList:
		return n.fifoKeys(o.Name, o.Words)
	case pooltree.Amounts:
		return n.resources(o.Name)
	}
	if o.inside != nil { // one column holds the whole map
		in := newReading(&trace.PoolConfig{})
		err := apply(o.inside, o.Name, in, n)
		kept, _ := in.extra[o.Name].(map[string]any)
		return encode(kept), err
	}
	if o.column != nil && n.kind == scalar {
		return n.text, nil
	}
	if o.column != nil {
		return encode(map[string]any{o.Name: n.json()}), nil
	}
	return anything(n, o.Name)
}

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
func apply(all options, what string, r *reading, n *node, besides ...string) error {
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
		at := find(all, key.text)
		if at < 0 {
			return key.errorf("%s has no option %q; %s", what, key.text, allowed(all, key.text, besides))
		}
		o := &all[at]
		if before := seen[o.Name]; before != nil {
			return key.errorf("%s and %s (line %d) are one option: keep one of them", key.text, before.text, before.line)
		}
		seen[o.Name] = key
		// Null is "not set", as in the documentation.
		if n.values[i].kind == null {
			continue
		}
		if err := o.set(r, n.values[i]); err != nil {
			return err
		}
	}
	return nil
}

// find returns the index of the option with that name or alias, -1 if none has.
func find(all options, key string) int {
	return slices.IndexFunc(all, func(o option) bool { return o.Name == key || slices.Contains(o.Aliases, key) })
}

// allowed says what could stand in place of an unknown key: the nearest names,
// or all of them.
func allowed(all options, key string, besides []string) string {
	names := slices.Clone(besides)
	for i := range all {
		names = append(append(names, all[i].Name), all[i].Aliases...)
	}
	slices.Sort(names)
	return spelling.MeantOr(key, names, "allowed are "+spelling.Either(names))
}

// Help names all options, for people.
func Help() string {
	return "Options of a pool:\n" + poolOptions.help() + "\nOptions of a tree:\n" + treeOptions.help()
}

func (all options) help() string {
	var b strings.Builder
	line := ""
	for i := range all {
		o := &all[i]
		if i == 0 || o.Group != all[i-1].Group {
			line = fmt.Sprintf("  %-11s", o.Group)
		}
		text := o.Name
		var inside []string
		for _, in := range o.inside {
			inside = append(inside, in.Name)
		}
		if inside != nil {
			text += " (" + strings.Join(inside, ", ") + ")"
		}
		last := i+1 == len(all) || all[i+1].Group != o.Group
		if !last {
			text += ","
		}
		for word := range strings.FieldsSeq(text) {
			if len(line)+1+len(word) > helpWidth {
				b.WriteString(line + "\n")
				line = strings.Repeat(" ", 13)
			}
			line += " " + word
		}
		if last {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// helpWidth is the width of help texts, in columns.
const helpWidth = 84
