package report

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"poolproof/core/quantity"
	"poolproof/core/scheduling"
)

// An account holds the deficits of an element in a span, and their causes: its rows of share_debts.
type account struct {
	db            *sql.DB
	tree, kind    string // kind is pool or operation
	name          string
	from, to      time.Time // what was asked about
	level         string
	owed          int64     // 1e-9 share·s
	lacking       int64     // µs
	begin, end    time.Time // of the rows
	resource      string
	worst         time.Time // the middle of the span that lacked most
	total         float64   // of the resource, in the tree then
	reasons       []debt
	alsoFairShare float64 // share·s that it lacked of its fair share, where the level is another

	at *time.Time // the moment that was asked for, around which the span was chosen; nil: none was

	demandUnknown bool  // the log does not record demand
	endless       int64 // jobs of the tree of which the log does not record when they ended

	own         string            // the element's pool: of an operation that it is in
	paths, pool map[string]string // of pools: their paths, and back
}

// A debt is a cause with what tells it apart, and what is booked to it.
type debt struct {
	cause, obstacle, limiting string
	pool, operation, blocker  string    // holder, or the pool whose limit it is
	owed                      int64     // 1e-9 share·s
	first                     time.Time // when it began to hold; zero if that is not known
	latest                    time.Time // if it is only known that it began between first and this; zero otherwise
	worst                     time.Time // the middle of the row with the most booked
	most                      int64     // what that is
	ratio                     float64   // of a limit: the max_share_ratio that is set instead of resource_limits; 0 if none is
	exceeded                  bool      // of fair_shares_of_others: some of the others had more than their fair shares
}

// ofRows are the rows of an element, $1 to $3, that touch the µs $4 to $5; of one that lies in them
// in part that part, as in the macro debts_between.
const ofRows = `
WITH debts AS (
  SELECT * REPLACE (
    greatest(from_time, make_timestamp($4)) AS from_time, least(to_time, make_timestamp($5)) AS to_time, (lacking_us::HUGEINT * us // span_us)::BIGINT AS lacking_us,
    (deficit_share_seconds::HUGEINT * us // span_us)::BIGINT AS deficit_share_seconds, (owed_share_seconds::HUGEINT * us // span_us)::BIGINT AS owed_share_seconds)
  FROM (
    SELECT *, epoch_us(to_time) - epoch_us(from_time) AS span_us, least(epoch_us(to_time), $5) - greatest(epoch_us(from_time), $4) AS us
    FROM share_debts
    WHERE tree = $1 AND element_kind = $2 AND coalesce(operation, pool) = $3 AND from_time < make_timestamp($5) AND to_time > make_timestamp($4)
  )
)`

// counts is the part of all that an element wanted and did not have from which on a level is the
// answer, as in the macro main_causes: less of it is a blip in a longer lack.
const counts = 0.25

// askEndless counts the jobs of the tree $1 that began before $2 and whose ends the log does not record.
const askEndless = `
SELECT count(*) FROM jobs
WHERE tree = $1 AND end_kind = 'unknown' AND start_time < make_timestamp($2)
  AND EXISTS (FROM coverage WHERE tree = $1 AND aspect = 'job_ends' AND state = 'partial')`

// readAccount returns what an element lacked in a span; nil in a run that has no ledger.
func readAccount(ctx context.Context, db *sql.DB, tree, kind, name string, from, to time.Time) (*account, error) {
	var known int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'share_debts'").Scan(&known); err != nil || known == 0 {
		return nil, err
	}
	a := &account{db: db, tree: tree, kind: kind, name: name, own: name, from: from, to: to}
	if kind == "operation" {
		row := db.QueryRowContext(ctx, "SELECT coalesce(any_value(pool), '') FROM operations WHERE tree = $1 AND operation = $2", tree, name)
		if err := row.Scan(&a.own); err != nil {
			return nil, fmt.Errorf("read the pool of operation %s: %w", name, err)
		}
	}
	if err := db.QueryRowContext(ctx, askEndless, tree, to.UnixMicro()).Scan(&a.endless); err != nil {
		return nil, fmt.Errorf("read how ends of jobs are recorded: %w", err)
	}
	if err := a.levels(ctx); err != nil {
		return nil, err
	}
	if a.level == "" {
		row := db.QueryRowContext(ctx, "SELECT count(*) > 0 FROM coverage WHERE tree = $1 AND aspect = 'demand' AND state = 'none'", tree)
		if err := row.Scan(&a.demandUnknown); err != nil {
			return nil, fmt.Errorf("read how demand is recorded: %w", err)
		}
		return a, nil
	}
	if err := a.readPaths(ctx); err != nil {
		return nil, err
	}
	if err := a.readReasons(ctx); err != nil {
		return nil, err
	}
	if err := a.nameLimits(ctx); err != nil {
		return nil, err
	}
	return a, a.checkOthers(ctx)
}

