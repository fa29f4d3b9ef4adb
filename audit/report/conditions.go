package report

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"poolproof/core/pooltree"
	"poolproof/core/scheduling"
)

// conditions tells why an operation that waits got no job: at the time asked for, else in the
// middle of its longest wait, each condition for one, which of them held, and how many nodes
// met those about nodes. Of a pool it is the operation of it that waited longest.
func (s *Subject) conditions(ctx context.Context, d *Document, from, to time.Time) error {
	operations, err := s.operationsOf(ctx, from, to)
	if err != nil {
		return err
	}
	w, err := s.longestWait(ctx, operations, from, to)
	if err != nil || w == nil {
		return err
	}
	at, when := w.middle(), w.what
	if s.At != nil {
		at, when = *s.At, "the time asked for"
	}
	q := question{Subject: s, operation: w.operation, at: at.UnixMicro()}
	there, err := q.read(ctx)
	if err != nil || !there {
		return err
	}
	of := "it"
	if s.Kind == "pool" {
		of = "operation " + w.operation + ", which waited longest of it,"
	}
	p := &passage{Key: "conditions"}
	p.Title = fmt.Sprintf("What %s needed to get a job at %s UTC, %s", of, at.Format("2006-01-02 15:04:05"), when)
	d.Passages = append(d.Passages, p)
	if err := q.held(ctx, p); err != nil {
		return err
	}
	return q.places(ctx, d, at)
}

// operationsOf are the ids of the operations that the subject is or has, as JSON; of a pool
// those that were there in the span, or at the time asked for.
func (s *Subject) operationsOf(ctx context.Context, from, to time.Time) (string, error) {
	names := []string{s.Name}
	if s.Kind == "pool" {
		if s.At != nil {
			from, to = *s.At, *s.At
		}
		var list string
		row := s.DB.QueryRowContext(ctx, `
SELECT coalesce(to_json(list(DISTINCT i.operation ORDER BY i.operation)), '[]')
FROM operation_intervals AS i
JOIN pools AS p ON p.tree = i.tree AND p.pool = i.pool
JOIN pools AS own ON own.tree = i.tree AND own.pool = $2
WHERE i.tree = $1 AND starts_with(p.path || '/', own.path || '/') AND i.from_time <= make_timestamp($4) AND i.to_time > make_timestamp($3)`, s.Tree, s.Name, from.UnixMicro(), to.UnixMicro())
		err := row.Scan(&list)
		return list, err
	}
	b, err := json.Marshal(names)
	return string(b), err
}

// A question asks why an operation got no job at a moment.
type question struct {
	*Subject
	operation string
	at        int64 // µs

	pool, path          string
	running             bool
	status, starvingFor string
	usage, fair, demand [5]float64 // shares of the tree by resource
	used, limits, wants vector     // wants is its demand beyond usage
	own                 settings
	obstacle            obstacleThen
	filter, segment     string
	requestsSSD         bool
	job                 vector // smallest one
	sized               string // how that is known; empty if it is not

	requirements []requirement
	decided      bool // by one of them
}

