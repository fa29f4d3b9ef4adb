package queries

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/queries"
)

// No query may cost the square of what a log holds. A join of spans by two inequalities
// does: it compares each row of a key with each. So does a join without an equality. Two
// looks are taken at every view, macro and audit: at the plan that DuckDB makes over a
// run, and at the text, of which a plan leaves out what that run has no rows for.

// A wideJoin is a join of spans that stays as it is.
type wideJoin struct {
	in         string // the view, macro, table or audit whose text has it
	conditions string // as plans show them
	reason     string
}

var wideJoins = []wideJoin{
	{"version_facts", "from_time < to_time, pool = pool, to_time > from_time, tree = tree",
		"made once; a pool has few versions, and to look for the version of every span by ASOF takes five times as long"},
	{"lightweight_pool_mixed", "from_time < to_time, pool = pool, to_time > from_time, tree = tree", "a pool has few versions, and few run both kinds of operations"},
	{"void_promises", "at = at, from_time < to_time, kind = kind, of_children = of_children, to_time > from_time, tree = tree",
		"faults and versions are few, and of those with equal keys nearly every pair is wanted"},
	{"tree_promises", "from_time < to_time, kind = kind, to_time > from_time, tree = tree", "settings of a tree and of its pools have few versions"},
	{"job_outlived_node", "end_time > (left_time + '00:00:16'::INTERVAL), node = node, start_time < left_time, tree = tree",
		"a node seldom leaves its tree, and a job may outlive it more than once"},
}

// TestNoQueryComparesEachWithEach takes both looks.
func TestNoQueryComparesEachWithEach(t *testing.T) {
	db := runForJoins(t)
	t.Run("plans", func(t *testing.T) { noPlanComparesEachWithEach(t, db) })
	t.Run("texts", func(t *testing.T) { noTextComparesEachWithEach(t, db) })
}

// runForJoins is a run in which most tables have rows.
func runForJoins(t *testing.T) *audit.Database {
	t.Helper()
	dir := t.TempDir()
	trace, run := filepath.Join(dir, "trace"), filepath.Join(dir, "run")
	kinds := "start_over_pool_limit,older_victim_first,guarantee_ignored,burst_ignored,fifo_inversion,node_moved_with_jobs,limit_below_guarantee,guarantees_oversubscribed,legal_limit_lowered,legal_ephemeral_pools"
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "generate", "--preset", "small", "--plant", kinds, "--out", trace, "--quiet")); code != exit.Kept {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "run", trace, "--out", run, "--quiet")); code != exit.Violated {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	db, err := audit.OpenDatabase(run, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// A question is a query of the project under the name of its file or view.
type question struct{ name, sql string }

// named are the names and texts that a query returns.
func named(t *testing.T, db *audit.Database, query string) (all []question) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var q question
		if err := rows.Scan(&q.name, &q.sql); err != nil {
			t.Fatal(err)
		}
		all = append(all, q)
	}
	if len(all) == 0 || rows.Err() != nil {
		t.Fatalf("%s: %v", query, rows.Err())
	}
	return all
}

// auditQuestions are the queries of all audits, with the defaults of their
// parameters.
func auditQuestions(t *testing.T) (all []question) {
	t.Helper()
	audits, err := audit.ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range audits {
		for _, text := range []string{a.Findings, a.Seen, a.Tested} {
			for _, p := range a.Params {
				text = regexp.MustCompile(`\$`+p.Name+`\b`).ReplaceAllLiteralString(text, strconv.FormatFloat(p.Default, 'g', -1, 64))
			}
			if text != "" {
				all = append(all, question{a.ID, text})
			}
		}
	}
	return all
}

var tableOfViews = regexp.MustCompile(`(?ms)^CREATE OR REPLACE TABLE (?:internal\.)?(\w+) AS\n(.*?);$`)

// tableQuestions are the queries that fill tables among the views.
func tableQuestions(t *testing.T) (all []question) {
	t.Helper()
	files, err := fs.Glob(queries.Files, "views/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		text, err := fs.ReadFile(queries.Files, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range tableOfViews.FindAllStringSubmatch(string(text), -1) {
			all = append(all, question{m[1], m[2]})
		}
	}
	return all
}

