package pooltree

import (
	"fmt"
	"strings"

	"poolproof/core/spelling"
)

// An OptionInfo is an option of a configuration as a person reads about it, and as a reader of documents takes it.
type OptionInfo struct {
	Holder  string // tree, pool, operation or cluster
	Group   string // of a tree's or pool's options that are listed together
	Name    string
	Aliases []string  // other names that it goes by
	Meaning string    // a sentence without its full stop
	Ignored []Profile // profiles whose schedulers ignore it
	Value
}

// Options are all options that configurations and specs of operations are read for.
func Options() (all []OptionInfo) {
	all = appendOptions(all, "cluster", clusterOptions)
	all = appendOptions(all, "tree", treeOptions)
	all = appendOptions(all, "pool", poolOptions)
	all = appendOptions(all, "operation", operationOptions)
	all = appendOptions(all, "operation", treeSpecOptions)
	perTree := perTreeOptions()
	all = append(all, OptionInfo{Holder: "operation", Name: perTree[0], Aliases: perTree[1:], Meaning: "options of the operation by tree"})
	meanings := map[string]string{}
	for i := range all {
		if o := &all[i]; o.Meaning != "" {
			meanings[o.Name] = o.Meaning
		} else {
			o.Meaning = meanings[o.Name]
		}
		for k, p := range all[i].Ignored {
			all[i].Meaning += [2]string{"; ignored by ", " and "}[min(k, 1)] + p.String()
		}
	}
	return all
}

// TreeOptions returns the options of a tree.
func TreeOptions() []OptionInfo { return appendOptions(nil, "tree", treeOptions) }

// PoolOptions returns the options of a pool.
func PoolOptions() []OptionInfo { return appendOptions(nil, "pool", poolOptions) }

func appendOptions[C any](all []OptionInfo, holder string, options []option[C]) []OptionInfo {
	for i := range options {
		o := &options[i]
		all = append(all, OptionInfo{holder, o.group, o.name, o.aliases, o.meaning, o.ignoring, o.value})
	}
	return all
}

// String says in a few words what a person may write.
func (v Value) String() string {
	switch v.Type {
	case Boolean:
		return "true or false"
	case Count:
		return fmt.Sprintf("integer from %.0f", v.Least)
	case Duration:
		return "milliseconds"
	case Number:
		if v.Most < maxFinite {
			return fmt.Sprintf("number from %g to %g", v.Least, v.Most)
		}
		return fmt.Sprintf("number from %g", v.Least)
	case Text:
		return "text"
	case Word:
		return spelling.Either(v.Words)
	case WordList:
		return "list of " + spelling.Either(v.Words)
	case Amounts:
		return "amounts by resource"
	case Map:
		var names []string
		for _, o := range v.Inside {
			names = append(names, o.Name)
		}
		return "map of " + strings.Join(names, ", ")
	}
	return ""
}