// read reads the operation at the moment; it is not there if the run holds nothing about it.
func (q *question) read(ctx context.Context) (there bool, err error) {
	var demand vector
	row := q.DB.QueryRowContext(ctx, `
SELECT i.pool, coalesce(p.path, i.pool), i.running, i.starvation_status, i.starving_for,
  o.scheduling_tag_filter, o.scheduling_segment, o.requests_ssd, o.smallest_job_user_slots IS NOT NULL, `+settingColumns("o")+", "+
		strings.Join([]string{
			amountColumns("", "i.resource_usage_"), amountColumns("", "i.resource_demand_"),
			amountColumns("", "i.resource_limits_"), amountColumns("", "o.smallest_job_"),
			shareColumns("i.usage_share_"), shareColumns("i.fair_share_"), shareColumns("i.demand_share_"),
		}, ", ")+`
FROM operation_intervals AS i JOIN `+operationsAnyAge+` AS o USING (tree, operation) LEFT JOIN pools AS p ON p.tree = i.tree AND p.pool = i.pool
WHERE i.tree = $1 AND i.operation = $2 AND i.from_time <= make_timestamp($3) AND i.to_time > make_timestamp($3)
ORDER BY i.from_time DESC LIMIT 1`, q.Tree, q.operation, q.at)
	var sized bool
	targets := append([]any{&q.pool, &q.path, &q.running, &q.status, &q.starvingFor, &q.filter, &q.segment, &q.requestsSSD, &sized}, q.own.scanned()...)
	for _, a := range []*vector{&q.used, &demand, &q.limits, &q.job} {
		targets = append(targets, a.scanned()...)
	}
	for _, shares := range []*[5]float64{&q.usage, &q.fair, &q.demand} {
		for k := range shares {
			targets = append(targets, &shares[k])
		}
	}
	switch err := row.Scan(targets...); {
	case err == sql.ErrNoRows:
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read operation %s: %w", q.operation, err)
	}
	for k := range q.wants {
		q.wants[k] = max(demand[k]-q.used[k], 0)
	}
	if sized {
		q.sized = "as recorded"
		return true, nil
	}
	return true, q.sizeByJobs(ctx)
}

// sizeByJobs takes the least of each resource that a job of the operation took for its
// smallest one.
func (q *question) sizeByJobs(ctx context.Context) error {
	var jobs int64
	row := q.DB.QueryRowContext(ctx, "SELECT count(*), "+amountColumns("min", "resources_")+" FROM jobs WHERE tree = $1 AND operation = $2", q.Tree, q.operation)
	if err := row.Scan(append([]any{&jobs}, q.job.scanned()...)...); err != nil {
		return fmt.Errorf("read the jobs of operation %s: %w", q.operation, err)
	}
	if jobs > 0 {
		q.sized = "by the jobs that it had"
	}
	return nil
}

// decided marks the condition that kept the operation from a job, where one can be told: the first
// that has to hold and that no limit or node met.
const decided = "  <- this one"

// A requirement is a condition about an operation and its pools.
type requirement struct {
	text   string
	holds  bool
	detail string
	must   bool // no job without it
}

// held tells each condition about the operation and its pools, whether it held, and which decided.
func (q *question) held(ctx context.Context, p *passage) error {
	if err := q.require(ctx); err != nil {
		return err
	}
	first := 1 + slices.IndexFunc(q.requirements[1:], func(r requirement) bool { return r.must && !r.holds })
	q.decided = first > 0 || !q.running // the first is that it is admitted, and what it waits for says more
	p.Table = &grid{columns: []column{{"holds", "", "holds"}, {"condition", "", "condition"}, {"detail", "", "what there was"}, {"decided", "", ""}}}
	for i, r := range q.requirements {
		answer, mark := "yes", ""
		switch {
		case r.holds:
		case i == first && q.decided:
			answer, mark = "NO", decided
		case r.must:
			answer = "NO"
		default:
			answer = "no"
			p.After = `A job needs what has "NO"; what has "no" would only have helped.`
		}
		p.Table.Rows = append(p.Table.Rows, []value{{r.holds, answer + mark}, word(r.text), word(r.detail), {mark != "", ""}})
		p.addLine(0, "%-3s  %s: %s%s", answer, r.text, r.detail, mark)
	}
	return nil
}

// add adds a condition without which there is no job, may one that would only have helped.
func (q *question) add(text string, holds bool, detail string) {
	q.requirements = append(q.requirements, requirement{text, holds, detail, true})
}

func (q *question) may(text string, holds bool, detail string) {
	q.requirements = append(q.requirements, requirement{text, holds, detail, false})
}

