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
// batch of a file shares them. They are shared by the writers of all trees.
type Dictionaries struct {
	pools, operations, nodes                         *dictionary
	resources, modes, ends, elements, limits, causes *dictionary

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
	return &Dictionaries{
		pools: newDictionary(pools), operations: newDictionary(operations), nodes: newDictionary(d.Nodes),
		resources: newDictionary(resources),
		modes:     newDictionary([]string{core.FairShare.String(), core.FIFO.String()}),
		ends:      newDictionary(EnumNames.End), elements: newDictionary(EnumNames.Element),
		limits: newDictionary(EnumNames.Limit), causes: newDictionary(EnumNames.Cause),
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
	for _, one := range []*dictionary{d.pools, d.operations, d.nodes, d.resources, d.modes, d.ends, d.elements, d.limits, d.causes} {
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

// enums are the dictionaries of the enumerated types.
var enums = map[reflect.Type]func(*Dictionaries) *dictionary{
	reflect.TypeFor[core.Mode]():    func(d *Dictionaries) *dictionary { return d.modes },
	reflect.TypeFor[core.EndKind](): func(d *Dictionaries) *dictionary { return d.ends },
	reflect.TypeFor[ElementKind]():  func(d *Dictionaries) *dictionary { return d.elements },
	reflect.TypeFor[LimitKind]():    func(d *Dictionaries) *dictionary { return d.limits },
	reflect.TypeFor[Cause]():        func(d *Dictionaries) *dictionary { return d.causes },
}
