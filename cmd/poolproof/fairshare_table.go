package main

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"poolproof/audit/report"
	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// writeTable writes a tree for a person: a line per node, indented by level,
// every share by its dominant resource and in per cent of the tree.
func (in *treeInput) writeTable(out *bufio.Writer) {
	if in.id != nil {
		fmt.Fprintf(out, "tree %s\n", report.OneLine(fmt.Sprint(in.id)))
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "demand %\tguarantee %\tlimit %\tfair share %\tof it strong\tintegral\tby weight\tusage %\tsatisfaction\tdominant\t   node")
	var write func(i, depth int)
	write = func(i, depth int) {
		in.writeRow(table, i, depth)
		for _, c := range in.children[i] {
			write(c, depth+1)
		}
	}
	for i := range in.nodes {
		if in.nodes[i].kind == kindRoot {
			write(i, 0)
		}
	}
	table.Flush()
	for _, e := range in.tree.Errors() {
		fmt.Fprintf(out, "error %d: %s\n", e.Code, report.OneLine(e.Message))
	}
}

func (in *treeInput) writeRow(table *tabwriter.Writer, i, depth int) {
	r := in.tree.Result(in.elements[i])
	for _, share := range []resource.Share{
		r.DemandShare, r.StrongShare.Add(r.Proposed), r.LimitsShare, r.FairShare.Total,
		r.FairShare.Strong, r.FairShare.Integral, r.FairShare.Weight, r.UsageShare,
	} {
		fmt.Fprintf(table, "%s\t", percent(share.Dominant()))
	}
	satisfaction := "-"
	if r.Satisfaction < fairshare.InfiniteSatisfaction {
		satisfaction = fmt.Sprintf("%.2f", r.Satisfaction)
	}
	fmt.Fprintf(table, "%s\t%v\t   %s%s\n", satisfaction, r.Dominant, strings.Repeat("  ", depth), report.OneLine(in.nodes[i].id))
}

// percent writes a share with as many digits as tell it from zero.
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
func (in *treeInput) parent(i int) int {
	if in.nodes[i].kind == kindRoot {
		return -1
	}
	return in.byName[in.nodes[i].parent]
}

// byShare returns the children of a node that get a share, the largest first.
func (in *treeInput) byShare(i int) []int {
	var list []int
	for _, c := range in.children[i] {
		if in.tree.Result(in.elements[c]).FairShare.Total.Dominant() > 0 {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		x, y := in.tree.Result(in.elements[a]), in.tree.Result(in.elements[b])
		return cmp.Compare(y.FairShare.Total.Dominant(), x.FairShare.Total.Dominant())
	})
	return list
}