// checks are the conditions about the operation and its pools in their order, with the obstacles for
// which the core declines where one does not hold. Those about nodes have the obstacles of
// nodeObstacles; with the unrecorded ones these are all for which the core can decline.
var checks = []struct {
	of  []scheduling.Obstacle
	ask func(*question, context.Context, []link) error
}{
	{[]scheduling.Obstacle{scheduling.NotRunning}, (*question).admission},
	{[]scheduling.Obstacle{scheduling.NoPendingJobs, scheduling.NoDemand}, (*question).pendingJobs},
	{[]scheduling.Obstacle{
		scheduling.Suspended, scheduling.Throttled, scheduling.FIFOLimitReached, scheduling.RecentlyFailed, scheduling.SaturatedInTentativeTree,
	}, (*question).participation},
	{[]scheduling.Obstacle{scheduling.LimitsExceeded}, (*question).headroom},
	{[]scheduling.Obstacle{scheduling.FairShareExceeded}, (*question).fairShare},
}

// unrecorded are the obstacles that no log tells of.
var unrecorded = []scheduling.Obstacle{scheduling.BadPacking, scheduling.ControllerRefused, scheduling.MostStarted}

// require asks for each condition about the operation and its pools.
func (q *question) require(ctx context.Context) error {
	links, err := q.chain(ctx)
	if err != nil {
		return err
	}
	if err := q.readObstacle(ctx); err != nil {
		return err
	}
	for _, c := range checks {
		if err := c.ask(q, ctx, links); err != nil {
			return err
		}
	}
	if !q.running || len(links) == 0 {
		return nil // what waits for admission has no share yet
	}
	return q.starvation(ctx)
}

// An obstacleThen is the reason why, by the rules, no node would have started a job of the
// operation at the moment.
type obstacleThen struct {
	scheduling.Obstacle
	graceful graceful
}

// readObstacle reads it; a run of an older program does not tell.
func (q *question) readObstacle(ctx context.Context) error {
	var known int
	if err := q.DB.QueryRowContext(ctx, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'operation_obstacles'").Scan(&known); err != nil || known == 0 {
		return err
	}
	var word string
	g := &q.obstacle.graceful
	row := q.DB.QueryRowContext(ctx, `
SELECT obstacle, coalesce(resource, ''), coalesce(usage_share, 0), coalesce(starts_below_share, 0), coalesce(fair_share, 0) FROM operation_obstacles
WHERE tree = $1 AND operation = $2 AND from_time <= make_timestamp($3) AND to_time > make_timestamp($3)
ORDER BY from_time DESC LIMIT 1`, q.Tree, q.operation, q.at)
	switch err := row.Scan(&word, &g.resource, &g.usage, &g.below, &g.fair); {
	case err == sql.ErrNoRows:
		return nil
	case err != nil:
		return fmt.Errorf("read what kept operation %s from jobs: %w", q.operation, err)
	}
	q.obstacle.Obstacle = scheduling.ByLedgerWord(word)
	return nil
}

// pendingJobs tells whether jobs wait.
func (q *question) pendingJobs(context.Context, []link) error {
	if !q.running && q.wants == (vector{}) {
		return nil
	}
	detail := "wants " + all(q.wants, "nothing") + " more; smallest job: " + q.smallest()
	if q.sized != "" && q.wants != (vector{}) && !q.job.fitsIn(q.wants) {
		detail += "; " + scheduling.NoDemand.Text("")
	}
	q.add("jobs wait", q.wants != vector{}, detail)
	return nil
}

