package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// none is the slot of nothing: no parent, no next job.
const none int32 = -1

// A Tree is the state of one pool tree: its settings, pools, nodes, live
// operations and jobs, and the fair shares of the last update.
//
// Objects live in slots, small numbers that are reused once an object is gone;
// the root pool is slot 0. What an accessor returns belongs to the Tree: read
// it, do not keep it past the next Step.
type Tree struct {
	dims    *Dimensions
	profile Profile
	now     Time // of the last event

	// What the log has told, as it stands.
	poolTable
	operationTable
	nodeTable
	jobTable
	process
	configuration

	// The same as those see it who judge by it.
	admission  *pooltree.Tree   // pools, who is in them, and who may run
	shares     *fairshare.Tree  // pools and operations, as elements
	owners                      // whose elements these are
	scheduling *scheduling.Tree // under the same elements: who starves, whose jobs may be taken

	// What waits for the next update, and what the last one left.
	updates
	bestAllocations
	tagTotals
	segments

	// What is remembered of before, and how sure it is.
	trust
	past
	recently
	records recordedOperations

	changes  Changes  // of this instant
	decision Decision // the last, reused
	offers   offers
}

// New returns an empty tree that is judged by the given profile.
func New(dims *Dimensions, profile Profile) *Tree {
	t := &Tree{
		dims:            dims,
		profile:         profile,
		configuration:   configuration{config: TreeConfig{Assumed: true}, firstConfigured: Never, reconfigured: Never, treeConfigured: Never},
		poolTable:       poolTable{poolSlot: filled(len(dims.Pools)), poolIDs: map[string]PoolID{}},
		operationTable:  operationTable{operationSlot: filled(len(dims.Operations)), operationEnd: make([]Optional[Time], len(dims.Operations)), lastSet: Never, lastTurned: Never, needMoved: Never},
		nodeTable:       nodeTable{nodeSlot: filled(len(dims.Nodes)), lastResized: Never, lastTagged: Never},
		jobTable:        jobTable{jobSlot: map[JobID]int32{}, leaving: map[JobID]leaving{}},
		updates:         updates{previous: Never},
		process:         process{restarted: Never},
		recently:        recently{moved: Never, taken: Never, ended: Never},
		segments:        segments{segmented: Never},
		bestAllocations: bestAllocations{bestMoved: Never},
		tagTotals:       tagTotals{tags: pooltree.NewTagTotals()},
	}
	t.offers.tree = t
	t.admission = pooltree.NewTree("", profile)
	t.shares = fairshare.New(t.shareOptions())
	t.scheduling = scheduling.New(t.shares, scheduling.DefaultOptions(profile))
	t.scheduling.SetAdmission(t.admits)
	t.own(fairshare.Root, 0, none)
	t.pools = append(t.pools, Pool{ID: RootPool, Parent: none, Element: fairshare.Root, Config: &noOptions, exists: true, LastConfigured: Never, misjudged: Never})
	t.setTreeConfig(t.config)
	t.configured, t.configurations = false, 0 // that was none of the log
	t.ClearChanges()
	return t
}

func filled(n int) []int32 {
	slots := make([]int32, n)
	for i := range slots {
		slots[i] = none
	}
	return slots
}

// takeSlot returns a slot that is free, a new one if none is.
func takeSlot[T any](all *[]T, free *[]int32) int32 {
	if n := len(*free); n > 0 {
		slot := (*free)[n-1]
		*free = (*free)[:n-1]
		return slot
	}
	var empty T
	*all = append(*all, empty)
	return int32(len(*all) - 1)
}

// ShareTotal returns the total that the shares of the last update are fractions
// of, so that usage can be compared with them; before the first, the total.
func (t *Tree) ShareTotal() resource.Vector {
	if !t.updated {
		return t.total
	}
	return t.shareTotal
}

// EachJob calls visit with the slot of every live job, operation by operation.
func (t *Tree) EachJob(visit func(job int32)) {
	for slot := range t.operations {
		if t.operations[slot].Alive {
			t.OperationJobs(int32(slot), visit)
		}
	}
}
