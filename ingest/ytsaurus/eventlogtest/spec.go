package eventlogtest

import (
	"poolproof/core"
	"poolproof/ingest/poolconf"
)

// specOf returns an operation's spec: what the trace holds of it, and what its
// columns and first events tell that is not in there.
func (w *writer) specOf(op core.OperationID) Value {
	o := &w.operations[op]
	spec := newMap(6)
	if o.SpecJSON.Set {
		if a, err := poolconf.ParseJSON([]byte(o.SpecJSON.Value)); err == nil {
			if v := anyOf(a); v.kind == mapping {
				spec = v
			}
		}
	}
	addMissing := func(key string, v Value) {
		if spec.at(key) == nil && v.kind != entity {
			spec.put(key, v)
		}
	}
	addMissing("title", orNull(o.Title, textOf))
	addMissing("alias", orNull(o.Alias, textOf))
	if spec.at("tasks") == nil {
		addMissing("job_count", orNull(o.JobCount, intOf))
	}
	if o.IsGang.Or(false) {
		addMissing("is_gang", boolOf(true))
	}
	if o.AnnotationsJSON.Set {
		if a, err := poolconf.ParseJSON([]byte(o.AnnotationsJSON.Value)); err == nil {
			addMissing("annotations", anyOf(a))
		}
	}
	w.askFor(&spec, op)
	return spec
}

// askFor adds to a spec what the operation asked of its trees when it started: where
// they all were asked the same, beside the other options, else per tree.
func (w *writer) askFor(spec *Value, op core.OperationID) {
	asked := w.firstParams[op]
	if len(asked) == 0 {
		return
	}
	perTree := newMap(len(asked))
	for _, a := range asked {
		options := a.params.options()
		var own Value
		for i, key := range options.keys {
			if spec.at(key) != nil || spec.at("scheduling_options_per_pool_tree") != nil {
				continue
			}
			if !askedOfAll(asked, key, &options.items[i]) {
				if own.kind == entity {
					own = newMap(4)
				}
				own.put(key, options.items[i])
			}
		}
		if own.kind == mapping {
			perTree.put(w.trees[a.tree].name, own)
		}
	}
	options := asked[0].params.options()
	for i, key := range options.keys {
		if spec.at(key) == nil && spec.at("scheduling_options_per_pool_tree") == nil && askedOfAll(asked, key, &options.items[i]) {
			spec.put(key, options.items[i])
		}
	}
	if len(perTree.keys) > 0 {
		spec.put("scheduling_options_per_pool_tree", perTree)
	}
}

func askedOfAll(asked []firstParams, key string, want *Value) bool {
	for _, a := range asked {
		options := a.params.options()
		got := options.at(key)
		if got == nil || string(appendJSON(nil, got)) != string(appendJSON(nil, want)) {
			return false
		}
	}
	return true
}
