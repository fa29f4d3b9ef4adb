package replay

import (
	"strings"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// sites judge where jobs start: on nodes that the tree's filter and those of the
// operation and its pools match, and in a tree that the operation still has
// (spec/scheduling.md §2.2 to §2.4).
type sites struct {
	tagged bool                      // some node had tags, so that the log records them
	lost   map[core.OperationID]loss // operations that the tree erased or banned

	ownSeen, filterSeen        int64 // starts that were judged by nodes_filter, by tag filters
	ownUnknown, filtersUnknown int64 // and those that could not be
	rulings                    []judge.Ruling
}

// A loss is when and how an operation lost the tree.
type loss struct {
	at     core.Time
	banned bool
}

// noteSites follows tags, and the operations that lose the tree.
func (r *recorder) noteSites() {
	s, c := &r.sites, r.core.Changes()
	for _, slot := range c.Nodes {
		s.tagged = s.tagged || len(r.core.Node(slot).Tags) > 0
	}
	for _, slot := range c.Operations {
		o := r.core.Operation(slot)
		switch {
		case o.Late:
		case o.Ended && (o.EndStep == core.StepErased || o.EndStep == core.StepBanned):
			if s.lost == nil {
				s.lost = map[core.OperationID]loss{}
			}
			s.lost[o.ID] = loss{o.Finish, o.EndStep == core.StepBanned}
		case len(s.lost) > 0 && !o.Ended:
			delete(s.lost, o.ID) // it was registered anew
		}
	}
}

// judgeSite judges where a job started.
func (r *recorder) judgeSite(slot int32) {
	s, j := &r.sites, r.core.Job(slot)
	o := r.core.Operation(j.Operation)
	site := judge.Site{
		Context: judge.Context{Excuse: r.grace.at(j.Start), Slacks: &r.admissions.slacks}, At: int64(j.Start),
		OwnNode: judge.Yes, Admitted: judge.Yes, Changed: scheduling.Never, Gone: scheduling.Never,
	}
	if j.Node >= 0 {
		r.judgeTags(&site, j, o)
	}
	if len(s.lost) > 0 {
		if l, ok := s.lost[o.ID]; ok {
			site.Gone, site.Banned = int64(l.at), l.banned
		}
	}
	if site.OwnNode == judge.Yes && site.Admitted == judge.Yes && site.Gone == scheduling.Never {
		return
	}
	s.rulings = site.Judge(s.rulings[:0])
	for i := range s.rulings {
		if s.rulings[i].Verdict > judge.Undecidable {
			r.addMisplaced(slot, &site, &s.rulings[i])
		}
	}
}

// judgeTags compares a node's tags with the filters.
func (r *recorder) judgeTags(site *judge.Site, j *core.Job, o *core.Operation) {
	s, n, config := &r.sites, r.core.Node(j.Node), r.core.Config()
	filtered := r.filtered(o)
	switch {
	case config.Assumed:
	case !s.tagged && !config.NodesFilter.IsEmpty():
		s.ownUnknown++
	default:
		site.OwnNode = judge.FactOf(config.NodesFilter.Match(n.Tags))
		s.ownSeen++
	}
	switch {
	case !filtered:
	case !s.tagged:
		s.filtersUnknown++
	default:
		site.Admitted = judge.FactOf(r.core.Admits(j.Operation, j.Node))
		s.filterSeen++
	}
	for _, at := range []core.Time{n.LastTagged, o.LastFiltered, r.core.Reconfigured()} {
		if at > 0 && (site.Changed == scheduling.Never || int64(at) > site.Changed) {
			site.Changed = int64(at)
		}
	}
}

func (r *recorder) addMisplaced(slot int32, site *judge.Site, ruling *judge.Ruling) {
	j := r.core.Job(slot)
	o := r.core.Operation(j.Operation)
	row := tables.MisplacedJob{
		Time: j.Start, Job: string(j.Name), JobIx: j.ID, Operation: o.ID, Pool: j.Pool, Filter: core.Unknown,
		Verdict: ruling.Verdict.String(), Invariant: ruling.Invariant.String(),
		Excuse: string(ruling.Excuse), JudgedBy: ruling.Evidence.String(),
	}
	if j.Node >= 0 {
		n := r.core.Node(j.Node)
		row.Node, row.Tags = core.Some(n.ID), strings.Join(n.Tags, ",")
		if ruling.Invariant == judge.TREE11 {
			row.Filter = r.unmatched(o.Pool, n)
		}
	}
	since := site.Changed
	if ruling.Invariant == judge.TREE05 || ruling.Invariant == judge.TREE09 {
		since = site.Gone
	}
	if since != scheduling.Never {
		row.Since = core.Some(core.Time(since))
	}
	add(r.out, r.out.misplacedJobs, &row)
}

// unmatched is the lowest of a pool and those above it whose tag filter does not match
// a node; core.Unknown if there is none.
func (r *recorder) unmatched(pool int32, n *core.Node) core.PoolID {
	for ; pool > 0; pool = r.core.Pool(pool).Parent {
		if p := r.core.Pool(pool); !p.Config.TagFilter.Match(n.Tags) {
			return p.ID
		}
	}
	return core.Unknown
}

// facts say how many starts could be judged, for the coverage table.
func (s *sites) facts(seen map[string]int64) []Fact {
	seen["nodes_filter"], seen["tag_filters"] = s.ownSeen, s.filterSeen
	return []Fact{{"nodes_filter", tagState(s.ownSeen, s.ownUnknown)}, {"tag_filters", tagState(s.filterSeen, s.filtersUnknown)}}
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
