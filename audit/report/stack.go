package report

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A stack shows the holders of a resource of a tree over time: bands that add up to all of it, the
// subject's first and the free part last, and lines of the subject's entitlement. Without a subject
// there are lines of the pools' entitlements, and of the tree's demand.
type stack struct {
	Resource string
	From     int64 // µs
	Step     int64 // µs, of a bucket
	Bands    []band
	Lines    []band // of the subject, fair share, guarantee and demand, or of the tree
}

// A band is a series of shares of the tree, one per bucket.
type band struct {
	Name       string
	Class      string // of its colour
	Values     []int64
	Guaranteed []int64 // the strong guarantee of a pool of a tree; nil without one
}

// stackBuckets are the buckets of a stack, and stackBands its bands of pools beside the subject. What is
// rounded is in sum less than a share of stackRounding.
const (
	stackBuckets  = 120
	stackBands    = 7
	stackRounding = 1_000 // 1e-9
)

// stackQuery has the mean shares in each bucket of the pools and operations of $2 in the tree $1:
// what each used, was fair, guaranteed and demanded, and of a pool what the tree had, in 1e-9. Sums are of integers, so that their
// order does not matter.
const stackQuery = `
WITH asked AS (
  SELECT unnest(from_json($2, '[{"kind":"VARCHAR","name":"VARCHAR"}]')) AS e, generate_subscripts(from_json($2, '["JSON"]'), 1) - 1 AS ix
), intervals AS (
  SELECT asked.ix, epoch_us(from_time) AS b, epoch_us(to_time) AS e, usage_share_%[1]s AS used, fair_share_%[1]s AS fair, strong_guarantee_share_%[1]s AS guaranteed, demand_share_%[1]s AS demanded, resource_limits_%[1]s > 0 AS there
  FROM pool_intervals JOIN asked ON asked.e.kind = 'pool' AND asked.e.name = pool
  WHERE tree = $1 AND from_time < make_timestamp($4) AND to_time > make_timestamp($3)
  UNION ALL
  SELECT asked.ix, epoch_us(from_time), epoch_us(to_time), usage_share_%[1]s, fair_share_%[1]s, strong_guarantee_share_%[1]s, demand_share_%[1]s, false
  FROM operation_intervals JOIN asked ON asked.e.kind = 'operation' AND asked.e.name = operation
  WHERE tree = $1 AND operation = $6 AND from_time < make_timestamp($4) AND to_time > make_timestamp($3)
), cuts AS (
  SELECT ix, greatest(b, $3) AS b, least(e, $4) AS e, (greatest(b, $3) - $3) // $5 AS first, (least(e, $4) - 1 - $3) // $5 AS last,
    round(used * 1e9)::BIGINT AS used, round(fair * 1e9)::BIGINT AS fair, round(guaranteed * 1e9)::BIGINT AS guaranteed, round(demanded * 1e9)::BIGINT AS demanded, if(there, 1000000000, 0) AS there
  FROM intervals WHERE b < e
), pieces AS ( -- most lie in one bucket, and to unnest those takes most of the time
  SELECT *, first AS bucket FROM cuts WHERE first = last
  UNION ALL
  SELECT *, unnest(range(first, last + 1)) FROM cuts WHERE first < last
), parts AS (
  SELECT ix, bucket, least(e, $3 + $5 * (bucket + 1)) - greatest(b, $3 + $5 * bucket) AS us, used, fair, guaranteed, demanded, there FROM pieces
)
SELECT ix, bucket, (sum(us::HUGEINT * used) // $5)::BIGINT, (sum(us::HUGEINT * fair) // $5)::BIGINT,
  (sum(us::HUGEINT * guaranteed) // $5)::BIGINT, (sum(us::HUGEINT * demanded) // $5)::BIGINT, (sum(us::HUGEINT * there) // $5)::BIGINT
FROM parts GROUP BY ix, bucket ORDER BY ix, bucket`

// An element is a pool or an operation.
type element struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// measures are used, fair, guaranteed and demanded shares, and of the root what there was to use, in
// 1e-9, per bucket.
type measures [5][]int64

