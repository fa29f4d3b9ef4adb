package report

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"poolproof/core/quantity"
	"poolproof/core/spelling"
)

// answersQuery has the instants that were asked of the node $1 in the tree $2.
const answersQuery = "SELECT DISTINCT epoch_us(time) FROM considerations WHERE node = $1 AND tree = $2 ORDER BY ALL"

// answerQuery has the rows of one answer, in their order.
const answerQuery = `
SELECT kind, coalesce(operation, ''), job, coalesce(pool, ''), coalesce(limit_pool, ''), coalesce(blocker_pool, ''), blocked_by_operation, coalesce(rank, -1),
  satisfaction, satisfaction_before, satisfaction_after, list, fact, sentence, verdict
FROM considerations WHERE node = $1 AND tree = $2 AND epoch_us(time) = $3
ORDER BY position`

// ExplainNode tells what the policy answers of a node: what its heartbeat would have
// decided at the instants that were asked about, at the one nearest to the time asked for
// if there is one, and what was found of the node.
func ExplainNode(ctx context.Context, s Subject) (*Document, error) {
	from, to, err := toldWindow(s.Verdict, s.From, s.To)
	if err != nil {
		return nil, err
	}
	d := &Document{Kind: "node", Name: s.Name, Tree: s.Tree, From: &from, To: &to, Heading: []string{fmt.Sprintf("node %s in tree %s", s.Name, s.Tree)}}
	if s.Outline {
		return d, nil
	}
	asked, err := s.asked(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.found(ctx)
	if err != nil {
		return nil, err
	}
	s.ruled(d, found)
	for _, at := range asked {
		if err := s.answer(ctx, d, at); err != nil {
			return nil, err
		}
	}
	if len(asked) == 0 {
		at := "TIME"
		if s.At != nil {
			at = askTime(*s.At)
		}
		d.add("ask", "The policy was not asked. What it would have decided there, and why:").show(askCommand(s.Name, at), "")
	}
	s.findings(d, found)
	if len(asked) > 0 {
		d.add("rows", "The rows").show(askSQL(s.RunPath,
			"SELECT * FROM considerations WHERE tree = "+sqlText(s.Tree)+" AND node = "+sqlText(s.Name)+" ORDER BY time, position"), "")
	}
	return d, nil
}

// askCommand asks the policy about a node and a time.
func askCommand(node, at string) string {
	return spelling.Command("run", []string{"TRACE"}, "--out", "RUN", "--ask", node+"@"+at)
}

func askTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999999Z") }

// asked returns the instants to tell of.
func (s *Subject) asked(ctx context.Context) (all []time.Time, err error) {
	var tables int64 // a run of an older program has none
	row := s.DB.QueryRowContext(ctx, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'considerations'")
	if err := row.Scan(&tables); err != nil || tables == 0 {
		return nil, err
	}
	rows, err := s.DB.QueryContext(ctx, answersQuery, s.Name, s.Tree)
	if err != nil {
		return nil, fmt.Errorf("look for what was asked of node %s: %w", s.Name, err)
	}
	defer rows.Close()
	for rows.Next() {
		var at int64
		if err := rows.Scan(&at); err != nil {
			return nil, err
		}
		t := time.UnixMicro(at).UTC()
		if s.From != nil && t.Before(*s.From) || s.To != nil && !t.Before(*s.To) {
			continue
		}
		if s.At != nil && len(all) == 1 {
			if t.Sub(*s.At).Abs() < all[0].Sub(*s.At).Abs() {
				all[0] = t
			}
			continue
		}
		all = append(all, t)
	}
	return all, rows.Err()
}

// shownRows bounds the number of operations or jobs of a stage in a text.
const shownRows = 40

// answerColumns are those of an answer: the stages, and under each whom it came to.
var answerColumns = []column{{"kind", "", "what"}, {"operation", "", "operation"}, {"job", "", "job"},
	{"pool", "", "pool"}, {"limit_pool", "", ""}, {"blocker_pool", "", ""},
	{"blocked_by_operation", "", ""}, {"rank", "place from 1 on", ""}, {"satisfaction", "", ""}, {"satisfaction_before", "", ""}, {"satisfaction_after", "", ""},
	{"list", "", ""}, {"fact", "", ""}, {"verdict", "", ""}, {"sentence", "", "answer"}}

// answer tells the rows of one answer.
func (s *Subject) answer(ctx context.Context, d *Document, at time.Time) error {
	rows, err := s.DB.QueryContext(ctx, answerQuery, s.Name, s.Tree, at.UnixMicro())
	if err != nil {
		return fmt.Errorf("read what was answered of node %s: %w", s.Name, err)
	}
	defer rows.Close()
	p := d.add("answer", fmt.Sprintf("What the policy would have decided at %s, if every controller offered its smallest job", at.Format("2006-01-02 15:04:05.999999")))
	p.Table = &grid{columns: answerColumns}
	n := 0
	for rows.Next() {
		var a answerRow
		if err := a.scan(rows); err != nil {
			return err
		}
		if n++; a.kind == "stage" {
			n = 0
		}
		switch {
		case n <= shownRows:
			p.Lines = append(p.Lines, a.line())
		case n == shownRows+1:
			p.addLine(1, "and more")
		}
		p.Table.Rows = append(p.Table.Rows, a.row())
	}
	return rows.Err()
}

// An answerRow holds the written columns of a row of considerations.
type answerRow struct {
	kind, operation, job, pool, limitPool, blockerPool string
	blockedByOwn                                       bool
	rank                                               int64
	satisfaction, before, after                        float64
	list, fact, sentence, verdict                      string
}

func (a *answerRow) scan(rows *sql.Rows) error {
	return rows.Scan(&a.kind, &a.operation, &a.job, &a.pool, &a.limitPool, &a.blockerPool, &a.blockedByOwn, &a.rank,
		&a.satisfaction, &a.before, &a.after, &a.list, &a.fact, &a.sentence, &a.verdict)
}

func (a *answerRow) line() line {
	if a.kind == "stage" {
		return line{0, a.sentence}
	}
	var b strings.Builder
	if a.kind == "operation" {
		fmt.Fprintf(&b, "operation %s of pool %s", a.operation, a.pool)
		if a.verdict == "started" || a.verdict == "passed_over" {
			fmt.Fprintf(&b, ", satisfaction %s", quantity.Ratio(a.satisfaction))
		}
	} else {
		fmt.Fprintf(&b, "job %s of operation %s, %s", a.job, a.operation, a.list)
		if a.rank >= 0 {
			fmt.Fprintf(&b, ", %s in preemption order", quantity.Ordinal(int64(a.rank)+1))
		}
		fmt.Fprintf(&b, ", satisfaction %s and %s without it", quantity.Ratio(a.before), quantity.Ratio(a.after))
	}
	fmt.Fprintf(&b, ": %s", a.sentence)
	for _, of := range []string{a.limitPool, a.blockerPool} {
		if of != "" {
			fmt.Fprintf(&b, " (pool %s)", of)
		}
	}
	if a.blockedByOwn {
		b.WriteString(" (its own operation)")
	}
	if a.fact != "" {
		fmt.Fprintf(&b, " [%s]", a.fact)
	}
	return line{1, b.String()}
}

// row returns the values for programs.
func (a *answerRow) row() []value {
	rank := value{}
	if a.rank >= 0 {
		rank.of = a.rank + 1
	}
	return []value{word(a.kind), wordOrNone(a.operation), wordOrNone(a.job), wordOrNone(a.pool),
		wordOrNone(a.limitPool), wordOrNone(a.blockerPool), {of: a.blockedByOwn}, rank,
		{of: a.satisfaction}, {of: a.before}, {of: a.after}, wordOrNone(a.list), wordOrNone(a.fact), wordOrNone(a.verdict), word(a.line().Text)}
}

// decisionQuery has the node and the time of the worst and first decision in the
// tree $1 that broke the rule $2, of the operation, job or node $3, in the µs $4 to
// $5.
const decisionQuery = `
SELECT node, epoch_us(time)
FROM decisions
WHERE tree = $1 AND invariant = $2 AND (operation = $3 OR job = $3 OR node = $3) AND node IS NOT NULL
  AND epoch_us(time) BETWEEN $4 AND $5 AND verdict IN ('violated', 'suspect')
ORDER BY verdict, time, node
LIMIT 1`

// ask says how to ask the policy about the decision that the finding is about.
func (e *Explanation) ask(ctx context.Context, d *Document) error {
	f := e.Finding
	if f.From == nil || f.To == nil || !slices.Contains(e.Audit.Reads, "decisions") {
		return nil
	}
	var node string
	var at int64
	row := e.DB.QueryRowContext(ctx, decisionQuery, f.Tree, f.Invariant, f.Subject, f.From.UnixMicro(), f.To.UnixMicro())
	switch err := row.Scan(&node, &at); {
	case err == sql.ErrNoRows:
		return nil
	case err != nil:
		return fmt.Errorf("look for the decision of finding %s: %w", f.ID, err)
	}
	moment := time.UnixMicro(at).UTC()
	s := Subject{DB: e.DB, Name: node, Tree: f.Tree, At: &moment}
	asked, err := s.asked(ctx)
	if err != nil {
		return err
	}
	p := d.add("ask", "What the policy would have decided instead, and why")
	if !slices.ContainsFunc(asked, moment.Equal) {
		p.show(askCommand(node, askTime(moment)), "")
		return nil
	}
	p.show(spelling.Command("explain", []string{e.RunPath, node}, "--at", askTime(moment)), "")
	return nil
}
