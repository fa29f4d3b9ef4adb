package coretest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
)

// attributes takes what is left of a line as options under the names that users
// know. A dot leads into a map, as in resource_limits.cpu=4.
func (o *settings) attributes() pooltree.Attributes {
	a := pooltree.Attributes{}
	for _, name := range slices.Sorted(maps.Keys(o.values)) {
		words := strings.Split(name, ".")
		at := a
		for _, w := range words[:len(words)-1] {
			inner, ok := at[w].(pooltree.Attributes)
			if !ok {
				inner = pooltree.Attributes{}
				at[w] = inner
			}
			at = inner
		}
		at[words[len(words)-1]] = value(o.text(name))
	}
	return a
}

// value reads a number, true, false, or else a text.
func value(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x
	}
	if b, err := strconv.ParseBool(text); err == nil {
		return b
	}
	return text
}

// treeOptions are the options of a tree that a line names. Its other words must
// have been read.
func (o *settings) treeOptions() pooltree.TreeConfig {
	return options(o, func(a pooltree.Attributes) (pooltree.TreeConfig, []*pooltree.RuleError) {
		return pooltree.ParseTree(core.Documented, a)
	})
}

// poolOptions are those of a pool.
func (o *settings) poolOptions() pooltree.PoolConfig {
	return options(o, func(a pooltree.Attributes) (pooltree.PoolConfig, []*pooltree.RuleError) {
		return pooltree.ParsePool(core.Documented, a)
	})
}

// options parses what is left of a line. An option that says nothing does not
// exist, or says what is so anyway.
func options[C any](o *settings, parse func(pooltree.Attributes) (C, []*pooltree.RuleError)) C {
	a := o.attributes()
	for _, name := range slices.Sorted(maps.Keys(a)) {
		c, errs := parse(pooltree.Attributes{name: a[name]})
		if len(errs) > 0 {
			o.err = errs[0]
		} else if reflect.ValueOf(c).IsZero() {
			o.err = fmt.Errorf("unknown setting %q", name)
		}
	}
	c, _ := parse(a)
	return c
}

// override takes over what the short words of a line say.
func override[C any](options, words *C) {
	to, from := reflect.ValueOf(options).Elem(), reflect.ValueOf(words).Elem()
	for i := range from.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
}

// clusterConfig reads the settings above all trees.
func clusterConfig(o *settings) *core.ClusterConfig {
	trees, tentative := o.list("trees"), o.list("tentative")
	config, limit, single := o.text("default"), o.count("max_operations"), o.flag("single_tree")
	c := options(o, func(a pooltree.Attributes) (pooltree.ClusterConfig, []*pooltree.RuleError) {
		return pooltree.ParseCluster(core.Documented, a)
	})
	c.Trees, c.DefaultTentative, c.Default, c.MaxOperationCount, c.SingleTree = trees, tentative, config, limit, single
	return &c
}

// list reads names after commas, in order.
func (o *settings) list(name string) []string {
	text := o.text(name)
	if text == "" {
		return nil
	}
	names := strings.Split(text, ",")
	slices.Sort(names)
	return names
}
