package audit

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// A DeficitAgreement says how far the deficits that operations accumulated by the scheduler's reports are from those
// that recorded fair shares and the usage of jobs give, over all trees (table deficit_agreements).
type DeficitAgreement struct {
	Reports int64         `json:"reports"` // of one operation and minute each, with complete inputs
	Lacking int64         `json:"lacking"` // that lack an input
	Missing string        `json:"missing"` // what most of these lack; empty if there are none
	Within  int64         `json:"within"`  // reports with complete inputs whose difference is at most 1 % of the fair volume
	Worst   *WorstDeficit `json:"worst"`   // the greatest difference of those with complete inputs; null if there are none
}

// A WorstDeficit is the report that is farthest from what records and jobs give.
type WorstDeficit struct {
	Error     float64   `json:"error"` // part of the fair volume
	Tree      string    `json:"tree"`
	Operation string    `json:"operation"`
	Time      time.Time `json:"time"`
}

// agreeingDecade is the decade of 1 %, the precision of what follows from reported usage.
const agreeingDecade = -2

const askDeficitAgreements = `
SELECT inputs, decade, report_count, worst_error, tree, worst_operation, epoch_us(worst_time)
FROM deficit_agreements
ORDER BY inputs, worst_error DESC, tree`

// readDeficitAgreement adds up the table deficit_agreements; nil where the log holds no such reports.
func readDeficitAgreement(ctx context.Context, db *sql.DB) (*DeficitAgreement, error) {
	rows, err := db.QueryContext(ctx, askDeficitAgreements)
	if err != nil {
		return nil, fmt.Errorf("read how accumulated deficits agree: %w", err)
	}
	defer rows.Close()
	a, lacking := &DeficitAgreement{}, map[string]int64{}
	for rows.Next() {
		var inputs string
		var decade int
		var n, at int64
		var w WorstDeficit
		if err := rows.Scan(&inputs, &decade, &n, &w.Error, &w.Tree, &w.Operation, &at); err != nil {
			return nil, fmt.Errorf("read how accumulated deficits agree: %w", err)
		}
		if inputs != "complete" {
			a.Lacking += n
			if lacking[inputs] += n; a.Missing == "" || lacking[inputs] > lacking[a.Missing] {
				a.Missing = inputs
			}
			continue
		}
		if a.Reports += n; decade <= agreeingDecade {
			a.Within += n
		}
		if w.Time = time.UnixMicro(at).UTC(); a.Worst == nil || w.Error > a.Worst.Error {
			a.Worst = &w
		}
	}
	if a.Reports+a.Lacking == 0 {
		return nil, rows.Err()
	}
	return a, rows.Err()
}
