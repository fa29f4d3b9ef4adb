package audit

import (
	"context"
	"database/sql"
	"fmt"
)

// A TreeCoverage says how much of a tree's time could be judged, and how many of its
// checks the log settles. A check is one rule about one recorded start or preemption,
// or all rules of admission about one recorded step of an operation.
type TreeCoverage struct {
	Tree          string  `json:"tree"`
	Seconds       float64 `json:"seconds"`        // of the window
	JudgedSeconds float64 `json:"judged_seconds"` // in which shares were up to date and no global window excuses
	Checks        int64   `json:"checks"`         // on what the log records: starts, preemptions and steps of admission
	JudgedChecks  int64   `json:"judged_checks"`  // that the log settles: not undecidable
	Reason        string  `json:"reason"`         // what is missing; empty if nothing is
}

// Time is the share of the window that could be judged, 0 to 1.
func (c TreeCoverage) Time() float64 { return part(c.JudgedSeconds, c.Seconds) }

// CheckShare is the share of the checks that could be judged, 0 to 1; of
// none, none was.
func (c TreeCoverage) CheckShare() float64 {
	return part(float64(c.JudgedChecks), float64(c.Checks))
}

// part is a fraction of a whole; 0 of nothing.
func part(x, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return x / whole
}

const askJudgedParts = "SELECT tree, seconds, judged_seconds, checks, judged_checks, reason FROM internal.judged_parts ORDER BY tree"

// readTreeCoverage reads the view judged_parts.
func readTreeCoverage(ctx context.Context, db *sql.DB) ([]TreeCoverage, error) {
	rows, err := db.QueryContext(ctx, askJudgedParts)
	if err != nil {
		return nil, fmt.Errorf("read how much was judged: %w", err)
	}
	defer rows.Close()
	var all []TreeCoverage
	for rows.Next() {
		var c TreeCoverage
		if err := rows.Scan(&c.Tree, &c.Seconds, &c.JudgedSeconds, &c.Checks, &c.JudgedChecks, &c.Reason); err != nil {
			return nil, fmt.Errorf("read how much was judged: %w", err)
		}
		all = append(all, c)
	}
	return all, rows.Err()
}
