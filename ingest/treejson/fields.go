package treejson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/core/spelling"
)

// fields reads a JSON object field by field. It notes the first fault, with
// the path of the field, and what has been read: the rest is unknown.
type fields struct {
	path   string // of the object, for errors
	object map[string]any
	known  map[string]bool
	err    *error
}

// readObject parses a JSON object. Numbers that JSON does not have, but some
// programs write, become text, so that the field can be named that holds them.
func readObject(data []byte) (map[string]any, error) {
	object, err := decodeObject(data)
	if err != nil {
		if quoted, again := decodeObject(quoteOddNumbers(data)); again == nil {
			return quoted, nil
		}
	}
	return object, err
}

// oddNumbers are numbers that JSON cannot represent.
var oddNumbers = []string{"-Infinity", "Infinity", "NaN"}

// quoteOddNumbers puts quotes around odd numbers outside of strings.
func quoteOddNumbers(data []byte) (quoted []byte) {
	inString := false
	for i := 0; i < len(data); i++ {
		odd := ""
		if !inString {
			for _, name := range oddNumbers {
				if bytes.HasPrefix(data[i:], []byte(name)) {
					odd = name
					break
				}
			}
		}
		if odd != "" {
			quoted = append(quoted, strconv.Quote(odd)...)
			i += len(odd) - 1
			continue
		}
		quoted = append(quoted, data[i])
		switch {
		case data[i] == '"':
			inString = !inString
		case data[i] == '\\' && inString && i+1 < len(data):
			i++
			quoted = append(quoted, data[i])
		}
	}
	return quoted
}

func decodeObject(data []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one JSON object on the line")
	}
	if object == nil {
		return nil, fmt.Errorf("not a JSON object: null")
	}
	return object, nil
}

func newFields(path string, object map[string]any, err *error) *fields {
	return &fields{path: path, object: object, known: map[string]bool{}, err: err}
}

// fail notes a fault of a field.
func (f *fields) fail(name, format string, args ...any) {
	if *f.err != nil {
		return
	}
	if f.path != "" {
		name = f.path + ": " + name
	}
	*f.err = fmt.Errorf("%s %s", name, fmt.Sprintf(format, args...))
}

// get returns the value of a field, which may have an alias.
func (f *fields) get(name string, aliases ...string) (value any, given bool) {
	for _, n := range append(aliases, name) {
		f.known[n] = true
		if v, ok := f.object[n]; ok && v != nil {
			value, given = v, true
		}
	}
	return value, given
}

// end notes a field that was not read.
func (f *fields) end() {
	var unknown []string
	for name := range f.object {
		if !f.known[name] {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		name := slices.Min(unknown)
		f.fail(strconv.Quote(name), "is not a known field; %s", spelling.MeantOr(name, slices.Sorted(maps.Keys(f.known)), "--help lists them"))
	}
}

func (f *fields) text(name, fallback string) string {
	value, given := f.get(name)
	if !given {
		return fallback
	}
	s, ok := value.(string)
	if !ok {
		f.fail(name, "must be a string")
	}
	return s
}

// word reads a string that is one of several.
func (f *fields) word(name string, words ...string) int {
	i := slices.Index(words, f.text(name, words[0]))
	if i < 0 {
		f.fail(name, "is %q, must be one of %q", f.object[name], words)
		return 0
	}
	return i
}

func (f *fields) flag(name string, fallback bool, aliases ...string) bool {
	value, given := f.get(name, aliases...)
	if !given {
		return fallback
	}
	b, ok := value.(bool)
	if !ok {
		f.fail(name, "must be true or false")
	}
	return b
}

// number reads a finite number of at least 0.
func (f *fields) number(name string, aliases ...string) fairshare.Optional {
	value, given := f.get(name, aliases...)
	if !given {
		return fairshare.Optional{}
	}
	return fairshare.Some(f.real(name, value))
}

func (f *fields) real(name string, value any) float64 {
	n, ok := f.digits(name, value)
	if !ok {
		return 0
	}
	x, err := n.Float64()
	switch {
	case err != nil || math.IsInf(x, 0):
		f.fail(name, "is %s, too large for a number", n)
	case x < 0:
		f.fail(name, "is %s, must not be negative", n)
	default:
		return x
	}
	return 0
}

// digits takes what is written as a number.
func (f *fields) digits(name string, value any) (n json.Number, ok bool) {
	if n, ok = value.(json.Number); ok {
		return n, true
	}
	if text, isText := value.(string); isText && slices.Contains(oddNumbers, text) {
		f.fail(name, "is %s, must be a finite number", text)
	} else {
		f.fail(name, "must be a number")
	}
	return "", false
}

// integer reads a whole number.
func (f *fields) integer(name string, fallback int64) int64 {
	value, given := f.get(name)
	if !given {
		return fallback
	}
	return f.whole(name, value)
}

// whole takes 7, 7.0 and 7e3, but not 7.5.
func (f *fields) whole(name string, value any) int64 {
	n, ok := f.digits(name, value)
	if !ok {
		return 0
	}
	if i, err := n.Int64(); err == nil {
		return i
	}
	x, err := n.Float64()
	if err != nil || x != math.Trunc(x) || math.Abs(x) >= 1<<63 {
		f.fail(name, "is %s, must be a whole number of 64 bits", n)
		return 0
	}
	return int64(x)
}

// inner reads an object within the object; an absent one is empty.
func (f *fields) inner(name string, aliases ...string) *fields {
	value, given := f.get(name, aliases...)
	object, ok := value.(map[string]any)
	if given && !ok {
		f.fail(name, "must be an object")
	}
	path := name
	if f.path != "" {
		path = f.path + ": " + name
	}
	return newFields(path, object, f.err)
}

// amounts reads amounts by resource.
func (f *fields) amounts(name string, aliases ...string) (p resource.Partial) {
	in := f.inner(name, aliases...)
	for _, key := range sortedKeys(in.object) {
		k, ok := resource.ParseKind(key)
		if !ok {
			in.fail(strconv.Quote(key), "is not a known resource")
			return p
		}
		if in.object[key] == nil {
			continue
		}
		p.Set[k] = true
		p.Amounts[k] = in.amount(key, k, in.object[key])
	}
	return p
}

func (f *fields) amount(name string, k resource.Kind, value any) int64 {
	if k == resource.CPU {
		cores := f.real(name, value)
		if cores > math.MaxInt64/resource.CentsPerCore/2 {
			f.fail(name, "is %v, more than any tree has", value)
			return 0
		}
		return resource.ParseCPU(cores)
	}
	amount := f.whole(name, value)
	if amount < 0 {
		f.fail(name, "is %v, must not be negative", value)
	}
	if k == resource.GPU && amount > math.MaxInt32 {
		f.fail(name, "is %v, must be a whole number of 32 bits", value)
	}
	return amount
}

// reals reads real numbers by resource.
func (f *fields) reals(name string, absent float64) (r [resource.Kinds]float64, given bool) {
	in := f.inner(name)
	for k := range r {
		r[k] = absent
	}
	for _, key := range sortedKeys(in.object) {
		k, ok := resource.ParseKind(key)
		if !ok {
			in.fail(strconv.Quote(key), "is not a known resource")
			return r, false
		}
		if in.object[key] != nil {
			r[k] = in.real(key, in.object[key])
		}
	}
	return r, in.object != nil
}

func sortedKeys(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
