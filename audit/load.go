package audit

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"poolproof/replay/tables"
)

// errCorrupted is the fault of a table that is not what was sent.
var errCorrupted = errors.New("the loaded table differs from its files")

// A loader copies the result tables of a run into a database.
type loader struct {
	dir       string
	manifest  *manifest
	reads     readColumns
	extracted bool // the files hold the wanted columns alone
	fresh     bool // neither the files nor what arrives are compared with what was written
	described bool // what tables and columns mean is put in
	atATime   int  // tables
	memory    Memory
	take      Taker
}

// load copies the tables into an empty database and compares what arrived with what was sent.
func (l *loader) load(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "CREATE SCHEMA "+catalog+"."+internalSchema); err != nil {
		return fmt.Errorf("begin %s: %w", DatabaseName, err)
	}
	wanted := l.wanted()
	if err := l.loadTables(ctx, db, wanted); err != nil {
		return err
	}
	rows := l.manifest.rows()
	var empty, last []string
	for _, t := range wanted {
		if rows[t.Name] == 0 {
			empty = append(empty, emptyTable(t, l.reads))
		}
		if l.described {
			last = append(last, describe(t))
		}
	}
	if err := atOnce(ctx, conn, empty...); err != nil {
		return fmt.Errorf("create the tables without rows: %w", err)
	}
	if l.reads == nil {
		if err := checkBalance(ctx, conn); err != nil {
			return err
		}
	}
	// Whoever opens the file later sees what it was made from.
	last = append(last, "CREATE TABLE "+catalog+"."+internalSchema+".loaded AS SELECT "+
		quoteText(l.manifest.ResultDigest)+" AS result_digest, "+quoteText(columnsDigest())+" AS columns_digest;")
	if err := atOnce(ctx, conn, last...); err != nil {
		return err
	}
	return endLoading(ctx, conn)
}

// wanted are the tables to load.
func (l *loader) wanted() (wanted []*tables.Table) {
	for _, t := range tables.All() {
		if l.reads.wants(t, 0) {
			wanted = append(wanted, t)
		}
	}
	return wanted
}

// values returns the number of values in the loaded tables.
func (l *loader) values() (n int64) {
	rows := l.manifest.rows()
	for _, t := range l.wanted() {
		for i := range t.Columns {
			if l.reads.wants(t, i) {
				n += rows[t.Name]
			}
		}
	}
	return n
}

// besideFile has a connection make views in memory, and not in the run's file, while a stream is
// copied.
func besideFile(ctx context.Context, conn *sql.Conn, copied func() error) error {
	if _, err := conn.ExecContext(ctx, "USE memory"); err != nil {
		return err
	}
	err := copied()
	_, back := conn.ExecContext(context.WithoutCancel(ctx), "USE "+catalog)
	return errors.Join(err, back)
}

// columnsDigest tells the tables of this program, those of the verdict among them, from those
// of another version, which may have other columns.
func columnsDigest() string {
	parts := []string{verdictTables(afresh)}
	for _, t := range tables.All() {
		parts = append(parts, t.Name)
		for _, c := range t.Columns {
			parts = append(parts, c.Name, c.Type.String())
		}
	}
	return digestOfParts(parts...)
}

// atOnce runs statements as one transaction: each of its own would wait for the disk. A text may
// hold several; DuckDB copies the whole text for each of them, so that long ones are given apart.
func atOnce(ctx context.Context, conn *sql.Conn, texts ...string) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // without effect once committed
	for _, text := range texts {
		if text == "" {
			continue
		}
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// loadTakes is DuckDB's memory for each concurrently loaded table, in bytes: one table alone needs
// half of it, and two do not fit into that half.
const loadTakes = 128 << 20

// loadsAtATime returns the number of tables that are loaded concurrently: the number of workers, or
// fewer if memory is limited.
func loadsAtATime(workers int, memory Memory) int {
	if memory > 0 {
		workers = int(min(Memory(workers), memory/loadTakes))
	}
	return max(workers, 1)
}

// loadTables loads each table through a connection of its own, the largest first, so that
// none is left to the end that keeps a single core busy.
func (l *loader) loadTables(ctx context.Context, db *sql.DB, all []*tables.Table) error {
	rows := l.manifest.rows()
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rows[all[j].Name], rows[all[i].Name]) })
	failed := make([]error, len(all))
	var group errgroup.Group
	group.SetLimit(loadsAtATime(l.atATime, l.memory))
	for _, i := range order {
		group.Go(func() error {
			back, err := l.take.worker(ctx)
			if err != nil {
				failed[i] = err
				return nil
			}
			defer back()
			if err := l.loadTable(ctx, db, all[i]); err != nil {
				failed[i] = fmt.Errorf("load table %s: %w", all[i].Name, err)
			}
			return nil
		})
	}
	_ = group.Wait() // of several faults the first table's is returned, whichever came first
	return cmp.Or(failed...)
}