// noPlanComparesEachWithEach looks at the plans. Macros are part of those of the
// audits that use them.
func noPlanComparesEachWithEach(t *testing.T, db *audit.Database) {
	all := named(t, db, "SELECT view_name, 'SELECT * FROM ' || schema_name || '.' || view_name FROM duckdb_views() WHERE NOT internal ORDER BY view_name")
	all = append(append(all, tableQuestions(t)...), auditQuestions(t)...)
	joins := 0
	for _, q := range all {
		for _, fault := range planFaults(t, db, q.sql, &joins) {
			t.Errorf("%s: %s", q.name, fault)
		}
	}
	if joins < 500 {
		t.Errorf("saw only %d joins", joins)
	}
	for sql, fault := range map[string]string{
		"SELECT a.job FROM jobs AS a JOIN preemptions AS b ON b.tree = a.tree AND b.node = a.node AND a.start_time < b.time AND a.end_time > b.time":              "by 2 inequalities",
		"SELECT a.job FROM jobs AS a WHERE EXISTS (FROM preemptions AS b WHERE b.tree = a.tree AND a.start_time < b.time AND a.end_time > b.time)":                "by 2 inequalities",
		"SELECT a.job FROM jobs AS a JOIN preemptions AS b ON a.start_time < b.time AND a.end_time > b.time":                                                      "_JOIN of",
		"SELECT a.job FROM jobs AS a JOIN preemptions AS b ON a.start_time < b.time":                                                                              "PIECEWISE_MERGE_JOIN",
		"SELECT a.job, b.job FROM preemptions AS a LEFT JOIN jobs AS b ON b.job = a.better_victim AND a.better_victim <> ''":                                      "BLOCKWISE_NL_JOIN",
		"SELECT a.job, b.node FROM jobs AS a, nodes AS b":                                                                                                         "CROSS_PRODUCT",
		"SELECT a.job, b.resource FROM jobs AS a, resources AS b":                                                                                                 "",
		"SELECT a.job, b.pool FROM jobs AS a ASOF JOIN pool_versions AS b ON b.tree = a.tree AND b.pool = a.pool AND b.from_time <= a.start_time":                 "",
		"SELECT a.job, (SELECT count(*) FROM trees) AS n FROM jobs AS a":                                                                                          "",
		"SELECT a.job FROM jobs AS a JOIN trees AS t ON t.tree = a.tree AND a.start_time >= t.from_time WHERE a.node NOT IN (SELECT node FROM preemptions)":       "",
		"SELECT a.job FROM jobs AS a JOIN (SELECT tree, max(time) AS last FROM preemptions GROUP BY tree) AS p ON p.tree = a.tree AND p.last <> a.start_time":     "",
		"SELECT a.job FROM jobs AS a JOIN preemptions AS b ON b.tree = a.tree AND a.start_time BETWEEN b.time - INTERVAL 1 MINUTE AND b.time + INTERVAL 1 SECOND": "by 2 inequalities",
	} {
		if got := strings.Join(planFaults(t, db, sql, &joins), "; "); (fault == "") != (got == "") || !strings.Contains(got, fault) {
			t.Errorf("%s: %q, want %q", sql, got, fault)
		}
	}
}

// A planNode is an operator of a plan.
type planNode struct {
	Name     string      `json:"name"`
	Children []*planNode `json:"children"`
	Extra    struct {
		Conditions any `json:"Conditions"` // a text or several
		Table      any `json:"Text"`
	} `json:"extra_info"`
}

// planFaults says what is wrong with the joins of a query's plan, and counts them.
func planFaults(t *testing.T, db *audit.Database, sql string, joins *int) (faults []string) {
	t.Helper()
	var kind, text string
	if err := db.QueryRowContext(t.Context(), "EXPLAIN (FORMAT JSON) "+sql).Scan(&kind, &text); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var plan []*planNode
	if err := json.Unmarshal([]byte(text), &plan); err != nil {
		t.Fatalf("the plan of %s: %v", sql, err)
	}
	for _, root := range plan {
		root.walk(func(n *planNode) {
			if !strings.Contains(n.Name, "JOIN") && n.Name != "CROSS_PRODUCT" {
				return
			}
			*joins++
			if fault := n.fault(); fault != "" {
				faults = append(faults, fmt.Sprintf("%s of %s with %s", fault, n.Children[0].tables(), n.Children[1].tables()))
			}
		})
	}
	return faults
}