// readStack returns who held a resource of a tree in a span, around a subject: beside it those
// that share with it or with a pool above it, the largest by usage. The subject may be none; then
// these are the pools right below the root, the largest by usage or strong guarantee.
func readStack(ctx context.Context, db *sql.DB, tree string, subject element, resource string, from, to time.Time) (*stack, error) {
	s := &stack{Resource: resource, From: from.UnixMicro()}
	s.Step = max((to.UnixMicro()-s.From+stackBuckets-1)/stackBuckets, 1)
	chain, beside, err := competitors(ctx, db, tree, subject)
	if err != nil {
		return nil, err
	}
	asked := slices.Concat([]element{{"pool", rootName}}, chain, beside)
	if subject.Kind == "operation" {
		asked = append(asked, subject)
	}
	list, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, fmt.Sprintf(stackQuery, resource), tree, string(list), s.From, s.From+s.Step*stackBuckets, s.Step, subject.Name)
	if err != nil {
		return nil, fmt.Errorf("read who held tree %s: %w", tree, err)
	}
	defer rows.Close()
	of := make([]measures, len(asked))
	for i := range of {
		for m := range of[i] {
			of[i][m] = make([]int64, stackBuckets)
		}
	}
	for rows.Next() {
		var ix, bucket int
		var shares [5]int64
		if err := rows.Scan(&ix, &bucket, &shares[0], &shares[1], &shares[2], &shares[3], &shares[4]); err != nil {
			return nil, err
		}
		for m, share := range shares {
			of[ix][m][bucket] = share
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	endless, err := s.leaveOutEndless(ctx, db, tree, list, of)
	if err != nil {
		return nil, err
	}
	var own *measures
	if i := slices.Index(asked, subject); i >= 0 {
		own = &of[i]
	}
	s.pile(of[0], of[1:1+len(chain)], of[1+len(chain):1+len(chain)+len(beside)], beside, own, subject, endless)
	return s, nil
}

// endlessQuery has what jobs would have used, if they had run on, of which the log does not record when
// they ended: of the pools and operations of $2 in the tree $1, per bucket, in 1e-9.
const endlessQuery = `
WITH asked AS (
  SELECT unnest(from_json($2, '[{"kind":"VARCHAR","name":"VARCHAR"}]')) AS e, generate_subscripts(from_json($2, '["JSON"]'), 1) - 1 AS ix
), size AS (
  SELECT max(resource_limits_%[1]s) AS total FROM pool_intervals WHERE tree = $1 AND pool = '<Root>'
), endless AS (
  SELECT j.operation, p.path, round(1e9 * resources_%[1]s / nullif(total, 0))::BIGINT AS used, greatest(epoch_us(start_time), $3) AS b
  FROM jobs AS j JOIN pools AS p ON p.tree = j.tree AND p.pool = j.pool CROSS JOIN size
  WHERE j.tree = $1 AND end_kind = 'unknown' AND start_time < make_timestamp($4)
), sums AS (
  SELECT ix, b, sum(used)::BIGINT AS used
  FROM asked LEFT JOIN pools AS a ON a.tree = $1 AND e.kind = 'pool' AND a.pool = e.name
  JOIN endless ON e.kind = 'operation' AND operation = e.name OR e.name = '<Root>' OR starts_with(endless.path || '/', a.path || '/')
  GROUP BY ix, b
), pieces AS (
  SELECT ix, b, used, unnest(range((b - $3) // $5, ($4 - $3) // $5)) AS bucket FROM sums
)
SELECT ix, bucket, (sum(used::HUGEINT * (least($4, $3 + $5 * (bucket + 1)) - greatest(b, $3 + $5 * bucket))) // $5)::BIGINT
FROM pieces GROUP BY ix, bucket ORDER BY ix, bucket`

// leaveOutEndless takes from what elements used what is not known: the replay has a job run on of
// which the log does not record when it ended. It returns how much that is at most of the whole
// tree, per bucket; nil if the log records all ends.
func (s *stack) leaveOutEndless(ctx context.Context, db *sql.DB, tree string, list []byte, of []measures) ([]int64, error) {
	var partial bool
	row := db.QueryRowContext(ctx, "SELECT count(*) > 0 FROM coverage WHERE tree = $1 AND aspect = 'job_ends' AND state = 'partial'", tree)
	if err := row.Scan(&partial); err != nil || !partial {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, fmt.Sprintf(endlessQuery, s.Resource), tree, string(list), s.From, s.From+s.Step*stackBuckets, s.Step)
	if err != nil {
		return nil, fmt.Errorf("read the jobs of tree %s whose ends are not recorded: %w", tree, err)
	}
	defer rows.Close()
	unknown := make([]int64, stackBuckets)
	for rows.Next() {
		var ix, bucket int
		var used int64
		if err := rows.Scan(&ix, &bucket, &used); err != nil {
			return nil, err
		}
		known := max(of[ix][0][bucket]-used, 0)
		if ix == 0 { // the root
			unknown[bucket] = max(min(used, of[ix][4][bucket]-known), 0)
		}
		of[ix][0][bucket] = known
	}
	return unknown, rows.Err()
}

// competitors are the pools above a subject, from the top down and itself included if it is a
// pool, and the pools that share with one of them.
func competitors(ctx context.Context, db *sql.DB, tree string, subject element) (chain, beside []element, err error) {
	rows, err := db.QueryContext(ctx, `
SELECT p.pool, p.path, p.pool IS NOT DISTINCT FROM own.pool
FROM pools AS p
CROSS JOIN (SELECT coalesce((SELECT any_value(pool) FROM operations WHERE tree = $1 AND $2 = 'operation' AND operation = $3), $3) AS pool) AS own
WHERE p.tree = $1 AND p.pool IS NOT NULL
ORDER BY p.path`, tree, subject.Kind, subject.Name)
	if err != nil {
		return nil, nil, fmt.Errorf("read the pools beside %s %s: %w", subject.Kind, subject.Name, err)
	}
	defer rows.Close()
	own, paths := "", map[string]string{}
	var names []string
	for rows.Next() {
		var name, path string
		var isOwn bool
		if err := rows.Scan(&name, &path, &isOwn); err != nil {
			return nil, nil, err
		}
		names, paths[name] = append(names, name), path
		if isOwn {
			own = path
		}
	}
	for _, name := range names {
		above, _, _ := cutLast(paths[name])
		if !strings.Contains(paths[name], "/") {
			above = ""
		}
		switch {
		case strings.HasPrefix(own+"/", paths[name]+"/"):
			chain = append(chain, element{"pool", name})
		case above == "" || strings.HasPrefix(own, above+"/"):
			beside = append(beside, element{"pool", name})
		}
	}
	return chain, beside, rows.Err()
}

// pile creates the bands: the subject, for an operation the rest of its pool, the largest siblings,
// the rest of the tree's usage, usage of jobs that may have ended unrecorded, and the free part.
func (s *stack) pile(tree measures, chain, beside []measures, names []element, own *measures, subject element, endless []int64) {
	left := slices.Clone(tree[0])
	take := func(name, class string, values, guaranteed []int64) {
		if summed(values) == 0 && guaranteed == nil && class != "own" {
			return
		}
		s.Bands = append(s.Bands, band{name, class, values, guaranteed})
		left = less(left, values)
	}
	if own != nil {
		take(subject.Kind+" "+subject.Name, "own", own[0], nil)
		s.Lines = []band{{"its fair share", "fair", own[1], nil}, {"its strong guarantee", "guarantee", own[2], nil}, {"its demand", "demand", own[3], nil}}
	} else {
		s.Lines = []band{{"demand of the tree", "demand", tree[3], nil}}
	}
	s.Lines = slices.DeleteFunc(s.Lines, func(b band) bool { return summed(b.Values) == 0 })
	if subject.Kind == "operation" && len(chain) > 0 {
		take("other operations of its pool", "pool", less(chain[len(chain)-1][0], own[0]), nil)
	}
	owed := func(measures) int64 { return 0 }
	if own == nil {
		owed = func(m measures) int64 { return summed(m[2]) }
	}
	order := make([]int, len(beside))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		size := func(m measures) int64 { return max(summed(m[0]), owed(m)) }
		return cmp.Compare(size(beside[b]), size(beside[a]))
	})
	order = order[:min(len(order), stackBands)]
	// Guaranteed pools stand at the bottom, where their lines are level.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(owed(beside[b]), owed(beside[a])) })
	for n, i := range order {
		guaranteed := beside[i][2]
		if owed(beside[i]) == 0 {
			guaranteed = nil
		}
		take("pool "+names[i].Name, fmt.Sprintf("b%d", n), beside[i][0], guaranteed)
	}
	if slices.Max(left) >= stackRounding {
		take("(all other pools)", "others", left, nil)
	}
	free := less(tree[4], tree[0])
	if endless != nil && slices.Max(endless) >= stackRounding {
		take("(at most, by jobs whose ends are not recorded)", "others", endless, nil)
		free = less(free, endless)
	}
	take("nobody (free)", "free", free, nil)
}

