package report

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"poolproof/audit"
	"poolproof/audit/report/perfetto"
	"poolproof/core/spelling"
)

// Bounds of a Perfetto trace, which the UI is to open at once. What is left out is counted
// in the trace.
const (
	tracedPools       = 200
	tracedOperations  = 100
	tracedIntervals   = 50_000 // of either kind of element; if there are more, each has
	tracedPoints      = 500    // of them
	tracedPreemptions = 1000
	tracedEpisodes    = 2000
)

// WriteTracks writes the trees of documents about a run over their times as one trace that
// ui.perfetto.dev opens. Pools and operations are tracks in the order of the tree, with
// counters of their shares, slices of their episodes and findings, and a flow from each
// preemptor to its victim.
func WriteTracks(ctx context.Context, w io.Writer, of Subject, documents []*Document) error {
	var trace perfetto.Trace
	for _, d := range documents {
		from, to, err := of.traced(d)
		if err != nil {
			return err
		}
		t := tracks{db: of.DB, trace: &trace, tree: d.Tree, from: from.UnixMicro(), to: to.UnixMicro(), subject: d.subject()}
		if err := t.write(ctx, of.Verdict); err != nil {
			return err
		}
	}
	_, err := w.Write(trace.Bytes())
	return err
}

// traced is the time of a document, of a finding or a job that around it.
func (s *Subject) traced(d *Document) (from, to time.Time, err error) {
	from, to, err = toldWindow(s.Verdict, s.From, s.To)
	switch {
	case err != nil || d.From == nil || s.From != nil || s.To != nil:
		return from, to, err
	case d.Kind == "finding" || d.Kind == "job" || d.To == nil:
		from, to = around(*d.From, d.To, from, to)
		return from, to, nil
	}
	return *d.From, *d.To, nil
}

// subject is the pool or the operation that a document is about; empty if it is about
// neither.
func (d *Document) subject() string {
	switch {
	case d.Finding != nil && d.Finding.SubjectKind == "operation":
		return d.Finding.Subject
	case d.Finding != nil:
		return poolOf(*d.Finding)
	case d.Kind == "pool" || d.Kind == "operation":
		return d.Name
	}
	return ""
}

// tracks are those of a tree.
type tracks struct {
	db       *sql.DB
	trace    *perfetto.Trace
	tree     string
	from, to int64  // µs
	subject  string // shown whatever its size
	elements map[string]*traced
	root     *traced
	leftOut  []string
}

// A traced element is a pool or an operation with a track.
type traced struct {
	track    perfetto.Track
	counters [5]counter // of shareCounters
	lanes    map[string]*perfetto.Lanes
}

// A counter is a track with the value that it has.
type counter struct {
	track perfetto.Track
	value float64
}

// A shareCounter is one of an element. One that nothing hides is left out while it has
// never had another value: a guarantee of nothing, no limit.
type shareCounter struct {
	name    string
	nothing float64 // while the element is not there
	hides   bool
}

var shareCounters = []shareCounter{{"usage", 0, false}, {"fair share", 0, false}, {"demand", 0, false}, {"guarantee", 0, true}, {"limit", 1, true}}

// laneNames are the lanes below an element, in their order.
var laneNames = []string{"findings", "starving", "guarantee unmet", "above a limit", "waiting to run"}

// Ranks of tracks among those of one parent: counters, lanes, pools, operations.
const (
	laneRank      = 10
	poolRank      = 100
	operationRank = 100_000
)

func (t *tracks) write(ctx context.Context, v *audit.Verdict) error {
	t.elements = map[string]*traced{}
	for _, step := range []func(context.Context) error{t.pools, t.operations, t.shares, t.nodes, t.episodes, t.preemptions, t.configuration} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	t.findings(v)
	if t.leftOut != nil {
		t.trace.Instant(t.root.track, t.from, "left out: "+strings.Join(t.leftOut, "; ")+"; --from and --to show a shorter time whole")
	}
	return nil
}

func key(kind, name string) string { return kind + "\x00" + name }

