package audit

import (
	"fmt"
	"strings"
	"time"

	"poolproof/replay/tables"
)

// A loss is a span of a tree's time in which the trace lost data, so that no finding there is
// certain. Rows that a replay left out are one possible cause.
type loss struct {
	tree     string
	from, to *time.Time                // nil: since ever, for good
	concerns func(reads []string) bool // whether it concerns who reads these result tables
	sentence string                    // as "4 rows of jobs of tree main were left out (null_value)"
}

// lossesOf are the losses of a run that lost rows.
func lossesOf(rows []tables.LostRows) (all []loss) {
	for i := range rows {
		l := &rows[i]
		all = append(all, loss{l.Tree, timeOf(l.From), timeOf(l.To), l.Concerns, lostSentence(l)})
	}
	return all
}

// lostSentence says what was left out.
func lostSentence(l *tables.LostRows) string {
	verb := "rows of %s of tree %s were left out (%s)"
	if l.Rows == 1 {
		verb = "row of %s of tree %s was left out (%s)"
	}
	return fmt.Sprintf("%d "+verb, l.Rows, l.Table, l.Tree, strings.Join(l.Codes, ", "))
}

// timeOf is a time of a manifest, nil of none.
func timeOf(text string) *time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil
	}
	return &t
}

// undermines says what is lacking to a finding of an audit, "" if nothing is.
func undermines(losses []loss, a *Audit, f *Finding) string {
	for i := range losses {
		l := &losses[i]
		early := f.To != nil && l.from != nil && f.To.Before(*l.from)
		late := f.From != nil && l.to != nil && l.to.Before(*f.From)
		if l.tree == f.Tree && !early && !late && l.concerns(a.Reads) {
			return l.sentence
		}
	}
	return ""
}

// withdraw makes a finding undecidable that something is lacking to.
func (f *Finding) withdraw(lacking string) {
	f.Verdict, f.Judged, f.Lacking = Undecidable, "possible", lacking
	f.Reason += " Undecidable: " + lacking + "."
}

// lossNotices say what the trace lacked.
func lossNotices(losses []loss) (notices []string) {
	for i := range losses {
		l := &losses[i]
		text := sentence(l.sentence)
		switch {
		case l.from == nil:
			text += " What rests on them is undecidable at all times."
		case l.to == nil:
			text += fmt.Sprintf(" What rests on them is undecidable from %s on.", timeText(l.from))
		default:
			text += fmt.Sprintf(" What rests on them is undecidable from %s to %s.", timeText(l.from), timeText(l.to))
		}
		notices = append(notices, text)
	}
	return notices
}
