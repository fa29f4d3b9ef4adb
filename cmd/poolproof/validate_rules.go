package main

import (
	"fmt"
	"io"
	"slices"

	"poolproof/core/pooltree"
)

// An advice explains a rule: why it is one, and what to do where it is broken.
type advice struct{ why, do string }

var ruleAdvice = map[pooltree.Rule]advice{
	pooltree.NameEmpty:          {"Pools and trees are addressed by their names.", "Give it a name."},
	pooltree.NameReserved:       {"The root of every tree has that name, and cannot be configured as a pool.", "Choose another name; what is meant for the root is an option of the tree."},
	pooltree.NameTooLong:        {"A cluster stores no longer name.", "Shorten the name."},
	pooltree.NamePattern:        {"A cluster takes the characters a-z, 0-9, - and _, of administrators also A-Z and the colon; $ parts a pool from its user's subpool. Imports take the names of foreign queues as they are: there it is worth a look only.", "Rename it, or change the pattern of the cluster."},
	pooltree.DuplicateName:      {"A pool is named without its path, so a name stands once in its whole tree, at whatever depth. The second one was left out of all other checks.", "Rename one of the two."},
	pooltree.DuplicateTree:      {"Trees are told apart by their names.", "Rename one of the two."},
	pooltree.NoSuchTree:         {"An object belongs to a tree that is there.", "Create the tree first, or mend its name."},
	pooltree.NoSuchPool:         {"Only a pool that is there can be changed.", "Create the pool first, or mend its name."},
	pooltree.NoSuchParent:       {"A pool stands under a pool of its tree, or under the root. In a trace the parent may be missing because its row is.", "Create the parent first, or mend its name."},
	pooltree.Depth:              {"A cluster takes no deeper tree of explicit pools.", "Move the pool up."},
	pooltree.SubtreeSize:        {"The scheduler bounds what hangs below one top-level pool (max_scheduler_pool_subtree_size, 1000 by default).", "Split the top-level pool, or raise the bound of the cluster."},
	pooltree.MoveIntoDescendant: {"The pools would form a ring that no root holds.", "Move the pool elsewhere."},
	pooltree.MoveBetweenTrees:   {"Pools of two trees are unrelated, whatever their names.", "Create the pool in the other tree and remove it here."},

	pooltree.WrongType:         {"The value is of another type than the option. A cluster keeps the value it had.", "Write a value of the type that is named."},
	pooltree.OutOfRange:        {"The value means nothing to the scheduler: a share is from 0 to 1, a count is not negative, a weight is in the range of its profile.", "Write a value in the range that is named."},
	pooltree.BadFormula:        {"A filter of node tags has names, !, &, |, brackets, %true and %false. The position counts bytes from 1.", "Write at that position what is expected there."},
	pooltree.AliasConflict:     {"Both names are of one option, and which of the values counts is not defined.", "Keep one of the two."},
	pooltree.NullThreshold:     {"A null would leave open whether anything is protected.", "Write {} to protect nothing, or remove the option."},
	pooltree.NotATreeAttribute: {"The option is of pools, and does nothing on a tree.", "Set it on the pools that it is meant for."},

	pooltree.RunningAboveTotal:      {"An operation counts in both limits, so the lower one would always be first. Only what the pool itself sets is compared.", "Lower max_running_operation_count, or raise max_operation_count."},
	pooltree.FIFOEphemeral:          {"A FIFO pool orders operations; it cannot order the pools of its users.", "Remove create_ephemeral_subpools, or the mode fifo."},
	pooltree.FIFOWithChildren:       {"A FIFO pool orders operations; it has no pools below.", "Move the pool elsewhere, or make its parent a fair_share pool."},
	pooltree.GuaranteeWithoutParent: {"A pool can only pass on what its parent is guaranteed. Even a guarantee of 0 counts.", "Guarantee the resource to the parent as well, or remove it here."},
	pooltree.GuaranteeSum:           {"What the parent is guaranteed is divided among its children; they cannot be promised more. Nothing is compared with the root.", "Lower the children's guarantees, or raise the parent's."},
	pooltree.MainResource:           {"Weights and ratios of guarantees are computed from the tree's main resource.", "Add the main resource to the guarantee; 0 will do."},
	pooltree.IntegralUnderIntegral:  {"One pool accumulates for its whole subtree.", "Remove the flow or burst guarantee here, or the guarantee_type above."},
	pooltree.BurstOnRelaxed:         {"A relaxed pool spends what it accumulated without a fixed burst.", "Remove burst_guarantee_resources, or make the type burst."},
	pooltree.MeteringWithoutOwner:   {"Usage is metered for the service that owns the pool.", "Set abc, or remove metering_tags."},
	pooltree.ThresholdOrder:         {"Aggressive preemption takes jobs that ordinary preemption must leave, never the other way round.", "Lower the aggressive threshold, or raise preemption_satisfaction_threshold."},
	pooltree.TimeoutOrder:           {"Who starves aggressively has starved before. Where only one of the two is set, it is compared with the other's default.", "Raise the aggressive timeout, or lower fair_share_starvation_timeout."},
	pooltree.SSDFilterRequired:      {"Without a filter every node would be reserved for SSD operations.", "Set ssd_priority_preemption/node_tag_filter, or turn enable off."},
	pooltree.UnknownPreset:          {"The store takes the name; the scheduler then refuses all pools of the tree.", "Add the preset to pool_config_presets, or mend the name."},
	pooltree.PresetOption:           {"A preset holds options of starvation and preemption only. The scheduler refuses all pools of the tree.", "Move the option to the pools that use the preset."},
	pooltree.NoDefaultTree:          {"The scheduler refuses the whole set of trees while the default tree is missing from it.", "Create the tree, or name another in default_tree."},
	pooltree.OverlappingFilters:     {"A node serves one tree. One that several claim goes offline, and a set of trees that would claim a known node twice is refused.", "Change one of the filters, or the tags of the node."},

	pooltree.GuaranteeAboveTotal: {"The scheduler scales such guarantees down, all of them. Up to 2 % is taken for a node that is away.", "Lower the guarantees, or add nodes."},
	pooltree.WaitingTimeout:      {"A job that waits for the room of an interrupted one gives up before that has left.", "Raise waiting_job_timeout to job_interrupt_timeout (10000 ms by default) or more."},
	pooltree.NoDefaultParent:     {"Operations without a pool get one under the root instead.", "Create the pool, or mend default_parent_pool."},
	pooltree.Oversubscribed:      {"The limit of a pool may stop its children before their own limits do, so the children cannot count on theirs.", "Nothing, if no child was promised its number; otherwise lower theirs, or raise the pool's."},
	pooltree.LimitBelowGuarantee: {"The pool can never use what it is guaranteed.", "Raise the limit, or lower the guarantee."},
	pooltree.IgnoredTimeout:      {"Only the profiles documented and legacy know starvation for the strong guarantee.", "Set fair_share_starvation_timeout instead, or judge by another --profile."},
	pooltree.IncompleteIntegral:  {"A burst pool needs resource_flow and burst_guarantee_resources, a relaxed one resource_flow; what is missing counts as zero, and the guarantee gives nothing.", "Set what is missing, or the guarantee_type none."},

	notImportable: {"A cluster may take it for an attribute of its users' own; an import refuses the file, because a mistyped option would promise nothing and nobody would know.", "Mend it as it says, or remove it."},
}

// configurationCodes are the codes of the rules, sorted.
func configurationCodes() []string {
	var codes []string
	for r := range ruleAdvice {
		codes = append(codes, string(r))
	}
	slices.Sort(codes)
	return codes
}

// explainRules explains the rule of that name, or all rules of that invariant,
// and reports whether there are any.
func explainRules(w io.Writer, code string) bool {
	found := false
	for _, name := range configurationCodes() {
		r := pooltree.Rule(name)
		if name != code && r.Invariant() != code {
			continue
		}
		s := newSpot(&pooltree.RuleError{Rule: r})
		about := string(s.Severity)
		if s.Invariant != "" {
			about = s.Invariant + ", " + about
		}
		fmt.Fprintf(w, "%s, a rule of configurations (%s): %s. %s What to do: %s\n", r, about, s.Meaning, ruleAdvice[r].why, ruleAdvice[r].do)
		if s.Refused {
			fmt.Fprintln(w, "The scheduler refuses the whole set, and the old one stays in force.")
		}
		found = true
	}
	return found
}
