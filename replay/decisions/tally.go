package decisions

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// A tally counts rulings by minute of log time, rule and verdict. A minute stays open while
// decisions in it may still be judged.
type tally struct {
	minutes []minute
}

type minute struct {
	from  core.Time
	plain [judge.Invariants]int64 // ok
	notes []note
}

// A addNote counts the rulings of one rule with the same excuse, missing input or verdict other than
// OK.
type note struct {
	invariant judge.Invariant
	verdict   judge.Verdict
	text      string
	count     int64
}

// minuteOf returns the minute of an instant. Instants rarely go back.
func (t *tally) minuteOf(now core.Time) *minute {
	from := now - now%minuteOfTime
	for i := len(t.minutes) - 1; i >= 0; i-- {
		if t.minutes[i].from == from {
			return &t.minutes[i]
		}
	}
	t.minutes = append(t.minutes, minute{from: from})
	return &t.minutes[len(t.minutes)-1]
}

const minuteOfTime = 60 * core.Second

func (t *tally) addAll(now core.Time, rulings []judge.Ruling) {
	m := t.minuteOf(now)
	for i := range rulings {
		ruling := &rulings[i]
		if ruling.Verdict == judge.OK {
			m.plain[ruling.Invariant]++
			continue
		}
		m.addNote(ruling.Invariant, ruling.Verdict, noteOf(ruling))
	}
}

func (t *tally) add(now core.Time, i judge.Invariant, v judge.Verdict, text string) {
	t.minuteOf(now).addNote(i, v, text)
}

func noteOf(r *judge.Ruling) string {
	if r.Verdict == judge.Undecidable {
		return string(r.Missing)
	}
	return string(r.Excuse)
}

func (m *minute) addNote(i judge.Invariant, v judge.Verdict, text string) {
	for k := range m.notes {
		if n := &m.notes[k]; n.invariant == i && n.verdict == v && n.text == text {
			n.count++
			return
		}
	}
	m.notes = append(m.notes, note{i, v, text, 1})
}

// closeMinutes writes the minutes that ended before an instant.
func (t *tally) closeMinutes(before core.Time, out *env.Table[tables.DecisionCount]) {
	kept := t.minutes[:0]
	for i := range t.minutes {
		if m := &t.minutes[i]; m.from+minuteOfTime <= before {
			m.write(out)
		} else {
			kept = append(kept, *m)
		}
	}
	t.minutes = kept
}

func (m *minute) write(out *env.Table[tables.DecisionCount]) {
	for i, count := range m.plain {
		if count > 0 {
			m.notes = append(m.notes, note{judge.Invariant(i), judge.OK, "", count})
		}
	}
	slices.SortFunc(m.notes, func(a, b note) int {
		return cmp.Or(cmp.Compare(a.invariant, b.invariant), cmp.Compare(a.verdict, b.verdict), cmp.Compare(a.text, b.text))
	})
	for _, n := range m.notes {
		out.Add(&tables.DecisionCount{
			Minute: m.from, Invariant: n.invariant.String(), Verdict: n.verdict.String(), Note: n.text, Decisions: n.count,
		})
	}
}
