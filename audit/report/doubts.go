package report

import (
	"cmp"
	"fmt"
	"slices"

	"poolproof/audit"
)

// A doubt is a reason for which promises could not be judged, with the trees.
type doubt struct {
	title string
	*alike
}

// doubts returns what could not be judged, and why.
func (s *summary) doubts() []doubt {
	var all []doubt
	for _, p := range s.promises {
		var reasons folding
		for _, o := range p.outcomes {
			if o.Reason != "" && o.Verdict != audit.Idle {
				reasons.add(o.Reason, o.Tree)
			}
		}
		for _, r := range reasons.all {
			all = append(all, doubt{p.Title, r})
		}
	}
	return all
}

// A reason explains why some audits could not judge, or only partly, in the same trees.
type reason struct {
	reason, where string
	titles        []string // of the audits
}

// shownTitles bounds the number of audits that are named for one reason.
const shownTitles = 2

// reasons are the doubts by their reason, those of most audits first.
func (s *summary) reasons() []reason {
	var all []reason
	for _, d := range s.doubts() {
		where := s.where(d)
		text := d.text()
		i := slices.IndexFunc(all, func(r reason) bool { return r.reason == text && r.where == where })
		if i < 0 {
			i = len(all)
			all = append(all, reason{reason: text, where: where})
		}
		all[i].titles = append(all[i].titles, d.title)
	}
	slices.SortStableFunc(all, func(a, b reason) int { return cmp.Compare(len(b.titles), len(a.titles)) })
	return all
}

// where names the trees of a doubt, unless all trees say the same.
func (s *summary) where(d doubt) string {
	each := len(d.trees) > 1 && len(d.ranges) > 0
	switch all := len(d.trees) == len(s.Trees); {
	case all && each:
		return " (in each tree)"
	case all:
		return ""
	case each:
		return fmt.Sprintf(" (in each of %s)", treesText(d.trees, s.Trees))
	}
	return fmt.Sprintf(" (%s)", treesText(d.trees, s.Trees))
}
