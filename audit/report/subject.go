package report

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"poolproof/audit"
	"poolproof/core/spelling"
)

// A Subject is an operation, a pool, a tree, a node or a job of a run.
// ExplainSubject tells how it fared; ExplainNode does for a node, ExplainJob for a job.
type Subject struct {
	Verdict *audit.Verdict
	DB      *sql.DB    // run.duckdb
	RunPath string     // as the user gave it
	Kind    string     // operation, pool, tree, node or job
	Name    string     // id of the operation or the job, name of the pool, tree or node
	Tree    string     // the tree that is described
	At      *time.Time // the time to be told of; nil for all of the window
	From    *time.Time // the part of the judged window to be told of, and
	To      *time.Time // its end; nil for all of it
	Outline bool       // no more than what it is about and when, as WriteTracks needs it
}

// ExplainSubject tells how an operation, a pool or a tree fared: what it lacked, why and who
// had it, whether a rule about it was broken, what it had over the time, when it starved, waited, stood above a limit or lacked its
// guarantee, what an operation lost and gained by preemption, what was found of it, and what to
// look at next.
func ExplainSubject(ctx context.Context, s Subject) (*Document, error) {
	from, to, note, err := s.span(ctx)
	if err != nil {
		return nil, err
	}
	d := &Document{Kind: s.Kind, Name: s.Name, Tree: s.Tree, From: &from, To: &to}
	table, element, place := s.Kind+"_intervals", s.Name, " in tree "+s.Tree
	if s.Kind == "tree" {
		table, element, place = "pool_intervals", rootName, ""
	}
	d.Heading = []string{fmt.Sprintf("%s %s%s, %s", s.Kind, s.Name, place, span(&from, &to))}
	if s.Outline {
		return d, nil
	}
	ledger, found, err := s.overview(ctx, d, from, to)
	if err != nil {
		return nil, err
	}
	if err := s.overTime(ctx, d, newFrame(s.Tree, element, from, to, timelineRows), table, note); err != nil {
		return nil, err
	}
	if s.Kind != "tree" {
		if err := s.episodes(ctx, d, from, to); err != nil {
			return nil, err
		}
		if err := s.conditions(ctx, d, from, to); err != nil {
			return nil, err
		}
	}
	if s.Kind == "operation" {
		for _, side := range []preemptionSide{lost, gained} {
			if err := s.preemptions(ctx, d, side, &from, &to); err != nil {
				return nil, err
			}
		}
	}
	begin, end := from, to
	if s.At != nil {
		begin, end = *s.At, *s.At
	}
	if err := d.recordsBeside(ctx, s.DB, s.Tree, s.Kind, s.Name, begin, end); err != nil {
		return nil, err
	}
	s.findings(d, found)
	if ledger != nil && ledger.level != "" {
		ledger.next(d, s.RunPath)
	}
	if s.Kind != "tree" {
		d.add("rows", "The rows").show(askSQL(s.RunPath,
			"SELECT * FROM "+table+" WHERE tree = "+sqlText(s.Tree)+" AND "+s.Kind+" = "+sqlText(s.Name)+" ORDER BY from_time"), "")
	}
	return d, nil
}

// overview tells what the subject lacked and why, whether a rule was broken, and who had what it lacked.
func (s *Subject) overview(ctx context.Context, d *Document, from, to time.Time) (ledger *account, found []concern, err error) {
	if ledger, err = s.account(ctx, from, to); err != nil {
		return nil, nil, err
	}
	if err := d.accounts(ctx, ledger); err != nil {
		return nil, nil, err
	}
	if err := s.admitted(ctx, d, ledger, from, to); err != nil {
		return nil, nil, err
	}
	if found, err = s.found(ctx); err != nil {
		return nil, nil, err
	}
	s.ruled(d, found)
	return ledger, found, s.stack(ctx, d, ledger, from, to)
}

// overTime shows what the subject had over the time, and changes of its configuration.
func (s *Subject) overTime(ctx context.Context, d *Document, fr frame, table, note string) error {
	series, err := readSeries(ctx, s.DB, table, []frame{fr})
	if err != nil {
		return err
	}
	happened, err := readHappenings(ctx, s.DB, s.Kind, fr)
	if err != nil {
		return err
	}
	d.timeline("The timeline", note, fr, series[0], happened, func(start, stop time.Time) bool {
		return s.At != nil && !s.At.Before(start) && s.At.Before(stop)
	})
	return s.changes(ctx, d, fr)
}

