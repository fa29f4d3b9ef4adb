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
	// richAndPoor are two pools, of which one has half of the tree for sure. It
	// starves when its operation does, and not before.
	richAndPoor = `
    min_share_preemption_timeout: 60000
    pools: {rich: {strong_guarantee_resources: {cpu: 10}}, poor: {}}
`
	tree = `
trees:
  TREE:
    nodes_filter: TREE
`
	// patient goes on from there: nobody starves for longer than any plant takes.
	patient = `
    fair_share_starvation_timeout: 1000000
    fair_share_aggressive_starvation_timeout: 1000000
`
)

// with gives operation v of a ground some traits, without gives it none.
func with(ground, traits string) string { return strings.ReplaceAll(ground, "TRAITS", traits) }

func without(ground string) string { return with(ground, "") }
