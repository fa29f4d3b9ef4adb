package ytsaurus

import (
	"testing"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// TestAnOpenJobStartsWhereItsNodeHasRoom puts a job of two slots on a node of three, of
// which the row stands at 20 s and others took up to 10 s to be told.
func TestAnOpenJobStartsWhereItsNodeHasRoom(t *testing.T) {
	slots := func(n int64) trace.Resources { return trace.Resources{UserSlots: n} }
	own, other := guid{1}, guid{2}
	second := func(n int64) core.Time { return core.Time(n) * core.Second }
	beside := func(job guid, from, to, n int64, forJob guid) tenant {
		return tenant{job, forJob, second(from), second(to), slots(n), false}
	}
	for name, c := range map[string]struct {
		beside []tenant
		want   int64
	}{
		"alone":                          {nil, 10},
		"beside one that fits":           {[]tenant{beside(guid{3}, 5, 60, 1, guid{})}, 10},
		"after one that left":            {[]tenant{beside(guid{3}, 5, 14, 2, guid{})}, 14},
		"after the last that left":       {[]tenant{beside(guid{3}, 5, 14, 2, guid{}), beside(guid{4}, 12, 17, 2, guid{})}, 17},
		"before one that came":           {[]tenant{beside(guid{3}, 15, 60, 1, guid{})}, 10},
		"where one made room for it":     {[]tenant{beside(guid{3}, 5, 18, 2, own)}, 10},
		"where one made room for others": {[]tenant{beside(guid{3}, 5, 18, 2, other), beside(other, 13, 60, 1, guid{})}, 13},
		"where there never was room":     {[]tenant{beside(guid{3}, 5, 60, 2, guid{})}, 10},
	} {
		n := room{jobs: c.beside}
		at := n.roomFrom(&placedJob{job: own, limits: slots(2)}, slots(3), core.Span{From: second(10), To: second(20)}, 0)
		if at != second(c.want) {
			t.Errorf("%s: at %d s, want %d s", name, at/core.Second, c.want)
		}
	}
}

// TestTheLongestLag is that which one in a thousand exceeds.
func TestTheLongestLag(t *testing.T) {
	var g lags
	if got := g.longest(); got != usualLag {
		t.Errorf("without any: %d", got)
	}
	for i := range 2000 {
		g.add(core.Time(i%10) * core.Second)
	}
	g.add(50 * core.Second)
	if got := g.longest(); got != 9*core.Second+1000 {
		t.Errorf("%d", got)
	}
}