// stack tells who held the resource that the subject lacked, else the tree's main one.
func (s *Subject) stack(ctx context.Context, d *Document, ledger *account, from, to time.Time) error {
	resource, err := mainResource(ctx, s.DB, s.Tree)
	if err != nil {
		return err
	}
	if ledger != nil && ledger.owed > 0 {
		resource = ledger.resource
	}
	var subject element
	if s.Kind != "tree" {
		subject = element{s.Kind, s.Name}
	}
	held, err := readStack(ctx, s.DB, s.Tree, subject, resource, from, to)
	if err != nil {
		return err
	}
	d.held(held)
	return nil
}

// account returns the deficits of a pool or an operation in a span.
func (s *Subject) account(ctx context.Context, from, to time.Time) (*account, error) {
	if s.Kind == "tree" {
		return nil, nil
	}
	a, err := readAccount(ctx, s.DB, s.Tree, s.Kind, s.Name, from, to)
	if a != nil {
		a.at = s.At
	}
	return a, err
}

// span is the time that is described, and what it is.
func (s *Subject) span(ctx context.Context) (from, to time.Time, note string, err error) {
	if from, to, err = toldWindow(s.Verdict, s.From, s.To); err != nil {
		return from, to, "", err
	}
	switch {
	case s.At != nil:
		from, to = around(*s.At, nil, from, to)
		return from, to, "> holds the time asked for", nil
	case s.Kind == "operation":
		from, to, err = s.life(ctx, from, to)
		return from, to, "its life in the window", err
	case s.From != nil || s.To != nil:
		return from, to, "", nil
	}
	return from, to, "the whole window", nil
}

// life is the time that an operation was there, within a span.
func (s *Subject) life(ctx context.Context, from, to time.Time) (time.Time, time.Time, error) {
	var begin, end sql.NullInt64
	row := s.DB.QueryRowContext(ctx, "SELECT epoch_us(min(from_time)), epoch_us(max(to_time)) FROM operation_intervals WHERE tree = $1 AND operation = $2", s.Tree, s.Name)
	if err := row.Scan(&begin, &end); err != nil {
		return from, to, fmt.Errorf("look for the life of operation %s: %w", s.Name, err)
	}
	if first := max(begin.Int64, from.UnixMicro()); begin.Valid && end.Valid && first < min(end.Int64, to.UnixMicro()) {
		from, to = time.UnixMicro(first).UTC(), time.UnixMicro(min(end.Int64, to.UnixMicro())).UTC()
	}
	return from, to, nil
}

// episodes are those of all elements, as the beginning of a query.
const episodes = `
WITH all_episodes AS (
  SELECT tree, 'pool' AS kind, pool AS name, from_time, to_time, 'guarantee unmet' AS lane,
    printf('its %s guarantee is unmet; lacked at most %.2f %% of the tree''s %s', guarantee_kind, 100 * gap, resource) AS what FROM guarantee_episodes
  UNION ALL
  SELECT tree, element_kind, coalesce(operation, pool), from_time, to_time, 'starving', printf('by the rules %s for its %s; lacked at most %.2f %% of the tree''s %s',
    replace(starvation_status, '_', ' '), CASE starving_for WHEN 'min_share' THEN 'strong guarantee' ELSE replace(starving_for, '_', ' ') END, 100 * gap, resource) FROM starvation_episodes
  UNION ALL
  SELECT tree, element_kind, coalesce(operation, pool), from_time, to_time, 'above a limit', printf('above its %s%s: %.10g of %.10g%s', limit_kind, coalesce(' of ' || resource, ''), value / scale, limit_value / scale,
    CASE resource WHEN 'cpu' THEN ' cores' WHEN 'memory' THEN ' GiB' ELSE '' END)
  FROM (SELECT *, CASE resource WHEN 'cpu' THEN 100.0 WHEN 'memory' THEN 1073741824.0
    WHEN 'gpu' THEN 1 / internal.natural_amount('gpu', 1.0, internal.source_unit('gpu')) ELSE 1.0 END AS scale FROM limit_episodes)
  UNION ALL
  SELECT tree, 'operation', operation, from_time, to_time, 'waiting to run', 'waited to run in pool ' || pool || '; outcome: ' || replace(ended, '_', ' ') FROM pending_episodes
)`

