package report

import (
	"context"
	"database/sql"
	"fmt"
)

// A happening summarizes an element in a bucket: jobs started, jobs lost to preemption, and the
// strongest status.
type happening struct {
	starts, preempted int64
	status            int // of statusWords
}

// statusWords are the statuses, the strongest last.
var statusWords = [...]string{"not starving", "waiting to run", "starving", "starving aggressively"}

// happeningsQuery has what happened in the tree $1 to the element $2 of the kind $5, which the
// jobs of %s belong to, from the µs $3 on in each of the buckets of $4 µs before $6.
const happeningsQuery = `
WITH episodes AS (
  SELECT epoch_us(from_time) AS b, epoch_us(to_time) AS e, CASE WHEN starvation_status = 'aggressively_starving' THEN 3 ELSE 2 END AS status
  FROM starvation_episodes WHERE tree = $1 AND element_kind = $5 AND coalesce(operation, pool) = $2
  UNION ALL
  SELECT epoch_us(from_time), epoch_us(to_time), 1 FROM pending_episodes WHERE tree = $1 AND $5 = 'operation' AND operation = $2
), happened AS (
  SELECT (epoch_us(start_time) - $3) // $4 AS bucket, 1 AS starts, 0 AS preempted, 0 AS status FROM jobs
  WHERE tree = $1 AND start_time >= make_timestamp($3) AND start_time < make_timestamp($6) AND %[1]s
  UNION ALL
  SELECT (epoch_us(time) - $3) // $4, 0, 1, 0 FROM preemptions
  WHERE tree = $1 AND time >= make_timestamp($3) AND time < make_timestamp($6) AND %[1]s
  UNION ALL
  SELECT unnest(range((greatest(b, $3) - $3) // $4, (least(e, $6) - 1 - $3) // $4 + 1)), 0, 0, status FROM episodes WHERE b < $6 AND e > $3 AND b < e
)
SELECT bucket, sum(starts)::BIGINT, sum(preempted)::BIGINT, max(status) FROM happened GROUP BY bucket ORDER BY bucket`

// belongs are the conditions for a job of an element, by its kind.
var belongs = map[string]string{
	"operation": "operation = $2",
	"tree":      "$2 IS NOT NULL",
	"pool": `pool IN (SELECT p.pool FROM pools AS p JOIN pools AS own ON own.tree = p.tree AND own.pool = $2
    WHERE p.tree = $1 AND starts_with(p.path || '/', own.path || '/'))`,
}

// readHappenings returns what happened to an element in each bucket of a frame.
func readHappenings(ctx context.Context, db *sql.DB, kind string, fr frame) ([]happening, error) {
	all := make([]happening, fr.Buckets)
	rows, err := db.QueryContext(ctx, fmt.Sprintf(happeningsQuery, belongs[kind]), fr.Tree, fr.Element, fr.From,
		fr.Step, kind, fr.From+fr.Step*int64(fr.Buckets))
	if err != nil {
		return nil, fmt.Errorf("read what happened to %s %s: %w", kind, fr.Element, err)
	}
	defer rows.Close()
	for rows.Next() {
		var bucket int
		var h happening
		if err := rows.Scan(&bucket, &h.starts, &h.preempted, &h.status); err != nil {
			return nil, err
		}
		all[bucket] = h
	}
	return all, rows.Err()
}

// shownChanges bounds the number of changes of the configuration in a text.
const shownChanges = 20

// changes tells how the configuration changed in a span: of the tree, and of the pools above an
// element, itself included; of a tree of all its pools.
func (s *Subject) changes(ctx context.Context, d *Document, fr frame) error {
	from, to := fr.span()
	all, err := readChanges(ctx, s.DB, s.Tree, from, to)
	if err != nil || len(all) == 0 {
		return err
	}
	var chain []element
	if s.Kind != "tree" {
		if chain, _, err = competitors(ctx, s.DB, s.Tree, element{s.Kind, s.Name}); err != nil {
			return err
		}
	}
	p := &passage{Key: "configuration", Title: "What changed in the configuration"}
	p.Table = &grid{shown: shownChanges, columns: []column{{"time", "UTC", "time, UTC"}, {"pool", "", "pool"}, {"what", "", "what"}}}
	for _, c := range all {
		above := c.pool == "" || s.Kind == "tree"
		for _, e := range chain {
			above = above || e.Name == c.pool
		}
		if !above {
			continue
		}
		p.Table.Rows = append(p.Table.Rows, []value{moment(c.at), wordOrNone(c.pool), word(c.what)})
		if len(p.Table.Rows) <= shownChanges {
			p.addLine(0, "%s %s: %s", clock(c.at), subjectOfChange(c), c.what)
		}
	}
	if n := p.Table.more(); n > 0 {
		p.After = fmt.Sprintf("and %d more", n)
	}
	if p.Table.Rows != nil {
		d.Passages = append(d.Passages, p)
	}
	return nil
}

func subjectOfChange(c change) string {
	if c.pool == "" {
		return "the tree"
	}
	return "pool " + c.pool
}
