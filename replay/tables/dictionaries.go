package tables

import (
	"reflect"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"poolproof/core"
	"poolproof/core/resource"
)

// Dictionaries hold the words of ids and enumerations, complete, so that every
// batch of a file of several shares them. They are shared by the writers of all trees.
type Dictionaries struct {
	Extract Extract // of which the writers write no more; nil: all columns

	pools, operations, nodes, resources *dictionary

	enums map[reflect.Type]*dictionary
	texts map[string]*dictionary // by the key of textWords

	tree *dictionary // of one writer: the name of its tree
}

type dictionary struct {
	words []string
	array arrow.Array
}

func newDictionary(words []string) *dictionary {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues(words, nil)
	return &dictionary{words, b.NewArray()}
}

// NewDictionaries makes the dictionaries of a run. Release them after the last
// writer is closed.
func NewDictionaries(d *core.Dimensions) *Dictionaries {
	pools := []string{"<Root>"}
	for _, p := range d.Pools {
		pools = append(pools, p.Name)
	}
	operations := make([]string, len(d.Operations))
	for i := range d.Operations {
		operations[i] = d.Operations[i].ID
	}
	var resources []string
	for k := range resource.Kinds {
		resources = append(resources, resource.Kind(k).String())
	}
	enums := make(map[reflect.Type]*dictionary, len(enumWords))
	for t, words := range enumWords {
		enums[t] = newDictionary(words)
	}
	texts := make(map[string]*dictionary, len(textWords))
	for name, words := range textWords {
		texts[name] = newDictionary(words)
	}
	return &Dictionaries{
		pools: newDictionary(pools), operations: newDictionary(operations), nodes: newDictionary(d.Nodes),
		resources: newDictionary(resources),
		enums:     enums, texts: texts,
	}
}

// forTree returns the dictionaries with a tree's name among them.
func (d *Dictionaries) forTree(name string) *Dictionaries {
	mine := *d
	mine.tree = newDictionary([]string{name})
	return &mine
}

// Release gives the memory of the dictionaries back.
func (d *Dictionaries) Release() {
	for _, one := range []*dictionary{d.pools, d.operations, d.nodes, d.resources} {
		one.array.Release()
	}
	for _, one := range d.enums {
		one.array.Release()
	}
	for _, one := range d.texts {
		one.array.Release()
	}
}

// poolIndex is the place of a pool in its dictionary, whose first word is the
// root's; -1 for an unknown pool.
func poolIndex(p core.PoolID) int32 {
	switch {
	case p == core.RootPool:
		return 0
	case p < 0:
		return -1
	}
	return int32(p) + 1
}
