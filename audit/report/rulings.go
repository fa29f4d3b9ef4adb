package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"poolproof/audit"
)

// ruling says whether the scheduler broke a rule, by the findings that concern a subject, worst
// first: how many allege that, else what excused the rest.
func ruling(findings []concern) string {
	classes := []allegations{{what: "violated"}, {what: "suspect"}, {what: "suppressed by the policy"}}
	noted, damaged := false, false
	var excused []string
	for i := range findings {
		f, class := &findings[i], -1
		switch {
		case f.Verdict == audit.Damaged:
			damaged = true // which no scheduler did, suppressed or not
		case f.Alleges() && f.Suppressed != nil:
			class = 2
		case f.Verdict == audit.Violated:
			class = 0
		case f.Verdict == audit.Suspect:
			class = 1
		case f.Verdict == audit.Noted:
			noted = true
		case f.Verdict == audit.Excused:
			text := f.Invariant + " is excused"
			if excuse := excuseIn(f.Reason); excuse != "" {
				text += ", " + excuse
			}
			if !slices.Contains(excused, text) {
				excused = append(excused, text)
			}
		}
		if class >= 0 {
			c := &classes[class]
			c.n++
			c.worst = cmp.Or(c.worst, f)
		}
	}
	if parts, worst := alleged(classes); worst != nil {
		broke := "The scheduler broke a rule"
		if worst.Verdict == audit.Suspect {
			broke = "The scheduler may have broken a rule"
		}
		return fmt.Sprintf("%s%s: %s; the worst is %s (%s).", broke, worst.Relation.text(), names(parts), worst.ID, worst.Invariant)
	}
	if len(findings) == 0 {
		return "No finding is about it: the scheduler broke no rule about it that could be judged."
	}
	return "The scheduler broke no rule that could be judged: " + whyKept(excused, noted, damaged)
}

// allegations are the findings that allege that a rule is broken, of one kind.
type allegations struct {
	what  string
	worst *concern
	n     int
}

// alleged counts the allegations in words, and returns the worst of all.
func alleged(classes []allegations) (parts []string, worst *concern) {
	for _, c := range classes {
		switch {
		case c.n == 0:
			continue
		case parts == nil:
			parts = append(parts, count(c.n, "finding is ", "findings are ")+c.what)
		default:
			parts = append(parts, number(int64(c.n))+" "+c.what)
		}
		worst = cmp.Or(worst, c.worst)
	}
	return parts, worst
}

// whyKept says what was found where nothing alleges that a rule is broken.
func whyKept(excused []string, noted, damaged bool) string {
	switch {
	case len(excused) > shownExcuses:
		return strings.Join(excused[:shownExcuses], "; ") + fmt.Sprintf("; and %d more.", len(excused)-shownExcuses)
	case excused != nil:
		return strings.Join(excused, "; ") + "."
	case noted && damaged:
		return "what was found is noted, which is legal, or damage of the log."
	case damaged:
		return "what was found is damage of the log."
	case noted:
		return "what was found is noted, which is legal."
	}
	return "what was found is undecidable."
}

// shownExcuses bounds the number of excuses in the answer.
const shownExcuses = 3

// excuseIn is the excuse that the reason of a finding names, without the period.
func excuseIn(reason string) string {
	_, excuse, _ := strings.Cut(reason, " Excused: ")
	excuse, _, _ = strings.Cut(excuse, ". ")
	return strings.TrimSuffix(excuse, ".")
}
