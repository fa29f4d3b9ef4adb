package core_test

import (
	"testing"

	"poolproof/core"
)

// Demand is unknown from a snapshot on that has fewer records of operations than its pools count, until one that has
// all. Pools that count none say nothing.
func TestDemandIsUnknownWithoutTheRecordsOfOperations(t *testing.T) {
	tree := core.New(&core.Dimensions{Pools: []core.PoolInfo{{Name: "a"}, {Name: "b"}}}, core.Baseline)
	for i, c := range []struct {
		what    string
		counted []int64 // by pool; -1 where it counts none
		shown   []core.PoolID
		known   bool
	}{
		{"no counts", []int64{-1, -1}, nil, true},
		{"all records", []int64{1, 1}, []core.PoolID{0, 1}, true},
		{"none of two", []int64{1, 1}, nil, false},
		{"one of two", []int64{1, 1}, []core.PoolID{1}, false},
		{"two of one pool and none of the other", []int64{1, 1}, []core.PoolID{1, 1}, false},
		{"more than are counted", []int64{0, 1}, []core.PoolID{0, 1}, true},
		{"nothing counted", []int64{0, 0}, nil, true},
	} {
		at := core.Time(i+1) * core.Second
		for pool, n := range c.counted {
			r := &core.PoolRecord{Pool: core.PoolID(pool)}
			if n >= 0 {
				r.Own = core.Some(n)
			}
			tree.Step(&core.Event{Time: at, Kind: core.PoolRecorded, PoolRecord: r})
		}
		for _, pool := range c.shown {
			tree.Step(&core.Event{Time: at, Kind: core.OperationRecorded, OperationRecord: &core.OperationRecord{Pool: pool, Operation: core.Unknown}})
		}
		if tree.HasAllRecords() != c.known || tree.StartsFromKnownState() != c.known {
			t.Errorf("%s: all records are there: %v, shares are known: %v, want %v", c.what, tree.HasAllRecords(), tree.StartsFromKnownState(), c.known)
		}
		if lacks := tree.LacksRecords(0) || tree.LacksRecords(1); lacks == c.known {
			t.Errorf("%s: a pool lacks records: %v, want %v", c.what, lacks, !c.known)
		}
	}
}
