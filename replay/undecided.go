package replay

import (
	"fmt"
	"strings"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/replay/tables"
)

// undecided gathers the rulings that lack an input, so that there is a row for
// each operation, kind of decision, input and span of time, and not for each
// decision.
type undecided struct {
	open    []lack
	index   map[lackKey]int // place in open
	serial  int64           // of the decision that is noted
	checked core.Time
}

type lackKey struct {
	operation core.OperationID
	kind      string // of decision
	missing   judge.Input
}

// A lack is a span in which decisions of an operation lacked an input.
type lack struct {
	lackKey
	row    tables.Decision // of the first
	rules  [judge.Invariants]bool
	last   core.Time
	serial int64 // of the last decision
	count  int64
}

// lackSpan is after what time without such a decision a span has ended.
const lackSpan = 60 * core.Second

// hasEnded reports whether a decision at an instant begins another span. What a
// log as a whole leaves out it leaves out all the time.
func (l *lack) hasEnded(at core.Time) bool {
	whole := l.missing == judge.Configuration || l.missing == judge.FairShares
	return !whole && at-l.last > lackSpan
}

// note takes the rulings on a decision that lack an input. The row is that of
// the decision.
func (u *undecided) note(row *tables.Decision, rulings []judge.Ruling, out *output) {
	u.serial++
	for i := range rulings {
		ruling := &rulings[i]
		if ruling.Verdict != judge.Undecidable {
			continue
		}
		l := u.at(lackKey{row.Operation, row.Kind, ruling.Missing}, row, out)
		l.rules[ruling.Invariant] = true
		if l.serial != u.serial {
			l.serial, l.last = u.serial, max(l.last, row.Time)
			l.count++
		}
	}
}

// at returns the span of a key that holds a decision.
func (u *undecided) at(key lackKey, row *tables.Decision, out *output) *lack {
	if u.index == nil {
		u.index = map[lackKey]int{}
	}
	place, known := u.index[key]
	if !known {
		place = len(u.open)
		u.index[key] = place
		u.open = append(u.open, lack{})
	}
	l := &u.open[place]
	if known && !l.hasEnded(row.Time) {
		return l
	}
	if known {
		l.write(out)
	}
	*l = lack{lackKey: key, row: *row}
	return l
}

// close writes the spans that have ended: of operations that are gone, too.
func (u *undecided) close(now core.Time, t *core.Tree, out *output) {
	if now-u.checked < lackSpan {
		return
	}
	u.checked = now
	kept := u.open[:0]
	for i := range u.open {
		l := &u.open[i]
		if _, alive := t.OperationOf(l.operation); alive && !l.hasEnded(now) {
			u.index[l.lackKey] = len(kept)
			kept = append(kept, *l)
		} else {
			delete(u.index, l.lackKey)
			l.write(out)
		}
	}
	clear(u.open[len(kept):])
	u.open = kept
}

// finish writes all spans.
func (u *undecided) finish(out *output) {
	for i := range u.open {
		u.open[i].write(out)
	}
	*u = undecided{}
}

func (l *lack) write(out *output) {
	var ids []string
	worst := judge.Info
	for i, lacks := range l.rules {
		if lacks {
			ids, worst = append(ids, judge.Invariant(i).String()), max(worst, judge.Invariant(i).Severity())
		}
	}
	row := &l.row
	row.Invariant, row.Severity, row.Verdict, row.Missing = strings.Join(ids, ","), worst.String(), judge.Undecidable.String(), string(l.missing)
	row.Until, row.Decisions = l.last, l.count
	row.Sentence = fmt.Sprintf("%s undecidable; not known: %s", row.Invariant, l.missing)
	add(out, out.decisions, row)
}
