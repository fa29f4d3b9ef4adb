package plants

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"poolproof/audit"
	"poolproof/ingest/synthetic"
)

func anyOf(list, of []string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return slices.Contains(of, s) })
}

// inTrees reports whether a finding is in the trees of a plant.
func inTrees(f *audit.Finding, p *synthetic.Planted) bool {
	return f.Tree == p.Tree || strings.HasPrefix(f.Tree, p.Tree+".")
}

// tells reports whether a finding is what was planted: a rule that it breaks, on
// its subject, in its time.
func tells(f *audit.Finding, p *synthetic.Planted) bool {
	sure := f.Verdict == audit.Violated || (f.Verdict == audit.Noted || f.Verdict == audit.Damaged) && f.Judged != "possible" ||
		doubts[p.Kind] != "" && (f.Verdict == audit.Suspect || f.Verdict == audit.Noted)
	return sure && inTrees(f, p) && slices.Contains(p.Invariants, f.Invariant) && names(f, p.Subject) && overlaps(f, p)
}

// declares reports whether a plant says that a finding may be in its trees: with
// its fault what follows from it, and in any case what accuses nobody.
func declares(p *synthetic.Planted, f *audit.Finding, guilty bool) bool {
	list := func() []string {
		switch {
		case f.Verdict == audit.Excused:
			return p.Excused
		case f.Verdict == audit.Suspect, f.Verdict == audit.Damaged && f.Judged == "possible":
			return p.Suspected
		case f.Verdict == audit.Noted && guilty:
			return slices.Concat(p.Consequences, p.Noted, p.Suspected)
		case f.Verdict == audit.Noted:
			return slices.Concat(p.Noted, p.Suspected)
		case (f.Verdict == audit.Violated || f.Verdict == audit.Damaged) && guilty:
			return p.Consequences
		}
		return nil
	}
	return slices.Contains(list(), f.Invariant)
}

// names reports whether a finding is about a subject, or names it as one of
// those that it is about.
func names(f *audit.Finding, subject string) bool {
	if f.Subject == subject {
		return true
	}
	word := regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(subject) + `($|[^\w-])`)
	return word.MatchString(f.Aspect) || word.Match(f.Evidence)
}

// overlaps reports whether a finding's span meets a plant's.
func overlaps(f *audit.Finding, p *synthetic.Planted) bool {
	from, to := moment(p.From), moment(p.To)
	return (f.From == nil || !f.From.After(to)) && (f.To == nil || !f.To.Before(from))
}

func moment(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return t
}