// readPaths reads where the pools of the tree stand.
func (a *account) readPaths(ctx context.Context) error {
	rows, err := a.db.QueryContext(ctx, "SELECT pool, path FROM pools WHERE tree = $1 AND pool IS NOT NULL", a.tree)
	if err != nil {
		return fmt.Errorf("read the pools of tree %s: %w", a.tree, err)
	}
	defer rows.Close()
	a.paths, a.pool = map[string]string{}, map[string]string{}
	for rows.Next() {
		var pool, path string
		if err := rows.Scan(&pool, &path); err != nil {
			return err
		}
		a.paths[pool], a.pool[path] = path, pool
	}
	return rows.Err()
}

// levels chooses the level that the answer is about, and sums what was lacking of it.
func (a *account) levels(ctx context.Context) error {
	rows, err := a.db.QueryContext(ctx, ofRows+`, spans AS (
  SELECT level, from_time, to_time, any_value(deficit_share_seconds) AS deficit, any_value(lacking_us) AS lacking, any_value(resource) AS resource
  FROM debts GROUP BY level, from_time, to_time
), levels AS (
  SELECT level, sum(deficit)::BIGINT AS owed, sum(lacking)::BIGINT AS lacking, epoch_us(min(from_time)) AS b, epoch_us(max(to_time)) AS e,
    max_by(resource, (deficit, from_time)) AS resource, max_by((epoch_us(from_time) + epoch_us(to_time)) // 2, (deficit, from_time)) AS worst
  FROM spans GROUP BY level
)
SELECT level, owed, lacking, b, e, resource, worst,
  internal.column_amount(resource, coalesce((SELECT any_value(CASE l.resource WHEN 'user_slots' THEN i.resource_limits_user_slots WHEN 'cpu' THEN i.resource_limits_cpu WHEN 'gpu' THEN i.resource_limits_gpu
      WHEN 'memory' THEN i.resource_limits_memory ELSE i.resource_limits_network END)
    FROM pool_intervals AS i WHERE i.tree = $1 AND i.pool = '<Root>' AND epoch_us(i.from_time) <= l.worst AND epoch_us(i.to_time) > l.worst), 0)::DOUBLE,
    internal.source_unit('gpu'))
FROM levels AS l ORDER BY owed = 0, level = 'guarantee' DESC, level = 'fair_share' DESC`, a.tree, a.kind, a.name, a.from.UnixMicro(), a.to.UnixMicro())
	if err != nil {
		return fmt.Errorf("read what %s %s lacked: %w", a.kind, a.name, err)
	}
	defer rows.Close()
	var levels []account
	wanted := 0.0
	for rows.Next() {
		var one account
		var b, e, worst int64
		if err := rows.Scan(&one.level, &one.owed, &one.lacking, &b, &e, &one.resource, &worst, &one.total); err != nil {
			return err
		}
		one.begin, one.end, one.worst = time.UnixMicro(b).UTC(), time.UnixMicro(e).UTC(), time.UnixMicro(worst).UTC()
		if one.level != "guarantee" {
			wanted += float64(one.owed)
		}
		levels = append(levels, one)
	}
	if err := rows.Err(); err != nil || levels == nil {
		return err
	}
	chosen := slices.IndexFunc(levels, func(l account) bool { return float64(l.owed) >= counts*wanted })
	for i := range levels {
		if chosen < 0 || float64(levels[chosen].owed) < counts*wanted && levels[i].owed > levels[chosen].owed {
			chosen = i
		}
	}
	l := &levels[chosen]
	a.level, a.owed, a.lacking, a.resource, a.total = l.level, l.owed, l.lacking, l.resource, l.total
	a.begin, a.end, a.worst = l.begin, l.end, l.worst
	for i := range levels {
		if levels[i].level == "fair_share" && i != chosen && levels[i].owed > 0 {
			a.alsoFairShare = float64(levels[i].owed) / 1e9
		}
	}
	return nil
}

