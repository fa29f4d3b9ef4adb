package audit

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"poolproof/core/quantity"
	"poolproof/replay/tables"
)

// An OpenEpisode is an episode that an end of the window cuts, so that this run does not know how
// long it lasted: at the end of the window because it goes on, at the beginning because neither
// the log nor an adjoining baseline records when it began. The next night takes up the former
// (FINDINGS.md).
type OpenEpisode struct {
	Episodes    string          `json:"episodes"` // the result table
	Audit       string          `json:"audit"`    // that judges how long it lasts; empty if none does
	Tree        string          `json:"tree"`
	SubjectKind string          `json:"subject_kind"`
	Subject     string          `json:"subject"`
	Aspect      string          `json:"aspect"`
	From        *time.Time      `json:"from_time"`
	To          *time.Time      `json:"to_time"`
	Cut         string          `json:"cut"`       // end or beginning, of the window
	Counted     float64         `json:"counted_s"` // how much of it, up to the cut, counts against what is allowed
	Allowed     float64         `json:"allowed_s"` // 0 if no audit judges it
	Unsettled   bool            `json:"unsettled"` // whether what lies beyond the cut may break a promise
	Text        string          `json:"text"`      // a sentence; empty where nothing counts or a finding says it
	Row         json.RawMessage `json:"row"`       // of the result table; null at the beginning of the window
	pools       []string        `json:"-"`         // that promise something about it
	counted     stretch         `json:"-"`         // the time that counts
}

// routinePart is the part of what is allowed up to which a cut episode is routine: somewhere a
// pool waits for its first jobs at any midnight. Such an episode is named and leaves the grade.
// It may not reach a half: of an episode that lasts for longer than is allowed, one of two parts
// has at least that, so that two adjoining nights are never both green.
const routinePart = 0.1

// carried are the tables whose rows one night hands over to the next.
var carried = []string{
	"guarantee_episodes", "starvation_episodes", "limit_episodes",
	"unschedulable_episodes", "pending_episodes", "excuse_windows",
}

// writeCarried makes the tables internal.baseline_... of what the adjoining baseline left open:
// they are empty without one.
func (r *runner) writeCarried(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	rows := map[string][]string{}
	for _, e := range r.adjoining() {
		if len(e.Row) > 0 && string(e.Row) != "null" {
			rows[e.Episodes] = append(rows[e.Episodes], string(e.Row))
		}
	}
	for _, t := range tables.All() {
		name, table := t.Name, internalSchema+".baseline_"+t.Name
		if !slices.Contains(carried, name) || !r.reads.wants(t, 0) {
			continue
		}
		create := "CREATE OR REPLACE TABLE " + table + " AS SELECT *, NULL::VARCHAR AS began_as FROM " + name + " LIMIT 0"
		if err := atOnce(ctx, conn, create); err != nil {
			return fmt.Errorf("begin what the baseline left open: %w", err)
		}
		if len(rows[name]) == 0 {
			continue
		}
		if err := insertJSON(ctx, conn, table, rows[name]); err != nil {
			return runErrorf("the baseline", "has a malformed row of %s in open_episodes: %w; audit it again, or name another", name, err)
		}
	}
	return nil
}

// adjoining are the open episodes of the baseline, if its window ends where this one begins.
func (r *runner) adjoining() []OpenEpisode {
	base := r.opts.Baseline
	if base == nil || base.Cluster != "" && r.manifest.Cluster != "" && base.Cluster != r.manifest.Cluster {
		return nil
	}
	end, errEnd := time.Parse(time.RFC3339Nano, base.To)
	begin, errBegin := time.Parse(time.RFC3339Nano, r.manifest.From)
	if errEnd != nil || errBegin != nil || !end.Equal(begin) {
		return nil
	}
	return base.Open
}

// insertJSON adds rows, each a JSON object, to a table.
func insertJSON(ctx context.Context, conn *sql.Conn, table string, rows []string) error {
	columns, err := conn.QueryContext(ctx, `SELECT column_name, CASE WHEN data_type LIKE 'ENUM%' THEN 'VARCHAR' ELSE data_type END
		FROM (DESCRIBE `+table+`) AS d(column_name, data_type, n, k, f, e)`)
	if err != nil {
		return err
	}
	defer columns.Close()
	types := map[string]string{}
	for columns.Next() {
		var name, kind string
		if err := columns.Scan(&name, &kind); err != nil {
			return err
		}
		types[name] = kind
	}
	if err := columns.Err(); err != nil {
		return err
	}
	structure, err := json.Marshal(types)
	if err != nil {
		return err
	}
	var texts []string
	for _, row := range rows {
		texts = append(texts, quoteText(row))
	}
	_, err = conn.ExecContext(ctx, "INSERT INTO "+table+" BY NAME SELECT unnest(from_json(row, "+quoteText(string(structure))+
		")) FROM (SELECT unnest(["+strings.Join(texts, ", ")+"]) AS row)")
	return err
}

const askOpen = `
SELECT tree, episodes, audit, bound, subject_kind, subject, aspect, from_time, to_time, cut, counted_from, counted_to,
	to_json(pools)::VARCHAR, what, row_json::VARCHAR
FROM internal.open_episodes
ORDER BY ALL`

