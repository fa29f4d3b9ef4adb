package report

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"poolproof/core/quantity"
)

// An account is what an element lacked in a span, and why: its rows of share_debts.
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

	demandUnknown bool // the log does not record demand

	own         string            // the element's pool: of an operation that it is in
	paths, pool map[string]string // of pools: their paths, and back
}

// A debt is a cause with what tells it apart, and what is booked to it.
type debt struct {
	cause, obstacle, limiting string
	pool, operation, blocker  string    // holder, or the pool whose limit it is
	owed                      int64     // 1e-9 share·s
	first                     time.Time // from when on it stood for sure: of a span in which the obstacle changed, its end
	worst                     time.Time // the middle of the row with the most booked
	most                      int64     // what that is
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
	return a, a.readReasons(ctx)
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

// readReasons are what is booked, the largest first.
func (a *account) readReasons(ctx context.Context) error {
	rows, err := a.db.QueryContext(ctx, ofRows+`
SELECT cause, obstacle, coalesce(limiting_resource, ''), coalesce(holder_pool, ''), coalesce(holder_operation, ''), coalesce(blocking_pool, ''), sum(owed_share_seconds)::BIGINT AS owed,
  epoch_us(min(CASE WHEN changes THEN to_time ELSE from_time END)), -- within a span that has two obstacles the moment of the change is not recorded
  max_by((epoch_us(from_time) + epoch_us(to_time)) // 2, (owed_share_seconds, from_time)), max(owed_share_seconds)
FROM (SELECT *, min(obstacle) OVER span <> max(obstacle) OVER span AS changes FROM debts WHERE level = $6 WINDOW span AS (PARTITION BY from_time, cause, holder_pool, holder_operation))
GROUP BY ALL ORDER BY owed DESC, 1, 2, 3, 4, 5, 6`, a.tree, a.kind, a.name, a.from.UnixMicro(), a.to.UnixMicro(), a.level)
	if err != nil {
		return fmt.Errorf("read why %s %s lacked share: %w", a.kind, a.name, err)
	}
	defer rows.Close()
	for rows.Next() {
		var r debt
		var first, worst int64
		if err := rows.Scan(&r.cause, &r.obstacle, &r.limiting, &r.pool, &r.operation, &r.blocker, &r.owed, &first, &worst, &r.most); err != nil {
			return err
		}
		r.first, r.worst = time.UnixMicro(first).UTC(), time.UnixMicro(worst).UTC()
		a.reasons = append(a.reasons, r)
	}
	return rows.Err()
}

// levelWords are what the levels are called.
var levelWords = map[string]string{"guarantee": "its strong guarantee", "fair_share": "its fair share", "demand": "what it wanted beyond its fair share"}

// sumsOf are the reasons, those alike but for what distinct keeps together, the largest first.
func sumsOf(reasons []debt, alike func(debt) debt) (all []debt) {
	for _, r := range reasons {
		k := alike(r)
		i := slices.IndexFunc(all, func(x debt) bool { return alike(x) == k })
		if i < 0 {
			all = append(all, k)
			i = len(all) - 1
			all[i].first = r.first
		}
		all[i].owed += r.owed
		if r.first.Before(all[i].first) {
			all[i].first = r.first
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
	k := debt{cause: r.cause, obstacle: r.obstacle, limiting: r.limiting, blocker: r.blocker, pool: r.pool}
	if r.cause == "others_over_fair_share" {
		k.pool = ""
	}
	return k
}

// byBranch keeps together what was held below one child of the pool that the element and the
// holder have in common, as there they compete: a pool, or an operation of that pool itself.
func (a *account) byBranch(r debt) debt {
	k := debt{cause: r.cause, pool: r.pool}
	if r.cause != "others_over_fair_share" || r.pool == rootName {
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
		return map[bool]int{true: 1}[x.pool == rootName] - map[bool]int{true: 1}[y.pool == rootName]
	})
	return all
}

// lacked is how much of the resource was lacking on average while it was.
func (a *account) lacked() string {
	share := float64(a.owed) / 1e9 / (float64(max(a.lacking, 1)) / 1e6)
	if a.total <= 0 {
		return percent(share) + " of the tree"
	}
	switch x := share * a.total; {
	case a.resource == "cpu" && x < 100, a.resource == "memory":
		return quantity.Amount(a.resource, float64(int64(x*10+0.5))/10)
	case x >= 1:
		return quantity.Amount(a.resource, float64(int64(x+0.5)))
	default:
		return quantity.Amount(a.resource, float64(int64(x*100+0.5))/100)
	}
}

// answer is the whole account in one sentence.
func (a *account) answer(ctx context.Context) (string, error) {
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
	}
	return verb + ": " + why + ".", err
}

// then is what was lacking at the moment that was asked for, which may have another reason than most
// of what was lacking around it.
func (a *account) then(ctx context.Context) (string, error) {
	rows, err := a.db.QueryContext(ctx, `
SELECT level, cause, obstacle, coalesce(limiting_resource, ''), coalesce(holder_pool, ''), coalesce(holder_operation, ''), coalesce(blocking_pool, ''), owed_share_seconds, epoch_us(from_time)
FROM share_debts
WHERE tree = $1 AND element_kind = $2 AND coalesce(operation, pool) = $3 AND from_time <= make_timestamp($4) AND to_time > make_timestamp($4)
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
		var first int64
		if err := rows.Scan(&own, &r.cause, &r.obstacle, &r.limiting, &r.pool, &r.operation, &r.blocker, &r.owed, &first); err != nil {
			return "", err
		}
		if level == "" {
			level = own
		}
		if r.first = time.UnixMicro(first).UTC(); own == level {
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
	top := sumsOf(reasons, byCause)[0]
	why := top.words()
	if words := top.obstacleWords("their jobs"); top.cause == "others_over_fair_share" && words != "" {
		why += ", and " + words
	}
	return fmt.Sprintf("%sit lacked some of %s: %s.", moment, levelWords[level], why), nil
}

// clockTime is a time of the day, exact as far as it is not a whole second.
func clockTime(t time.Time) string { return t.UTC().Format("15:04:05.999999") }

// held says who held most of what others had above their fair shares, by how much, and why that
// was not taken back.
func (a *account) held(ctx context.Context) (string, error) {
	holder := a.holders(a.byBranch)[0]
	kind, name := "pool", holder.pool
	if name == rootName { // the smaller holders together
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

// meaningful is by how many percent a holder may be above its fair share for that to say something:
// of next to nothing, anything is thousands of percent.
const meaningful = 100

// above is by how much a holder was above its fair share, by dominant shares: on average, where
// share was lacking for at least half of the time, else when most was booked to it.
func (a *account) above(ctx context.Context, kind, name string, h debt) (string, error) {
	begin, end, when := a.begin.UnixMicro(), a.end.UnixMicro(), ""
	if 2*a.lacking < end-begin {
		begin, when = h.worst.UnixMicro(), " at "+h.worst.Format("15:04:05")
		end = begin + 1
	}
	var used, fair sql.NullFloat64
	row := a.db.QueryRowContext(ctx, "SELECT sum(usage_ratio_seconds * part)::DOUBLE, sum(fair_share_ratio_seconds * part)::DOUBLE FROM "+
		"(SELECT *, date_diff('us', greatest(from_time, make_timestamp($3)), least(to_time, make_timestamp($4))) / nullif(date_diff('us', from_time, to_time), 0) AS part FROM "+kind+"_intervals) WHERE tree = $1 AND "+kind+" = $2 AND from_time < make_timestamp($4) AND to_time > make_timestamp($3)",
		a.tree, name, begin, end)
	if err := row.Scan(&used, &fair); err != nil {
		return "", fmt.Errorf("read what %s %s used: %w", kind, name, err)
	}
	switch {
	case used.Float64 <= fair.Float64: // in other resources, or at other times
		return "more than its fair share at times", nil
	case fair.Float64 <= 0:
		return "share" + when + " though its fair share was nothing", nil
	}
	above := 100 * (used.Float64/fair.Float64 - 1)
	switch mean := float64(end-begin) * 1e3; { // usage is in 1e-9 share·s
	case above < 1:
		return "less than 1 % above its fair share" + when, nil
	case above > meaningful:
		return fmt.Sprintf("a dominant share of %s of the tree%s, and its fair share was %s", percent(used.Float64/mean), when, percent(fair.Float64/mean)), nil
	}
	return quantity.Number(above, 0) + " % above its fair share" + when, nil
}

// words are why share was lacking.
func (r *debt) words() string {
	resource, were := resourceWord(r.limiting)
	switch r.cause {
	case "own_limit":
		return "its own limit of " + resource + " left no room"
	case "less_than_a_job":
		return "what it lacked was less than one of its jobs takes"
	case "ancestor_limit":
		return fmt.Sprintf("the limit of %s of pool %s left no room", resource, r.pool)
	case "operation_count":
		return fmt.Sprintf("operations waited for admission, since pool %s had as many running ones as it may", r.pool)
	case "not_schedulable":
		return map[string]string{
			"suspended":       "operations were suspended",
			"fifo_limit":      "its FIFO pool schedules no more operations at a time",
			"throttled":       "the controllers declined jobs",
			"no_pending_jobs": "no jobs waited though share was wanted",
		}[r.obstacle]
	case "fragmentation":
		return "free " + resource + " " + were + " in pieces too small for a job"
	case "excluded_nodes":
		return "what was free was on nodes that tags or segments exclude"
	case "scheduling_delay":
		return "free room that fits its jobs was not given yet"
	case "others_over_fair_share":
		return "others held more than their fair shares"
	case "lost_nodes":
		return "nodes had left the tree"
	case "spent_volume":
		return "its integral guarantee had no volume left"
	case "fair_shares_of_others":
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

// obstacleWords are why preemption did not take share back from whose the jobs are.
func (r *debt) obstacleWords(jobs string) string {
	switch r.obstacle {
	case "not_starving":
		return "without starvation nothing could be preempted"
	case "timeout_not_over":
		return "before the starvation timeout was over nothing could be preempted"
	case "excluded_nodes":
		return jobs + " ran on nodes that tags or segments exclude"
	case "non_preemptible":
		return jobs + " are not preemptible"
	case "aggressive_only":
		return jobs + " may be preempted for aggressive starvation only"
	case "aggressive_preemption_forbidden":
		return jobs + " may be preempted aggressively only, which is forbidden in their pool"
	case "normal_preemption_forbidden":
		return "preemption of " + jobs + " is forbidden in their pool"
	case "graceful":
		return jobs + " are only asked to finish"
	case "blocked":
		if r.blocker != "" {
			return "pool " + r.blocker + ", which needs its share itself, protects " + jobs
		}
		return "their operation, which needs its share itself, protects " + jobs
	case "backoff":
		return "preemption on the nodes of " + jobs + " backed off"
	case "preemptible":
		if r.first.IsZero() {
			return jobs + " could have been preempted"
		}
		return jobs + " could have been preempted from " + r.first.Format("15:04:05") + " on"
	}
	return spaced(r.obstacle)
}
