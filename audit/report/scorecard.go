package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"poolproof/audit"
	"poolproof/core/spelling"
)

// timeKept explains the column of that name.
const timeKept = "Time kept is the part of the time that tested a promise in which it was delivered: usage was not below a guarantee, and nothing was found about it."

// shownScores bounds the number of rows of the scorecard on a terminal.
const shownScores = 12

// A scoreRow is a row of the scorecard as a person reads it.
type scoreRow struct {
	audit.Score
	Name  string // of the pool by its path, or of the tree
	Kept  string // part of the time that tested it; a dash where none is known
	Trend string // against the baseline; empty without one
	Short string // where it was missed most
}

// scores is the scorecard, the worst first.
func (s *summary) scores() []scoreRow {
	scores := s.Scorecard()
	rows := make([]scoreRow, len(scores))
	for i, score := range scores {
		r := scoreRow{Score: score, Name: score.Subject, Kept: keptPart(score.Part), Trend: trendText(score)}
		if score.Path != "" {
			r.Name = score.Path
		}
		if score.Shortfall != nil {
			r.Short = score.Shortfall.Text
		}
		if score.Delivery.Notable() {
			r.Short = strings.TrimPrefix(r.Short+"; below it for "+belowText(&score), "; ")
		}
		rows[i] = r
	}
	return rows
}

// belowText says for how long a guarantee was unmet, and what excuses that.
func belowText(s *audit.Score) string {
	text := s.Delivery.Text(s.Tested)
	if s.Delivery.Excuse != "" {
		text += "; excused: " + s.Delivery.Excuse
	}
	return text
}

// shownBelow bounds the number of unmet guarantees under the headline.
const shownBelow = 3

// belowLines say which guarantees that were not broken were unmet, all stretches together, for
// longer than one stretch may last: first those that lacked most.
func (s *summary) belowLines() (lines []string) {
	var unmet []audit.Score
	for _, score := range s.Scorecard() {
		if score.Grade != audit.Broken && score.Delivery.Notable() {
			unmet = append(unmet, score)
		}
	}
	slices.SortStableFunc(unmet, func(a, b audit.Score) int {
		return cmp.Compare(b.Delivery.Share, a.Delivery.Share)
	})
	for i := range unmet[:min(len(unmet), shownBelow)] {
		score := &unmet[i]
		name := score.Path
		if len(s.Trees) > 1 {
			name += " of tree " + score.Tree
		}
		lines = append(lines, spelling.OneName(fmt.Sprintf("Pool %s was below its %s for %s.", name,
			strings.ReplaceAll(score.Kind, "_", " "), belowText(score))))
	}
	if more := len(unmet) - shownBelow; more > 0 {
		lines = append(lines, fmt.Sprintf("And %s unmet for longer than one stretch may last: the scorecard has them.",
			count(more, "more guarantee was", "more guarantees were")))
	}
	return lines
}

// A foldedRow is one of the scorecard in the trees that say the same.
type foldedRow struct {
	scoreRow
	Trees string
	Count int // of trees
}

// Who has the promise: a pool by its path, a tree, or so many trees.
func (r *foldedRow) Who() string {
	if r.SubjectKind == "tree" && r.Count > 1 {
		return count(r.Count, "tree", "trees")
	}
	return r.SubjectKind + " " + r.Name
}

// folded merges rows of a scorecard that differ only in the tree.
func folded(rows []scoreRow) (all []foldedRow) {
	type look struct{ grade, kept, kind, name, of, trend, short string }
	place := map[look]int{}
	var shorts []*alike
	for _, r := range rows {
		at := look{string(r.Grade), r.Kept, r.SubjectKind, r.Name, r.Kind, r.Trend, shapeOf(r.Short, r.Tree)}
		if r.SubjectKind == "tree" {
			at.name = "" // that is the tree
		}
		i, ok := place[at]
		if !ok {
			i = len(all)
			place[at] = i
			all, shorts = append(all, foldedRow{scoreRow: r}), append(shorts, &alike{})
		}
		shorts[i].add(r.Short, r.Tree)
	}
	for i := range all {
		trees := shorts[i].trees
		all[i].Trees, all[i].Count, all[i].Short = names(trees), len(trees), shorts[i].text()
		if all[i].SubjectKind == "tree" && len(trees) > 1 {
			all[i].Name = ""
		}
	}
	return all
}