// episodesQuery has the episodes of the element $1 $2 in the tree $3 that touch
// the µs $4 to $5.
const episodesQuery = episodes + `
SELECT epoch_us(from_time), epoch_us(to_time), what FROM all_episodes
WHERE kind = $1 AND name = $2 AND tree = $3 AND epoch_us(to_time) >= $4 AND epoch_us(from_time) <= $5
ORDER BY from_time, to_time, what`

// shownEpisodes bounds the number of episodes in a text.
const shownEpisodes = 20

// episodes tells when the subject starved, waited, was above a limit or lacked its
// guarantee.
func (s *Subject) episodes(ctx context.Context, d *Document, from, to time.Time) error {
	rows, err := s.DB.QueryContext(ctx, episodesQuery, s.Kind, s.Name, s.Tree, from.UnixMicro(), to.UnixMicro())
	if err != nil {
		return fmt.Errorf("read the episodes of %s %s: %w", s.Kind, s.Name, err)
	}
	defer rows.Close()
	p := &passage{Key: "episodes", Title: "Episodes"}
	g := &grid{columns: []column{{"from_time", "UTC", ""}, {"to_time", "UTC", ""}, {"", "", "time"}, {"what", "", "what"}}, shown: shownEpisodes}
	for rows.Next() {
		var begin, end int64
		var what string
		if err := rows.Scan(&begin, &end, &what); err != nil {
			return err
		}
		start, stop := time.UnixMicro(begin).UTC(), time.UnixMicro(end).UTC()
		g.Rows = append(g.Rows, []value{moment(start), moment(stop), {nil, span(&start, &stop)}, word(what)})
		if len(g.Rows) <= shownEpisodes {
			p.addLine(0, "%s: %s", span(&start, &stop), what)
		}
	}
	if n := g.more(); n > 0 {
		p.After = fmt.Sprintf("and %d more; --at TIME shows those around a time", n)
	}
	if g.Rows != nil {
		p.Table = g
		d.Passages = append(d.Passages, p)
	}
	return rows.Err()
}

// shownFindings bounds the number of findings of a subject in a text.
const shownFindings = 30

// ruled adds to the answer whether the scheduler broke a rule.
func (s *Subject) ruled(d *Document, found []concern) { d.answer(ruling(found), false) }

// findings tells what was found of the subject.
func (s *Subject) findings(d *Document, all []concern) {
	if len(all) == 0 {
		return
	}
	p := d.add("findings", fmt.Sprintf("Findings about it; %s shows one", spelling.Command("explain", []string{s.RunPath, "FINDING"})))
	p.Table = &grid{shown: shownFindings,
		columns: []column{{"finding_id", "", "finding"}, {"verdict", "", "verdict"}, {"severity", "", "severity"},
			{"invariant", "", "rule"},
			{"from_time", "UTC", ""}, {"to_time", "UTC", ""}, {"", "", "time"}, {"relation", "", ""}, {"reason", "", "what was found"}}}
	for i := range all {
		f, relation := &all[i].Finding, all[i].Relation
		p.Table.Rows = append(p.Table.Rows, []value{word(f.ID), word(verdictOf(*f)), word(string(f.Severity)), word(f.Invariant),
			instantOrNone(f.From), instantOrNone(f.To), {nil, span(f.From, f.To)}, word(string(relation)), word(f.Reason)})
		if i < shownFindings {
			p.addLine(0, "%s  %s (%s, %s)%s, %s: %s", f.ID, verdictOf(*f), f.Severity, f.Invariant, relation.inList(), span(f.From, f.To), f.Reason)
		}
	}
	if n := p.Table.more(); n > 0 {
		p.After = fmt.Sprintf("and %d more", n)
	}
}

// touches reports whether a finding lies in the part of the window that is described.
func (s *Subject) touches(f *audit.Finding) bool {
	switch {
	case f.From == nil:
		return s.From == nil && s.To == nil
	case s.To != nil && !f.From.Before(*s.To):
		return false
	}
	return s.From == nil || f.To == nil || f.To.After(*s.From) || f.From.Equal(*s.From)
}