func (n *planNode) walk(visit func(*planNode)) {
	visit(n)
	for _, c := range n.Children {
		c.walk(visit)
	}
}

// tables are what a part of a plan reads.
func (n *planNode) tables() string {
	var names []string
	n.walk(func(n *planNode) {
		switch {
		case n.Extra.Table != nil:
			names = append(names, fmt.Sprint(n.Extra.Table))
		case len(n.Children) == 0:
			names = append(names, n.Name)
		}
	})
	return strings.Join(slices.Compact(names), "+")
}

// isSmall reports whether a part of a plan gives few rows whatever the log holds:
// constants, or one row of sums.
func (n *planNode) isSmall() bool {
	switch strings.TrimSpace(n.Name) {
	case "COLUMN_DATA_SCAN", "DUMMY_SCAN", "EMPTY_RESULT", "UNGROUPED_AGGREGATE":
		return true
	case "PROJECTION", "FILTER", "UNNEST", "CROSS_PRODUCT", "UNION":
		return !slices.ContainsFunc(n.Children, func(c *planNode) bool { return !c.isSmall() })
	}
	return false
}

// fault says what is wrong with a join; empty if nothing is.
func (n *planNode) fault() string {
	switch n.Name {
	case "HASH_JOIN", "ASOF_JOIN", "LEFT_DELIM_JOIN", "RIGHT_DELIM_JOIN":
		wide, conditions := 0, n.conditions()
		for _, c := range conditions {
			if rangePattern.MatchString(c) {
				wide++
			}
		}
		all := strings.Join(conditions, ", ")
		if wide > 1 && !slices.ContainsFunc(wideJoins, func(w wideJoin) bool { return w.conditions == all }) {
			return fmt.Sprintf("a join by %d inequalities (%s)", wide, all)
		}
		return ""
	}
	if slices.ContainsFunc(n.Children, (*planNode).isSmall) {
		return ""
	}
	return n.Name
}

// rangePattern is a condition that orders its sides.
var rangePattern = regexp.MustCompile(` [<>]=? `)

// conditions are those of a join, sorted.
func (n *planNode) conditions() (all []string) {
	switch c := n.Extra.Conditions.(type) {
	case string:
		all = append(all, c)
	case []any:
		for _, one := range c {
			all = append(all, fmt.Sprint(one))
		}
	}
	slices.Sort(all)
	return all
}

// noTextComparesEachWithEach looks at the texts.
func noTextComparesEachWithEach(t *testing.T, db *audit.Database) {
	all := named(t, db, "SELECT view_name, regexp_replace(sql, '^CREATE VIEW .*? AS ', '') FROM duckdb_views() WHERE NOT internal ORDER BY view_name")
	all = append(all, named(t, db, `SELECT function_name, CASE function_type WHEN 'table_macro' THEN macro_definition ELSE 'SELECT ' || macro_definition END
		FROM duckdb_functions() WHERE function_type LIKE '%macro' AND NOT internal ORDER BY function_name`)...)
	all = append(append(all, tableQuestions(t)...), auditQuestions(t)...)
	met := map[string]bool{}
	for _, q := range all {
		for _, fault := range textFaults(t, db, q.sql) {
			if slices.ContainsFunc(wideJoins, func(w wideJoin) bool { return w.in == q.name }) {
				met[q.name] = true
				continue
			}
			t.Errorf("%s: %s", q.name, fault)
		}
	}
	for _, w := range wideJoins {
		if !met[w.in] {
			t.Errorf("%s has no join by two inequalities any more: take it off the list", w.in)
		}
	}
	for text, faults := range map[string]int{
		"SELECT 1 FROM a JOIN b ON a.x = b.x AND a.t < b.u AND a.u > b.t":                                                            1,
		"SELECT 1 FROM a JOIN b ON a.x = b.x AND a.t < b.u WHERE a.u > b.t":                                                          1,
		"SELECT 1 FROM a JOIN b USING (x) WHERE a.t BETWEEN b.t AND b.u + INTERVAL 1 SECOND":                                         1,
		"WITH c AS (SELECT 1 FROM a WHERE NOT EXISTS (FROM b WHERE b.t < a.u AND b.u > a.t)) SELECT 1 FROM c":                        1,
		"SELECT 1 FROM a ASOF JOIN b ON a.x = b.x AND b.t <= a.t WHERE a.t < b.u AND a.z > b.z":                                      0,
		"SELECT 1 FROM a JOIN b ON a.x = b.x AND a.t < b.u JOIN c ON a.x = c.x AND a.t < c.u":                                        0,
		"SELECT 1 FROM a WHERE a.t < a.u AND a.v < a.w AND a.x > 3 AND a.y BETWEEN 1 AND 2":                                          0,
		"SELECT CASE WHEN EXISTS (FROM b WHERE b.x = a.x AND b.t < a.u AND a.t < b.u) THEN 1 END FROM a":                             1,
		"SELECT 1 FROM (SELECT 1 FROM a JOIN b ON a.x = b.x AND a.t < b.u AND a.u > b.t) UNION ALL SELECT 1 FROM a, b WHERE a.t<b.t": 1,
	} {
		if got := textFaults(t, db, text); len(got) != faults {
			t.Errorf("%s: %q, want %d", text, got, faults)
		}
	}
}

