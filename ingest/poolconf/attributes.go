package poolconf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

// TreeAttributes returns a row of tree_config as the attributes that
// pooltree.ParseTree reads: every option under its documented name, durations
// in milliseconds, cpu in cores. A column takes precedence over config_json, which
// holds the options without a column; so does each column of a resource, and of
// integral_guarantees. Options that neither holds are absent.
//
// Each text of wrong describes a part of config_json that is not JSON and is left out. Values
// are not checked: ParseTree does that. The row's Source, which is not an attribute,
// says whether the configuration was recorded or is assumed.
func TreeAttributes(row *trace.TreeConfig) (a pooltree.Attributes, wrong []string) {
	return treeOptions.attributes(reflect.ValueOf(row).Elem(), row.ConfigJSON)
}

// PoolAttributes returns a row of pool_config as the attributes that
// pooltree.ParsePool reads, by the rules of TreeAttributes. Name, parent,
// removal and ephemerality of the pool are not attributes.
func PoolAttributes(row *trace.PoolConfig) (a pooltree.Attributes, wrong []string) {
	return poolOptions.attributes(reflect.ValueOf(row).Elem(), row.ConfigJSON)
}

// word is a column that holds text in every row: the empty one says nothing.
func word(text string) core.Optional[string] {
	return core.Optional[string]{Value: text, Set: text != ""}
}

// splitList reads a list that a column joins by commas.
func splitList(joined string) []any {
	list := []any{}
	for item := range strings.SplitSeq(joined, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// A builder collects attributes: first those of config_json, then the columns.
type builder struct {
	attributes pooltree.Attributes
	aliases    func(name string) []string
	wrong      []string
}

func newBuilder(configJSON string, aliases func(string) []string) *builder {
	b := &builder{attributes: pooltree.Attributes{}, aliases: aliases}
	if configJSON == "" {
		return b
	}
	v, ok := b.decode("config_json", configJSON)
	if m, isMap := v.(map[string]any); isMap {
		b.attributes = m
	} else if ok {
		b.wrong = append(b.wrong, "config_json is not a map")
	}
	return b
}

// decode reads the JSON of a column.
func (b *builder) decode(column, text string) (any, bool) {
	v, err := ParseJSON([]byte(text))
	if err != nil {
		b.wrong = append(b.wrong, fmt.Sprintf("%s is not JSON: %v", column, err))
		return nil, false
	}
	return v, true
}

// ParseJSON reads one value of JSON into those of pooltree.Attributes: whole
// numbers stay exact.
func ParseJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, more := d.Token(); more != io.EOF {
		return nil, fmt.Errorf("something follows the value")
	}
	return plain(v), nil
}

// plain replaces numbers as they are written by those of pooltree.Attributes.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		return number(string(v))
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}

// number reads a number of JSON, exactly where it is a whole one.
func number(text string) any {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i
	}
	if u, err := strconv.ParseUint(text, 10, 64); err == nil {
		return u
	}
	f, _ := strconv.ParseFloat(text, 64) // an infinity where it is too large, which no option takes
	return f
}

// put sets an option in place of all that goes by one of its names.
func (b *builder) put(name string, v any) {
	if b.aliases != nil {
		for _, alias := range b.aliases(name) {
			delete(b.attributes, alias)
		}
	}
	b.attributes[name] = v
}

// get returns an option by any of its names. Of several its own goes first.
func (b *builder) get(name string) any {
	if v := b.attributes[name]; v != nil || b.aliases == nil {
		return v
	}
	for _, alias := range b.aliases(name) {
		if v := b.attributes[alias]; v != nil {
			return v
		}
	}
	return nil
}

// add sets an option from a column, unless that is null.
func add[T any](b *builder, name string, v core.Optional[T]) {
	if v.Set {
		b.put(name, v.Value)
	}
}

// addResources sets those resources of an option that have a column.
func (b *builder) addResources(name string, p trace.PartialResources) {
	if p == (trace.PartialResources{}) {
		return
	}
	amounts := &builder{attributes: pooltree.Attributes{}, aliases: func(kind string) []string {
		if kind == resource.Memory.String() {
			return []string{"user_memory"}
		}
		return nil
	}}
	if before, ok := b.get(name).(map[string]any); ok {
		amounts.attributes = before
	}
	add(amounts, "user_slots", p.UserSlots)
	if p.CPUMilli.Set {
		amounts.put("cpu", resource.Vector{resource.CPU: trace.Cents(p.CPUMilli.Value)}.Real(resource.CPU))
	}
	if p.GPU.Set {
		amounts.put("gpu", int64(p.GPU.Value))
	}
	add(amounts, "memory", p.Memory)
	add(amounts, "network", p.Network)
	b.put(name, map[string]any(amounts.attributes))
}

// inside returns a builder of the keys of an option that is a map.
func (b *builder) inside(name string) *builder {
	inner := &builder{attributes: pooltree.Attributes{}}
	if m, ok := b.get(name).(map[string]any); ok {
		inner.attributes = m
	}
	return inner
}

// close sets the option to what its builder holds, if it holds anything.
func (b *builder) close(name string, inner *builder) {
	if len(inner.attributes) > 0 {
		b.put(name, map[string]any(inner.attributes))
	}
}
