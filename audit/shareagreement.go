package audit

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"
)

// A ShareAgreement says how far the fair shares that the scheduler recorded are from those
// that the inputs of the same snapshots give, over all trees (table share_agreements).
type ShareAgreement struct {
	Records int64         `json:"records"` // with complete inputs
	Lacking int64         `json:"lacking"` // that lack an input, so that a difference proves nothing
	Missing string        `json:"missing"` // what most of these lack; empty if there are none
	Decades []ShareDecade `json:"decades"` // of those with complete inputs, the least first
	Worst   *WorstShare   `json:"worst"`   // the greatest difference of those with complete inputs; null if there are none
}

// A ShareDecade counts records that are at most ten to the power Decade apart, and more than
// to the one below.
type ShareDecade struct {
	Decade  int   `json:"decade"`
	Records int64 `json:"records"`
}

// A WorstShare is the record that is farthest from what its inputs give.
type WorstShare struct {
	Error       float64   `json:"error"` // share
	Tree        string    `json:"tree"`
	SubjectKind string    `json:"subject_kind"` // pool or operation
	Subject     string    `json:"subject"`
	Time        time.Time `json:"time"`
}

// Within is the part of the records with complete inputs that are at most ten to the power
// decade apart, 0 to 1.
func (s *ShareAgreement) Within(decade int) float64 {
	var n int64
	for _, d := range s.Decades {
		if d.Decade <= decade {
			n += d.Records
		}
	}
	return part(float64(n), float64(s.Records))
}

const askShareAgreements = `
SELECT inputs, decade, record_count, worst_error, tree, element_kind, coalesce(worst_operation, worst_pool), epoch_us(worst_time)
FROM share_agreements
ORDER BY decade, worst_error DESC, tree, element_kind`

// readShareAgreement adds up the table share_agreements; nil where the log holds no records.
func readShareAgreement(ctx context.Context, db *sql.DB) (*ShareAgreement, error) {
	rows, err := db.QueryContext(ctx, askShareAgreements)
	if err != nil {
		return nil, fmt.Errorf("read how recorded shares agree: %w", err)
	}
	defer rows.Close()
	s, most := &ShareAgreement{}, int64(0)
	lacking := map[string]int64{}
	for rows.Next() {
		var inputs string
		var d ShareDecade
		var w WorstShare
		var at int64
		if err := rows.Scan(&inputs, &d.Decade, &d.Records, &w.Error, &w.Tree, &w.SubjectKind, &w.Subject, &at); err != nil {
			return nil, fmt.Errorf("read how recorded shares agree: %w", err)
		}
		if inputs != "complete" {
			s.Lacking += d.Records
			lacking[inputs] += d.Records
			if n := lacking[inputs]; n > most || n == most && inputs < s.Missing {
				s.Missing, most = inputs, n
			}
			continue
		}
		w.Time = time.UnixMicro(at).UTC()
		s.add(d, w)
	}
	if s.Records+s.Lacking == 0 {
		return nil, rows.Err()
	}
	return s, rows.Err()
}

// add counts the records of a decade; w is the worst of them.
func (s *ShareAgreement) add(d ShareDecade, w WorstShare) {
	s.Records += d.Records
	if n := len(s.Decades); n > 0 && s.Decades[n-1].Decade == d.Decade {
		s.Decades[n-1].Records += d.Records
	} else {
		s.Decades = append(s.Decades, d)
	}
	if s.Worst == nil || w.Error > s.Worst.Error {
		s.Worst = &w
	}
}

// Tolerance returns the exponent of the least of 1e-9, 1e-6 and 1e-3 to which nearly all
// records (99 %) agree, of 1e-3 where none is enough, and the part that agrees to it.
func (s *ShareAgreement) Tolerance() (decade int, agree float64) {
	const enough = 0.99
	for _, decade = range []int{-9, -6, -3} {
		if agree = s.Within(decade); agree >= enough {
			break
		}
	}
	return decade, agree
}

// Differs reports whether some record is further from its inputs than rounding explains.
func (s *ShareAgreement) Differs() bool {
	const most = 1e-6
	return s.Worst != nil && !(math.Abs(s.Worst.Error) <= most)
}
