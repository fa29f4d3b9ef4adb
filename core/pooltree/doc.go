// Package pooltree holds the rules of pool trees that need no fair shares:
// which nodes serve a tree, which configurations are legal, which pool an
// operation lands in, whether it may start, when it runs, and what every
// counter holds at every level. The contract is core/spec/scheduling.md §1 to §6, §11
// and §17, whose sections the comments cite.
//
// # A tree
//
// A Tree is the pools of one tree with the operations in them. Configure it
// with SetConfig, SetUserParents and Apply; a set of pools that the scheduler
// would discard changes nothing, and the broken rules are returned. Then it is
// used in one of two ways, which may be mixed.
//
// By the policy, as a scheduler would: Start, Finish, ChangePool and Rescan.
// Operations that a step releases from queues are Activated.
//
//	tree := pooltree.NewTree("physical", pooltree.Documented)
//	tree.Apply(pooltree.Change{Definition: pooltree.Definition{Name: "prod"}})
//	o, err := tree.Start(pooltree.Request{User: "alice", Pool: "prod"})
//	if err == nil && !tree.IsRunning(o) {
//		fmt.Println("waits for", tree.PoolName(tree.Queue(o)))
//	}
//
// By a log, which is followed whatever the policy says: Ensure, Add, SetRunning,
// Move and Remove check nothing. Place, CheckStart, CheckMove and Blocker say
// before each step what the policy allows; Counts and Limits are the evidence.
//
// Every event costs the depth of the tree, however many operations live. The end of an
// operation costs, besides, the operations that it releases, and those that it moves from
// one queue to another: none, unless a limit fell, or a pool or a running operation
// moved since. A change of configuration costs the number of pools.
//
// # Configuration
//
// ParseTree, ParsePool, ParseOperation and ParseTreeSpec read attributes into
// typed options, by all their names. Validate checks a set of pools by every
// rule of §4, and Lint the whole configuration of a tree. Effective holds the values in
// force after inheritance; Demand is what an operation wants within its limits.
//
// The tables treeOptions, poolOptions, operationOptions, treeSpecOptions and clusterOptions declare every
// option once: its names, values, field, group and meaning. Documents (ingest/poolconf),
// specs (ingest/opspec), exports, patches, validation, presets and OPTIONS.md walk them. To add an
// option, add a field and a row, and a line to effective.go if pools inherit it; read it where it
// matters. audit/FINDINGS.md says of each option whether it is a promise. `make docs` does the rest.
//
// # All trees
//
// What concerns all trees at once stands apart, because trees are replayed
// independently: an Assignment says which node serves which tree, SelectTrees,
// Tree.Offloads and ChooseSingleTree which trees an operation has, a Roster which
// operation loses its last one, KeepTrees in which of them it starts, and an Eligibility
// when a tentative one is given up. A replay follows the log, tree by tree.
//
// # Limits
//
// The package reads no clock and no file, starts no goroutine, and decides nothing by
// the order of a map. It knows neither jobs nor shares: preemption and fair shares are
// for other packages. profile.go holds the differences between profiles.
package pooltree
