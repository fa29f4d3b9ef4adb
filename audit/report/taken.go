package report

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
)

// shownPreemptions is how many preemptions are written.
const shownPreemptions = 8

// preemptions writes those of which a column names the subject: how many there were,
// the first of them, and the query for all. The span may be nil for all times.
func (s *Subject) preemptions(ctx context.Context, b *bytes.Buffer, title, column string, from, to *time.Time) error {
	where := "tree = " + sqlText(s.Tree) + " AND " + column + " = " + sqlText(s.Name)
	if from != nil && to != nil {
		where += fmt.Sprintf(" AND time >= %s AND time <= %s", sqlText(sqlTime(*from)), sqlText(sqlTime(*to)))
	}
	rows, err := s.DB.QueryContext(ctx, `
SELECT count(*) OVER (), sum(lost_us) OVER () / 1e6, epoch_us(time), job, operation, coalesce(beneficiary, ''), coalesce(node, ''), verdict, concat_ws(',', nullif(violated, ''), nullif(suspect, ''))
FROM preemptions WHERE `+where+`
ORDER BY time, job
LIMIT `+fmt.Sprint(shownPreemptions))
	if err != nil {
		return fmt.Errorf("read the preemptions of %s %s: %w", s.Kind, s.Name, err)
	}
	defer rows.Close()
	n, total := 0, 0
	for ; rows.Next(); n++ {
		var lost float64
		var at int64
		var job, operation, beneficiary, node, verdict, rules string
		if err := rows.Scan(&total, &lost, &at, &job, &operation, &beneficiary, &node, &verdict, &rules); err != nil {
			return err
		}
		if n == 0 {
			fmt.Fprintf(b, "\n%s: %s; %s of work were lost\n", title, count(total, "preemption", "preemptions"), seconds(lost))
		}
		line := fmt.Sprintf("  %s job %s", clock(time.UnixMicro(at)), job)
		if column != "operation" {
			line += " of operation " + operation
		}
		if column == "operation" && beneficiary != "" {
			line += " for operation " + beneficiary
		}
		if node != "" {
			line += " on node " + node
		}
		line += ": " + verdict
		switch rules = strings.ReplaceAll(rules, ",", ", "); {
		case rules == "":
		case verdict == "violated" || verdict == "suspect":
			line += " (" + rules + ")"
		default: // what counts was kept
			line += "; noted " + rules
		}
		b.WriteString(OneLine(line) + "\n")
	}
	if total > n {
		fmt.Fprintf(b, "  and %d more\n", total-n)
	}
	if n > 0 {
		fmt.Fprintf(b, "  poolproof query %s %s\n", quoted(s.RunPath), shellText("SELECT * FROM preemptions WHERE "+where+" ORDER BY time, job"))
	}
	return rows.Err()
}
