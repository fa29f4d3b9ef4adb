package pooltree

import (
	"fmt"
	"math"
	"slices"

	"poolproof/core/resource"
)

// A Type says what an option holds.
type Type uint8

// The types of options.
const (
	Anything Type = iota // read by a rule of its own
	Boolean
	Count    // an integer
	Duration // an integer of milliseconds
	Number
	Text
	Word     // one of some words
	WordList // a list of them
	Amounts  // amounts by resource
	Map      // options by name
)

// A Value says which values an option takes.
type Value struct {
	Type        Type
	Least, Most float64      // of a Number; Least also of a Count
	Words       []string     // of a Word or a WordList
	Inside      []OptionInfo // of a Map
	Replaces    bool         // of Amounts: an empty map is no absent one
}

// An option is one attribute of a tree, pool or preset: its name, the other
// names it goes by, what it is for, and how its value is read into a C.
type option[C any] struct {
	name     string
	aliases  []string
	group    string // of the options that are listed together
	meaning  string // a sentence without its full stop; "": that of the first option of the name, see Options
	value    Value
	inside   []string  // keys of a value that is a map; nil where they are not checked
	preset   bool      // a preset may hold it (§4.4)
	ignoring []Profile // profiles whose schedulers ignore it (§3.6)
	set      func(c *C, v any, p Profile) *fault
	fill     func(c, from *C) // takes the option over where it is absent; nil for one whose absence the zero value stands for
	isSet    func(c *C) bool  // nil as fill is
	clear    func(c *C)       // makes it absent; nil as fill is
}

// group lists options together.
func group[C any](name string, options ...option[C]) []option[C] {
	for i := range options {
		options[i].group = name
	}
	return options
}

// also returns the option with other names.
func (o option[C]) also(aliases ...string) option[C] {
	o.aliases = aliases
	return o
}

// says returns the option with its meaning.
func (o option[C]) says(meaning string) option[C] {
	o.meaning = meaning
	return o
}

// beside returns an option whose value is a map of options with keys that it may have besides.
func (o option[C]) beside(keys ...string) option[C] {
	o.inside = append(o.inside, keys...)
	return o
}

// ignoredBy returns the option with the profiles whose schedulers ignore it.
func (o option[C]) ignoredBy(profiles ...Profile) option[C] {
	o.ignoring = profiles
	return o
}

// inPresets returns an option that a preset may hold.
func (o option[C]) inPresets() option[C] {
	o.preset = true
	return o
}

// A reader says which values it takes, and reads one.
type reader[T any] struct {
	Value
	read func(v any) (T, *fault)
}

// by is a reader with a rule of its own.
func by[T any](read func(any) (T, *fault)) reader[T] { return reader[T]{read: read} }

// The readers of values without a range.
var (
	boolean     = reader[bool]{Value{Type: Boolean}, readBoolean}
	duration    = reader[Milliseconds]{Value{Type: Duration}, readDuration}
	text        = reader[string]{Value{Type: Text}, readText}
	texts       = by(readTexts)
	mapping     = by(readMap)
	amounts     = reader[resource.Partial]{Value{Type: Amounts}, readAmounts}
	mainKind    = reader[resource.Kind]{Value{Type: Word, Words: kindNames()}, readKind}
	nodesFilter = reader[Formula]{Value{Type: Text}, readNodesFilter}
	tagFilter   = reader[Formula]{Value{Type: Text}, readTagFilter}
)

// word is a reader of one of some words.
func word[E ~uint8](names []string) reader[E] {
	return reader[E]{Value{Type: Word, Words: names}, func(v any) (E, *fault) {
		e, wrong := enum(v, names)
		return E(e), wrong
	}}
}

// choice is a reader of one of two words: whether it is the second.
func choice(names ...string) reader[bool] {
	return reader[bool]{Value{Type: Word, Words: names}, func(v any) (bool, *fault) {
		i, wrong := enum(v, names)
		return i == 1, wrong
	}}
}

// mapOf is a reader of a map of options. The first fault is its fault.
func mapOf[C any](options []option[C]) reader[C] {
	return reader[C]{Value{Type: Map, Inside: appendOptions(nil, "", options)}, func(v any) (c C, wrong *fault) {
		m, wrong := readMap(v)
		if wrong != nil {
			return c, wrong
		}
		if errs := parseAttributes(&c, options, m, 0); len(errs) > 0 {
			e := errs[0]
			return c, &fault{e.Rule, e.Option + ": " + e.Detail}
		}
		return c, nil
	}}
}

