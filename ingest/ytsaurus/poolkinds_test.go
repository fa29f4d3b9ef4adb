package ytsaurus

import (
	"slices"
	"testing"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A pool that is explicit and ephemeral in turn has its settings while it is explicit, from whatever source they
// come and however often it changes.
func TestKindsOfPoolsAreDated(t *testing.T) {
	weighted := func(at core.Time, weight float64) poolVersion {
		return poolVersion{time: at, config: trace.PoolConfig{Weight: core.Some(weight)}}
	}
	type row struct {
		time               core.Time
		weight             float64
		ephemeral, deleted bool
	}
	for name, c := range map[string]struct {
		runs     kindRuns
		infos    []core.Time
		versions []poolVersion
		want     []row
	}{
		"adopted": {
			kindRuns{{first: 10, last: 20, ephemeral: true}, {first: 30, last: 40}}, []core.Time{0, 25}, []poolVersion{weighted(25, 3)},
			[]row{{5, 0, true, false}, {25, 3, false, false}},
		},
		"adopted, of an export that was taken later": {
			kindRuns{{first: 10, last: 20, ephemeral: true}, {first: 30, last: 40}}, nil, []poolVersion{weighted(0, 3)},
			[]row{{5, 0, true, false}, {29, 3, false, false}},
		},
		"deleted and made again": {
			kindRuns{{first: 10, last: 20}, {first: 30, last: 40, ephemeral: true}, {first: 50, last: 60}}, []core.Time{0, 25, 45},
			[]poolVersion{weighted(0, 3), weighted(15, 4), weighted(25, 1), weighted(45, 2)},
			[]row{{0, 3, false, false}, {15, 4, false, false}, {25, 4, false, true}, {25, 0, true, false}, {45, 2, false, false}},
		},
		"explicit throughout": {
			kindRuns{{first: 10, last: 20}}, nil, []poolVersion{weighted(0, 3)}, []row{{0, 3, false, false}},
		},
	} {
		a := &assembly{loader: &loader{poolsInfos: map[treeID][]core.Time{1: c.infos}}}
		tree := &treeAssembly{assembly: a, id: 1, kinds: map[string]kindRuns{"p": c.runs}, snapshots: []core.Time{10, 20, 30, 40, 50, 60}}
		p := &treePool{seen: core.Span{From: 5, To: 60}, versions: c.versions}
		if !c.runs[0].ephemeral {
			p.seen.From = 0
		}
		tree.dateKinds("p", p)
		var got []row
		for _, v := range p.versions {
			got = append(got, row{v.time, v.config.Weight.Value, v.ephemeral, v.deleted})
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
