package report

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// A frame is a span of an element that is to be drawn.
type frame struct {
	Tree    string `json:"tree"`
	Element string `json:"element"` // pool or operation; <Root> is the tree
	From    int64  `json:"from"`    // µs
	Step    int64  `json:"step"`    // µs, length of a bucket
	Buckets int    `json:"buckets"`
}

// newFrame is the span from one time to another in so many buckets.
func newFrame(tree, element string, from, to time.Time, buckets int) frame {
	step := max((to.UnixMicro()-from.UnixMicro()+int64(buckets)-1)/int64(buckets), 1)
	return frame{tree, element, from.UnixMicro(), step, buckets}
}

// span is the time of a frame.
func (f *frame) span() (from, to time.Time) {
	return time.UnixMicro(f.From).UTC(), time.UnixMicro(f.From + f.Step*int64(f.Buckets)).UTC()
}

// around is the time around a span: a quarter of its length before and after, at
// least ten minutes, within the window.
func around(start time.Time, stop *time.Time, from, to time.Time) (begin, end time.Time) {
	end = start
	if stop != nil {
		end = *stop
	}
	margin := max(end.Sub(start)/4, 10*time.Minute)
	begin, end = start.Add(-margin), end.Add(margin)
	if begin.Before(from) {
		begin = from
	}
	if end.After(to) {
		end = to
	}
	if !begin.Before(end) {
		return from, to
	}
	return begin, end
}

// A point says what an element had in a bucket, in shares.
type point struct {
	Seconds                  float64 // of the bucket in which the element was there
	Usage, Demand, FairShare float64 // mean ratios
	Guarantee                float64 // greatest strong guarantee ratio
	Limit                    float64 // least limit that is set, of any resource; 1 where none is
	Peak                     float64 // greatest usage ratio
}

// seriesQuery cuts intervals at the borders of buckets and sums them there. The
// sums are of integers, so that their order does not matter.
const seriesQuery = `
WITH frames AS (
  SELECT unnest(from_json($1, '[{"tree":"VARCHAR","element":"VARCHAR","from":"BIGINT","step":"BIGINT","buckets":"BIGINT"}]')) AS f,
    generate_subscripts(from_json($1, '["JSON"]'), 1) - 1 AS ix
), spans AS (
  SELECT ix, f.tree AS tree, f.element AS element, f."from" AS start, f.step AS step, f."from" + f.step * f.buckets AS stop FROM frames
), intervals AS (
  SELECT tree, %[2]s AS element, epoch_us(from_time) AS b, epoch_us(to_time) AS e,
    usage_ratio_seconds AS usage, demand_ratio_seconds AS demand, fair_share_ratio_seconds AS fair, min_share_ratio AS guarantee,
    usage_ratio_max AS peak, %[3]s AS limits
  FROM %[1]s AS i
  WHERE to_time > from_time
), cuts AS (
  SELECT ix, start, step, b, e, greatest(b, start) AS cut_b, least(e, stop) AS cut_e, usage, demand, fair, guarantee, peak, limits,
    (greatest(b, start) - start) // step AS first, (least(e, stop) - 1 - start) // step AS last
  FROM spans JOIN intervals USING (tree, element)
  WHERE b < stop AND e > start
), pieces AS ( -- most lie in one bucket, and to unnest those takes most of the time
  SELECT *, first AS bucket FROM cuts WHERE first = last
  UNION ALL
  SELECT *, unnest(range(first, last + 1)) FROM cuts WHERE first < last
), parts AS (
  SELECT ix, bucket, least(cut_e, start + step * (bucket + 1)) - greatest(cut_b, start + step * bucket) AS us, e - b AS whole, usage, demand, fair, guarantee, peak, limits
  FROM pieces
), shared AS (
  SELECT ix, bucket, us, guarantee, peak, limits,
    CASE WHEN us = whole THEN usage ELSE (usage::HUGEINT * us // whole)::BIGINT END AS usage,
    CASE WHEN us = whole THEN demand ELSE (demand::HUGEINT * us // whole)::BIGINT END AS demand,
    CASE WHEN us = whole THEN fair ELSE (fair::HUGEINT * us // whole)::BIGINT END AS fair
  FROM parts
)
SELECT ix, bucket, sum(us)::BIGINT, sum(usage)::BIGINT, sum(demand)::BIGINT, sum(fair)::BIGINT, max(guarantee), min(limits), max(peak)
FROM shared
GROUP BY ix, bucket
ORDER BY ix, bucket`

// operationsAnyAge are the operations of a run, with the columns that older programs did not write.
const operationsAnyAge = "(SELECT * FROM operations UNION ALL BY NAME SELECT NULL::DOUBLE AS max_share_ratio WHERE false)"

// setLimit is the least share that resource_limits or max_share_ratio of a pool or an operation
// leave it in a row i of its intervals, null where neither is set. Tag filters and the best
// allocation of an operation bound it, too, but are not limits. An amount is a share by those in
// force.
func setLimit(element string) string {
	terms := []string{"max_share_ratio"}
	for _, name := range resourceNames {
		terms = append(terms, fmt.Sprintf("resource_limits_%[1]s * i.limits_share_%[1]s / nullif(i.resource_limits_%[1]s, 0)", name))
	}
	of := operationsAnyAge + " AS s WHERE"
	if element == "pool" { // the settings of the time
		of = "pool_versions AS s WHERE s.from_time <= i.from_time AND s.to_time > i.from_time AND"
	}
	return fmt.Sprintf("(SELECT min(least(%s)) FROM %s s.tree = i.tree AND s.%[3]s = i.%[3]s)", "s."+strings.Join(terms, ", s."), of, element)
}

// readSeries returns, for each frame, its points; where the element was not there
// a point is nil. Of table pool_intervals or operation_intervals.
func readSeries(ctx context.Context, db *sql.DB, table string, frames []frame) ([][]*point, error) {
	series := make([][]*point, len(frames))
	for i, f := range frames {
		series[i] = make([]*point, f.Buckets)
	}
	if len(frames) == 0 {
		return series, nil
	}
	asked, err := json.Marshal(frames)
	if err != nil {
		return nil, err
	}
	element := map[string]string{"pool_intervals": "pool", "operation_intervals": "operation"}[table]
	rows, err := db.QueryContext(ctx, fmt.Sprintf(seriesQuery, table, element, setLimit(element)), string(asked))
	if err != nil {
		return nil, fmt.Errorf("read the timelines: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var ix, bucket int
		var us, usage, demand, fair int64
		var guarantee float64
		var limit, peak sql.NullFloat64
		if err := rows.Scan(&ix, &bucket, &us, &usage, &demand, &fair, &guarantee, &limit, &peak); err != nil {
			return nil, fmt.Errorf("read the timelines: %w", err)
		}
		seconds := float64(us) / 1e6
		mean := func(sum int64) float64 { return float64(sum) / 1e9 / seconds }
		p := &point{Seconds: seconds, Usage: mean(usage), Demand: mean(demand), FairShare: mean(fair), Guarantee: guarantee, Limit: 1, Peak: peak.Float64}
		if limit.Valid {
			p.Limit = limit.Float64
		}
		series[ix][bucket] = p
	}
	return series, rows.Err()
}