func summed(values []int64) (n int64) {
	for _, v := range values {
		n += v
	}
	return n
}

// less subtracts values from others; rounding errors below zero become 0.
func less(values, some []int64) []int64 {
	left := make([]int64, len(values))
	for i := range values {
		left[i] = max(values[i]-some[i], 0)
	}
	return left
}

// held adds who held the tree: a table of the bands with their means, and the picture.
func (d *Document) held(s *stack) {
	if s == nil || len(s.Bands) == 0 {
		return
	}
	p := d.add("held", fmt.Sprintf("Who held the tree, shares of its %s, means of %s", spaced(s.Resource), seconds(float64(s.Step)/1e6)))
	p.Picture = s
	p.Table = s.table()
}

// table has the bands with their means, and where pools are guaranteed something, what.
func (s *stack) table() *grid {
	g := &grid{columns: []column{{"who", "", "who"}, {"usage_share", "share of the tree", "on average"},
		{"usage_share_max", "share of the tree", "at most"}, {"usage_shares", "share of the tree", ""}}}
	guarantees := s.hasGuarantees()
	if guarantees {
		g.columns = append(g.columns, column{"strong_guarantee_share", "share of the tree", "guaranteed"})
	}
	for _, b := range s.Bands {
		mean, most := mean(b.Values), float64(slices.Max(b.Values))/1e9
		all := make([]float64, len(b.Values))
		for i, v := range b.Values {
			all[i] = float64(v) / 1e9
		}
		row := []value{word(b.Name), {mean, tabled(mean)}, {most, tabled(most)}, {all, ""}}
		if guarantees {
			row = append(row, b.guarantee())
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func (s *stack) hasGuarantees() bool {
	return slices.ContainsFunc(s.Bands, func(b band) bool { return b.Guaranteed != nil })
}

// guarantee is the mean strong guarantee of a band; no value without one.
func (b *band) guarantee() value {
	if b.Guaranteed == nil {
		return value{}
	}
	share := mean(b.Guaranteed)
	return value{share, tabled(share)}
}

// mean is a mean of values in 1e-9.
func mean(values []int64) float64 { return float64(summed(values)) / 1e9 / float64(len(values)) }
