package eventlogtest

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"

	"poolproof/core"
	"poolproof/ingest/poolconf"
)

// writeExports writes the export of the pool trees at the first row of the log, and one
// for every later moment at which a tree's own configuration changed.
func (w *writer) writeExports(dir string) error {
	first := w.manifest.Window.From
	var later []core.Time
	for i := range w.trees {
		for j := range w.trees[i].configs {
			if at := w.trees[i].configs[j].Time; at > first {
				later = append(later, at)
			}
		}
	}
	slices.Sort(later)
	for i, at := range append([]core.Time{first}, slices.Compact(later)...) {
		name := "pool_trees." + string(w.Age)
		if i > 0 {
			name += ".at" + time15(at)
		}
		path := filepath.Join(dir, name+w.exportSuffix())
		if err := w.writeExport(path, at); err != nil {
			return err
		}
		if i == 0 {
			w.result.PoolTrees = path
		} else {
			w.result.LaterPoolTrees = append(w.result.LaterPoolTrees, Export{path, at})
		}
	}
	return nil
}

// time15 is a moment as a part of a file's name.
func time15(at core.Time) string {
	s := timeOf(at).text
	return s[0:4] + s[5:7] + s[8:13] + s[14:16] + s[17:19]
}

func (w *writer) exportSuffix() string {
	if w.Form == TextYSON || w.Form == BinaryYSON {
		return ".yson"
	}
	return ".json"
}

func (w *writer) writeExport(path string, at core.Time) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closing := f.Close(); err == nil {
			err = closing
		}
	}()
	out := bufio.NewWriter(f)
	e, err := encoderOf(w.exportForm(), out)
	if err != nil {
		return err
	}
	export := w.exportAt(at)
	if err := e.document(&export); err != nil {
		return err
	}
	return out.Flush()
}

func (w *writer) exportForm() Form {
	if w.Form == TextYSON || w.Form == BinaryYSON {
		return TextYSON
	}
	return JSONL
}

// exportAt returns the pool trees with their attributes (ingest/trace/FORMAT.md §1.4).
// Ephemeral pools are no nodes there.
func (w *writer) exportAt(at core.Time) Value {
	state := newWorld(w.source)
	for i := range w.trees {
		state.configure(i, at)
	}
	trees := newMap(len(w.trees))
	for i := range w.trees {
		trees.put(w.trees[i].name, w.exportTree(state, i))
	}
	attributes := newMap(1)
	attributes.put("default_tree", textOf(w.defaultTree))
	trees.attributes = &attributes
	return trees
}

func (w *writer) exportTree(state *world, tree int) Value {
	a, _ := poolconf.TreeAttributes(state.treeConfig[tree])
	specified, options := anyOf(map[string]any(a)), newMap(8)
	for i, key := range specified.keys {
		options.put(w.Age.treeOption(key), specified.items[i])
	}
	attributes := newMap(8)
	attributes.put("id", textOf(guid("tree", w.trees[tree].name)))
	if w.Age.old() {
		attributes.keys = append(attributes.keys, options.keys...)
		attributes.items = append(attributes.items, options.items...)
	} else {
		attributes.put("config", options)
	}
	v := w.exportChildren(state, tree, -1)
	v.attributes = &attributes
	return v
}

// exportChildren returns the pools right below one, -1 for the root.
func (w *writer) exportChildren(state *world, tree int, parent core.PoolID) Value {
	v := newMap(4)
	for id, c := range state.poolNow {
		if c == nil || c.Ephemeral || w.pools[id].Tree != w.trees[tree].name {
			continue
		}
		if above, ok := state.parent(core.PoolID(id)); ok != (parent >= 0) || ok && above != parent {
			continue
		}
		attributes, specified := newMap(8), w.attributesOf(c)
		attributes.put("id", textOf(guid("pool", w.trees[tree].name, w.pools[id].Name)))
		for i, key := range specified.keys {
			attributes.put(key, specified.items[i])
		}
		pool := w.exportChildren(state, tree, core.PoolID(id))
		pool.attributes = &attributes
		v.put(escaped(w.pools[id].Name), pool)
	}
	return v
}

// escaped doubles the $ that a key begins with, which else is one of an export's own.
func escaped(key string) string {
	if key != "" && key[0] == '$' {
		return "$" + key
	}
	return key
}

// configure brings the configuration of a tree and its pools up to a moment.
func (w *world) configure(tree int, at core.Time) {
	t := &w.trees[tree]
	for i := range t.configs {
		if t.configs[i].Time <= at {
			w.treeConfig[tree] = &t.configs[i]
		}
	}
	for i := range t.poolConfigs {
		if t.poolConfigs[i].Time <= at {
			w.poolChanged(&t.poolConfigs[i])
		}
	}
}
