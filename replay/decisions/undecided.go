package decisions

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// undecided aggregates the rulings that lack an input into one row per operation, kind of decision,
// rule, input and span of time.
type undecided struct {
	open    []*gapSpan
	free    []*gapSpan // free spans
	gaps    []openGap
	serial  int64 // of the current decision
	checked core.Time
}

// A gap is a kind of decision and its missing input; there are few.
type gap struct {
	kind    string // of decision
	missing judge.Input
}

// An openGap is a gap with the indexes of its spans.
type openGap struct {
	gap
	of []int32 // indexes in open by operation, the first for no operation; -1 if there is none
}

// placeOf returns the index, in place, of the span for an operation and a gap.
func (u *undecided) placeOf(operation core.OperationID, w gap) *int32 {
	k := 0
	for k < len(u.gaps) && u.gaps[k].gap != w {
		k++
	}
	if k == len(u.gaps) {
		u.gaps = append(u.gaps, openGap{gap: w})
	}
	own := &u.gaps[k]
	i := int(operation - core.Unknown)
	for len(own.of) <= i {
		own.of = append(own.of, -1)
	}
	return &own.of[i]
}

// A gapSpan is a span in which decisions of an operation lacked an input.
type gapSpan struct {
	gap
	operation core.OperationID
	row       tables.Decision // of the first
	rules     []gapRule
	last      core.Time
}

// A gapRule is a rule that lacks the input of a span.
type gapRule struct {
	invariant   judge.Invariant
	first, last core.Time
	job         string // of the first decision
	jobIx       core.JobID
	count       int64
	serial      int64 // of the last decision
}

// gapTimeout is the time without such a decision after which a span ends.
const gapTimeout = 60 * core.Second

// hasEnded reports whether a decision at an instant begins another span. Inputs that the log as a
// whole lacks have one span.
func (l *gapSpan) hasEnded(at core.Time) bool {
	whole := l.missing == judge.Configuration || l.missing == judge.FairShares
	return !whole && at-l.last > gapTimeout
}

// addRulings adds the rulings on a decision that lack an input. The row is that of the decision.
func (u *undecided) addRulings(row *tables.Decision, rulings []judge.Ruling, out *env.Table[tables.Decision]) {
	u.serial++
	var l *gapSpan // of the previous ruling: most lack the same input
	for i := range rulings {
		ruling := &rulings[i]
		if ruling.Verdict != judge.Undecidable {
			continue
		}
		if l == nil || l.missing != ruling.Missing {
			l = u.span(gap{row.Kind, ruling.Missing}, row, out)
			l.last = max(l.last, row.Time)
		}
		l.rule(ruling.Invariant, row).countDecision(u.serial, row.Time)
	}
}

// rule returns the entry of a rule, which it adds if necessary.
func (l *gapSpan) rule(i judge.Invariant, row *tables.Decision) *gapRule {
	for k := range l.rules {
		if l.rules[k].invariant == i {
			return &l.rules[k]
		}
	}
	l.rules = append(l.rules, gapRule{invariant: i, first: row.Time, job: row.Job, jobIx: row.JobIx})
	return &l.rules[len(l.rules)-1]
}

// countDecision counts a decision once.
func (r *gapRule) countDecision(serial int64, at core.Time) {
	if r.serial != serial {
		r.serial, r.last = serial, max(r.last, at)
		r.count++
	}
}

// span returns the span of a decision with a gap.
func (u *undecided) span(w gap, row *tables.Decision, out *env.Table[tables.Decision]) *gapSpan {
	place := u.placeOf(row.Operation, w)
	if *place < 0 {
		*place = int32(len(u.open))
		u.open = append(u.open, u.newSpan())
	} else if l := u.open[*place]; !l.hasEnded(row.Time) {
		return l
	} else {
		l.write(out)
	}
	l := u.open[*place]
	*l = gapSpan{gap: w, operation: row.Operation, row: *row, rules: l.rules[:0]}
	return l
}

// Most spans are about one or two rules; spans are allocated in blocks.
const (
	rulesOfGap = 2
	gapsAtOnce = 256
)

// newSpan returns an empty span.
func (u *undecided) newSpan() *gapSpan {
	if len(u.free) == 0 {
		lacks, rules := make([]gapSpan, gapsAtOnce), make([]gapRule, rulesOfGap*gapsAtOnce)
		for i := range lacks {
			lacks[i].rules, rules = rules[:0:rulesOfGap], rules[rulesOfGap:]
			u.free = append(u.free, &lacks[i])
		}
	}
	last := len(u.free) - 1
	l := u.free[last]
	u.free = u.free[:last]
	return l
}

// closeSpans writes the spans that have ended, and those of operations that have ended.
func (u *undecided) closeSpans(now core.Time, t *core.Tree, out *env.Table[tables.Decision]) {
	if now-u.checked < gapTimeout {
		return
	}
	u.checked = now
	kept := u.open[:0]
	for _, l := range u.open {
		place := u.placeOf(l.operation, l.gap)
		if _, alive := t.OperationOf(l.operation); alive && !l.hasEnded(now) {
			*place = int32(len(kept))
			kept = append(kept, l)
		} else {
			*place = -1
			l.write(out)
			u.free = append(u.free, l)
		}
	}
	u.open = kept
}

// finish writes all spans.
func (u *undecided) finish(out *env.Table[tables.Decision]) {
	for _, l := range u.open {
		l.write(out)
	}
	*u = undecided{}
}

// write writes a row for each rule, in their order.
func (l *gapSpan) write(out *env.Table[tables.Decision]) {
	slices.SortFunc(l.rules, func(a, b gapRule) int { return cmp.Compare(a.invariant, b.invariant) })
	row := &l.row
	row.Verdict, row.Missing = judge.Undecidable.String(), string(l.missing)
	for k := range l.rules {
		r := &l.rules[k]
		row.Invariant, row.Severity = r.invariant.String(), string(r.invariant.Severity())
		row.Time, row.Until, row.Decisions, row.Job, row.JobIx = r.first, r.last, r.count, r.job, r.jobIx
		row.Sentence = (&judge.Ruling{Invariant: r.invariant, Verdict: judge.Undecidable, Missing: l.missing}).Sentence(&resource.UsualUnits) // the sentence has no amounts
		out.Add(row)
	}
}