// headroom tells whether the limits that are enforced leave room for the smallest job: those of an
// operation and of pools that have resource_limits of their own (core/spec/scheduling.md §11.1).
func (q *question) headroom(_ context.Context, links []link) error {
	if len(links) == 0 {
		return nil
	}
	for _, l := range links {
		if !q.running && l.mostRunning.Valid {
			q.add("room for a running operation in "+l.name(), l.running < l.mostRunning.Int64,
				fmt.Sprintf("%s of %s run", number(l.running), number(l.mostRunning.Int64)))
		}
	}
	total := links[len(links)-1]
	q.limited("room under its own limits", &q.own, q.filter, q.limits, q.used, total.limits)
	for i := range links[:len(links)-1] {
		l := &links[i]
		q.limited("room under the limits of "+l.name(), &l.settings, l.filter, l.limits, l.used, total.limits)
	}
	q.roomIn("room in the tree", total.limits, total.used, vector{}, nil)
	return nil
}

// fairShare tells whether the operation is below its fair share, which a graceful one has to be.
func (q *question) fairShare(_ context.Context, links []link) error {
	if !q.running || len(links) == 0 {
		return nil
	}
	if q.obstacle.Obstacle == scheduling.FairShareExceeded {
		q.add("below its fair share", false, "it is "+q.obstacle.graceful.words())
		return nil
	}
	most, k := 1e-9, -1 // the resource that it lacks most, else the one that it demands most of
	for i := range q.fair {
		if short := min(q.fair[i], q.demand[i]) - q.usage[i]; short > most {
			most, k = short, i
		}
	}
	below := k >= 0
	for i := range q.demand {
		if !below && (k < 0 || q.demand[i] > q.demand[k]) {
			k = i
		}
	}
	noun, _ := resourceWord(resourceNames[k])
	detail := fmt.Sprintf("uses %s of the tree's %s; fair share %s, demand %s", percent(q.usage[k]), noun, percent(q.fair[k]), percent(q.demand[k]))
	if q.own.weight == (sql.NullFloat64{Valid: true}) {
		detail += "; its weight is 0"
	}
	for i := range links {
		if l := &links[i]; l.weight == (sql.NullFloat64{Valid: true}) {
			detail += "; " + l.name() + " has weight 0"
		}
	}
	q.may("below its fair share", below, detail)
	return nil
}

// all are the amounts that are not 0, for a person.
func all(a vector, none string) string {
	var parts []string
	for k, n := range a {
		if n != 0 {
			parts = append(parts, amount(k, n))
		}
	}
	if parts == nil {
		return none
	}
	return strings.Join(parts, ", ")
}

// smallest is the smallest job of the operation, and how it is known.
func (q *question) smallest() string {
	if q.sized == "" {
		return "of a size that the log does not record"
	}
	return all(q.job, "nothing") + ", " + q.sized
}

// admission says whether the operation runs, else in whose queue it waits.
func (q *question) admission(ctx context.Context, _ []link) error {
	if q.running {
		q.add("admitted to run", true, "in pool "+q.path)
		return nil
	}
	var blocking sql.NullString
	row := q.DB.QueryRowContext(ctx, `
SELECT blocking_pool FROM pending_episodes WHERE tree = $1 AND operation = $2 AND from_time <= make_timestamp($3) AND to_time > make_timestamp($3)
ORDER BY from_time DESC LIMIT 1`, q.Tree, q.operation, q.at)
	detail := "waits in pool " + q.path
	switch err := row.Scan(&blocking); {
	case err == sql.ErrNoRows || err == nil && !blocking.Valid:
	case err != nil:
		return fmt.Errorf("look for the queue of operation %s: %w", q.operation, err)
	default:
		detail = "waits in the queue of pool " + blocking.String
	}
	q.add("admitted to run", false, detail)
	return nil
}