func (t *tracks) add(kind, name string, parent perfetto.Track, rank int, title, description string) *traced {
	e := &traced{track: t.trace.Track(parent, rank, spelling.OneName(title), spelling.OneName(description)), lanes: map[string]*perfetto.Lanes{}}
	t.elements[key(kind, name)] = e
	return e
}

// pools adds a track for the tree and one for each pool, the subject's and the largest by
// usage, below that of the pool above it.
func (t *tracks) pools(ctx context.Context) error {
	rows, err := t.db.QueryContext(ctx, `
WITH subject AS (
  SELECT path FROM pools WHERE tree = $1 AND pool = $4
  UNION SELECT p.path FROM operations AS o JOIN pools AS p ON p.tree = o.tree AND p.pool = o.pool WHERE o.tree = $1 AND o.operation = $4
), used AS (
  SELECT pool, sum(usage_ratio_seconds) AS used FROM pool_intervals
  WHERE tree = $1 AND from_time < make_timestamp($3) AND to_time > make_timestamp($2) AND pool <> '<Root>' GROUP BY pool
), ranked AS (
  SELECT p.pool, p.path, p.mode, row_number() OVER (ORDER BY starts_with(coalesce((SELECT min(path) FROM subject), '') || '/', p.path || '/') DESC, used DESC, p.path) AS place
  FROM pools AS p JOIN used USING (pool) WHERE p.tree = $1
)
SELECT pool, path, mode, place <= `+fmt.Sprint(tracedPools)+` FROM ranked ORDER BY path, pool`, t.tree, t.from, t.to, t.subject)
	if err != nil {
		return fmt.Errorf("read the pools of tree %s: %w", t.tree, err)
	}
	defer rows.Close()
	t.root = t.add("pool", rootName, perfetto.Track{}, 0, "tree "+t.tree, "")
	byPath := map[string]*traced{}
	all := 0
	for rows.Next() {
		var pool, path, mode string
		var shown bool
		if err := rows.Scan(&pool, &path, &mode, &shown); err != nil {
			return err
		}
		if all++; !shown {
			continue
		}
		parent := t.root
		for above, _, nested := cutLast(path); nested; above, _, nested = cutLast(above) {
			if p := byPath[above]; p != nil {
				parent = p
				break
			}
		}
		byPath[path] = t.add("pool", pool, parent.track, poolRank+all, "pool "+pool, path+", "+mode)
	}
	t.omit(all-len(byPath), all, "pools", "the smallest by usage")
	return rows.Err()
}

// operations adds a track for the subject and for the largest operations by usage, below
// that of the pool.
func (t *tracks) operations(ctx context.Context) error {
	rows, err := t.db.QueryContext(ctx, `
WITH used AS (
  SELECT operation, sum(usage_ratio_seconds) AS used, min(from_time) AS first FROM operation_intervals
  WHERE tree = $1 AND from_time < make_timestamp($3) AND to_time > make_timestamp($2) GROUP BY operation
), ranked AS (
  SELECT operation, o.pool, o.operation_type, o.user_name, first, row_number() OVER (ORDER BY operation = $4 DESC, o.pool = $4 DESC, used DESC, operation) AS place
  FROM operations AS o JOIN used USING (operation) WHERE o.tree = $1
)
SELECT operation, coalesce(pool, ''), operation_type, user_name, place <= `+fmt.Sprint(tracedOperations)+` FROM ranked ORDER BY first, operation`, t.tree, t.from, t.to, t.subject)
	if err != nil {
		return fmt.Errorf("read the operations of tree %s: %w", t.tree, err)
	}
	defer rows.Close()
	all, shown := 0, 0
	for rows.Next() {
		var operation, pool, kind, user string
		var is bool
		if err := rows.Scan(&operation, &pool, &kind, &user, &is); err != nil {
			return err
		}
		if all++; !is {
			continue
		}
		shown++
		t.add("operation", operation, t.nearest("pool", pool).track, operationRank+all, "operation "+operation, kind+" of "+user+", pool "+pool)
	}
	t.omit(all-shown, all, "operations", "the smallest by usage")
	return rows.Err()
}

