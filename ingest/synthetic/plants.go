package synthetic

import (
	"strings"

	"poolproof/core"
)

const second = Duration(core.Second)

// grounds are what plants grow on: a tree of its own nodes.
const (
	// twoNodes have ten cores each, and more of all else than ten jobs want.
	twoNodes = `
nodes:
  - {name: TREE, count: 2, tags: [TREE], resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
`
	tree = `
trees:
  TREE:
    nodes_filter: TREE
`
)

// with gives operation v of a ground some traits, without gives it none.
func with(ground, traits string) string { return strings.ReplaceAll(ground, "TRAITS", traits) }

func without(ground string) string { return with(ground, "") }
