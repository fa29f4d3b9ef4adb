package poolconf

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"poolproof/core/pooltree"
	"poolproof/ingest/input"
	"poolproof/ingest/trace"
)

// A Fault is an option of a cluster's own configuration whose value cannot be.
type Fault struct {
	Option string
	Found  string // what is wrong, and what is allowed
}

// TreeRow returns a tree's configuration in a cluster as a row of
// tree_config, without a Stamp: the inverse of TreeAttributes. Unknown options,
// such as a user's own attributes, are left out. An option with an
// invalid value counts as absent, and gives a Fault.
func TreeRow(a pooltree.Attributes) (trace.TreeConfig, []Fault) {
	row := treeRow{Source: "export"}
	r := newReading(&row)
	faults := applyKnown(treeOptions, r, a)
	row.ConfigJSON = encode(r.extra)
	return row, faults
}

// PoolRow returns what a cluster's configuration says of a pool as a row of
// pool_config, without a Stamp, a number and a parent, as TreeRow does for a
// tree.
func PoolRow(a pooltree.Attributes) (trace.PoolConfig, []Fault) {
	row := unconfigured
	r := newReading(&row)
	faults := applyKnown(poolOptions, r, a)
	row.ConfigJSON = encode(r.extra)
	return row, faults
}

// LostBytes reports whether a value holds a text that lost bytes: one that is not UTF-8, or has the
// character that stands for such bytes.
func LostBytes(v any) bool {
	switch v := v.(type) {
	case string:
		return !utf8.ValidString(v) || strings.ContainsRune(v, utf8.RuneError)
	case map[string]any:
		for key, of := range v {
			if LostBytes(key) || LostBytes(of) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, LostBytes)
	}
	return false
}

// applyKnown sets the options that attributes hold. An option's own name goes
// before its aliases.
func applyKnown(all options, r *reading, a pooltree.Attributes) (faults []Fault) {
	before := reflect.New(r.row.Type()).Elem()
	for i := range all {
		o := &all[i]
		for _, name := range append([]string{o.Name}, o.Aliases...) {
			v, has := a[name]
			if !has || v == nil {
				continue
			}
			if LostBytes(v) {
				faults = append(faults, Fault{name, "holds bytes that are not UTF-8 (want text)"})
				break
			}
			before.Set(r.row)
			if err := o.set(r, nodeOf(v)); err != nil {
				r.row.Set(before)
				found := err.Error()
				if at, ok := err.(*input.PlaceError); ok {
					found = at.Found
				}
				faults = append(faults, Fault{name, found})
			}
			break
		}
	}
	return faults
}

// nodeOf returns a value of pooltree.Attributes as a node without a place.
func nodeOf(v any) *node {
	n := &node{kind: scalar}
	switch v := v.(type) {
	case nil:
		n.kind = null
	case string:
		n.text, n.quoted = v, true
	case bool:
		n.text = strconv.FormatBool(v)
	case int64:
		n.text = strconv.FormatInt(v, 10)
	case float64:
		n.text = strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		n.kind = list
		for _, item := range v {
			n.values = append(n.values, nodeOf(item))
		}
	case map[string]any:
		n.kind = mapping
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.keys = append(n.keys, &node{kind: scalar, text: key})
			n.values = append(n.values, nodeOf(v[key]))
		}
	default:
		n.text = fmt.Sprint(v)
	}
	return n
}