// readOpen reads the open episodes, with what is allowed of them and how much of that is spent.
func (r *runner) readOpen(ctx context.Context, db *sql.DB, v *Verdict, paths poolPaths) error {
	rows, err := db.QueryContext(ctx, askOpen)
	if err != nil {
		return fmt.Errorf("read the open episodes: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var e OpenEpisode
		var bound, what string
		var pools string
		var row sql.NullString
		var from, to sql.NullTime
		if err := rows.Scan(&e.Tree, &e.Episodes, &e.Audit, &bound, &e.SubjectKind, &e.Subject, &e.Aspect,
			&e.From, &e.To, &e.Cut, &from, &to, &pools, &what, &row); err != nil {
			return fmt.Errorf("read the open episodes: %w", err)
		}
		if err := json.Unmarshal([]byte(pools), &e.pools); err != nil {
			return fmt.Errorf("read the open episodes: %w", err)
		}
		if row.Valid {
			e.Row = json.RawMessage(row.String)
		}
		if from.Valid && to.Valid && e.Audit != "" {
			e.counted = stretch{from.Time, to.Time}
			r.weigh(&e, v, paths, bound, what)
		}
		v.Open = append(v.Open, e)
	}
	v.dropSettled()
	return rows.Err()
}

// weigh sets how much of an episode counts, and what is allowed.
func (r *runner) weigh(e *OpenEpisode, v *Verdict, paths poolPaths, bound, what string) {
	var hours *sla
	var own map[string]float64
	if len(e.pools) > 0 {
		path := paths[e.Tree][e.pools[0]]
		hours = r.opts.Policy.heldHours(paths)(e.Tree, e.pools[0], e.Audit)
		if s := r.opts.Policy.slaOf(e.Tree, path); s != nil {
			own = s.bounds
		}
	}
	for _, name := range strings.Split(bound, "+") {
		value, ok := own[name]
		if !ok {
			value = v.Params[name]
		}
		e.Allowed += value
	}
	for _, part := range hours.within(e.counted) {
		e.Counted += part.long().Seconds()
	}
	if e.Counted <= 0 || e.Counted > e.Allowed {
		return // nothing counts, or the audit has judged it
	}
	e.Unsettled = e.Counted >= routinePart*e.Allowed
	where := "when the window ended, and goes on"
	if e.Cut == "beginning" {
		where = "when the window began, and the log does not record since when"
	}
	e.Text = fmt.Sprintf("%s for %s %s: %s is allowed.", what, quantity.Span(e.Counted), where, quantity.Span(e.Allowed))
	if since := v.sinceBefore(&e.counted.from); since != "" {
		e.Text = strings.TrimSuffix(e.Text, ".") + since + "."
	}
}

// sinceBefore says since when something lasted that began before the window; it is empty otherwise.
func (v *Verdict) sinceBefore(began *time.Time) string {
	from, _, ok := window(v)
	if !ok || began == nil || !began.Before(from) {
		return ""
	}
	const day = "2006-01-02"
	at, begins := began.UTC(), from.UTC()
	if begins.Sub(at) <= 24*time.Hour && at.Format(day) != begins.Format(day) {
		return fmt.Sprintf(", since %s of the night before (%s, UTC)", at.Format(time.TimeOnly), at.Format(day))
	}
	return fmt.Sprintf(", since %s UTC", at.Format(time.DateTime))
}

// dropSettled leaves nothing open that a finding alleges already, and names once what several
// episodes say of one subject.
func (v *Verdict) dropSettled() {
	key := func(audit, tree, subject string) string { return strings.Join([]string{audit, tree, subject}, "\x00") }
	said := map[string][]*Finding{}
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Alleges() || f.Verdict == Noted {
			k := key(f.Audit, f.Tree, f.Subject)
			said[k] = append(said[k], f)
		}
	}
	named := map[string]*OpenEpisode{}
	for i := range v.Open {
		e := &v.Open[i]
		k := key(e.Audit, e.Tree, e.Subject)
		alleged := slices.ContainsFunc(said[k], func(f *Finding) bool {
			return f.From != nil && f.To != nil && f.From.Before(e.counted.to) && f.To.After(e.counted.from)
		})
		if alleged {
			e.Text, e.Unsettled = "", false
			continue
		}
		if e.Text == "" {
			continue
		}
		k += "\x00" + e.Cut + "\x00" + e.Aspect
		if other := named[k]; other != nil {
			less := e
			if other.Counted < e.Counted {
				less, named[k] = other, e
			}
			less.Text, less.Unsettled = "", false
			continue
		}
		named[k] = e
	}
}

// An openCharge is an open episode as it concerns one of those who promised something.
type openCharge struct {
	charge
	cut string // as of the episode
}

// charges are the promises that an unsettled episode may break, as findings would: about the
// pools that promise something of it.
func (e *OpenEpisode) charges() (charges []openCharge) {
	if !e.Unsettled {
		return nil
	}
	f := &Finding{
		Audit: e.Audit, Tree: e.Tree, SubjectKind: e.SubjectKind, Subject: e.Subject, Aspect: e.Aspect,
		From: &e.counted.from, To: &e.counted.to, Verdict: Undecidable, Reason: e.Text,
	}
	for _, pool := range e.pools {
		named := e.SubjectKind != "operation" || e.Episodes == "pending_episodes"
		charges = append(charges, openCharge{charge{Finding: f, subject: pool, verdict: Undecidable, named: named}, e.Cut})
	}
	return charges
}

// Named are the open episodes that reports name.
func (v *Verdict) Named() (named []OpenEpisode) {
	for _, e := range v.Open {
		if e.Text != "" {
			named = append(named, e)
		}
	}
	return named
}
