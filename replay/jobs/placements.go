package jobs

import (
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// placements judge where jobs start: on nodes that the tree's filter and those of the
// operation and its pools match, and in a tree that the operation still has
// (core/spec/scheduling.md §2.2 to §2.4).
type placements struct {
	slacks judge.Slacks
	tagged bool                      // some node had tags, so that the log records them
	lost   map[core.OperationID]loss // operations that the tree erased or banned

	ownSeen, filterSeen        int64 // starts that were judged by nodes_filter, by tag filters
	ownUnknown, filtersUnknown int64 // and those that could not be
	open                       []openPlacement
	lag                        core.Time // see nodeLag
	rulings                    []judge.Ruling
}

// An openPlacement is a start that seems to be misplaced. It stays open until the log has
// recorded the next tags and filters, whose rows come at their own times (two-sided evaluation,
// core/spec/invariants.md §1).
type openPlacement struct {
	judge.JobPlacement
	row             tables.MisplacedJob
	filter          core.PoolID // see tables.MisplacedJob, if TREE-11 is broken
	node, operation int32       // slots, -1 for a node that the log does not name
}

// A loss records that an operation lost the tree.
type loss struct {
	at     core.Time
	banned bool
}

// notePlacements follows tags, and the operations that lose the tree.
func (r *Jobs) notePlacements(now core.Time) {
	s, c := &r.placements, r.Core.Changes()
	moved, tagged := r.Core.Reconfigured() == now, false
	for _, slot := range c.Nodes {
		n := r.Core.Node(slot)
		s.tagged = s.tagged || len(n.Tags) > 0
		tagged = tagged || n.LastTagged == now
	}
	for _, slot := range c.Operations {
		o := r.Core.Operation(slot)
		moved = moved || o.LastFiltered == now
		switch {
		case o.Late:
		case o.Ended && (o.EndStep == core.StepErased || o.EndStep == core.StepBanned):
			if s.lost == nil {
				s.lost = map[core.OperationID]loss{}
			}
			s.lost[o.ID] = loss{o.Finish.Value, o.EndStep == core.StepBanned}
		case len(s.lost) > 0 && !o.Ended:
			delete(s.lost, o.ID) // it was registered anew
		}
	}
	if moved || tagged {
		r.lookAgain(now, moved)
	}
}

// lookAgain checks the open placements by the tags and filters that are recorded now. Those whose
// slack is over are open for the node's tags alone, whose rows may be later.
func (r *Jobs) lookAgain(now core.Time, moved bool) {
	for i := range r.placements.open {
		s := &r.placements.open[i]
		o := r.Core.Operation(s.operation)
		if s.node < 0 || !o.Alive || o.ID != s.row.Operation {
			continue
		}
		if own := r.Core.Node(s.node).LastTagged == now; !own && (!moved || int64(now)-s.At > s.Slacks.Tagged()) {
			continue
		}
		own := s.OwnNode != judge.No || r.Core.Config().NodesFilter.Match(r.Core.Node(s.node).Tags)
		if own && (s.Admitted != judge.No || r.Core.Admits(s.operation, s.node)) {
			s.Changed = int64(now)
		}
	}
}

// judgePlacement judges where a job started.
func (r *Jobs) judgePlacement(slot int32) {
	s, j := &r.placements, r.Core.Job(slot)
	o := r.Core.Operation(j.Operation)
	placement := judge.JobPlacement{
		Context: judge.Context{Excuse: r.Excuses.ExcuseAt(j.Start), Slacks: &r.placements.slacks}, At: int64(j.Start),
		OwnNode: judge.Yes, Admitted: judge.Yes, Changed: scheduling.Never, Gone: scheduling.Never,
	}
	if j.Node >= 0 {
		r.judgeTags(&placement, j, o)
	}
	if len(s.lost) > 0 {
		if l, ok := s.lost[o.ID]; ok {
			placement.Gone, placement.Banned = int64(l.at), l.banned
		}
	}
	if placement.OwnNode == judge.Yes && placement.Admitted == judge.Yes && placement.Gone == scheduling.Never {
		return
	}
	s.open = append(s.open, r.openPlacement(slot, placement))
}

// settlePlacements writes the rows of starts whose slacks are over at a time.
func (r *Jobs) settlePlacements(now core.Time) {
	s := &r.placements
	settled := 0
	for settled < len(s.open) && s.open[settled].At+s.open[settled].Slacks.Tagged()+int64(s.lag) < int64(now) {
		r.addMisplaced(&s.open[settled])
		settled++
	}
	s.open = slices.Delete(s.open, 0, settled)
}

// judgeTags compares a node's tags with the filters.
func (r *Jobs) judgeTags(placement *judge.JobPlacement, j *core.Job, o *core.Operation) {
	s, n, config := &r.placements, r.Core.Node(j.Node), r.Core.Config()
	filtered := r.filtered(o)
	switch {
	case config.Assumed:
	case (!s.tagged || n.Undescribed) && !config.NodesFilter.IsEmpty():
		s.ownUnknown++
	default:
		placement.OwnNode = judge.FactOf(config.NodesFilter.Match(n.Tags))
		s.ownSeen++
	}
	switch {
	case !filtered:
	case !s.tagged || n.Undescribed:
		s.filtersUnknown++
	default:
		placement.Admitted = judge.FactOf(r.Core.Admits(j.Operation, j.Node))
		s.filterSeen++
	}
	for _, at := range []core.Time{n.LastTagged, o.LastFiltered, r.Core.Reconfigured()} {
		placement.Changed = max(placement.Changed, int64(at))
	}
}

func (r *Jobs) openPlacement(slot int32, placement judge.JobPlacement) openPlacement {
	j := r.Core.Job(slot)
	o := r.Core.Operation(j.Operation)
	open := openPlacement{JobPlacement: placement, node: j.Node, operation: j.Operation, filter: core.Unknown}
	open.row = tables.MisplacedJob{Time: j.Start, Job: string(j.Name), JobIx: j.ID, Operation: o.ID, Pool: j.Pool}
	if j.Node >= 0 {
		n := r.Core.Node(j.Node)
		open.row.Node, open.row.Tags = core.Some(n.ID), strings.Join(n.Tags, ",")
		open.filter = r.unmatched(o.Pool, n)
	}
	return open
}

// addMisplaced writes a row for every rule that a start breaks.
func (r *Jobs) addMisplaced(s *openPlacement) {
	r.placements.rulings = s.Judge(r.placements.rulings[:0])
	for i := range r.placements.rulings {
		ruling := &r.placements.rulings[i]
		if ruling.Verdict <= judge.Undecidable {
			continue
		}
		row, since := s.row, s.Changed
		row.Filter = core.Unknown
		switch ruling.Invariant {
		case judge.TREE11:
			row.Filter = s.filter
		case judge.TREE05, judge.TREE09:
			since = s.Gone
		}
		if since != scheduling.Never {
			row.Since = core.Some(core.Time(since))
		}
		row.Verdict, row.Invariant = ruling.Verdict.String(), ruling.Invariant.String()
		row.Excuse, row.JudgedBy = string(ruling.Excuse), ruling.Evidence.String()
		r.misplacedJobs.Add(&row)
	}
}

// unmatched is the lowest of a pool and those above it whose tag filter does not match
// a node; core.Unknown if there is none.
func (r *Jobs) unmatched(pool int32, n *core.Node) core.PoolID {
	for ; pool > 0; pool = r.Core.Pool(pool).Parent {
		if p := r.Core.Pool(pool); !p.Config.TagFilter.Match(n.Tags) {
			return p.ID
		}
	}
	return core.Unknown
}

// facts say how many starts could be judged, for the coverage table.
func (s *placements) facts(seen map[string]int64) []env.Fact {
	seen["nodes_filter"], seen["tag_filters"] = s.ownSeen, s.filterSeen
	return []env.Fact{{Aspect: "nodes_filter", State: tagState(s.ownSeen, s.ownUnknown)},
		{Aspect: "tag_filters", State: tagState(s.filterSeen, s.filtersUnknown)}}
}

func tagState(judged, unknown int64) string {
	switch {
	case judged > 0:
		return "recorded"
	case unknown > 0:
		return "no_tags"
	}
	return "none"
}