// began returns the bounds of the time at which a cause began to hold within a row: the earliest,
// and the latest, null if the earliest is exact. Rows of older versions do not have it: within a
// span with two obstacles the time of the change is unknown.
func (a *account) began(ctx context.Context) (earliest, latest string, err error) {
	var known int
	row := a.db.QueryRowContext(ctx, "SELECT count(*) FROM duckdb_columns() WHERE table_name = 'share_debts' AND column_name = 'cause_from_time'")
	if err := row.Scan(&known); err != nil {
		return "", "", fmt.Errorf("look for the columns of share_debts: %w", err)
	}
	if known > 0 {
		return "CASE WHEN cause_from_time < to_time THEN greatest(cause_from_time, from_time) END", "NULL", nil
	}
	return "from_time", "CASE WHEN min(obstacle) OVER span <> max(obstacle) OVER span THEN to_time END", nil
}

// readReasons reads the causes, the largest first.
func (a *account) readReasons(ctx context.Context) error {
	earliest, latest, err := a.began(ctx)
	if err != nil {
		return err
	}
	rows, err := a.db.QueryContext(ctx, ofRows+`
SELECT cause, obstacle, coalesce(limiting_resource, ''), coalesce(holder_pool, ''), coalesce(holder_operation, ''), coalesce(blocking_pool, ''), sum(owed_share_seconds)::BIGINT AS owed,
  epoch_us(min(earliest)), epoch_us(arg_min({'at': latest}, earliest).at),
  max_by((epoch_us(from_time) + epoch_us(to_time)) // 2, (owed_share_seconds, from_time)), max(owed_share_seconds)
FROM (SELECT *, `+earliest+` AS earliest, `+latest+`::TIMESTAMP AS latest FROM debts WHERE level = $6 WINDOW span AS (PARTITION BY from_time, cause, holder_pool, holder_operation))
GROUP BY ALL ORDER BY owed DESC, 1, 2, 3, 4, 5, 6`, a.tree, a.kind, a.name, a.from.UnixMicro(), a.to.UnixMicro(), a.level)
	if err != nil {
		return fmt.Errorf("read why %s %s lacked share: %w", a.kind, a.name, err)
	}
	defer rows.Close()
	for rows.Next() {
		var r debt
		var first, latest sql.NullInt64
		var worst int64
		if err := rows.Scan(&r.cause, &r.obstacle, &r.limiting, &r.pool, &r.operation, &r.blocker, &r.owed, &first, &latest, &worst, &r.most); err != nil {
			return err
		}
		if r.pool == rootName { // so older programs called several holders
			r.pool = ""
		}
		r.first, r.latest, r.worst = timeOrZero(first), timeOrZero(latest), time.UnixMicro(worst).UTC()
		a.reasons = append(a.reasons, r)
	}
	return rows.Err()
}

func timeOrZero(us sql.NullInt64) time.Time {
	if !us.Valid {
		return time.Time{}
	}
	return time.UnixMicro(us.Int64).UTC()
}