// nearest is an element, or the tree where it has no track.
func (t *tracks) nearest(kind, name string) *traced {
	if e := t.elements[key(kind, name)]; e != nil {
		return e
	}
	return t.root
}

// trackOf is an operation, else its pool, else the tree.
func (t *tracks) trackOf(operation, pool string) *traced {
	if e := t.elements[key("operation", operation)]; e != nil {
		return e
	}
	return t.nearest("pool", pool)
}

func (t *tracks) omit(n, of int, what, which string) {
	if n > 0 {
		t.leftOut = append(t.leftOut, fmt.Sprintf("%s of %s %s (%s)", number(int64(n)), number(int64(of)), what, which))
	}
}

// sharesQuery has the intervals of elements in the µs $2 to $3, and whether a gap follows. If
// there are too many, it has the first of each step of $4 µs, those that follow a gap and those
// that one follows.
const sharesQuery = `
WITH intervals AS (
  SELECT %[2]s AS element, epoch_us(from_time) AS b, epoch_us(to_time) AS e, usage_ratio, fair_share_ratio, demand_ratio, min_share_ratio,
    coalesce(%[4]s, 1) AS limits
  FROM %[1]s AS i
  WHERE tree = $1 AND from_time < make_timestamp($3) AND to_time > make_timestamp($2) AND to_time > from_time
    AND %[2]s IN (SELECT unnest(from_json($5, '["VARCHAR"]')))
)
SELECT element, b, e, usage_ratio, fair_share_ratio, demand_ratio, min_share_ratio, limits, lead(b) OVER stretch IS DISTINCT FROM e AS ends, count(*) OVER () > %[3]d AS sampled
FROM intervals
WINDOW stretch AS (PARTITION BY element ORDER BY b)
QUALIFY NOT sampled OR ends OR lag(e) OVER stretch IS DISTINCT FROM b OR (b - $2) // $4 > (lag(b) OVER stretch - $2) // $4
ORDER BY element, b`

