package queries

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
)

var (
	sqlBlock   = regexp.MustCompile("(?s)```sql\n(.*?)```")
	sqlInline  = regexp.MustCompile("`((?:SELECT|FROM|WITH|PIVOT) [^`]+)`")
	sqlCommand = regexp.MustCompile(`poolproof query \S+ "([^"$]+)"`)
)

// sqlOf are the questions in a page: in blocks, in running text and in commands. What leaves
// something out (...) is the form of one.
func sqlOf(page string) (all []string) {
	for _, pattern := range []*regexp.Regexp{sqlBlock, sqlInline, sqlCommand} {
		for _, m := range pattern.FindAllStringSubmatch(page, -1) {
			if !strings.Contains(m[1], "...") && !strings.HasPrefix(m[1], "-- @") {
				all = append(all, strings.TrimSuffix(strings.TrimSpace(strings.ReplaceAll(m[1], `\|`, "|")), ";"))
			}
		}
	}
	return all
}

// TestTheSQLOfEveryPageAnswers puts the SQL of all pages to a small cluster.
func TestTheSQLOfEveryPageAnswers(t *testing.T) {
	db := commandtest.MadeRun(t, commandtest.SmallCluster)
	asked, pages := 0, 0
	commandtest.EachPage(t, func(at, text string) {
		questions := sqlOf(text)
		for _, q := range questions {
			asked++
			if _, err := db.ExecContext(t.Context(), q); err != nil {
				t.Errorf("%s: %s: %v", at, q, err)
			}
		}
		if len(questions) > 0 {
			pages++
		}
	})
	if asked < 60 || pages < 3 {
		t.Errorf("only %d questions in %d pages", asked, pages)
	}
	planted := "`SELECT 1` ```sql\nSELECT 2;\n``` `SELECT ...` poolproof query run \"FROM jobs\" `select`"
	if got := fmt.Sprint(sqlOf(planted)); got != "[SELECT 2 SELECT 1 FROM jobs]" {
		t.Errorf("of a page %s is asked", got)
	}
}