// keptPart is a part of a time. What is not all of it is never told as all.
func keptPart(part *float64) string {
	switch {
	case part == nil:
		return "-"
	case *part < 1 && *part > 0.999:
		return "99.9 %"
	}
	return percent(*part)
}

// trendText says how a score fares against the baseline: worse, from 100.0 %.
func trendText(s audit.Score) string {
	if s.BasePart == nil || s.Trend == audit.Same || s.Trend == "" {
		return string(s.Trend)
	}
	return fmt.Sprintf("%s, from %s", s.Trend, keptPart(s.BasePart))
}

// writeScorecard writes the broken rows of the scorecard, those of guarantees that were unmet,
// and how many promises have each grade.
func (s *summary) writeScorecard(b *bytes.Buffer) {
	if len(s.Promises) == 0 {
		return
	}
	fmt.Fprintf(b, "Promises of the configuration: %s.\n", s.Grades())
	var table [][]string
	more := 0
	for _, r := range folded(s.scores()) {
		switch {
		case r.Grade != audit.Broken && !r.Delivery.Notable():
		case len(table) == shownScores:
			more += r.Count
		default:
			table = append(table, []string{string(r.Grade), r.Kept, r.Trees, r.Name, r.Kind, r.Trend, r.Short})
		}
	}
	if len(table) > 0 {
		writeColumns(b, append([][]string{{"GRADE", "TIME KEPT", "TREE", "POOL", "PROMISE", "TREND", "WORST"}}, table...))
		b.WriteString("  " + timeKept + "\n")
	}
	if more > 0 {
		fmt.Fprintf(b, "  And %d more that were broken or unmet.\n", more)
	}
	b.WriteByte('\n')
}

