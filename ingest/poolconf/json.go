package poolconf

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

// The options that a row of a trace carries in config_json have the same names
// as those of a file. Clusters let users add attributes of their own, so unknown
// options are no error here, and a bad one does not spoil the others.

// MoreTreeOptions are the settings of a tree in its config_json, and those
// among them that have no column.
type MoreTreeOptions struct {
	trace.TreeConfig
	FIFOOrder core.Optional[string] // fifo_pool_scheduling_order
}

// TreeOptions reads the config_json of a row of tree_config. Each of wrong says
// what is wrong with one option; it counts as absent.
func TreeOptions(json string) (more MoreTreeOptions, wrong []string) {
	r := treeRow{extra: map[string]any{}}
	wrong = lenient(treeOptions, &r, json)
	more.TreeConfig = r.TreeConfig
	if order, ok := r.extra["fifo_pool_scheduling_order"].(string); ok {
		more.FIFOOrder = core.Some(order)
	}
	return more, wrong
}

// PoolOptions reads the config_json of a row of pool_config.
func PoolOptions(json string) (more trace.PoolConfig, wrong []string) {
	r := poolRow{extra: map[string]any{}}
	wrong = lenient(poolOptions, &r, json)
	return r.PoolConfig, wrong
}

// lenient applies the options it knows, one by one.
func lenient[R any](options []option[R], r *R, json string) (wrong []string) {
	if json == "" {
		return nil
	}
	n, err := parseYAML("config_json", []byte(json))
	if err != nil {
		return []string{err.Error()}
	}
	if n.kind != mapping {
		return []string{"config_json is not a map"}
	}
	for i, key := range n.keys {
		if find(options, key.text) < 0 {
			continue
		}
		one := *n
		one.keys, one.values = n.keys[i:i+1], n.values[i:i+1]
		if err := apply(options, "config_json", r, &one); err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	return wrong
}
