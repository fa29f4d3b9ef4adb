package commandtest

import (
	"strings"
	"testing"

	"poolproof/audit"
)

// RowsOf are the rows of a query that has texts first, then numbers.
func RowsOf(t *testing.T, db *audit.Database, texts int, query string) (keys []string, numbers [][]float64) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		words, values := make([]string, texts), make([]float64, len(columns)-texts)
		var cells []any
		for i := range words {
			cells = append(cells, &words[i])
		}
		for i := range values {
			cells = append(cells, &values[i])
		}
		if err := rows.Scan(cells...); err != nil {
			t.Fatal(err)
		}
		keys, numbers = append(keys, strings.Join(words, " ")), append(numbers, values)
	}
	return keys, numbers
}
