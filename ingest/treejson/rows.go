package treejson

import (
	"cmp"
	"fmt"
	"slices"

	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// A Row describes a node: every share by its dominant resource and in per
// cent of the tree.
type Row struct {
	ID    string
	Depth int // the root's is 0
	Cells []string
}

// Columns are the names of a row's cells.
var Columns = []string{"demand %", "guarantee %", "limit %", "fair share %", "of it strong", "integral", "by weight", "usage %", "satisfaction", "dominant"}

// Rows returns a row per node, parents first, children in order.
func (in *Tree) Rows() (rows []Row) {
	var add func(i, depth int)
	add = func(i, depth int) {
		rows = append(rows, Row{in.nodes[i].id, depth, in.cells(in.result(i))})
		for _, c := range in.children[i] {
			add(c, depth+1)
		}
	}
	for i := range in.nodes {
		if in.nodes[i].kind == kindRoot {
			add(i, 0)
		}
	}
	return rows
}

func (in *Tree) cells(r *fairshare.Result) (cells []string) {
	for _, share := range []resource.Share{
		r.DemandShare, r.StrongShare.Add(r.Proposed), r.LimitsShare, r.FairShare.Total,
		r.FairShare.Strong, r.FairShare.Integral, r.FairShare.Weight, r.UsageShare,
	} {
		cells = append(cells, percent(share.Dominant()))
	}
	satisfaction := "-"
	if r.Satisfaction < fairshare.InfiniteSatisfaction {
		satisfaction = fmt.Sprintf("%.2f", r.Satisfaction)
	}
	return append(cells, satisfaction, r.Dominant.String())
}

// ID is the id of the tree as given, nil if it has none.
func (in *Tree) ID() any { return in.id }

// Errors are those that the update reports and lives with.
func (in *Tree) Errors() []*fairshare.UpdateError { return in.tree.Errors() }

// percent writes a share with enough digits to differ from zero.
func percent(share float64) string {
	switch p := 100 * share; {
	case p < 1e-7: // rounding
		return "0"
	case p < 0.01:
		return fmt.Sprintf("%.1e", p)
	default:
		return fmt.Sprintf("%.2f", p)
	}
}

// parent returns the index of a node's parent, -1 for the root.
func (in *Tree) parent(i int) int {
	if in.nodes[i].kind == kindRoot {
		return -1
	}
	return in.byName[in.nodes[i].parent]
}

// byShare returns the children of a node that get a share, the largest first.
func (in *Tree) byShare(i int) []int {
	var list []int
	for _, c := range in.children[i] {
		if in.result(c).FairShare.Total.Dominant() > 0 {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		x, y := in.result(a), in.result(b)
		return cmp.Compare(y.FairShare.Total.Dominant(), x.FairShare.Total.Dominant())
	})
	return list
}
