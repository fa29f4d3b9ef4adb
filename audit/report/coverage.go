package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A coverageGroup is trees with the same coverage: all, some or nothing of their time could
// be judged, likewise of their rule checks, and the same is missing.
type coverageGroup struct {
	Trees                []string
	time, share, missing alike
	Checks               int64
	rest                 bool // it has all trees that no group before it has
	all                  []string
}

// CoverageGroups say how much of each tree's time could be judged and of its rule checks
// settled; the exceptions come first.
func (s *summary) CoverageGroups() (groups []*coverageGroup) {
	type key struct {
		time, share int
		checks      bool
		missing     string
	}
	place := map[key]int{}
	for _, c := range s.TreeCoverage {
		part, share, missing := percentOf(c.Time()), "", strings.TrimSuffix(c.Reason, ".")
		if c.Checks > 0 {
			share = percentOf(c.CheckShare())
		}
		at := key{extentOf(part), extentOf(share), c.Checks > 0, shapeOf(missing, c.Tree)}
		i, ok := place[at]
		if !ok {
			i = len(groups)
			place[at] = i
			groups = append(groups, &coverageGroup{all: s.Trees})
		}
		g := groups[i]
		g.time.add(part, c.Tree)
		g.share.add(share, c.Tree)
		g.missing.add(missing, c.Tree)
		g.Trees, g.Checks = append(g.Trees, c.Tree), g.Checks+c.Checks
	}
	slices.SortStableFunc(groups, func(a, b *coverageGroup) int { return cmp.Compare(len(a.Trees), len(b.Trees)) })
	if n := len(groups); n > 1 {
		groups[n-1].rest = true
	}
	return groups
}

// extentOf is 0 for nothing, 1 for some and 2 for all of a part that is shown.
func extentOf(part string) int {
	switch part {
	case percentOf(0):
		return 0
	case percentOf(1):
		return 2
	}
	return 1
}

// Time, Share and Reason are how much of the time and of the rule checks could be judged,
// the latter empty where there were none, and what is missing.
func (g *coverageGroup) Time() string   { return g.time.text() }
func (g *coverageGroup) Share() string  { return g.share.text() }
func (g *coverageGroup) Reason() string { return g.missing.text() }

// Who names the trees.
func (g *coverageGroup) Who() string { return whoOf(g.Trees, g.all, g.rest) }

// coverageLines are the groups in text.
func (s *summary) coverageLines() (lines []string) {
	for _, g := range s.CoverageGroups() {
		line := fmt.Sprintf("%s: judged %s of the time", g.Who(), g.Time())
		if g.Checks > 0 {
			line += fmt.Sprintf(" and %s of %s", g.Share(), count(int(g.Checks), "rule check", "rule checks"))
		}
		if reason := g.Reason(); reason != "" {
			line += "; "
			if len(g.Trees) > 1 && len(g.missing.ranges) > 0 {
				line += "in each "
			}
			line += reason
		}
		lines = append(lines, line+".")
	}
	return lines
}
