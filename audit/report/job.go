package report

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// jobQuery has what is known of the job $2 in the tree $1.
const jobQuery = `
SELECT operation, pool, coalesce(node, ''), epoch_us(start_time), epoch_us(end_time), coalesce(end_kind, ''), coalesce(end_reason, '')
FROM jobs WHERE tree = $1 AND job = $2 ORDER BY start_time LIMIT 1`

// ExplainJob tells a person of a job: whose it was, where and when it ran and how it
// ended; if it was taken away, the proof; who was taken away for it; and what was
// judged of it.
func ExplainJob(ctx context.Context, w io.Writer, s Subject) error {
	var operation, pool, node, kind, reason string
	var begin, end sql.NullInt64
	row := s.DB.QueryRowContext(ctx, jobQuery, s.Tree, s.Name)
	if err := row.Scan(&operation, &pool, &node, &begin, &end, &kind, &reason); err != nil {
		return fmt.Errorf("read job %s: %w", s.Name, err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "job %s in tree %s, %s\n", OneLine(s.Name), OneLine(s.Tree), span(instant(begin), instant(end)))
	fmt.Fprintf(&b, "  of operation %s in pool %s\n", OneLine(operation), OneLine(pool))
	if node != "" {
		fmt.Fprintf(&b, "  on node %s\n", OneLine(node))
	}
	if kind != "" {
		fmt.Fprintf(&b, "  ended: %s", OneLine(spaced(kind)))
		if reason != "" {
			fmt.Fprintf(&b, " (%s)", OneLine(spaced(reason)))
		}
		b.WriteByte('\n')
	}
	proofs, err := s.proofs(ctx)
	if err != nil {
		return err
	}
	for i := range proofs {
		fmt.Fprintf(&b, "\nIt was taken away at %s\n", clock(proofs[i].Time))
		writeProof(&b, &proofs[i])
	}
	if err := s.preemptions(ctx, &b, "Jobs that were taken away for it", "beneficiary_job", nil, nil); err != nil {
		return err
	}
	if err := s.judgements(ctx, &b); err != nil {
		return err
	}
	if len(FindingsOf(s.Verdict, s.Kind, s.Name)) > 0 {
		s.findings(&b)
	}
	fmt.Fprintf(&b, "\nIts operation\n  poolproof explain %s %s --tree %s\n", quoted(s.RunPath), shellText(OneLine(operation)), shellText(OneLine(s.Tree)))
	b.WriteString("\nThe rows\n")
	for _, table := range []string{"jobs", "preemptions", "decisions"} {
		fmt.Fprintf(&b, "  poolproof query %s %s\n", quoted(s.RunPath), shellText("SELECT * FROM "+table+" WHERE tree = "+sqlText(s.Tree)+" AND job = "+sqlText(s.Name)))
	}
	_, err = w.Write(b.Bytes())
	return err
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
	if err := s.DB.QueryRowContext(ctx, "SELECT count(*) FROM duckdb_functions() WHERE function_name = 'preemption_proof'").Scan(&known); err != nil || known == 0 {
		return nil, err
	}
	rows, err := s.DB.QueryContext(ctx, `
SELECT preemption_proof(p, better.start_time)::VARCHAR
FROM preemptions AS p LEFT JOIN jobs AS better ON better.tree = p.tree AND better.job = p.better_victim AND p.better_victim <> ''
WHERE p.tree = $1 AND p.job = $2
ORDER BY p.time`, s.Tree, s.Name)
	if err != nil {
		return nil, fmt.Errorf("read how job %s was taken away: %w", s.Name, err)
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

// judgements writes the rules that a decision about the job did not simply pass.
func (s *Subject) judgements(ctx context.Context, b *bytes.Buffer) error {
	rows, err := s.DB.QueryContext(ctx, "SELECT time, sentence FROM decisions WHERE tree = $1 AND job = $2 ORDER BY time, invariant", s.Tree, s.Name)
	if err != nil {
		return fmt.Errorf("read what was judged of job %s: %w", s.Name, err)
	}
	defer rows.Close()
	title := "\nWhat its start and its preemption did not simply pass\n"
	for rows.Next() {
		var at time.Time
		var sentence string
		if err := rows.Scan(&at, &sentence); err != nil {
			return err
		}
		fmt.Fprintf(b, "%s  %s %s\n", title, clock(at), OneLine(sentence))
		title = ""
	}
	return rows.Err()
}