// nameLimits finds out which limits are those of max_share_ratio.
func (a *account) nameLimits(ctx context.Context) error {
	for i := range a.reasons {
		r := &a.reasons[i]
		table, name := "pool_versions", r.pool
		switch {
		case r.limiting == "" || r.cause != "own_limit" && r.cause != "ancestor_limit":
			continue
		case r.cause == "own_limit" && a.kind == "operation":
			table, name = "operations", a.name
		case r.cause == "own_limit":
			name = a.name
		}
		query := "SELECT max_share_ratio FROM " + table + " WHERE tree = $1 AND $2 = pool AND from_time <= make_timestamp($3) AND to_time > make_timestamp($3)"
		if table == "operations" {
			query = "SELECT max_share_ratio FROM " + operationsAnyAge + " WHERE tree = $1 AND operation = $2 AND $3 > 0"
		}
		query += " AND resource_limits_" + r.limiting + " IS NULL AND max_share_ratio IS NOT NULL"
		if err := a.db.QueryRowContext(ctx, query, a.tree, name, r.worst.UnixMicro()).Scan(&r.ratio); err != nil && err != sql.ErrNoRows {
			return fmt.Errorf("read the limits of %s: %w", name, err)
		}
	}
	return nil
}

// othersQuery has by how much, in share·µs of the resource, those that compete with the element $2
// of the pool $3 were above their fair shares in the tree $1 in the µs $4 to $5: the pools and, in
// the pool of an operation, the operations beside each step of its path.
const othersQuery = `
WITH own AS (SELECT pool, path FROM pools WHERE tree = $1 AND pool = $3),
beside AS (
  SELECT p.pool FROM pools AS p, own
  WHERE p.tree = $1 AND p.pool IS NOT NULL AND p.path <> '' AND NOT starts_with(own.path || '/', p.path || '/')
    AND (NOT contains(p.path, '/') OR starts_with(own.path || '/', regexp_replace(p.path, '/[^/]*$', '') || '/'))
    AND NOT ($3 = $2 AND starts_with(p.path, own.path || '/'))
), intervals AS (
  SELECT from_time, to_time, usage_share_%[1]s - fair_share_%[1]s AS above FROM pool_intervals JOIN beside USING (pool) WHERE tree = $1
  UNION ALL
  SELECT from_time, to_time, usage_share_%[1]s - fair_share_%[1]s FROM operation_intervals WHERE tree = $1 AND pool = $3 AND $2 <> $3 AND operation <> $2
)
SELECT coalesce(sum(greatest(above, 0) * greatest(least(epoch_us(to_time), $5) - greatest(epoch_us(from_time), $4), 0)), 0)::DOUBLE FROM intervals`

// exceeds is the part of what was lacking that the others have to be above their fair shares for it
// to be said of them; less of it is rounding to whole jobs.
const exceeds = 0.1

// checkOthers finds out whether the others had no more than their fair shares, where the ledger
// books what their fair shares left no room for.
func (a *account) checkOthers(ctx context.Context) error {
	i := slices.IndexFunc(a.reasons, func(r debt) bool { return r.cause == "fair_shares_of_others" })
	if i < 0 || a.owed == 0 {
		return nil
	}
	var above float64
	row := a.db.QueryRowContext(ctx, fmt.Sprintf(othersQuery, a.resource), a.tree, a.name, a.own, a.begin.UnixMicro(), a.end.UnixMicro())
	if err := row.Scan(&above); err != nil {
		return fmt.Errorf("read what the others had above their fair shares: %w", err)
	}
	a.reasons[i].exceeded = above/1e6 >= exceeds*float64(a.reasons[i].owed)/1e9
	return nil
}

// levelWords maps levels to their words.
var levelWords = map[string]string{"guarantee": "its strong guarantee", "fair_share": "its fair share", "demand": "what it wanted beyond its fair share"}

// sumsOf merges equal reasons, by the key that alike returns, the largest first.
func sumsOf(reasons []debt, alike func(debt) debt) (all []debt) {
	for _, r := range reasons {
		k := alike(r)
		i := slices.IndexFunc(all, func(x debt) bool { return alike(x) == k })
		if i < 0 {
			all = append(all, k)
			i = len(all) - 1
		}
		all[i].owed += r.owed
		if f := all[i].first; !r.first.IsZero() && (f.IsZero() || r.first.Before(f)) {
			all[i].first, all[i].latest = r.first, r.latest
		}
		if r.most > all[i].most {
			all[i].most, all[i].worst = r.most, r.worst
		}
	}
	slices.SortStableFunc(all, func(x, y debt) int { return int(max(min(y.owed-x.owed, 1), -1)) })
	return all
}

