package pooltree

import (
	"fmt"
	"math"
	"slices"

	"poolproof/core/resource"
)

// An option is one attribute of a tree, pool or preset: its name, the other
// names it goes by, and how its value is read into a C.
type option[C any] struct {
	name    string
	aliases []string
	inside  []string // keys of a value that is a map; nil where they are not checked
	set     func(c *C, v any, p Profile) *fault
}

// also returns the option with other names.
func (o option[C]) also(aliases ...string) option[C] {
	o.aliases = aliases
	return o
}

// reader returns an option whose value a function reads into a field.
func reader[C, T any](name string, field func(*C) *Optional[T], read func(any) (T, *fault)) option[C] {
	return option[C]{name: name, set: func(c *C, v any, _ Profile) *fault {
		x, wrong := read(v)
		if wrong == nil {
			*field(c) = Some(x)
		}
		return wrong
	}}
}

func realOption[C any](name string, low, high float64, field func(*C) *Optional[float64]) option[C] {
	return reader(name, field, realIn(low, high))
}

func shareOption[C any](name string, field func(*C) *Optional[float64]) option[C] {
	return realOption(name, 0, 1, field)
}

func countOption[C any](name string, low int64, field func(*C) *Optional[int64]) option[C] {
	return reader(name, field, countFrom(low))
}

func durationOption[C any](name string, field func(*C) *Optional[Milliseconds]) option[C] {
	return reader(name, field, duration)
}

func boolOption[C any](name string, field func(*C) *Optional[bool]) option[C] {
	return reader(name, field, boolean)
}

func enumOption[C any, E ~uint8](name string, names []string, field func(*C) *Optional[E]) option[C] {
	return reader(name, field, func(v any) (E, *fault) {
		e, wrong := enum(v, names)
		return E(e), wrong
	})
}

// flagOption is a switch whose absence means off.
func flagOption[C any](name string, field func(*C) *bool) option[C] {
	return plainOption(name, field, boolean)
}

// plainOption is an option whose absence the zero value stands for.
func plainOption[C, T any](name string, field func(*C) *T, read func(any) (T, *fault)) option[C] {
	return option[C]{name: name, set: func(c *C, v any, _ Profile) *fault {
		x, wrong := read(v)
		if wrong == nil {
			*field(c) = x
		}
		return wrong
	}}
}

// checked is an option whose type alone is checked: nothing in this package depends on it.
func checked[C, T any](name string, read func(any) (T, *fault)) option[C] {
	return option[C]{name: name, set: func(_ *C, v any, _ Profile) *fault {
		_, wrong := read(v)
		return wrong
	}}
}

func realIn(low, high float64) func(any) (float64, *fault) {
	return func(v any) (float64, *fault) {
		x, ok := real(v)
		if !ok {
			return 0, wrongType("a number", v)
		}
		if x < low || x > high {
			return 0, outOfRange(between(low, high), v)
		}
		return x, nil
	}
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

func countFrom(low int64) func(any) (int64, *fault) {
	return func(v any) (int64, *fault) {
		n, ok := whole(v)
		if !ok {
			return 0, wrongType("an integer", v)
		}
		if n < low {
			return 0, outOfRange(fmt.Sprintf("an integer of %d or above", low), v)
		}
		return n, nil
	}
}

// duration reads milliseconds that fit 64 bits in microseconds, too: that is
// how time is counted.
func duration(v any) (Milliseconds, *fault) {
	const most = math.MaxInt64 / 1000
	n, wrong := countFrom(0)(v)
	if wrong == nil && n > most {
		wrong = outOfRange(fmt.Sprintf("at most %d milliseconds", int64(most)), v)
	}
	if wrong != nil {
		return 0, wrong
	}
	return Milliseconds(n), nil
}

func boolean(v any) (bool, *fault) {
	b, ok := v.(bool)
	if !ok {
		return false, wrongType("true or false", v)
	}
	return b, nil
}

func text(v any) (string, *fault) {
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

func mapping(v any) (Attributes, *fault) {
	m, ok := attributeMap(v)
	if !ok {
		return nil, wrongType("a map", v)
	}
	return m, nil
}

func texts(v any) ([]string, *fault) {
	l, wrong := list(v)
	out := []string{}
	for _, item := range l {
		s, bad := text(item)
		if bad != nil {
			return nil, bad
		}
		out = append(out, s)
	}
	return out, wrong
}

func mainKind(v any) (resource.Kind, *fault) {
	s, _ := v.(string)
	kind, ok := resource.ParseKind(s)
	if !ok {
		return 0, wrongType("a resource", v)
	}
	return kind, nil
}

func nodesFilter(v any) (Formula, *fault) { return formulaBy(v, ParseFormula) }

func tagFilter(v any) (Formula, *fault) { return formulaBy(v, ParseTagFilter) }

func formulaBy(v any, parse func(string) (Formula, error)) (Formula, *fault) {
	s, wrong := text(v)
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

// Names of options that are treated specially.
const (
	thresholdName = "non_preemptible_resource_usage_threshold"
	strongName    = "strong_guarantee_resources"
	integralName  = "integral_guarantees"
)
