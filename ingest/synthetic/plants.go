package synthetic

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"poolproof/core"
	"poolproof/core/spec"
)

//go:embed plants/*.yaml
var plantFiles embed.FS

// topics are the files of plants, in the order of their kinds: the violations, and then
// the look-alikes.
var topics = []string{
	"limits", "counts", "placement", "trees", "admission", "preemption", "levels", "aftermath", "log", "guarantees",
	"starvation", "lists", "patterns", "nodes", "configurations", "records", "legal",
}

// defaultGround are the nodes of plants that name none.
const defaultGround = "two_nodes"

// Plants returns all kinds.
func Plants() []Plant { return slices.Clone(readPlants()) }

var readPlants = sync.OnceValue(func() (plants []Plant) {
	grounds := map[string]yaml.MapSlice{}
	mustRead("grounds", &grounds)
	for _, topic := range topics {
		var list []yaml.MapSlice
		mustRead(topic, &list)
		for _, entry := range list {
			p, own := entryOf(entry)
			if p.Severity = "none"; len(p.Invariants) > 0 {
				p.Severity = string(spec.Of(p.Invariants[0]).Severity)
			}
			for _, name := range p.Ground {
				p.description = merge(p.description, spread(grounds[name]), "")
			}
			if p.description = merge(p.description, own, ""); !p.has("nodes") {
				p.description = merge(p.description, grounds[defaultGround], "")
			}
			plants = append(plants, p)
		}
	}
	return plants
})

// mustRead reads a file of plants, which comes with the program.
func mustRead(name string, into any) {
	b, err := plantFiles.ReadFile("plants/" + name + ".yaml")
	if err == nil {
		err = yaml.UnmarshalWithOptions(b, into, yaml.UseOrderedMap())
	}
	if err != nil {
		panic("synthetic: plants/" + name + ".yaml: " + err.Error())
	}
}

// entryOf parts what an entry says of the plant from the description of its cluster.
func entryOf(entry yaml.MapSlice) (p Plant, own yaml.MapSlice) {
	var head yaml.MapSlice
	for _, item := range entry {
		switch item.Key {
		case "kind", "sentence", "expect", "faults", "ground":
			head = append(head, item)
		default:
			own = append(own, item)
		}
	}
	b, err := yaml.Marshal(head)
	if err == nil {
		err = yaml.UnmarshalWithOptions(b, &p, yaml.DisallowUnknownField())
	}
	if err != nil {
		panic(fmt.Sprintf("synthetic: plant %v: %v", head, err))
	}
	return p, spread(own)
}

// treeMark stands for the name of the plant's tree.
const treeMark = "TREE"

// spread writes out the tree of a description that has only one, of the nodes with its
// tag.
func spread(d yaml.MapSlice) yaml.MapSlice {
	d = slices.Clone(d)
	for i := range d {
		if d[i].Key == "tree" {
			options := append(yaml.MapSlice{{Key: "nodes_filter", Value: treeMark}}, d[i].Value.(yaml.MapSlice)...)
			d[i] = yaml.MapItem{Key: "trees", Value: yaml.MapSlice{{Key: treeMark, Value: options}}}
		}
	}
	return d
}

// merge puts one description over another: maps key by key, nodes and operations by their
// names, changes behind those before; all else replaces what was there.
func merge(under, over yaml.MapSlice, path string) yaml.MapSlice {
	merged := slices.Clone(under)
	for _, item := range over {
		i := place(merged, item.Key)
		if i < 0 {
			merged = append(merged, item)
			continue
		}
		key := path + fmt.Sprint(item.Key)
		switch before := merged[i].Value.(type) {
		case yaml.MapSlice:
			item.Value = merge(before, item.Value.(yaml.MapSlice), key+".")
		case []any:
			switch key {
			case "changes":
				item.Value = slices.Concat(before, item.Value.([]any))
			case "nodes", "operations":
				item.Value = mergeNamed(before, item.Value.([]any))
			}
		}
		merged[i] = item
	}
	return merged
}

func mergeNamed(under, over []any) []any {
	named := func(x any) any { m := x.(yaml.MapSlice); return m[place(m, "name")].Value }
	merged := slices.Clone(under)
	for _, one := range over {
		i := slices.IndexFunc(merged, func(x any) bool { return named(x) == named(one) })
		if i < 0 {
			merged = append(merged, one)
		} else {
			merged[i] = merge(merged[i].(yaml.MapSlice), one.(yaml.MapSlice), "of one.")
		}
	}
	return merged
}

// place returns the index of a key of a map, -1 if it does not have the key.
func place(m yaml.MapSlice, key any) int {
	return slices.IndexFunc(m, func(x yaml.MapItem) bool { return x.Key == key })
}

// has reports whether the plant's description has a key.
func (p *Plant) has(key string) bool { return place(p.description, key) >= 0 }

// Description is the plant's cluster by itself.
func (p *Plant) Description() (*Spec, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "cluster: planted\nlength: %v\nsnapshot_period: 1s\n", p.To+Duration(60*core.Second))
	for _, item := range p.description {
		value, err := yaml.MarshalWithOptions(item.Value, yaml.JSON())
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%v: %s\n", item.Key, strings.TrimSpace(string(value)))
	}
	return Parse("plant "+p.Kind, []byte(strings.ReplaceAll(b.String(), treeMark, p.treeName())))
}

// each lets those of the plant's faults act that are of some kinds.
func (p *Plant) each(kinds map[string]func(*field, *Fault), f *field) {
	for i := range p.Faults {
		if act := kinds[p.Faults[i].Do]; act != nil {
			act(f, &p.Faults[i])
		}
	}
}
