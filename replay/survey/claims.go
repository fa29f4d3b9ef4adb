package survey

import (
	"cmp"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/replay/env"
)

// travelling is the longest time until a change of tags or filters has propagated
// (core/spec/invariants.md §1, cfg and the refresh of node attributes).
const travelling = 21 * core.Second

// A Claim is a span in which several trees claim the same nodes by their tags.
type Claim struct {
	core.Span
	Trees []string
	Node  string // the first
	More  int    // others in the same span
	Open  bool   // the log ends before the span
}

// Claims returns those that outlast the time that a change may travel, by their
// beginnings. The row of the first of the trees counts; spans in which only the node's
// presence differs are one.
func (s *Survey) Claims(dims *core.Dimensions, trees []env.Tree) (list []*Claim) {
	for i := range trees {
		last := map[core.NodeID]*Claim{}
		var spans []*Claim
		for _, row := range s.Shared[i] {
			all := append([]string{trees[i].Name}, strings.Split(row.Others, ",")...)
			if row.By != "tags" || slices.Min(all) != all[0] {
				continue
			}
			if c := last[row.Node]; c != nil && c.To == row.FromTime && slices.Equal(c.Trees, all) {
				c.To, c.Open = row.ToTime, row.ClippedTo
				continue
			}
			c := &Claim{Span: core.Span{From: row.FromTime, To: row.ToTime}, Trees: all, Node: dims.Nodes[row.Node], Open: row.ClippedTo}
			last[row.Node] = c
			spans = append(spans, c)
		}
		for _, c := range spans {
			same := slices.IndexFunc(list, func(o *Claim) bool { return o.Span == c.Span && slices.Equal(o.Trees, c.Trees) })
			switch {
			case c.To-c.From <= travelling:
			case same < 0:
				list = append(list, c)
			default:
				list[same].More++
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *Claim) int { return cmp.Compare(a.From, b.From) })
	return list
}