// byCause keeps a cause with its obstacle together, and of limits the pool.
func byCause(r debt) debt {
	k := debt{cause: r.cause, obstacle: r.obstacle, limiting: r.limiting, blocker: r.blocker, pool: r.pool, ratio: r.ratio, exceeded: r.exceeded}
	if r.cause == "others_over_fair_share" {
		k.pool = ""
	}
	return k
}

// byBranch keeps together what was held below one child of the pool that the element and the
// holder have in common, as there they compete: a pool, or an operation of that pool itself.
func (a *account) byBranch(r debt) debt {
	k := debt{cause: r.cause, pool: r.pool}
	if r.cause != "others_over_fair_share" || r.pool == "" {
		return k
	}
	own, holder := strings.Split(a.paths[a.own], "/"), strings.Split(a.paths[r.pool], "/")
	common := 0
	for common < min(len(own), len(holder)) && own[common] == holder[common] {
		common++
	}
	if common == len(holder) {
		k.operation = r.operation
		return k
	}
	if pool, known := a.pool[strings.Join(holder[:common+1], "/")]; known {
		k.pool = pool
	}
	return k
}

// holders are the branches that held what others had above their fair shares, the largest first;
// what is left of all stands last.
func (a *account) holders(alike func(debt) debt) []debt {
	others := slices.DeleteFunc(slices.Clone(a.reasons), func(r debt) bool { return r.cause != "others_over_fair_share" })
	all := sumsOf(others, alike)
	slices.SortStableFunc(all, func(x, y debt) int {
		return map[bool]int{true: 1}[x.pool == ""] - map[bool]int{true: 1}[y.pool == ""]
	})
	return all
}

// lacked returns the average amount of the resource that was lacking while it was.
func (a *account) lacked() string {
	share := float64(a.owed) / 1e9 / (float64(max(a.lacking, 1)) / 1e6)
	if a.total <= 0 {
		return percent(share) + " of the tree"
	}
	return a.amount(share)
}

// amount is a share of the tree as an amount of the resource.
func (a *account) amount(share float64) string {
	switch x := share * a.total; {
	case a.resource == "cpu" && x < 100, a.resource == "memory":
		return quantity.Amount(a.resource, float64(int64(x*10+0.5))/10)
	case x >= 1:
		return quantity.Amount(a.resource, float64(int64(x+0.5)))
	default:
		return quantity.Amount(a.resource, float64(int64(x*100+0.5))/100)
	}
}

// answer is the whole account, and what it rests on that the log does not record.
func (a *account) answer(ctx context.Context) (string, error) {
	text, err := a.lack(ctx)
	if err != nil || a.endless == 0 {
		return text, err
	}
	return text + fmt.Sprintf(" The log does not record when %s of the tree ended: usage, demand and fair shares count %s as running to the end of the window.",
		count(int(a.endless), "job", "jobs"), map[bool]string{true: "it", false: "them"}[a.endless == 1]), nil
}

// lack returns what the element lacked and why, in one sentence.
func (a *account) lack(ctx context.Context) (string, error) {
	subject := strings.ToUpper(a.kind[:1]) + a.kind[1:] + " " + a.name
	if a.at != nil {
		subject = fmt.Sprintf("From %s to %s UTC, around the time asked for, %s %s", clockTime(a.from), clockTime(a.to), a.kind, a.name)
	}
	if a.level == "" && a.demandUnknown {
		return subject + " had all of its fair share as far as the log shows. The log does not record demand: what it wanted, and whether it lacked any of that, is not known.", nil
	}
	if a.level == "" {
		return subject + " had all of its fair share and all that it wanted in this time.", nil
	}
	if a.owed == 0 { // the log does not record what it wanted
		return fmt.Sprintf("%s waited for %s: %s.", subject, seconds(float64(a.lacking)/1e6), a.reasons[0].words()), nil
	}
	verb := fmt.Sprintf("%s lacked %s of %s, on average, for %s", subject, a.lacked(), levelWords[a.level], seconds(float64(a.lacking)/1e6))
	if a.level == "demand" {
		verb = fmt.Sprintf("%s wanted %s beyond its fair share, on average, for %s, and did not get it", subject, a.lacked(), seconds(float64(a.lacking)/1e6))
	}
	top := sumsOf(a.reasons, func(r debt) debt {
		k := byCause(r)
		if k.cause == "others_over_fair_share" {
			k.obstacle, k.blocker = "", ""
		}
		return k
	})[0]
	why := top.words()
	var err error
	switch top.cause {
	case "others_over_fair_share":
		why, err = a.held(ctx)
	case "ancestor_limit", "own_limit":
		why, err = a.limit(ctx, top)
	case "not_schedulable":
		why, err = a.obstacle(ctx, top)
	}
	return verb + ": " + why + ".", err
}

