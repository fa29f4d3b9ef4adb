package report

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"poolproof/core/spelling"
)

// jobQuery has what is known of the job $2 in the tree $1.
const jobQuery = `
SELECT operation, pool, coalesce(node, ''), epoch_us(start_time), epoch_us(end_time), coalesce(end_kind, ''), coalesce(end_reason, '')
FROM jobs WHERE tree = $1 AND job = $2 ORDER BY start_time LIMIT 1`

// ExplainJob tells of a job: whose it was, where and when it ran and how it ended; if it
// was taken away, the proof; who was taken away for it; and what was judged of it.
func ExplainJob(ctx context.Context, s Subject) (*Document, error) {
	d, operation, err := s.job(ctx)
	if err != nil || s.Outline {
		return d, err
	}
	proofs, err := s.proofs(ctx)
	if err != nil {
		return nil, err
	}
	for i := range proofs {
		d.add("proof", "It was taken away at "+clock(proofs[i].Time)).Facts = proofs[i].facts()
	}
	if err := s.preemptions(ctx, d, madeFor, nil, nil); err != nil {
		return nil, err
	}
	if err := s.judgements(ctx, d); err != nil {
		return nil, err
	}
	found, err := s.found(ctx)
	if err != nil {
		return nil, err
	}
	s.findings(d, found)
	d.add("operation", "Its operation").show(spelling.Command("explain", []string{s.RunPath, operation}, "--tree", spelling.OneListed(s.Tree)), "")
	p := d.add("rows", "The rows")
	for _, table := range []string{"jobs", "preemptions", "decisions"} {
		p.show(askSQL(s.RunPath, "SELECT * FROM "+table+" WHERE tree = "+sqlText(s.Tree)+" AND job = "+sqlText(s.Name)), "")
	}
	return d, nil
}

// job begins the document with what the log records of the job, and returns its
// operation.
func (s *Subject) job(ctx context.Context) (d *Document, operation string, err error) {
	var pool, node, kind, reason string
	var begin, end sql.NullInt64
	row := s.DB.QueryRowContext(ctx, jobQuery, s.Tree, s.Name)
	if err := row.Scan(&operation, &pool, &node, &begin, &end, &kind, &reason); err != nil {
		return nil, "", fmt.Errorf("read job %s: %w", s.Name, err)
	}
	d = &Document{Kind: "job", Name: s.Name, Tree: s.Tree, From: instant(begin), To: instant(end)}
	d.Heading = []string{
		fmt.Sprintf("job %s in tree %s, %s", s.Name, s.Tree, span(d.From, d.To)),
		fmt.Sprintf("  of operation %s in pool %s", operation, pool),
	}
	if node != "" {
		d.Heading = append(d.Heading, "  on node "+node)
	}
	if kind != "" {
		how := "  ended: " + spaced(kind)
		if reason != "" {
			how += " (" + spaced(reason) + ")"
		}
		d.Heading = append(d.Heading, how)
	}
	return d, operation, nil
}

func instant(us sql.NullInt64) *time.Time {
	if !us.Valid {
		return nil
	}
	t := time.UnixMicro(us.Int64).UTC()
	return &t
}

// proofs are those of the times that the job was taken away; none in a run that an
// older program audited.
func (s *Subject) proofs(ctx context.Context) (all []proof, err error) {
	var known int
	if err := s.DB.QueryRowContext(ctx, "SELECT count(*) FROM duckdb_functions() WHERE schema_name = 'internal' AND function_name = 'preemption_proof'").Scan(&known); err != nil || known == 0 {
		return nil, err
	}
	rows, err := s.DB.QueryContext(ctx, `
SELECT internal.preemption_proof(p, better.start_time)::VARCHAR
FROM preemptions AS p LEFT JOIN jobs AS better ON better.tree = p.tree AND better.job = p.better_victim AND p.better_victim <> ''
WHERE p.tree = $1 AND p.job = $2
ORDER BY p.time`, s.Tree, s.Name)
	if err != nil {
		return nil, fmt.Errorf("read how job %s was preempted: %w", s.Name, err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		var p proof
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			return nil, fmt.Errorf("read the proof about job %s: %w", s.Name, err)
		}
		all = append(all, p)
	}
	return all, rows.Err()
}

// judgements tells the rules that a decision about the job did not simply pass.
func (s *Subject) judgements(ctx context.Context, d *Document) error {
	rows, err := s.DB.QueryContext(ctx, "SELECT epoch_us(time), invariant, verdict, sentence FROM decisions WHERE tree = $1 AND job = $2 ORDER BY time, invariant", s.Tree, s.Name)
	if err != nil {
		return fmt.Errorf("read what was judged of job %s: %w", s.Name, err)
	}
	defer rows.Close()
	p := &passage{Key: "decisions", Title: "Rules that its start or its preemption did not pass"}
	g := &grid{columns: []column{{"time", "UTC", "time, UTC"}, {"invariant", "", "rule"}, {"verdict", "", "verdict"}, {"sentence", "", "what was judged"}}}
	for rows.Next() {
		var us int64
		var invariant, verdict, sentence string
		if err := rows.Scan(&us, &invariant, &verdict, &sentence); err != nil {
			return err
		}
		at := time.UnixMicro(us).UTC()
		p.addLine(0, "%s %s", clock(at), sentence)
		g.Rows = append(g.Rows, []value{moment(at), word(invariant), word(verdict), word(sentence)})
	}
	if g.Rows != nil {
		p.Table = g
		d.Passages = append(d.Passages, p)
	}
	return rows.Err()
}