// writeColumns writes rows of cells below each other. A column without any text but its
// head is left out.
func writeColumns(b *bytes.Buffer, rows [][]string) {
	width := make([]int, len(rows[0]))
	for n, row := range rows {
		for i, cell := range row {
			row[i] = spelling.OneName(cell)
			if long := len([]rune(row[i])); long > 0 && (n > 0 || len(rows) == 1) {
				width[i] = max(width[i], long, len(rows[0][i]))
			}
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			if width[i] > 0 {
				line += fmt.Sprintf("  %-*s", width[i], cell)
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// scoreColumns are the columns of the scorecard as CSV: those of the table scorecard of
// run.duckdb.
var scoreColumns = []string{
	"tree", "subject_kind", "subject", "path", "promise", "grade", "tested_s", "kept_s", "kept_part",
	"shortfall", "magnitude", "unit", "finding_id", "trend", "baseline_grade", "baseline_kept_part",
	"below_s", "episodes", "longest_below_s", "allowed_s", "lacked_share_s", "lacked", "lacked_unit", "most_lacked", "most_lacked_unit", "excused_s", "excuse",
}

// scorecard writes the scorecard as CSV: a header and a row per subject and kind of
// promise. What is absent is empty.
func scorecard(w io.Writer, v *audit.Verdict) error {
	c := csv.NewWriter(w)
	c.Write(scoreColumns)
	for _, s := range v.Scorecard() {
		short := s.Shortfall
		if short == nil {
			short = &audit.Shortfall{}
		}
		seconds := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
		optional := func(x *float64) string {
			if x == nil {
				return ""
			}
			return strconv.FormatFloat(*x, 'g', -1, 64)
		}
		below := make([]string, 11)
		if d := s.Delivery; d != nil {
			below = []string{
				seconds(d.Below), strconv.Itoa(d.Episodes), seconds(d.Longest), optional(d.Allowed), optional(&d.Share),
				optional(d.Lacked), d.Unit, optional(d.Most), d.MostUnit, seconds(d.Excused), d.Excuse,
			}
		}
		c.Write(append([]string{s.Tree, s.SubjectKind, s.Subject, s.Path, s.Kind, string(s.Grade), seconds(s.Tested), seconds(s.Kept), optional(s.Part),
			short.Text, optional(short.Magnitude), short.Unit, short.FindingID, string(s.Trend), string(s.BaseGrade), optional(s.BasePart)}, below...))
	}
	c.Flush()
	return c.Error()
}

// ofScores adds the scorecard: what an alert to a pool's owner goes by.
func (p *exposition) ofScores(v *audit.Verdict) {
	scores := v.Scorecard()
	labels := func(s audit.Score, more ...string) []string {
		pool := ""
		if s.SubjectKind == "pool" {
			pool = s.Path
		}
		return append([]string{"tree", s.Tree, "pool", pool, "promise", s.Kind}, more...)
	}
	p.metric("promise_broken", "1 if the promise was broken, else 0. A promise of the whole tree has an empty pool.")
	for _, s := range scores {
		broken := 0.0
		if s.Grade == audit.Broken {
			broken = 1
		}
		p.sample(broken, labels(s)...)
	}
	p.metric("promise_grade", "Grade of a promise; always 1, the grade is a label.")
	for _, s := range scores {
		p.sample(1, labels(s, "grade", string(s.Grade))...)
	}
	p.metric("promise_kept_ratio", "Part of the time that tested a promise in which it was delivered, 0 to 1: usage was not below a guarantee, and nothing was found about it.")
	for _, s := range scores {
		if s.Part != nil {
			p.sample(*s.Part, labels(s)...)
		}
	}
	p.metric("promise_tested_seconds", "For how long something tested a promise.")
	for _, s := range scores {
		p.sample(s.Tested, labels(s)...)
	}
	p.metric("promise_shortfall", "By how much a broken promise was missed at most, in the label's unit.")
	for _, s := range scores {
		if s.Shortfall != nil && s.Shortfall.Magnitude != nil {
			p.sample(*s.Shortfall.Magnitude, labels(s, "unit", s.Shortfall.Unit)...)
		}
	}
	p.ofDeliveries(scores, labels)
}

// ofDeliveries adds what pools lacked of their guarantees.
func (p *exposition) ofDeliveries(scores []audit.Score, labels func(s audit.Score, more ...string) []string) {
	for _, m := range []struct {
		name, help string
		value      func(*audit.Delivery) *float64
	}{
		{"promise_below_seconds", "For how long usage was below what was guaranteed and demanded.", func(d *audit.Delivery) *float64 { return &d.Below }},
		{"promise_longest_below_seconds", "The longest stretch of that.", func(d *audit.Delivery) *float64 { return &d.Longest }},
		{"promise_allowed_below_seconds", "How long one stretch may last.", func(d *audit.Delivery) *float64 { return d.Allowed }},
		{"promise_lacked_share_seconds", "What was lacking then, in seconds of the whole tree.", func(d *audit.Delivery) *float64 { return &d.Share }},
		{"promise_excused_below_seconds", "The part of the time below a guarantee that is excused.", func(d *audit.Delivery) *float64 { return &d.Excused }},
	} {
		p.metric(m.name, m.help)
		for _, s := range scores {
			if s.Delivery == nil {
				continue
			}
			if value := m.value(s.Delivery); value != nil {
				p.sample(*value, labels(s)...)
			}
		}
	}
	p.metric("promise_lacked", "What was lacking of a guarantee, in the label's unit.")
	for _, s := range scores {
		if s.Delivery != nil && s.Delivery.Lacked != nil {
			p.sample(*s.Delivery.Lacked, labels(s, "unit", s.Delivery.Unit)...)
		}
	}
}