// textFaults are the pairs of tables that a query joins by more than one inequality.
func textFaults(t *testing.T, db *audit.Database, text string) (faults []string) {
	t.Helper()
	var tree any
	var serialized sql.NullString
	if err := db.QueryRowContext(t.Context(), "SELECT json_serialize_sql("+quoted(text)+")::VARCHAR").Scan(&serialized); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := json.Unmarshal([]byte(serialized.String), &tree); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if failed, _ := tree.(map[string]any)["error"].(bool); failed {
		t.Fatalf("%s: %v", text, tree)
	}
	visitObjects(tree, func(o map[string]any) {
		if o["type"] != "SELECT_NODE" {
			return
		}
		pairs := orders{}
		pairs.ofCondition(o["where_clause"])
		pairs.ofJoins(o["from_table"])
		for pair, n := range pairs {
			if n > 1 {
				faults = append(faults, fmt.Sprintf("%s and %s are joined by %d inequalities", pair[0], pair[1], n))
			}
		}
	})
	slices.Sort(faults)
	return faults
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// visitObjects visits every object of a parsed query.
func visitObjects(v any, visit func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(v)
		for _, one := range v {
			visitObjects(one, visit)
		}
	case []any:
		for _, one := range v {
			visitObjects(one, visit)
		}
	}
}

// orders counts, by pair of tables, the inequalities that a query requires.
type orders map[[2]string]int

// ofJoins counts those of a FROM clause. An ASOF join takes one by its nature and
// looks for one row with it, so that what else is asked of that row joins nothing.
func (o orders) ofJoins(from any) {
	join, _ := from.(map[string]any)
	if join["type"] != "JOIN" {
		return
	}
	o.ofJoins(join["left"])
	o.ofJoins(join["right"])
	if join["ref_type"] != "ASOF" {
		o.ofCondition(join["condition"])
		return
	}
	right, _ := join["right"].(map[string]any)
	name := right["alias"]
	if name == "" {
		name = right["table_name"]
	}
	for pair := range o {
		if slices.Contains(pair[:], fmt.Sprint(name)) {
			delete(o, pair)
		}
	}
}

// ofCondition counts those that a condition requires.
func (o orders) ofCondition(condition any) {
	c, _ := condition.(map[string]any)
	order := func(a, b string) {
		pair := [2]string{tableOf(c[a]), tableOf(c[b])}
		if slices.Sort(pair[:]); pair[0] != pair[1] && pair[0] != none {
			o[pair]++
		}
	}
	switch c["type"] {
	case "CONJUNCTION_AND":
		children, _ := c["children"].([]any)
		for _, child := range children {
			o.ofCondition(child)
		}
	case "COMPARE_LESSTHAN", "COMPARE_LESSTHANOREQUALTO", "COMPARE_GREATERTHAN", "COMPARE_GREATERTHANOREQUALTO":
		order("left", "right")
	case "COMPARE_BETWEEN":
		order("input", "lower")
		order("input", "upper")
	}
}

// none is the table of an expression without columns.
const none = ""

// tableOf is the table that the columns of an expression name.
func tableOf(expression any) string {
	table := none
	visitObjects(expression, func(o map[string]any) {
		names, _ := o["column_names"].([]any)
		if o["class"] != "COLUMN_REF" || table != none {
			return
		}
		if table = "(unnamed)"; len(names) > 1 {
			table = fmt.Sprint(names[0])
		}
	})
	return table
}
