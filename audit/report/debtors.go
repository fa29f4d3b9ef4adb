package report

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"poolproof/core/quantity"
	"poolproof/core/spelling"
)

// accounts tells what an element lacked in a span and why: the answer in one sentence, the chain
// of reasons, and who had the share with the jobs that held it. Without an account, in a run that
// has no ledger, it tells nothing.
func (d *Document) accounts(ctx context.Context, a *account) error {
	if a == nil {
		return nil
	}
	text, err := a.answer(ctx)
	if err != nil {
		return err
	}
	p := d.add("answer", "In short")
	p.Prose = []string{text}
	if a.at != nil {
		if text, err = a.then(ctx); err != nil {
			return err
		}
		p.Prose = append(p.Prose, text, "--from and --to choose another time.")
	}
	if a.owed == 0 {
		return nil
	}
	a.chain(d)
	return a.debtors(ctx, d)
}

// WhoLacked names the pools that lacked most, those first that lacked what they were owed.
func WhoLacked(ctx context.Context, db *sql.DB, most int) (pools []string, err error) {
	rows, err := db.QueryContext(ctx, `
SELECT tree, element, level, deficit FROM main_causes('-infinity', 'infinity')
WHERE element_kind = 'pool' ORDER BY level = 'demand', deficit DESC, tree, element LIMIT $1`, most)
	if err != nil {
		return nil, fmt.Errorf("read what was lacking: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var tree, pool, level string
		var lacked float64
		if err := rows.Scan(&tree, &pool, &level, &lacked); err != nil {
			return nil, fmt.Errorf("read what was lacking: %w", err)
		}
		pools = append(pools, fmt.Sprintf("%s of tree %s, %s of %s", spelling.OneName(pool), spelling.OneName(tree),
			quantity.Of(lacked, "share·s"), levelWords[level]))
	}
	return pools, rows.Err()
}

// shownReasons bounds the number of reasons in a text. Each is at least leastShown of the whole:
// 0.0 % explains nothing.
const (
	shownReasons = 8
	leastShown   = 0.0005
)

// chain tells the causes by their size.
func (a *account) chain(d *Document) {
	p := d.add("reasons", fmt.Sprintf("Why it lacked %s of %s, %s", quantity.Of(float64(a.owed)/1e9, "share·s"), levelWords[a.level], span(&a.begin, &a.end)))
	p.Prose = []string{a.unit()}
	p.Table = &grid{columns: []column{{"part", "ratio", "part"}, {"owed_share_seconds", "share·s", ""},
		{"cause", "", ""}, {"obstacle", "", ""}, {"pool", "", ""}, {"reason", "", "why"}}}
	for i, r := range sumsOf(a.reasons, byCause) {
		part, why := float64(r.owed)/float64(a.owed), r.whole()
		p.Table.Rows = append(p.Table.Rows, []value{{part, tabled(part)}, {float64(r.owed) / 1e9, ""}, word(r.cause), wordOrNone(r.obstacle), wordOrNone(r.pool), word(why)})
		if i < shownReasons && (i == 0 || part >= leastShown) {
			p.addLine(0, "%7s  %s", tabled(part), why)
			p.Table.shown = i + 1
		}
	}
	var after []string
	if n := p.Table.more(); n > 0 {
		after = append(after, fmt.Sprintf("and %s", count(n, "smaller reason", "smaller reasons")))
	}
	if a.alsoFairShare > 0 {
		after = append(after, fmt.Sprintf("of its fair share it lacked %s", quantity.Of(a.alsoFairShare, "share·s")))
	}
	p.After = strings.Join(after, "; ")
}

// unit says what the unit of what was lacking is.
func (a *account) unit() string {
	text := "1 share·s is the whole tree for a second"
	if a.total > 0 {
		text += ", here " + quantity.Amount(a.resource, a.total) + " for a second"
	}
	return text + "."
}

// shownDebtors bounds the number of listed holders of share.
const shownDebtors = 5

// debtors tells who had most of what others had above their fair shares, and the jobs that each
// held when most was lacking.
func (a *account) debtors(ctx context.Context, d *Document) error {
	byOperation := func(r debt) debt { return debt{cause: r.cause, pool: r.pool, operation: r.operation} }
	p := &passage{Key: "debtors", Title: "Who had it, and the jobs that each held when it had most of it"}
	p.Table = &grid{shown: shownDebtors, columns: []column{{"pool", "", "pool"}, {"operation", "", "operation"}, {"owed_share_seconds", "share·s", "had of it"}, {"time", "UTC", "most at, UTC"}, {"jobs", "jobs", "jobs"}, {"amount", a.resource, "holding"}, {"since", "UTC", "oldest since"}, {"job", "", "largest job"}}}
	for _, h := range a.holders(byOperation) {
		row := []value{{wordOrNone(h.pool).of, holderName(h.pool)}, {h.operation, h.operation},
			{float64(h.owed) / 1e9, quantity.Of(float64(h.owed)/1e9, "share·s")}}
		if h.operation == "" {
			row[1] = value{nil, "several"}
		}
		if len(p.Table.Rows) >= shownDebtors || h.operation == "" { // for several: their jobs are not told apart
			p.Table.Rows = append(p.Table.Rows, append(row, value{}, value{}, value{}, value{}, value{}))
			continue
		}
		held, err := a.jobsOf(ctx, h)
		if err != nil {
			return err
		}
		p.Table.Rows = append(p.Table.Rows, append(row, held...))
	}
	if p.Table.Rows == nil {
		return nil
	}
	if n := p.Table.more(); n > 0 {
		p.After = fmt.Sprintf("and %d more", n)
	}
	d.Passages = append(d.Passages, p)
	return nil
}

// holderName is a pool that holds share; none is where a row stands for several.
func holderName(pool string) string {
	if pool == "" {
		return "several"
	}
	return pool
}

// jobsOf tells of the jobs that a holder had when it had most of the share: when, how many, what they held of
// the resource, since when the oldest ran, and the largest.
func (a *account) jobsOf(ctx context.Context, h debt) ([]value, error) {
	const column = "operation"
	name := h.operation
	var n int64
	var amount float64
	var since *int64
	var largest *string
	row := a.db.QueryRowContext(ctx, "SELECT count(*), coalesce("+naturalAmount(a.resource, "sum(resources_"+a.resource+")")+", 0)::DOUBLE, epoch_us(min(start_time)), max_by(job, (resources_"+a.resource+", job)) FROM jobs WHERE tree = $1 AND "+column+" = $2 AND start_time <= make_timestamp($3) AND (end_time IS NULL OR end_time > make_timestamp($3))",
		a.tree, name, h.worst.UnixMicro())
	if err := row.Scan(&n, &amount, &since, &largest); err != nil {
		return nil, fmt.Errorf("read the jobs of %s %s: %w", column, name, err)
	}
	values := []value{{stamp(&h.worst), h.worst.Format("2006-01-02 15:04:05")}, {n, number(n)}, {amount, quantity.Amount(a.resource, amount)}, {}, {}}
	if since != nil {
		at := time.UnixMicro(*since).UTC()
		values[3] = value{stamp(&at), at.Format("2006-01-02 15:04:05")}
	}
	if largest != nil {
		values[4] = word(*largest)
	}
	return values, nil
}

// next tells what to look at next, in command lines.
func (a *account) next(d *Document, runPath string) {
	p := d.add("next", "What to look at next")
	explain := func(what string) string {
		return spelling.Command("explain", []string{runPath, what}, "--tree", spelling.OneListed(a.tree))
	}
	if holders := a.holders(a.byBranch); len(holders) > 0 && holders[0].pool != "" {
		p.show(explain(cmp.Or(holders[0].operation, holders[0].pool))+" --at "+
			askTime(holders[0].worst.Truncate(time.Second)), "who had most of it, when it had most")
	}
	for _, r := range a.reasons {
		if r.cause == "ancestor_limit" || r.cause == "operation_count" {
			p.show(explain(r.pool)+" --at "+askTime(a.worst.Truncate(time.Second)), "the pool whose limit it is")
			break
		}
	}
	if a.kind == "pool" {
		p.show(explain(a.name)+" --at "+askTime(a.worst.Truncate(time.Second)), "the moment when most was lacking, and what an operation of it needed to get a job")
	}
	p.show(fmt.Sprintf("%s --from %s --to %s --output perfetto > %s", explain(a.name), askTime(a.begin), askTime(a.end),
		"lacking.pftrace"), "all of the tree then, for ui.perfetto.dev")
	p.show(askSQL(runPath, fmt.Sprintf("SELECT from_time, cause, obstacle, holder_pool, holder_operation, owed_share_seconds / 1e9 AS owed_share_seconds FROM share_debts WHERE tree = %s AND element_kind = %s AND coalesce(operation, pool) = %s AND level = %s ORDER BY from_time, owed_share_seconds DESC",
		sqlText(a.tree), sqlText(a.kind), sqlText(a.name), sqlText(a.level))), "the ledger, row by row, in share·s")
}