// participation tells whether the operation took part: by the rules, else by the last record before
// the moment.
func (q *question) participation(ctx context.Context, _ []link) error {
	const text = "takes part in scheduling"
	if o := q.obstacle.Obstacle; o != scheduling.NoObstacle && o != scheduling.FairShareExceeded {
		q.add(text, false, o.Text("")+", by the rules")
		return nil
	}
	var at int64
	var reason string
	row := q.DB.QueryRowContext(ctx, `
SELECT epoch_us(from_time), recomputed_unschedulable_reason FROM snapshot_operations
WHERE tree = $1 AND operation = $2 AND from_time <= make_timestamp($3) ORDER BY from_time DESC LIMIT 1`, q.Tree, q.operation, q.at)
	switch err := row.Scan(&at, &reason); {
	case err == sql.ErrNoRows:
		return nil // no record of the scheduler tells of it
	case err != nil:
		return fmt.Errorf("read the records of operation %s: %w", q.operation, err)
	}
	detail := "by the scheduler's record of " + timeOfDay(at)
	if reason != "" {
		words := scheduling.ByName(reason).Text("")
		if words == "" {
			words = spaced(reason)
		}
		detail = words + ", " + detail
	}
	q.add(text, reason == "", detail)
	return nil
}

// chainQuery has the pools of the path $2 in the tree $1 at the µs $3, from the operation's up
// to the tree.
var chainQuery = `
WITH chain AS (SELECT pool, path FROM pools WHERE tree = $1 AND starts_with($2 || '/', path || '/') UNION ALL SELECT '<Root>', '')
SELECT c.pool, i.running_operation_count, i.max_running_operation_count,
  coalesce(v.scheduling_tag_filter, ''), coalesce(v.allow_regular_jobs_on_ssd_nodes, true), ` + settingColumns("v") + ", " + amountColumns("", "i.resource_usage_") + ", " + amountColumns("", "i.resource_limits_") + `
FROM chain AS c
JOIN (SELECT * FROM pool_intervals WHERE tree = $1 AND from_time <= make_timestamp($3) AND to_time > make_timestamp($3)) AS i ON i.pool = c.pool
LEFT JOIN (SELECT * FROM pool_versions WHERE tree = $1 AND from_time <= make_timestamp($3) AND to_time > make_timestamp($3)) AS v ON v.pool = c.pool
ORDER BY length(c.path) DESC`

// A link is a pool of an operation's chain.
type link struct {
	settings
	pool         string
	running      int64
	mostRunning  sql.NullInt64
	filter       string
	regularOnSSD bool
	used, limits vector
}

