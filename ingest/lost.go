package ingest

import (
	"cmp"
	"maps"
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// LostRows are rows of a table that were left out of a tree's stream. From From to To the state that
// follows from the stream may not be that of the cluster.
type LostRows struct {
	Tree, Table string
	Codes       []string // of the problems, sorted
	Rows        int64
	From        core.Time // 0 if the time of a row is not known
	To          core.Time // 0 if there is no end
}

// lostSpan is the time that a lost row affects in tables whose rows follow one another soon: a node sends a
// heartbeat at least once a minute, and the scheduler takes a snapshot more often
// (ingest/trace/FORMAT.md §3.6).
const lostSpan = 60 * core.Second

// lose counts the current row among those that are left out.
func (r *rows) lose(at core.Time) {
	l := &r.lost
	if !r.stream.plausible(at) {
		at = 0
	}
	if l.Rows == 0 || at < l.From {
		l.From = at
	}
	l.To = max(l.To, at)
	l.Rows++
	if !slices.Contains(l.Codes, r.code) {
		l.Codes = append(l.Codes, r.code)
	}
}

// lostRows are the rows that the stream's tables left out.
func (s *stream) lostRows() (all []LostRows) {
	for _, r := range s.tables {
		l := r.lost
		if l.Rows == 0 {
			continue
		}
		l.Tree, l.Table = s.tree, r.table.Name
		slices.Sort(l.Codes)
		switch {
		case l.From == 0 || !trace.Named(l.Table).Passing:
			// What the rows say holds on: a job uses its node to its end, and a limit is in force until it changes.
			l.To = 0
		default:
			l.To += lostSpan
		}
		all = append(all, l)
	}
	return all
}

// LostRows returns the rows that the last stream of each tree left out, in the order of trees and
// tables.
func (t *Trace) LostRows() (all []LostRows) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, tree := range slices.Sorted(maps.Keys(t.lost)) {
		all = append(all, t.lost[tree]...)
	}
	slices.SortStableFunc(all, func(a, b LostRows) int { return cmp.Or(cmp.Compare(a.Tree, b.Tree), cmp.Compare(a.Table, b.Table)) })
	return all
}