// then returns the deficit at the requested moment, whose reason may differ from that of most of
// the deficit around it. Of rows that differ only in the obstacle, the last one counts.
func (a *account) then(ctx context.Context) (string, error) {
	began, _, err := a.began(ctx)
	if err != nil {
		return "", err
	}
	rows, err := a.db.QueryContext(ctx, `
SELECT level, cause, obstacle, coalesce(limiting_resource, ''), coalesce(holder_pool, ''), coalesce(holder_operation, ''), coalesce(blocking_pool, ''), owed_share_seconds
FROM (SELECT *, `+began+` AS began FROM share_debts
  WHERE tree = $1 AND element_kind = $2 AND coalesce(operation, pool) = $3 AND from_time <= make_timestamp($4) AND to_time > make_timestamp($4))
WHERE began <= make_timestamp($4)
QUALIFY began = max(began) OVER (PARTITION BY level, cause, limiting_resource, holder_pool, holder_operation)
ORDER BY level = $5 DESC, 1, 8 DESC, 2, 3, 4, 5, 6, 7`, a.tree, a.kind, a.name, a.at.UnixMicro(), a.level)
	if err != nil {
		return "", fmt.Errorf("read what %s %s lacked at %s: %w", a.kind, a.name, clockTime(*a.at), err)
	}
	defer rows.Close()
	var level string
	var reasons []debt
	for rows.Next() {
		var r debt
		var own string
		if err := rows.Scan(&own, &r.cause, &r.obstacle, &r.limiting, &r.pool, &r.operation, &r.blocker, &r.owed); err != nil {
			return "", err
		}
		if level == "" {
			level = own
		}
		r.exceeded = slices.ContainsFunc(a.reasons, func(x debt) bool { return x.cause == r.cause && x.exceeded })
		if own == level {
			reasons = append(reasons, r)
		}
	}
	if err := rows.Err(); err != nil {
		return "", err
	}
	moment := "At " + clockTime(*a.at) + " UTC itself "
	if reasons == nil {
		return moment + "it lacked nothing.", nil
	}
	return fmt.Sprintf("%sit lacked some of %s: %s.", moment, levelWords[level], sumsOf(reasons, byCause)[0].whole()), nil
}

// clockTime is a time of the day, exact as far as it is not a whole second.
func clockTime(t time.Time) string { return t.UTC().Format("15:04:05.999999") }

// held says who held most of what others had above their fair shares, by how much, and why that
// was not taken back.
func (a *account) held(ctx context.Context) (string, error) {
	holder := a.holders(a.byBranch)[0]
	kind, name := "pool", holder.pool
	if name == "" { // the smaller holders together
		return holder.words(), nil
	}
	if holder.operation != "" {
		kind, name = "operation", holder.operation
	}
	above, err := a.above(ctx, kind, name, holder)
	if err != nil {
		return "", err
	}
	its := slices.DeleteFunc(slices.Clone(a.reasons), func(r debt) bool {
		k := a.byBranch(r)
		return k.cause != holder.cause || k.pool != holder.pool || k.operation != holder.operation
	})
	obstacle := sumsOf(its, byCause)[0]
	text := kind + " " + name + " held " + above
	if words := obstacle.obstacleWords("its jobs"); words != "" {
		text += ", and " + words
	}
	return text, nil
}