// shares sets the counters of each element.
func (t *tracks) shares(ctx context.Context) error {
	step := max((t.to-t.from)/tracedPoints, 1)
	for _, kind := range []string{"pool", "operation"} {
		var names []string
		for k := range t.elements {
			if of, name, _ := strings.Cut(k, "\x00"); of == kind {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		asked, err := json.Marshal(names)
		if err != nil {
			return err
		}
		sampled, err := t.counters(ctx, fmt.Sprintf(sharesQuery, kind+"_intervals", kind, tracedIntervals, setLimit(kind)), kind, string(asked), step)
		if err != nil {
			return fmt.Errorf("read the shares of tree %s: %w", t.tree, err)
		}
		if sampled {
			t.leftOut = append(t.leftOut, fmt.Sprintf("shares of %ss between samples, which are %s apart", kind, seconds(float64(step)/1e6)))
		}
	}
	return nil
}

// counters sets those of one kind of element, and says whether they are samples.
func (t *tracks) counters(ctx context.Context, query, kind, names string, step int64) (sampled bool, err error) {
	rows, err := t.db.QueryContext(ctx, query, t.tree, t.from, t.to, step, names)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	var name string
	var begin, end int64
	var values [5]float64
	var ends bool
	for rows.Next() {
		if err := rows.Scan(&name, &begin, &end, &values[0], &values[1], &values[2], &values[3], &values[4], &ends, &sampled); err != nil {
			return false, err
		}
		e := t.elements[key(kind, name)]
		for i, value := range values {
			e.count(t.trace, i, max(begin, t.from), value)
			if ends && end < t.to {
				e.count(t.trace, i, end, shareCounters[i].nothing)
			}
		}
	}
	return sampled, rows.Err()
}

// count gives a counter of an element a value from a time on.
func (e *traced) count(trace *perfetto.Trace, i int, at int64, value float64) {
	c, of := &e.counters[i], shareCounters[i]
	switch {
	case c.track == perfetto.Track{} && of.hides && value == of.nothing:
		return
	case c.track == perfetto.Track{}:
		c.track = trace.Counter(e.track, i, of.name, "share of the tree")
	case c.value == value:
		return
	}
	c.value = value
	trace.Set(c.track, at, value)
}

// nodes counts the nodes that serve the tree.
func (t *tracks) nodes(ctx context.Context) error {
	rows, err := t.db.QueryContext(ctx, `
WITH steps AS (
  SELECT greatest(epoch_us(from_time), $2) AS at, 1 AS step FROM nodes WHERE tree = $1 AND from_time < make_timestamp($3) AND to_time > make_timestamp($2)
  UNION ALL
  SELECT epoch_us(to_time), -1 FROM nodes WHERE tree = $1 AND from_time < make_timestamp($3) AND to_time > make_timestamp($2) AND to_time < make_timestamp($3)
)
SELECT at, sum(sum(step)) OVER (ORDER BY at) FROM steps GROUP BY at ORDER BY at`, t.tree, t.from, t.to)
	if err != nil {
		return fmt.Errorf("count the nodes of tree %s: %w", t.tree, err)
	}
	defer rows.Close()
	track := t.trace.Counter(t.root.track, len(shareCounters), "nodes", "nodes")
	for rows.Next() {
		var at int64
		var n float64
		if err := rows.Scan(&at, &n); err != nil {
			return err
		}
		t.trace.Set(track, at, n)
	}
	return rows.Err()
}

// slice adds a span to the lanes of an element, within the time.
func (t *tracks) slice(e *traced, lane string, from, to int64, name string, notes ...perfetto.Note) {
	if e.lanes[lane] == nil {
		e.lanes[lane] = t.trace.Lanes(e.track, laneRank+slices.Index(laneNames, lane), lane)
	}
	e.lanes[lane].Slice(max(from, t.from), min(to, t.to), spelling.OneName(name), notes...)
}

// episodes adds those of the elements with tracks, the longest where there are too many.
func (t *tracks) episodes(ctx context.Context) error {
	rows, err := t.db.QueryContext(ctx, episodes+`, ranked AS (
  SELECT *, row_number() OVER (ORDER BY lane = 'starving' DESC, to_time - from_time DESC, from_time, kind, name, what) AS place FROM all_episodes
  WHERE tree = $1 AND name IS NOT NULL AND epoch_us(to_time) >= $2 AND epoch_us(from_time) <= $3
)
SELECT kind, name, lane, epoch_us(from_time), epoch_us(to_time), what, place <= `+fmt.Sprint(tracedEpisodes)+` FROM ranked ORDER BY from_time, to_time, kind, name, what`, t.tree, t.from, t.to)
	if err != nil {
		return fmt.Errorf("read the episodes of tree %s: %w", t.tree, err)
	}
	defer rows.Close()
	all, omitted := 0, 0
	for rows.Next() {
		var kind, name, lane, what string
		var from, to int64
		var shown bool
		if err := rows.Scan(&kind, &name, &lane, &from, &to, &what, &shown); err != nil {
			return err
		}
		e := t.elements[key(kind, name)]
		switch {
		case e == nil:
			continue
		case shown:
			t.slice(e, lane, from, to, what)
		default:
			omitted++
		}
		all++
	}
	t.omit(omitted, all, "episodes", "the shortest")
	return rows.Err()
}

// preemptions adds an arrow from who got the room of a job to who lost it; those of the
// subject first, then those that broke a rule, then those that lost most work.
func (t *tracks) preemptions(ctx context.Context) error {
	rows, err := t.db.QueryContext(ctx, `
WITH ranked AS (
  SELECT *, row_number() OVER (ORDER BY $4 IN (operation, pool, beneficiary, beneficiary_pool) DESC NULLS LAST, verdict = 'violated' DESC, lost_us DESC NULLS LAST, time, job) AS place FROM preemptions
  WHERE tree = $1 AND epoch_us(time) BETWEEN $2 AND $3
)
SELECT epoch_us(time), job, coalesce(operation, ''), coalesce(pool, ''), coalesce(beneficiary, ''), coalesce(beneficiary_pool, ''), coalesce(node, ''),
  verdict, concat_ws(',', nullif(violated, ''), nullif(suspect, '')), lost_us, place <= `+fmt.Sprint(tracedPreemptions)+`
FROM ranked ORDER BY time, job`, t.tree, t.from, t.to, t.subject)
	if err != nil {
		return fmt.Errorf("read the preemptions of tree %s: %w", t.tree, err)
	}
	defer rows.Close()
	all, shown := 0, 0
	for rows.Next() {
		var p taken
		var pool, forPool string
		var is bool
		if err := rows.Scan(&p.at, &p.job, &p.operation, &pool, &p.beneficiary, &forPool, &p.node, &p.verdict, &p.rules, &p.lost, &is); err != nil {
			return err
		}
		if all++; !is {
			continue
		}
		shown++
		notes := p.notes()
		victim := t.trackOf(p.operation, pool).track
		if p.beneficiary == "" {
			t.trace.Instant(victim, p.at, "job "+spelling.OneName(p.job)+" preempted", notes...)
			continue
		}
		t.trace.Flow(t.trackOf(p.beneficiary, forPool).track, victim, p.at, "preempts job "+spelling.OneName(p.job),
			"job "+spelling.OneName(p.job)+" preempted", notes...)
	}
	t.omit(all-shown, all, "preemptions", "those that lost least work")
	return rows.Err()
}

// lostText is the work that was lost; empty if the log does not show it.
func (p *taken) lostText() string {
	if !p.lost.Valid {
		return ""
	}
	return seconds(float64(p.lost.Int64) / 1e6)
}

// notes tell of a preemption that is selected.
func (p *taken) notes() (notes []perfetto.Note) {
	for _, n := range []perfetto.Note{{Name: "victim", Text: p.operation}, {Name: "preemptor", Text: p.beneficiary}, {Name: "node", Text: p.node},
		{Name: "work lost", Text: p.lostText()}, {Name: "verdict", Text: p.verdict}, {Name: "rules", Text: p.rules}} {
		if n.Text != "" {
			notes = append(notes, perfetto.Note{Name: n.Name, Text: spelling.OneName(n.Text)})
		}
	}
	return notes
}

// configuration adds the changes of settings.
func (t *tracks) configuration(ctx context.Context) error {
	all, err := readChanges(ctx, t.db, t.tree, time.UnixMicro(t.from).UTC(), time.UnixMicro(t.to).UTC())
	for _, c := range all {
		t.trace.Instant(t.nearest("pool", c.pool).track, c.at.UnixMicro(), "configuration: "+spelling.OneName(c.what))
	}
	return err
}

// findings adds those of the tree in the time, each to the element that it is about.
func (t *tracks) findings(v *audit.Verdict) {
	all := slices.DeleteFunc(slices.Clone(v.Findings), func(f audit.Finding) bool {
		return f.Tree != t.tree || f.From == nil || f.From.UnixMicro() > t.to || f.To != nil && f.To.UnixMicro() < t.from
	})
	slices.SortStableFunc(all, func(a, b audit.Finding) int { return a.From.Compare(*b.From) })
	for i := range all {
		f := &all[i]
		to := f.From.UnixMicro()
		if f.To != nil {
			to = f.To.UnixMicro()
		}
		e := t.nearest("pool", poolOf(*f))
		if f.SubjectKind == "operation" {
			e = t.trackOf(f.Subject, poolOf(*f))
		}
		t.slice(e, "findings", f.From.UnixMicro(), to, fmt.Sprintf("%s (%s, %s) %s", verdictOf(*f), f.Severity, f.Invariant, f.Audit),
			perfetto.Note{Name: "finding", Text: f.ID}, perfetto.Note{Name: "subject", Text: f.SubjectKind + " " + spelling.OneName(f.Subject)}, perfetto.Note{Name: "what was found", Text: spelling.OneName(f.Reason)})
	}
}
