package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest"
	"poolproof/replay"
)

// travelling is how long a change of tags or filters may take until everybody has
// it (core/spec/invariants.md §1, cfg and the refresh of node attributes).
const travelling = 21 * core.Second

// judgeTrees judges the trees as a set, whichever are chosen: sets that the
// scheduler refuses, and nodes that several trees claim by their tags for longer
// than a change may travel (TREE-01).
func judgeTrees(ctx context.Context, t *ingest.Trace, to core.Time, profile pooltree.Profile, all *spots) error {
	opts := replay.Options{Profile: profile, Window: core.Span{To: to}}
	trees, strays := clusterOf(t, opts)
	survey, err := replay.NewSurvey(ctx, t.Dimensions(), trees, strays, opts)
	if err != nil {
		return err
	}
	for _, r := range survey.Refusals {
		e := &pooltree.RuleError{Rule: pooltree.NoDefaultTree, Option: "default_tree", Detail: r.Why.Default}
		if r.Why.Node != "" {
			e = &pooltree.RuleError{Rule: pooltree.OverlappingFilters, Tree: r.Why.Trees[0], Option: "nodes_filter", Detail: matches(r.Why.Node, r.Why.Trees, 0)}
		}
		all.add(e, r.From, r.To, r.Mended)
	}
	for _, c := range claims(t, survey, trees) {
		e := &pooltree.RuleError{Rule: pooltree.OverlappingFilters, Tree: c.trees[0], Option: "nodes_filter", Detail: matches(c.node, c.trees, c.more)}
		all.add(e, c.from, c.to, !c.open).Refused = false
	}
	return nil
}

// matches says which trees claim a node, and how many nodes likewise.
func matches(node string, trees []string, more int) string {
	found := fmt.Sprintf("%s matches %s", node, strings.Join(trees, " and "))
	if more > 0 {
		found = fmt.Sprintf("%s, and %d more", found, more)
	}
	return found
}

// A claim is a span in which several trees claim the same nodes.
type claim struct {
	trees    []string
	node     string // the first
	more     int    // others in the same span
	from, to core.Time
	open     bool
}

// claims returns those that outlast a change, by their beginnings. The row of the
// first of the trees counts; spans in which only the node's presence differs are
// one.
func claims(t *ingest.Trace, s *replay.Survey, trees []replay.Tree) (list []*claim) {
	for i := range trees {
		last := map[core.NodeID]*claim{}
		var spans []*claim
		for _, row := range s.Shared[i] {
			all := append([]string{trees[i].Name}, strings.Split(row.Others, ",")...)
			if row.By != "tags" || slices.Min(all) != all[0] {
				continue
			}
			if c := last[row.Node]; c != nil && c.to == row.FromTime && slices.Equal(c.trees, all) {
				c.to, c.open = row.ToTime, row.ClippedTo
				continue
			}
			c := &claim{trees: all, node: t.Dimensions().Nodes[row.Node], from: row.FromTime, to: row.ToTime, open: row.ClippedTo}
			last[row.Node] = c
			spans = append(spans, c)
		}
		for _, c := range spans {
			same := slices.IndexFunc(list, func(o *claim) bool { return o.from == c.from && o.to == c.to && slices.Equal(o.trees, c.trees) })
			switch {
			case c.to-c.from <= travelling:
			case same < 0:
				list = append(list, c)
			default:
				list[same].more++
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *claim) int { return cmp.Compare(a.from, b.from) })
	return list
}

// add tells of a spot of a trace, and returns it.
func (s *spots) add(e *pooltree.RuleError, from, to core.Time, mended bool) *spot {
	own := newSpot(e)
	own.From = formatTime(from)
	if mended {
		own.Until = formatTime(to)
	}
	s.list = append(s.list, own)
	return &s.list[len(s.list)-1]
}
