package audit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// safeInSQL are, by file, the expressions that stand in SQL as they are. Each holds names that this
// program declares, SQL that it has put together from quoted parts, or a query that the user gave.
// Whoever adds one shows that no file and no log reaches it.
var safeInSQL = map[string][]string{
	"balance.go":         {`catalog`},
	"conditions.go":      {`amountColumns("", "i.resource_limits_")`, `amountColumns("", "i.resource_usage_")`, `amountColumns("", "min_spare_resources_")`, `amountColumns("min", "resources_")`, `operationsAnyAge`, `settingColumns("o")`, `settingColumns("v")`, `strings.Join([]string{…}, ", ")`},
	"counts.go":          {`countColumns[option]`, `option`},
	"database.go":        {`catalog`, `i`, `stageCatalog`},
	"debtors.go":         {`a.resource`, `column`, `naturalAmount(a.resource, "sum(resources_" + a.resource + ")")`},
	"debts.go":           {`began`, `earliest`, `latest`, `ofRows`, `operationsAnyAge`, `table`},
	"declared.go":        {`o.Kind`},
	"divergence.go":      {`settingsOf("nodes", "tree", "node")`, `settingsOf("pool_versions", "tree", "pool", "first_seen", "last_seen", "path", "depth")`, `settingsOf("tree_versions", "tree")`},
	"duckdb.go":          {`replace`, `table`},
	"export.go":          {`order`},
	"explain.go":         {`query`, `strings.Join(where, " AND ")`, `table`},
	"explain_subject.go": {`nothing`},
	"job.go":             {`table`},
	"lakesession.go":     {`limit`, `query`, `strings.Join(quoted, ", ")`},
	"load.go":            {`catalog`, `internalSchema`, `name`, `q`, `strings.Join(columns, ", ")`, `table`},
	"openepisodes.go":    {`name`, `strings.Join(texts, ", ")`, `table`},
	"places.go":          {`amountColumns("", "n.limit_")`, `named(amountColumns("sum", "resources_"))`},
	"prove.go":           {`column`, `kind`, `sum`, `table`},
	"records.go":         {`ofInputs`, `ofReplay`},
	"saturate.go":        {`tables.Saturated`},
	"series.go":          {`element`, `of`, `strings.Join(terms, ", s.")`},
	"session.go":         {`call`, `into`, `query`, `strings.Join(parts, " UNION ALL BY NAME ")`, `t.catalog(i)`, `t.labels(i)`},
	"source.go":          {`a.call("findings")`, `a.call("seen")`, `rule`},
	"sourced.go":         {`internalSchema`, `source`, `strings.Join(sets, ", ")`},
	"subject.go":         {`episodes`, `s.Kind`, `table`},
	"taken.go":           {`where`},
	"tested.go":          {`params.fill(a.Tested)`},
	"tracks.go":          {`episodes`, `fmt.Sprint(tracedEpisodes)`, `fmt.Sprint(tracedOperations)`, `fmt.Sprint(tracedPools)`, `fmt.Sprint(tracedPreemptions)`},
}

// sqlText finds literals that are SQL, as opposed to sentences: keywords in capitals.
var sqlText = regexp.MustCompile(`\b(SELECT|INSERT INTO|CREATE|DROP|COPY|COMMENT ON|ATTACH|USE|FROM|DESCRIBE|TABLE|SET|DELETE)\b ?`)

// TestNamesInSQLAreQuoted: a text of SQL that the program puts together takes values by quoteName,
// quoteIn and quoteText, or values that no input reaches.
func TestNamesInSQLAreQuoted(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, pattern := range []string{"*.go", "report/*.go", "../cmd/poolproof/command/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, part := range unquotedIn(t, file) {
				used[filepath.Base(file)+" "+part] = true
				if !slices.Contains(safeInSQL[filepath.Base(file)], part) {
					t.Errorf("%s: %s stands in SQL without quoteName, quoteIn or quoteText", file, part)
				}
			}
		}
	}
	for file, parts := range safeInSQL {
		for _, part := range parts {
			if !used[file+" "+part] {
				t.Errorf("%s: %s no longer stands in SQL: take it off the list", file, part)
			}
		}
	}
}

// unquotedIn are the parts of texts of SQL in a file that are neither literals nor quoted.
func unquotedIn(t *testing.T, file string) (parts []string) {
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		var of []ast.Expr
		switch n := n.(type) {
		case *ast.BinaryExpr:
			of = operands(n)
		case *ast.CallExpr:
			if !strings.HasPrefix(types.ExprString(n.Fun), "fmt.") {
				return true
			}
			for _, arg := range n.Args {
				of = append(of, operands(arg)...)
			}
			if len(of) > 0 && strings.HasPrefix(types.ExprString(n.Fun), "fmt.F") {
				of = of[1:] // the writer
			}
		}
		if !holdsSQL(of) {
			return true
		}
		for _, part := range of {
			if !isQuoted(part) {
				parts = append(parts, types.ExprString(part))
			}
		}
		return true
	})
	return parts
}

// operands are the parts of a text that + joins.
func operands(e ast.Expr) []ast.Expr {
	if sum, ok := e.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		return append(operands(sum.X), operands(sum.Y)...)
	}
	return []ast.Expr{e}
}

func holdsSQL(parts []ast.Expr) bool {
	for _, part := range parts {
		if literal, ok := part.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil && sqlText.MatchString(text) {
				return true
			}
		}
	}
	return false
}

func isQuoted(part ast.Expr) bool {
	switch part := part.(type) {
	case *ast.BasicLit:
		return true
	case *ast.CallExpr:
		switch types.ExprString(part.Fun) {
		case "quoteName", "quoteText", "quoteIn", "sqlText": // the last in reports
			return true
		}
	}
	return false
}