// then returns a reader that goes on from what r reads.
func (r reader[T]) then(change func(T) T) reader[T] {
	return reader[T]{r.Value, func(v any) (T, *fault) {
		x, wrong := r.read(v)
		if wrong == nil {
			x = change(x)
		}
		return x, wrong
	}}
}

// custom returns an option that a function sets by the rules of a profile.
func custom[C any](name string, value Value, set func(*C, any, Profile) *fault) option[C] {
	o := option[C]{name: name, value: value, set: set}
	for _, inside := range value.Inside {
		o.inside = append(append(o.inside, inside.Name), inside.Aliases...)
	}
	return o
}

// optional returns an option that is read into a field that may be absent.
func optional[C, T any](name string, field func(*C) *Optional[T], r reader[T]) option[C] {
	o := custom(name, r.Value, func(c *C, v any, _ Profile) *fault {
		x, wrong := r.read(v)
		if wrong == nil {
			*field(c) = Some(x)
		}
		return wrong
	})
	o.fill = func(c, from *C) { *field(c) = field(c).orElse(*field(from)) }
	o.isSet = func(c *C) bool { return field(c).Set }
	o.clear = func(c *C) { *field(c) = Optional[T]{} }
	return o
}

func realOption[C any](name string, low, high float64, field func(*C) *Optional[float64]) option[C] {
	return optional(name, field, realIn(low, high))
}

func shareOption[C any](name string, field func(*C) *Optional[float64]) option[C] {
	return realOption(name, 0, 1, field)
}

func countOption[C any](name string, low int64, field func(*C) *Optional[int64]) option[C] {
	return optional(name, field, countFrom(low))
}

func durationOption[C any](name string, field func(*C) *Optional[Milliseconds]) option[C] {
	return optional(name, field, duration)
}

func boolOption[C any](name string, field func(*C) *Optional[bool]) option[C] {
	return optional(name, field, boolean)
}

func enumOption[C any, E ~uint8](name string, names []string, field func(*C) *Optional[E]) option[C] {
	return optional(name, field, word[E](names))
}

// flagOption is a switch whose absence means off.
func flagOption[C any](name string, field func(*C) *bool) option[C] {
	return plainOption(name, field, boolean)
}

// plainOption is an option whose absence the zero value stands for.
func plainOption[C, T any](name string, field func(*C) *T, r reader[T]) option[C] {
	return custom(name, r.Value, func(c *C, v any, _ Profile) *fault {
		x, wrong := r.read(v)
		if wrong == nil {
			*field(c) = x
		}
		return wrong
	})
}

// checked is an option whose type alone is checked: nothing in this package depends on it.
func checked[C, T any](name string, r reader[T]) option[C] {
	return custom(name, r.Value, func(_ *C, v any, _ Profile) *fault {
		_, wrong := r.read(v)
		return wrong
	})
}

func realIn(low, high float64) reader[float64] {
	least := low
	if low == smallest { // documents take 0, and whoever reads the configuration refuses it
		least = 0
	}
	return reader[float64]{Value{Type: Number, Least: least, Most: high}, func(v any) (float64, *fault) {
		x, ok := real(v)
		if !ok {
			return 0, wrongType("a number", v)
		}
		if x < low || x > high {
			return 0, outOfRange(between(low, high), v)
		}
		return x, nil
	}}
}

func between(low, high float64) string {
	switch {
	case high < maxFinite:
		return fmt.Sprintf("a number in [%g, %g]", low, high)
	case low == smallest:
		return "a number above 0"
	}
	return fmt.Sprintf("a number of %g or above", low)
}

func countFrom(low int64) reader[int64] {
	return reader[int64]{Value{Type: Count, Least: float64(low)}, func(v any) (int64, *fault) {
		n, ok := whole(v)
		if !ok {
			return 0, wrongType("an integer", v)
		}
		if n < low {
			return 0, outOfRange(fmt.Sprintf("an integer of %d or above", low), v)
		}
		return n, nil
	}}
}

// readDuration reads milliseconds that fit 64 bits in microseconds, too: that is
// how time is counted.
func readDuration(v any) (Milliseconds, *fault) {
	const most = math.MaxInt64 / 1000
	n, wrong := countFrom(0).read(v)
	if wrong == nil && n > most {
		wrong = outOfRange(fmt.Sprintf("at most %d milliseconds", int64(most)), v)
	}
	if wrong != nil {
		return 0, wrong
	}
	return Milliseconds(n), nil
}