// aboveQuery has what the element $2 of the tree $1 used and was to have of a resource in the µs $3
// to $4, in share·s. The sums of the dominant resource are exact, those of others go by the beginning of
// each interval.
const aboveQuery = `
SELECT sum(CASE WHEN usage_share_%[2]s >= usage_ratio - 1e-9 THEN usage_ratio_seconds / 1e9 * us / span ELSE usage_share_%[2]s * us / 1e6 END)::DOUBLE,
  sum(CASE WHEN fair_share_%[2]s >= fair_share_ratio - 1e-9 THEN fair_share_ratio_seconds / 1e9 * us / span ELSE fair_share_%[2]s * us / 1e6 END)::DOUBLE, sum(us) / 1e6
FROM (SELECT *, greatest(date_diff('us', from_time, to_time), 1) AS span, date_diff('us', greatest(from_time, make_timestamp($3)), least(to_time, make_timestamp($4))) AS us
  FROM %[1]s_intervals WHERE tree = $1 AND %[1]s = $2 AND from_time < make_timestamp($4) AND to_time > make_timestamp($3))`

// mostPercent is the greatest percentage above a fair share that is printed; beyond it the amount
// says more.
const mostPercent = 1000

// above returns how far a holder was above its fair share of the lacking resource: on average, if
// share was lacking for at least half of the time, else when most was booked to it.
func (a *account) above(ctx context.Context, kind, name string, h debt) (string, error) {
	begin, end, when := a.begin.UnixMicro(), a.end.UnixMicro(), ""
	if 2*a.lacking < end-begin {
		begin, when = h.worst.UnixMicro(), " at "+h.worst.Format("15:04:05")
		end = begin + 1
	}
	var used, fair, seconds sql.NullFloat64
	row := a.db.QueryRowContext(ctx, fmt.Sprintf(aboveQuery, kind, a.resource), a.tree, name, begin, end)
	if err := row.Scan(&used, &fair, &seconds); err != nil {
		return "", fmt.Errorf("read what %s %s used: %w", kind, name, err)
	}
	percent := 100 * (used.Float64/max(fair.Float64, 1e-12) - 1)
	switch {
	case used.Float64 <= fair.Float64: // at other times
		return "more than its fair share at times", nil
	case percent > mostPercent && a.total > 0:
		return fmt.Sprintf("%s above its fair share of %s", a.amount((used.Float64-fair.Float64)/seconds.Float64),
			a.amount(fair.Float64/seconds.Float64)) + when, nil
	case fair.Float64 <= 0:
		return "share" + when + " though its fair share was nothing", nil
	case percent < 1:
		return "less than 1 % above its fair share" + when, nil
	}
	return quantity.Number(percent, 0) + " % above its fair share" + when, nil
}

// obstacle says why operations got no jobs; of graceful ones, by the numbers of the one that this
// kept longest from them around the time when most was lacking.
func (a *account) obstacle(ctx context.Context, r debt) (string, error) {
	var known int
	if err := a.db.QueryRowContext(ctx, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'operation_obstacles'").Scan(&known); err != nil || known == 0 || r.obstacle != scheduling.FairShareExceeded.Ledger() {
		return r.words(), err
	}
	var g graceful
	row := a.db.QueryRowContext(ctx, `
SELECT o.operation, resource, usage_share, starts_below_share, fair_share
FROM operation_obstacles AS o JOIN pools AS p ON p.tree = o.tree AND p.pool = o.pool
WHERE o.tree = $1 AND o.obstacle = $4 AND ($2 = 'operation' AND o.operation = $3 OR $2 = 'pool' AND starts_with(p.path || '/', $5 || '/'))
ORDER BY from_time <= make_timestamp($6) AND to_time > make_timestamp($6) DESC, to_time - from_time DESC, o.operation, from_time LIMIT 1`,
		a.tree, a.kind, a.name, r.obstacle, a.paths[a.own], r.worst.UnixMicro())
	switch err := row.Scan(&g.operation, &g.resource, &g.usage, &g.below, &g.fair); {
	case err == sql.ErrNoRows:
		return r.words(), nil
	case err != nil:
		return "", fmt.Errorf("read what kept operations of %s from jobs: %w", a.name, err)
	}
	if a.kind == "operation" {
		return "it is " + g.words(), nil
	}
	return "its operation " + g.operation + " is " + g.words(), nil
}

