package audit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"poolproof/queries"
	"poolproof/replay/tables"
)

const declaredText = `-- What a file is about.

-- Halves of a number,
-- in words.
-- @param   x amount — the number
-- @param   parts — how many
-- @returns amount
-- @example SELECT half(4),
--   half(2)
CREATE OR REPLACE MACRO half(x, parts := 2) AS x / parts;
CREATE OR REPLACE MACRO internal.third(x) AS x / 3;

-- One row per tree.
-- @columns tree, from_time
-- @column  delay share·s — what it lacked — in all
-- @example FROM delays
CREATE OR REPLACE VIEW delays AS
-- a comment within
SELECT 1;

-- The same.
-- @like delays
CREATE OR REPLACE MACRO delays_of(x) AS TABLE
SELECT 1;
`

func TestObjectsAreRead(t *testing.T) {
	t.Parallel()
	objects, err := parseObjects(declaredText)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range objects {
		got = append(got, fmt.Sprintf("%s %s.%s %q %q %v %v %q", o.Kind, o.Schema, o.Name, o.Sentence, o.Returns, o.Params, o.Columns, o.Examples))
	}
	columns := "[{tree   name of the pool tree []} {from_time UTC  start of the span []} {delay share·s  what it lacked — in all []}]"
	want := []string{
		`MACRO main.half "Halves of a number, in words." "amount" [{x amount  the number []} {parts  2 how many []}] [] ["SELECT half(4), half(2)"]`,
		`MACRO internal.third "Halves of a number, in words." "" [{x    []}] [] []`,
		`VIEW main.delays "One row per tree." "" [] ` + columns + ` ["FROM delays"]`,
		`MACRO TABLE main.delays_of "The same." "" [{x    []}] ` + columns + ` []`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, fault := range []struct{ line, says string }{
		{"-- @columns tree, sunshine", "column sunshine belongs to one object only"},
		{"-- @column delay share·s", "is not"},
		{"-- @param y — another", "unknown or duplicate parameter y"},
		{"-- @like nothing", "unknown object nothing"},
		{"-- @example", "has no value"},
		{"-- @colour red", "unknown key"},
		{"-- @returns s\n-- @returns s", "stands twice"},
	} {
		if _, err := parseObjects(fault.line + "\nCREATE OR REPLACE MACRO half(x) AS x / 2;\n"); err == nil || !strings.Contains(err.Error(), fault.says) {
			t.Errorf("%s: %v, want %s", fault.line, err, fault.says)
		}
	}
}

// faults are what a declaration lacks or says wrongly, given the columns that the database
// has, as "name type".
func (o *Object) faults(columns []string) (faults []string) {
	say := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if o.Sentence == "" {
		say("has no sentence")
	}
	if !o.Public() {
		return faults
	}
	for _, p := range o.Params {
		if p.Sentence == "" {
			say("does not explain its parameter %s", p.Name)
		}
	}
	called := regexp.MustCompile(`\b` + o.Name + `\b`)
	if len(o.Examples) == 0 || !slices.ContainsFunc(o.Examples, called.MatchString) {
		say("has no example that uses it")
	}
	if len(columns) == 1 && columns[0] == "" {
		columns = nil
	}
	var names []string
	for _, c := range o.Columns {
		names = append(names, c.Name)
	}
	var have []string
	for i, column := range columns {
		name, kind, _ := strings.Cut(column, " ")
		have = append(have, name)
		if i < len(o.Columns) && o.Columns[i].Name == name {
			if why := o.Columns[i].contradicts(kind); why != "" {
				say("%s %s, and is %s", name, why, kind)
			}
		}
	}
	if !slices.Equal(names, have) {
		say("has the columns %s and declares %s", strings.Join(have, ", "), strings.Join(names, ", "))
	}
	return faults
}

// contradicts says what in the declaration does not go with the type in the database.
func (c *ObjectColumn) contradicts(kind string) string {
	number := regexp.MustCompile(`^(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|FLOAT|DOUBLE|DECIMAL.*|U.*INT)$`).MatchString(kind)
	switch {
	case c.Sentence == "":
		return "has no sentence"
	case strings.HasPrefix(kind, "TIMESTAMP") && (c.Unit != "UTC" || kind != "TIMESTAMP"):
		return "is a time that is not in UTC"
	case number && c.Unit == "":
		return "has no unit"
	case kind == "HUGEINT" || strings.HasPrefix(kind, "DECIMAL"):
		return "is of a type that clients read differently"
	case !number && c.Unit != "" && c.Unit != "UTC":
		return "has the unit " + c.Unit
	case (c.Unit == "share" || c.Unit == "ratio" || c.Unit == "share·s") && kind != "DOUBLE":
		return "is a share"
	}
	return ""
}

// TestWhatStandsInTheDatabaseIsDeclared: every view, table and macro has a sentence, and
// what people ask is explained to the last column.
func TestWhatStandsInTheDatabaseIsDeclared(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	r.makeDatabase()
	objects, err := ReadObjects(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	objects = append(objects, VerdictTables()...)
	declared := map[string]bool{"internal.loaded": true, "internal.sla_bounds": true} // made by the loader and from the policy
	for _, name := range carried {                                                    // made from the baseline
		declared["internal.baseline_"+name] = true
	}
	for _, table := range tables.All() {
		declared["main."+table.Name] = true
	}
	var questions []string
	for _, o := range objects {
		questions = append(questions, o.askColumns())
	}
	for i, answer := range r.ask(questions...) {
		o := &objects[i]
		declared[o.Schema+"."+o.Name] = true
		for _, fault := range o.faults(strings.Split(strings.ReplaceAll(answer, `"`, ""), "\n")) {
			t.Errorf("%s.%s %s", o.Schema, o.Name, fault)
		}
	}
	for _, name := range r.ask(`SELECT DISTINCT schema_name || '.' || name FROM (
			SELECT schema_name, table_name AS name FROM duckdb_tables() WHERE NOT internal UNION SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal
			UNION SELECT schema_name, function_name FROM duckdb_functions() WHERE function_type LIKE '%macro' AND NOT internal) ORDER BY ALL`) {
		for _, one := range strings.Fields(name) {
			if !declared[one] {
				t.Errorf("%s is not declared", one)
			}
		}
	}
	planted := Object{Kind: "VIEW", Schema: mainSchema, Name: "x", Sentence: "X.", Examples: []string{"FROM x"}, Columns: []ObjectColumn{{Name: "t", Sentence: "a time"}, {Name: "n", Unit: "share", Sentence: "a share"}}}
	if faults := planted.faults([]string{"t TIMESTAMP", "n BIGINT"}); len(faults) != 2 {
		t.Errorf("of two faults %q are seen", faults)
	}
	if faults := planted.faults([]string{"n DOUBLE"}); len(faults) != 1 {
		t.Errorf("a missing column gives %q", faults)
	}
}

// askColumns asks for the columns of an object in the database, as "name type".
func (o *Object) askColumns() string {
	from := o.Schema + "." + o.Name
	with := ""
	switch {
	case o.Kind == "MACRO" || !o.Public():
		return "SELECT 1 WHERE false"
	case o.Kind == "MACRO TABLE" && len(o.Examples) > 0:
		// As the example calls it.
		i := strings.Index(o.Examples[0], o.Name+"(")
		from, _, _ = strings.Cut(o.Examples[0][i:], ")")
		from += ")"
		if before, _, ok := strings.Cut(o.Examples[0], ") SELECT "); ok && strings.HasPrefix(before, "WITH ") {
			with = before + ") "
		}
	}
	return "SELECT column_name || ' ' || column_type FROM (DESCRIBE " + with + "SELECT * FROM " + from + ")"
}

// TestTheCommentsStandInTheDatabase: what a client shows of a view, a macro and a table of
// the verdict.
func TestTheCommentsStandInTheDatabase(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	r.described = true
	r.audit("job_without_end")
	of := [][2]string{
		{"SELECT comment FROM duckdb_columns() WHERE table_name = 'fairness' AND column_name = 'usage'", "dominant usage share summed over the time (share·s)"},
		{"SELECT comment FROM duckdb_columns() WHERE table_name = 'fixed_findings' AND column_name = 'judged'", `"how it is known: recorded, recomputed or possible"`},
		{"SELECT contains(comment, 'bin_s: length of a bin (s)') AND contains(comment, 'Example: SELECT') FROM duckdb_functions() WHERE function_name = 'running_operations'", "true"},
		{"SELECT count(*) FROM duckdb_views() WHERE NOT internal AND comment IS NULL", "0"},
		{"SELECT count(*) FROM duckdb_functions() WHERE function_type LIKE '%macro' AND NOT internal AND comment IS NULL", "0"},
		// Words are sorted by their meaning, the worst first.
		{"SELECT max(v) FROM (SELECT verdict AS v FROM audits UNION ALL SELECT 'violated'::ENUM('failed', 'violated', 'ok')) WHERE v = 'violated'", "violated"},
	}
	r.compareAnswers(of, r.ask(questionsOf(of)...))
}

// TestWordsAreSortedByTheirMeaning: a column of a result table that holds one out of a list of
// words is an ENUM of that list, keys apart; in a view it is one, too, and so is a column that
// elsewhere is one.
func TestWordsAreSortedByTheirMeaning(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	r.makeDatabase()
	var lists, questions, want []string
	for _, table := range tables.All() {
		for _, c := range table.Columns {
			if !c.Sorted() {
				if len(c.Words) > 0 && c.Name != "element_kind" && !strings.HasSuffix(c.Name, "resource") {
					t.Errorf("%s.%s has words, which are not sorted", table.Name, c.Name)
				}
				continue
			}
			lists = append(lists, table.Name+"."+c.Name)
			questions = append(questions, fmt.Sprintf("SELECT data_type FROM duckdb_columns() WHERE schema_name = 'main' AND table_name = '%s' AND column_name = '%s'", table.Name, c.Name))
			want = append(want, "ENUM("+enum(c.Words)+")")
		}
	}
	for i, got := range r.ask(questions...) {
		if got = strings.Trim(got, `"`); got != want[i] {
			t.Errorf("%s is %s, and declares %s", lists[i], got, want[i])
		}
	}
	if len(lists) < 40 {
		t.Errorf("%d columns of words", len(lists))
	}
	const letters = `SELECT string_agg(name, ' ' ORDER BY name) FROM (SELECT table_name || '.' || column_name AS name FROM duckdb_columns() WHERE schema_name = 'main' AND NOT internal
		AND data_type = 'VARCHAR' AND column_name IN (SELECT column_name FROM duckdb_columns() WHERE schema_name = 'main' AND data_type LIKE 'ENUM%'))`
	// These are other words, or those of the source, or three of them that have no order.
	const others = "considerations.verdict earlier_excuse_windows.cause excuse_windows.cause incidents.cause lost_work.end_cause preemptions.mode wasted_work.end_kind"
	if got := r.ask(letters)[0]; got != others {
		t.Errorf("sorted by letters: %s", got)
	}
	r.answers([][2]string{
		{"SELECT string_agg(v, ' ' ORDER BY v) FROM (SELECT verdict AS v FROM decision_counts UNION ALL SELECT unnest(['ok', 'suspect', 'violated', 'excused'])::ENUM(" + enum([]string{"violated", "suspect", "undecidable", "excused", "ok"}) + "))", "violated suspect excused ok"},
	})
	// The lists of tables and of the verdict have one order.
	for _, c := range []struct{ table, column string }{{"decision_counts", "verdict"}, {"decisions", "severity"}, {"decisions", "judged"}} {
		i := slices.IndexFunc(tables.All(), func(table *tables.Table) bool { return table.Name == c.table })
		columns := tables.All()[i].Columns
		words := columns[slices.IndexFunc(columns, func(one tables.Column) bool { return one.Name == c.column })].Words
		var all []string
		switch c.column {
		case "verdict":
			all = strings.Split(strings.ReplaceAll(enum(worstFirst), "'", ""), ", ")
		case "severity":
			all = strings.Split(strings.ReplaceAll(enum(Severities), "'", ""), ", ")
		default:
			all = append(slices.Clone(evidenceLevels), "") // of what cannot be judged
		}
		at := -1
		for _, word := range words {
			next := slices.Index(all, word)
			if next <= at {
				t.Errorf("%s.%s: %s stands elsewhere in %q", c.table, c.column, word, all)
			}
			at = next
		}
	}
}

// TestKeysAreAlikeEverywhere: what joins has one name and type in all that people ask, times
// are TIMESTAMP and shares DOUBLE, and nothing is of a type that clients
// read differently: pandas reads a list of ENUMs as numbers.
func TestKeysAreAlikeEverywhere(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	r.makeDatabase()
	const odd = `SELECT string_agg(table_name || '.' || column_name, ' ' ORDER BY table_name, column_name) FROM (
			SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE schema_name = 'main' AND NOT internal %s
		) WHERE column_name IN ('tree', 'pool', 'path', 'operation', 'node', 'job', 'resource', 'element_kind', 'element', 'audit', 'invariant', 'user_name', 'finding_id') AND data_type <> 'VARCHAR'
			OR column_name LIKE '%%time' AND data_type <> 'TIMESTAMP' OR regexp_matches(column_name, '_(share|ratio|part)$') AND data_type <> 'DOUBLE'
			OR data_type LIKE '%%TIME ZONE%%' OR column_name LIKE '%%!_us' ESCAPE '!' AND data_type <> 'BIGINT' OR data_type = 'HUGEINT' OR data_type LIKE 'DECIMAL%%' OR data_type LIKE 'ENUM%%[]'
			OR column_name IN ('op', 'operation_id', 'pool_name', 'node_address', 'job_id', 'tree_name')`
	planted := ""
	for _, column := range []string{"pool BIGINT", "from_time TIMESTAMP WITH TIME ZONE", "usage_ratio FLOAT", "lost_us DOUBLE", "job_id VARCHAR", "n HUGEINT", "kinds ENUM(x)[]"} {
		name, kind, _ := strings.Cut(column, " ")
		planted += fmt.Sprintf("UNION ALL SELECT 'planted', '%s', '%s' ", name, kind)
	}
	got := r.ask(fmt.Sprintf(odd, ""), fmt.Sprintf(odd, planted))
	if got[0] != "" {
		t.Errorf("named or typed unlike elsewhere: %s", got[0])
	}
	if n := len(strings.Fields(got[1])); n != 7 {
		t.Errorf("of seven faults %d are seen: %s", n, got[1])
	}
}
