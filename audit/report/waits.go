package report

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"poolproof/core/quantity"
)

// A wait is a span in which an operation wanted more than it had.
type wait struct {
	operation string
	from, to  time.Time
	what      string // "the longest time that it starved"
}

// admissionQuery has how long the operation $1 waited for admission in the tree $2 in the µs $3
// to $4, how much of that a pool was full, and the pool in whose queue it stood longest.
const admissionQuery = `
WITH cut AS (
  SELECT least(epoch_us(to_time), $4) - greatest(epoch_us(from_time), $3) AS waited, held_us, blocking_pool
  FROM pending_episodes WHERE tree = $2 AND operation = $1
)
SELECT coalesce(sum(waited), 0)::BIGINT, coalesce(sum(least(held_us, waited)), 0)::BIGINT, coalesce(arg_max(blocking_pool, (held_us, blocking_pool)), '')
FROM cut WHERE waited > 0`

// admitted adds to the answer how long an operation waited for admission, which no share tells;
// first if that was longer than it lacked a share.
func (s *Subject) admitted(ctx context.Context, d *Document, ledger *account, from, to time.Time) error {
	if s.Kind != "operation" {
		return nil
	}
	var waited, held int64
	var pool string
	row := s.DB.QueryRowContext(ctx, admissionQuery, s.Name, s.Tree, from.UnixMicro(), to.UnixMicro())
	if err := row.Scan(&waited, &held, &pool); err != nil {
		return fmt.Errorf("look for its waits for admission: %w", err)
	}
	if waited == 0 {
		return nil
	}
	first := ledger == nil || ledger.owed == 0 || ledger.end.Sub(ledger.begin).Microseconds() < waited
	text := "It"
	if first {
		text = "Operation " + s.Name
	}
	text += " waited for admission for " + quantity.Span(float64(waited)/1e6)
	if held > 0 && pool != "" {
		part := quantity.Span(float64(held)/1e6) + " of it"
		if held == waited {
			part = "all of it"
		}
		text += fmt.Sprintf(", %s because a pool was full; it stood in the queue of pool %s", part, pool)
	}
	d.answer(text+".", first)
	return nil
}

// answer adds a sentence to the answer, as its first or its last.
func (d *Document) answer(text string, first bool) {
	i := slices.IndexFunc(d.Passages, func(p *passage) bool { return p.Key == "answer" })
	if i < 0 {
		i = len(d.Passages)
		d.add("answer", "In short")
	}
	p := d.Passages[i]
	if first {
		p.Prose = slices.Insert(p.Prose, 0, text)
	} else {
		p.Prose = append(p.Prose, text)
	}
}

// middle is the moment of a wait that stands for it.
func (w *wait) middle() time.Time { return w.from.Add(w.to.Sub(w.from) / 2).Truncate(time.Microsecond) }

// longestWaitQuery has the wait of the operations of $1 in the tree $2 to ask about in the µs
// $3 to $4: the longest for admission or in starvation, else the longest time in which one
// wanted more than it had.
const longestWaitQuery = `
WITH wanted AS (
  SELECT operation, from_time, to_time, lag(to_time) OVER (PARTITION BY operation ORDER BY from_time) IS DISTINCT FROM from_time AS begins
  FROM operation_intervals
  WHERE tree = $2 AND operation IN (SELECT unnest(from_json($1, '["VARCHAR"]'))) AND demand_ratio > usage_ratio
), stretches AS (
  SELECT operation, from_time, to_time, sum(begins::INT) OVER (PARTITION BY operation ORDER BY from_time) AS stretch FROM wanted
), waits AS (
  SELECT operation, from_time, to_time, 0 AS rank, 'the middle of its longest wait for admission' AS what FROM pending_episodes WHERE tree = $2
  UNION ALL
  SELECT operation, from_time, to_time, 0, 'the middle of its longest starvation' FROM starvation_episodes WHERE tree = $2 AND element_kind = 'operation'
  UNION ALL
  SELECT operation, min(from_time), max(to_time), 1, 'the middle of the longest time in which it wanted more than it had' FROM stretches GROUP BY operation, stretch
), cut AS (
  SELECT operation, greatest(epoch_us(from_time), $3) AS b, least(epoch_us(to_time), $4) AS e, rank, what FROM waits
  WHERE operation IN (SELECT unnest(from_json($1, '["VARCHAR"]')))
)
SELECT operation, b, e, what FROM cut WHERE b < e ORDER BY rank, e - b DESC, b, operation, what LIMIT 1`

// longestWait returns the longest wait of an operation in a span; nil if it never waited.
func (s *Subject) longestWait(ctx context.Context, operations string, from, to time.Time) (*wait, error) {
	var w wait
	var begin, end int64
	row := s.DB.QueryRowContext(ctx, longestWaitQuery, operations, s.Tree, from.UnixMicro(), to.UnixMicro())
	switch err := row.Scan(&w.operation, &begin, &end, &w.what); {
	case err == sql.ErrNoRows:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("look for the longest wait: %w", err)
	}
	w.from, w.to = time.UnixMicro(begin).UTC(), time.UnixMicro(end).UTC()
	return &w, nil
}