// A graceful operation starts jobs only below a share.
type graceful struct {
	operation, resource string
	usage, below, fair  float64
}

func (g *graceful) words() string {
	noun, _ := resourceWord(g.resource)
	if g.fair <= 0 {
		return fmt.Sprintf("graceful and has no fair share of %s, so that it starts no jobs", noun)
	}
	return fmt.Sprintf("graceful and starts jobs only while it uses less than %s of its fair share, that is %s of the tree's %s; it used %s",
		percent(g.below/g.fair), percent(g.below), noun, percent(g.usage))
}

// whole returns why share was lacking, and why it was not taken back.
func (r *debt) whole() string {
	why := r.words()
	if words := r.obstacleWords("their jobs"); r.cause == "others_over_fair_share" && words != "" {
		why += ", and " + words
	}
	return why
}

// words returns why share was lacking.
func (r *debt) words() string {
	resource, were := resourceWord(r.limiting)
	switch r.cause {
	case "own_limit":
		if r.ratio > 0 {
			return fmt.Sprintf("its max_share_ratio of %g left no room for more %s", r.ratio, resource)
		}
		return "its own limit of " + resource + " left no room"
	case "less_than_a_job":
		return "what it lacked was less than one of its jobs takes"
	case "ancestor_limit":
		if r.ratio > 0 {
			return fmt.Sprintf("the max_share_ratio of %g of pool %s left no room for more %s", r.ratio, r.pool, resource)
		}
		return fmt.Sprintf("the limit of %s of pool %s left no room", resource, r.pool)
	case "operation_count":
		return fmt.Sprintf("operations waited for admission, since pool %s had as many running ones as it may", r.pool)
	case "not_schedulable":
		if r.obstacle == "" { // of an older program
			return scheduling.NotRunning.Several()
		}
		return scheduling.ByLedgerWord(r.obstacle).Several()
	case "fragmentation":
		if r.obstacle == scheduling.NoRoomLeft.Ledger() {
			return fmt.Sprintf("free %s on a node %s less than min_spare_resources, below which nothing is started", resource, were)
		}
		return "free " + resource + " " + were + " in pieces too small for a job"
	case "excluded_nodes":
		if r.obstacle == scheduling.RegularJobOnSSDForbidden.Ledger() {
			return "what was free was on SSD nodes, which a pool forbids to jobs that ask for no SSD"
		}
		return "what was free was on nodes that tags or segments exclude"
	case "scheduling_delay":
		return "free room that fits its jobs was not given yet"
	case "others_over_fair_share":
		return "others held more than their fair shares"
	case "lost_nodes":
		return "nodes had left the tree"
	case "spent_volume":
		return "its integral guarantee had no volume left"
	case "zero_weight":
		if r.pool == "" {
			return "its weight is 0, which gives no share beyond guarantees"
		}
		return "pool " + r.pool + " has weight 0, which gives no share beyond guarantees"
	case "fair_shares_of_others":
		if r.exceeded {
			return "its fair share was no larger, and others held more than their own"
		}
		return "the others had no more than their fair shares"
	}
	return "the log does not explain it"
}

// resourceWord is a resource in a sentence, and the verb that it takes.
func resourceWord(name string) (noun, verb string) {
	switch name {
	case "":
		return "resources", "were"
	case "cpu":
		return "cores", "were"
	case "gpu":
		return "GPUs", "were"
	case "user_slots":
		return "user slots", "were"
	}
	return name, "was"
}

// obstacleWords returns why preemption did not take share back from the owner of the jobs.
func (r *debt) obstacleWords(jobs string) string {
	o := scheduling.ByLedgerWord(r.obstacle)
	text := o.Text(jobs)
	switch {
	case o == scheduling.Blocked && r.blocker != "":
		return "pool " + r.blocker + ", which needs its share itself, protects " + jobs
	case o != scheduling.IsPreemptible || r.first.IsZero():
		return text
	case !r.latest.IsZero():
		return fmt.Sprintf("%s from some time between %s and %s on", text, r.first.Format("15:04:05"), r.latest.Format("15:04:05"))
	}
	return text + " from " + r.first.Format("15:04:05") + " on"
}
