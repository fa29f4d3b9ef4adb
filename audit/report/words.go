package report

import (
	"slices"
	"strings"
	"time"

	"poolproof/audit"
	"poolproof/core/quantity"
	"poolproof/core/spelling"
)

// A meaning is a word of the reports with what it means.
type meaning struct{ Word, Means string }

// A glossary has the words of one kind of thing.
type glossary struct {
	Of    string
	Words []meaning
}

// verdictWords explain the verdicts, of findings and of rules.
var verdictWords = []meaning{
	{"violated", "wrong under every reading of the log"},
	{"suspect", "wrong under some reading of the log"},
	{"damaged", "rows of the log are lost or contradict each other, which says nothing of the scheduler"},
	{"excused", "wrong, with an excuse that the rules list"},
	{"suppressed", "found, and taken out of the verdict by the policy"},
	{"noted", "legal, and worth attention"},
	{"undecidable", "the log cannot tell, which is never a pass"},
	{"ok", "judged, and nothing was wrong"},
	{"not applicable", "nothing happened that the rule is about"},
	{"failed", "the audit did not run"},
}

// gradeWords explain the grades of promises.
var gradeWords = []meaning{
	{"broken", "a violated finding is about the promise"},
	{"impossible", "the configuration could not keep it, whatever the scheduler did"},
	{"unverifiable", "tested, and the log cannot tell whether it was broken"},
	{"excused", "not kept for a time that the rules excuse, and not broken"},
	{"vacuous", "nothing tested it: no demand, no jobs, no operations"},
	{"kept", "tested, judged and not broken"},
}

// verdictOf returns the word for a finding's verdict.
func verdictOf(f audit.Finding) string { return verdictWord(f.Verdict, f.Suppressed != nil) }

// verdictWord returns the word for a verdict, possibly suppressed.
func verdictWord(v audit.Judgement, suppressed bool) string {
	if suppressed {
		return "suppressed"
	}
	return string(v)
}

// stamp is a time for programs, ISO 8601 UTC; empty if there is none.
func stamp(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.999999Z")
}

// span is a span of time for a person; the day stands once.
func span(from, to *time.Time) string {
	const day, clock = "2006-01-02", "15:04:05"
	switch {
	case from == nil:
		return "at an unknown time"
	case to == nil:
		return from.Format(day+" "+clock) + " until an unknown time, UTC"
	case to.Equal(*from):
		return from.Format(day+" "+clock) + " UTC"
	case to.Truncate(24 * time.Hour).Equal(from.Truncate(24 * time.Hour)):
		return from.Format(day+" "+clock) + " to " + to.Format(clock) + " UTC"
	}
	return from.Format(day+" "+clock) + " to " + to.Format(day+" "+clock) + " UTC"
}

// lineWidth is the width of text for users, in characters, whatever the terminal.
const lineWidth = 96

// wrapped is a text in lines that begin with the indent; the first follows what
// stands there already.
func wrapped(text, indent string) string {
	var b strings.Builder
	width := len(indent)
	for i, word := range strings.Fields(spelling.OneName(text)) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case width+1+n > lineWidth:
			b.WriteString("\n" + indent)
			width = len(indent)
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += n
	}
	return b.String()
}

// totals are the sums of an incident in one text; empty if there are none.
func totals(sums []audit.Amount) string {
	var parts []string
	for _, a := range sums {
		parts = append(parts, quantity.Of(a.Magnitude, a.Unit))
	}
	return strings.Join(parts, ", ")
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(int64(n)) + " " + many
}

// number writes a count with thousands apart: 17,898.
func number(n int64) string {
	return quantity.Number(float64(n), 0)
}

// shownNames bounds the number of names that are listed.
const shownNames = 3

// names lists the first few of names: a, b and c; a, b, c and 4 more.
func names(all []string) string {
	shown := slices.Clone(all[:min(len(all), shownNames)])
	if more := len(all) - shownNames; more > 0 {
		shown = append(shown, number(int64(more))+" more")
	}
	if len(shown) == 1 {
		return shown[0]
	}
	return strings.Join(shown[:len(shown)-1], ", ") + " and " + shown[len(shown)-1]
}
