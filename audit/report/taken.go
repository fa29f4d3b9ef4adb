package report

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// shownPreemptions bounds the number of preemptions in a text.
const shownPreemptions = 8

// A preemptionSide is a role of a subject in a preemption.
type preemptionSide struct{ key, title, column string }

var (
	lost    = preemptionSide{"lost", "Jobs that it lost to preemption", "operation"}
	gained  = preemptionSide{"gained", "Jobs that it gained by preemption", "beneficiary"}
	madeFor = preemptionSide{"made_for", "Jobs preempted for it", "beneficiary_job"}
)

// preemptions tells of those in which the subject is on a side: how many there were,
// each, and the query for all. The span may be nil for all times.
func (s *Subject) preemptions(ctx context.Context, d *Document, side preemptionSide, from, to *time.Time) error {
	where := "tree = " + sqlText(s.Tree) + " AND " + side.column + " = " + sqlText(s.Name)
	if from != nil && to != nil {
		where += fmt.Sprintf(" AND time >= %s AND time <= %s", sqlText(sqlTime(*from)), sqlText(sqlTime(*to)))
	}
	rows, err := s.DB.QueryContext(ctx, `
SELECT lost_us, epoch_us(time), job, operation, coalesce(beneficiary, ''), coalesce(node, ''), verdict, concat_ws(',', nullif(violated, ''), nullif(suspect, ''))
FROM preemptions WHERE `+where+`
ORDER BY time, job`)
	if err != nil {
		return fmt.Errorf("read the preemptions of %s %s: %w", s.Kind, s.Name, err)
	}
	defer rows.Close()
	p := &passage{Key: side.key, Table: &grid{shown: shownPreemptions,
		columns: []column{{"time", "UTC", "time, UTC"}, {"job", "", "job"}, {"operation", "", "operation"},
			{"beneficiary", "", "for operation"}, {"node", "", "node"}, {"lost_s", "s", "work lost, s"}, {"verdict", "", "verdict"}, {"rules", "", "rules"}}}}
	var total int64
	unknown := 0
	for rows.Next() {
		var t taken
		if err := rows.Scan(&t.lost, &t.at, &t.job, &t.operation, &t.beneficiary, &t.node, &t.verdict, &t.rules); err != nil {
			return err
		}
		total += t.lost.Int64
		if !t.lost.Valid {
			unknown++
		}
		p.Table.Rows = append(p.Table.Rows, t.row())
		if len(p.Table.Rows) <= shownPreemptions {
			p.addLine(0, "%s", t.sentence(side))
		}
	}
	if err := rows.Err(); err != nil || p.Table.Rows == nil {
		return err
	}
	p.Title = fmt.Sprintf("%s: %s; %s", side.title, count(len(p.Table.Rows), "preemption", "preemptions"), workLost(total, unknown, len(p.Table.Rows)))
	if n := p.Table.more(); n > 0 {
		p.After = fmt.Sprintf("and %d more", n)
	}
	p.show(askSQL(s.RunPath, "SELECT * FROM preemptions WHERE "+where+" ORDER BY time, job"), "")
	d.Passages = append(d.Passages, p)
	return nil
}

// workLost says how many µs of work were lost in all, where of some jobs that is unknown.
func workLost(total int64, unknown, of int) string {
	lost := seconds(float64(total)/1e6) + " of work was lost"
	switch {
	case unknown == of:
		return "the log does not show how much work was lost"
	case unknown > 0:
		return fmt.Sprintf("%s, without %s whose loss the log does not show", lost, count(unknown, "job", "jobs"))
	}
	return lost
}

// taken is a preemption of a subject.
type taken struct {
	at                                                int64         // µs
	lost                                              sql.NullInt64 // µs; null if the log does not show it
	job, operation, beneficiary, node, verdict, rules string
}

func (t *taken) row() []value {
	lost := value{}
	if t.lost.Valid {
		s := float64(t.lost.Int64) / 1e6
		lost = value{s, fmt.Sprintf("%.3f", s)}
	}
	return []value{moment(time.UnixMicro(t.at).UTC()), word(t.job), word(t.operation), wordOrNone(t.beneficiary), wordOrNone(t.node),
		lost, word(t.verdict), wordOrNone(strings.ReplaceAll(t.rules, ",", ", "))}
}

// sentence tells of it without what the subject is.
func (t *taken) sentence(side preemptionSide) string {
	line := fmt.Sprintf("%s job %s", clock(time.UnixMicro(t.at)), t.job)
	if side != lost {
		line += " of operation " + t.operation
	}
	if side == lost && t.beneficiary != "" {
		line += " for operation " + t.beneficiary
	}
	if t.node != "" {
		line += " on node " + t.node
	}
	line += ": " + t.verdict
	switch rules := strings.ReplaceAll(t.rules, ",", ", "); {
	case rules == "":
	case t.verdict == "violated" || t.verdict == "suspect":
		line += " (" + rules + ")"
	default: // what counts was kept
		line += "; noted " + rules
	}
	return line
}