// loadTable copies a table; one without rows is read and not copied.
func (l *loader) loadTable(ctx context.Context, db *sql.DB, t *tables.Table) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	files, rows, err := l.manifest.files(l.dir, t, l.fresh)
	if err != nil {
		return err
	}
	memory := &arena{under: allocator}
	defer memory.freeAll()
	sent := newStream(newTableSource(t, l.reads, l.extracted, files), memory)
	sent.unsummed = l.fresh
	name := catalog + "." + quoteName(t.Name)
	if rows == 0 {
		sent.drain()
	} else {
		err = besideFile(ctx, conn, func() error { return copyStream(ctx, conn, sent, "_"+t.Name, name, asEnums(t, l.reads)) })
	}
	switch {
	case sent.err != nil:
		return sent.err // says more than what DuckDB makes of it
	case err != nil:
		return err
	case sent.rows != rows:
		return runErrorf(l.dir, "has %d rows of table %s, its manifest says %d", sent.rows, t.Name, rows)
	case rows == 0, l.fresh:
		return nil
	}
	return verifyTable(ctx, conn, name, sent)
}

// emptyTable returns the statement that creates a table without rows, as copyStream would. To
// copy nothing takes as long as a thousand rows, and most tables of a small run have none.
func emptyTable(t *tables.Table, read readColumns) string {
	var columns []string
	for i, c := range t.Columns {
		if !read.wants(t, i) {
			continue
		}
		kind := typeInSQL(c.Type)
		if c.Sorted() {
			kind = "ENUM(" + enum(c.Words) + ")"
		}
		columns = append(columns, quoteName(c.Name)+" "+kind)
	}
	return fmt.Sprintf("CREATE TABLE %s.%s (%s);", catalog, quoteName(t.Name), strings.Join(columns, ", "))
}

// asEnums makes ENUMs of the columns that are sorted by the meaning of their words.
func asEnums(t *tables.Table, read readColumns) string {
	var all []string
	for i, c := range t.Columns {
		if c.Sorted() && read.wants(t, i) {
			name := quoteName(c.Name)
			all = append(all, fmt.Sprintf("%s::ENUM(%s) AS %s", name, enum(c.Words), name))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "REPLACE (" + strings.Join(all, ", ") + ") "
}

// verifyTable compares a loaded table with the stream that was sent.
func verifyTable(ctx context.Context, conn *sql.Conn, table string, sent *stream) error {
	q := "SELECT count(*), hash(NULL)"
	sums := sent.sums
	if sent.rows == 0 { // of nothing there is no column to look at
		sums = nil
	}
	for i, f := range sent.schema.Fields()[:len(sums)] {
		value := quoteName(f.Name)
		if sent.ofWords(i) { // the hash of an ENUM is that of its number
			value += "::VARCHAR"
		}
		q += ", sum(hash(" + value + "))"
	}
	var rows, null uint64
	got := make([]*big.Int, len(sums))
	into := []any{&rows, &null}
	for i := range got {
		into = append(into, &got[i])
	}
	if err := conn.QueryRowContext(ctx, q+" FROM "+table).Scan(into...); err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if rows != uint64(sent.rows) {
		return fmt.Errorf("%w: %d rows were sent and %d arrived", errCorrupted, sent.rows, rows)
	}
	for i, want := range sums {
		sum := got[i].And(got[i], new(big.Int).SetUint64(math.MaxUint64)).Uint64()
		if sum != want.sum+(rows-want.values)*null { // a null has a hash, too
			return fmt.Errorf("%w: the values of column %s are not those that were sent", errCorrupted, sent.schema.Field(i).Name)
		}
	}
	return nil
}

// words lists what a column may hold, if that is one of a few words.
func words(of []string) string {
	if len(of) == 0 {
		return ""
	}
	return " [" + strings.TrimPrefix(strings.Join(of, ", "), ", ") + "]" // the empty text goes without saying
}

// describe is describeTable. Tests that read no descriptions do without it: it takes most of
// the loading of a small run.
var describe = describeTable

// describeTable returns statements that put the sentences and units of a table
// where DuckDB shows them.
func describeTable(t *tables.Table) string {
	var b strings.Builder
	name := catalog + "." + quoteName(t.Name)
	fmt.Fprintf(&b, "COMMENT ON TABLE %s IS %s;", name, quoteText(t.Sentence))
	for _, c := range t.Columns {
		fmt.Fprintf(&b, "COMMENT ON COLUMN %s.%s IS %s;", name, quoteName(c.Name), quoteText(withUnit(c.Sentence, c.Unit)+words(c.Words)))
	}
	return b.String()
}
