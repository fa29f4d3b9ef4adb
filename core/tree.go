package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// none is the slot of a missing object, such as the root's parent.
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

	// The current state, as recorded.
	poolTable
	operationTable
	nodeTable
	jobTable
	process
	configuration

	// Views of that state that implement the rules.
	admission  *pooltree.Tree   // pools and their operations, and which of them may run
	shares     *fairshare.Tree  // pools and operations, as elements
	owners                      // the pools and operations of these elements
	scheduling *scheduling.Tree // by the same elements: starvation, preemptible jobs

	// Inputs of the next update and results of the last one.
	updates
	bestAllocations
	tagTotals
	segments

	// History, and how certain it is.
	logAccuracy
	preLogState
	recentChanges
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
		operationTable:  operationTable{operationSlot: filled(len(dims.Operations)), operationEnd: make([]Optional[Time], len(dims.Operations)), lastSet: Never, lastTurnover: Never, needMoved: Never},
		nodeTable:       nodeTable{nodeSlot: filled(len(dims.Nodes)), lastResized: Never, lastTagged: Never},
		jobTable:        jobTable{jobSlot: map[JobID]int32{}, leaving: map[JobID]leaving{}},
		updates:         updates{previous: Never},
		process:         process{restarted: Never},
		recentChanges:   recentChanges{lastMove: Never, lastPreemption: Never, lastEnd: Never},
		segments:        segments{segmented: Never},
		bestAllocations: bestAllocations{bestMoved: Never},
		tagTotals:       tagTotals{tags: pooltree.NewTagTotals()},
	}
	t.offers.tree = t
	t.admission = pooltree.NewTree("", profile)
	t.shares = fairshare.New(t.shareOptions())
	t.scheduling = scheduling.New(t.shares, scheduling.DefaultOptions(profile))
	t.scheduling.SetAdmission(t.admits)
	t.setOwner(fairshare.Root, 0, none)
	t.pools = append(t.pools, Pool{ID: RootPool, Parent: none, Element: fairshare.Root, Config: &noOptions, exists: true, LastConfigured: Never, needDoubtedAt: Never})
	t.setTreeConfig(t.config)
	t.configured, t.configurations, t.unmodelled.of = false, 0, -1 // the log did not contain that one
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

// takeSlot returns a free slot, or a new one.
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

// ShareTotal returns the total of which the shares of the last update are fractions, so that usage
// can be compared with them; before the first update, the current total.
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