func (q *question) chain(ctx context.Context) (all []link, err error) {
	rows, err := q.DB.QueryContext(ctx, chainQuery, q.Tree, q.path, q.at)
	if err != nil {
		return nil, fmt.Errorf("read the pools above operation %s: %w", q.operation, err)
	}
	defer rows.Close()
	for rows.Next() {
		var l link
		targets := append([]any{&l.pool, &l.running, &l.mostRunning, &l.filter, &l.regularOnSSD}, l.settings.scanned()...)
		if err := rows.Scan(append(append(targets, l.used.scanned()...), l.limits.scanned()...)...); err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, rows.Err()
}

// name is the pool of a link for a person.
func (l *link) name() string {
	if l.pool == rootName {
		return "the tree"
	}
	return "pool " + l.pool
}

// Settings holds the limits of an operation or a pool, amounts as in a vector.
type settings struct {
	weight, maxShareRatio sql.NullFloat64
	amounts               [5]sql.NullInt64 // resource_limits
}

// settingColumns selects the settings from a table of that name.
func settingColumns(table string) string {
	columns := []string{table + ".weight", table + ".max_share_ratio"}
	for _, name := range resourceNames {
		column := table + ".resource_limits_" + name
		if name == "cpu" {
			column = "round(100 * " + column + ")::BIGINT"
		}
		columns = append(columns, column)
	}
	return strings.Join(columns, ", ")
}

func (s *settings) scanned() []any {
	targets := []any{&s.weight, &s.maxShareRatio}
	for k := range s.amounts {
		targets = append(targets, &s.amounts[k])
	}
	return targets
}

// limited tells whether enforced limits leave room for the smallest job, and names the setting where
// that is not resource_limits. Without resource_limits nothing is enforced.
func (q *question) limited(title string, s *settings, filter string, limits, used, total vector) {
	if s.amounts == ([5]sql.NullInt64{}) {
		return
	}
	q.roomIn(title, limits, used, total, func(k int) string {
		switch a := s.amounts[k]; {
		case a.Valid && a.Int64 <= limits[k]:
			return ""
		case s.maxShareRatio.Valid && (filter == "" || s.maxShareRatio.Float64*float64(total[k]) <= float64(limits[k])):
			return fmt.Sprintf(", by its max_share_ratio of %g", s.maxShareRatio.Float64)
		case filter != "":
			return ", all that its tag filter " + filter + " leaves"
		}
		return ""
	})
}

// roomIn adds whether limits leave room for the smallest job, by the resource with the least
// headroom. Values of at least the total are not limits.
func (q *question) roomIn(title string, limits, used, total vector, by func(k int) string) {
	worst, least := -1, 0.0
	for k, need := range q.job {
		if need <= 0 || limits[k] <= 0 || total[k] > 0 && limits[k] >= total[k] {
			continue
		}
		if room := float64(limits[k]-used[k]) / float64(need); worst < 0 || room < least {
			worst, least = k, room
		}
	}
	if worst < 0 {
		return // nothing that a job takes has a limit, or its size is not known
	}
	detail := fmt.Sprintf("%s of %s used", amount(worst, used[worst]), amount(worst, limits[worst]))
	if by != nil {
		detail += by(worst)
	}
	q.add(title, least >= 1, detail)
}

// starvation tells how the operation starved, since when, and after what timeout.
func (q *question) starvation(ctx context.Context) error {
	if q.status == "non_starving" {
		q.may("starving, so that others are preempted for it", false, "by the rules it did not starve")
		return nil
	}
	detail := spaced(q.status)
	var since, from, timeout int64
	var preemptible, preemptibleFrom sql.NullInt64
	row := q.DB.QueryRowContext(ctx, `
SELECT epoch_us(since_time), epoch_us(from_time), timeout_us, preemptible_us, epoch_us(preemptible_from_time) FROM starvation_episodes
WHERE tree = $1 AND operation = $2 AND element_kind = 'operation' AND from_time <= make_timestamp($3) AND to_time > make_timestamp($3)
ORDER BY starving_for = $4 DESC, from_time LIMIT 1`, q.Tree, q.operation, q.at, q.starvingFor)
	switch err := row.Scan(&since, &from, &timeout, &preemptible, &preemptibleFrom); {
	case err == sql.ErrNoRows:
	case err != nil:
		return fmt.Errorf("read the starvation of operation %s: %w", q.operation, err)
	default:
		detail = fmt.Sprintf("below its %s since %s, starving since %s (timeout %s)", shareWord(q.starvingFor),
			timeOfDay(since), timeOfDay(from), seconds(float64(timeout)/1e6))
	}
	q.may("starving, so that others are preempted for it", true, detail)
	switch {
	case preemptible.Int64 > 0:
		q.may("preemption could make room for it", true, fmt.Sprintf("from %s on for %s, by checks every 10 s", timeOfDay(preemptibleFrom.Int64), seconds(float64(preemptible.Int64)/1e6)))
	case preemptible.Valid:
		q.may("preemption could make room for it", false, "checks every 10 s, once it had starved for a minute, found no jobs that may be taken and make room for one of its own")
	}
	return nil
}

// timeOfDay is a time in µs where the day is shown already.
func timeOfDay(us int64) string { return time.UnixMicro(us).UTC().Format("15:04:05") }

// shareWord returns the words for the share of a starvation.
func shareWord(starvingFor string) string {
	if starvingFor == "min_share" {
		return "strong guarantee"
	}
	return "fair share"
}

// places tells how many nodes met the conditions for a job, and how to ask the policy about the
// one that came nearest.
func (q *question) places(ctx context.Context, d *Document, at time.Time) error {
	places, ever, err := readPlaces(ctx, q.DB, q.Tree, q.at)
	if err != nil || len(places) == 0 {
		return err
	}
	links, err := q.chain(ctx)
	if err != nil {
		return err
	}
	spare, err := q.leastOffered(ctx)
	if err != nil {
		return err
	}
	conditions := append(q.admits(links), roomFor(q.job, places)...)
	if q.sized != "" {
		conditions = append(conditions, leastOffered(spare, q.job, places)...)
	}
	p := d.add("nodes", "Nodes for its smallest job then: "+q.smallest())
	p.Table = placeConditions(places, ever, conditions, !q.decided)
	best := closest(places, conditions)
	switch failed := failing(best, conditions); {
	case q.sized == "":
		p.After = "The log does not record the size of its jobs, so that nothing is said of room."
	case failed == nil:
		p.After = fmt.Sprintf("Node %s met them all: the nodes were not in the way.", best.node)
		if !q.decided {
			p.After += " The log does not record what else can be: " + unrecordedWords() + "."
		}
	default:
		p.After = fmt.Sprintf("No node met them all. Nearest was node %s: %s.", best.node, strings.Join(failed, "; "))
	}
	p.show(askCommand(best.node, askTime(at)), "what the policy would have done on this node, job by job")
	return nil
}

func unrecordedWords() string {
	var words []string
	for _, o := range unrecorded {
		words = append(words, o.Text(""))
	}
	return strings.Join(words, "; ")
}

// leastOffered is the least that has to be free on a node for anything to be started there; nothing in
// a run of an older program.
func (q *question) leastOffered(ctx context.Context) (spare vector, err error) {
	var known int
	row := q.DB.QueryRowContext(ctx, "SELECT count(*) FROM duckdb_columns() WHERE table_name = 'trees' AND column_name = 'min_spare_resources_cpu'")
	if err := row.Scan(&known); err != nil || known == 0 {
		return spare, err
	}
	err = q.DB.QueryRowContext(ctx, "SELECT "+amountColumns("", "min_spare_resources_")+" FROM trees WHERE tree = $1", q.Tree).Scan(spare.scanned()...)
	if err != nil {
		return spare, fmt.Errorf("read min_spare_resources of tree %s: %w", q.Tree, err)
	}
	return spare, nil
}

// nodeObstacles are the obstacles that the conditions about nodes cover: NotOffered by the nodes
// online, NothingFits and NoRoomLeft by roomFor and leastOffered, the others by admits.
var nodeObstacles = []scheduling.Obstacle{
	scheduling.NotOffered, scheduling.UnmatchedTag, scheduling.IncompatibleSegment, scheduling.RegularJobOnSSDForbidden,
	scheduling.NothingFits, scheduling.NoRoomLeft,
}

// admits are the conditions on what a node is: tags, segment, SSD.
func (q *question) admits(links []link) (all []condition) {
	filters := []string{"the operation's", q.filter}
	regular := true
	for _, l := range links {
		filters = append(filters, l.name()+"'s", l.filter)
		regular = regular && l.regularOnSSD
	}
	for i := 0; i < len(filters); i += 2 {
		if filter, err := pooltree.ParseFormula(filters[i+1]); err == nil && !filter.IsEmpty() {
			all = append(all, condition{text: fmt.Sprintf("of tags that match %s filter %s", filters[i], filters[i+1]), meets: func(p *place) bool { return filter.Match(p.tags) }})
		}
	}
	if q.segment != "" {
		all = append(all, condition{text: "in the operation's scheduling segment, " + q.segment, meets: func(p *place) bool { return p.segment == "" || p.segment == q.segment }})
	}
	if !regular && !q.requestsSSD {
		all = append(all, condition{text: "not for SSD alone, since it asks for none", meets: func(p *place) bool { return !p.ssd }})
	}
	return all
}