func readBoolean(v any) (bool, *fault) {
	b, ok := v.(bool)
	if !ok {
		return false, wrongType("true or false", v)
	}
	return b, nil
}

func readText(v any) (string, *fault) {
	s, ok := v.(string)
	if !ok {
		return "", wrongType("a string", v)
	}
	return s, nil
}

func enum(v any, names []string) (int, *fault) {
	s, _ := v.(string)
	i := slices.Index(names, s)
	if i < 0 {
		return 0, wrongType(fmt.Sprintf("one of %q", names), v)
	}
	return i, nil
}

func list(v any) ([]any, *fault) {
	l, ok := v.([]any)
	if !ok {
		return nil, wrongType("a list", v)
	}
	return l, nil
}

func readMap(v any) (Attributes, *fault) {
	m, ok := attributeMap(v)
	if !ok {
		return nil, wrongType("a map", v)
	}
	return m, nil
}

func readTexts(v any) ([]string, *fault) {
	l, wrong := list(v)
	out := []string{}
	for _, item := range l {
		s, bad := readText(item)
		if bad != nil {
			return nil, bad
		}
		out = append(out, s)
	}
	return out, wrong
}

func readKind(v any) (resource.Kind, *fault) {
	s, _ := v.(string)
	kind, ok := resource.ParseKind(s)
	if !ok {
		return 0, wrongType("a resource", v)
	}
	return kind, nil
}

// kindNames are the resources, by name.
func kindNames() (names []string) {
	for k := range resource.Kind(resource.Kinds) {
		names = append(names, k.String())
	}
	return names
}

func readNodesFilter(v any) (Formula, *fault) { return formulaBy(v, ParseFormula) }

func readTagFilter(v any) (Formula, *fault) { return formulaBy(v, ParseTagFilter) }

func formulaBy(v any, parse func(string) (Formula, error)) (Formula, *fault) {
	s, wrong := readText(v)
	if wrong != nil {
		return Formula{}, wrong
	}
	f, err := parse(s)
	if err != nil {
		return f, &fault{BadFormula, err.Error()}
	}
	return f, nil
}

// parseAttributes reads the attributes that the options name into c. Faults
// are in the order of the options; a faulty option keeps its old value. What
// no option names is a custom attribute.
func parseAttributes[C any](c *C, options []option[C], a Attributes, p Profile) []*RuleError {
	var errs []*RuleError
	for i := range options {
		o := &options[i]
		set := ""
		for n := -1; n < len(o.aliases); n++ {
			name := o.name
			if n >= 0 {
				name = o.aliases[n]
			}
			v, present := a[name]
			if !present || v == nil && o.name != thresholdName {
				continue
			}
			if set != "" && o.name != strongName { // min share is one stored value under two names
				errs = append(errs, &RuleError{Rule: AliasConflict, Option: name, Detail: "beside " + set})
				continue
			}
			set = name
			if wrong := o.set(c, v, p); wrong != nil {
				errs = append(errs, &RuleError{Rule: wrong.rule, Option: name, Detail: wrong.detail})
			}
		}
	}
	return errs
}

// ignored returns the options that are set in c and that the scheduler of a profile ignores.
func ignored[C any](c *C, options []option[C], p Profile) (found []*option[C]) {
	for i := range options {
		if o := &options[i]; slices.Contains(o.ignoring, p) && o.isSet(c) {
			found = append(found, o)
		}
	}
	return found
}

// dropIgnored makes absent in c what the scheduler of a profile ignores.
func dropIgnored[C any](c *C, options []option[C], p Profile) {
	for _, o := range ignored(c, options, p) {
		o.clear(c)
	}
}

// optionOf returns the option of a name, or of one of its other names; nil if there is none.
func optionOf[C any](options []option[C], name string) *option[C] {
	i := slices.IndexFunc(options, func(o option[C]) bool { return o.name == name || slices.Contains(o.aliases, name) })
	if i < 0 {
		return nil
	}
	return &options[i]
}

// Names of options that are treated specially.
const (
	lightweightName = "enable_lightweight_operations"
	thresholdName   = "non_preemptible_resource_usage_threshold"
	strongName      = "strong_guarantee_resources"
	integralName    = "integral_guarantees"
)
